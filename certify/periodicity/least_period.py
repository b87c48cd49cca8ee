"""The least period of a table that is read again and again, and of a finite window; with the positions that show it.

A table of n entries read at i mod n has the period n, and its least period divides every period (`table` has the
proof).  So it is found by taking prime factors away from n one at a time: n/p is a period, or a pair of entries that
are n/p apart and differ shows that no divisor of n/p is one.

A finite window w_0 .. w_{n-1} is *consistent* with a period p when w_{i+p} = w_i for all i < n - p.  The least such p
is n minus the length of the longest proper border (a prefix that is also a suffix), which the failure function of
Knuth, Morris and Pratt gives for every prefix in time proportional to n (D. E. Knuth, J. H. Morris, V. R. Pratt, "Fast
pattern matching in strings", SIAM J. Comput. 6(2), 1977).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import gmpy2
import numpy as np

from fpsim.compilation import kernel

__all__ = ["first_difference", "prime_divisors", "table_period", "window_period", "window_period_by_trial"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

_TRIAL_DIVISORS = 1_000_000


def prime_divisors(n: int) -> tuple[int, ...] | None:
    """The primes that divide n >= 1, rising; None when n has a factor above 10^12 that is not prime.

    (Numbers up to 10^12 are always factored.)

    >>> prime_divisors(360), prime_divisors(2**89 - 1) == (2**89 - 1,), prime_divisors(1)
    ((2, 3, 5), True, ())
    """
    primes: list[int] = []
    d = 2
    while d * d <= n and d <= _TRIAL_DIVISORS:
        if n % d == 0:
            primes.append(d)
            while n % d == 0:
                n //= d
        d += 1 if d == 2 else 2
    if n > 1:
        if n > _TRIAL_DIVISORS**2 and not gmpy2.is_prime(n, 50):
            return None
        primes.append(n)
    return tuple(primes)


def first_difference(c: Floats, s: Floats, distance: int) -> int | None:
    """The least i with (c, s)_i and (c, s)_{i + distance} different, or None; 0 and -0 are equal, NaN differs."""
    differs = (c[distance:] != c[: c.size - distance]) | (s[distance:] != s[: s.size - distance])
    places = np.flatnonzero(differs)
    return int(places[0]) if places.size else None


def table_period(c: Floats, s: Floats) -> tuple[int, tuple[int, ...]]:
    """(the least period of the table read again and again, pairs of positions that differ: one pair, flat, for each
    prime factor of the period).  No NaN; at least one entry.

    >>> table_period(np.array([1.0, 0, 1, 0, 1, 0]), np.zeros(6))
    (2, (0, 1))
    """
    period = c.size
    primes = prime_divisors(period)
    assert primes is not None  # an array has fewer than 10^12 entries
    for p in primes:
        while period % p == 0 and first_difference(c[:period], s[:period], period // p) is None:
            period //= p
    shown: list[int] = []
    for distance in (period // p for p in primes if period % p == 0):
        place = first_difference(c[:period], s[:period], distance)
        assert place is not None  # else the period would be shorter
        shown += (place, place + distance)
    return period, tuple(shown)


def window_period(c: Floats, s: Floats) -> int | None:
    """The least period of at most half the window's length that all of the window is consistent with; None: none.

    >>> window_period(np.array([0.0, 1, 2, 0, 1, 2, 0]), np.zeros(7)), window_period(np.arange(4.0), np.zeros(4))
    (3, None)
    """
    if c.size == 0:
        return None
    border = _longest_border(np.ascontiguousarray(c), np.ascontiguousarray(s), np.empty(c.size, np.int64))
    period = c.size - border
    return period if 2 * period <= c.size else None


def window_period_by_trial(c: Floats, s: Floats) -> int | None:
    """The reference of `window_period`: every length is tried."""
    return next((p for p in range(1, c.size // 2 + 1) if first_difference(c, s, p) is None), None)


@kernel()
def _longest_border(c: Floats, s: Floats, border: Any) -> int:
    border[0] = 0
    k = 0
    for i in range(1, c.size):
        while k > 0 and not (c[i] == c[k] and s[i] == s[k]):
            k = border[k - 1]
        if c[i] == c[k] and s[i] == s[k]:
            k += 1
        border[i] = k
    return k
