"""exp, sin and cos rounded once into F, for any binary64 argument, callable inside compiled code.

A. Ziv's strategy with three steps.  The fast kernels of `fpsim.functions` give (y, err); when both ends of the
enclosure round alike, so does the true value, rounding being monotone.  Else the accurate kernels give an enclosure
2^49 times narrower, and else MPFR decides (`fpsim.rounding.hard`).  For F = fp64 the correctly rounded `exp64`, `sin64`
and `cos64` are the answer.

Exact and nearly exact cases never end in the strategy, or late, so they are taken first: exp(0) = cos(0) = 1, sin(0) =
0, and arguments next to 0, where the result is a known binary64 number plus or minus less than one unit: a float set
then needs only the direction (rounding to odd).  Beyond |x| = 694, exp is above 2^1000 or below 2^-1000, which every
spec but Binary64 takes like any other number that large or that small.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.binary64 import cos64, exp64, sin64
from fpsim.functions.bits import bits_of, from_bits
from fpsim.functions.exponential import exp_accurate, exp_fast
from fpsim.functions.sine_cosine import cos_accurate, sin_accurate
from fpsim.functions.sine_fast import cos_fast, sin_fast
from fpsim.rounding.dispatch import implement, round_interval, round_parts, round_to
from fpsim.rounding.floats import flush_operand
from fpsim.rounding.hard import COSINE, EXPONENTIAL, SINE, round_hard
from fpsim.rounding.kinds import AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec

__all__ = ["EXP_LIMIT", "cos", "cos_hard", "decide", "exp", "exp_hard", "sin", "sin_hard"]

EXP_LIMIT = 694.0
"""Largest |x| that `exp_fast` accepts: beyond it exp(x) is above 2^1000 or below 2^-1000."""

_HUGE = 2.0**1000
_TINY = 2.0**-1000
_NEAR_ZERO = 2.0**-54  # |x| below: exp(x) is within less than one unit of 1
_NEAR_ZERO_ANGLE = 2.0**-27  # |x| below: sin(x) is within less than one unit of x, cos(x) of 1
_FRACTION_BITS = np.uint64(52)


def exp(spec: Spec, x: float) -> float:
    """e^x, rounded once into F; 0 at -inf, NaN at NaN."""
    return _exp(spec, float(x))


def sin(spec: Spec, x: float) -> float:
    """The sine of x radians, rounded once into F, for every finite x; NaN at the infinities and NaN, -0 at -0."""
    return _sin(spec, float(x))


def cos(spec: Spec, x: float) -> float:
    """The cosine of x radians, rounded once into F, for every finite x; NaN at the infinities and NaN."""
    return _cos(spec, float(x))


@kernel()
def exp_hard(spec: Spec, x: float) -> float:
    """exp where the fast kernel leaves it open: far out, NaN, next to a boundary.  Not for Binary64; ftz is done."""
    if x != x:
        return round_to(spec, x)
    if x > EXP_LIMIT:
        return round_to(spec, x if x == np.inf else _HUGE)
    if x < -EXP_LIMIT:
        return round_to(spec, 0.0 if x == -np.inf else _TINY)
    if x == 0.0:
        return round_to(spec, 1.0)
    h, rest, err, k = exp_accurate(x)
    power = from_bits(np.uint64(1023 + k) << _FRACTION_BITS)
    y, decided = round_interval(spec, h * power, rest * power, err * power + 2.0**-1070)  # rest may underflow
    return y if decided else round_hard(spec, EXPONENTIAL, x)


@kernel()
def sin_hard(spec: Spec, x: float) -> float:
    """sin where the fast kernel leaves it open.  Not for Binary64; ftz is done."""
    if not abs(x) < np.inf:
        return np.nan
    if x == 0.0:
        return round_to(spec, x)
    if abs(x) < _TINY:
        return round_to(spec, math.copysign(_TINY, x))
    h, rest, err = sin_accurate(x)
    y, decided = round_interval(spec, h, rest, err)
    return y if decided else round_hard(spec, SINE, x)


@kernel()
def cos_hard(spec: Spec, x: float) -> float:
    """cos where the fast kernel leaves it open.  Not for Binary64; ftz is done."""
    if not abs(x) < np.inf:
        return np.nan
    if x == 0.0:
        return round_to(spec, 1.0)
    h, rest, err = cos_accurate(x)
    y, decided = round_interval(spec, h, rest, err)
    return y if decided else round_hard(spec, COSINE, x)


@kernel(forceinline=True)
def decide(spec: Spec, y: float, err: float) -> tuple[float, bool]:
    """(rounded y, whether all reals within err of y round alike), for err >= 4 units of 2^-53 |y|.

    y - 1.5 err and y + 1.5 err are rounded by at most 2^-53 |y| (1 + 2^-50) each, less than the half of err.
    """
    low = round_to(spec, y - 1.5 * err)
    return low, bits_of(low) == bits_of(round_to(spec, y + 1.5 * err))


def _exp_enclosed(spec: Spec, x: float) -> float:
    if abs(x) <= EXP_LIMIT:
        y, err = exp_fast(x)
        y, decided = decide(spec, y, err)
        if decided:
            return y
    return exp_hard(spec, x)


def _sin_enclosed(spec: Spec, x: float) -> float:
    y, err = sin_fast(x)
    y, decided = decide(spec, y, err)
    return y if decided and y == y else sin_hard(spec, x)


def _cos_enclosed(spec: Spec, x: float) -> float:
    y, err = cos_fast(x)
    y, decided = decide(spec, y, err)
    return y if decided and y == y else cos_hard(spec, x)


def _exp_any(spec: AnyFloat, x: float) -> float:
    x = flush_operand(spec, x)
    if abs(x) < _NEAR_ZERO:
        return round_parts(spec, 1.0, x, 0.0)
    return _exp_enclosed_kernel(spec, x)


def _sin_any(spec: AnyFloat, x: float) -> float:
    x = flush_operand(spec, x)
    if abs(x) < _NEAR_ZERO_ANGLE:
        return round_parts(spec, x, -x, 0.0)
    return _sin_enclosed_kernel(spec, x)


def _cos_any(spec: AnyFloat, x: float) -> float:
    x = flush_operand(spec, x)
    if abs(x) < _NEAR_ZERO_ANGLE:
        return round_parts(spec, 1.0, -abs(x), 0.0)
    return _cos_enclosed_kernel(spec, x)


_exp_enclosed_kernel = kernel(forceinline=True)(_exp_enclosed)
_sin_enclosed_kernel = kernel(forceinline=True)(_sin_enclosed)
_cos_enclosed_kernel = kernel(forceinline=True)(_cos_enclosed)


def _exp_binary64(spec: Binary64, x: float) -> float:
    return exp64(x)


def _sin_binary64(spec: Binary64, x: float) -> float:
    return sin64(x)


def _cos_binary64(spec: Binary64, x: float) -> float:
    return cos64(x)


def _kinds(binary64: Any, enclosed: Any, any_float: Any) -> dict[type, Any]:
    return {Binary64: binary64, Binary32: enclosed, NearestFloat: enclosed, Grid: enclosed, AnyFloat: any_float}


implement(exp, _kinds(_exp_binary64, _exp_enclosed, _exp_any))
implement(sin, _kinds(_sin_binary64, _sin_enclosed, _sin_any))
implement(cos, _kinds(_cos_binary64, _cos_enclosed, _cos_any))


@kernel()
def _exp(spec: Spec, x: float) -> float:
    return exp(spec, x)


@kernel()
def _sin(spec: Spec, x: float) -> float:
    return sin(spec, x)


@kernel()
def _cos(spec: Spec, x: float) -> float:
    return cos(spec, x)
