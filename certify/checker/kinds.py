"""The kinds of value sets, floats and grids, and how a claim describes them.

Floats are held by p, emin and M, so a format of any range costs the same; multiples of a step are floats too, with bits
enough to reach from the step to M.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from fractions import Fraction
from itertools import accumulate, pairwise
from typing import Any

from .exact import Purse, integer, number, show, size
from .limits import MAX_BITS, Malformed, Undecided
from .valueset import ABOVE, BELOW, EXACT, MIDDLE, ZERO, ValueSet

__all__ = ["FloatSet", "GridSet", "parse_valueset"]


class FloatSet(ValueSet):
    """All m 2^(e-p+1), e >= emin, 0 <= m < 2^p, of magnitude at most M; multiples of a step are such a set too."""

    def __init__(self, p: int, emin: int, largest: Fraction, ftz: bool, overflow: str, rounding: str) -> None:
        super().__init__(overflow, rounding)
        self.p, self.emin, self.ftz = p, emin, ftz
        self.least_normal = Fraction(2) ** emin
        self.first = 1 << (p - 1) if ftz else 1
        self.bits, self.resolution = 2 * p, p + 2
        self.top = (1, 1) if largest else (0, 0)
        if largest:
            k, rest = self._index(largest.numerator, largest.denominator)
            self.top = (k, k)
            self._beyond = largest.numerator.bit_length() - largest.denominator.bit_length() + 2  # M < 2^it
            if rest or k < self.first:
                raise Malformed("the largest value of a value set is not one of its values")
        self.extent = p + max(abs(emin - p + 1), size(largest))

    def magnitude(self, k: int, negative: bool) -> Fraction:
        """See `ValueSet.magnitude`."""
        half = 1 << (self.p - 1)
        e, m = (k // half - 1, half + k % half) if k >= half else (0, k)
        shift = e + self.emin - self.p + 1
        return Fraction(m << shift) if shift >= 0 else Fraction(m, 1 << -shift)

    def _index(self, n: int, d: int) -> tuple[int, int]:
        """(index, place) of n/d > 0 in the format without a largest value."""
        p = self.p
        # 2^e < n/d < 2^(e+2): the quantum is that of 2^e, or the one after it when the quotient has p + 1 bits
        e = max(n.bit_length() - d.bit_length() - 1, self.emin)
        shift = e - p + 1
        if shift < 0:
            n <<= -shift
        else:
            d <<= shift
        m, rest = divmod(n, d)
        if m >> p:
            rest, d = rest + (m & 1) * d, 2 * d
            m, e = m >> 1, e + 1
        twice = 2 * rest
        place = EXACT if not rest else BELOW if twice < d else MIDDLE if twice == d else ABOVE
        return m + ((e - self.emin) << (p - 1)), place

    def locate(self, n: int, d: int, negative: bool) -> tuple[int, int]:
        """See `ValueSet.locate`."""
        top = self.top[0]
        if n.bit_length() - d.bit_length() > self._beyond:  # no need to divide
            return top, ABOVE
        k, place = self._index(n, d)
        return (k, place) if k < top else (top, self._place_beyond(n, d, negative))

    def spacing(self, bound: Fraction) -> Fraction:
        """The spacing of the binade that holds the bound."""
        e = bound.numerator.bit_length() - bound.denominator.bit_length()  # bound < 2^(e+1)
        if bound < Fraction(2) ** e:
            e -= 1
        return Fraction(2) ** (max(e, self.emin) - self.p + 1)

    def __str__(self) -> str:
        text = f"floats p={self.p} emin={self.emin} largest={show(self.largest())}"
        return f"{text}{' ftz' if self.ftz else ''} {self.overflow} {self.rounding}"


class GridSet(ValueSet):
    """A list of values with 0 in it."""

    def __init__(self, values: list[Fraction], overflow: str, rounding: str) -> None:
        super().__init__(overflow, rounding)
        if ZERO not in values or any(a >= b for a, b in pairwise(values)):
            raise Malformed("the values of a grid rise, and 0 is one of them")
        zero = values.index(ZERO)
        self.sides = (values[zero:], [-v for v in values[zero::-1]])
        self.top = (len(self.sides[0]) - 1, len(self.sides[1]) - 1)
        self.extent = max(map(size, values))
        self.bits = 2 * self.extent
        self._shift = min(64 + max(v.denominator.bit_length() for v in values), 512)
        self._floors = [[(v.numerator << self._shift) // v.denominator for v in side] for side in self.sides]
        gaps = ([b - a for a, b in pairwise(side)] for side in self.sides)
        self._widest = [list(accumulate(each, max)) for each in gaps]  # among the first neighbours
        self.resolution = 2 * max(v.denominator.bit_length() for v in values) + 2

    def magnitude(self, k: int, negative: bool) -> Fraction:
        """See `ValueSet.magnitude`."""
        return self.sides[negative][k]

    def locate(self, n: int, d: int, negative: bool) -> tuple[int, int]:
        """See `ValueSet.locate`."""
        side, floors, x = self.sides[negative], self._floors[negative], (n << self._shift) // d
        low = bisect_left(floors, x)  # what has a lesser floor is less, what has a greater one is greater
        high = bisect_right(floors, x, low)
        k = (bisect_right(side, Fraction(n, d), low, high) if low < high else low) - 1
        if k == self.top[negative]:
            return k, self._place_beyond(n, d, negative)
        (a, b), (c, e) = side[k].as_integer_ratio(), side[k + 1].as_integer_ratio()
        if n * b == a * d:
            return k, EXACT
        twice, middle = 2 * n * b * e, (a * e + c * b) * d
        return k, BELOW if twice < middle else MIDDLE if twice == middle else ABOVE

    def spacing(self, bound: Fraction) -> Fraction:
        """The greatest distance between neighbours of which the smaller one is at most the bound in magnitude."""
        found = zip(self.sides, self._widest, strict=True)
        return max(gaps[min(bisect_right(side, bound), len(gaps)) - 1] for side, gaps in found if gaps)

    def __str__(self) -> str:
        return f"grid of {sum(self.top) + 1} values up to {show(self.largest())} {self.overflow} {self.rounding}"


OVERFLOWS = ("inf", "saturate", "nan")
MODES = ("even", "away", "zero", "up", "down", "odd")
FIELDS = {
    "float": {"precision", "emin", "largest", "ftz"},
    "fixed": {"step", "largest"},
    "grid": {"values"},
}


def parse_valueset(thing: Any, what: str, purse: Purse) -> ValueSet:
    """The value set that a JSON object describes; the account of the claim pays for its long numbers."""
    values = _parsed(thing, what, purse)
    values.account = purse.account
    purse.account.hold(values.extent)
    return values


def _parsed(thing: Any, what: str, purse: Purse) -> ValueSet:
    kind = thing.get("kind") if isinstance(thing, dict) else None
    if not isinstance(kind, str) or kind not in FIELDS:
        raise Malformed(f"{what} is not a value set")
    if set(thing) != FIELDS[kind] | {"kind", "overflow", "rounding"}:
        raise Malformed(f"{what}: a {kind} value set has other fields")
    overflow, rounding = thing["overflow"], thing["rounding"]
    if overflow not in OVERFLOWS or rounding not in MODES:
        raise Malformed(f"{what}: overflow or rounding is none that is known")
    if kind == "grid":
        if not isinstance(thing["values"], list) or not thing["values"]:
            raise Malformed(f"{what}: the values are not a list")
        return GridSet([number(v, f"{what}.values", purse) for v in thing["values"]], overflow, rounding)
    largest = number(thing["largest"], f"{what}.largest", purse)
    if kind == "fixed":
        return _fixed(number(thing["step"], f"{what}.step", purse), largest, overflow, rounding)
    p, emin = integer(thing["precision"], f"{what}.precision", 1), integer(thing["emin"], f"{what}.emin", -1_000_000)
    if p > 240 or emin > 1_000_000 or not isinstance(thing["ftz"], bool) or largest < 0:
        raise Malformed(f"{what}: precision, emin, largest or ftz is out of range")
    return FloatSet(p, emin, largest, thing["ftz"], overflow, rounding)


def _fixed(step: Fraction, largest: Fraction, overflow: str, rounding: str) -> FloatSet:
    """All multiples of a step up to M: the floats whose p bits reach to M without a second binade."""
    if size(step) + size(largest) > MAX_BITS:
        raise Undecided(f"a fixed-point set of more than {MAX_BITS} bits")
    n, d = step.numerator, step.denominator
    if n <= 0 or n & (n - 1) or d & (d - 1) or largest < 0:
        raise Malformed("a step is a power of two, and the largest value at least 0")
    p = max((largest / step).numerator.bit_length(), 1)
    return FloatSet(p, n.bit_length() - d.bit_length() + p - 1, largest, False, overflow, rounding)
