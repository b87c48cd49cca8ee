"""sin and cos of any finite binary64 number as a double-double with a proved bound: 2^-64 and 2^-100 relative.

After the reduction to j steps of 2 pi/512 and a rest r (see `argument_reduction`),

    sin(x) = S cos(r) + C sin(r),    S = sin(2 pi j/512),    C = sin(2 pi (j + 128)/512),

with both from one table, and cos(x) is the same with j + 128 in place of j: no branch on a quadrant.  Next to a zero of
the result S is exactly 0, so that the relative error is that of r.

Below, u = 2^-53, y is the result, |r| <= 0.0061360, A = r^2/2 < 2^-15.69 and B = |r|^3/6 < 2^-24.62.  Where S /= 0,
|S| >= sin(pi/256) = 2^-6.35.  The worst case is j = 1 (or the like) with r = -pi/512: |y| = |S|/2.001 = 2^-7.36 and
|r| = 1.001 |y|.

Errors of the quick core.
* cos(r) - 1 = r^2 (-1/2 + r^2/24 - r^4/720), remainder r^8/8! < 2^-74: r^2 rounds by u, the bracket by u/2, the product
  by u, the subtraction of rh rl by u: 3.51 u A.  Times S, with S_lo: one rounding more.  Adding C_lo r, then the terms
  of sin(r) - r, then the low part of S + C rh: three roundings, each of a number below |S| A + B + 2^-54.
* sin(r) - r = r^3 (-1/6 + r^2/120 - r^4/5040), remainder r^9/9! < 2^-77 |r|: r^2 and r^3 round by u each, the bracket
  by 1.3u with its coefficient, the product by u: 4.3 u B.  The sum with rl and the one with the low part of C rh: 2 u
  B.  The term rl A that is left out: u |r| A = 3 u B.
* S + C rh is exact as a triple (|S| > |C rh| or S = 0), the reduction costs at most 2^-76 |y| and the table 2^-105.
* Sum: |S| 7.6 u A + 11.4 u B + ..., relative to |y|: 2^-64.76 + 2^-66.7 < 2^-64.4 in the worst case, 2^-66.7 for S = 0.
* The bound returned is 2^-64 |hi|.

Errors of the accurate core.  With z = r^2, sin(r) = r + r z (-1/6 + z (1/120 + z tail)) and cos(r) - 1 = z (-1/2 + z
(1/24 + z tail)), in double-double but for the tails, to degrees 11 and 10: remainders 2^-120 |r| and 2^-116.
* Tails in binary64, 3u each: z^3/5040 * 3u < 0.3u^2 relative to r, and z^3/720 * 3u < 2.1u^2.
* r: 8u^2 (exact for |x| < 2^-8).  sin(r): 3.1u^2 for the last sum (the terms before it are below 2^-17), C times it
  5u^2, the table u^2: 17.4u^2 |C r| with r and the tail.  S (cos(r) - 1): 2.2u^2 |S|.  Their sum: 3.1u^2 (|C r| + A
  |S|).
* The last sum: 3.1u^2 |y|, and the table u^2 |S|.
* Together 20.5u^2 |C r| + 3.2u^2 |S| + 3.1u^2 |y| + ...: below 31u^2 |y| < 2^-101 |y| in the worst case.
* The bound returned is 2^-100 |hi|.

2^-1022 is added to each bound, so that it holds where the result is so small that terms underflow.
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
    "combine_accurate",
    "cos_accurate",
    "cos_quick",
    "sin_accurate",
    "sin_quick",
    "sine_cosine_of_rest",
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
def sine_cosine_of_rest(rh: float, rl: float) -> tuple[float, float, float, float]:
    """(sh, sl, vh, vl): sin(r) and cos(r) - 1, for `combine_accurate`; r = rh + rl, |r| <= 2^-7.34, |rl| <= u |rh|."""
    zh, zl = dd_mul(rh, rl, rh, rl)
    ah, al = dd_add_d(F[5], G[5], zh * fma(zh, fma(zh, -F[11], F[9]), -F[7]))
    ah, al = dd_mul(ah, al, zh, zl)
    ah, al = dd_add(-F[3], -G[3], ah, al)
    ah, al = dd_mul(ah, al, zh, zl)
    ah, al = dd_mul(ah, al, rh, rl)
    ah, al = dd_add(rh, rl, ah, al)
    bh, bl = dd_add_d(F[4], G[4], zh * fma(zh, fma(zh, -F[10], F[8]), -F[6]))
    bh, bl = dd_mul(bh, bl, zh, zl)
    bh, bl = dd_add_d(bh, bl, -0.5)
    bh, bl = dd_mul(bh, bl, zh, zl)
    return ah, al, bh, bl


@kernel()
def combine_accurate(j: np.uint64, sh: float, sl: float, vh: float, vl: float) -> tuple[float, float]:
    """(hi, lo): sin(2 pi j/512 + r) with relative error 2^-100, from `sine_cosine_of_rest` of r; 0 <= j < 512."""
    ah, al = dd_mul(sh, sl, SINE_TABLE[j + _QUARTER, 0], SINE_TABLE[j + _QUARTER, 1])
    bh, bl = dd_mul(vh, vl, SINE_TABLE[j, 0], SINE_TABLE[j, 1])
    ah, al = dd_add(ah, al, bh, bl)
    return dd_add(SINE_TABLE[j, 0], SINE_TABLE[j, 1], ah, al)


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
    sh, sl, vh, vl = sine_cosine_of_rest(rh, rl)
    hi, lo = combine_accurate(j, sh, sl, vh, vl)
    return hi, lo, fma(abs(hi), ACCURATE_BOUND, _TINIEST)


@kernel()
def cos_accurate(x: float) -> tuple[float, float, float]:
    """(hi, lo, err) with |cos(x) - (hi + lo)| <= err = 2^-100 |hi| + 2^-1022.

    Domain: every binary64 number; NaN and the infinities give NaN.
    """
    j, rh, rl = _reduce_accurate(x)
    sh, sl, vh, vl = sine_cosine_of_rest(rh, rl)
    hi, lo = combine_accurate((j + _QUARTER) & _INDEX_MASK, sh, sl, vh, vl)
    return hi, lo, fma(abs(hi), ACCURATE_BOUND, _TINIEST)
