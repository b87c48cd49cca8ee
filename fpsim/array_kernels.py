"""Loops of the scalar operations over arrays, one kernel for each operation and kind of value set.

Arrays are one-dimensional, binary64, and of one length.  exp, sin and cos of a nearest-even float run in blocks: the
fast kernel, branch-free, over the block, and then the numbers that it left open one by one (about one in 2^26 for p =
24).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.compilation import kernel
from fpsim.functions.argument_reduction import NEAR_LIMIT
from fpsim.functions.exponential import exp_fast
from fpsim.functions.sine_fast import cos_fast_near, sin_fast_near
from fpsim.rounding.kinds import Spec
from fpsim.scalar_functions import EXP_LIMIT, decide, exp_hard

__all__ = [
    "add_arrays",
    "cos_array",
    "cos_blocks",
    "div_arrays",
    "exp_array",
    "exp_blocks",
    "fma_arrays",
    "mul_arrays",
    "round_array",
    "sin_array",
    "sin_blocks",
    "sqrt_array",
    "sub_arrays",
]

Array: TypeAlias = "np.ndarray[Any, np.dtype[np.float64]]"

_add, _sub, _mul, _div, _fma = scalar.add, scalar.sub, scalar.mul, scalar.div, scalar.fma
_round_to, _sqrt, _exp, _sin, _cos = scalar.round_to, scalar.sqrt, scalar.exp, scalar.sin, scalar.cos
_BLOCK = 1024


@kernel()
def round_array(spec: Spec, x: Array, out: Array) -> None:
    """out = x rounded; out may be x.  Binary32 arrays are taken too, where F is part of binary32."""
    for i in range(x.size):
        out[i] = _round_to(spec, np.float64(x[i]))


@kernel()
def add_arrays(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a + b."""
    for i in range(a.size):
        out[i] = _add(spec, a[i], b[i])


@kernel()
def sub_arrays(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a - b."""
    for i in range(a.size):
        out[i] = _sub(spec, a[i], b[i])


@kernel()
def mul_arrays(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a * b."""
    for i in range(a.size):
        out[i] = _mul(spec, a[i], b[i])


@kernel()
def div_arrays(spec: Spec, a: Array, b: Array, out: Array) -> None:
    """out = a / b."""
    for i in range(a.size):
        out[i] = _div(spec, a[i], b[i])


@kernel()
def fma_arrays(spec: Spec, a: Array, b: Array, c: Array, out: Array) -> None:
    """out = a * b + c."""
    for i in range(a.size):
        out[i] = _fma(spec, a[i], b[i], c[i])


@kernel()
def sqrt_array(spec: Spec, x: Array, out: Array) -> None:
    """out = the square root of x."""
    for i in range(x.size):
        out[i] = _sqrt(spec, x[i])


@kernel()
def exp_array(spec: Spec, x: Array, out: Array) -> None:
    """out = exp(x)."""
    for i in range(x.size):
        out[i] = _exp(spec, x[i])


@kernel()
def sin_array(spec: Spec, x: Array, out: Array) -> None:
    """out = sin(x)."""
    for i in range(x.size):
        out[i] = _sin(spec, x[i])


@kernel()
def cos_array(spec: Spec, x: Array, out: Array) -> None:
    """out = cos(x)."""
    for i in range(x.size):
        out[i] = _cos(spec, x[i])


@kernel()
def exp_blocks(spec: Spec, x: Array, out: Array) -> None:
    """out = exp(x), for `Binary32` and `NearestFloat`; out must not be x."""
    known = np.empty(_BLOCK, np.uint8)
    for start in range(0, x.size, _BLOCK):
        part, result = x[start : start + _BLOCK], out[start : start + _BLOCK]
        total = 0
        for i in range(part.size):
            t = part[i]
            near = abs(t) <= EXP_LIMIT
            y, err = exp_fast(t if near else 0.0)
            y, decided = decide(spec, y, err)
            result[i] = y
            known[i] = decided & near
            total += known[i]
        if total < part.size:
            for i in range(part.size):
                if known[i] == 0:
                    result[i] = exp_hard(spec, part[i])


@kernel()
def sin_blocks(spec: Spec, x: Array, out: Array) -> None:
    """out = sin(x), for `Binary32` and `NearestFloat`; out must not be x."""
    known = np.empty(_BLOCK, np.uint8)
    for start in range(0, x.size, _BLOCK):
        part, result = x[start : start + _BLOCK], out[start : start + _BLOCK]
        total = 0
        for i in range(part.size):
            t = part[i]
            near = abs(t) <= NEAR_LIMIT
            y, err = sin_fast_near(t if near else 0.0)
            y, decided = decide(spec, y, err)
            result[i] = y
            known[i] = decided & near
            total += known[i]
        if total < part.size:
            for i in range(part.size):
                if known[i] == 0:
                    result[i] = _sin(spec, part[i])


@kernel()
def cos_blocks(spec: Spec, x: Array, out: Array) -> None:
    """out = cos(x), for `Binary32` and `NearestFloat`; out must not be x."""
    known = np.empty(_BLOCK, np.uint8)
    for start in range(0, x.size, _BLOCK):
        part, result = x[start : start + _BLOCK], out[start : start + _BLOCK]
        total = 0
        for i in range(part.size):
            t = part[i]
            near = abs(t) <= NEAR_LIMIT
            y, err = cos_fast_near(t if near else 0.0)
            y, decided = decide(spec, y, err)
            result[i] = y
            known[i] = decided & near
            total += known[i]
        if total < part.size:
            for i in range(part.size):
                if known[i] == 0:
                    result[i] = _cos(spec, part[i])
