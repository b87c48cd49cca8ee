"""How far a rotation by n times the angle is from the identity: as a part of a turn, and as 1 - cos.

Both are needed where they are tiny (10^-120 for positions near 10^60), so their enclosures are narrow *relative* to
their size: the bits that cancel in n alpha - p are computed first and asked for on top.
"""

from __future__ import annotations

import gmpy2
from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.real import Irrational, mpfr_pair
from fpsim.turning import cos_of

__all__ = ["one_minus_cosine", "turns_from_identity"]

_HALF = mpq(1, 2)


def turns_from_identity(angle: Angle, n: int) -> mpq | Irrational:
    """The distance of n * angle to the nearest multiple of 2 pi, in turns: between 0 and 1/2.

    It is rational for n = 0 and for rational multiples of 2 pi, irrational otherwise.

    >>> turns_from_identity(Angle.parse("2pi*3/7"), 2)
    mpq(1,7)
    >>> lo, hi = turns_from_identity(Angle.parse("1"), 710).enclose(60)
    >>> print(f"{float(lo):.6e}, relative width below 2^-60: {(hi - lo) / lo < mpq(1, 2**60)}")
    9.595246e-06, relative width below 2^-60: True
    """
    turned = angle.times(n)
    turns = turned.turns
    if turns is not None:
        part = turns - turns.numerator // turns.denominator
        return min(part, 1 - part)
    return Irrational(lambda bits: _enclose_distance(turned, bits))


def _enclose_distance(angle: Angle, bits: int) -> tuple[mpq, mpq]:
    """Bounds within [0, 1/2] and at most 2^-bits apart relatively, for an irrational multiple of 2 pi."""
    target, width = mpq(1, 1 << bits), bits + 32
    while True:
        lo, hi = angle.enclose_turns(width)
        nearest = (2 * lo.numerator + lo.denominator) // (2 * lo.denominator)
        lo, hi = lo - nearest, hi - nearest
        if hi <= 0:
            lo, hi = -hi, -lo
        # Narrow relative to lo, so 0 is not in between, and below half a turn: then the distance is the value itself.
        if hi <= _HALF and hi - lo <= target * lo:
            return lo, hi
        width *= 2


def one_minus_cosine(angle: Angle, n: int) -> mpq | Irrational:
    """1 - cos(n * angle), which decides a score gap: C cos(0) - C cos(n angle) for the k-offset head.

    >>> one_minus_cosine(Angle.parse("pi/3"), 1)
    mpq(1,2)
    >>> lo, hi = one_minus_cosine(Angle.parse("1"), 710).enclose(60)
    >>> print(f"{float(lo):.6e}")
    1.817364e-09
    """
    cosine = cos_of(angle, n)
    if not isinstance(cosine, Irrational):
        return 1 - cosine
    distance = turns_from_identity(angle, n)

    def enclose(bits: int) -> tuple[mpq, mpq]:
        """2 sin^2(pi d), which rises with the distance d in [0, 1/2] and at most doubles relative errors."""
        working = bits + 8
        lo, hi = distance.enclose(working) if isinstance(distance, Irrational) else (distance, distance)
        pi_lo, pi_hi = Angle(mpq(1), "pi").enclose(working)
        sine_lo, _ = mpfr_pair(gmpy2.sin, pi_lo * lo, working)
        if 2 * pi_hi * hi < pi_lo:  # below a quarter turn for certain: sin still rises at the upper end
            _, sine_hi = mpfr_pair(gmpy2.sin, pi_hi * hi, working)
        else:
            sine_hi = mpq(1)
        return 2 * sine_lo * sine_lo, 2 * sine_hi * sine_hi

    return Irrational(enclose)
