"""Near-returns of a rotation, by integers: all n whose multiple of the angle is almost a whole number of turns.

With alpha = g / 2 pi, a power of two m, and an integer a within 2 below alpha m, n a / m is below n alpha by at most
2n/m.  So every n <= N with a distance of at most d turns to a whole number has (n a) mod m within ceil(d m) + 2N of 0
(mod m); these are enumerated, one after the other, by the least solution of l <= a x mod m <= r, which a Euclidean
descent finds.
"""

from __future__ import annotations

from collections.abc import Iterator

from gmpy2 import mpq

from certify.second_opinions.forms import Angle
from certify.second_opinions.real import Reals
from certify.second_opinions.values import floor_log2

__all__ = ["first_within", "near_returns"]


def near_returns(reals: Reals, angle: Angle, distance: mpq, last: int) -> Iterator[int]:
    """All n with 1 <= n <= `last`, rising, at which n times the angle is within `distance` turns of a whole number of
    them; a few beyond that distance may be among them.
    """
    if last < 1:
        return
    turns = angle.turns
    if turns is not None:
        m = int(turns.denominator)
        a, reach = int(turns.numerator) % m, int(distance * m // 1)
    else:
        m = 1 << (last.bit_length() + 64 + max(0, -floor_log2(distance)))
        a = _scaled_turns(reals, angle, m)
        reach = int(-(-distance * m // 1)) + 2 * last
    n = 1
    while n <= last:
        # The least x >= 0 with (a (n + x) + reach) mod m in [0, 2 reach].
        low = (-reach - a * n) % m
        # An arc that reaches m holds 0 itself, or everything.
        found = first_within(a, m, low, low + 2 * reach) if low + 2 * reach < m else 0
        if found is None:
            return
        n += found
        if n <= last:
            yield n
        n += 1


def _scaled_turns(reals: Reals, angle: Angle, m: int) -> int:
    """An integer a with a <= m g / 2 pi < a + 2, reduced mod m."""
    bits = m.bit_length() + 8 + max(0, abs(int(angle.coefficient)).bit_length())
    while True:
        lo, hi = reals.angle(angle, bits)
        pi_lo, pi_hi = reals.angle(Angle(mpq(1), "pi"), bits)
        ends = [x * m / (2 * p) for x in (lo, hi) for p in (pi_lo, pi_hi)]
        if max(ends) - min(ends) < mpq(1, 8):
            return int(min(ends) // 1) % m
        bits *= 2


def first_within(a: int, m: int, low: int, high: int) -> int | None:
    """The least x >= 0 with low <= a x mod m <= high, for 0 <= low <= high < m; None when there is none.

    >>> first_within(5, 17, 3, 4), first_within(4, 8, 1, 3)
    (4, None)
    """
    if low == 0:
        return 0
    a %= m
    if a == 0:
        return None
    x = -(-low // a)
    if a * x <= high:
        return x
    # No multiple of a lies in the arc.  a x = m y + t with low <= t <= high: then m y mod a is -t mod a, and the least
    # y gives the least x.
    y = first_within(m % a, a, -high % a, -low % a)
    return None if y is None else -(-(low + m * y) // a)
