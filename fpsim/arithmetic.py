"""Rounded arithmetic on numbers and arrays: each operation is the exact real result, rounded once into F.

F is a `ValueSet` or its text.  An operand is a number or an array (`fpsim.operands` says of what types), taken exactly,
whether it is a value of F or not; arrays broadcast as NumPy's do.

Results.  Numbers give a Python float where binary64 carries F, an mpfr with F's precision for wider floats, an mpq for
grids of other rationals.  Arrays give float64 arrays, float32 ones when every array among the operands is float32 and F
is part of binary32, and object arrays where binary64 does not carry F.

Special cases follow IEEE 754-2019: NaN propagates; inf - inf, 0 * inf, 0/0, inf/inf, the root of a negative number,
sine and cosine of an infinity are NaN; a finite number over 0 is an infinity and so beyond range; what is beyond range
becomes an infinity, the last value or NaN, as F's overflow policy says.

Stochastic rounding draws one number for each operation, numbered `operation` + the place in the (flattened) result; in
every other mode `operation` means nothing.

Raises `InputError` for operands that are no real numbers and for shapes that do not fit.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from fpsim import array_kernels as kernels
from fpsim import reference, scalar
from fpsim.errors import InputError
from fpsim.functions import tables
from fpsim.operands import (
    Array,
    as_array,
    as_binary64,
    as_element,
    element_result,
    elements_of,
    is_array,
    result_array,
    to_binary64,
)
from fpsim.rounding.any_float32 import AddedAny, ShiftedAny, any_spec32_of, round_added_any, round_shifted_any
from fpsim.rounding.float32 import Added, Shifted, round_added, round_shifted, spec32_of
from fpsim.rounding.kinds import Binary32, Grid, NearestFloat
from fpsim.rounding.reference import round_exact
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["add", "cos", "div", "exp", "fma", "mul", "round", "sin", "sqrt", "sub"]

Slow = Callable[..., Any]
_SAMPLE = 256
_TABLE_FROM = 2048  # numbers in an array: below it a table is not made for one call


def round(values: ValueSet | str, x: Any, *, out: Array | None = None, operation: int = 0) -> Any:  # noqa: A001
    """x rounded into F.

    `out`, for an array x, receives the result and is returned: an array of x's shape, float64 or float32 (F being part
    of binary32 then); x itself, or one that overlaps it, is allowed.  An F that binary64 does not carry takes no `out`.

    >>> round("fp16", 0.1), round("fp16", "0.1"), round("e4m3", 464), round("e4m3", 465)
    (0.0999755859375, 0.0999755859375, 448.0, nan)
    >>> round("fp16", np.array([2049.0, 65520.0, -0.0]))
    array([2048.,   inf,   -0.])
    """
    values = value_set(values)
    if not is_array(x):
        if out is not None:
            raise InputError("out", "given", "absent for a single number")
        return _on_numbers(values, scalar.round_to, round_exact, (x,), operation)
    array = as_array(x, "x")
    out = _round_target(values, array, out)
    spec = spec_of(values)
    if out is None or spec is None or array.dtype == object:
        result = _by_reference(values, round_exact, [array], array.shape, operation)
        if out is None:
            return result
        out[...] = result
        return out
    source = np.ascontiguousarray(array).reshape(-1)
    # In place is well defined element by element; an `out` shifted against x is not, so it is filled at the end.
    in_place = out.ctypes.data == source.ctypes.data and out.dtype == source.dtype
    whole = out.flags.c_contiguous and (in_place or not np.may_share_memory(out, source))
    target = out.reshape(-1) if whole else np.empty(out.size, out.dtype)
    if source.dtype == target.dtype == np.float32:
        if isinstance(spec, Binary32):
            np.copyto(target, source)
        else:
            match spec32_of(values) or any_spec32_of(values):
                case Added() as added:
                    round_added(added, source, target)
                case Shifted() as shifted:
                    round_shifted(shifted, source, target)
                case AddedAny() as added_any:
                    round_added_any(added_any, source, target)
                case ShiftedAny() as shifted_any:
                    round_shifted_any(shifted_any, source, target)
                case _:
                    kernels.round_array(spec, source, target)
    else:
        kernels.round_array(spec, source, target)
    if not whole:
        out[...] = target.reshape(out.shape)
    return out


def _round_target(values: ValueSet, array: Array, out: Any) -> Array | None:
    """The array that receives the result, or None where it is an object array."""
    if out is None:
        if values.carrier != "float64":
            return None
        narrow = array.dtype == np.float32 and values.fits_float32
        return np.empty(array.shape, np.float32 if narrow else np.float64)
    allowed = [np.dtype(np.float64)] * (values.carrier == "float64") + [np.dtype(np.float32)] * values.fits_float32
    good = isinstance(out, np.ndarray) and out.dtype in allowed and out.shape == array.shape and out.flags.writeable
    if not good:
        shown = f"{out.dtype} of shape {out.shape}" if isinstance(out, np.ndarray) else type(out).__name__
        wanted = " or ".join(map(str, allowed)) or "absent: binary64 does not carry F"
        raise InputError("out", shown, f"a writable array of shape {array.shape}, {wanted}")
    target: Array = out
    return target


def add(values: ValueSet | str, a: Any, b: Any, *, operation: int = 0) -> Any:
    """a + b, rounded once into F.

    >>> add("fp16", 2048, 1), add("fp16:up", 2048, 1), add("fixed:8.3", 15, 15)
    (2048.0, 2050.0, 15.875)
    """
    return _apply(value_set(values), scalar.add, kernels.add_arrays, reference.add, (a, b), operation)


def sub(values: ValueSet | str, a: Any, b: Any, *, operation: int = 0) -> Any:
    """a - b, rounded once into F.

    >>> sub("fp16", 1, "0.1")
    0.89990234375
    """
    return _apply(value_set(values), scalar.sub, kernels.sub_arrays, reference.sub, (a, b), operation)


def mul(values: ValueSet | str, a: Any, b: Any, *, operation: int = 0) -> Any:
    """a * b, rounded once into F.

    >>> mul("fp16", [300.0, 0.5], 300.0)
    array([ inf, 150.])
    """
    return _apply(value_set(values), scalar.mul, kernels.mul_arrays, reference.mul, (a, b), operation)


def div(values: ValueSet | str, a: Any, b: Any, *, operation: int = 0) -> Any:
    """a / b, rounded once into F.

    >>> div("fp16", 1, 3), div("fp16", -1, 0), div("e2m1", 1, 0)
    (0.333251953125, -inf, 6.0)
    """
    return _apply(value_set(values), scalar.div, kernels.div_arrays, reference.div, (a, b), operation)


def fma(values: ValueSet | str, a: Any, b: Any, c: Any, *, operation: int = 0) -> Any:
    """a * b + c, rounded once into F: the product is not rounded.

    >>> x = 1.0029296875  # 1 + 3 * 2^-10
    >>> fma("fp16", x, x, -1), sub("fp16", mul("fp16", x, x), 1)
    (0.00586700439453125, 0.005859375)
    """
    return _apply(value_set(values), scalar.fma, kernels.fma_arrays, reference.fma, (a, b, c), operation)


def sqrt(values: ValueSet | str, x: Any, *, operation: int = 0) -> Any:
    """The square root of x, rounded once into F; NaN below 0, and -0 for -0.

    >>> sqrt("bf16", 2)
    1.4140625
    """
    values = value_set(values)
    return _apply(values, scalar.sqrt, kernels.sqrt_array, reference.sqrt, (x,), operation, tabulated=True)


def exp(values: ValueSet | str, x: Any, *, operation: int = 0) -> Any:
    """e^x, rounded once into F.

    >>> exp("fp16", 1), exp("fp16", -18), exp("fp16", float("-inf"))
    (2.71875, 0.0, 0.0)
    """
    values = value_set(values)
    loop = kernels.exp_blocks if _in_blocks(values) else kernels.exp_array
    return _apply(values, scalar.exp, loop, reference.exp, (x,), operation, tabulated=True)


def sin(values: ValueSet | str, x: Any, *, operation: int = 0) -> Any:
    """The sine of x radians, rounded once into F, for every finite x.

    >>> sin("fp64", 1e22), sin("fp16", float("inf"))
    (-0.8522008497671888, nan)
    """
    values = value_set(values)
    loop = kernels.sin_blocks if _in_blocks(values) else kernels.sin_array
    return _apply(values, scalar.sin, loop, reference.sin, (x,), operation, tabulated=True)


def cos(values: ValueSet | str, x: Any, *, operation: int = 0) -> Any:
    """The cosine of x radians, rounded once into F, for every finite x.

    >>> cos("e4m3", 1), cos("fp32", "0.1")
    (0.5625, 0.9950041770935059)
    """
    values = value_set(values)
    loop = kernels.cos_blocks if _in_blocks(values) else kernels.cos_array
    return _apply(values, scalar.cos, loop, reference.cos, (x,), operation, tabulated=True)


def _in_blocks(values: ValueSet) -> bool:
    return isinstance(spec_of(values), NearestFloat | Binary32)


def _apply(
    values: ValueSet,
    fast: Slow,
    loop: Slow,
    slow: Slow,
    operands: tuple[Any, ...],
    operation: int,
    *,
    tabulated: bool = False,
) -> Any:
    if not any(is_array(x) for x in operands):
        return _on_numbers(values, fast, slow, operands, operation)
    arrays = [_operand(x, f"operand {place}") for place, x in enumerate(operands, start=1)]
    try:
        shape = np.broadcast_shapes(*(array.shape for array in arrays))
    except ValueError as error:
        raise InputError(
            "operands", str([array.shape for array in arrays]), "arrays that broadcast together"
        ) from error
    spec = spec_of(values)
    narrow = values.fits_float32 and all(array.dtype == np.float32 for array in arrays if array.ndim)
    if spec is None or any(array.dtype == object for array in arrays):
        result = _by_reference(values, slow, arrays, shape, operation)
    else:
        flat = [np.ascontiguousarray(np.broadcast_to(to_binary64(array), shape)).reshape(-1) for array in arrays]
        out = np.empty(flat[0].size)
        if tabulated and values.size <= tables.LARGEST_TABLE and out.size >= _TABLE_FROM:
            _look_up(values, loop, flat[0], out)
        else:
            loop(spec, *flat, out)
        result = out.reshape(shape)
    return result.astype(np.float32) if narrow else result


def _operand(x: Any, what: str) -> Array:
    if is_array(x):
        return as_array(x, what)
    element = as_element(x, what)
    number = as_binary64(element)
    if number is not None:
        return np.array(number)
    array = np.empty((), dtype=object)
    array[()] = element
    return array


def _on_numbers(values: ValueSet, fast: Slow, slow: Slow, operands: tuple[Any, ...], operation: int) -> Any:
    elements = [as_element(x) for x in operands]
    spec = spec_of(values)
    if spec is not None:
        numbers = [as_binary64(element) for element in elements]
        if None not in numbers:
            return float(fast(spec, *numbers))
    return element_result(values, slow(values, *elements, operation=operation))


def _by_reference(values: ValueSet, slow: Slow, arrays: list[Array], shape: tuple[int, ...], operation: int) -> Array:
    exact = [
        np.broadcast_to(array if array.dtype == object else elements_of(array), shape).reshape(-1) for array in arrays
    ]
    results = [slow(values, *row, operation=operation + place) for place, row in enumerate(zip(*exact, strict=True))]
    return result_array(values, results, shape)


def _look_up(values: ValueSet, loop: Slow, x: Array, out: Array) -> None:
    """A function of one variable by its table; the numbers that are not in F go the general way."""
    spec = spec_of(values)
    index = spec if isinstance(spec, Grid) else tables.index_of(values)
    entries = tables.table(values, loop)
    left_open = np.empty(x.size, np.int64)
    first = x[:_SAMPLE]
    if tables.look_up(index, entries, first, out[:_SAMPLE], left_open) > first.size // 2:
        loop(spec, x, out)  # not values of F: looking the others up would only cost time
        return
    count = tables.look_up(index, entries, x, out, left_open)
    if count:
        rest = np.empty(count)
        loop(spec, x[left_open[:count]], rest)
        out[left_open[:count]] = rest
