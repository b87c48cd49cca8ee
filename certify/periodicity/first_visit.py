"""The first position at which a rotation lies in an arc whose ends are known by enclosures.

`certify.rotation.integer_rotation.first_hit` finds the first hit of an interval by the rotation of the integers mod M
in O(log M) steps.  By a/m turns the rotation is that one, with M = m.  For an irrational alpha take step = floor(M
alpha) with M a power of two: the place of n lies strictly between n step and n step + n, over M.  So with an arc that
is shrunk by N at its right end a hit n <= N is a visit for certain, and with one that is widened by N at its left end
every visit n <= N is a hit.  When the first hits of both agree, that is the first visit; else M and the enclosures of
the ends are made finer.  That ends: no place of an n >= 1 is an end of the arc, so every n up to the first visit is
decided by some M.

(`certify.rotation.visits` lists all visits to an arc with rational ends.)
"""

from __future__ import annotations

from collections.abc import Callable

from gmpy2 import mpq

from certify.rotation.integer_rotation import first_hit, fixed_point
from fpsim.angle import Angle

__all__ = ["Bracket", "first_visit"]

Bracket = Callable[[int], tuple[mpq, mpq]]


def first_visit(angle: Angle, middle: mpq, half: Bracket, *, closed: bool = False) -> int | None:
    """The least n >= 1 with n * angle less than w turns from `middle` turns; at most, if `closed`; None: there is none.

    half(bits) gives lo <= w <= hi, 0 <= w <= 1/2, about 2^-bits apart relatively, and equal where w is rational.  For
    an irrational multiple of 2 pi, w must be greater than 0 and the ends of the arc must be rational or such that no
    position meets them.

    >>> first_visit(Angle.parse("1"), mpq(0), lambda bits: (mpq(1, 100), mpq(1, 100)))
    44
    >>> quarter = lambda bits: (mpq(1, 4), mpq(1, 4))
    >>> [first_visit(Angle.parse("2pi/4"), mpq(1, 2), quarter, closed=closed) for closed in (False, True)]
    [2, 1]
    """
    step_of = _exact if angle.turns is not None else _enclosed
    bits = 64
    while True:
        found = step_of(angle, middle, half, closed, bits)
        if found is not None:
            return None if found == 0 else found
        bits *= 2


def _exact(angle: Angle, middle: mpq, half: Bracket, closed: bool, bits: int) -> int | None:
    """For a/m turns: the first visit, 0 when there is none, None when the enclosures are too wide."""
    step, modulus, _ = fixed_point(angle, bits)

    def between(w: mpq) -> tuple[int, int]:
        lo, hi = (middle - w) * modulus, (middle + w) * modulus
        return (_ceiling(lo), _floor(hi)) if closed else (_floor(lo) + 1, _ceiling(hi) - 1)

    inner, outer = map(between, half(bits))
    return (_hit(step, modulus, *inner) or 0) if inner == outer else None


def _enclosed(angle: Angle, middle: mpq, half: Bracket, _closed: bool, bits: int) -> int | None:
    """For an irrational number of turns: the first visit, or None when M or the enclosures are not fine enough."""
    step, modulus, _ = fixed_point(angle, bits)
    w, w_outer = half(bits)
    low, high = _floor((middle - w) * modulus) + 1, _floor((middle + w) * modulus)
    room = (high - low) // 2
    hit = _hit(step, modulus, low, high - room)
    if hit is None or hit > room:
        return None
    sure = _hit(step, modulus, low, high - hit)
    assert sure is not None  # the arc is not smaller than the one before
    first = _hit(step, modulus, _floor((middle - w_outer) * modulus) - sure, _floor((middle + w_outer) * modulus))
    return sure if sure == first else None


def _hit(step: int, modulus: int, low: int, high: int) -> int | None:
    """The least n >= 1 with n step in [low, high] mod the modulus."""
    length = high - low + 1
    if length >= modulus:
        return 1
    hit = first_hit(step, modulus, low - step, length)
    return None if hit is None else hit + 1


def _floor(x: mpq) -> int:
    return int(x.numerator // x.denominator)


def _ceiling(x: mpq) -> int:
    return -_floor(-x)
