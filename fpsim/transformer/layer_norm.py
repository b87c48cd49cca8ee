"""Layer norm, every operation rounded.

    mean = (x_0 + .. + x_{D-1}) / D        sums in the order of `dot`; the division is by the exact number D
    c_d = x_d - mean,  var = (c_0^2 + ..) / D,  s = sqrt(var + epsilon)
    y_d = ((c_d / s) * gain_d) + bias_d    in `linear`, the result then rounded into the set of values

Dividing by the exact D is one rounding of the exact quotient; a D that F does not hold (128 in fixed:8.4) would
otherwise saturate.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np
from gmpy2 import mpq

from fpsim import reference, scalar
from fpsim.attention.attend import in_pieces
from fpsim.attention.stages import Kernels
from fpsim.attention.sums import sum_tile
from fpsim.compilation import kernel
from fpsim.precision import Precision
from fpsim.rounding.reference import Element, round_exact
from fpsim.sums import ordered_sum
from fpsim.transformer.parts import Norm, elements

__all__ = ["apply_norm", "norm_rows", "norm_vector"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_add, _sub, _mul, _div, _sqrt, _round_to = (
    scalar.add, scalar.sub, scalar.mul, scalar.div, scalar.sqrt, scalar.round_to,
)  # fmt: skip


@kernel()
def norm_rows(kernels: Kernels, x: Array, gain: Array, bias: Array, epsilon: float, out: Array) -> None:
    """out[i] = the norm of x[i]; binary64 arrays (rows, D); no bias where it is empty."""
    dot, linear = kernels.norm, kernels.stage
    size = x.shape[1]
    terms, scratch = np.empty((size, 1)), np.empty((size, 1))
    every, total = np.empty(1, np.int64), np.empty(1)
    every[0] = size
    for i in range(x.shape[0]):
        for d in range(size):
            terms[d, 0] = _round_to(linear, x[i, d])
        sum_tile(dot, terms, scratch, every, total)
        mean = _div(linear, total[0], float(size))
        for d in range(size):
            out[i, d] = _sub(linear, x[i, d], mean)
            terms[d, 0] = _mul(linear, out[i, d], out[i, d])
        sum_tile(dot, terms, scratch, every, total)
        deviation = _sqrt(linear, _add(linear, _div(linear, total[0], float(size)), epsilon))
        for d in range(size):
            y = _mul(linear, _div(linear, out[i, d], deviation), gain[d])
            if bias.size:
                y = _add(linear, y, bias[d])
            out[i, d] = _round_to(kernels.values, y)


def apply_norm(kernels: Kernels, norm: Norm, x: Array, *, threads: int | None = None) -> Array:
    """The norm of x at every position (.., D), in threads; an array of the kernels' type."""
    rows = np.ascontiguousarray(x.reshape(-1, x.shape[-1]), dtype=np.float64)
    out = np.empty_like(rows)
    # Copies in binary64: parameters may be objects, and are read-only, which is for numba a type of its own.
    gain, epsilon = np.array(norm.gain, dtype=np.float64), float(norm.epsilon[0])
    bias = np.zeros(0) if norm.bias is None else np.array(norm.bias, dtype=np.float64)

    def part(a: int, b: int) -> None:
        norm_rows(kernels, rows[a:b], gain, bias, epsilon, out[a:b])

    in_pieces(part, rows.shape[0], 1 if rows.shape[0] < 256 else threads)
    return out.reshape(x.shape).astype(kernels.dtype)


def norm_vector(precision: Precision, norm: Norm, x: list[Element]) -> list[Element]:
    """The norm of one vector, by the reference arithmetic.

    >>> norm_vector(Precision.of("fp16"), Norm([1.0, 1.0]), [mpq(1), mpq(3)])
    [mpq(-1,1), mpq(1,1)]
    """
    linear, order, count = precision.linear, precision.dot, mpq(len(x))
    total = ordered_sum(linear, [round_exact(linear, each) for each in x], order)
    mean = reference.div(linear, total, count)
    centred = [reference.sub(linear, each, mean) for each in x]
    squares = ordered_sum(linear, [reference.mul(linear, c, c) for c in centred], order)
    variance = reference.div(linear, squares, count)
    (epsilon,) = elements(norm.epsilon)
    deviation = reference.sqrt(linear, reference.add(linear, variance, epsilon))
    scaled = [
        reference.mul(linear, reference.div(linear, c, deviation), g)
        for c, g in zip(centred, elements(norm.gain), strict=True)
    ]
    if norm.bias is not None:
        scaled = [reference.add(linear, y, b) for y, b in zip(scaled, elements(norm.bias), strict=True)]
    return [round_exact(precision.values, y) for y in scaled]
