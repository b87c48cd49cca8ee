"""What a compiled kernel knows of a value set: five kinds of plain tuples.

Numba passes a NamedTuple by value and compiles a kernel once for each *kind*, not for each format: the machine code,
kept on disk, serves every format of the kind, and the kind is what an operation is dispatched on
(`fpsim.rounding.dispatch`). `fpsim.rounding.specs.spec_of` makes them and says when each is sound.
"""

from __future__ import annotations

from typing import Any, NamedTuple, TypeAlias

import numpy as np

__all__ = [
    "AWAY",
    "DOWN",
    "EVEN",
    "MODES",
    "ODD",
    "UP",
    "ZERO",
    "AnyFloat",
    "Binary32",
    "Binary64",
    "Grid",
    "NearestFloat",
    "Spec",
]

EVEN, AWAY, ZERO, UP, DOWN, ODD = range(6)
MODES = {"even": EVEN, "away": AWAY, "zero": ZERO, "up": UP, "down": DOWN, "odd": ODD}
"""The deterministic rounding modes, as the numbers that kernels hold."""


class Binary64(NamedTuple):
    """fp64 as the hardware has it: nearest, ties to even, overflow to infinity."""

    precision: int = 53


class Binary32(NamedTuple):
    """fp32 as the hardware has it; values travel in binary64, and a conversion rounds them."""

    precision: int = 24


class NearestFloat(NamedTuple):
    """A float or fixed-point set of p <= 24 bits with nearest-even rounding and subnormal values.

    min_normal: 2^emin.  scale: 2^(53-p).  limit: the greatest binary64 magnitude that is not beyond range.  overflow:
    the magnitude of what lies beyond it (an infinity, the last value, or NaN).  zero: -0.0 where F keeps -0, else 0.0;
    added to a result it removes or keeps the sign of a zero.
    """

    min_normal: float
    scale: float
    limit: float
    overflow: float
    zero: float


class AnyFloat(NamedTuple):
    """A float or fixed-point set of p <= 51 bits in any deterministic mode, with or without ftz.

    mode: a number of `MODES`.  ftz: whether subnormals are zeros.  min_normal: 2^emin.  scale: 2^(p-1).  largest: the
    last value.  limit_positive, limit_negative: the greatest binary64 magnitude of each side that is not beyond range;
    it is the greatest finite one when only infinities are.  overflow, zero: as in `NearestFloat`.
    """

    mode: int
    ftz: bool
    min_normal: float
    scale: float
    largest: float
    limit_positive: float
    limit_negative: float
    overflow: float
    zero: float


class Grid(NamedTuple):
    """Any sorted list of binary64 values in any deterministic mode.

    values: what is below range, the values of F in rising order, what is beyond range.  Threshold i separates values[i]
    from values[i + 1]: it is the exact number threshold_high[i] + threshold_low[i], the first binary64 rounded to
    nearest, and threshold_side[i] is -0.5 when the threshold itself goes up, 0.5 when it goes down.  bound[i]: the
    least binary64 number that goes up.  NaN closes these four arrays: it is above nothing.  first: where to look for
    the threshold of x, by the leading bits of x (`fpsim.rounding.grids.bucket`).  shift, lowest, half: how these bits
    are taken.  single: no bucket holds two thresholds.
    """

    values: np.ndarray[Any, np.dtype[np.float64]]
    threshold_high: np.ndarray[Any, np.dtype[np.float64]]
    threshold_low: np.ndarray[Any, np.dtype[np.float64]]
    threshold_side: np.ndarray[Any, np.dtype[np.float64]]
    bound: np.ndarray[Any, np.dtype[np.float64]]
    first: np.ndarray[Any, np.dtype[np.int32]]
    shift: int
    lowest: int
    half: int
    single: bool


Spec: TypeAlias = Binary64 | Binary32 | NearestFloat | AnyFloat | Grid
