"""Sums of products of many lanes at once: compiled.

Two shapes of one thing, a chain of additions of products in the order of a `Dot`.  `inner` sums over the terms of one
row of lanes: scores and matrix products.  `outer` adds one product to each of many rows of lanes: weighted sums of
values.  Lanes are the innermost loop, so that many sums advance at once, each in its own order.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.attention.dots import Chain, Dot, Fused, Tree, Wide
from fpsim.attention.sums import Counts, sum_tile
from fpsim.compilation import kernel
from fpsim.rounding.dispatch import implement
from fpsim.rounding.kinds import Spec

__all__ = ["inner", "outer"]

Row: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Matrix: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

# The compiled doors of `fpsim.scalar`: the compiler inlines them where they are short, so that loops vectorize, and
# leaves the long ones of other kinds out, which would take it seconds each.
_add, _mul, _fma, _round_to = scalar._add_closed, scalar._mul_closed, scalar._fma_closed, scalar.round_to


def inner(dot: Dot, a: Matrix, x: Row, out: Row, terms: Matrix, every: Counts, start: int) -> None:
    """out[r] = the sum over d of a[d, r] x[d], in the sets and the order of `dot`, for r >= start.

    terms: scratch of the shape of a; every: the number of terms, once for each lane.  Inside compiled code only.
    """
    raise NotImplementedError


def outer(dot: Dot, a: Row, x: Row, out: Matrix, start: int, started: int) -> None:
    """a[r] x[d] is added to out[d, r] for r >= started, and is the first term of the sums of start <= r < started.

    Not in a tree.  A wide accumulator's sums are still to be rounded into the set of the result.  Inside compiled code
    only.
    """
    raise NotImplementedError


# Slices, and ranges from 0: an index that the compiler cannot know to be at least 0 keeps loops from vectorizing.


def _inner_chain(dot: Chain, a: Matrix, x: Row, out: Row, terms: Matrix, every: Counts, start: int) -> None:
    total, size = out[start:], a.shape[0]
    for n in range(size):
        d = size - 1 - n if dot.backwards else n
        row, y = a[d, start:], np.float64(x[d])
        if n == 0:
            for r in range(total.size):
                total[r] = _mul(dot.product, np.float64(row[r]), y)
        else:
            for r in range(total.size):
                total[r] = _add(dot.total, np.float64(total[r]), _mul(dot.product, np.float64(row[r]), y))


def _inner_wide(dot: Wide, a: Matrix, x: Row, out: Row, terms: Matrix, every: Counts, start: int) -> None:
    total = out[start:]
    for d in range(a.shape[0]):
        row, y = a[d, start:], np.float64(x[d])
        for r in range(total.size):
            term = _round_to(dot.total, _mul(dot.product, np.float64(row[r]), y))
            total[r] = term if d == 0 else _add(dot.total, np.float64(total[r]), term)
    for r in range(total.size):
        total[r] = _round_to(dot.result, np.float64(total[r]))


def _inner_fused(dot: Fused, a: Matrix, x: Row, out: Row, terms: Matrix, every: Counts, start: int) -> None:
    total, size = out[start:], a.shape[0]
    for n in range(size):
        d = size - 1 - n if dot.backwards else n
        row, y = a[d, start:], np.float64(x[d])
        if n == 0:
            for r in range(total.size):
                total[r] = _mul(dot.total, np.float64(row[r]), y)
        else:
            for r in range(total.size):
                total[r] = _fma(dot.total, np.float64(row[r]), y, np.float64(total[r]))
    if dot.wide:
        for r in range(total.size):
            total[r] = _round_to(dot.result, np.float64(total[r]))


def _inner_tree(dot: Tree, a: Matrix, x: Row, out: Row, terms: Matrix, every: Counts, start: int) -> None:
    for d in range(a.shape[0]):
        _products(dot.product, a[d], np.float64(x[d]), terms[d])
    sum_tile(dot, terms, terms, every, out)


implement(inner, {Chain: _inner_chain, Wide: _inner_wide, Fused: _inner_fused, Tree: _inner_tree}, inline=False)


@kernel()
def _products(spec: Spec, a: Row, x: float, out: Row) -> None:
    """out[r] = a[r] x, rounded into the set of a product."""
    for r in range(out.size):
        out[r] = _mul(spec, np.float64(a[r]), x)


def _outer_chain(dot: Chain, a: Row, x: Row, out: Matrix, start: int, started: int) -> None:
    new, old = a[start:started], a[started:]
    for d in range(out.shape[0]):
        first, total, y = out[d, start:started], out[d, started:], np.float64(x[d])
        for r in range(first.size):
            first[r] = _mul(dot.product, np.float64(new[r]), y)
        for r in range(total.size):
            total[r] = _add(dot.total, np.float64(total[r]), _mul(dot.product, np.float64(old[r]), y))


def _outer_wide(dot: Wide, a: Row, x: Row, out: Matrix, start: int, started: int) -> None:
    new, old = a[start:started], a[started:]
    for d in range(out.shape[0]):
        first, total, y = out[d, start:started], out[d, started:], np.float64(x[d])
        for r in range(first.size):
            first[r] = _round_to(dot.total, _mul(dot.product, np.float64(new[r]), y))
        for r in range(total.size):
            term = _round_to(dot.total, _mul(dot.product, np.float64(old[r]), y))
            total[r] = _add(dot.total, np.float64(total[r]), term)


def _outer_fused(dot: Fused, a: Row, x: Row, out: Matrix, start: int, started: int) -> None:
    new, old = a[start:started], a[started:]
    for d in range(out.shape[0]):
        first, total, y = out[d, start:started], out[d, started:], np.float64(x[d])
        for r in range(first.size):
            first[r] = _mul(dot.total, np.float64(new[r]), y)
        for r in range(total.size):
            total[r] = _fma(dot.total, np.float64(old[r]), y, np.float64(total[r]))


implement(outer, {Chain: _outer_chain, Wide: _outer_wide, Fused: _outer_fused}, inline=False)
