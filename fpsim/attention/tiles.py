"""The attention of one head, tile by tile: compiled (Eq. 2 of arXiv:2608.11909; "semantics 1", §4 and §6).

A tile is some consecutive query positions, its lanes, against all keys before the last of them: arrays of shape (keys,
lanes).  Lane r attends to the first counts[r] keys.  Memory is linear in the length of the word.  What is computed for
a lane beyond its count is never used.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.attention.dots import Chain, Dot, Fused, Sum, Tree, Wide
from fpsim.attention.exponentials import exp_all
from fpsim.attention.products import inner, outer
from fpsim.attention.stages import Kernels
from fpsim.attention.sums import Counts, Tile, sum_tile
from fpsim.compilation import kernel
from fpsim.rounding.dispatch import implement
from fpsim.rounding.kinds import Spec

__all__ = ["LANES", "attend_items", "score_tile", "softmax_tile", "weighted_tile"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

LANES = 32
"""Query positions of a tile: a few vectors of numbers, few enough for a tile of some hundred keys to stay in cache."""

# The compiled doors of `fpsim.scalar`: the compiler inlines them where they are short, so that loops vectorize, and
# leaves the long ones of other kinds out, which would take it seconds each.
_sub, _mul, _div, _round_to = scalar._sub_closed, scalar._mul_closed, scalar._div_closed, scalar.round_to


@kernel()
def score_tile(dot: Dot, queries: Array, keys: Array, counts: Counts, scores: Tile) -> None:
    """scores[j, r] = the dot product of queries[:, r] and keys[j], in the set and the order of `dot`."""
    size, lanes = queries.shape
    terms = np.empty((size, lanes), scores.dtype)
    every = np.empty(lanes, np.int64)
    for r in range(lanes):
        every[r] = size
    first = 0
    for j in range(counts[lanes - 1]):
        while counts[first] <= j:
            first += 1
        inner(dot, queries, keys[j], scores[j], terms, every, first)


@kernel()
def softmax_tile(
    difference: Spec,
    softmax: Spec,
    denominator: Sum,
    values: Spec,
    scores: Tile,
    counts: Counts,
    exponentials: Tile,
    weights: Tile,
    denominators: Array,
) -> None:
    """The stable softmax of each lane: exponentials, denominators, and weights rounded into the set of values.

    A NaN score makes all weights of its lane NaN.
    """
    # Slices, and ranges from 0: see `fpsim.attention.sums`.
    lanes = counts.size
    most = counts[lanes - 1]
    greatest = np.empty(lanes)
    for r in range(lanes):
        greatest[r] = -np.inf
    first = 0
    for j in range(most):
        while counts[first] <= j:
            first += 1
        row, top = scores[j, first:], greatest[first:]
        for r in range(top.size):
            s = np.float64(row[r])
            top[r] = s if (s > top[r]) | (s != s) else top[r]
    first = 0
    for j in range(most):
        while counts[first] <= j:
            first += 1
        weights[j, :first] = 0.0
        row, top, found = scores[j, first:], greatest[first:], weights[j, first:]
        for r in range(top.size):
            found[r] = _sub(difference, np.float64(row[r]), top[r])
    exp_all(softmax, weights[:most].reshape(most * lanes), exponentials[:most].reshape(most * lanes))
    sum_tile(denominator, exponentials, weights, counts, denominators)
    first = 0
    for j in range(most):
        while counts[first] <= j:
            first += 1
        weights[j, :first] = 0.0
        row, total, found = exponentials[j, first:], denominators[first:], weights[j, first:]
        for r in range(found.size):
            found[r] = _round_to(values, _div(softmax, np.float64(row[r]), np.float64(total[r])))


@kernel()
def weighted_tile(dot: Dot, weights: Tile, values: Array, counts: Counts, scratch: Tile, out: Tile) -> None:
    """out[d, r] = the sum over j of weights[j, r] values[j, d], in the sets and the order of `dot`; 0 for no keys."""
    for d in range(out.shape[0]):
        for r in range(out.shape[1]):
            out[d, r] = 0.0
    _weighted(dot, weights, values, counts, scratch, out)


def _weighted(dot: Dot, weights: Tile, values: Array, counts: Counts, scratch: Tile, out: Tile) -> None:
    """`weighted_tile`, for each type of `dot`; out is 0."""
    raise NotImplementedError


@kernel()
def _weighted_chain(dot: Dot, backwards: bool, weights: Tile, values: Array, counts: Counts, out: Tile) -> None:
    """Key by key, all lanes that see it; `fpsim.attention.sums` has the same walk."""
    lanes = counts.size
    most = counts[lanes - 1]
    first = lanes if backwards else 0
    for n in range(most):
        j = most - 1 - n if backwards else n
        started = first  # lanes from here on have begun their sums; those from `first` to it begin now
        if backwards:
            while first > 0 and counts[first - 1] > j:
                first -= 1
        else:
            while counts[first] <= j:
                first += 1
            started = lanes if j == 0 else first
        outer(dot, weights[j], values[j], out, first, started)


def _weighted_in_chain(dot: Chain, weights: Tile, values: Array, counts: Counts, scratch: Tile, out: Tile) -> None:
    _weighted_chain(dot, dot.backwards, weights, values, counts, out)


def _weighted_wide(dot: Wide, weights: Tile, values: Array, counts: Counts, scratch: Tile, out: Tile) -> None:
    backwards = False
    _weighted_chain(dot, backwards, weights, values, counts, out)
    for d in range(out.shape[0]):
        for r in range(out.shape[1]):
            out[d, r] = _round_to(dot.result, np.float64(out[d, r]))


def _weighted_fused(dot: Fused, weights: Tile, values: Array, counts: Counts, scratch: Tile, out: Tile) -> None:
    _weighted_chain(dot, dot.backwards, weights, values, counts, out)
    if dot.wide:
        for d in range(out.shape[0]):
            for r in range(out.shape[1]):
                out[d, r] = _round_to(dot.result, np.float64(out[d, r]))


def _weighted_tree(dot: Tree, weights: Tile, values: Array, counts: Counts, scratch: Tile, out: Tile) -> None:
    for d in range(values.shape[1]):
        for j in range(counts[counts.size - 1]):
            y = np.float64(values[j, d])
            for r in range(counts.size):
                scratch[j, r] = _mul(dot.product, np.float64(weights[j, r]), y)
        sum_tile(dot, scratch, scratch, counts, out[d])


implement(
    _weighted,
    {Chain: _weighted_in_chain, Wide: _weighted_wide, Fused: _weighted_fused, Tree: _weighted_tree},
    inline=False,
)


@kernel()
def attend_items(kernels: Kernels, q: Array, k: Array, v: Array, own: int, begin: int, end: int, out: Array) -> None:
    """out[n, i] = what query i of item n, one head of one word, attends to, for begin <= i < end.

    q, k: (items, length, size); v, out: (items, length, size of a value).  own: 1 where a query also attends to its own
    position, else 0.
    """
    items, _, size = q.shape
    width = v.shape[2]
    for start in range(begin, end, LANES):
        # Arrays of just this many lanes: contiguous, so that every kernel is compiled for one layout.
        lanes = min(LANES, end - start)
        counts = np.empty(lanes, np.int64)
        for r in range(lanes):
            counts[r] = start + own + r
        most = max(1, counts[lanes - 1])
        scores, exponentials = np.empty((most, lanes), q.dtype), np.empty((most, lanes), q.dtype)
        weights = np.empty((most, lanes), q.dtype)
        queries, results = np.empty((size, lanes), q.dtype), np.empty((width, lanes), q.dtype)
        denominators = np.empty(lanes, q.dtype)
        for n in range(items):
            for r in range(lanes):
                for d in range(size):
                    queries[d, r] = q[n, start + r, d]
            score_tile(kernels.score, queries, k[n], counts, scores)
            softmax_tile(
                kernels.difference, kernels.softmax, kernels.denominator, kernels.values,
                scores, counts, exponentials, weights, denominators,
            )  # fmt: skip
            weighted_tile(kernels.output, weights, v[n], counts, scores, results)
            for d in range(width):
                for r in range(lanes):
                    out[n, start + r, d] = _round_to(kernels.values, np.float64(results[d, r]))
