"""Near-returns: all n from 1 to N for which n alpha is within delta of an integer, from a continued fraction.

alpha = theta / 2 pi is replaced by A / 2^B, a little below it, and delta widened by what that can move: a rotation of
the integers modulo M = 2^B by A, of which the visits to [-D, D] are wanted, 4 D < M.  Let a be the least n >= 1 that
moves to the right by r <= 2D, and b the least that moves to the left by s <= 2D.  From a visit x the next one is
after a steps if x + r <= D, after b if x - s >= -D, else after a + b (the three-distance theorem).  For let n be the
time of a visit, and d its displacement.  If d >= 0 then n >= a.  If moreover x + r > D >= x + d, then d < r, so n - a
moves to the left, by at most 2D, and n - a >= b.  If d < 0 and x - s < -D <= x + d, then n >= b and n - b >= a alike.
And x + r <= D and x - s >= -D exclude each other unless r = s = 0: r + s <= 2D would make |a - b| a smaller a or b.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from .angle import Angle
from .fixedpoint import pi, root_above
from .limits import Account

__all__ = ["arc", "near_returns"]


def arc(ratio: Fraction) -> Fraction | None:
    """At least the greatest |t| in turns, |t| <= 1/2, with 1 - cos(2 pi t) <= 2 ratio; None unless ratio <= 1/8.

    1 - cos x = 2 sin^2(x/2), so |x| <= 2 arcsin(z), z = sqrt(ratio), and arcsin z <= z / sqrt(1 - z^2), its tangent.
    """
    if ratio > Fraction(1, 8):
        return None
    return root_above(ratio / (1 - ratio)) * Fraction(1 << 64, pi(64)[0])


def near_returns(angle: Angle, most: int, delta: Fraction, account: Account) -> Iterator[int]:
    """Every n in 1..most with |n alpha mod 1| <= delta <= 1/5, rising, and perhaps a few more very near that."""
    bits = most.bit_length() + delta.denominator.bit_length() - delta.numerator.bit_length() + 16
    account.refine(bits)
    low, high = angle.turns(bits)
    M = 1 << bits
    D = -(-(delta.numerator << bits) // delta.denominator) + most * (high - low)
    right = _first(low % M, M, 2 * D)
    left = _first(-low % M, M, 2 * D)
    account.foresee(most // (right + left), "the near-returns of the rotation")  # none is longer than a + b
    r, s = right * low % M, -left * low % M
    n = x = 0
    while True:
        if x + r <= D:
            n, x = n + right, x + r
        elif x - s >= -D:
            n, x = n + left, x - s
        else:
            n, x = n + right + left, x + r - s
        if n > most:
            return
        yield n


def _first(step: int, modulus: int, width: int) -> int:
    """The least n >= 1 with n step mod modulus <= width < modulus / 2; there is one, since n = modulus is.

    In general, the least n >= 0 with low <= n A mod M <= high: 0 if low is 0; ceil(low / A) if that multiple of A is
    <= high; else at least one turn is made, n A - y M lies in [low, high] for the least y at which a multiple of A
    can, which is the same question for y and -M modulo A.  A is kept <= M / 2 by looking from the other side, so this
    is Euclid's algorithm.
    """
    if step <= width:
        return 1
    A, M, low, high = step, modulus, modulus - step, modulus - step + width  # (n - 1) step is in there
    levels = []
    while low:
        if 2 * A > M:
            A, low, high = M - A, M - high, M - low
        n = -(-low // A)
        if n * A <= high:
            break
        levels.append((A, M, low))
        A, M, low, high = -M % A, A, low % A, high % A
    else:
        n = 0
    for A, M, low in reversed(levels):
        n = -(-(low + n * M) // A)
    return n + 1
