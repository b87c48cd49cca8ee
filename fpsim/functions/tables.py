"""Functions of one variable as tables over all values of a small F: for formats of up to 16 bits and for grids.

A table holds the rounded function at every value of F, made once per process by the kernels that serve single numbers.
A lookup needs the index of a value from its bits.  For a float or fixed-point set that is a shift for normal values,
and for subnormal ones the last bits of |x| + C, where C has the spacing of F in its last place; for a grid it is a
search for a threshold (`fpsim.rounding.grids`).  Each index is checked to be that of x itself: other numbers,
infinities and NaN are left open, and the caller computes them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits_of, from_bits
from fpsim.rounding.dispatch import implement
from fpsim.rounding.grids import bucket
from fpsim.rounding.kinds import Grid
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

__all__ = ["LARGEST_TABLE", "FloatIndex", "all_values", "index_of", "look_up", "table"]

LARGEST_TABLE = 65536
"""The largest F, in finite values, for which tables are made."""

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"
TableArray: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Places: TypeAlias = "np.ndarray[Any, np.dtype[np.int32]]"
Loop: TypeAlias = Callable[[Any, Array, Array], None]

_EXPONENT = np.uint64(0x7FF << 52)
_SIGN_SHIFT = np.uint64(63)
_BLOCK = 2048


class FloatIndex(NamedTuple):
    """How a float or fixed-point set numbers its values.

    min_normal: 2^emin.  scale: 2^(53-p).  largest: the last value, of index `last`.  shift: 53 - p.
    """

    min_normal: float
    scale: float
    largest: float
    last: int
    shift: int


@lru_cache(maxsize=64)
def index_of(values: ValueSet) -> FloatIndex:
    """The `FloatIndex` of a float or fixed-point set that `spec_of` serves."""
    shift = 53 - values.precision
    return FloatIndex(math.ldexp(1.0, values.emin), math.ldexp(1.0, shift), float(values.max), values.last, shift)


def all_values(values: ValueSet) -> Array:
    """Every value of F, in the order of a table: a grid rising; else +0 and up, then -0 (or 0) and down.

    >>> all_values(ValueSet.parse("e2m1")).tolist()[:8]
    [0.0, 0.5, 1.0, 1.5, 2.0, 3.0, 4.0, 6.0]
    """
    spec = spec_of(values)
    if isinstance(spec, Grid):
        return spec.values[1:-1].copy()
    binade, fraction = np.divmod(np.arange(values.last + 1), 1 << (values.precision - 1))
    significand = np.where(binade > 0, fraction + (1 << (values.precision - 1)), fraction)
    positive = np.ldexp(significand.astype(np.float64), values.quantum_exponent + np.maximum(binade - 1, 0))
    return np.concatenate((positive, -positive))


@lru_cache(maxsize=64)
def table(values: ValueSet, function: Loop) -> TableArray:
    """function(spec, all values, out) of F, binary32 where F is part of it; F has a spec and at most 65536 values."""
    x = all_values(values)
    out = np.empty_like(x)
    function(spec_of(values), x, out)
    out = np.append(out, np.nan)  # the place of numbers that are not in F
    result = out.astype(np.float32) if values.fits_float32 else out
    result.setflags(write=False)
    return result


@kernel()
def _float_places(index: FloatIndex, x: Array, places: Places) -> int:
    """places[i] = where the entry of x[i] stands, the end of the table for a number not in F; counts those in F."""
    shift = np.uint64(index.shift)
    least = bits_of(index.min_normal)
    half = np.uint64(index.last + 1)
    count = 0
    for i in range(x.size):
        bits = bits_of(x[i])
        a = abs(x[i])
        e = from_bits(bits & _EXPONENT)
        e = e if e > index.min_normal else index.min_normal
        c = e * index.scale
        raised = a + c  # the integer a / spacing in its last places
        inside = (raised - c == a) & (a <= index.largest)
        place = (bits_of(raised) - bits_of(c)) + ((bits_of(e) - least) >> shift) + half * (bits >> _SIGN_SHIFT)
        places[i] = np.int32(place if inside else half + half)
        count += 1 if inside else 0
    return count


@kernel()
def _grid_places(spec: Grid, x: Array, places: Places) -> int:
    """As `_float_places`, for a grid whose values are `spec.values` but for the first and the last entry."""
    size = spec.values.size - 2  # one more at each end: what is beyond range
    count = 0
    for i in range(x.size):
        t = x[i] + 0.0
        place = bucket(t, spec.shift, spec.lowest, spec.half)
        low, high = np.int64(spec.first[place]), np.int64(spec.first[place + 1])
        if spec.single:
            low += np.int64(t >= spec.bound[low])
            high = low
        while low < high:
            middle = (low + high) >> 1
            if t >= spec.bound[middle]:
                low = middle + 1
            else:
                high = middle
        inside = (spec.values[low] == t) & (1 <= low <= size)
        places[i] = np.int32(low - 1 if inside else size)
        count += 1 if inside else 0
    return count


@kernel()
def _gather(entries: TableArray, places: Places, out: Array) -> None:
    for i in range(out.size):
        out[i] = entries[np.uint32(places[i])]  # unsigned: no wrap-around to provide for


@kernel()
def look_up(index: FloatIndex | Grid, entries: TableArray, x: Array, out: Array, left_open: np.ndarray) -> int:
    """out[i] = the entry of x[i]; returns how many numbers are not in F, and writes their places into left_open.

    In blocks, each in two loops: the first has no memory access that depends on data, so it vectorizes.
    """
    places = np.empty(_BLOCK, np.int32)
    count = 0
    for start in range(0, x.size, _BLOCK):
        part = x[start : start + _BLOCK]
        found: int = find_places(index, part, places)
        _gather(entries, places, out[start : start + _BLOCK])
        if found < part.size:
            for i in range(part.size):
                if places[i] == entries.size - 1:
                    left_open[count] = start + i
                    count += 1
    return count


def find_places(index: FloatIndex | Grid, x: Array, places: Places) -> int:
    """`_float_places` or `_grid_places`, inside compiled code."""
    raise NotImplementedError


implement(find_places, {FloatIndex: _float_places.py_func, Grid: _grid_places.py_func}, inline=False)  # type: ignore[attr-defined]
