"""Rounding binary32 arrays in binary32 in the modes other than nearest-even, and under `ftz`.

The twin of `fpsim.rounding.floats.round_any`, whose result converts to binary32 exactly.  Let low be the value of F at
most the magnitude a, q the spacing there and r = a - low < q.  Every mode says from which r on a goes to low + q, and
that depends only on the sign of the number and on the parity of low's index: four constants, and no branch on the mode.

* `ShiftedAny`, for the sets whose least normal value is that of binary32: q is a fixed number of last places at every
  magnitude, r the last bits of a, and adding a bias to the bits carries into the index from the right r on.
* `AddedAny`, for p <= 22 otherwise: with the magic number of `fpsim.rounding.float32`, y is the nearest multiple of q,
  low is y or y - q, and r is a binary32 number, being a multiple of a's last place below q.  a goes on if 2r > q t, for
  a threshold t: 0, the number before 1, 1 or 2.  (No 2r lies between q and the binary32 number before it, so that the
  second one means 2r >= q.)  Sound while the magic number for 2 max does not overflow and q and 1/q are normal.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits32_of, from_bits32
from fpsim.rounding.float32 import Float32Array
from fpsim.rounding.specs import AnyFloat, spec_of
from fpsim.valueset import ValueSet

__all__ = ["AddedAny", "ShiftedAny", "any_spec32_of", "round_added_any", "round_shifted_any"]


class AddedAny(NamedTuple):
    """scale, spacing, inverse: 2^(24-p), 2^(1-p), 2^(p-1).  positive_even ... negative_odd: the thresholds t.

    The rest as in `AnyFloat`, with binary32 numbers.
    """

    scale: np.float32
    spacing: np.float32
    inverse: np.float32
    positive_even: np.float32
    positive_odd: np.float32
    negative_even: np.float32
    negative_odd: np.float32
    min_normal: np.float32
    least: np.float32
    largest: np.float32
    limit_positive: np.float32
    limit_negative: np.float32
    overflow: np.float32
    zero: np.float32


class ShiftedAny(NamedTuple):
    """shift: how many last bits go.  positive_even ... negative_odd: what is added to them.

    The rest as in `AddedAny`.
    """

    shift: np.uint32
    positive_even: np.uint32
    positive_odd: np.uint32
    negative_even: np.uint32
    negative_odd: np.uint32
    min_normal: np.float32
    least: np.float32
    largest: np.float32
    limit_positive: np.float32
    limit_negative: np.float32
    overflow: np.float32
    zero: np.float32


def any_spec32_of(values: ValueSet) -> AddedAny | ShiftedAny | None:
    """The way to round binary32 numbers into F in binary32, or None: then binary64 does it."""
    spec, p = spec_of(values), values.precision
    if not isinstance(spec, AnyFloat) or not values.fits_float32 or not 2 <= p <= 22:
        return None
    ends = (
        np.float32(spec.min_normal),
        np.float32(spec.min_normal if spec.ftz else 0.0),  # what is below it becomes 0
        np.float32(spec.largest),
        _not_above(spec.limit_positive),
        _not_above(spec.limit_negative),
        np.float32(spec.overflow),
        np.float32(spec.zero),
    )
    when = _thresholds(values.rounding)
    if values.emin == -126:
        unit = 1 << (24 - p)
        bias = {0.0: unit - 1, _BEFORE_ONE: unit // 2, 1.0: unit // 2 - 1, 2.0: 0}
        b0, b1, b2, b3 = (np.uint32(bias[t]) for t in when)
        return ShiftedAny(np.uint32(24 - p), b0, b1, b2, b3, *ends)
    if values.emin > -126 and values.quantum_exponent >= -120 and values.emax + 25 - p <= 126:
        scale, spacing, inverse = (np.float32(2.0**n) for n in (24 - p, 1 - p, p - 1))
        t0, t1, t2, t3 = (np.float32(t) for t in when)
        return AddedAny(scale, spacing, inverse, t0, t1, t2, t3, *ends)
    return None


_BEFORE_ONE = 1.0 - 2.0**-24


def _thresholds(mode: str) -> tuple[float, float, float, float]:
    """The t with "a goes on if 2r > q t": positive and even, positive and odd, negative and even, negative and odd."""
    always, tie_goes, tie_stays, never = 0.0, _BEFORE_ONE, 1.0, 2.0
    return {
        "even": (tie_stays, tie_goes, tie_stays, tie_goes),
        "away": (tie_goes, tie_goes, tie_goes, tie_goes),
        "zero": (never, never, never, never),
        "up": (always, always, never, never),
        "down": (never, never, always, always),
        "odd": (always, never, always, never),
    }[mode]


def _not_above(limit: float) -> np.float32:
    """The greatest finite binary32 number at most `limit`: no binary32 number lies between them."""
    if limit >= float(np.finfo(np.float32).max):
        return np.finfo(np.float32).max
    near = np.float32(limit)
    return near if float(near) <= limit else np.nextafter(near, np.float32(0))


_SIGN = np.uint32(1 << 31)
_EXPONENT = np.uint32(0xFF << 23)
_RECIPROCAL = np.uint32(254 << 23)  # minus the bits of a power of two: the bits of its inverse
_ONE = np.uint32(1)


@kernel(forceinline=True)
def _finished(spec: AddedAny | ShiftedAny, a: np.float32, y: np.float32, bits: np.uint32, negative: bool) -> np.float32:
    """y with overflow, ftz and the sign of the number whose magnitude is a."""
    y = spec.largest if y > spec.largest else y
    y = np.float32(0) if y < spec.least else y
    y = spec.overflow if a > (spec.limit_negative if negative else spec.limit_positive) else y
    y = a if a != a else y
    return from_bits32(np.uint32(bits32_of(y) | (bits & _SIGN))) + spec.zero


@kernel()
def round_added_any(spec: AddedAny, x: Float32Array, out: Float32Array) -> None:
    """out[i] = x[i] rounded; out may be x."""
    top = spec.largest + spec.largest
    for i in range(x.size):
        bits = bits32_of(x[i])
        negative = (bits & _SIGN) != np.uint32(0)
        a = abs(x[i])
        b = top if a > top else a  # what lies beyond is decided by a, not by b
        e = from_bits32(np.uint32(bits32_of(b) & _EXPONENT))
        e = e if e > spec.min_normal else spec.min_normal
        c = e * spec.scale
        q = e * spec.spacing
        near = (b + c) - c
        low = near - q if near > b else near
        rest = b - low
        index = low * (
            from_bits32(np.uint32(_RECIPROCAL - bits32_of(e))) * spec.inverse
        )  # low / q, whole and below 2^p
        odd = (np.int32(index) & np.int32(1)) != np.int32(0)
        t_positive = spec.positive_odd if odd else spec.positive_even
        t_negative = spec.negative_odd if odd else spec.negative_even
        y = low + q if rest + rest > q * (t_negative if negative else t_positive) else low
        out[i] = _finished(spec, a, y, bits, negative)


@kernel()
def round_shifted_any(spec: ShiftedAny, x: Float32Array, out: Float32Array) -> None:
    """out[i] = x[i] rounded; out may be x."""
    for i in range(x.size):
        bits = bits32_of(x[i])
        negative = (bits & _SIGN) != np.uint32(0)
        a = abs(x[i])
        magnitude = np.uint32(bits & ~_SIGN)
        odd = (np.uint32(magnitude >> spec.shift) & _ONE) != np.uint32(0)
        positive_bias = spec.positive_odd if odd else spec.positive_even
        negative_bias = spec.negative_odd if odd else spec.negative_even
        moved = np.uint32(magnitude + (negative_bias if negative else positive_bias))
        y = from_bits32(np.uint32(np.uint32(moved >> spec.shift) << spec.shift))
        out[i] = _finished(spec, a, y, bits, negative)
