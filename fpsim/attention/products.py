"""Sums of products of many lanes at once: compiled.

Two shapes of one thing, a chain of additions of products in the order of a `Dot`.  `inner` sums over the terms of one
row of lanes: scores and matrix products.  `outer` adds one product to each of many rows of lanes: weighted sums of
values.  Lanes are the innermost loop, so that many sums advance at once, each in its own order.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.attention.stages import Dot
from fpsim.attention.sums import REVERSE, WIDE, is_chain, sum_tile
from fpsim.compilation import kernel

__all__ = ["finish", "inner", "outer", "products"]

Row: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Matrix: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

# The compiled doors of `fpsim.scalar`: the compiler inlines them where they are short, so that loops vectorize, and
# leaves the long ones of other kinds out, which would take it seconds each.
_add, _mul, _fma, _round_to = scalar._add_closed, scalar._mul_closed, scalar._fma_closed, scalar.round_to


@kernel()
def products(dot: Dot, a: Row, x: float, out: Row) -> None:
    """out[r] = a[r] x, rounded into the set of a product."""
    for r in range(out.size):
        out[r] = _mul(dot.product, np.float64(a[r]), x)


@kernel()
def inner(dot: Dot, a: Matrix, x: Row, out: Row, terms: Matrix, every: Row, start: int) -> None:
    """out[r] = the sum over d of a[d, r] x[d], in the set and the order of `dot`, for r >= start.

    terms: scratch of the shape of a; every: the number of terms, once for each lane.
    """
    size = a.shape[0]
    if not is_chain(dot.kind):
        for d in range(size):
            products(dot, a[d], np.float64(x[d]), terms[d])
        sum_tile(dot.total, dot.result, dot.kind, dot.block, terms, terms, every, out)
        return
    # Slices, and ranges from 0: an index that the compiler cannot know to be at least 0 keeps loops from vectorizing.
    total = out[start:]
    for n in range(size):
        d = size - 1 - n if dot.kind == REVERSE else n
        y = np.float64(x[d])
        row = a[d, start:]
        if dot.fused:
            if n == 0:
                for r in range(total.size):
                    total[r] = _mul(dot.total, np.float64(row[r]), y)
            else:
                for r in range(total.size):
                    total[r] = _fma(dot.total, np.float64(row[r]), y, np.float64(total[r]))
        elif dot.kind == WIDE:
            for r in range(total.size):
                term = _round_to(dot.total, _mul(dot.product, np.float64(row[r]), y))
                total[r] = term if n == 0 else _add(dot.total, np.float64(total[r]), term)
        elif n == 0:
            for r in range(total.size):
                total[r] = _mul(dot.product, np.float64(row[r]), y)
        else:
            for r in range(total.size):
                total[r] = _add(dot.total, np.float64(total[r]), _mul(dot.product, np.float64(row[r]), y))
    if dot.kind == WIDE:
        for r in range(total.size):
            total[r] = _round_to(dot.result, np.float64(total[r]))


@kernel()
def outer(dot: Dot, a: Row, x: Row, out: Matrix, start: int, started: int) -> None:
    """a[r] x[d] is added to out[d, r] for r >= started, and is the first term of the sums of start <= r < started.

    In a chain only; `finish` rounds what a wide accumulator holds in the end.
    """
    new, old = a[start:started], a[started:]
    for d in range(out.shape[0]):
        y = np.float64(x[d])
        first, total = out[d, start:started], out[d, started:]
        if dot.fused:
            for r in range(first.size):
                first[r] = _mul(dot.total, np.float64(new[r]), y)
            for r in range(total.size):
                total[r] = _fma(dot.total, np.float64(old[r]), y, np.float64(total[r]))
        elif dot.kind == WIDE:
            for r in range(first.size):
                first[r] = _round_to(dot.total, _mul(dot.product, np.float64(new[r]), y))
            for r in range(total.size):
                term = _round_to(dot.total, _mul(dot.product, np.float64(old[r]), y))
                total[r] = _add(dot.total, np.float64(total[r]), term)
        else:
            for r in range(first.size):
                first[r] = _mul(dot.product, np.float64(new[r]), y)
            for r in range(total.size):
                total[r] = _add(dot.total, np.float64(total[r]), _mul(dot.product, np.float64(old[r]), y))


@kernel()
def finish(dot: Dot, out: Matrix) -> None:
    """Sums in a wide accumulator are rounded into the set of the result; others are values of it already."""
    if dot.kind == WIDE:
        for d in range(out.shape[0]):
            for r in range(out.shape[1]):
                out[d, r] = _round_to(dot.result, np.float64(out[d, r]))
