"""How far rounding into F can move a real: exact upper bounds, from the magnitude of the real alone.

e(A) = the greatest |round(x) - x| over |x| <= A. It rises with A. With M the last value of a side:

* float and fixed-point sets, A <= M: the spacing 2^q of the binade that holds A (the one below when A is a power of
  two: at A itself nothing is lost), halved in the nearest modes.  Under `ftz` what lies below the least normal value is
  lost whole.
* grids, A <= M: the greatest gap that begins below A, halved in the nearest modes.
* in the modes that never leave [0, x] or go to the nearest value, no more than A, as 0 is in F.
* A > M: what becomes M is off by at most A - M. What is beyond range ("semantics 1", §1) does too when F saturates;
  else it becomes an infinity or NaN, there is no bound, and `OutOfRangeError` says so.

Two reals at once.  Let x, y >= 0 and T >= 0.  Either both are at most T, or one is above T and the other is bounded by
it:
* x + y <= P (`pair`): e(x) + e(y) <= max(2 e(T), e(P) + e(P - T));
* x^2 + y^2 <= N^2 (`plane`): |(e(x), e(y))| <= max(sqrt2 e(T), |(e(N), e(sqrt(N^2 - T^2)))|).
The better of two T is taken: the one that halves (P/2, N/sqrt2), and the greatest power of two below, which gives a
float set with relative errors of at most u the bounds u P and u N, or the less that its steps allow.
"""

from __future__ import annotations

from bisect import bisect_left
from functools import lru_cache
from itertools import pairwise

import gmpy2
from gmpy2 import mpq

from fpsim.rounding.cells import boundary
from fpsim.valueset import ValueSet

__all__ = ["OutOfRangeError", "lost_operand", "pair", "plane", "round_up", "rounding_error", "sqrt_up"]

_BITS = 96


class OutOfRangeError(ArithmeticError):
    """A real that may be beyond the range of a value set, whose overflow gives an infinity or NaN."""


def rounding_error(values: ValueSet, magnitude: mpq) -> mpq:
    """e(magnitude): |round(x) - x| is at most this for all |x| <= magnitude.  Raises `OutOfRangeError`.

    >>> rounding_error(ValueSet.parse("fp16"), mpq(2049)), rounding_error(ValueSet.parse("fp16:up"), mpq(1))
    (mpq(1,1), mpq(1,2048))
    """
    return max(_side(values, magnitude, negative=False), _side(values, magnitude, negative=True))


def _side(values: ValueSet, magnitude: mpq, *, negative: bool) -> mpq:
    top = -values.first if negative else values.last
    if top == 0:  # a side without values saturates at 0
        return magnitude
    last = abs(values.value(-top if negative else top))
    if magnitude <= last:
        return _inside(values, magnitude, negative)
    point, belongs_beyond = boundary(values, top + 1, negative)
    beyond = point is not None and (magnitude > point or (magnitude == point and belongs_beyond))
    if beyond and values.overflow != "saturate":
        raise OutOfRangeError(f"a result may be as large as {float(magnitude):.6g}, beyond the range of {values.name}")
    return max(_inside(values, last, negative), magnitude - last)


def _inside(values: ValueSet, magnitude: mpq, negative: bool) -> mpq:
    if magnitude == 0:
        return mpq(0)
    nearest = values.rounding in ("even", "away")
    gap = _greatest_gap(values, negative, magnitude) if values.kind == "grid" else _spacing(values, magnitude)
    error = gap / 2 if nearest else gap
    if nearest or values.rounding == "zero":
        error = min(error, magnitude)
    least = values.min_normal
    return max(error, min(magnitude, least)) if values.ftz and least is not None else error


def _spacing(values: ValueSet, magnitude: mpq) -> mpq:
    """The spacing just below `magnitude` in a float or fixed-point set."""
    exponent = max(_exponent_below(magnitude), values.emin) - values.precision + 1
    return _power(exponent)


def _exponent_below(x: mpq) -> int:
    """The greatest t with 2^t < x, for x > 0."""
    exponent = int(x.numerator.bit_length() - x.denominator.bit_length()) + 1
    while (x.denominator << exponent if exponent >= 0 else x.denominator) >= (
        x.numerator if exponent >= 0 else x.numerator << -exponent
    ):
        exponent -= 1
    return exponent


@lru_cache(maxsize=64)
def _gaps(values: ValueSet, negative: bool) -> tuple[list[mpq], list[mpq]]:
    """The magnitudes of one side in rising order from 0, and the greatest gap up to each of them."""
    magnitudes = [
        abs(values.value(n)) for n in (range(0, values.first - 1, -1) if negative else range(values.last + 1))
    ]
    greatest = [mpq(0)]
    for below, above in pairwise(magnitudes):
        greatest.append(max(greatest[-1], above - below))
    return magnitudes, greatest


def _greatest_gap(values: ValueSet, negative: bool, magnitude: mpq) -> mpq:
    magnitudes, greatest = _gaps(values, negative)
    return greatest[bisect_left(magnitudes, magnitude)]


def lost_operand(values: ValueSet, operands: ValueSet) -> mpq:
    """How much of an operand, a value of `operands`, an operation in `values` may not see: `ftz` drops subnormals."""
    least, n = values.min_normal, operands.least_index
    if not values.ftz or least is None:
        return mpq(0)
    smallest = [abs(operands.value(index)) for index in (n, -n) if operands.first <= index <= operands.last]
    return least if smallest and min(smallest) < least else mpq(0)


def pair(values: ValueSet, total: mpq) -> mpq:
    """The greatest e(x) + e(y) for x, y >= 0 with x + y <= total, or a bound above it.  Raises `OutOfRangeError`.

    >>> pair(ValueSet.parse("fp16"), mpq(3)) * 2**11
    mpq(5,2)
    """
    if total == 0:
        return mpq(0)
    whole = rounding_error(values, total)
    return min(
        max(2 * rounding_error(values, part), whole + rounding_error(values, total - part))
        for part in (total / 2, _power_below(total))
    )


def plane(values: ValueSet, norm: mpq) -> mpq:
    """The greatest length of (e(x), e(y)) for x^2 + y^2 <= norm^2, or a bound above it.  Raises `OutOfRangeError`.

    >>> float(plane(ValueSet.parse("fp16"), mpq(1)) * 2**11)
    0.7071067811865476
    """
    if norm == 0:
        return mpq(0)
    whole, bounds = rounding_error(values, norm), []
    for part in (sqrt_up(norm * norm / 2), _power_below(norm)):
        other = sqrt_up(max(norm * norm - part * part, mpq(0)))
        squares = max(2 * rounding_error(values, part) ** 2, whole**2 + rounding_error(values, other) ** 2)
        bounds.append(sqrt_up(squares))
    return min(bounds)


def _power_below(x: mpq) -> mpq:
    """The greatest power of two below x > 0."""
    return _power(_exponent_below(x))


def _power(exponent: int) -> mpq:
    return mpq(1 << exponent) if exponent >= 0 else mpq(1, 1 << -exponent)


def sqrt_up(x: mpq) -> mpq:
    """A rational just above the square root of x >= 0, relative error below 2^-90.

    >>> sqrt_up(mpq(0)), 2 < sqrt_up(mpq(2))**2 < 2 + mpq(1, 2**80)
    (mpq(0,1), True)
    """
    if x == 0:
        return mpq(0)
    shift = 2 * _BITS - int(x.numerator.bit_length() - x.denominator.bit_length())
    shift += shift % 2
    scaled = (x.numerator << shift) // x.denominator if shift >= 0 else x.numerator // (x.denominator << -shift)
    root = gmpy2.isqrt(scaled) + 1  # > sqrt(x 2^shift), since scaled + 1 is above x 2^shift
    return mpq(root, 1 << shift // 2) if shift >= 0 else mpq(root << -shift // 2)


def round_up(x: mpq) -> mpq:
    """x >= 0 rounded up to 96 bits: keeps the numbers of a derivation short."""
    excess = int(x.numerator.bit_length() - x.denominator.bit_length()) - _BITS
    if x.denominator.bit_length() + x.numerator.bit_length() <= 2 * _BITS:
        return x
    if excess >= 0:
        return mpq(-(-x.numerator // (x.denominator << excess)) << excess)
    return mpq(-(-(x.numerator << -excess) // x.denominator), 1 << -excess)
