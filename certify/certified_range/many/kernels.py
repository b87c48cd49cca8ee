"""Compiled rows of scores of a head on several pairs: the binary64 twin of `ManyPairsHead.score_of`.

A query is an array of its 2 D entries.  Keys are arrays of shape (2 D, positions), so that the loop over positions is
the innermost one: entry by entry the sums of a stretch of positions grow side by side, each in the order of the
reference.  The comparison with f_large is the exact one of the one-pair kernel.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certify.certified_range.pair_scan import EXACT, FUSED, Floats, gap_fails
from certify.certified_range.weight_scan import selects
from fpsim.compilation import kernel
from fpsim.scalar import add_closed, fma, mul, mul_closed

__all__ = ["fill_scores", "first_failing_distance", "first_failing_row", "first_failing_softmax", "paired_scores"]

_GREATEST = 1.7976931348623157e308
_STRETCH = 1024


@kernel()
def fill_scores(spec: Any, how: int, query: Floats, keys: Floats, start: int, row: Floats) -> None:
    """row[n] = the score of the query and the key at start + n."""
    if how == EXACT:
        for n in range(row.size):
            row[n] = mul_closed(spec, query[0], keys[0, start + n])
    else:
        for n in range(row.size):
            row[n] = mul(spec, query[0], keys[0, start + n])
    for term in range(1, query.size):
        q, key = query[term], keys[term]
        if how == EXACT:
            for n in range(row.size):
                row[n] = add_closed(spec, row[n], mul_closed(spec, q, key[start + n]))
        elif how == FUSED:
            for n in range(row.size):
                row[n] = fma(spec, q, key[start + n], row[n])
        else:
            for n in range(row.size):
                row[n] = add_closed(spec, row[n], mul(spec, q, key[start + n]))


@kernel()
def _any_fails(
    spec: Any,
    how: int,
    query: Floats,
    keys: Floats,
    start: int,
    stop: int,
    target: float,
    threshold: float,
    row: Floats,
) -> bool:
    while start < stop:
        part = row[: min(_STRETCH, stop - start)]
        fill_scores(spec, how, query, keys, start, part)
        failing = 0
        for n in range(part.size):
            failing += gap_fails(target, part[n], threshold)
        if failing:
            return True
        start += part.size
    return False


@kernel()
def first_failing_row(
    spec: Any, how: int, queries: Floats, keys: Floats, offset: int, start: int, stop: int, threshold: float
) -> int:
    """The least i with start <= i < stop whose row has a failing pair, or -1; queries[i] is the query at position i."""
    row = np.empty(_STRETCH)
    for i in range(start, stop):
        goal = i - offset
        fill_scores(spec, how, queries[i], keys, goal, row[:1])
        target = row[0]
        if not abs(target) <= _GREATEST:
            return i
        if _any_fails(spec, how, queries[i], keys, 0, goal, target, threshold, row) or _any_fails(
            spec, how, queries[i], keys, goal + 1, i, target, threshold, row
        ):
            return i
    return -1


@kernel()
def first_failing_softmax(
    score: Any,
    values: Any,
    softmax: Any,
    wide: Any,
    how: int,
    order: int,
    block: int,
    queries: Floats,
    keys: Floats,
    offset: int,
    start: int,
    stop: int,
) -> int:
    """The least i with start <= i < stop whose softmax does not select i - offset exactly, or -1."""
    row, scratch = np.empty(stop), np.empty(stop)
    for i in range(start, stop):
        fill_scores(score, how, queries[i], keys, 0, row[:i])
        if not selects(values, softmax, wide, order, block, row[:i], i - offset, scratch):
            return i
    return -1


@kernel()
def paired_scores(spec: Any, how: int, queries: Floats, keys: Floats, scores: Floats) -> None:
    """scores[n] = the score of query n and key n; both arrays have the shape (2 D, positions)."""
    if how == EXACT:
        for n in range(scores.size):
            scores[n] = mul_closed(spec, queries[0, n], keys[0, n])
    else:
        for n in range(scores.size):
            scores[n] = mul(spec, queries[0, n], keys[0, n])
    for term in range(1, queries.shape[0]):
        query, key = queries[term], keys[term]
        if how == EXACT:
            for n in range(scores.size):
                scores[n] = add_closed(spec, scores[n], mul_closed(spec, query[n], key[n]))
        elif how == FUSED:
            for n in range(scores.size):
                scores[n] = fma(spec, query[n], key[n], scores[n])
        else:
            for n in range(scores.size):
                scores[n] = add_closed(spec, scores[n], mul(spec, query[n], key[n]))


@kernel()
def first_failing_distance(target: Floats, scores: Floats, threshold: float) -> int:
    """The first n whose target and competitor fail, or the size of `scores`."""
    for n in range(scores.size):
        if gap_fails(target[n], scores[n], threshold):
            return n
    return scores.size
