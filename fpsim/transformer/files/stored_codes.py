"""Codes of F as the unsigned integers of a file, many at once.

Codes of up to 64 bits are integers of 8, 16, 32 or 64 bits; longer ones are words of 64 bits, the least significant
first, along one more axis.  These are the codes of `fpsim.codes`, whose functions are the reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fpsim import codes
from fpsim.errors import InputError
from fpsim.operands import Array, to_binary64
from fpsim.valueset import ValueSet

__all__ = ["code_type", "code_words", "from_codes", "to_codes"]

_WORD = 64


def code_type(values: ValueSet) -> np.dtype[Any]:
    """The type of the integers of a code, or of its words."""
    found = codes.encode(values, np.zeros(1)).dtype
    return found if found.kind == "u" else np.dtype(np.uint64)


def code_words(values: ValueSet) -> int:
    """How many words of 64 bits a code takes that one integer does not hold; 0 where one does."""
    if codes.encode(values, np.zeros(1)).dtype.kind == "u":
        return 0
    # Of more than 64 bits are binary sets only, and there the code of a least negative value has its first bit set.
    least = codes.encode(values, values.value(-values.least_index))
    return -(-int(least).bit_length() // _WORD)


def to_codes(values: ValueSet, array: Array) -> Array:
    """The codes of an array of values of F: of its shape, or of (*shape, words).  Raises `InputError` as `encode` does.

    >>> to_codes(ValueSet.parse("fp128"), np.array([1.0])).tolist()
    [[0, 4611404543450677248]]
    """
    if values.carrier == "float64" and values == ValueSet.parse("fp64") and array.dtype == np.float64:
        x = np.ascontiguousarray(array)  # its own bits, but for the NaN that all NaN are written as
        return np.where(np.isnan(x), np.uint64(codes.encode(values, float("nan"))), x.view(np.uint64))
    found = codes.encode(values, array)
    words = code_words(values)
    if not words:
        return np.ascontiguousarray(found)
    out = np.empty((*array.shape, words), np.uint64)
    for n in range(words):
        out[..., n] = (found >> (_WORD * n)) & ((1 << _WORD) - 1)
    return out


def from_codes(values: ValueSet, stored: Array) -> Array:
    """The values that codes from `to_codes` stand for.  Raises `InputError` for a code that means nothing in F.

    >>> from_codes(ValueSet.parse("fp16"), np.uint16([0x3C00, 0x7C00, 0x8000]))
    array([ 1., inf, -0.])
    """
    words = code_words(values)
    if words:
        whole = stored[..., 0].astype(object)
        for n in range(1, words):
            whole = whole | (stored[..., n].astype(object) << (_WORD * n))
        return np.asarray(codes.decode(values, whole))
    if values.carrier != "float64" or not values.is_binary or values.layout == "two":
        return np.asarray(codes.decode(values, stored))
    return _floats(values, stored)


def _floats(values: ValueSet, stored: Array) -> Array:
    """Sign and index taken apart: exact, as binary64 carries F, so that significand and power of two do not round."""
    sign_bit = 1 << (int(codes.encode(values, values.value(-values.least_index))).bit_length() - 1)
    code = stored.astype(np.uint64)
    n = code & np.uint64(sign_bit - 1)
    digits = np.uint64(values.precision - 1)
    binade = n >> digits
    significand = (n & np.uint64((1 << (values.precision - 1)) - 1)) + (np.minimum(binade, np.uint64(1)) << digits)
    exponent = values.quantum_exponent + np.maximum(binade.astype(np.int64) - 1, 0)
    plain = (n >= np.uint64(values.least_index)) & (n <= np.uint64(values.last)) & (code <= np.uint64(2 * sign_bit - 1))
    magnitude = np.ldexp(np.where(plain, to_binary64(significand), 0.0), np.where(plain, exponent, 0).astype(np.int32))
    result = np.where(code >= np.uint64(sign_bit), -magnitude, magnitude)
    rest = np.flatnonzero(~plain & (code != 0))
    if rest.size:  # -0, subnormal codes under ftz, infinities, NaN, codes without meaning: each by its definition
        distinct, first, inverse = np.unique(code.flat[rest], return_index=True, return_inverse=True)
        meanings = [_meaning(values, int(each), int(rest[n])) for each, n in zip(distinct, first, strict=True)]
        result.flat[rest] = np.array(meanings)[inverse]
    return result


def _meaning(values: ValueSet, code: int, place: int) -> float:
    try:
        return float(codes.decode(values, code))
    except InputError as error:
        raise InputError(f"code {place}", code, f"a code of {values.name}") from error
