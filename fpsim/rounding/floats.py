"""Rounding a binary64 number into a float or fixed-point set; branch-free, so that loops over arrays vectorize.

Nearest-even.  With e = max(2^floor(log2 |x|), 2^emin) and C = e 2^(53-p), the unit in the last place of C is the
spacing of F around x, and |x| < 2C - C: the hardware's own addition |x| + C rounds |x| to a multiple of that spacing,
ties to even, and subtracting C is exact.  C is an even multiple of the spacing, so parity is that of F. Subnormal
values need no case of their own, since e never falls below 2^emin.

Round to odd.  S. Boldo and G. Melquiond, "Emulation of FMA and correctly rounded sums: proved algorithms using
rounding to odd", IEEE TC 57(4), 2008: if an inexact result is first replaced by the one of its two binary64 neighbours
whose last bit is 1, then rounding that to p bits is the same as rounding the exact result, for every p <= 51 and every
mode, subnormal range of F included.  (Every value of F and every midpoint has a last bit of 0 in binary64, so it cannot
be hit by accident, nor jumped over.)
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits_of, from_bits
from fpsim.rounding.kinds import AWAY, DOWN, EVEN, ODD, UP, AnyFloat, NearestFloat

__all__ = ["LOW", "flush_operand", "round_any", "round_nearest", "to_odd"]

LOW = 2.0**-960
"""All reals of (0, LOW] round alike in F, whose least positive value is above 4 LOW (but for Binary64 and Binary32)."""

_SIGN = np.uint64(1 << 63)
_EXPONENT = np.uint64(0x7FF << 52)
_RECIPROCAL = np.uint64(2046 << 52)  # minus the bits of a power of two: the bits of its inverse
_ONE = np.uint64(1)
_INTEGERS = 2.0**52  # numbers from here to 2^53 are integers


@kernel(forceinline=True)
def to_odd(h: float, rest: float) -> float:
    """The real h + r rounded to odd, for h a nearest binary64 number and r of the sign of `rest` (0: exact).

    An infinity or NaN in h, and NaN in `rest`, leave h as it is.
    """
    bits = bits_of(h)
    away = np.uint64((rest > 0.0) == (h > 0.0))
    moved = bits + (away + away) - _ONE  # one unit away from 0, or towards it
    inexact = (rest > 0.0) | (rest < 0.0)
    return from_bits(moved) if inexact & ((bits & _ONE) == np.uint64(0)) else h


@kernel(forceinline=True)
def round_nearest(spec: NearestFloat, x: float) -> float:
    """x rounded into the set of a `NearestFloat`."""
    bits = bits_of(x)
    a = abs(x)
    e = from_bits(bits & _EXPONENT)
    e = e if e > spec.min_normal else spec.min_normal
    c = e * spec.scale
    y = (a + c) - c
    y = spec.overflow if a > spec.limit else y  # NaN is not above the limit, and y is NaN then
    return from_bits(bits_of(y) | (bits & _SIGN)) + spec.zero


@kernel(forceinline=True)
def _goes_up(mode: int, rest: float, odd: bool, negative: bool) -> bool:
    """Whether a magnitude whose index is `odd`, with a rest of 0 <= rest < 1 of a spacing, goes to the next one."""
    # No branches: in a loop all that depends on the mode only is computed once.
    tie = (mode == AWAY) | ((mode == EVEN) & odd)
    nearest = ((mode == EVEN) | (mode == AWAY)) & ((rest > 0.5) | ((rest == 0.5) & tie))
    directed = ((mode == UP) & (not negative)) | ((mode == DOWN) & negative) | ((mode == ODD) & (not odd))
    return nearest | (directed & (rest > 0.0))


@kernel(forceinline=True)
def round_any(spec: AnyFloat, x: float) -> float:
    """x rounded into the set of an `AnyFloat`."""
    bits = bits_of(x)
    negative = (bits & _SIGN) != np.uint64(0)
    a = abs(x)
    b = 2.0 * spec.largest if a > 2.0 * spec.largest else a  # what lies beyond is decided by a, not by b
    b = LOW if (b > 0.0) & (b < LOW) else b  # so that the product below does not underflow to 0
    e = from_bits(bits_of(b) & _EXPONENT)
    e = e if e > spec.min_normal else spec.min_normal
    k = (b * from_bits(_RECIPROCAL - bits_of(e))) * spec.scale  # exact: powers of two
    raised = k + _INTEGERS  # k, below 2^51, rounded to the integer in its last places
    above = (raised - _INTEGERS) > k
    n = (raised - _INTEGERS) - (1.0 if above else 0.0)
    odd = ((bits_of(raised) & _ONE) != np.uint64(0)) != above
    n = n + 1.0 if _goes_up(spec.mode, k - n, odd, negative) else n
    y = n * (e * (1.0 / spec.scale))
    y = spec.largest if y > spec.largest else y
    y = 0.0 if spec.ftz & (y < spec.min_normal) else y
    y = spec.overflow if a > (spec.limit_negative if negative else spec.limit_positive) else y
    return from_bits(bits_of(y) | (bits & _SIGN)) + spec.zero


@kernel(forceinline=True)
def flush_operand(spec: AnyFloat, x: float) -> float:
    """x, or a zero of its sign when F has ftz and x is below the least normal value."""
    if spec.ftz & (abs(x) < spec.min_normal):
        return from_bits(bits_of(x) & _SIGN)
    return x
