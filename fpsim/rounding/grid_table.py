"""From a value set to a `Grid`: exact thresholds between neighbours, in any mode, and the table that finds them.

Between two neighbours the mode decides by one comparison with a threshold: the midpoint (nearest modes), or one of the
two neighbours (directed modes and `odd`).  What is beyond range is one more neighbour at each end, with a threshold of
its own.
"""

from __future__ import annotations

import math

import numpy as np
from gmpy2 import mpq

from fpsim.rounding.kinds import Grid
from fpsim.valueset import ValueSet

__all__ = ["grid_of"]

_MOST_BUCKETS = 1 << 16
_QUANTUM = -890  # every value is a multiple of 2^_QUANTUM: thresholds and their products stay clear of underflow
_LARGEST = 900


def grid_of(values: ValueSet) -> Grid | None:
    """The `Grid` of a value set with binary64 values, or None where exact comparisons need more than two numbers.

    None when a value is no multiple of 2^-890 or exceeds 2^900 in magnitude, or when a threshold is not a sum of two
    binary64 numbers (a limit of range 3M/2 - M'/2 with M' far below M).
    """
    members = [values.value(n) for n in range(values.first, values.last + 1)]
    if any(not _is_moderate(value) for value in members):
        return None
    thresholds = [_lower_limit(values)]
    thresholds += [_between(values, n) for n in range(values.first, values.last)]
    thresholds.append(_upper_limit(values))
    parts = [_two_parts(t) for t, _ in thresholds]
    if any(part is None for part in parts):
        return None
    high = np.array([part[0] for part in parts if part])
    low = np.array([part[1] for part in parts if part])
    inclusive = np.array([goes_up for _, goes_up in thresholds])
    counts = (low < 0) | ((low == 0) & inclusive)  # whether the leading part itself already goes up
    bound = np.append(np.where(counts, high, np.nextafter(high, np.inf)), np.nan)
    extended = np.array([_outside(values, negative=True), *map(float, members), _outside(values, negative=False)])
    first, shift, lowest, half, single = _buckets(high)
    high, low = np.append(high, np.nan), np.append(low, np.nan)
    side = np.append(np.where(inclusive, -0.5, 0.5), np.nan)
    return Grid(extended, high, low, side, bound, first, shift, lowest, half, single)


def _is_moderate(value: mpq) -> bool:
    return bool(value.denominator.bit_length() - 1 <= -_QUANTUM and abs(value) <= 1 << _LARGEST)


def _outside(values: ValueSet, *, negative: bool) -> float:
    if (values.first if negative else values.last) == 0:
        return 0.0  # a side without values saturates at 0, for the infinity too
    if values.overflow == "nan":
        return math.nan
    if values.overflow == "inf":
        return -math.inf if negative else math.inf
    return float(values.value(values.first if negative else values.last))


def _between(values: ValueSet, n: int) -> tuple[mpq | float, bool]:
    """(threshold, whether the threshold itself goes up) between the values of index n and n + 1."""
    lower, upper = values.value(n), values.value(n + 1)
    middle = (lower + upper) / 2
    positive = n >= 0
    match values.rounding:
        case "even":
            return middle, (n + 1) % 2 == 0
        case "away":
            return middle, positive
        case "zero":
            return (upper, True) if positive else (lower, False)
        case "up":
            return lower, False
        case "down":
            return upper, True
        case "odd":
            return (upper, True) if n % 2 else (lower, False)
        case mode:
            raise ValueError(f"no thresholds for rounding {mode}")


def _limit(values: ValueSet, *, negative: bool) -> tuple[mpq | float, bool]:
    """(magnitude, whether that magnitude itself is beyond range) of one side: semantics 1, §1, "Overflow"."""
    top = values.first if negative else values.last
    never = (math.inf, True)  # infinities only
    if top == 0:
        return never
    last, before = abs(values.value(top)), abs(values.value(top + 1 if negative else top - 1))
    middle = last + (last - before) / 2
    match values.rounding:
        case "even":
            return middle, top % 2 == 1
        case "away":
            return middle, True
        case "zero":
            return never
        case "up":
            return never if negative else (last, False)
        case "down":
            return (last, False) if negative else never
        case "odd":
            return never if top % 2 else (last, False)
        case mode:
            raise ValueError(f"no thresholds for rounding {mode}")


def _upper_limit(values: ValueSet) -> tuple[mpq | float, bool]:
    return _limit(values, negative=False)


def _lower_limit(values: ValueSet) -> tuple[mpq | float, bool]:
    magnitude, beyond = _limit(values, negative=True)
    return -magnitude, not beyond


def _two_parts(t: mpq | float) -> tuple[float, float] | None:
    """(nearest binary64 number, rest) when their sum is exactly t."""
    if isinstance(t, float):
        return t, 0.0
    high = float(t)
    low = float(t - mpq(high))
    return (high + 0.0, low) if mpq(high) + mpq(low) == t else None


def _buckets(high: np.ndarray) -> tuple[np.ndarray, int, int, int, bool]:
    """(first, shift, lowest, half, single): the coarsest table in which every bucket holds at most one threshold.

    When none of at most 2^16 buckets does, the finest, and the search within a bucket halves it.
    """
    finite = high[np.isfinite(high)]
    magnitudes = np.abs(finite[finite != 0]).view(np.int64)
    # Without a threshold other than 0 and the infinities (mode `odd` on {0, x}) any range of magnitudes will do.
    least, most = (int(magnitudes.min()), int(magnitudes.max())) if magnitudes.size else (1 << 62, 1 << 62)
    best: tuple[np.ndarray, int, int, int, bool] | None = None
    for shift in range(52, 0, -1):
        lowest = (least >> shift) - 1  # one bucket for all that is smaller, zero included
        half = (most >> shift) - lowest + 2
        if 2 * half > _MOST_BUCKETS and best is not None:
            break
        places = _places(high, shift, lowest, half)
        counts = np.bincount(places, minlength=2 * half)
        first = np.concatenate(([0], np.cumsum(counts))).astype(np.int32)
        best = first, shift, lowest, half, bool(counts.max() <= 1)
        if best[4]:
            break
    assert best is not None  # the first shift is always taken
    return best


def _places(high: np.ndarray, shift: int, lowest: int, half: int) -> np.ndarray:
    """`fpsim.rounding.grids.bucket` of every threshold."""
    place = np.clip((np.abs(high).view(np.int64) >> shift) - lowest, 0, half - 1)
    places: np.ndarray = np.where(high < 0, half - 1 - place, half + place)
    return places
