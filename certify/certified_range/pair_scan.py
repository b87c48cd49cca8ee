"""The compiled twin of the exhaustive walk under the criterion `gap`: whole rows of pairs, in binary64.

Keys and queries are values of `values`, scores values of `score`.  A product of two values of at most 26 bits is exact
in binary64, so the cheap product of `fpsim.scalar` serves; otherwise the general one.  The gap is compared exactly: the
rounded difference d of target and competitor and its error e (TwoSum) give d + e, and d + e < f_large is decided from
d and, at d = f_large, from the sign of e.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import two_sum
from fpsim.scalar import add_closed, fma, mul, mul_closed

__all__ = ["EXACT", "FUSED", "GENERAL", "Floats", "first_failing_row", "gap_fails", "score_pair", "scores_of_row"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

EXACT, GENERAL, FUSED = range(3)
"""How a score is made: exact products, any products, or the second product fused into the sum."""

_GREATEST = 1.7976931348623157e308


@kernel(inline="always")
def score_pair(spec: Any, how: int, q0: float, q1: float, c: float, s: float) -> float:
    """S of the query (q0, q1) and the key (c, s)."""
    if how == EXACT:
        return add_closed(spec, mul_closed(spec, q0, c), mul_closed(spec, q1, s))
    if how == GENERAL:
        return add_closed(spec, mul(spec, q0, c), mul(spec, q1, s))
    return fma(spec, q1, s, mul(spec, q0, c))


@kernel()
def scores_of_row(spec: Any, how: int, q0: float, q1: float, c: Floats, s: Floats, row: Floats) -> None:
    """S(i, j) for j = 0 .. row.size - 1, from the query (q0, q1) and the keys (c, s)."""
    for j in range(row.size):
        row[j] = score_pair(spec, how, q0, q1, c[j], s[j])


@kernel(inline="always")
def gap_fails(target: float, score: float, threshold: float) -> bool:
    """Not (both finite and target - score >= threshold); a NaN fails every comparison."""
    d, e = two_sum(target, -score)
    enough = (d > threshold) | ((d == threshold) & (e >= 0.0))
    return not (enough & (abs(score) <= _GREATEST))


@kernel(inline="always")
def _segment_fails(
    spec: Any, how: int, q0: float, q1: float, c: Floats, s: Floats, target: float, threshold: float
) -> bool:
    """Whether any competitor of a stretch of keys fails: no early exit inside, so that it can run in vectors."""
    failing = 0
    if how == EXACT:
        for j in range(c.size):
            failing += gap_fails(target, score_pair(spec, EXACT, q0, q1, c[j], s[j]), threshold)
    elif how == GENERAL:
        for j in range(c.size):
            failing += gap_fails(target, score_pair(spec, GENERAL, q0, q1, c[j], s[j]), threshold)
    else:
        for j in range(c.size):
            failing += gap_fails(target, score_pair(spec, FUSED, q0, q1, c[j], s[j]), threshold)
    return failing > 0


@kernel()
def first_failing_row(
    spec: Any,
    how: int,
    q0: Floats,
    q1: Floats,
    c: Floats,
    s: Floats,
    offset: int,
    start: int,
    stop: int,
    threshold: float,
) -> int:
    """The least i with start <= i < stop whose row has a failing pair, or -1; q and keys are indexed by position."""
    for i in range(start, stop):
        goal = i - offset
        target = score_pair(spec, how, q0[i], q1[i], c[goal], s[goal])
        if not abs(target) <= _GREATEST:
            return i
        if _segment_fails(spec, how, q0[i], q1[i], c[:goal], s[:goal], target, threshold) or _segment_fails(
            spec, how, q0[i], q1[i], c[goal + 1 : i], s[goal + 1 : i], target, threshold
        ):
            return i
    return -1
