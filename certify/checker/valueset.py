"""Value sets F, and the rounding of an exact rational into one ("semantics 1", section 1).

Each side of 0 is a list of magnitudes, 0 first: the k-th has index k.  A value set says where |x| lies in that list;
one rule then chooses between the two neighbours, for every kind, mode and policy alike.  Beyond the largest magnitude
M the list is continued by one, M + (M - M') with M' the magnitude before M: choosing it is going beyond range.

An element is a Fraction, or a float that is an infinity or NaN.  -0 is not kept: it equals 0 in every claim, and no
operation of a claim divides by it.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, lru_cache
from typing import TypeAlias

from .limits import Account, cached

__all__ = ["INF", "NAN", "ZERO", "Element", "ValueSet", "is_nan", "same"]

Element: TypeAlias = Fraction | float
INF, NAN = float("inf"), float("nan")
ZERO = Fraction(0)
EXACT, BELOW, MIDDLE, ABOVE = range(4)  # where |x| lies between two neighbours: at the lower one, below the middle, ..


def same(a: Element, b: Element) -> bool:
    """Whether two elements are one; NaN is the same as NaN."""
    return a == b or (is_nan(a) and is_nan(b))


def is_nan(x: Element) -> bool:
    """Whether an element is NaN."""
    return isinstance(x, float) and x != x


class ValueSet:
    """What the three kinds share.  top: the index of the largest magnitude, for x >= 0 and for x < 0."""

    top: tuple[int, int] = (0, 0)
    ftz = False
    first = 1  # the least index of a positive value: more than 1 under ftz, where what lies below is flushed to 0
    least_normal, emin = ZERO, 0  # 2^emin
    bits = 0  # about the bits that a product of its elements near 1 has
    extent = 0  # bits of its longest element
    account: Account | None = None  # who pays for the rounding of long numbers
    resolution = 2  # no rounding changes between 1 - 2^-resolution and 1, nor between -1 and -1 + 2^-resolution

    def __init__(self, overflow: str, rounding: str) -> None:
        self.overflow, self.rounding = overflow, rounding
        self.nearest = rounding in ("even", "away")

    def magnitude(self, k: int, negative: bool) -> Fraction:
        """The magnitude with index k on that side."""
        raise NotImplementedError

    @cached_property
    def _value(self) -> Callable[[int, bool], Fraction]:
        return lru_cache(maxsize=cached(self.extent))(self._signed)

    def _signed(self, k: int, negative: bool) -> Fraction:
        return -self.magnitude(k, negative) if negative else self.magnitude(k, negative)

    def locate(self, n: int, d: int, negative: bool) -> tuple[int, int]:
        """(k, place) for n/d > 0: the greatest magnitude <= n/d, k <= top, and where n/d lies up to the next."""
        raise NotImplementedError

    def spacing(self, bound: Fraction) -> Fraction:
        """At least the greatest distance between neighbours of which a number of magnitude <= bound can lie between."""
        raise NotImplementedError

    def largest(self, negative: bool = False) -> Fraction:
        """The largest magnitude of that side."""
        return self.magnitude(self.top[negative], negative)

    def round(self, n: int, d: int = 1) -> Element:
        """The rational n/d, d > 0, rounded once."""
        if n == 0:
            return ZERO
        if self.account is not None:
            self.account.carry(n.bit_length() + d.bit_length())
        negative = n < 0
        top = self.top[negative]
        if top == 0:  # a side without values saturates at 0
            return ZERO
        k, place = self.locate(-n if negative else n, d, negative)
        if place and self._away_from_zero(k & 1, place, negative):
            k += 1
            if k > top:
                return self.beyond(negative)
        if k < self.first:  # 0, or flushed
            return ZERO
        return self._value(k, negative)

    def _away_from_zero(self, odd: int, place: int, negative: bool) -> bool:
        mode = self.rounding
        if self.nearest:
            return place == ABOVE or (place == MIDDLE and (mode == "away" or odd == 1))
        if mode == "odd":
            return not odd
        return mode == ("down" if negative else "up")

    def beyond(self, negative: bool) -> Element:
        """The result beyond range, and of an exact infinity."""
        if self.top[negative] == 0:
            return ZERO
        if self.overflow == "nan":
            return NAN
        magnitude: Element = INF if self.overflow == "inf" else self.largest(negative)
        return -magnitude if negative else magnitude

    def convert(self, x: Element) -> Element:
        """Any element of another value set, rounded once."""
        if isinstance(x, float):
            return x if is_nan(x) else self.beyond(x < 0)
        return self.round(x.numerator, x.denominator)

    def operand(self, x: Element) -> Element:
        """x as an operation of this set sees it: 0 in place of a subnormal, under ftz."""
        if not self.ftz or isinstance(x, float) or x == 0:
            return x
        e = x.numerator.bit_length() - x.denominator.bit_length()  # 2^(e-1) < |x| < 2^(e+1): 2^emin may be long
        return x if e > self.emin or (e == self.emin and abs(x) >= self.least_normal) else ZERO

    def __contains__(self, x: Fraction) -> bool:
        if x == 0:
            return True
        negative = x < 0
        if self.top[negative] == 0:
            return False
        k, place = self.locate(abs(x.numerator), x.denominator, negative)
        return place == EXACT and k >= self.first

    def _place_beyond(self, n: int, d: int, negative: bool) -> int:
        """Where n/d >= the largest magnitude M lies between M and M + (M - M')."""
        top = self.top[negative]
        m, before = self.magnitude(top, negative), self.magnitude(top - 1, negative)
        if n * m.denominator == m.numerator * d:
            return EXACT
        middle = m + (m - before) / 2
        left, right = n * middle.denominator, middle.numerator * d
        return BELOW if left < right else MIDDLE if left == right else ABOVE
