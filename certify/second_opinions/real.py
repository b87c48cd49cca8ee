"""Real numbers as enclosures, and their rounding by Ziv's method."""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol, TypeAlias

from gmpy2 import mpq

from certify.second_opinions.forms import Angle
from certify.second_opinions.opinion import OutOfWorkError
from certify.second_opinions.values import Element, Values

__all__ = ["Enclosure", "Reals", "exact_turn", "round_exp", "rounded"]

Enclosure: TypeAlias = "tuple[mpq, mpq]"

MAX_BITS = 1 << 16

# (cos, sin) of a rational part of a turn where one of them is rational (Niven 1956): 0, +-1/2 and +-1 only.
_HALF = mpq(1, 2)
_COSINES = {
    mpq(0): mpq(1), mpq(1, 6): _HALF, mpq(1, 4): mpq(0), mpq(1, 3): -_HALF,
    mpq(1, 2): mpq(-1), mpq(2, 3): -_HALF, mpq(3, 4): mpq(0), mpq(5, 6): _HALF,
}  # fmt: skip


class Reals(Protocol):
    """A library that encloses real functions: `balls.Balls` (Arb) or `intervals.Intervals` (mpmath)."""

    def angle(self, angle: Angle, bits: int) -> Enclosure:
        """The angle."""

    def turn(self, angle: Angle, times: int, bits: int) -> tuple[Enclosure, Enclosure]:
        """(cos, sin) of the angle times an integer, about 2^-bits wide."""

    def exp(self, x: mpq, bits: int) -> Enclosure:
        """e^x, with a relative width of about 2^-bits, for x <= 0."""


def exact_turn(angle: Angle, times: int) -> tuple[mpq | None, mpq | None]:
    """(cos, sin) of the angle times an integer where they are rational, None where they are not.

    At any other rational part of a turn they are irrational (Niven), and so they are at an algebraic number other than
    0 (Lindemann).
    """
    if not times:
        return mpq(1), mpq(0)
    if angle.turns is None:
        return None, None
    turns = angle.turns * times
    return _COSINES.get(turns - turns // 1), _COSINES.get((turns - mpq(1, 4)) - (turns - mpq(1, 4)) // 1)


def rounded(values: Values, enclose: Callable[[int], Enclosure], bits: int) -> Element:
    """An irrational real rounded into F: enclosed ever more narrowly until both ends round alike.

    Rounding is monotone, so what lies between rounds to the same; it ends because no boundary between two results is
    irrational.
    """
    while bits <= MAX_BITS:
        lo, hi = enclose(bits)
        low, high = values.round(lo), values.round(hi)
        # A NaN at both ends (overflow on two sides) says nothing about what lies between.
        if low == high or (low != low and high != high and lo * hi > 0):
            return low
        bits *= 2
    raise OutOfWorkError(f"a real is so near a rounding boundary that {MAX_BITS} bits do not decide")


def round_exp(reals: Reals, values: Values, x: Element) -> Element:
    """e^x rounded into F, for x <= 0, an infinity or NaN."""
    x = values.operand(x)
    if isinstance(x, float):
        return values.round(mpq(0) if x == float("-inf") else x)
    if x == 0:
        return values.round(mpq(1))
    # Below a quarter of the least positive value all positive reals round alike; e^x < 2^x for x < 0.
    least = values.size(1) if values.top() else mpq(1)
    depth = int(least.denominator.bit_length() - least.numerator.bit_length()) + 4
    if x < -depth:
        return values.round(least / 16)
    return rounded(values, lambda bits: reals.exp(x, bits), values.precision + 32)
