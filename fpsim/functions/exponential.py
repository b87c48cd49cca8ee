"""exp(x) with a proved error bound, at three prices: 2^-51, 2^-68 and 2^-99 relative.

Scheme.  With a step h = ln(2)/N, take n = x/h rounded to an integer and r = x - n h, so that

    exp(x) = 2^k * T * exp(r),    k = floor(n/N),    T = 2^((n mod N)/N) from a table,

and exp(r) is a Taylor polynomial.  `exp_fast` uses N = 1 (no table: a loop over it vectorizes without gathers), the
others N = 128, where |r| < 2^-8.52 lets the terms from r^2 on be computed in binary64 (quick) or those from r^5 on
(accurate).  A Taylor polynomial is a little longer than a minimax one, but its remainder needs no numerical proof.

Convention.  `exp_quick` and `exp_accurate` return (hi, lo, err, k): |exp(x) - (hi + lo) 2^k| <= err 2^k, with hi in
[0.99, 2.01] and |lo| <= ulp(hi)/2.  The power of two is left apart so that a result near or beyond the limits of
binary64 loses nothing; the caller rounds hi + lo at the place that k implies.

Below, u = 2^-53, and h1 + h2 + h3 are the parts of h (`EXP_STEP_*`).

Reduction (N = 128, |x| <= 1400).  |n| <= 258600 < 2^18, and |x/h - n| <= 1/2 + 2^-34 (the constant 1/h has relative
error u; the fused multiply-add that rounds to an integer adds no other), so |r| <= 0.0027077 and r^2/2 < 2^-18.05.
r1 = fma(-n, h1, x) is exact: for n = 0 it is x; otherwise |x| > 2^-9, so x and n h1 are multiples of 2^-61, and
|x - n h1| <= |r| + |n| 2^-61 < 2^-8: at most 53 bits.
* quick: p = n h2 rounded, with error 2^-97; rh + rl = r1 - p without error when |r1| >= |p|, and otherwise with one of
  at most 2^-96, since then both are below 2^-43.  n h3 < 2^-98 is left out.  |r - rh - rl| <= 2^-95.
* accurate: p + e = n h2 exactly, (s, d) = two_sum(r1, -p), |d| <= 2^-62, and d - (n h3 + e) is rounded: at most 2^-115.
  |r - rh - rl| <= 2^-114.

Errors of `exp_quick`.  The polynomial r + r^2 q(r) has degree 7, remainder |r|^8/8! < 2^-83.  w = r^2 q + (rl + rh rl):
r^2, q and w are each rounded with relative error u (q: u/2 next to 1/2, its other roundings a hundredth of that), so
3.03 u r^2/2 (1 + |r|) < 2^-69.4.  Left out: rl r^2/2 < 2^-80.  rh + w is exact as a pair (ph, pl) unless |rh| < |w|,
which needs |rh| < 2^-43 and then costs < 2^-96.  In T (1 + ph + pl) the high part T1 + T1 ph is exact as a triple; the
rest, at most 2^-52, is rounded four times: < 2^-102; T2 pl < 2^-115 is left out; the table has relative error 2^-106.
Sum, relative to exp(r) >= 1 - 2^-8.5: below 2^-69.3.  The bound returned is 2^-68 hi.

Errors of `exp_accurate`.  Degree 10, remainder |r|^11/11! < 2^-118.  The terms from r^5 on, r^5/5! < 2^-49.5, are
summed in binary64 and multiplied by rh in place of r: 4u relative, < 2^-100.5.  The double-double operations err by at
most 5u^2 each: on the terms up to r^2/2 by < 2^-118, on the product T p by < 2^-111, on the final sum by 3u^2 <
2^-104.4.  The table adds 2^-106, the reduction 2^-114.  Sum, relative to exp(r): below 2^-100.3.  The bound returned is
2^-99 hi.

Errors of `exp_fast` (N = 1, |x| <= 694).  |n| <= 1002 and |r| <= 0.34658.  fma(-n, LN2_1, x) is exact: for n /= 0, |x|
> 0.34, so x and n LN2_1 are multiples of 2^-54 and the result is below 1/2.  The second fma rounds r by 2^-55; what is
left of ln 2 adds 1002 * 2^-109.  In y = 1 + (r + r^2 q), q is within 1.6u (each of the three last roundings u/2,
coefficients and inner terms 0.1u) and r^2 <= 0.1202 within u, q <= 0.57: r^2 q within 0.27u.  The sum with r, below
0.4143, rounds by u/4, the last sum by u (result above 1) or u/2 (below, where the result is at least 0.707).  Relative
to exp(r), with 0.26u for r and 0.06u for the remainder r^14/14!: (0.27 + 0.25 + 1)u + 0.32u < 1.9u above 1, (0.27 +
0.25 + 0.5)u/0.707 + 0.32u < 1.8u below.  The bound returned is 4u y = 2^-51 y.

For a tiny x some products underflow, by at most 2^-1074 each: far below every bound, since exp(x) is then near 1.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fast_two_sum, fma, two_prod, two_sum
from fpsim.functions.bits import bits_of, from_bits
from fpsim.functions.constants import (
    EXP2_TABLE,
    EXP_STEP_1,
    EXP_STEP_2,
    EXP_STEP_3,
    EXP_STEPS_PER_UNIT,
    INVERSE_LN2,
    LN2_1,
    LN2_2,
    MAGIC,
)
from fpsim.functions.constants import INVERSE_FACTORIAL_HI as F
from fpsim.functions.constants import INVERSE_FACTORIAL_LO as G
from fpsim.functions.double_double import dd_add, dd_add_d, dd_mul

__all__ = ["exp_accurate", "exp_fast", "exp_quick"]

_FAST_BOUND = 2.0**-51
_QUICK_BOUND = 2.0**-68
_ACCURATE_BOUND = 2.0**-99
_BIAS = np.uint64(1023)
_FRACTION_BITS = np.uint64(52)
_TABLE_MASK = np.uint64(127)
_MAGIC_BITS = np.uint64(0x4338000000000000)


@kernel(forceinline=True)
def exp_fast(x: float) -> tuple[float, float]:
    """(y, err) with |exp(x) - y| <= err = 2^-51 y, in binary64 arithmetic only.

    Domain: |x| <= 694, which covers the results in [2^-1000, 2^1000].  Beyond it, and for an infinite x, the pair means
    nothing: the caller decides there.  NaN gives (NaN, NaN).
    """
    t = fma(x, INVERSE_LN2, MAGIC)
    n = t - MAGIC
    r = fma(-n, LN2_2, fma(-n, LN2_1, x))
    r2 = r * r
    r4 = r2 * r2
    # Estrin: q = 1/2! + r/3! + ... + r^11/13!
    q0 = fma(r2, fma(r, F[5], F[4]), fma(r, F[3], F[2]))
    q1 = fma(r2, fma(r, F[9], F[8]), fma(r, F[7], F[6]))
    q2 = fma(r2, fma(r, F[13], F[12]), fma(r, F[11], F[10]))
    q = fma(r4, fma(r4, q2, q1), q0)
    # n sits in the low bits of t: adding the bias and shifting makes 2^n without a conversion to integer
    scale = from_bits((bits_of(t) + _BIAS) << _FRACTION_BITS)
    y = (1.0 + fma(r2, q, r)) * scale
    return y, y * _FAST_BOUND


@kernel(forceinline=True)
def exp_quick(x: float) -> tuple[float, float, float, np.int64]:
    """(hi, lo, err, k) with |exp(x) - (hi + lo) 2^k| <= err 2^k, err = 2^-68 hi.

    Domain: |x| <= 1400.  NaN gives NaN in hi, lo and err; an infinite x must not be passed (the result means nothing).
    """
    t = fma(x, EXP_STEPS_PER_UNIT, MAGIC)
    n = t - MAGIC
    index = bits_of(t)
    k = np.int64(index - _MAGIC_BITS) >> 7
    j = index & _TABLE_MASK
    r1 = fma(-n, EXP_STEP_1, x)
    p = n * EXP_STEP_2
    rh = r1 - p
    rl = (r1 - rh) - p
    r2 = rh * rh
    q = fma(rh, fma(rh, fma(rh, fma(rh, fma(rh, F[7], F[6]), F[5]), F[4]), F[3]), F[2])
    w = fma(r2, q, fma(rh, rl, rl))
    ph, pl = fast_two_sum(rh, w)
    th, tl = EXP2_TABLE[j, 0], EXP2_TABLE[j, 1]
    m, me = two_prod(th, ph)
    hi, lo = fast_two_sum(th, m)
    lo = lo + (me + fma(th, pl, fma(tl, ph, tl)))
    hi, lo = fast_two_sum(hi, lo)
    return hi, lo, hi * _QUICK_BOUND, k


@kernel()
def exp_accurate(x: float) -> tuple[float, float, float, np.int64]:
    """(hi, lo, err, k) with |exp(x) - (hi + lo) 2^k| <= err 2^k, err = 2^-99 hi.

    Domain: |x| <= 1400.  NaN gives NaN in hi, lo and err; an infinite x must not be passed (the result means nothing).
    """
    t = fma(x, EXP_STEPS_PER_UNIT, MAGIC)
    n = t - MAGIC
    index = bits_of(t)
    k = np.int64(index - _MAGIC_BITS) >> 7
    j = index & _TABLE_MASK
    p, e = two_prod(n, EXP_STEP_2)
    s, d = two_sum(fma(-n, EXP_STEP_1, x), -p)
    rh, rl = two_sum(s, d - fma(n, EXP_STEP_3, e))
    tail = fma(rh, fma(rh, fma(rh, fma(rh, fma(rh, F[10], F[9]), F[8]), F[7]), F[6]), F[5])
    ah, al = dd_add_d(F[4], G[4], rh * tail)
    ah, al = dd_mul(ah, al, rh, rl)
    ah, al = dd_add(F[3], G[3], ah, al)
    ah, al = dd_mul(ah, al, rh, rl)
    ah, al = dd_add_d(ah, al, 0.5)
    ah, al = dd_mul(ah, al, rh, rl)
    ah, al = dd_mul(ah, al, rh, rl)
    ah, al = dd_add(rh, rl, ah, al)
    th, tl = EXP2_TABLE[j, 0], EXP2_TABLE[j, 1]
    ah, al = dd_mul(ah, al, th, tl)
    hi, lo = dd_add(th, tl, ah, al)
    return hi, lo, hi * _ACCURATE_BOUND, k
