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

import math
from typing import Any

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fma as hardware_fma
from fpsim.error_free import two_prod, two_sum
from fpsim.rounding.dispatch import implement, round_interval, round_parts, round_to
from fpsim.rounding.exact import exact_fma, exact_product, exact_quotient, exact_sum, near_root
from fpsim.rounding.floats import flush_operand, to_odd
from fpsim.rounding.hard import ROOT, round_hard
from fpsim.rounding.kinds import DOWN, AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec
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


# -- Binary64: the hardware --------------------------------------------------------------------------------------------


def _add_hardware(spec: Binary64, a: float, b: float) -> float:
    return a + b


def _sub_hardware(spec: Binary64, a: float, b: float) -> float:
    return a - b


def _mul_hardware(spec: Binary64, a: float, b: float) -> float:
    return a * b


def _div_hardware(spec: Binary64, a: float, b: float) -> float:
    return a / b


def _fma_hardware(spec: Binary64, a: float, b: float, c: float) -> float:
    y: float = hardware_fma(a, b, c)
    return y


def _sqrt_hardware(spec: Binary64, x: float) -> float:
    root: float = np.sqrt(x)
    return root


# -- nearest-even, p <= 24: no branches.  What underflows in binary64 rounds to 0 with the sign that the hardware gives,
# and what overflows is beyond range, an infinity or not.


def _add_nearest(spec: Spec, a: float, b: float) -> float:
    h, rest = two_sum(a, b)
    return round_to(spec, to_odd(h, rest))


def _sub_nearest(spec: Spec, a: float, b: float) -> float:
    h, rest = two_sum(a, -b)
    return round_to(spec, to_odd(h, rest))


def _mul_nearest(spec: Spec, a: float, b: float) -> float:
    h, rest = two_prod(a, b)
    return round_to(spec, to_odd(h, rest))


# -- any float, any grid -----------------------------------------------------------------------------------------------


def _add_exact(spec: Spec, a: float, b: float) -> float:
    h, rest, side = exact_sum(a, b)
    return round_parts(spec, h, rest, side)


def _sub_exact(spec: Spec, a: float, b: float) -> float:
    h, rest, side = exact_sum(a, -b)
    return round_parts(spec, h, rest, side)


def _mul_exact(spec: Spec, a: float, b: float) -> float:
    h, rest, side = exact_product(a, b)
    return round_parts(spec, h, rest, side)


def _div_exact(spec: Spec, a: float, b: float) -> float:
    h, rest, side = exact_quotient(a, b)
    return round_parts(spec, h, rest, side)


def _fma_exact(spec: Spec, a: float, b: float, c: float) -> float:
    h, rest, side = exact_fma(a, b, c)
    return round_parts(spec, h, rest, side)


def _sqrt_signed(spec: Spec, x: float) -> float:
    h, rest = near_root(x)  # rounding to odd needs no more of `rest` than its sign
    return round_parts(spec, h, rest, 0.0)


def _sqrt_enclosed(spec: Grid, x: float) -> float:
    h, rest = near_root(x)
    if rest == 0.0:
        return round_parts(spec, h, 0.0, 0.0)
    y, decided = round_interval(spec, h, rest, abs(rest) * 2.0**-50)
    return y if decided else round_hard(spec, ROOT, x)


# -- AnyFloat: ftz of operands, and -0 as an exact sum when rounding down ----------------------------------------------


@kernel(forceinline=True)
def _zero_sum(spec: AnyFloat, h: float, a: float, b: float) -> float:
    """The sum h = 0 of a and b (b may stand for a product): its sign."""
    same_zeros = a == 0.0 and b == 0.0 and math.copysign(1.0, a) == math.copysign(1.0, b)
    return round_to(spec, -0.0 if spec.mode == DOWN and not same_zeros else h)


def _add_any(spec: AnyFloat, a: float, b: float) -> float:
    a, b = flush_operand(spec, a), flush_operand(spec, b)
    h, rest, side = exact_sum(a, b)
    return _zero_sum(spec, h, a, b) if h == 0.0 else round_parts(spec, h, rest, side)


def _sub_any(spec: AnyFloat, a: float, b: float) -> float:
    a, b = flush_operand(spec, a), flush_operand(spec, -b)
    h, rest, side = exact_sum(a, b)
    return _zero_sum(spec, h, a, b) if h == 0.0 else round_parts(spec, h, rest, side)


def _mul_any(spec: AnyFloat, a: float, b: float) -> float:
    h, rest, side = exact_product(flush_operand(spec, a), flush_operand(spec, b))
    return round_parts(spec, h, rest, side)


def _div_any(spec: AnyFloat, a: float, b: float) -> float:
    h, rest, side = exact_quotient(flush_operand(spec, a), flush_operand(spec, b))
    return round_parts(spec, h, rest, side)


def _fma_any(spec: AnyFloat, a: float, b: float, c: float) -> float:
    a, b, c = flush_operand(spec, a), flush_operand(spec, b), flush_operand(spec, c)
    h, rest, side = exact_fma(a, b, c)
    # The product has the sign of the exact one even where it underflows; it is 0 only where a factor is.
    product = a * b if a == 0.0 or b == 0.0 else 1.0
    return _zero_sum(spec, h, product, c) if h == 0.0 else round_parts(spec, h, rest, side)


def _sqrt_any(spec: AnyFloat, x: float) -> float:
    h, rest = near_root(flush_operand(spec, x))
    return round_parts(spec, h, rest, 0.0)


# -- closed: operands in F, p <= 24 ------------------------------------------------------------------------------------


def _add_once(spec: Spec, a: float, b: float) -> float:
    return round_to(spec, a + b)


def _sub_once(spec: Spec, a: float, b: float) -> float:
    return round_to(spec, a - b)


def _mul_once(spec: Spec, a: float, b: float) -> float:
    return round_to(spec, a * b)


def _div_once(spec: Spec, a: float, b: float) -> float:
    return round_to(spec, a / b)


def _fma_once(spec: Spec, a: float, b: float, c: float) -> float:
    h, rest = two_sum(a * b, c)  # the product is exact: what is rounded is the sum of two numbers
    return round_to(spec, to_odd(h, rest))


def _sqrt_once(spec: Spec, x: float) -> float:
    return round_to(spec, np.sqrt(x))


def _kinds(hardware: Any, nearest: Any, exact: Any, any_float: Any) -> dict[type, Any]:
    return {Binary64: hardware, Binary32: nearest, NearestFloat: nearest, Grid: exact, AnyFloat: any_float}


implement(add, _kinds(_add_hardware, _add_nearest, _add_exact, _add_any))
implement(sub, _kinds(_sub_hardware, _sub_nearest, _sub_exact, _sub_any))
implement(mul, _kinds(_mul_hardware, _mul_nearest, _mul_exact, _mul_any))
implement(div, _kinds(_div_hardware, _div_exact, _div_exact, _div_any))
implement(fma, _kinds(_fma_hardware, _fma_exact, _fma_exact, _fma_any))
implement(sqrt, _kinds(_sqrt_hardware, _sqrt_signed, _sqrt_enclosed, _sqrt_any))
implement(add_closed, _kinds(_add_hardware, _add_once, _add_exact, _add_any))
implement(sub_closed, _kinds(_sub_hardware, _sub_once, _sub_exact, _sub_any))
implement(mul_closed, _kinds(_mul_hardware, _mul_once, _mul_exact, _mul_any))
implement(div_closed, _kinds(_div_hardware, _div_once, _div_exact, _div_any))
implement(fma_closed, _kinds(_fma_hardware, _fma_once, _fma_exact, _fma_any))
implement(sqrt_closed, _kinds(_sqrt_hardware, _sqrt_once, _sqrt_enclosed, _sqrt_any))


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
