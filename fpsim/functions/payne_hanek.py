"""frac(x / (2 pi)) to 192 bits for any finite binary64 x (M. Payne, R. Hanek, 1983).

x = m 2^e with an integer m < 2^53.  The product m 2^e b, for the bit b of 1/(2 pi) of weight 2^-i, is an integer
whenever i <= e: such bits change only the number of whole turns.  It is enough to take the 256 bits of weights 2^-(e+1)
to 2^-(e+256), an integer W, and to keep m W modulo 2^256: the fraction of a turn, in units of 2^-256.

Error: the bits left out are worth less than m 2^-256 < 2^-203, and the lowest of the four words of the product is
dropped: the true fraction lies in [F, F + 2^-192 + 2^-203).

Is that enough?  For every binary64 x, |x| >= 1, and every integer n, |x - n pi/2| > 2^-61 (the continued fraction of
2^e 2/pi, for each exponent e, gives the nearest cases: W. Kahan 1983; J.-M. Muller, "Elementary Functions", 3rd ed.,
ch. 11; a test recomputes the minimum).  The angle 2 pi F is therefore known with a relative error below
2 pi 2^-191.99 / 2^-61 < 2^-128, also next to a zero of sin or cos.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits_of, mul_wide
from fpsim.functions.constants import INVERSE_TWO_PI

__all__ = ["turn_fraction"]

_ZERO = np.uint64(0)
_ONE = np.uint64(1)
_SIX = np.uint64(6)
_TOP_BIT = np.uint64(63)
_FRACTION_BITS = np.uint64(52)
_EXPONENT_MASK = np.uint64(0x7FF)
_FRACTION_MASK = np.uint64(2**52 - 1)
_HIDDEN_BIT = np.uint64(2**52)
# x = m 2^(field - 1075); the table starts with 64 zero bits, so that the bit of weight 2^-(e+1) has index e + 64
_FIELD_TO_INDEX = np.uint64(1075 - 64)


@kernel()
def _word(limb: np.uint64, shift: np.uint64) -> np.uint64:
    """64 bits of the table that start `shift` bits into the word `limb`."""
    # two shifts for the second word: one by 64 - shift would be undefined for shift = 0
    low: np.uint64 = (INVERSE_TWO_PI[limb + _ONE] >> _ONE) >> (_TOP_BIT - shift)
    high: np.uint64 = INVERSE_TWO_PI[limb] << shift
    return high | low


@kernel()
def turn_fraction(x: float) -> tuple[np.uint64, np.uint64, np.uint64]:
    """(f2, f1, f0): frac(|x|/(2 pi)) is in [F, F + 2^-192 + 2^-203) for F = f2 2^-64 + f1 2^-128 + f0 2^-192.

    Domain: finite x with |x| >= 2^-8; the sign of x is ignored.  An infinity or NaN gives words without meaning; a
    smaller x must not be passed (it would read before the table).
    """
    bits = bits_of(x)
    m = (bits & _FRACTION_MASK) | _HIDDEN_BIT
    start = ((bits >> _FRACTION_BITS) & _EXPONENT_MASK) - _FIELD_TO_INDEX
    limb = start >> _SIX
    shift = start & _TOP_BIT
    w3 = _word(limb, shift)
    limb += _ONE
    w2 = _word(limb, shift)
    limb += _ONE
    w1 = _word(limb, shift)
    limb += _ONE
    w0 = _word(limb, shift)
    carry, _ = mul_wide(m, w0)
    high, low = mul_wide(m, w1)
    f0 = low + carry
    carry = high + (_ONE if f0 < low else _ZERO)  # no overflow: high < m < 2^53
    high, low = mul_wide(m, w2)
    f1 = low + carry
    carry = high + (_ONE if f1 < low else _ZERO)
    f2 = m * w3 + carry
    return f2, f1, f0
