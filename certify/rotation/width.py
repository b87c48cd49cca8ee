"""Widths of the arc around 0, in turns, from radians and from score gaps: brackets, since 2 pi stands in between.

A lower bound of the width lists only near-returns, an upper bound lists all of them; at 128 bits the two lists differ
only where a near-return lies within 2^-120 of the edge.
"""

from __future__ import annotations

import gmpy2
from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.real import mpfr_pair

__all__ = ["gap_in_turns", "radians_in_turns"]

# The turns d at which 1 - cos(2 pi d) is rational and d is too, 0 < d <= 1/2 (Niven 1956).
_RATIONAL_WIDTHS = {mpq(1, 2): mpq(1, 6), mpq(1): mpq(1, 4), mpq(3, 2): mpq(1, 3), mpq(2): mpq(1, 2)}


def radians_in_turns(radians: object, *, bits: int = 128) -> tuple[mpq, mpq]:
    """Rationals lo <= radians / 2 pi <= hi, about 2^-bits apart relatively (both 0 for 0).

    >>> lo, hi = radians_in_turns("1/100")
    >>> print(f"{float(lo):.12f}", lo < hi)
    0.001591549431 True
    """
    return Angle(parse_number(radians, "radians")).enclose_turns(bits)


def gap_in_turns(C: object, gap: object, *, bits: int = 128) -> tuple[mpq, mpq]:
    """Rationals lo <= w <= hi, where C (1 - cos(2 pi d)) < gap exactly when d < w, for distances 0 <= d <= 1/2.

    lo = hi where w is rational; they are 1, which stands for all distances, when gap > 2C, and 0 when gap <= 0.  Raises
    `InputError` for C <= 0.

    >>> gap_in_turns(40, 20)
    (mpq(1,6), mpq(1,6))
    >>> lo, hi = gap_in_turns(40, "17.34375")
    >>> print(f"{float(lo):.6f}", lo < hi)
    0.154167 True
    """
    scale = parse_number(C, "C")
    if scale <= 0:
        raise InputError("C", C, "a number greater than 0")
    ratio = parse_number(gap, "gap") / scale
    if ratio <= 0:
        return mpq(0), mpq(0)
    if ratio > 2:
        return mpq(1), mpq(1)
    known = _RATIONAL_WIDTHS.get(ratio)
    if known is not None:
        return known, known
    # 1 - cos(2 pi d) = 2 sin^2(pi d) = ratio, with pi d in (0, pi/2); arcsin rises, and 1 rounds to 1 at the most
    working = bits + 16
    root_lo, root_hi = mpfr_pair(gmpy2.sqrt, ratio / 2, working)
    lo, _ = mpfr_pair(gmpy2.asin, root_lo, working)
    _, hi = mpfr_pair(gmpy2.asin, root_hi, working)
    pi_lo, pi_hi = Angle(mpq(1), "pi").enclose(working)
    return lo / pi_hi, hi / pi_lo
