"""cos and sin of an exact angle times an integer, as exact reals.

A rational multiple of pi has a rational cosine only when it is 0, +-1/2 or +-1 (Niven 1956), and those are taken
exactly.  Any other cosine here is irrational: of a rational multiple of pi by Niven, of a non-zero algebraic angle by
Lindemann.  So a comparison with a rational always ends.  Of an angle that is neither, which some scalings make, no such
proof is known: there a comparison that does not end is given up by `NamedReal.enclose`.
"""

from __future__ import annotations

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.angle import Angle
from fpsim.real import Irrational

__all__ = ["cos_of", "sin_of"]

# cos(pi t) for t in [0, 2) where it is rational.
_RATIONAL_COSINES = {
    mpq(0): mpq(1),
    mpq(1, 3): mpq(1, 2),
    mpq(1, 2): mpq(0),
    mpq(2, 3): mpq(-1, 2),
    mpq(1): mpq(-1),
    mpq(4, 3): mpq(-1, 2),
    mpq(3, 2): mpq(0),
    mpq(5, 3): mpq(1, 2),
}


def cos_of(angle: Angle, times: mpq | int = 1) -> mpq | Irrational:
    """cos(angle * times), exactly.

    >>> cos_of(Angle.parse("2pi/3"), 4)
    mpq(-1,2)
    """
    return _turned(angle.times(times), mpq(0), sine=False)


def sin_of(angle: Angle, times: mpq | int = 1) -> mpq | Irrational:
    """sin(angle * times), exactly.

    >>> sin_of(Angle.parse("pi"), 7)
    mpq(0,1)
    """
    return _turned(angle.times(times), mpq(1, 2), sine=True)


def _turned(angle: Angle, quarter: mpq, sine: bool) -> mpq | Irrational:
    turns = angle.turns
    if turns is not None:
        half_turns = 2 * turns - quarter  # sin x = cos(x - pi/2)
        known = _RATIONAL_COSINES.get(half_turns - 2 * (half_turns // 2))
        if known is not None:
            return known
        angle = Angle(2 * (turns - (turns.numerator // turns.denominator)), "pi")
    return Irrational(lambda bits: _enclose(angle, bits, sine))


def _enclose(angle: Angle, bits: int, sine: bool) -> tuple[mpq, mpq]:
    """An enclosure from one evaluation: cos and sin have derivatives of at most 1 in magnitude.

    With lo <= x <= hi the argument's enclosure and m = lo rounded to w bits, |f(x) - f(m)| <= |x - m| <= (hi - lo) +
    |m - lo|, and MPFR's f(m) is off by less than one unit of 2^-w, since |f| <= 1.
    """
    lo, hi = angle.enclose(bits + 2)
    size = max(0, int(lo.numerator.bit_length() - lo.denominator.bit_length()) + 1)
    if size:  # an absolute accuracy of 2^-bits needs that many more relative bits
        lo, hi = angle.enclose(bits + 2 + size)
    with gmpy2.context(precision=bits + size + 8):
        m = mpfr(lo)
        value = mpq(gmpy2.sin(m) if sine else gmpy2.cos(m))
    radius = (hi - lo) + abs(mpq(m) - lo) + mpq(1, 1 << (bits + 8))
    return value - radius, value + radius
