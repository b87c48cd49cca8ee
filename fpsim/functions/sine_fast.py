"""sin and cos in binary64 arithmetic only, relative error 2^-50 also next to their zeros: for results of up to 25 bits.

With n an integer such that the rest is smallest,

    sin(x) = (-1)^n sin(x - n pi),    cos(x) = -(-1)^n sin(x - (2n + 1) pi/2),

both are one odd polynomial on |r| <= pi/2 + 2^-30 and a change of sign: no branch, no table, so that a loop vectorizes.
The zeros of the result are the zeros of r.

Errors.  u = 2^-53; m, the number of quarter turns taken off, is 2n or 2n + 1, |m| < 2^19.4 for |x| <= 2^20.
* r1 = fma(-m, HALF_PI_1, x).  For |x| >= 1, x and m HALF_PI_1 are multiples of 2^-52 and |r1| < 2: exact.  For |x| < 1,
  sin has m = 0 (exact) and cos has m = 1 or -1 and |r1| > 0.57: one rounding, relative error u, far from a zero.
* Taking off m HALF_PI_2 and m HALF_PI_3 costs a relative error u each; what is left of pi/2, 2^-163, times m is below
  2^-143, and |r| > 2^-61 unless m = 0 (see `payne_hanek`).  So r has relative error at most 3.01u.
* From a fraction of a turn, the rest is an integer of 192 bits whose words become binary64 numbers of one sign: 2.01u
  with their sum, and u for the product with 2 pi in two parts.  Again 3.02u.
* Polynomial of degree 21: the remainder is below r^23/23! < 2^-59.4.  y = fma(r z, q, r), z = r^2: z and r z round by u
  each; q, between 0.146 and 1/6 in magnitude, by u/8 in each of three roundings and 0.12u for coefficients and inner
  terms, which is 3.4u relative.  So y - r errs by 5.4u (r - sin r), the last rounding is at most u |y|, and r
  contributes 3.02u |r cos r|.  Relative to sin(r): (3.1 + 0.5)u at pi/2, (1.1 + 0.6 + 2)u at 1, (1 + 3.02)u at 0;
  nowhere above 4.1u.
* The bound returned is 8u |y| = 2^-50 |y|, plus 2^-1022 for tiny x.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fma
from fpsim.functions.argument_reduction import NEAR_LIMIT
from fpsim.functions.bits import bits_of, from_bits
from fpsim.functions.constants import (
    HALF_PI_1,
    HALF_PI_2,
    HALF_PI_3,
    INVERSE_PI,
    MAGIC,
    TWO_PI_1,
    TWO_PI_2,
)
from fpsim.functions.constants import INVERSE_FACTORIAL_HI as F
from fpsim.functions.payne_hanek import turn_fraction

__all__ = ["cos_fast", "cos_fast_near", "sin_fast", "sin_fast_near", "sin_turn_fast", "sincos_turn_fast"]

_BOUND = 2.0**-50
_TINIEST = 2.0**-1022
_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_TOP_BIT = np.uint64(63)
_SIGN_BIT = np.uint64(1 << 63)
_QUARTER_TURN = np.uint64(1 << 62)


@kernel(forceinline=True)
def _sine(r: float, sign_bit: np.uint64) -> tuple[float, float]:
    """(y, err): sin(r), |r| <= pi/2 + 2^-30, with its sign changed where sign_bit is 2^63."""
    z = r * r
    z2 = z * z
    z4 = z2 * z2
    q0 = fma(z2, fma(z, F[9], -F[7]), fma(z, F[5], -F[3]))
    q1 = fma(z2, fma(z, F[17], -F[15]), fma(z, F[13], -F[11]))
    q = fma(z4, fma(z4, fma(z, F[21], -F[19]), q1), q0)
    y = fma(r * z, q, r)
    return from_bits(bits_of(y) ^ sign_bit), fma(abs(y), _BOUND, _TINIEST)


@kernel(forceinline=True)
def sin_fast_near(x: float) -> tuple[float, float]:
    """(y, err) with |sin(x) - y| <= err = 2^-50 |y| + 2^-1022, for |x| <= 2^20; branch-free.

    NaN and the infinities give NaN; a finite |x| > 2^20 must not be passed (the bound would not hold).
    """
    t = fma(x, INVERSE_PI, MAGIC)
    m = 2.0 * (t - MAGIC)
    r = fma(-m, HALF_PI_3, fma(-m, HALF_PI_2, fma(-m, HALF_PI_1, x)))
    return _sine(r, bits_of(t) << _TOP_BIT)


@kernel(forceinline=True)
def cos_fast_near(x: float) -> tuple[float, float]:
    """(y, err) with |cos(x) - y| <= err = 2^-50 |y| + 2^-1022, for |x| <= 2^20; branch-free.

    NaN and the infinities give NaN; a finite |x| > 2^20 must not be passed (the bound would not hold).
    """
    t = fma(x, INVERSE_PI, -0.5) + MAGIC
    m = fma(2.0, t - MAGIC, 1.0)
    r = fma(-m, HALF_PI_3, fma(-m, HALF_PI_2, fma(-m, HALF_PI_1, x)))
    return _sine(r, (bits_of(t) << _TOP_BIT) ^ _SIGN_BIT)


@kernel(forceinline=True)
def sin_turn_fast(f2: np.uint64, f1: np.uint64, f0: np.uint64) -> tuple[float, float]:
    """(y, err) with |sin(2 pi t) - y| <= err = 2^-50 |y| + 2^-1022, t = f2 2^-64 + f1 2^-128 + f0 2^-192; branch-free.

    t is taken as exact but for 2^-192 (the words of a negative rest are complemented without the carry): that, and any
    other uncertainty dt of the input, adds 2 pi dt.  cos(2 pi t) is sin(2 pi (t + 1/4)): add 2^62 to f2, modulo 2^64.
    """
    half_turns = (f2 + _QUARTER_TURN) >> _TOP_BIT
    f2 = f2 - (half_turns << _TOP_BIT)  # two's complement: from -2^62 to 2^62
    sign = f2 >> _TOP_BIT
    mask = _ZERO - sign
    a = np.float64(np.int64(f2 ^ mask)) * 2.0**-64
    b = np.float64(f1 ^ mask) * 2.0**-128
    c = np.float64(f0 ^ mask) * 2.0**-192
    t = a + (b + c)
    return _sine(fma(t, TWO_PI_1, t * TWO_PI_2), (half_turns ^ sign) << _TOP_BIT)


@kernel(forceinline=True)
def sincos_turn_fast(f2: np.uint64, f1: np.uint64, f0: np.uint64) -> tuple[float, float, float, float]:
    """(s, c, err_s, err_c): `sin_turn_fast` of t and of t + 1/4, each err = 2^-50 of its result, plus 2^-1022."""
    s, err_s = sin_turn_fast(f2, f1, f0)
    c, err_c = sin_turn_fast(f2 + _QUARTER_TURN, f1, f0)
    return s, c, err_s, err_c


@kernel()
def _sin_far(x: float) -> tuple[float, float]:
    f2, f1, f0 = turn_fraction(x)
    y, err = sin_turn_fast(f2, f1, f0)
    return (-y if x < 0.0 else y) + (x - x), err


@kernel()
def _cos_far(x: float) -> tuple[float, float]:
    f2, f1, f0 = turn_fraction(x)
    y, err = sin_turn_fast(f2 + _QUARTER_TURN, f1, f0)
    return y + (x - x), err


@kernel(forceinline=True)
def sin_fast(x: float) -> tuple[float, float]:
    """(y, err) with |sin(x) - y| <= err = 2^-50 |y| + 2^-1022, for every finite x.

    NaN and the infinities give NaN in y.
    A loop over numbers of at most 2^20 runs faster with `sin_fast_near`, which has no branch and vectorizes.
    """
    if abs(x) <= NEAR_LIMIT:
        return sin_fast_near(x)
    return _sin_far(x)


@kernel(forceinline=True)
def cos_fast(x: float) -> tuple[float, float]:
    """(y, err) with |cos(x) - y| <= err = 2^-50 |y| + 2^-1022, for every finite x.

    NaN and the infinities give NaN in y.
    A loop over numbers of at most 2^20 runs faster with `cos_fast_near`, which has no branch and vectorizes.
    """
    if abs(x) <= NEAR_LIMIT:
        return cos_fast_near(x)
    return _cos_far(x)
