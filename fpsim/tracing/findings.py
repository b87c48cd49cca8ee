"""Which steps of a sum are worth telling: what a rounded operation lost, found for many sums at once."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import gmpy2
import numpy as np
from gmpy2 import mpfr, mpq

from fpsim.operands import Array, as_element
from fpsim.tracing.event import Number
from fpsim.tracing.exact import BITS
from fpsim.tracing.steps import Step
from fpsim.valueset import ValueSet

__all__ = ["Findings", "Found", "Kind", "exact_of", "finite"]

Kind: TypeAlias = Literal["nan", "overflow", "underflow", "stagnation", "absorption"]
Ints: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"
Bools: TypeAlias = "np.ndarray[Any, np.dtype[np.bool_]]"


def finite(x: Array) -> Bools:
    """Which numbers are finite, in an array of any kind.

    >>> finite(np.array([1.0, np.inf, np.nan])).tolist()
    [True, False, False]
    """
    with np.errstate(invalid="ignore"):
        return np.asarray(x - x == 0, np.bool_)


def _nan(x: Array) -> Bools:
    return np.asarray(x != x, np.bool_)


@dataclass(eq=False)
class Found:
    """Of one kind: how many such steps each sum has, and the first step of each (its place in that step)."""

    counts: Ints
    steps: dict[int, tuple[Step, int]] = field(default_factory=dict)


class Findings:
    """A watcher (`fpsim.tracing.steps.Watcher`) of `size` sums that keeps what was lost.

    nan: the result is NaN and no operand is.  overflow: operands are finite and the result is an infinity, NaN, or the
    last value of a set that saturates where the exact result lies beyond it.  underflow: 0 from operands of which none
    is 0 (of a product, a quotient, an exponential), or a stored number other than 0.  stagnation: a sum to which a
    term other than 0 was added without effect.  absorption: a sum that is what was added, though it was not 0 before.
    """

    def __init__(self, size: int) -> None:
        self.size = size
        self.found: dict[Kind, Found] = {}

    def __call__(self, step: Step) -> None:
        """Look at one step."""
        right = step.left if step.right is None else step.right
        inner = finite(step.left) & finite(right)
        if step.factors is not None:
            inner = finite(step.left) & finite(step.factors[0]) & finite(step.factors[1])
        no_nan = ~_nan(step.left) & ~_nan(right)
        over = inner & (~finite(step.result) | _saturated(step, inner))
        if step.operation == "quotient":
            over &= np.asarray((step.left != 0) | (right != 0), np.bool_)  # 0 / 0 is no number, and not beyond range
        self._keep("nan", step, _nan(step.result) & (no_nan if step.factors is None else no_nan | inner))
        self._keep("overflow", step, over)
        nothing = np.asarray(step.result == 0, np.bool_)
        if step.operation in ("sum", "fused"):
            assert step.right is not None
            added = np.asarray(right != 0, np.bool_)
            if step.factors is not None:
                added = np.asarray((step.factors[0] != 0) & (step.factors[1] != 0), np.bool_)
            calm = inner & ~over & added
            still = calm & np.asarray(step.result == step.left, np.bool_)
            self._keep("stagnation", step, still)
            self._keep("absorption", step, calm & ~still & (step.left != 0) & (step.result == right))
        elif step.operation == "exponential":
            self._keep("underflow", step, inner & nothing)
        elif step.operation in ("product", "store", "quotient"):
            self._keep("underflow", step, (step.left != 0) & (right != 0) & ~_nan(right) & nothing)

    def _keep(self, kind: Kind, step: Step, which: Any) -> None:
        places = np.flatnonzero(which)
        if not places.size:
            return
        found = self.found.setdefault(kind, Found(np.zeros(self.size, np.int64)))
        sums = step.sums[places]
        fresh = found.counts[sums] == 0
        np.add.at(found.counts, sums, 1)
        for place in places[fresh].tolist():
            found.steps.setdefault(int(step.sums[place]), (step, place))


def _saturated(step: Step, inner: Bools) -> Bools:
    """Where the result is the last value of its side and the exact result lies beyond it."""
    out = np.zeros(inner.shape, np.bool_)
    values = step.values
    if values.overflow != "saturate" or step.operation == "exponential":  # exponentials of a softmax are at most 1
        return out
    at_end = np.asarray((step.result == _number(values, True)) | (step.result == _number(values, False)), np.bool_)
    for place in np.flatnonzero(at_end & inner).tolist():
        exact = exact_of(step, place)
        out[place] = not isinstance(exact, float) and not values.min <= exact <= values.max
    return out


def _number(values: ValueSet, top: bool) -> Any:
    end = values.max if top else values.min
    return float(end) if values.carrier == "float64" else end


def exact_of(step: Step, place: int) -> Number:
    """The exact result of a step for one of its sums, from its realized operands: a rational, or an mpfr for an
    exponential; NaN where an operand is not finite and for a division by 0.

    >>> one, terms = np.array([0]), (np.array([1]), np.array([1]))
    >>> step = Step("sum", ValueSet.parse("fp16"), one, terms, np.array([2048.0]), np.array([1.0]), np.array([2048.0]))
    >>> exact_of(step, 0)
    mpq(2049,1)
    """
    arrays = [step.left, *(step.factors or ([] if step.right is None else [step.right]))]
    operands = [as_element(each[place]) for each in arrays]
    if not all(x - x == 0 for x in operands):
        return float("nan")
    if step.operation == "exponential":
        with gmpy2.context(precision=BITS):
            return gmpy2.exp(mpfr(mpq(operands[0])))
    left, *others = (mpq(x) for x in operands)
    if step.operation == "store":
        return left
    if step.operation == "fused":
        return left + others[0] * others[1]
    (right,) = others
    if step.operation == "quotient":
        return left / right if right else float("nan")
    return {"sum": left + right, "difference": left - right, "product": left * right}[step.operation]
