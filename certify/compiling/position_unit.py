"""MOD from sinusoidal encodings, in one ReLU (Thm 3.2 of arXiv:2608.11909).

The encodings of a modulus are round(sin(2 pi h i/m)) and round(cos(2 pi h i/m)), h = 1, .., H.  A unit sums them with
the encodings of the residue r as weights, about H at i = r modulo m and less elsewhere: of the m rounded sums the one
for r must be the greatest, u > v, with v the greatest of the others.  A threshold t of F, v <= t < u, makes the ReLU
u - t at r and 0 elsewhere, exactly; a weight w with w (u - t) = 1 makes it 1.  u - t is a power of two where F has one.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from gmpy2 import mpq

from certify.compiling.exact_sums import arranged_sum
from certify.compiling.gadget import Bound
from certify.compiling.modular_scores import table_rows
from certify.compiling.networks import Unit
from fpsim import arithmetic, reference
from fpsim.operands import Array, as_element, result_array
from fpsim.precision import Precision
from fpsim.rounding.reference import Element, round_exact
from fpsim.valueset import ValueSet

__all__ = ["PositionUnit", "position_unit"]

MOST = 512


@dataclass(frozen=True)
class PositionUnit:
    """The unit, but for what it writes for a 1, and what makes it exact."""

    up: dict[int, mpq]
    threshold: mpq
    weight: mpq
    bounds: tuple[Bound, ...]

    def unit(self, place: int) -> Unit:
        """The unit that writes into the pair at `place`."""
        return Unit(self.up, -self.threshold, {place: self.weight, place + 1: -self.weight})


def position_unit(
    precision: Precision, residue: int, modulus: int, harmonics: int, at: int, dim: int
) -> PositionUnit | None:
    """The unit for MOD(r, m), m >= 2, whose encodings begin at a coordinate; None where no weights were found."""
    linear, values = precision.linear, precision.values
    for scale in _scales(values):
        up: dict[int, mpq] = {}
        terms: list[Array] = [np.zeros(modulus)] * dim
        for h in range(1, harmonics + 1):
            c, s = table_rows(values, modulus, h)
            for place, row in ((at + 2 * h - 2, s), (at + 2 * h - 1, c)):
                weight = as_element(arithmetic.round(values, scale * mpq(as_element(row[residue]))))
                up[place] = mpq(weight)
                terms[place] = np.asarray(arithmetic.mul(linear, row, result_array(values, [weight], (1,))))
        sums = np.asarray(arithmetic.round(values, arranged_sum(linear, terms, precision.dot)))
        match, other = as_element(sums[residue]), as_element(np.delete(sums, residue).max())
        if not match > other or isinstance(match, float) or isinstance(other, float):
            continue
        for threshold, weight in _thresholds(values, match, other):
            rest = _value(precision, match, threshold, weight)
            if rest == 1 and _value(precision, other, threshold, weight) == 0:
                bounds = (
                    Bound("i = r: above the threshold by", match - threshold, 1 / weight),
                    Bound("else: below it by", threshold - other, mpq(0)),
                )
                return PositionUnit(up, threshold, weight, bounds)
    return None


def _scales(values: ValueSet) -> Iterator[mpq]:
    """Powers of two for the weights: in a float set they change nothing, in fixed point large ones are finer."""
    yield mpq(1)
    scale = mpq(2)
    while values.kind != "float" and 2 * scale <= values.max and scale <= 1024:
        yield scale
        scale *= 2


def _thresholds(values: ValueSet, match: mpq, other: mpq) -> Iterator[tuple[mpq, mpq]]:
    """(t, w): t from `other` to below `match`, with a distance that is a power of two first."""
    distance = mpq(2) ** int((match - other).numerator.bit_length() - (match - other).denominator.bit_length())
    for _ in range(64):
        if match - distance >= other and match - distance in values and 1 / distance in values:
            yield match - distance, 1 / distance
        distance /= 2
    low, high = values.index(other), values.index(match)
    for index in range(low, min(high, low + MOST)):
        threshold = values.value(index)
        weight = round_exact(values, 1 / (match - threshold))
        if not isinstance(weight, float) and weight > 0:
            yield threshold, weight


def _value(precision: Precision, total: mpq, threshold: mpq, weight: mpq) -> Element:
    """What the unit adds to the truth value for this sum."""
    linear, values = precision.linear, precision.values
    before = round_exact(values, reference.add(linear, total, -threshold))
    return round_exact(values, reference.mul(linear, weight, before if before > 0 else mpq(0)))
