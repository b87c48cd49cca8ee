"""Storage codes: the unsigned integer that stands for a value of F in memory, and back.

| sets | code of a finite value | inf | NaN | bits |
|---|---|---|---|---|
| IEEE-like (fp16, bf16, e5m2, eXmY) | sign, then index | last + 1 | the half-way code above inf | 1+X+Y |
| e4m3 (OCP "fn") | sign, then index | none | all ones | 8 |
| e4m3fnuz, e5m2fnuz | sign, then index | none | sign bit alone | 8 |
| e3m2, e2m3, e2m1, other floats | sign, then index | last + 1, if F has inf | none | as needed |
| fixed:B.F | two's complement of the index | none | none | B |
| grids | rank in rising order | then inf, -inf | then NaN | as needed |

`last` is the greatest index.  So the codes of fp16 are the bits of NumPy's float16, and those of the 8-bit formats the
bits of ml_dtypes' types.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.operands import Array, as_array, as_element, element_result, elements_of, is_array, result_array, to_binary64
from fpsim.rounding.reference import Element, is_nan, is_negative
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["decode", "encode"]


@dataclass(frozen=True)
class _Layout:
    """bits: the width of a code.  inf, minus_inf, nan: their codes, or None."""

    bits: int
    inf: int | None = None
    minus_inf: int | None = None
    nan: int | None = None


@lru_cache(maxsize=64)
def _layout(values: ValueSet) -> _Layout:
    last = values.last
    if values.layout == "two":
        return _Layout(values.precision + 1)
    if values.layout == "index":
        size = len(values.grid)
        return _Layout((size + 2).bit_length(), size, size + 1, size + 2)
    if values.layout == "ieee":
        width = (last + 1).bit_length()  # of the magnitude: infinity is an exponent of all ones
        return _Layout(width + 1, last + 1, last + 1 + (1 << width), last + 1 + (1 << (values.precision - 2)))
    if values.layout == "fn":
        return _Layout((last + 1).bit_length() + 1, nan=last + 1)
    width = (last + values.has_infinity).bit_length()
    if values.layout == "fnuz":
        return _Layout(width + 1, nan=1 << width)
    if values.has_infinity:
        return _Layout(width + 1, last + 1, last + 1 + (1 << width))
    return _Layout(width + 1)


def encode(values: ValueSet | str, x: Any) -> Any:
    """The code of x, a value of F (or inf or NaN where F's layout has a code for it).

    A number gives an int; an array the narrowest array of unsigned integers that holds every code of F, of objects when
    64 bits are not enough.  -0 in a set without -0 has the code of 0.  Raises `InputError` that names the first element
    that is not a value of F, or has no code.

    >>> hex(encode("fp16", 1.0)), hex(encode("e4m3", float("nan"))), encode("fixed:8.4", -0.0625)
    ('0x3c00', '0x7f', 255)
    >>> encode("e2m1", [0.5, -6.0])
    array([ 1, 15], dtype=uint8)
    """
    values = value_set(values)
    if not is_array(x):
        return _encode_element(values, as_element(x, "x"), "x")
    array = as_array(x, "x")
    if array.dtype == object or values.carrier != "float64" or _layout(values).bits > 63:
        elements = array if array.dtype == object else elements_of(array, "x")
        codes = [_encode_element(values, element, f"x[{place}]") for place, element in enumerate(elements.flat)]
        return np.array(codes, dtype=_code_type(values)).reshape(array.shape)
    return _encode_floats(values, to_binary64(array)).astype(_code_type(values))


def decode(values: ValueSet | str, codes: Any) -> Any:
    """The values that codes stand for: a number for an int, else an array as `fpsim.round` gives it.

    Under ftz the code of a subnormal value gives a zero.  Raises `InputError` for a code that means nothing in F.

    >>> decode("fp16", 0x7BFF), decode("e5m2fnuz", 0x80)
    (65504.0, nan)
    >>> decode("nf4", [0, 7, 15])
    array([-1.,  0.,  1.])
    """
    values = value_set(values)
    single = not is_array(codes)
    array = np.asarray(codes, dtype=object if single else None)
    if array.dtype.kind not in "iuO" or any(
        isinstance(c, bool) or not isinstance(c, int | np.integer)
        for c in (array.flat if array.dtype == object else ())
    ):
        raise InputError("codes", f"an array of {array.dtype}" if array.ndim else codes, "integers")
    if single:
        return element_result(values, _decode_element(values, int(array[()]), "codes"))
    known = _decoded(values) if _layout(values).bits <= 16 and values.carrier == "float64" else None
    if known is None or array.dtype == object or array.size < known.size // 8:
        elements = [_decode_element(values, int(code), f"codes[{place}]") for place, code in enumerate(array.flat)]
        return result_array(values, elements, array.shape)
    legal = (array >= 0) & (array < known.size)
    result = known[np.where(legal, array, 0)]
    for place in np.flatnonzero(~legal | np.isnan(result)):
        _decode_element(values, int(array.flat[place]), f"codes[{place}]")  # raises for a code without meaning
        break
    return result


@lru_cache(maxsize=16)
def _decoded(values: ValueSet) -> Array:
    """The value of every code; NaN where it has none."""
    size = 1 << _layout(values).bits
    known = np.full(size, np.nan)
    for code in range(size):
        element = _meaning(values, code)
        if element is not None:
            known[code] = float(element)
    return known


def _code_type(values: ValueSet) -> Any:
    bits = _layout(values).bits
    for width in (8, 16, 32, 64):
        if bits <= width:
            return np.dtype(f"uint{width}")
    return np.dtype(object)


def _encode_element(values: ValueSet, element: Element, what: str) -> int:
    layout = _layout(values)
    if is_nan(element) or (isinstance(element, float) and math.isinf(element)):
        code = layout.nan if is_nan(element) else layout.inf if element > 0 else layout.minus_inf
        if code is None:
            raise InputError(what, element, f"a value of {values.name}, whose codes have none for it")
        return code
    negative = is_negative(element)
    n = abs(values.index(mpq(element))) if mpq(element) in values else None
    if n is None:
        raise InputError(what, element, f"a value of {values.name}; round it first")
    return _code_of(values, n, negative)


def _code_of(values: ValueSet, n: int, negative: bool) -> int:
    if values.layout == "index":
        return (-n if negative else n) - values.first
    if values.layout == "two":
        return -n % (1 << (values.precision + 1)) if negative else n
    sign = negative and (n > 0 or values.signed_zero)
    return n + (sign << (_layout(values).bits - 1))


def _encode_floats(values: ValueSet, x: Array) -> Array:
    layout = _layout(values)
    finite = np.isfinite(x)
    magnitude = np.where(finite, np.abs(x), 0.0)
    if values.layout == "index":
        members = np.array([float(value) for value in values.grid])
        rank = np.searchsorted(members, np.where(finite, x, 0.0)).clip(0, members.size - 1)
        inside, codes = members[rank] == np.where(finite, x, 0.0), rank.astype(np.uint64)
    else:
        exponent = np.where(magnitude > 0.0, np.maximum(np.frexp(magnitude)[1] - 1, values.emin), values.emin)
        significand = np.ldexp(magnitude, values.precision - 1 - exponent)
        small = significand < 2.0**62
        n = np.where(small, significand, 0.0).astype(np.int64) + (
            (exponent - values.emin).astype(np.int64) << (values.precision - 1)
        )
        inside = small & (significand == np.floor(significand)) & (n <= values.last)
        inside &= (n == 0) | (n >= values.least_index)
        negative = np.signbit(x) & ((n > 0) | values.signed_zero)
        if values.layout == "two":
            codes = np.where(negative, -n, n).astype(np.uint64) & np.uint64((1 << layout.bits) - 1)
        else:
            codes = n.astype(np.uint64) | (negative.astype(np.uint64) << np.uint64(layout.bits - 1))
    for special, code in ((np.isnan(x), layout.nan), (x == np.inf, layout.inf), (x == -np.inf, layout.minus_inf)):
        inside &= ~special if code is None else True
        codes = np.where(special, np.uint64(code or 0), codes)
    wrong = np.flatnonzero(~inside)
    if wrong.size:  # raises, with the message of a single number
        _encode_element(values, as_element(float(x.flat[wrong[0]])), f"x[{wrong[0]}]")
    return codes


def _decode_element(values: ValueSet, code: int, what: str) -> Element:
    element = _meaning(values, code)
    if element is None:
        raise InputError(what, code, f"a code of {values.name} ({_layout(values).bits} bits)")
    return element


def _meaning(values: ValueSet, code: int) -> Element | None:
    """What a code stands for, or None when it has no meaning."""
    layout = _layout(values)
    if not 0 <= code < 1 << layout.bits:
        return None
    if code in (layout.inf, layout.minus_inf):
        return math.inf if code == layout.inf else -math.inf
    if code == layout.nan:
        return math.nan
    if values.layout == "index":
        return values.grid[code] if code < len(values.grid) else None
    half = 1 << (layout.bits - 1)
    if values.layout == "two":
        n = code - 2 * half if code >= half else code
        return values.value(n) if values.first <= n <= values.last else None
    n, negative = code % half, code >= half
    if n > values.last:
        is_a_nan = (values.layout == "ieee" and n > values.last + 1) or (values.layout == "fn" and n == values.last + 1)
        return math.nan if is_a_nan else None
    if n == 0 or n < values.least_index:
        return -0.0 if negative and values.signed_zero else mpq(0)
    return values.value(-n if negative else n)
