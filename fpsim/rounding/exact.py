"""Exact results of +, *, / and fma, and nearly of the root, for any binary64 operands.

A result is (h, rest, side), as `round_parts` takes it: the real is h + rest + r with h nearest to it, `rest` nearest to
what h leaves, and r of the sign of `side`.  So a sum is exact from TwoSum, a product from TwoProd; a quotient has two
correction steps whose residuals are exact (the residual of a division fits binary64: M. Pichat 1977; Bohlender et al.
1991); a fused multiply-add is a sum of three numbers.

Stand-ins.  `fpsim.rounding.specs` grants that all reals of (0, 2^-960] round alike, and so do all from 2^960 on.  A
result that is not zero but below 2^-960 becomes 2^-1000 of its sign, so that directed modes still see it; a finite one
that overflows becomes the greatest finite number, so that it is not taken for an infinity, which is beyond range in
every mode.  Infinite and NaN operands follow IEEE 754: the hardware's own h says what the result is.
"""

from __future__ import annotations

import math

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fast_two_sum, fma, two_prod, two_sum
from fpsim.rounding.floats import LOW

__all__ = ["exact_fma", "exact_product", "exact_quotient", "exact_sum", "near_root"]

_TINY = 2.0**-1000
_GREATEST = math.nextafter(math.inf, 0.0)


@kernel(forceinline=True)
def _finite(h: float, finite_operands: bool) -> float:
    """h, or the greatest finite number of its sign for an overflow of finite operands."""
    return math.copysign(_GREATEST, h) if finite_operands and abs(h) == np.inf else h


@kernel(forceinline=True)
def exact_sum(a: float, b: float) -> tuple[float, float, float]:
    """a + b.  A sum never underflows: two_sum is exact for subnormal numbers too."""
    h, rest = two_sum(a, b)
    if abs(h) > 1.0 / LOW:
        return _finite(h, abs(a) < np.inf and abs(b) < np.inf), 0.0, 0.0
    return h, rest, 0.0


@kernel(forceinline=True)
def exact_product(a: float, b: float) -> tuple[float, float, float]:
    """a * b."""
    h, rest = two_prod(a, b)
    if not LOW <= abs(h) <= 1.0 / LOW:
        if abs(h) < LOW and a != 0.0 and b != 0.0:
            return math.copysign(_TINY, h), 0.0, 0.0
        return _finite(h, abs(a) < np.inf and abs(b) < np.inf), 0.0, 0.0
    return h, rest, 0.0


@kernel(forceinline=True)
def exact_quotient(a: float, b: float) -> tuple[float, float, float]:
    """a / b."""
    h = a / b
    if not LOW <= abs(h) <= 1.0 / LOW:
        if abs(h) < LOW and a != 0.0 and abs(b) < np.inf:
            return math.copysign(_TINY, h), 0.0, 0.0
        return _finite(h, abs(a) < np.inf and b != 0.0), 0.0, 0.0
    if abs(a) < 2.0**-500:  # so |b| <= 2^460: scaling both keeps the quotient, and the residuals from underflowing
        a *= 2.0**500
        b *= 2.0**500
    residual = fma(-h, b, a)
    rest = residual / b
    return h, rest, fma(-rest, b, residual) * math.copysign(1.0, b)


@kernel(forceinline=True)
def _sum_of_three(x: float, y: float, z: float) -> tuple[float, float, float]:
    """x + y + z as (h, rest, side), for |y| <= ulp(x) and |z| <= ulp(y), no overflow."""
    h, rest = two_sum(x, y)
    rest, side = two_sum(rest, z)
    h, rest = two_sum(h, rest)
    rest, side = two_sum(rest, side)
    # h is the nearest number unless `rest` is half a unit, a tie, from which `side` leads away from h
    if rest != 0.0 and (side > 0.0) == (rest > 0.0) and side != 0.0:
        beyond, error = fast_two_sum(h, 2.0 * rest)
        if error == 0.0:
            rest, side = two_sum(-rest, side)
            return beyond, rest, side
    return h, rest, side


@kernel()
def _sign_of_tiny_sum(a: float, b: float, c: float) -> tuple[float, float, float]:
    """a * b + c for |c| < 2^-900 and 0 < |a b| < 2^-900: only its sign matters, and whether it is 0.

    The sum is below 2^-899, and no value of a set with a spec lies below 2^-890: all such numbers of a sign round
    alike.
    """
    m, i = math.frexp(a)
    n, j = math.frexp(b)
    p, e = two_prod(m, n)
    h, rest = two_sum(p, math.ldexp(c, -(i + j)))
    # When p and c nearly cancel, `rest` is 0 and one more addition has the right sign; else h outweighs both of them.
    h = h + (rest + e) if abs(h) < np.inf else h
    return (0.0 if h == 0.0 else math.copysign(_TINY, h)), 0.0, 0.0


@kernel()
def exact_fma(a: float, b: float, c: float) -> tuple[float, float, float]:
    """a * b + c."""
    p, e = two_prod(a, b)
    if p == 0.0 and (a == 0.0 or b == 0.0):
        return exact_sum(p, c)
    if not abs(p) < np.inf or not abs(c) < np.inf:
        if abs(a) < np.inf and abs(b) < np.inf and abs(c) < np.inf:
            return math.copysign(_GREATEST, p), 0.0, 0.0  # |a b| >= 2^1024 - 2^969, so |a b + c| >= 2^969
        return fma(a, b, c), 0.0, 0.0
    if abs(p) < LOW:
        if abs(c) < 2.0**-900:
            return _sign_of_tiny_sum(a, b, c)
        return c, math.copysign(_TINY, p), 0.0
    # S. Boldo and J.-M. Muller 2011: the exact sum of p + e and c in three parts
    u, v = two_sum(c, e)
    x, w = two_sum(p, u)
    if not abs(x) < np.inf:
        return _finite(x, True), 0.0, 0.0
    y, z = two_sum(w, v)
    return _sum_of_three(x, y, z)


@kernel(forceinline=True)
def near_root(x: float) -> tuple[float, float]:
    """(h, rest): the root of x is h + rest (1 + d), |d| <= 2^-51, with h nearest; rest is 0 only for an exact root.

    With the exact residual r = x - h^2 (Bohlender et al. 1991) the rest is r / (2h + rest), and |rest| <= 2^-53 h.
    """
    if 0.0 < x < 2.0**-500:  # h^2 would have bits below 2^-1074
        h = np.sqrt(x * 2.0**600)
        return h * 2.0**-300, fma(-h, h, x * 2.0**600) / (h + h) * 2.0**-300
    h = np.sqrt(x)
    if 0.0 < h < np.inf:
        return h, fma(-h, h, x) / (h + h)
    return h, 0.0
