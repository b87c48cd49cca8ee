"""All positions at which a rotation lies in an arc, listed in time proportional to their number.

From one visit to the next there are at most three different times, r, s and r + s, and which one applies can be read
off the place in the arc (Slater 1967; stated and proved in `integer_rotation`).  So a list of k visits costs k
additions, however far apart they are, and its beginning, anywhere, costs O(log limit).

An irrational alpha is replaced by step/2^w, which puts n alpha strictly between n step/2^w and (n step + n)/2^w.  All
visits to the arc are visits of the integer rotation to the arc widened by limit/2^w on its left, and a place farther
than n/2^w from the ends is decided.  At one that is not, the scan starts again, there, with twice the bits.  That ends,
because for irrational alpha and n >= 1 the place n alpha mod 1 never equals an end, which is rational.  Twice the bits
are taken, too, until the widening is narrower than half of the way from one visit to the next, so that at most one
visit in a row is of the widening alone; there are finitely many return times up to the limit, and each way is positive.
For alpha = a/m the integers mod m are exact.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import chain
from operator import index

from gmpy2 import mpq

from certify.rotation.integer_rotation import first_hit, fixed_point, return_times
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import parse_number

__all__ = ["near_returns_within", "visits"]

# With this many bits beyond those of limit/length, a place near an end is met once in 2^40 visits of a generic angle.
_SPARE_BITS = 40


def near_returns_within(angle: Angle, width: object, limit: int, *, start: int = 1) -> Iterator[int]:
    """All n, start <= n <= limit, with n * angle at a distance < width from the multiples of 2 pi, in rising order.

    `width` is an exact number of turns (`certify.rotation.width` converts).  start >= 1.  Raises `InputError`.

    >>> list(near_returns_within(Angle.parse("1"), "1/100", 200))
    [44, 88, 132]
    >>> list(near_returns_within(Angle.parse("1"), "1e-31", 10**31, start=10**30))
    [5005608804695235355702822685879]
    """
    half = parse_number(width, "width")
    start, limit = _checked_range(start, limit, least=1)
    if half <= 0 or start > limit:
        return iter(())
    if 2 * half > 1 or (2 * half == 1 and angle.turns is None):
        return iter(range(start, limit + 1))
    return _scan(angle, -half, half, open_low=True, start=start, limit=limit)


def visits(angle: Angle, lo: object, hi: object, limit: int, *, start: int = 0) -> Iterator[int]:
    """All n, start <= n <= limit, with n * angle / 2 pi in [lo, hi) mod 1, in rising order.

    lo <= hi are exact numbers of turns; the arc may run over 0, and is the whole circle when hi - lo >= 1.
    start >= 0.  Raises `InputError`.

    >>> list(visits(Angle.parse("1"), "-1/40", "1/40", 70))
    [0, 19, 25, 44, 69]
    """
    low, high = parse_number(lo, "lo"), parse_number(hi, "hi")
    start, limit = _checked_range(start, limit, least=0)
    if low > high:
        raise InputError("hi", hi, f"at least lo = {lo}")
    if low == high or start > limit:
        return iter(())
    if high - low >= 1:
        return iter(range(start, limit + 1))
    at_zero = (0,) if start == 0 and -low - (-low.numerator // low.denominator) < high - low else ()
    return chain(at_zero, _scan(angle, low, high, open_low=False, start=max(start, 1), limit=limit))


def _checked_range(start: int, limit: int, *, least: int) -> tuple[int, int]:
    """Both as Python integers, which do not wrap around."""
    if start < least:
        raise InputError("start", start, f"an integer of at least {least}")
    if limit < 0:
        raise InputError("limit", limit, "an integer of at least 0")
    return index(start), index(limit)


def _scan(angle: Angle, lo: mpq, hi: mpq, *, open_low: bool, start: int, limit: int) -> Iterator[int]:
    """The visits to [lo, hi), or to (lo, hi) if `open_low`, of length <= 1 (< 1 for irrational alpha), start >= 1.

    Places are integers relative to `first`, the left end of the widened arc.
    """
    length = hi - lo
    bits = limit.bit_length() + length.denominator.bit_length() - length.numerator.bit_length() + 1 + _SPARE_BITS
    while start <= limit:
        step, modulus, blur = fixed_point(angle, bits)
        bits *= 2
        lo_floor, hi_floor = (int(end.numerator * modulus // end.denominator) for end in (lo, hi))
        if blur:  # strictly between the ends; a place can be off by n <= limit to the right
            first, beyond = lo_floor - limit, hi_floor + 1
        else:
            first = lo_floor + 1 if open_low else _ceiling(lo * modulus)
            beyond = _ceiling(hi * modulus)
        size = beyond - first
        if blur and size > modulus:  # the widened arc overlaps itself
            continue
        skipped = first_hit(step, modulus, first - start * step, size)
        if skipped is None:
            return
        n = start + skipped
        x = (n * step - first) % modulus
        r, d_r, s, d_s = return_times(step, modulus, size)
        both, d_both = r + s, d_r - d_s
        room = size - d_r
        moves = [(r, d_r), (s, d_s), *([(both, abs(d_both))] if room < limit else [])]
        if blur and any(time <= limit and move <= 2 * limit for time, move in moves):
            continue  # many visits of the widening alone: those of a tiny angle lie closer together than it is wide
        sure_low, sure_high = (lo_floor + 1 - first, hi_floor - limit - first) if blur else (0, size)
        while n <= limit:
            if sure_low <= x <= sure_high or (x >= sure_low and x + n <= hi_floor - first):
                yield n
            elif x + n > lo_floor - first:  # neither surely inside nor surely left of the arc
                break
            if x < room:
                x += d_r
                n += r
            elif x >= d_s:
                x -= d_s
                n += s
            else:
                x += d_both
                n += both
        start = n


def _ceiling(value: mpq) -> int:
    return -int(-value.numerator // value.denominator)
