"""Attention of many heads and words at once, every operation rounded: the public function."""

from __future__ import annotations

import os
from collections.abc import Callable, Sequence
from concurrent.futures import ThreadPoolExecutor
from itertools import pairwise
from typing import Any

import numpy as np

from fpsim.attention import reference
from fpsim.attention.stages import Kernels, kernels_of
from fpsim.errors import InputError
from fpsim.number import parse_count
from fpsim.operands import Array, as_array, elements_of, is_array, result_array
from fpsim.precision import Precision
from fpsim.rounding.reference import Element
from fpsim.transformer.model import Mask
from fpsim.valueset import ValueSet

__all__ = ["attend", "attend_fast", "in_pieces", "in_threads", "rows_of_elements"]

_PRODUCTS = 1 << 26  # of a piece of work


def attend(
    precision: Precision | ValueSet | str, q: Any, k: Any, v: Any, *, mask: Mask = "strict", threads: int | None = None
) -> Array:
    """What every query attends to: Eq. 2 of arXiv:2608.11909 in a value set ("semantics 1", §4 and §6).

    q, k: (.., length, size) and v: (.., length, size of a value), rotated, of values of F; the axes before are heads
    and words, each for itself.  The result has the shape of v.  With `strict` position i sees j < i and position 0
    nothing: its output is 0.  NaN, infinities and overflow go their way through the operations; a NaN score makes its
    row NaN.  threads: how many at once (all cores for None); results do not depend on it.  Raises `InputError` for
    shapes that do not fit and for numbers outside F.

    >>> attend("fp16", [[0.0], [0.0], [1.0]], [[0.0], [20.0], [0.0]], [[5.0], [7.0], [9.0]]).tolist()
    [[0.0], [5.0], [7.0]]
    """
    precision = Precision.of(precision) if isinstance(precision, str) else precision
    if mask not in ("strict", "causal"):
        raise InputError("mask", mask, "strict or causal")
    if isinstance(precision, ValueSet):
        precision = Precision.of(precision)
    if not isinstance(precision, Precision):
        raise InputError("precision", precision, "a Precision, a value set or the name of one")
    if threads is not None:
        parse_count(threads, "threads", least=1)
    arrays = [as_array(x, name) for x, name in ((q, "q"), (k, "k"), (v, "v")) if is_array(x)]
    if len(arrays) < 3 or any(x.ndim < 2 for x in arrays):
        raise InputError("attend", "fewer dimensions", "q, k and v of shapes (.., length, size)")
    left, right, carried = arrays
    if left.shape != right.shape or left.shape[:-1] != carried.shape[:-1] or 0 in (*left.shape, *carried.shape):
        shapes = f"shapes {left.shape}, {right.shape} and {carried.shape}"
        raise InputError("attend", shapes, "one shape of q and k, and of v up to its last axis")
    from fpsim.attention.membership import require_members

    for name, x in (("q", left), ("k", right), ("v", carried)):
        require_members(precision.values, x, name)
    kernels = kernels_of(precision)
    flat = [x.reshape(-1, *x.shape[-2:]) for x in arrays]
    if kernels is None or any(x.dtype == object for x in arrays):
        items = zip(*([rows_of_elements(item) for item in x] for x in flat), strict=True)
        outputs = [reference.attend(precision, a, b, c, mask) for a, b, c in items]
        elements = [each for item in outputs for row in item for each in row.output]
        return result_array(precision.values, elements, carried.shape)
    result = attend_fast(kernels, *(x.astype(kernels.dtype) for x in flat), mask=mask, threads=threads)
    return result.astype(np.float64).reshape(carried.shape)


def attend_fast(
    kernels: Kernels,
    q: Array,
    k: Array,
    v: Array,
    *,
    mask: Mask,
    threads: int | None = None,
    done: Callable[[float], None] | None = None,
) -> Array:
    """`attend` for arrays of the kernels' own type, shapes (items, length, size).

    done: called with the part of the work that is done, from 0 to 1, as it grows.
    """
    from fpsim.attention.tiles import LANES, attend_items

    out = np.empty(v.shape, kernels.dtype)
    own = 1 if mask == "causal" else 0
    q, k, v = (np.ascontiguousarray(x) for x in (q, k, v))
    items, length, size = q.shape
    # Some tenths of a second each, so that an interrupt is seen soon: of many items or of the queries of one.
    pairs = max(1, _PRODUCTS // (size + v.shape[2]))
    together = max(1, min(-(-items // 8), pairs // (length * length // 2 + 1)))
    rows = max(1, pairs // length // LANES) * LANES
    starts = range(0, length, rows)
    pieces = [
        (a, min(a + together, items), b, min(b + rows, length)) for a in range(0, items, together) for b in starts
    ]

    def part(a: int, b: int, first: int, last: int) -> None:
        attend_items(kernels, q[a:b], k[a:b], v[a:b], own, first, last, out[a:b])

    in_threads(part, pieces, threads, done)
    return out


def in_pieces(part: Callable[[int, int], None], count: int, threads: int | None) -> None:
    """part(a, b) over consecutive pieces of range(count), as `in_threads` does."""
    pieces = min(count, 8)
    in_threads(part, list(pairwise(count * n // pieces for n in range(pieces + 1))) if count else [], threads)


def in_threads(
    part: Callable[..., None],
    pieces: Sequence[tuple[int, ...]],
    threads: int | None,
    done: Callable[[float], None] | None = None,
) -> None:
    """part(*piece) for every piece, in so many threads (all cores for None); an interrupt drops those not begun.

    What a piece computes does not depend on the others, so that neither their number nor the threads change it.
    done: called with the part of the pieces that are done.
    """
    workers = min(len(pieces), os.cpu_count() or 1 if threads is None else threads)
    if workers <= 1:
        for n, piece in enumerate(pieces, start=1):
            part(*piece)
            if done is not None:
                done(n / len(pieces))
        return
    pool = ThreadPoolExecutor(workers)
    try:
        for n, future in enumerate([pool.submit(part, *piece) for piece in pieces], start=1):
            future.result()
            if done is not None:
                done(n / len(pieces))
    finally:
        pool.shutdown(cancel_futures=True)


def rows_of_elements(x: Array) -> list[list[Element]]:
    """A matrix as rows of exact elements; objects are taken as elements too, for mpfr numbers are none."""
    flat = list(elements_of(x, "x").flat)
    width = x.shape[1]
    return [flat[n : n + width] for n in range(0, len(flat), width)]
