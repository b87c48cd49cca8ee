"""The norm that leaves every vector of a layout as it is.

The mean is the layout's, exactly, and the rounded sum of squares is one number for all truth values
(`certify.compiling.layout`).  So the variance v is known; epsilon is a value of F with round(v + epsilon) = 4^t, whose
root 2^t divides without an error where F holds the quotients.  With the gain 2^t and the mean as bias,

    y = (c / 2^t) 2^t + mean = x    for every x that occurs and c = x - mean,

which is computed here for each of them.  (For floats with p >= 2, rounding to nearest even, epsilon = round(4^t - v)
does it: it is off by at most 4^t 2^-(p+1), half of the spacing below 4^t, and a tie goes to 4^t, which is even.)
"""

from __future__ import annotations

from collections.abc import Iterator

from gmpy2 import mpq

from certify.compiling.gadget import Bound, Gadget
from certify.compiling.layout import Layout, Waves, layouts
from certify.compiling.plan import Plan
from fpsim import reference
from fpsim.errors import UnsupportedError
from fpsim.operands import result_array
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.sums import ordered_sum
from fpsim.transformer import Norm, Precision
from fpsim.transformer.layer_norm import norm_vector
from fpsim.valueset import ValueSet

__all__ = ["normalized_layout", "vector_of"]


def normalized_layout(plan: Plan, waves: Waves, precision: Precision) -> tuple[Layout, Norm, Gadget]:
    """A layout of the plan, the norm that leaves its vectors as they are, and why.

    Raises `UnsupportedError` where F has none.
    """
    reason = ""
    for layout in layouts(plan, waves, precision.values, precision.dot):
        variance = _variance(precision, layout)
        for epsilon, root in _roots(precision.linear, variance):
            norm = _norm(precision.values, layout, epsilon, root)
            vectors = [vector_of(layout, truth) for truth in (False, True)]
            if all(norm_vector(precision, norm, vector) == vector for vector in vectors):
                numbers = {"mean": layout.mean, "variance": variance, "epsilon": epsilon, "gain": root}
                return (
                    layout,
                    norm,
                    Gadget("norm", "every layer", 0, numbers, _bounds(precision, variance, epsilon, root)),
                )
        shown = ", ".join(sorted({str(x) for x in vector_of(layout, True)}))
        reason = f"the variance is {variance}, and no epsilon and gain leave {shown} as they are"
    raise UnsupportedError(f"layer norm in {precision.values.name}: {reason}")


def _norm(values: ValueSet, layout: Layout, epsilon: mpq, root: mpq) -> Norm:
    size = layout.dim
    bias = None if not layout.mean else result_array(values, [layout.mean] * size, (size,))
    return Norm(result_array(values, [root] * size, (size,)), bias, result_array(values, [epsilon], (1,)))


def _bounds(precision: Precision, variance: Element, epsilon: mpq, root: mpq) -> tuple[Bound, ...]:
    """The deviation is the gain: each is at least the other."""
    linear = precision.linear
    deviation = reference.sqrt(linear, reference.add(linear, variance, epsilon))
    return Bound("deviation", deviation, root), Bound("gain", root, deviation)


def vector_of(layout: Layout, truth: bool) -> list[Element]:
    """The vector in which every owner has this truth value."""
    vector: list[Element] = [mpq(0)] * layout.dim
    for place in layout.place.values():
        vector[place + (not truth)] = mpq(1)
    for place, constant in layout.constants.items():
        vector[place] = constant
    return vector


def _variance(precision: Precision, layout: Layout) -> Element:
    linear = precision.linear
    centred = [reference.sub(linear, x, mpq(layout.mean)) for x in vector_of(layout, False)]
    squares = ordered_sum(linear, [reference.mul(linear, c, c) for c in centred], precision.dot)
    return reference.div(linear, squares, mpq(layout.dim))


def _roots(values: ValueSet, variance: Element) -> Iterator[tuple[mpq, mpq]]:
    """(epsilon, 2^t) with round(variance + epsilon) = 4^t, from the least t on."""
    if is_nan(variance) or not variance < values.max:
        return
    root = mpq(1, 1 << 20)
    while root * root < variance:
        root *= 2
    while root * root <= values.max:
        near = round_exact(values, root * root - variance)
        for epsilon in dict.fromkeys([mpq(0), near]):
            if root in values and reference.add(values, variance, epsilon) == root * root:
                yield epsilon, root
        root *= 2
