"""The reference arithmetic: each operation is the exact real result, rounded once into F.

Operands are elements: rationals, or the floats inf, -inf, nan and -0.0.  They need not be values of F: a regime
multiplies values of one set and rounds into another.  Special operands follow IEEE 754-2019: NaN propagates; inf - inf,
0 * inf, 0/0, inf/inf, the root of a negative number and the sine or cosine of an infinity are NaN; a finite number over
0 is an infinity, which is then beyond range; an exact sum of 0 is +0, or -0 when rounding down.  Under `ftz` a
subnormal operand is taken as 0 of its sign.
"""

from __future__ import annotations

import math
from collections.abc import Callable

from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.real import Irrational, Real, exp_of, sqrt_of
from fpsim.rounding.reference import Element, is_nan, is_negative, round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["OPERATIONS", "add", "cos", "div", "exp", "fma", "mul", "sin", "sqrt", "sub"]

_NAN = float("nan")


def add(values: ValueSet, a: Element, b: Element, operation: int = 0) -> Element:
    """a + b.

    >>> add(ValueSet.parse("fp16"), mpq(2048), mpq(1))
    mpq(2048,1)
    """
    return round_exact(values, _sum(values, _taken(values, a), _taken(values, b)), operation)


def sub(values: ValueSet, a: Element, b: Element, operation: int = 0) -> Element:
    """a - b."""
    return round_exact(values, _sum(values, _taken(values, a), _negated(_taken(values, b))), operation)


def mul(values: ValueSet, a: Element, b: Element, operation: int = 0) -> Element:
    """a * b."""
    return round_exact(values, _product(_taken(values, a), _taken(values, b)), operation)


def div(values: ValueSet, a: Element, b: Element, operation: int = 0) -> Element:
    """a / b."""
    return round_exact(values, _quotient(_taken(values, a), _taken(values, b)), operation)


def fma(values: ValueSet, a: Element, b: Element, c: Element, operation: int = 0) -> Element:
    """a * b + c, rounded once."""
    product = _product(_taken(values, a), _taken(values, b))
    return round_exact(values, _sum(values, product, _taken(values, c)), operation)


def sqrt(values: ValueSet, a: Element, operation: int = 0) -> Element:
    """The square root; NaN below 0, and -0 for -0."""
    a = _taken(values, a)
    if a == 0 or is_nan(a):
        return round_exact(values, a, operation)
    if a < 0:
        return _NAN
    return round_exact(values, a if _is_infinite(a) else sqrt_of(mpq(a)), operation)


def exp(values: ValueSet, a: Element, operation: int = 0) -> Element:
    """e^a; 0 at -inf."""
    a = _taken(values, a)
    if is_nan(a):
        return _NAN
    if _is_infinite(a):
        return round_exact(values, a if a > 0 else mpq(0), operation)
    return round_exact(values, _bounded_exp(values, mpq(a)), operation)


def sin(values: ValueSet, a: Element, operation: int = 0) -> Element:
    """The sine of a radians; NaN at the infinities, -0 at -0."""
    return _circular(values, a, sin_of, operation)


def cos(values: ValueSet, a: Element, operation: int = 0) -> Element:
    """The cosine of a radians; NaN at the infinities."""
    return _circular(values, a, cos_of, operation)


def _circular(values: ValueSet, a: Element, function: Callable[[Angle], Real], operation: int) -> Element:
    a = _taken(values, a)
    if is_nan(a) or _is_infinite(a):
        return _NAN
    if function is sin_of and is_negative(a) and a == 0:
        return round_exact(values, -0.0, operation)
    return round_exact(values, function(Angle(mpq(a))), operation)


OPERATIONS: dict[str, Callable[..., Element]] = {
    "add": add,
    "sub": sub,
    "mul": mul,
    "div": div,
    "fma": fma,
    "sqrt": sqrt,
    "exp": exp,
    "sin": sin,
    "cos": cos,
}


def _taken(values: ValueSet, a: Element) -> Element:
    """The operand as `ftz` takes it: a subnormal is 0 of its sign."""
    if values.ftz and a != 0 and not is_nan(a) and values.min_normal is not None and abs(a) < values.min_normal:
        return -0.0 if a < 0 else mpq(0)
    return a


def _is_infinite(a: Element) -> bool:
    return isinstance(a, float) and math.isinf(a)


def _negated(a: Element) -> Element:
    return -0.0 if a == 0 and not is_negative(a) else mpq(0) if a == 0 else -a


def _zero(negative: bool) -> Element:
    return -0.0 if negative else mpq(0)


def _sum(values: ValueSet, a: Element, b: Element) -> Real:
    if is_nan(a) or is_nan(b):
        return _NAN
    if _is_infinite(a) or _is_infinite(b):
        if _is_infinite(a) and _is_infinite(b):
            return a if a == b else _NAN
        return a if _is_infinite(a) else b
    total = mpq(a) + mpq(b)
    if total:
        return total
    if a == 0 and b == 0 and is_negative(a) == is_negative(b):
        return a
    return _zero(values.rounding == "down")


def _product(a: Element, b: Element) -> Element:
    if is_nan(a) or is_nan(b):
        return _NAN
    negative = is_negative(a) != is_negative(b)
    if _is_infinite(a) or _is_infinite(b):
        return _NAN if a == 0 or b == 0 else float("-inf") if negative else float("inf")
    product = mpq(a) * mpq(b)
    return product or _zero(negative)


def _quotient(a: Element, b: Element) -> Element:
    if is_nan(a) or is_nan(b) or (a == 0 and b == 0) or (_is_infinite(a) and _is_infinite(b)):
        return _NAN
    negative = is_negative(a) != is_negative(b)
    if _is_infinite(a) or b == 0:
        return float("-inf") if negative else float("inf")
    if a == 0 or _is_infinite(b):
        return _zero(negative)
    return mpq(a) / mpq(b)


def _bounded_exp(values: ValueSet, x: mpq) -> mpq | Irrational:
    """e^x, or a stand-in that rounds alike where e^x is far outside F (and where MPFR could not hold it).

    All reals above twice the last value are beyond range or become the last value alike, and all reals strictly
    between 0 and a quarter of the least positive value round alike, in every mode; stochastic rounding, where the
    distance matters, has no stand-in (the bound below then only keeps MPFR in its range).
    """
    top = values.max if values.max > 0 else mpq(1)
    least = values.value(1) if values.last > 0 else mpq(1)
    bits_up = max(int(top.numerator.bit_length() - top.denominator.bit_length()), 0) + 3
    bits_down = max(int(least.denominator.bit_length() - least.numerator.bit_length()), 0) + 4
    slack = 80 if values.rounding == "stochastic" else 0
    if x > bits_up:  # e^x > 2^x
        return top * (1 << 4)
    if x < -(bits_down + slack):  # e^x < 2^x
        return least / (1 << (4 + slack))
    return exp_of(x)
