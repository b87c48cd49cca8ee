"""Sums of products of many lanes at once, one term of every lane at a time: compiled.

What scores, weighted sums of values and matrix products have in common: out[r] becomes the sum over n of a_n[r] x_n, in
a chain.  `begin` puts the first products, `extend` adds one product to every lane, `finish` rounds what a wide
accumulator holds.  They are functions of a row so that each is compiled once for a kind of value set.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.attention.stages import Dot
from fpsim.attention.sums import WIDE
from fpsim.compilation import kernel

__all__ = ["begin", "extend", "finish", "products"]

Row: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

# The compiled doors of `fpsim.scalar`: the compiler inlines them where they are short, so that loops vectorize, and
# leaves the long ones of other kinds out, which would take it seconds each.
_add, _mul, _fma, _round_to = scalar._add_closed, scalar._mul_closed, scalar._fma_closed, scalar.round_to


@kernel()
def products(dot: Dot, a: Row, x: float, out: Row, start: int, stop: int) -> None:
    """out[r] = a[r] x, rounded into the set of a product, for start <= r < stop."""
    for r in range(start, stop):
        out[r] = _mul(dot.product, np.float64(a[r]), x)


@kernel()
def begin(dot: Dot, a: Row, x: float, out: Row, start: int, stop: int) -> None:
    """The sums of the lanes start <= r < stop begin with a[r] x."""
    if dot.fused:
        for r in range(start, stop):
            out[r] = _mul(dot.total, np.float64(a[r]), x)
        return
    products(dot, a, x, out, start, stop)
    if dot.kind == WIDE:
        for r in range(start, stop):
            out[r] = _round_to(dot.total, np.float64(out[r]))


@kernel()
def extend(dot: Dot, a: Row, x: float, out: Row, start: int, stop: int) -> None:
    """a[r] x is added to the sums of the lanes start <= r < stop."""
    if dot.fused:
        for r in range(start, stop):
            out[r] = _fma(dot.total, np.float64(a[r]), x, np.float64(out[r]))
    elif dot.kind == WIDE:
        for r in range(start, stop):
            y = _round_to(dot.total, _mul(dot.product, np.float64(a[r]), x))
            out[r] = _add(dot.total, np.float64(out[r]), y)
    else:
        for r in range(start, stop):
            out[r] = _add(dot.total, np.float64(out[r]), _mul(dot.product, np.float64(a[r]), x))


@kernel()
def finish(dot: Dot, out: Row, start: int, stop: int) -> None:
    """The sums of a wide accumulator are rounded into the set of the result; others are values of it."""
    if dot.kind == WIDE:
        for r in range(start, stop):
            out[r] = _round_to(dot.result, np.float64(out[r]))
