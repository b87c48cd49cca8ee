"""The compiled walk over buckets of realized keys; `buckets` has the theorem whose numbers the comments cite."""

from __future__ import annotations

from typing import Any

import numpy as np

from certify.certified_range.pair_scan import Floats, gap_fails, score_pair
from fpsim.compilation import kernel

__all__ = ["STRETCH", "Places", "bucket_of", "scan_buckets"]

Places = np.ndarray[Any, np.dtype[np.int32]]

STRETCH = 4
_MANY_BUCKETS = 32
_GREATEST = 1.7976931348623157e308
_HALF_PI = 1.5707963267948968  # above pi/2
_INFLATE = 1.0 + 2.0**-45
_MARGIN = 2.0**-40


@kernel(inline="always")
def _direction(x: float, y: float) -> float:
    """The diamond angle of (x, y) in [0, 4], within 2^-49 of the exact one."""
    size = abs(x) + abs(y)
    if size > _GREATEST:
        x *= 0.25
        y *= 0.25
        size = abs(x) + abs(y)
    if size == 0.0:
        return 0.0
    if y >= 0.0:
        return y / size if x >= 0.0 else 1.0 - x / size
    return 2.0 - y / size if x < 0.0 else 3.0 + x / size


@kernel(inline="always")
def bucket_of(x: float, y: float, size: float) -> int:
    """The bucket of the key (x, y), of 4 * size buckets; 0 for a key that is not finite."""
    if abs(x) <= _GREATEST and abs(y) <= _GREATEST:
        return int(np.int64(np.floor(_direction(x, y) * size)) % (4 * np.int64(size)))
    return 0


@kernel()
def _first_in_row(
    spec: Any,
    how: int,
    a: float,
    b: float,
    target: float,
    c: Floats,
    s: Floats,
    first: int,
    i: int,
    goal: int,
    threshold: float,
) -> int:
    """The least competitor of query i, from `first` on, that fails, or i; every key is looked at."""
    for j in range(first, i):
        if j != goal and gap_fails(target, score_pair(spec, how, a, b, c[j], s[j]), threshold):
            return j
    return i


@kernel()
def scan_buckets(
    spec: Any,
    how: int,
    q0: Floats,
    q1: Floats,
    c: Floats,
    s: Floats,
    heads: Places,
    links: Places,
    size: float,
    longest: Floats,
    reach: float,
    open_from: int,
    offset: int,
    filled: int,
    start: int,
    stop: int,
    threshold: float,
) -> tuple[int, int, int, int]:
    """(i, j, pairs, filled): the first failing pair, or -1 twice, of the queries start .. stop-1.

    q0 and q1 begin with the query `start`, everything else is indexed by position.  heads[b] is the last key put into
    bucket b, links[j] the one before j, which has a lower position; the keys below `filled` are in, and others are put
    in when buckets are looked into.  longest[j >>
    STRETCH]: a bound of the lengths of the keys up to j; reach: f + D, or NaN when every key has to be looked at;
    open_from: the least position whose key is not finite.
    """
    pairs = 0
    whole = heads.size
    for i in range(start, stop):
        goal = i - offset
        a, b = q0[i - start], q1[i - start]
        target = score_pair(spec, how, a, b, c[goal], s[goal])
        if not abs(target) <= _GREATEST:
            return i, 0 if goal > 0 else 1, pairs + 1, filled
        least = i
        need = target - reach
        need -= abs(need) * 2.0**-50  # H, from below
        larger = max(abs(a), abs(b))
        if not need > 0.0 or i > open_from or not larger <= _GREATEST:
            least = _first_in_row(spec, how, a, b, target, c, s, 0, i, goal, threshold)
            pairs += min(least, i - 1) + 1
        else:  # need > 0 excludes a query of 0, whose scores are 0
            u, v = a / larger, b / larger
            shortest = need / larger / (np.sqrt(u * u + v * v) * _INFLATE)
            shortest -= shortest * 2.0**-45  # H / |q|, from below: no key of this length or less fails
            cosine = shortest / longest[(i - 1) >> STRETCH]
            cosine -= cosine * 2.0**-45
            if cosine < 1.0:
                width = _HALF_PI * np.sqrt(2.0 * (1.0 - cosine) + 2.0**-50) + _MARGIN
                middle = _direction(a, b)
                low = np.int64(np.floor((middle - width) * size))
                high = np.int64(np.floor((middle + width) * size))
                high = min(high, low + whole - 1)
                first = 0  # before it all keys are too short: this matters where they grow
                if high - low > _MANY_BUCKETS:
                    first = np.searchsorted(longest[: ((i - 1) >> STRETCH) + 1], shortest, side="right") << STRETCH
                if i - first < high - low:
                    least = _first_in_row(spec, how, a, b, target, c, s, first, i, goal, threshold)
                    pairs += min(least, i - 1) + 1 - first
                    high = low - 1
                else:
                    while filled < i:
                        bucket = bucket_of(c[filled], s[filled], size)
                        links[filled] = heads[bucket]
                        heads[bucket] = filled
                        filled += 1
                for bucket in range(low, high + 1):
                    j = heads[bucket % whole]
                    while j >= 0 and longest[j >> STRETCH] > shortest:
                        pairs += 1
                        if (
                            j < least
                            and j != goal
                            and gap_fails(target, score_pair(spec, how, a, b, c[j], s[j]), threshold)
                        ):
                            least = j
                        j = links[j]
        if least < i:
            return i, least, pairs, filled
    return -1, -1, pairs, filled
