"""Powers and logarithms of rationals as exact reals, and rounded once: what inverse frequencies are made of.

b^(a/c), in lowest terms and a not 0, is rational only when b is the c-th power of a rational: from b^a = r^c every
prime has in b an exponent whose a-fold is a multiple of c, so, a and c having no common factor, a multiple of c itself.
Such results (10000^(1/2)) are taken exactly; any other power here is irrational, so that rounding it by narrower and
narrower enclosures ends (Ziv's method, `fpsim.rounding.reference`).  The logarithm of a rational other than 1 is
irrational (Lindemann 1882).
"""

from __future__ import annotations

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.errors import InputError
from fpsim.real import Irrational, mpfr_pair
from fpsim.realization.block import is_finite
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.valueset import ValueSet

__all__ = ["log_of", "power_of", "rounded_log", "rounded_power"]

_MAX_BITS = 1 << 24  # of a result: far inside MPFR's range


def power_of(base: mpq, exponent: mpq) -> mpq | Irrational:
    """base^exponent for a rational base > 0 and a rational exponent.

    Raises `InputError` where base^exponent or its inverse is above 2^(2^24).

    >>> power_of(mpq(10000), mpq(-1, 2)), power_of(mpq(8, 27), mpq(2, 3))
    (mpq(1,100), mpq(4,9))
    """
    if base <= 0:
        raise InputError("base", base, "a number greater than 0")
    if exponent == 0 or base == 1:
        return mpq(1)
    size = max(int(base.numerator.bit_length()), int(base.denominator.bit_length()))
    if abs(exponent) * size > _MAX_BITS:
        raise InputError("exponent", exponent, f"at most {_MAX_BITS // size} in magnitude with the base {base}")
    root = exponent.denominator
    if root <= size:  # the root of a larger degree lies between 1 and 2
        top, top_exact = gmpy2.iroot(base.numerator, int(root))
        bottom, bottom_exact = gmpy2.iroot(base.denominator, int(root))
        if top_exact and bottom_exact:
            return mpq(top, bottom) ** int(exponent.numerator)
    return Irrational(lambda bits: _enclose(base, exponent, bits + 8))


def _enclose(base: mpq, exponent: mpq, bits: int) -> tuple[mpq, mpq]:
    """Bounds from the corners: b^e is monotone in b for each e and in e for each b."""
    with gmpy2.context(precision=bits, round=gmpy2.RoundDown):
        corners = [(mpfr(base), mpfr(exponent))]
    with gmpy2.context(precision=bits, round=gmpy2.RoundUp):
        corners += [(mpfr(base), corners[0][1]), (corners[0][0], mpfr(exponent)), (mpfr(base), mpfr(exponent))]
    with gmpy2.context(precision=bits, round=gmpy2.RoundDown):
        lo = min(b**e for b, e in corners)
    with gmpy2.context(precision=bits, round=gmpy2.RoundUp):
        hi = max(b**e for b, e in corners)
    return mpq(lo), mpq(hi)


def log_of(x: mpq) -> mpq | Irrational:
    """The natural logarithm of a rational x > 0.  Raises `InputError`."""
    if x <= 0:
        raise InputError("x", x, "a number greater than 0")
    return mpq(0) if x == 1 else Irrational(lambda bits: mpfr_pair(gmpy2.log, x, bits))


def rounded_power(values: ValueSet, base: Element, exponent: Element) -> Element:
    """base^exponent, rounded once into F; base >= 0 or NaN.  At the infinities and 0 as IEEE 754-2019 pow.

    >>> fp32, fp16 = ValueSet.parse("fp32"), ValueSet.parse("fp16")
    >>> rounded_power(fp32, mpq(10000), mpq(1, 2)), float(rounded_power(fp16, mpq(10000), mpq(1, 4)))
    (mpq(100,1), 10.0)
    >>> rounded_power(fp16, float("inf"), mpq(1, 4)), rounded_power(fp16, float("inf"), mpq(0))
    (inf, mpq(1,1))
    """
    if is_nan(base) or is_nan(exponent):
        return float("nan")
    if exponent == 0 or base == 1:
        return round_exact(values, mpq(1))
    if not is_finite(exponent) or not is_finite(base) or base == 0:
        return round_exact(values, float("inf") if (base > 1) == (exponent > 0) else mpq(0))
    return round_exact(values, power_of(mpq(base), mpq(exponent)))


def rounded_log(values: ValueSet, x: Element) -> Element:
    """The natural logarithm of x >= 0 or NaN, rounded once into F.

    >>> float(rounded_log(ValueSet.parse("fp16"), mpq(10000)))
    9.2109375
    """
    if is_nan(x) or x == float("inf"):
        return round_exact(values, x)
    return round_exact(values, float("-inf") if x == 0 else log_of(mpq(x)))
