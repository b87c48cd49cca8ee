"""Operations on specs: one name, an implementation for each kind, chosen when numba compiles the caller.

`round_to`, `round_parts` and `round_interval` may be called from any compiled code.  The choice costs nothing at run
time: it depends on the type of the spec only.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any

import numpy as np
from numba import types
from numba.extending import overload

from fpsim.compilation import kernel
from fpsim.error_free import two_sum
from fpsim.functions.bits import bits_of
from fpsim.rounding.floats import round_any, round_nearest, to_odd
from fpsim.rounding.grids import round_grid, round_grid_parts
from fpsim.rounding.kinds import AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec

__all__ = ["implement", "round_interval", "round_parts", "round_to"]

Implementation = Callable[..., Any]
_OPTIONS = {"error_model": "numpy", "nogil": True, "forceinline": True}


def implement(function: Implementation, by_kind: Mapping[type, Implementation], *, inline: bool = True) -> None:
    """Let compiled code call `function(spec, ...)`: it becomes the implementation for the kind of its first argument.

    Every implementation has the argument names of `function`.  `inline=False` keeps long code out of the caller.
    """
    options = _OPTIONS if inline else {key: value for key, value in _OPTIONS.items() if key != "forceinline"}

    def choose(spec: Any, *_: Any) -> Implementation | None:
        if not isinstance(spec, types.BaseNamedTuple):
            return None
        return by_kind.get(spec.instance_class)

    overload(function, jit_options=options, strict=False)(choose)


def round_to(spec: Spec, x: float) -> float:
    """The binary64 number x rounded once into F, as `fpsim.rounding.reference.round_exact` does.

    NaN stays NaN, an infinity is beyond range, -0 stays -0 where F keeps it.

    >>> from fpsim.rounding.specs import spec_of
    >>> round_to(spec_of("fp16"), 2049.0)
    2048.0
    """
    return _round_to(spec, float(x))


def round_parts(spec: Spec, h: float, rest: float, side: float) -> float:
    """The real h + rest + r, r of the sign of `side`, rounded once into F.

    h is that real rounded to nearest in binary64, and `rest` what h leaves, rounded to nearest.  A float or fixed-point
    set of at most 51 bits needs only the sign of `rest`.  For an h of infinity or NaN the others do not matter.
    """
    return _round_parts(spec, h, rest, side)


def round_interval(spec: Spec, h: float, rest: float, error: float) -> tuple[float, bool]:
    """(y, decided): what the real h + rest rounds to, and whether all reals within `error` of it round alike.

    |rest| <= ulp(h).  Rounding is monotone, so it is enough that both ends round alike; to the bit, since NaN and the
    sign of a zero count.
    """
    return _round_interval(spec, h, rest, error)


def _round_to_binary64(spec: Binary64, x: float) -> float:
    return x


def _round_to_binary32(spec: Binary32, x: float) -> float:
    return np.float64(np.float32(x))


def _parts_of_float(spec: Spec, h: float, rest: float, side: float) -> float:
    return round_to(spec, to_odd(h, rest if rest != 0.0 else side))


def _parts_of_binary64(spec: Spec, h: float, rest: float, side: float) -> float:
    return h


def _interval(spec: Spec, h: float, rest: float, error: float) -> tuple[float, bool]:
    error += abs(h) * 2.0**-104  # covers the roundings of rest - error and rest + error
    h0, l0 = two_sum(h, rest - error)
    h1, l1 = two_sum(h, rest + error)
    low = round_parts(spec, h0, l0, 0.0)
    high = round_parts(spec, h1, l1, 0.0)
    # NaN at both ends says the same only on one side of 0: between two sides beyond range there are all values of F.
    return low, (bits_of(low) == bits_of(high)) & ((low == low) | ((h0 > 0.0) == (h1 > 0.0)))


implement(
    round_to,
    {
        Binary64: _round_to_binary64,
        Binary32: _round_to_binary32,
        NearestFloat: round_nearest.py_func,  # type: ignore[attr-defined]
        AnyFloat: round_any.py_func,  # type: ignore[attr-defined]
        Grid: round_grid.py_func,  # type: ignore[attr-defined]
    },
)
implement(
    round_parts,
    {
        Binary64: _parts_of_binary64,
        Binary32: _parts_of_float,
        NearestFloat: _parts_of_float,
        AnyFloat: _parts_of_float,
        Grid: round_grid_parts.py_func,  # type: ignore[attr-defined]
    },
)
implement(round_interval, dict.fromkeys((Binary32, NearestFloat, AnyFloat, Grid), _interval), inline=False)


@kernel()
def _round_to(spec: Spec, x: float) -> float:
    return round_to(spec, x)


@kernel()
def _round_parts(spec: Spec, h: float, rest: float, side: float) -> float:
    return round_parts(spec, h, rest, side)


@kernel()
def _round_interval(spec: Spec, h: float, rest: float, error: float) -> tuple[float, bool]:
    return round_interval(spec, h, rest, error)
