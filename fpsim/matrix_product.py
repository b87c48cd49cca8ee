"""Matrix products and dot products in which every multiplication and every addition is rounded.

An entry of the product is a sum of rounded products, in an order of summation (`fpsim.sums`), rounded after every
addition; it starts from its first term, so nothing is added to a zero.  With `fma`, each term after the first is fused
with the sum: one rounding instead of two.

The compiled loop goes over the columns of the second matrix, innermost: every column has its own sum in its own order,
so the order of operations within a sum stays what it is while many sums advance at once.
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gmpy2 import mpq

from fpsim import arithmetic, scalar
from fpsim.compilation import kernel
from fpsim.errors import InputError, UnsupportedError
from fpsim.operands import Array, as_array, is_array, result_array, to_binary64
from fpsim.rounding.kinds import Spec
from fpsim.rounding.specs import spec_of
from fpsim.sums import Order, parse_order
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["dot", "matmul"]

_add_closed, _mul, _mul_closed = scalar.add_closed, scalar.mul, scalar.mul_closed
_fma, _fma_closed = scalar.fma, scalar.fma_closed


@kernel()
def _rounded_product(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a b, sequentially; the entries of a and b are values of F."""
    for i in range(a.shape[0]):
        row = out[i]
        first = b[0]
        x = a[i, 0]
        for j in range(row.size):
            row[j] = _mul_closed(spec, x, first[j])
        for k in range(1, a.shape[1]):
            x = a[i, k]
            other = b[k]
            for j in range(row.size):
                row[j] = _add_closed(spec, row[j], _mul_closed(spec, x, other[j]))


@kernel()
def _rounded_product_of_any(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a b, sequentially; the entries of a and b are any binary64 numbers, but their products are values of F."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = _mul(spec, a[i, 0], b[0, j])
        for k in range(1, a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] = _add_closed(spec, out[i, j], _mul(spec, a[i, k], b[k, j]))


@kernel()
def _fused_product_closed(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """As `_fused_product`; the entries of a and b are values of F."""
    for i in range(a.shape[0]):
        row = out[i]
        first = b[0]
        x = a[i, 0]
        for j in range(row.size):
            row[j] = _mul_closed(spec, x, first[j])
        for k in range(1, a.shape[1]):
            x = a[i, k]
            other = b[k]
            for j in range(row.size):
                row[j] = _fma_closed(spec, x, other[j], row[j])


@kernel()
def _fused_product(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a b, sequentially, each term after the first fused with the sum."""
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            out[i, j] = _mul(spec, a[i, 0], b[0, j])
        for k in range(1, a.shape[1]):
            for j in range(b.shape[1]):
                out[i, j] = _fma(spec, a[i, k], b[k, j], out[i, j])


def matmul(values: ValueSet | str, a: Any, b: Any, *, order: Order | str = "sequential", fma: bool = False) -> Array:
    """The product of two matrices (or of a matrix and a vector), every operation rounded into F.

    a has shape (m, n) or (n,), b (n, p) or (n,); the entries are numbers as `fpsim.arithmetic` takes them, values of F
    or not, and the sum of each entry of the result runs over n in `order`.  NaN, infinities and overflow go their way
    through the operations.  For n = 0 the result is 0.  Raises `InputError` for shapes that do not fit,
    `UnsupportedError` for stochastic rounding and for `fma` in an order other than sequential or reverse.

    >>> row, column = [[2048.0, 1.0, 1.0]], [[1.0]] * 3
    >>> matmul("fp16", row, column), matmul("fp16", row, column, order="reverse")
    (array([[2048.]]), array([[2050.]]))
    """
    values, order = value_set(values), parse_order(order)
    if not is_array(a) or not is_array(b):
        raise InputError("matmul", "a number", "arrays of one or two dimensions")
    left, right = as_array(a, "a"), as_array(b, "b")
    if left.ndim > 2 or right.ndim > 2 or left.shape[-1] != right.shape[0]:
        raise InputError("matmul", f"shapes {left.shape} and {right.shape}", "(m, n) and (n, p), or vectors of n")
    if values.rounding == "stochastic":
        raise UnsupportedError("matmul in stochastic rounding: number its operations with fpsim.mul and fpsim.add")
    if fma and order.kind not in ("sequential", "reverse"):
        raise UnsupportedError(f"matmul with fma in the order {order}: only sequential and reverse sums have one chain")
    matrix = left.reshape(1, -1) if left.ndim == 1 else left
    columns = right.reshape(-1, 1) if right.ndim == 1 else right
    shape = (left.shape[:-1] if left.ndim == 2 else ()) + (right.shape[1:] if right.ndim == 2 else ())
    narrow = values.fits_float32 and left.dtype == right.dtype == np.float32
    result = _product(values, matrix, columns, order, fma).reshape(shape)
    return result.astype(np.float32) if narrow else result


def dot(values: ValueSet | str, a: Any, b: Any, *, order: Order | str = "sequential", fma: bool = False) -> Any:
    """The inner product of two vectors, every operation rounded into F: a number, as `fpsim.add` gives it.

    >>> dot("fp16", [1.0, 2.0], [3.0, 4.0])
    11.0
    """
    if not is_array(a) or not is_array(b) or np.ndim(a) != 1 or np.ndim(b) != 1:
        raise InputError("dot", f"{np.ndim(a)} and {np.ndim(b)} dimensions", "two vectors")
    result: Any = matmul(values, a, b, order=order, fma=fma)[()]
    return float(result) if value_set(values).carrier == "float64" else result


def _product(values: ValueSet, a: Array, b: Array, order: Order, fused: bool) -> Array:
    terms = a.shape[1]
    if terms == 0:
        return result_array(values, [mpq(0)] * (a.shape[0] * b.shape[1]), (a.shape[0], b.shape[1]))
    if order.kind == "reverse":
        a, b = a[:, ::-1], b[::-1]
    spec = spec_of(values)
    if order.kind in ("sequential", "reverse") and spec is not None and object not in (a.dtype, b.dtype):
        left, right = np.ascontiguousarray(to_binary64(a)), np.ascontiguousarray(to_binary64(b))
        out = np.empty((a.shape[0], b.shape[1]))
        if _all_in(values, left) and _all_in(values, right):
            (_fused_product_closed if fused else _rounded_product)(spec, left, right, out)
        else:
            (_fused_product if fused else _rounded_product_of_any)(spec, left, right, out)
        return out
    products = [arithmetic.mul(values, a[:, k : k + 1], b[k : k + 1]) for k in range(1 if fused else terms)]
    if fused:
        fused_total: Array = products[0]
        for k in range(1, terms):
            fused_total = arithmetic.fma(values, a[:, k : k + 1], b[k : k + 1], fused_total)
        return fused_total
    return _sum_of(values, products, order)


def _all_in(values: ValueSet, x: Array) -> bool:
    return bool(np.array_equal(arithmetic.round(values, x), x, equal_nan=True))


def _sum_of(values: ValueSet, terms: list[Array], order: Order) -> Array:
    """`fpsim.sums.ordered_sum` on arrays of terms."""
    if order.kind == "wide":
        assert order.accumulator is not None  # parse_order gives every "wide" one
        wide = [arithmetic.round(order.accumulator, term) for term in terms]
        total: Array = arithmetic.round(values, _fold(order.accumulator, wide))
        return total
    if order.kind == "blocked":
        starts = range(0, len(terms), order.block)
        return _fold(values, [_fold(values, terms[i : i + order.block]) for i in starts])
    if order.kind == "pairwise":
        while len(terms) > 1:
            pairs = [arithmetic.add(values, terms[i], terms[i + 1]) for i in range(0, len(terms) - 1, 2)]
            terms = pairs + terms[len(terms) - len(terms) % 2 :]
        return terms[0]
    return _fold(values, terms)


def _fold(values: ValueSet, terms: list[Array]) -> Array:
    total: Array = terms[0]
    for term in terms[1:]:
        total = arithmetic.add(values, total, term)
    return total
