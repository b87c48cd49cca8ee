"""From an angle to (j, r): the angle is j steps of 2 pi/512 plus r, |r| <= 2^-7.34, j modulo 512.

Two ways in: from a binary64 number of at most 2^20, by fused multiply-adds with the step in three parts (W. Cody,
W. Waite 1980), and from a fraction of a turn in 192 bits, by exact integer arithmetic.

`reduce_near`, |x| <= 2^20.  With the step d = d1 + d2 + d3 + (rest, at most 2^-170) and n = x/d rounded, |n| < 2^26.35:
* |x/d - n| <= 1/2 + 2^-26 (the constant 1/d has relative error u = 2^-53), so |r| <= 0.0061360 < 2^-7.34.
* r1 = fma(-n, d1, x) is exact.  For n = 0 it is x.  Otherwise |x| > 2^-7.35, so x and n d1 are multiples of 2^-60, and
  |x - n d1| <= |r| + |n| 2^-60 < 2^-7: at most 53 bits.
* p + e = n d2 exactly, |e| <= 2^-87; rh + d = r1 - p exactly, |d| <= u |rh|; rl = d - (n d3 + e), where
  |n d3 + e| <= 2^-86: the two roundings cost 2^-139 and u (u |rh| + 2^-86), the rest of the step 2^-143.
* Together |r - rh - rl| <= 2^-106 |r| + 2^-138.  When j is a multiple of 128, r is the distance to a multiple of pi/2:
  at least 2^-61 (see `payne_hanek`) unless n = 0, when rh is exact.  So the error is below 2^-76 |r| there.

`reduce_turn`, t = F 2^-192 in [0, 1).  j is the nearest multiple of 1/512, and the difference a sign and an integer of
at most 2^182.  It is cut, exactly, in four pieces of at most 53 bits that do not overlap; their sum as a double-double
(three exact additions, then one rounding of the last parts: relative error at most 2u^2) is multiplied by 2 pi as a
double-double (constant u^2/2, product 5u^2).  Relative error below 8u^2 = 2^-103, for any words; zero gives zero.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fast_two_sum, fma, two_prod, two_sum
from fpsim.functions.bits import bits_of
from fpsim.functions.constants import (
    MAGIC,
    SINE_STEP_1,
    SINE_STEP_2,
    SINE_STEP_3,
    SINE_STEPS_PER_UNIT,
    TWO_PI_1,
    TWO_PI_2,
)
from fpsim.functions.double_double import dd_mul

__all__ = ["NEAR_LIMIT", "reduce_near", "reduce_turn"]

NEAR_LIMIT = 2.0**20
"""Largest |x| that `reduce_near` accepts."""

_INDEX_MASK = np.uint64(511)
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_HALF_STEP = np.uint64(1 << 54)  # half of 1/512 turn, in units of 2^-64 turn
_STEP_SHIFT = np.uint64(55)
_SIGN_SHIFT = np.uint64(63)


@kernel(forceinline=True)
def reduce_near(x: float) -> tuple[np.uint64, float, float]:
    """(j, rh, rl): x = j pi/256 + r modulo 2 pi, |r - rh - rl| <= 2^-106 |r| + 2^-138; 0 <= j < 512.

    Domain: |x| <= 2^20.  NaN or an infinity gives some j and NaN in rh.
    """
    t = fma(x, SINE_STEPS_PER_UNIT, MAGIC)
    n = t - MAGIC
    p, e = two_prod(n, SINE_STEP_2)
    rh, d = two_sum(fma(-n, SINE_STEP_1, x), -p)
    return bits_of(t) & _INDEX_MASK, rh, d - fma(n, SINE_STEP_3, e)


@kernel(forceinline=True)
def reduce_turn(f2: np.uint64, f1: np.uint64, f0: np.uint64) -> tuple[np.uint64, float, float]:
    """(j, rh, rl): 2 pi F 2^-192 = j pi/256 + r modulo 2 pi, |r - rh - rl| <= 2^-103 |r|, F = f2 2^128 + f1 2^64 + f0.

    Any words; exact integer arithmetic up to the final conversion.  |rl| <= ulp(rh)/2.
    """
    j = (f2 + _HALF_STEP) >> _STEP_SHIFT
    f2 = f2 - (j << _STEP_SHIFT)  # two's complement: from -2^54 to 2^54
    negative = f2 >> _SIGN_SHIFT
    mask = _ZERO - negative
    # -F = ~F + 1: the carry runs on while the words are zero
    g0 = (f0 ^ mask) + negative
    carry = negative if g0 == _ZERO else _ZERO
    g1 = (f1 ^ mask) + carry
    carry = carry if g1 == _ZERO else _ZERO
    g2 = (f2 ^ mask) + carry
    # four pieces without overlap: 2^-62 * 52 bits, 2^-115 * 53 bits, 2^-168 * 53 bits, 2^-192 * 24 bits
    a = np.float64(np.int64(g2 >> np.uint64(2))) * 2.0**-62
    b = np.float64(np.int64(((g2 & np.uint64(3)) << np.uint64(51)) | (g1 >> np.uint64(13)))) * 2.0**-115
    c = np.float64(np.int64(((g1 & np.uint64(0x1FFF)) << np.uint64(40)) | (g0 >> np.uint64(24)))) * 2.0**-168
    d = np.float64(np.int64(g0 & np.uint64(0xFFFFFF))) * 2.0**-192
    # fast_two_sum is exact here: its first operand is zero or the larger one
    s, e3 = fast_two_sum(c, d)
    s, e2 = fast_two_sum(b, s)
    s, e1 = fast_two_sum(a, s)
    s, e1 = fast_two_sum(s, e1 + (e2 + e3))
    rh, rl = dd_mul(s, e1, TWO_PI_1, TWO_PI_2)
    sign = 1.0 - 2.0 * np.float64(np.int64(negative))
    return j & _INDEX_MASK, rh * sign, rl * sign
