"""Scores, exponentials, denominators and weights of one head: what `fpsim.attention.attend` computes on its way."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fpsim.attention import reference
from fpsim.attention.attend import rows_of_elements
from fpsim.attention.stages import Kernels, kernels_of
from fpsim.errors import InputError
from fpsim.operands import Array, result_array
from fpsim.precision import Precision
from fpsim.rounding.reference import Element
from fpsim.transformer.model import Mask

__all__ = ["Rows", "attention_rows"]


@dataclass(frozen=True, eq=False)
class Rows:
    """Some query positions of one head.  R rows, L positions; NaN (weights: 0) where a query does not see a key.

    rows: the query positions.  scores, exponentials, weights: (R, L).  denominators: (R,), 0 for an empty context.
    outputs: (R, size of a value).  Binary64 numbers, or exact ones (objects) where the value sets need them.
    """

    rows: tuple[int, ...]
    scores: Array
    exponentials: Array
    denominators: Array
    weights: Array
    outputs: Array


def attention_rows(
    precision: Precision, q: Any, k: Any, v: Any, *, rows: Sequence[int] | None = None, mask: Mask = "strict"
) -> Rows:
    """One head: q, k of shape (L, size), v (L, size of a value), values of F; every query, or those of `rows`.

    Raises `InputError` for a row that is not a position.

    >>> found = attention_rows(Precision.of("fp16"), [[1.0]] * 3, [[0.0], [18.0], [0.0]], [[1.0], [2.0], [3.0]])
    >>> found.weights.tolist(), found.outputs.tolist()
    ([[0.0, 0.0, 0.0], [1.0, 0.0, 0.0], [0.0, 1.0, 0.0]], [[0.0], [1.0], [2.0]])
    """
    queries, keys, values = (np.asarray(x) for x in (q, k, v))
    length = queries.shape[0]
    wanted = tuple(range(length)) if rows is None else tuple(rows)
    for i in wanted:
        if not 0 <= i < length:
            raise InputError("row", i, f"between 0 and {length - 1}")
    kernels = kernels_of(precision)
    own = 1 if mask == "causal" else 0
    if kernels is None or object in (queries.dtype, keys.dtype, values.dtype):
        return _by_reference(precision, queries, keys, values, wanted, own)
    return _by_kernels(kernels, queries, keys, values, wanted, own)


def _by_kernels(kernels: Kernels, q: Array, k: Array, v: Array, wanted: tuple[int, ...], own: int) -> Rows:
    from fpsim.attention.tiles import score_tile, softmax_tile, weighted_tile

    kind, length = kernels.dtype, q.shape[0]
    q, k, v = (np.ascontiguousarray(x, dtype=kind) for x in (q, k, v))
    shape = (len(wanted), length)
    scores, exponentials, weights = np.full(shape, np.nan), np.full(shape, np.nan), np.zeros(shape)
    denominators, outputs = np.zeros(len(wanted)), np.zeros((len(wanted), v.shape[1]))
    for n, i in enumerate(wanted):
        seen = i + own
        if not seen:
            continue
        tiles = [np.empty((seen, 1), kind) for _ in range(4)]
        z, out, counts = np.empty(1, kind), np.empty((v.shape[1], 1), kind), np.array([seen])
        score_tile(kernels.score, np.ascontiguousarray(q[i][:, None]), k, counts, tiles[0])
        softmax_tile(
            kernels.difference, kernels.softmax, kernels.denominator, kernels.values,
            tiles[0], counts, tiles[1], tiles[2], z,
        )  # fmt: skip
        weighted_tile(kernels.output, tiles[2], v, counts, tiles[3], out)
        for kept, tile in ((scores, tiles[0]), (exponentials, tiles[1]), (weights, tiles[2])):
            kept[n, :seen] = tile[:, 0]
        denominators[n] = z[0]
        outputs[n] = _stored(kernels, out[:, 0])
    return Rows(wanted, scores, exponentials, denominators, weights, outputs)


def _stored(kernels: Kernels, x: Array) -> Array:
    from fpsim.array_kernels import round_array

    out = np.empty(x.size)
    round_array(kernels.values, np.ascontiguousarray(x, dtype=np.float64), out)
    return out


def _by_reference(precision: Precision, q: Array, k: Array, v: Array, wanted: tuple[int, ...], own: int) -> Rows:
    queries, keys, values = (rows_of_elements(x) for x in (q, k, v))
    length, regime = len(queries), precision.regime
    nan, zero = float("nan"), 0.0
    kept: list[list[Element | float]] = [[], [], [], [], []]
    for i in wanted:
        seen = i + own
        unseen = length - seen
        if seen:
            found = reference.attend_row(precision, queries[i], keys[:seen], values[:seen])
            row = (found.scores, found.softmax.exponentials, [found.softmax.denominator], found.softmax.weights)
            output = found.output
        else:
            row, output = ((), (), [zero], ()), tuple(zero for _ in range(v.shape[1]))
        kept[0] += [*row[0], *[nan] * unseen]
        kept[1] += [*row[1], *[nan] * unseen]
        kept[2] += row[2]
        kept[3] += [*row[3], *[zero] * unseen]
        kept[4] += output
    shape = (len(wanted), length)
    sets = (regime.score, regime.softmax, regime.softmax, regime.values, regime.values)
    shapes: list[tuple[int, ...]] = [shape, shape, (len(wanted),), shape, (len(wanted), v.shape[1])]
    arrays = [result_array(each, x, size) for each, x, size in zip(sets, kept, shapes, strict=True)]
    return Rows(wanted, arrays[0], arrays[1], arrays[2], arrays[3], arrays[4])
