"""The record near-returns of a rotation, and the first position at which a monotone test of nearness holds.

Write ||x|| for the distance of x to the nearest whole number, alpha = angle / 2 pi, and call n >= 1 a *record* when
||n alpha|| < ||m alpha|| for all 1 <= m < n; n = 1 is one, for want of competitors.  Theorem (Lagrange; Khinchin,
Continued Fractions, §6, Theorems 16 and 17): the records are the denominators of the convergents of alpha, with one
exception that concerns the numerator only: for alpha = 1/2 both 0/1 and 1/1 are nearest to it.  When a1 = 1 (alpha >
1/2) the first two convergents 0/1 and 1/1 share the denominator 1, which is one record.  For alpha = a/m in lowest
terms the list ends at m, an exact return: no distance is below 0.

For the angle 1 the records are 1, 6, 19, 25, 44, 333, 710, 103993, ...: 19 and 25 are convergents, since
alpha = [0; 6, 3, 1, 1, 7, 2, 146, ...]; 2 and 3 are not records (they only lead further away from 0), and a list that
begins with 6 leaves the trivial record 1 out.

A test of n that depends on ||n alpha|| only, and holds whenever it holds at a greater distance, is first met at a
record: if n is the least with test(n), every smaller m fails it, hence has a greater distance than n.  Records grow at
least like Fibonacci numbers, so the search takes O(log n) steps.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from gmpy2 import mpq

from certify.rotation.continued_fraction import convergents
from certify.rotation.distance import one_minus_cosine
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.real import Irrational
from fpsim.turning import cos_of

__all__ = ["delta", "first_gap_below", "first_return_below", "iter_records", "last_record", "record_near_returns"]


def iter_records(angle: Angle, limit: int | None = None) -> Iterator[int]:
    """The records n of |n * angle mod 2 pi|, n >= 1, in rising order, up to `limit` (None: without end).

    >>> from itertools import islice
    >>> list(islice(iter_records(Angle.parse("1")), 8))
    [1, 6, 19, 25, 44, 333, 710, 103993]
    """
    previous = 0
    for _, denominator in convergents(angle, limit):
        if denominator > previous:  # 0/1 and 1/1 are the same record
            yield denominator
        previous = denominator


def record_near_returns(angle: Angle, limit: int) -> list[int]:
    """All n, 1 <= n <= limit, with |n * angle mod 2 pi| smaller than for every smaller n >= 1.

    >>> record_near_returns(Angle.parse("2pi*3/7"), 100)
    [1, 2, 7]
    """
    return list(iter_records(angle, limit))


def last_record(angle: Angle, limit: int) -> int:
    """The n, 1 <= n <= limit, whose n * angle is nearest to a multiple of 2 pi, the least one if several are.

    >>> last_record(Angle.parse("1"), 709)
    333
    """
    if limit < 1:
        raise InputError("limit", limit, "an integer of at least 1")
    return max(iter_records(angle, limit))


def first_return_below(angle: Angle, predicate: Callable[[int], bool], limit: int | None = None) -> int | None:
    """The least n >= 1 with predicate(n), or None when no n (no n <= limit) satisfies it.

    `predicate` is a test that depends on the distance of n * angle to the multiples of 2 pi only and that every smaller
    distance passes as well.  It is called for O(log log n) of the records up to about n^2, or to `limit`.  Without a
    limit, a test that no distance above 0 passes never returns for an irrational multiple of 2 pi.

    >>> first_return_below(Angle.parse("pi/8"), lambda n: n % 16 in (0, 1, 15))
    1
    """
    records: list[int] = []
    source = iter_records(angle, limit)
    failed, ahead = -1, 1  # all records up to this index fail; how many the next probe leaps over
    while True:
        for record in source:
            records.append(record)
            if len(records) > failed + ahead:
                break
        probe = len(records) - 1
        if probe == failed:  # the list has ended
            return None
        if predicate(records[probe]):
            break
        failed, ahead = probe, 2 * ahead
    while probe - failed > 1:
        middle = (failed + probe) // 2
        if predicate(records[middle]):
            probe = middle
        else:
            failed = middle
    return records[probe]


def first_gap_below(angle: Angle, C: object, gap: object, limit: int | None = None) -> int | None:
    """The least n >= 1 with C (1 - cos(n * angle)) < gap, or None when there is none (none up to `limit`).

    C > 0 and gap are exact numbers.  The score of the k-offset head under exact arithmetic falls by
    C (1 - cos(n angle)) when its target is missed by n positions.  Without a limit the answer is None only for
    gap <= 0: distances come arbitrarily near to 0, or are 0.  Raises `InputError` for C <= 0.

    >>> angle = Angle.parse("1")
    >>> first_gap_below(angle, 40, "17.34375"), first_gap_below(angle, 1, 3)
    (6, 1)
    """
    scale, loss = parse_number(C, "C"), parse_number(gap, "gap")
    if scale <= 0:
        raise InputError("C", C, "a number greater than 0")
    if loss <= 0:
        return None
    least_cosine = 1 - loss / scale
    if least_cosine < -1:
        return 1 if limit is None or limit >= 1 else None
    return first_return_below(angle, lambda n: _exceeds(angle, n, least_cosine), limit)


def _exceeds(angle: Angle, n: int, bound: mpq) -> bool:
    """Whether cos(n * angle) > bound: an irrational cosine never equals it, so that narrowing enclosures decide."""
    cosine = cos_of(angle, n)
    return cosine.exceeds(bound) if isinstance(cosine, Irrational) else bool(cosine > bound)


def delta(angle: Angle, L: int) -> mpq | Irrational:
    """delta_L = 1 - max cos(n * angle) over 1 <= n <= L: how nearly the rotation returns within L steps.

    The enclosures of an irrational delta are narrow relative to it.  Raises `InputError` for L < 1.

    >>> for L in (332, 709, 710):
    ...     lo, hi = delta(Angle.parse("1"), L).enclose(60)
    ...     print(f"{float(lo):.3e}")
    1.567e-04
    3.891e-05
    1.817e-09
    >>> delta(Angle.parse("2pi*3/7"), 7)
    mpq(0,1)
    """
    if L < 1:
        raise InputError("L", L, "an integer of at least 1")
    return one_minus_cosine(angle, last_record(angle, L))
