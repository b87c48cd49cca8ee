"""Rounded operations on single numbers, callable inside compiled code: each is the exact result, rounded once into F.

Inside any function compiled by numba (with a spec from `fpsim.spec_of` as an argument) or from plain Python:

>>> from fpsim.rounding.specs import spec_of
>>> fp16 = spec_of("fp16")
>>> add(fp16, 2048.0, 1.0), mul(fp16, 300.0, 300.0), fma(fp16, 2.0, 3.0, 0.25)
(2048.0, inf, 6.25)

Operands are any binary64 numbers, not only values of F. Special operands follow IEEE 754-2019 (`fpsim.reference` lists
the rules): NaN propagates, a finite number over 0 is an infinity and so beyond range, an exact zero sum is +0, or -0
when rounding down; under ftz a subnormal operand is taken as 0.

The `_closed` variants ask that operands are values of F (for `mul_closed` it is enough that products have at most 53
bits) and are cheaper for float formats of at most 24 bits: one hardware operation and one rounding (Figueroa 1995, see
`fpsim.rounding.specs`).  For other kinds they are the same as the general ones.
"""

from __future__ import annotations

from typing import Any

from fpsim import scalar_operations as on
from fpsim.compilation import kernel
from fpsim.rounding.dispatch import implement, round_to
from fpsim.rounding.kinds import AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec
from fpsim.scalar_functions import cos, exp, sin

__all__ = [
    "add",
    "add_closed",
    "cos",
    "div",
    "div_closed",
    "exp",
    "fma",
    "fma_closed",
    "mul",
    "mul_closed",
    "round_to",
    "sin",
    "sqrt",
    "sqrt_closed",
    "sub",
    "sub_closed",
]


def add(spec: Spec, a: float, b: float) -> float:
    """a + b, rounded once."""
    return _add(spec, float(a), float(b))


def sub(spec: Spec, a: float, b: float) -> float:
    """a - b, rounded once."""
    return _sub(spec, float(a), float(b))


def mul(spec: Spec, a: float, b: float) -> float:
    """a * b, rounded once."""
    return _mul(spec, float(a), float(b))


def div(spec: Spec, a: float, b: float) -> float:
    """a / b, rounded once; a/0 is beyond range, 0/0 NaN."""
    return _div(spec, float(a), float(b))


def fma(spec: Spec, a: float, b: float, c: float) -> float:
    """a * b + c, rounded once."""
    return _fma(spec, float(a), float(b), float(c))


def sqrt(spec: Spec, x: float) -> float:
    """The square root of x, rounded once; NaN below 0, and -0 for -0."""
    return _sqrt(spec, float(x))


def add_closed(spec: Spec, a: float, b: float) -> float:
    """a + b, rounded once, for values a and b of F."""
    return _add_closed(spec, float(a), float(b))


def sub_closed(spec: Spec, a: float, b: float) -> float:
    """a - b, rounded once, for values a and b of F."""
    return _sub_closed(spec, float(a), float(b))


def mul_closed(spec: Spec, a: float, b: float) -> float:
    """a * b, rounded once, for values a and b of F or any whose product has at most 53 bits."""
    return _mul_closed(spec, float(a), float(b))


def div_closed(spec: Spec, a: float, b: float) -> float:
    """a / b, rounded once, for values a and b of F."""
    return _div_closed(spec, float(a), float(b))


def fma_closed(spec: Spec, a: float, b: float, c: float) -> float:
    """a * b + c, rounded once, for values a and b of F (or any whose product has at most 53 bits) and any c."""
    return _fma_closed(spec, float(a), float(b), float(c))


def sqrt_closed(spec: Spec, x: float) -> float:
    """The square root of x, rounded once, for a value x of F."""
    return _sqrt_closed(spec, float(x))


def _kinds(hardware: Any, nearest: Any, exact: Any, any_float: Any) -> dict[type, Any]:
    return {Binary64: hardware, Binary32: nearest, NearestFloat: nearest, Grid: exact, AnyFloat: any_float}


implement(add, _kinds(on.add_hardware, on.add_nearest, on.add_exact, on.add_any))
implement(sub, _kinds(on.sub_hardware, on.sub_nearest, on.sub_exact, on.sub_any))
implement(mul, _kinds(on.mul_hardware, on.mul_nearest, on.mul_exact, on.mul_any))
implement(div, _kinds(on.div_hardware, on.div_exact, on.div_exact, on.div_any))
implement(fma, _kinds(on.fma_hardware, on.fma_exact, on.fma_exact, on.fma_any))
implement(sqrt, _kinds(on.sqrt_hardware, on.sqrt_signed, on.sqrt_enclosed, on.sqrt_any))
implement(add_closed, _kinds(on.add_hardware, on.add_once, on.add_exact, on.add_any))
implement(sub_closed, _kinds(on.sub_hardware, on.sub_once, on.sub_exact, on.sub_any))
implement(mul_closed, _kinds(on.mul_hardware, on.mul_once, on.mul_exact, on.mul_any))
implement(div_closed, _kinds(on.div_hardware, on.div_once, on.div_exact, on.div_any))
implement(fma_closed, _kinds(on.fma_hardware, on.fma_once, on.fma_exact, on.fma_any))
implement(sqrt_closed, _kinds(on.sqrt_hardware, on.sqrt_once, on.sqrt_enclosed, on.sqrt_any))


# -- the doors from plain Python ---------------------------------------------------------------------------------------


@kernel()
def _add(spec: Spec, a: float, b: float) -> float:
    return add(spec, a, b)


@kernel()
def _sub(spec: Spec, a: float, b: float) -> float:
    return sub(spec, a, b)


@kernel()
def _mul(spec: Spec, a: float, b: float) -> float:
    return mul(spec, a, b)


@kernel()
def _div(spec: Spec, a: float, b: float) -> float:
    return div(spec, a, b)


@kernel()
def _fma(spec: Spec, a: float, b: float, c: float) -> float:
    return fma(spec, a, b, c)


@kernel()
def _sqrt(spec: Spec, x: float) -> float:
    return sqrt(spec, x)


@kernel()
def _add_closed(spec: Spec, a: float, b: float) -> float:
    return add_closed(spec, a, b)


@kernel()
def _sub_closed(spec: Spec, a: float, b: float) -> float:
    return sub_closed(spec, a, b)


@kernel()
def _mul_closed(spec: Spec, a: float, b: float) -> float:
    return mul_closed(spec, a, b)


@kernel()
def _div_closed(spec: Spec, a: float, b: float) -> float:
    return div_closed(spec, a, b)


@kernel()
def _fma_closed(spec: Spec, a: float, b: float, c: float) -> float:
    return fma_closed(spec, a, b, c)


@kernel()
def _sqrt_closed(spec: Spec, x: float) -> float:
    return sqrt_closed(spec, x)
