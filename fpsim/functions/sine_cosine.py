"""sin and cos of any finite binary64 number as a double-double with a proved bound: about 2^-64 and 2^-100 relative.

After the reduction to j steps of 2 pi/512 and a rest r (see `argument_reduction`),

    sin(x) = S cos(r) + C sin(r),    S = sin(2 pi j/512),    C = sin(2 pi (j + 128)/512),

with both from one table, and cos(x) is the same with j + 128 in place of j: no branch on a quadrant.  Next to a zero of the
result S is exactly 0, so that the relative error is that of r.  u = 2^-53; |r| <= 2^-7.34; for S /= 0, |S| >=
sin(pi/256) > 2^-6.35, and the result is at least |S|/2.001.

Errors of the quick core, relative to the result y.
* S cos(r) with S /= 0.  c = cos(r) - 1 from r^2 (-1/2 + r^2/24 - r^4/720): remainder r^8/8! < 2^-74.0; roundings: r^2 by u, the
  bracket by u/2, the product by u: 2.6 u r^2/2, where u r^2/2 <= 2^-53-15.68 = 2^-68.68.  The terms rh rl of the square
  are subtracted.  S c + S_lo, and the three sums that follow, each round a number of at most |S| 2^-15.6 + 2^-20.1 |C| (the second
  is C (sin(r) - r) <= 2^-24.6 plus smaller ones): 4 u 2^-15.6 |S| in all.  Sum: (2.6 u + 8.6 u) r^2/2 |S| relative to |y| >= |S|/2.001.
* The case of a small S is the bad one, |y| = |S|/2.001 for j = 1 and r = -pi/512, and there the roundings of all the sums
  are of numbers below |S| 2^-15.6 + 2^-24.5 <= |S| 2^-15.4; for every other j, |y| >= 0.749 |S|.  At j = 1: (2.6 u 2^-15.68 + 4 u
  2^-15.4) 2.001 < 2^-64.45 - but r and hence all the magnitudes are at their largest only there.
* C (sin(r) - r): r^3 (-1/6 + r^2/120 - r^4/5040), remainder r^9/9! relative to r: 2^-77; roundings 4u |r^3|/6, relative to |r|: 2^-68.2.
  For S = 0 this is all, with the sum rl + (sin(r) - r) (2^-70) and the reduction (2^-76).
* For S /= 0 the reduction costs 2^-106 + 2^-138 absolute, the table 2^-106.  C_lo r is included; S_lo c is included.
The bound returned is 2^-64 |hi|.

Errors of the accurate core: z = r^2, sin(r) = r + r z (-1/6 + z (1/120 + z tail)), cos(r) - 1 = z (-1/2 + z (1/24 + z tail)) in
double-double but for the tails, to degree 11 and 10: remainders r^13/13! (relative to r 2^-120) and r^12/12! (2^-116.8).
Tails in binary64: z^3/5040 * 3u < 2^-107.7 relative to r, and z^3/720 * 3u < 2^-104.9.  Reduction: 2^-103 |r| (from 192 bits of turn;
exact for |x| < 2^-8).  Double-double operations, u^2 = 2^-106: sin(r) 5u^2 of a term z/6 < 2^-17 |r| and 3u^2 |r| for the sum; C sin(r)
5u^2 |r| and 1u^2 for the table; S (cos(r) - 1): 16u^2 |S| 2^-15.6; the last sums 3u^2 (|C r| + ..) and 3u^2 |y|.
|r| <= 1.001 |y| always (equality at j = 1, r = -pi/512; or S = 0).  Sum: (2^-103 + 12u^2) 1.001 + 3u^2 + 2^-104.9*2 < 26u^2 < 2^-101.2.
The bound returned is 2^-100 |hi|.

A bound has 2^-1022 added, so that it holds where the result is so small that terms underflow.  Both cores take NaN to
NaN; an infinite x gives NaN.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fast_two_sum, fma, two_prod
from fpsim.functions.argument_reduction import NEAR_LIMIT, reduce_near, reduce_turn
from fpsim.functions.constants import INVERSE_FACTORIAL_HI as F
from fpsim.functions.constants import INVERSE_FACTORIAL_LO as G
from fpsim.functions.constants import SINE_TABLE
from fpsim.functions.double_double import dd_add, dd_add_d, dd_mul
from fpsim.functions.payne_hanek import turn_fraction

__all__ = [
    "ACCURATE_BOUND",
    "QUICK_BOUND",
    "cos_accurate",
    "cos_quick",
    "sin_accurate",
    "sin_quick",
    "sine_of_step_accurate",
    "sine_of_step_quick",
]

QUICK_BOUND = 2.0**-64
"""Relative error bound of `sin_quick` and `cos_quick`."""

ACCURATE_BOUND = 2.0**-100
"""Relative error bound of `sin_accurate`, `cos_accurate` and `sincos_turn`."""

_TINIEST = 2.0**-1022
_NO_REDUCTION = 2.0**-8  # below it j = 0 and r = x; `turn_fraction` accepts nothing smaller
_QUARTER = np.uint64(128)
_INDEX_MASK = np.uint64(511)
_TURN = np.uint64(512)
_ZERO = np.uint64(0)


@kernel(forceinline=True)
def sine_of_step_quick(j: np.uint64, rh: float, rl: float) -> tuple[float, float]:
    """(hi, lo): sin(2 pi j/512 + rh + rl) with relative error 2^-64; 0 <= j < 512, |rh + rl| <= 2^-7.34."""
    sh, sl = SINE_TABLE[j, 0], SINE_TABLE[j, 1]
    ch, cl = SINE_TABLE[j + _QUARTER, 0], SINE_TABLE[j + _QUARTER, 1]
    z = rh * rh
    sine = (rh * z) * fma(z, fma(z, -F[7], F[5]), -F[3])  # sin(r) - r
    cosine = fma(-rh, rl, z * fma(z, fma(z, -F[6], F[4]), -F[2]))  # cos(r) - 1
    m, me = two_prod(ch, rh)
    hi, lo = fast_two_sum(sh, m)  # exact: sh is 0 or larger than m
    small = fma(ch, rl + sine, me)
    large = fma(sh, cosine, fma(sl, cosine, sl))
    return fast_two_sum(hi, lo + (fma(cl, rh, large) + small))


@kernel()
def sine_of_step_accurate(j: np.uint64, rh: float, rl: float) -> tuple[float, float]:
    """(hi, lo): sin(2 pi j/512 + rh + rl) with relative error 2^-100; 0 <= j < 512, |rh + rl| <= 2^-7.34, |rl| <= u |rh|."""
    sh, sl = SINE_TABLE[j, 0], SINE_TABLE[j, 1]
    ch, cl = SINE_TABLE[j + _QUARTER, 0], SINE_TABLE[j + _QUARTER, 1]
    zh, zl = dd_mul(rh, rl, rh, rl)
    ah, al = dd_add_d(F[5], G[5], zh * fma(zh, fma(zh, -F[11], F[9]), -F[7]))
    ah, al = dd_mul(ah, al, zh, zl)
    ah, al = dd_add(-F[3], -G[3], ah, al)
    ah, al = dd_mul(ah, al, zh, zl)
    ah, al = dd_mul(ah, al, rh, rl)
    ah, al = dd_add(rh, rl, ah, al)  # sin(r)
    bh, bl = dd_add_d(F[4], G[4], zh * fma(zh, fma(zh, -F[10], F[8]), -F[6]))
    bh, bl = dd_mul(bh, bl, zh, zl)
    bh, bl = dd_add_d(bh, bl, -0.5)
    bh, bl = dd_mul(bh, bl, zh, zl)  # cos(r) - 1
    ah, al = dd_mul(ah, al, ch, cl)
    bh, bl = dd_mul(bh, bl, sh, sl)
    ah, al = dd_add(ah, al, bh, bl)
    return dd_add(sh, sl, ah, al)


@kernel()
def _reduce_far(x: float) -> tuple[np.uint64, float, float]:
    """(j, rh, rl) for a finite |x| >= 2^-8, by Payne and Hanek; NaN in rh for an infinity or NaN."""
    f2, f1, f0 = turn_fraction(x)
    j, rh, rl = reduce_turn(f2, f1, f0)
    rh += x - x  # 0, or NaN for an infinity or NaN
    if x < 0.0:
        return (_TURN - j) & _INDEX_MASK, -rh, -rl
    return j, rh, rl


@kernel(forceinline=True)
def _reduce_quick(x: float) -> tuple[np.uint64, float, float]:
    if abs(x) <= NEAR_LIMIT:
        return reduce_near(x)
    return _reduce_far(x)


@kernel()
def _reduce_accurate(x: float) -> tuple[np.uint64, float, float]:
    if abs(x) < _NO_REDUCTION:
        return _ZERO, x, 0.0
    return _reduce_far(x)


@kernel(forceinline=True)
def sin_quick(x: float) -> tuple[float, float, float]:
    """(hi, lo, err) with |sin(x) - (hi + lo)| <= err = 2^-64 |hi| + 2^-1022.

    Domain: every binary64 number; NaN and the infinities give NaN.
    """
    j, rh, rl = _reduce_quick(x)
    hi, lo = sine_of_step_quick(j, rh, rl)
    return hi, lo, fma(abs(hi), QUICK_BOUND, _TINIEST)


@kernel(forceinline=True)
def cos_quick(x: float) -> tuple[float, float, float]:
    """(hi, lo, err) with |cos(x) - (hi + lo)| <= err = 2^-64 |hi| + 2^-1022.

    Domain: every binary64 number; NaN and the infinities give NaN.
    """
    j, rh, rl = _reduce_quick(x)
    hi, lo = sine_of_step_quick((j + _QUARTER) & _INDEX_MASK, rh, rl)
    return hi, lo, fma(abs(hi), QUICK_BOUND, _TINIEST)


@kernel()
def sin_accurate(x: float) -> tuple[float, float, float]:
    """(hi, lo, err) with |sin(x) - (hi + lo)| <= err = 2^-100 |hi| + 2^-1022.

    Domain: every binary64 number; NaN and the infinities give NaN.  Below about 2^-340 the cubic term underflows, and
    2^-1022 covers it.
    """
    j, rh, rl = _reduce_accurate(x)
    hi, lo = sine_of_step_accurate(j, rh, rl)
    return hi, lo, fma(abs(hi), ACCURATE_BOUND, _TINIEST)


@kernel()
def cos_accurate(x: float) -> tuple[float, float, float]:
    """(hi, lo, err) with |cos(x) - (hi + lo)| <= err = 2^-100 |hi| + 2^-1022.

    Domain: every binary64 number; NaN and the infinities give NaN.
    """
    j, rh, rl = _reduce_accurate(x)
    hi, lo = sine_of_step_accurate((j + _QUARTER) & _INDEX_MASK, rh, rl)
    return hi, lo, fma(abs(hi), ACCURATE_BOUND, _TINIEST)
