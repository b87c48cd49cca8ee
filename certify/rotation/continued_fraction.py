"""The continued fraction of alpha = angle / 2 pi mod 1, every quotient of it certified.

alpha = [0; a1, a2, ...] lies in [0, 1) and is known by rational enclosures lo <= alpha <= hi.  As long as both ends
have the same integer part, that is the integer part of alpha as well, since floor rises; then 1/(alpha - floor) lies
between 1/(hi - floor) and 1/(lo - floor), and the step repeats.  So the quotients on which the two ends agree are those
of alpha.  When they part, the enclosure is computed again at twice the precision: no quotient is ever guessed.

The convergents p_k/q_k follow from q_k = a_k q_{k-1} + q_{k-2} (and p likewise).  What they are good for is in
`near_returns`.  Source: A. Ya. Khinchin, Continued Fractions (1964), §§1, 2 and 6.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import islice

from gmpy2 import mpq, mpz

from fpsim.angle import Angle

__all__ = ["convergents", "partial_quotients", "semiconvergents"]

_FIRST_BITS = 128  # some 35 quotients (Khinchin-Lévy: about 3.4 bits of enclosure each), denominators up to about 10^18


def partial_quotients(angle: Angle) -> Iterator[int]:
    """The quotients a1, a2, ... of angle / 2 pi mod 1 = [0; a1, a2, ...].

    The sequence is endless when the angle is an irrational multiple of 2 pi.  Otherwise it ends, with a last quotient
    of at least 2; it is empty for a whole number of turns.

    >>> from itertools import islice
    >>> list(islice(partial_quotients(Angle.parse("1")), 8))
    [6, 3, 1, 1, 7, 2, 146, 3]
    >>> list(partial_quotients(Angle.parse("2pi*3/7")))
    [2, 3]
    """
    turns = angle.turns
    if turns is not None:
        yield from _common_quotients(turns, turns)
        return
    certified, bits = 0, _FIRST_BITS
    while True:
        lo, hi = angle.enclose_turns(bits)
        if lo.numerator // lo.denominator == hi.numerator // hi.denominator:  # else a whole number is in between
            known = list(_common_quotients(lo, hi))
            yield from islice(known, certified, None)
            certified = max(certified, len(known))
        bits *= 2


def _common_quotients(lo: mpq, hi: mpq) -> Iterator[int]:
    """The quotients a1, a2, ... shared by all of [lo, hi], whose ends have the same integer part; all if lo = hi.

    Each end is held as remainder/divisor, the state of Euclid's algorithm.  A remainder of 0 at one end only means
    that the other reals in between have one more quotient, of unknown size.
    """
    lo_divisor, lo_rest = lo.denominator, lo.numerator % lo.denominator
    hi_divisor, hi_rest = hi.denominator, hi.numerator % hi.denominator
    while lo_rest and hi_rest:
        quotient, lo_next = divmod(lo_divisor, lo_rest)
        other, hi_next = divmod(hi_divisor, hi_rest)
        if quotient != other:
            return
        yield int(quotient)
        lo_divisor, lo_rest = lo_rest, lo_next
        hi_divisor, hi_rest = hi_rest, hi_next


def convergents(angle: Angle, up_to: int | None = None) -> Iterator[tuple[int, int]]:
    """The convergents (p, q) of angle / 2 pi mod 1, from (0, 1) on, with denominators q <= up_to (all for None).

    For an angle of a/m turns in lowest terms the last one is (a mod m, m).

    >>> list(convergents(Angle.parse("1"), 1000))
    [(0, 1), (1, 6), (3, 19), (4, 25), (7, 44), (53, 333), (113, 710)]
    >>> list(convergents(Angle.parse("2pi*3/7")))
    [(0, 1), (1, 2), (3, 7)]
    """
    # mpz: the sums are of long integers from about the 20th convergent on
    p_before, q_before, p, q = mpz(1), mpz(0), mpz(0), mpz(1)
    if up_to is not None and up_to < 1:
        return
    yield 0, 1
    for quotient in partial_quotients(angle):
        p_before, p = p, quotient * p + p_before
        q_before, q = q, quotient * q + q_before
        if up_to is not None and q > up_to:
            return
        yield int(p), int(q)


def semiconvergents(angle: Angle, up_to: int | None = None) -> Iterator[tuple[int, int]]:
    """The intermediate fractions (p_{k-2} + t p_{k-1}, q_{k-2} + t q_{k-1}), t = 1..a_k, k = 1, 2, ..., q <= up_to.

    With t = a_k they are the convergents.  Together with (0, 1) they are the best approximations of alpha, the angle
    over 2 pi mod 1, from one side: those whose q alpha comes nearer to a whole number than any earlier one does from
    that side.  (Each has a predecessor on that side and a convergent on the other as neighbours with determinant 1, and
    a fraction between two such neighbours has at least the sum of their denominators: Khinchin, §6.)

    >>> list(semiconvergents(Angle.parse("1"), 50))
    [(1, 1), (1, 2), (1, 3), (1, 4), (1, 5), (1, 6), (1, 7), (2, 13), (3, 19), (4, 25), (7, 44)]
    """
    p_before, q_before, p, q = 1, 0, 0, 1
    for quotient in partial_quotients(angle):
        for t in range(1, quotient + 1):
            if up_to is not None and q_before + t * q > up_to:
                break
            yield p_before + t * p, q_before + t * q
        p_before, p = p, quotient * p + p_before
        q_before, q = q, quotient * q + q_before
        if up_to is not None and q + q_before > up_to:
            return
