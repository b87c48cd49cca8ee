"""Rounding into a grid: find the threshold below the exact result, by its leading bits and then by comparing exactly.

Nothing here rounds: the midpoint of two binary64 numbers is often not one, so thresholds are exact sums of two (see
`fpsim.rounding.grid_table`), and an exact result comes as a sum of two numbers and the sign of what they leave.  Since
both are headed by the nearest binary64 number, which is a monotone function of the real, the order of the reals is the
lexicographic order of the parts.
"""

from __future__ import annotations

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits_of
from fpsim.rounding.kinds import Grid

__all__ = ["bucket", "round_grid", "round_grid_parts"]

_MAGNITUDE = np.uint64((1 << 63) - 1)


@kernel(forceinline=True)
def bucket(x: float, shift: int, lowest: int, half: int) -> int:
    """The bucket of x (not -0): rising with x, from 0 to 2 half - 1, by the sign and the bits of |x| above `shift`."""
    place: int = np.int64((bits_of(x) & _MAGNITUDE) >> np.uint64(shift)) - lowest  # type: ignore[assignment]
    place = max(place, 0)
    place = min(place, half - 1)
    return half - 1 - place if x < 0.0 else half + place


@kernel(forceinline=True)
def round_grid(spec: Grid, x: float) -> float:
    """x rounded into the set of a `Grid`."""
    x += 0.0  # -0 becomes 0
    if x != x:
        return x
    place = bucket(x, spec.shift, spec.lowest, spec.half)
    low = np.int64(spec.first[place])
    if spec.single:
        # an empty bucket has the next threshold at its index, which is above x
        chosen: float = spec.values[low + np.int64(x >= spec.bound[low])]
        return chosen
    high = np.int64(spec.first[place + 1])
    while low < high:
        middle = (low + high) >> 1
        if x >= spec.bound[middle]:
            low = middle + 1
        else:
            high = middle
    found: float = spec.values[low]
    return found


@kernel(forceinline=True)
def _is_above(spec: Grid, place: np.int64, h: float, low_part: float, sign: float) -> bool:
    """Whether the real goes above a threshold: the lexicographic order of their parts."""
    t, u = spec.threshold_high[place], spec.threshold_low[place]
    above: bool = (h > t) | ((h == t) & ((low_part > u) | ((low_part == u) & (sign > spec.threshold_side[place]))))
    return above


@kernel(forceinline=True)
def round_grid_parts(spec: Grid, h: float, low_part: float, side: float) -> float:
    """The real h + low_part + r, r of the sign of `side`, rounded into the set of a `Grid`.

    h is the real rounded to nearest and low_part the rest rounded to nearest; for an infinity or NaN they do not
    matter.
    """
    h += 0.0
    if h != h:
        return h
    if abs(h) == np.inf:
        return round_grid(spec, h)
    sign = 1.0 if side > 0.0 else -1.0 if side < 0.0 else 0.0  # beyond the half by which a threshold leans to a side
    place = bucket(h, spec.shift, spec.lowest, spec.half)
    low = np.int64(spec.first[place])
    if spec.single:
        chosen: float = spec.values[low + np.int64(_is_above(spec, low, h, low_part, sign))]
        return chosen
    high = np.int64(spec.first[place + 1])
    while low < high:
        middle = (low + high) >> 1
        if _is_above(spec, middle, h, low_part, sign):
            low = middle + 1
        else:
            high = middle
    found: float = spec.values[low]
    return found
