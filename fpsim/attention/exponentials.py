"""exp over a whole array, for every kind of value set, inside compiled code."""

from __future__ import annotations

from typing import Any

import numpy as np

from fpsim.array_kernels import exp_array, exp_blocks
from fpsim.compilation import kernel
from fpsim.rounding.dispatch import implement
from fpsim.rounding.kinds import AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec

__all__ = ["exp_all"]

Array = np.ndarray[Any, np.dtype[Any]]
_BLOCK = 4096
_blocks, _one_by_one = exp_blocks.py_func, exp_array.py_func  # type: ignore[attr-defined]


def _exp(spec: Spec, x: Array, out: Array) -> None:
    """out = exp(x): the loop of `fpsim.array_kernels` for the kind of `spec`; inside compiled code only."""
    raise NotImplementedError


implement(
    _exp,
    {
        Binary32: _blocks,
        NearestFloat: _blocks,
        Binary64: _one_by_one,
        AnyFloat: _one_by_one,
        Grid: _one_by_one,
    },
    inline=False,
)


@kernel()
def exp_all(spec: Spec, x: Array, out: Array) -> None:
    """out = exp(x), each rounded once; one-dimensional arrays of binary64 or binary32 numbers; out must not be x."""
    wide = np.empty(_BLOCK)
    result = np.empty(_BLOCK)
    for start in range(0, x.size, _BLOCK):
        part = x[start : start + _BLOCK]
        for i in range(part.size):
            wide[i] = part[i]
        _exp(spec, wide[: part.size], result[: part.size])
        for i in range(part.size):
            out[start + i] = result[i]
