"""Value sets and rounding, written anew from "semantics 1" §1: rationals in, rationals out.

Every value has an index: 0 for 0, n for the n-th positive one; the negative side likewise.  Rounding looks at the two
neighbours of a magnitude and at the parity of their indices.  A result is a rational, or one of the floats inf, -inf
and nan; the sign of zero is not kept, as no claim depends on it: +, -, * and the functions here give equal results for
both zeros.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from math import lcm
from typing import TypeAlias

from gmpy2 import mpq

__all__ = ["Element", "Values", "floor_log2", "is_finite", "power_of_two"]

Element: TypeAlias = "mpq | float"

_HALF = mpq(1, 2)
_NEAREST = ("even", "away")


def is_finite(x: Element) -> bool:
    """Whether x is a rational: neither an infinity nor NaN."""
    return not isinstance(x, float)


def power_of_two(exponent: int) -> mpq:
    """2^exponent."""
    return mpq(1 << exponent) if exponent >= 0 else mpq(1, 1 << -exponent)


def floor_log2(x: mpq) -> int:
    """The greatest e with 2^e <= x, for x > 0.

    >>> floor_log2(mpq(1)), floor_log2(mpq(1, 3)), floor_log2(mpq(7))
    (0, -2, 2)
    """
    e = int(x.numerator.bit_length() - x.denominator.bit_length())
    return e if x >= power_of_two(e) else e - 1


@dataclass(frozen=True)
class Values:
    """A value set of a certificate: kind "float", "fixed" or "grid", with the fields that docs/certificates.md gives
    them (`step` of a float set is that of its subnormal values; `grid` rises).

    >>> fp16 = Values("float", "even", "inf", precision=11, emin=-14, step=mpq(1, 2**24), largest=mpq(65504))
    >>> fp16.round(mpq(2049)), fp16.round(mpq(65520)), fp16.round(mpq(1, 3)) == mpq(1365, 4096)
    (mpq(2048,1), inf, True)
    """

    kind: str
    rounding: str
    overflow: str
    precision: int = 0
    emin: int = 0
    step: mpq = mpq(1)
    largest: mpq = mpq(0)
    grid: tuple[mpq, ...] = ()
    ftz: bool = False

    def round(self, x: Element) -> Element:
        """x rounded once; NaN stays NaN, and an infinity is beyond range."""
        if isinstance(x, float):
            return x if x != x else self._beyond(x < 0)
        if x == 0:
            return mpq(0)
        negative = x < 0
        size = -x if negative else x
        top = self.top(negative)
        if top == 0:
            return mpq(0)  # a side without values: everything there becomes 0
        last = self.size(top, negative)
        if size > last:
            step = last - self.size(top - 1, negative)
            # Index `top + 1` stands for what would come next; what rounds to it is beyond range.
            up = self._rounds_up(top, (size - last) / step, negative)
            return self._beyond(negative) if up else self._signed(top, negative)
        below = self.index_below(size, negative)
        low = self.size(below, negative)
        if low != size:
            high = self.size(below + 1, negative)
            below += self._rounds_up(below, (size - low) / (high - low), negative)
        return self._signed(below, negative)

    def operand(self, x: Element) -> Element:
        """x as an operation in this set sees it: under `ftz` a subnormal number is 0."""
        return mpq(0) if self.ftz and is_finite(x) and abs(x) < power_of_two(self.emin) else x

    def contains(self, x: mpq) -> bool:
        """Whether x is one of the values."""
        negative = x < 0
        size = abs(x)
        if size > self.size(self.top(negative), negative):
            return False
        return bool(self.size(self.index_below(size, negative), negative) == size and self.operand(x) == x)

    def top(self, negative: bool = False) -> int:
        """The greatest index of a side."""
        if self.kind == "grid":
            return len(self._sides[negative]) - 1
        return self.index_below(self.largest, negative)

    @property
    def least_index(self) -> int:
        """The index of the least positive value, when there is one."""
        return 1 << (self.precision - 1) if self.ftz else 1

    def size(self, index: int, negative: bool = False) -> mpq:
        """The magnitude of the value with this index on a side."""
        if self.kind == "grid":
            return self._sides[negative][index]
        if self.kind == "fixed":
            return index * self.step
        binade, rest = divmod(index, 1 << (self.precision - 1))
        if binade == 0:
            return index * self.step
        return (rest + (1 << (self.precision - 1))) * self.step * (1 << (binade - 1))

    def index_below(self, size: mpq, negative: bool = False) -> int:
        """The greatest index whose value has a magnitude of at most `size` >= 0."""
        if self.kind == "grid":
            return bisect_right(self._sides[negative], size) - 1
        if self.kind == "fixed" or size < power_of_two(self.emin):
            return int(size / self.step // 1)
        exponent = floor_log2(size)
        mantissa = size / power_of_two(exponent - self.precision + 1) // 1
        return int(mantissa) + (exponent - self.emin) * (1 << (self.precision - 1))

    @cached_property
    def _sides(self) -> tuple[list[mpq], list[mpq]]:
        """Magnitudes in rising order from 0, of the positive and of the negative side of a grid."""
        return [x for x in self.grid if x >= 0], [-x for x in reversed(self.grid) if x <= 0]

    @property
    def grain(self) -> mpq:
        """A positive number, at most 1/4, of which every value and every boundary between two results is an even
        multiple.
        """
        if self.kind != "grid":
            return min(self.step, mpq(1)) / 4
        return mpq(1, 4 * lcm(*(int(x.denominator) for x in self.grid)))

    def _rounds_up(self, below: int, part: mpq, negative: bool) -> bool:
        """Whether a magnitude the `part` > 0 of the way from one index to the next goes to the next."""
        if self.rounding in _NEAREST:
            return bool(part > _HALF or (part == _HALF and (self.rounding == "away" or below % 2 == 1)))
        outward: dict[str, Callable[[], bool]] = {
            "zero": lambda: False,
            "up": lambda: not negative,
            "down": lambda: negative,
            "odd": lambda: below % 2 == 0,
        }
        return outward[self.rounding]()

    def _signed(self, index: int, negative: bool) -> mpq:
        if self.ftz and index < self.least_index:
            return mpq(0)
        return -self.size(index, negative) if negative else self.size(index)

    def _beyond(self, negative: bool) -> Element:
        top = self.top(negative)
        if top == 0:
            return mpq(0)
        if self.overflow == "saturate":
            return self._signed(top, negative)
        infinity = float("-inf") if negative else float("inf")
        return infinity if self.overflow == "inf" else float("nan")
