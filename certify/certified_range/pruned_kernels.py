"""Compiled loops over the pairs that the near-returns leave: by a table of keys, or one near-return at a time.

Keys and queries come in binary64 arrays (`fpsim.blocks`, `fast_rows.queries`); scores and the exact comparison with
f_large are those of the exhaustive kernel (`pair_scan`).
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certify.certified_range.pair_scan import Floats, gap_fails, score_pair
from fpsim.compilation import kernel

__all__ = ["Integers", "first_failing_distance", "scan_table", "target_scores"]

Integers = np.ndarray[Any, np.dtype[np.int64]]

_GREATEST = 1.7976931348623157e308


@kernel()
def scan_table(
    spec: Any,
    how: int,
    q0: Floats,
    q1: Floats,
    c: Floats,
    s: Floats,
    returns: Integers,
    offset: int,
    start: int,
    stop: int,
    threshold: float,
) -> tuple[int, int, int]:
    """(i, j, pairs): the first failing pair, or (-1, -1, pairs), of the queries start .. stop-1.

    Arrays are indexed by position, but q0 and q1 begin with the query `start`.  `returns` rises and holds every
    near-return up to max(stop - 1 - offset, offset - 1).
    """
    pairs = 0
    after = np.searchsorted(returns, offset)  # near-returns below the offset, for competitors after the target
    count = np.searchsorted(returns, start - offset)
    for i in range(start, stop):
        goal = i - offset
        a, b = q0[i - start], q1[i - start]
        target = score_pair(spec, how, a, b, c[goal], s[goal])
        if not abs(target) <= _GREATEST:
            return i, 0 if goal > 0 else 1, pairs + 1
        while count < returns.size and returns[count] <= goal:
            count += 1
        for place in range(count - 1, -1, -1):
            j = goal - returns[place]
            pairs += 1
            if gap_fails(target, score_pair(spec, how, a, b, c[j], s[j]), threshold):
                return i, j, pairs
        for place in range(after):
            j = goal + returns[place]
            pairs += 1
            if gap_fails(target, score_pair(spec, how, a, b, c[j], s[j]), threshold):
                return i, j, pairs
    return -1, -1, pairs


@kernel()
def target_scores(spec: Any, how: int, q0: Floats, q1: Floats, c: Floats, s: Floats, target: Floats) -> int:
    """target[n] = the score of query n and key n; returns the first n where it is not finite, or the size."""
    bad = q0.size
    for n in range(q0.size - 1, -1, -1):
        target[n] = score_pair(spec, how, q0[n], q1[n], c[n], s[n])
        if not abs(target[n]) <= _GREATEST:
            bad = n
    return bad


@kernel()
def first_failing_distance(
    spec: Any, how: int, q0: Floats, q1: Floats, target: Floats, c: Floats, s: Floats, threshold: float
) -> int:
    """The first n whose query, target score and competitor n fail, or the size of c."""
    for n in range(c.size):
        if gap_fails(target[n], score_pair(spec, how, q0[n], q1[n], c[n], s[n]), threshold):
            return n
    return c.size
