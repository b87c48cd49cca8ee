"""Which binary64 numbers are values of F, for arrays: the fast twin of `x in F`, in NumPy alone.

A finite x is a value of a float or fixed-point set when it is within range and an integer number of quanta 2^(e-p+1), e
= max(floor(log2 |x|), emin).  From 2^emin on (for normal binary64 numbers) that says that all but the first p bits of
its significand are 0.  Below, x over the quantum is less than 2^p in magnitude, and an exact binary64 number: scaling
by a power of two is exact where nothing underflows.  Under `ftz` what lies below the least normal value is no value.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import numpy as np
from gmpy2 import mpq

from fpsim.valueset import ValueSet

__all__ = ["members"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
_LEAST_NORMAL = 2.0**-1022  # below it a significand of binary64 has fewer bits
Flags: TypeAlias = np.ndarray[Any, np.dtype[np.bool_]]


def members(values: ValueSet, x: Floats) -> Flags:
    """Whether each entry is a finite value of F; -0 counts as 0, infinities and NaN do not count.

    >>> members(ValueSet.parse("fp16"), np.array([0.1, 0.5, 65504.0, 65536.0, -0.0])).tolist()
    [False, True, True, False, True]
    """
    inside = (x >= _rounded(values.min, up=True)) & (x <= _rounded(values.max, up=False))
    if values.kind == "grid":
        listed = np.array([float(value) for value in values.grid if _is_binary64(value)])
        place = np.minimum(np.searchsorted(listed, x), listed.size - 1)
        return np.asarray(inside & (listed[place] == x))
    found = inside
    if values.precision < 53:
        beyond = (1 << (53 - values.precision)) - 1
        found = inside & ((np.ascontiguousarray(x).view(np.int64) & beyond) == 0)
    normal = _rounded(mpq(2) ** values.emin, up=True)
    small = inside & (np.abs(x) < max(normal, _LEAST_NORMAL)) & (x != 0.0)
    if small.any():
        part = x[small]
        exponent = np.maximum(np.frexp(part)[1].astype(np.int64) - 1, values.emin)
        quanta = np.ldexp(part, values.precision - 1 - exponent)
        found[small] = (quanta == np.floor(quanta)) & ((np.abs(part) >= normal) | (not values.ftz))
    return found


def _is_binary64(value: mpq) -> bool:
    try:
        return bool(mpq(float(value)) == value)
    except OverflowError:
        return False


def _rounded(value: mpq, *, up: bool) -> float:
    """The nearest binary64 number on that side of `value`; the outermost finite one where it lies beyond."""
    greatest = math.nextafter(math.inf, 0.0)
    if abs(value) > greatest:
        return greatest if value > 0 else -greatest
    near = float(value)
    if near > value and not up:
        return math.nextafter(near, -math.inf)
    return math.nextafter(near, math.inf) if near < value and up else near
