"""Rounding binary32 arrays without leaving binary32: half the memory traffic, twice the numbers per vector.

The result is that of converting to binary64 (exactly), rounding there, and converting back (exactly, F being part of
binary32).  Two methods, both for nearest-even rounding (`any_float32` has the other modes):

* `Added`: adding and subtracting a number whose last place is F's spacing, as `fpsim.rounding.floats` does in binary64.
  Sound for p <= 22 while that number, up to 2^(emax + 24 - p), does not overflow.
* `Shifted`: integer rounding of the bits, for sets whose least normal value is that of binary32 (bf16, tf32): then the
  spacing is a fixed number of last places at every magnitude, subnormal ones included.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits32_of, from_bits32
from fpsim.rounding.kinds import NearestFloat
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

__all__ = ["Added", "Float32Array", "Shifted", "round_added", "round_shifted", "spec32_of"]

Float32Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float32]]"


class Added(NamedTuple):
    """As `NearestFloat`, with binary32 numbers; scale is 2^(24-p)."""

    min_normal: np.float32
    scale: np.float32
    limit: np.float32
    overflow: np.float32
    zero: np.float32


class Shifted(NamedTuple):
    """shift: how many last bits go.  below_half: 2^(shift-1) - 1.  The rest as in `NearestFloat`."""

    shift: np.uint32
    below_half: np.uint32
    limit: np.float32
    overflow: np.float32
    zero: np.float32


def spec32_of(values: ValueSet) -> Added | Shifted | None:
    """The way to round binary32 numbers into F in binary32, or None: then binary64 does it."""
    spec = spec_of(values)
    p = values.precision
    if not isinstance(spec, NearestFloat) or not values.fits_float32 or p > 22:
        return None
    limit = np.float32(spec.limit)
    if float(limit) > spec.limit:
        limit = np.nextafter(limit, np.float32(0))
    overflow, zero = np.float32(spec.overflow), np.float32(spec.zero)
    if values.emin == -126:
        return Shifted(np.uint32(24 - p), np.uint32((1 << (23 - p)) - 1), limit, overflow, zero)
    if values.emax + 24 - p <= 126 and values.emin > -126:
        return Added(np.float32(spec.min_normal), np.float32(2.0 ** (24 - p)), limit, overflow, zero)
    return None


_SIGN = np.uint32(1 << 31)
_EXPONENT = np.uint32(0xFF << 23)
_ONE = np.uint32(1)


@kernel()
def round_added(spec: Added, x: Float32Array, out: Float32Array) -> None:
    """out[i] = x[i] rounded; out may be x."""
    for i in range(x.size):
        bits = bits32_of(x[i])
        a = abs(x[i])
        e = from_bits32(bits & _EXPONENT)
        e = e if e > spec.min_normal else spec.min_normal
        c = e * spec.scale
        y = (a + c) - c
        y = spec.overflow if a > spec.limit else y
        out[i] = from_bits32(bits32_of(y) | (bits & _SIGN)) + spec.zero


@kernel()
def round_shifted(spec: Shifted, x: Float32Array, out: Float32Array) -> None:
    """out[i] = x[i] rounded; out may be x."""
    for i in range(x.size):
        bits = bits32_of(x[i])
        a = abs(x[i])
        magnitude = np.uint32(bits & ~_SIGN)
        odd = np.uint32((magnitude >> spec.shift) & _ONE)
        y = from_bits32(np.uint32(((magnitude + spec.below_half + odd) >> spec.shift) << spec.shift))
        y = spec.overflow if a > spec.limit else y
        y = a if a != a else y
        out[i] = from_bits32(np.uint32(bits32_of(y) | (bits & _SIGN))) + spec.zero
