"""Operations of a value set: each is the exact real result rounded once.

The exact result is a rational, an infinity or NaN (as IEEE 754 has them: inf - inf, 0 inf), or an irrational real
that is enclosed more and more narrowly until both ends round to one value (Ziv): rounding is monotone, so the real
rounds to it too.  That ends, since what decides is rational and these reals are not: exp, cos and sin of a rational
other than 0 are irrational, and so are the multiples of pi and the roots that an angle may be.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .fixedpoint import exp as exp_between
from .limits import Account
from .valueset import INF, NAN, ZERO, Element, ValueSet, is_nan, same

__all__ = ["Enclose", "add", "beyond_power_of_2", "div", "exp_of", "fma", "mul", "round_real", "sub"]

Enclose = Callable[[int], tuple[int, int, int]]  # bits -> (low, high, d): the real is within [low/d, high/d]


def add(values: ValueSet, x: Element, y: Element) -> Element:
    """x + y."""
    if values.ftz:
        x, y = values.operand(x), values.operand(y)
    if isinstance(x, float) or isinstance(y, float):
        return values.convert(_sign(x) + _sign(y))
    return values.round(x.numerator * y.denominator + y.numerator * x.denominator, x.denominator * y.denominator)


def sub(values: ValueSet, x: Element, y: Element) -> Element:
    """x - y."""
    return add(values, x, -y)


def mul(values: ValueSet, x: Element, y: Element) -> Element:
    """x y."""
    if values.ftz:
        x, y = values.operand(x), values.operand(y)
    if isinstance(x, float) or isinstance(y, float):
        return values.convert(_sign(x) * _sign(y))
    return values.round(x.numerator * y.numerator, x.denominator * y.denominator)


def fma(values: ValueSet, x: Element, y: Element, z: Element) -> Element:
    """x y + z."""
    x, y, z = values.operand(x), values.operand(y), values.operand(z)
    if isinstance(x, float) or isinstance(y, float) or isinstance(z, float):
        return values.convert(_sign(x) * _sign(y) + _sign(z))
    return values.convert(x * y + z)


def div(values: ValueSet, x: Element, y: Element) -> Element:
    """x / y: x / 0 is an infinity of the sign of x, 0 / 0 NaN."""
    x, y = values.operand(x), values.operand(y)
    if isinstance(x, float) or isinstance(y, float) or y == 0:
        if is_nan(x) or is_nan(y) or x == y == 0 or abs(x) == abs(y) == INF:
            return NAN
        return ZERO if abs(y) == INF else values.beyond((x < 0) != (y < 0))
    n, d = x.numerator * y.denominator, x.denominator * y.numerator
    return values.round(-n if d < 0 else n, abs(d))


def _sign(x: Element) -> float:
    """An infinity or NaN as it is, and -1, 0 or 1 in place of a rational: beside an infinity only its sign counts."""
    return x if isinstance(x, float) else float((x > 0) - (x < 0))


def exp_of(values: ValueSet, x: Element, account: Account) -> Element:
    """exp(x)."""
    x = values.operand(x)
    if isinstance(x, float):
        return x if is_nan(x) else ZERO if x < 0 else values.beyond(False)
    if x == 0:
        return values.round(1)
    outside = beyond_power_of_2(values, x)  # exp(x) is above 2^x for x > 0, and below it for x < 0
    if outside is not None:
        return outside

    def enclose(bits: int) -> tuple[int, int, int]:
        low, high, e = exp_between(x.numerator, x.denominator, bits)
        return low << max(e, 0), high << max(e, 0), 1 << max(-e, 0)

    return round_real(values, enclose, account)


def beyond_power_of_2(values: ValueSet, x: Fraction) -> Element | None:
    """What all numbers above 2^x, x > 0, or all between 0 and 2^x, x < 0, are rounded to; None where that is not known.

    They are rounded alike if 2^x is above 2 M, or not above a quarter of the least positive value.
    """
    if values.top[0] == 0:
        return ZERO
    if x > values.extent + 1:
        return values.round(2 << values.extent)
    least = values.magnitude(1, False)
    if -x >= 3 + max(least.denominator.bit_length() - least.numerator.bit_length(), 0):
        return values.round(least.numerator, 4 * least.denominator)
    return None


def round_real(values: ValueSet, enclose: Enclose, account: Account) -> Element:
    """An irrational real, rounded once."""
    bits = 64 + min(values.bits // 2, 448)
    while True:
        account.refine(bits)
        low, high, d = enclose(bits)
        rounded = values.round(low, d)
        if same(rounded, values.round(high, d)) and (not is_nan(rounded) or (low > 0) == (high > 0)):
            return rounded
        bits *= 2
