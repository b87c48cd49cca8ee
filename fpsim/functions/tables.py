"""Functions of one variable as tables over all values of a small F: for formats of up to 16 bits and for grids.

A table holds the rounded function at every value of F, made once per process by the kernels that serve single numbers.  A
lookup needs the index of a value from its bits.  For a float or fixed-point set that is a shift for normal values, and for
subnormal ones the last bits of |x| + C, where C has the spacing of F in its last place; for a grid it is a search for
a threshold (`fpsim.rounding.grids`).  Each index is checked to be that of x itself: other numbers, infinities and NaN are
left open, and the caller computes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits_of
from fpsim.rounding.grids import bucket
from fpsim.rounding.kinds import Grid
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

__all__ = ["LARGEST_TABLE", "FloatIndex", "all_values", "index_of", "look_up_float", "look_up_grid", "table"]

LARGEST_TABLE = 65536
"""The largest F, in finite values, for which tables are made."""

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
TableArray: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Loop: TypeAlias = Callable[[Any, Array, Array], None]

_MAGNITUDE = np.uint64((1 << 63) - 1)
_BLOCK = 1024


class FloatIndex(NamedTuple):
    """How a float or fixed-point set numbers its values: an index is (bits >> shift) - offset for normal values.

    magic: its last place is the spacing of subnormal values.  last: the greatest index.
    """

    min_normal: float
    magic: float
    shift: int
    offset: int
    last: int


@lru_cache(maxsize=64)
def index_of(values: ValueSet) -> FloatIndex:
    """The `FloatIndex` of a float or fixed-point set that `spec_of` serves."""
    p, emin = values.precision, values.emin
    # the least normal value, biased exponent emin + 1023, has index 2^(p-1)
    offset = ((emin + 1023) << (p - 1)) - (1 << (p - 1))
    return FloatIndex(math.ldexp(1.0, emin), math.ldexp(1.0, 52 + values.quantum_exponent), 53 - p, offset, values.last)


def all_values(values: ValueSet) -> Array:
    """Every value of F, in the order of a table: a grid rising; else +0 and up, then -0 (or 0) and down."""
    if not values.is_binary:
        return np.array([float(value) for value in values.grid])
    index = index_of(values)
    n = np.arange(values.last + 1, dtype=np.int64)
    normal = ((n + index.offset) << index.shift).view(np.float64)
    positive = np.where(n < 1 << (values.precision - 1), n * math.ldexp(1.0, values.quantum_exponent), normal)
    return np.concatenate((positive, -positive))


@lru_cache(maxsize=64)
def table(values: ValueSet, function: Loop) -> TableArray:
    """function(spec, all values, out) of F, binary32 where F is part of it; F has a spec and at most 65536 values."""
    x = all_values(values)
    out = np.empty_like(x)
    function(spec_of(values), x, out)
    result = out.astype(np.float32) if values.fits_float32 else out
    result.setflags(write=False)
    return result


@kernel()
def look_up_float(index: FloatIndex, entries: TableArray, x: Array, out: Array, left_open: np.ndarray) -> int:
    """out[i] = the entry of x[i]; returns how many numbers are not in F, and writes their places into left_open."""
    shift = np.uint64(index.shift)
    dropped = (np.uint64(1) << shift) - np.uint64(1)
    magic_bits = bits_of(index.magic)
    found = np.empty(_BLOCK, np.uint8)
    count = 0
    for start in range(0, x.size, _BLOCK):
        size = min(_BLOCK, x.size - start)
        total = 0
        for i in range(size):
            bits = bits_of(x[start + i])
            magnitude = bits & _MAGNITUDE
            a = abs(x[start + i])
            raised = a + index.magic
            normal = a >= index.min_normal
            place = np.int64(magnitude >> shift) - index.offset if normal else np.int64(bits_of(raised) - magic_bits)
            exact = (magnitude & dropped) == np.uint64(0) if normal else raised - index.magic == a
            inside = exact & (place <= index.last)
            place = place if inside else 0
            place += (index.last + 1) * np.int64(bits >> np.uint64(63))
            out[start + i] = entries[place]
            found[i] = inside
            total += found[i]
        if total < size:
            for i in range(size):
                if found[i] == 0:
                    left_open[count] = start + i
                    count += 1
    return count


@kernel()
def look_up_grid(spec: Grid, entries: TableArray, x: Array, out: Array, left_open: np.ndarray) -> int:
    """As `look_up_float`, for a grid."""
    count = 0
    for i in range(x.size):
        t = x[i] + 0.0
        place = bucket(t, spec.shift, spec.lowest, spec.half)
        low, high = np.int64(spec.first[place]), np.int64(spec.first[place + 1])
        while low < high:
            middle = (low + high) >> 1
            if t >= spec.bound[middle]:
                low = middle + 1
            else:
                high = middle
        # values has one more entry at each end: what is beyond range
        if spec.values[low] == t and 1 <= low <= entries.size:
            out[i] = entries[low - 1]
        else:
            left_open[count] = i
            count += 1
    return count
