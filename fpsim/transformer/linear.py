"""Matrix products with bias, and sums of coordinates, of many positions at once: compiled.

The loop over the columns of the matrix is innermost: each column has its own sum in its own order, as in
`fpsim.matrix_product`.  The product is a value of the set `linear`, the bias is added there, and the result is rounded
into the set of values.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.attention.attend import in_pieces
from fpsim.attention.dots import Dot
from fpsim.attention.products import inner
from fpsim.attention.stages import Kernels
from fpsim.compilation import kernel
from fpsim.rounding.kinds import Spec

__all__ = ["apply_linear", "linear_rows"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_add, _round_to = scalar.add_closed, scalar.round_to


@kernel()
def linear_rows(
    dot: Dot, combine: Spec, values: Spec, x: Array, columns: Array, bias: Array, relu: bool, out: Array
) -> None:
    """out[i] = W x[i] + bias, the ReLU of it with `relu`.  columns: W transposed, (in, out); no bias where it is empty.

    The ReLU is max(y, 0) and exact: NaN stays NaN, and -0 becomes 0.
    """
    size, outputs = columns.shape
    terms = np.empty((size, outputs), out.dtype)
    every = np.empty(outputs, np.int64)
    for o in range(outputs):
        every[o] = size
    start: Any = np.int64(0)  # no literal: `inner` is compiled once for all its callers
    for i in range(x.shape[0]):
        row = out[i]
        inner(dot, columns, x[i], row, terms, every, start)
        if bias.size:
            for o in range(outputs):
                row[o] = _add(combine, np.float64(row[o]), np.float64(bias[o]))
        for o in range(outputs):
            y = _round_to(values, np.float64(row[o]))
            row[o] = (0.0 if y <= 0.0 else y) if relu else y


def apply_linear(
    kernels: Kernels, x: Array, weight: Array, bias: Array | None, *, relu: bool = False, threads: int | None = None
) -> Array:
    """W x + b at every position of x (.., in), in threads; arrays of the kernels' type."""
    kind = kernels.dtype
    rows = np.ascontiguousarray(x.reshape(-1, x.shape[-1]), dtype=kind)
    columns = np.array(weight.T, dtype=kind, order="C")  # a copy: read-only arrays are a type of their own for numba
    added = np.zeros(0, kind) if bias is None else bias.astype(kind)
    out = np.empty((rows.shape[0], weight.shape[0]), kind)

    def part(a: int, b: int) -> None:
        linear_rows(kernels.linear, kernels.combine, kernels.values, rows[a:b], columns, added, relu, out[a:b])

    in_pieces(part, rows.shape[0], 1 if rows.shape[0] < 256 else threads)
    return out.reshape(*x.shape[:-1], weight.shape[0])
