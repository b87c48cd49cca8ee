"""How +, -, *, /, fma and the square root are rounded, for each kind of value set: what `fpsim.scalar` dispatches to.

Every operation is an exact result (`fpsim.rounding.exact`, or an error-free transformation) and one rounding of it.
"""

from __future__ import annotations

import math

import numpy as np

from fpsim.compilation import kernel
from fpsim.error_free import fma as hardware_fma
from fpsim.error_free import two_prod, two_sum
from fpsim.rounding.dispatch import round_interval, round_parts, round_to
from fpsim.rounding.exact import exact_fma, exact_product, exact_quotient, exact_sum, near_root
from fpsim.rounding.floats import flush_operand, to_odd
from fpsim.rounding.hard import ROOT, round_hard
from fpsim.rounding.kinds import DOWN, AnyFloat, Binary64, Grid, Spec

__all__ = [
    "add_any",
    "add_exact",
    "add_hardware",
    "add_nearest",
    "add_once",
    "div_any",
    "div_exact",
    "div_hardware",
    "div_once",
    "fma_any",
    "fma_exact",
    "fma_hardware",
    "fma_once",
    "mul_any",
    "mul_exact",
    "mul_hardware",
    "mul_nearest",
    "mul_once",
    "sqrt_any",
    "sqrt_enclosed",
    "sqrt_hardware",
    "sqrt_once",
    "sqrt_signed",
    "sub_any",
    "sub_exact",
    "sub_hardware",
    "sub_nearest",
    "sub_once",
]

# -- Binary64: the hardware --------------------------------------------------------------------------------------------


def add_hardware(spec: Binary64, a: float, b: float) -> float:
    """a + b, by the hardware's rounding."""
    return a + b


def sub_hardware(spec: Binary64, a: float, b: float) -> float:
    """a - b, by the hardware's rounding."""
    return a - b


def mul_hardware(spec: Binary64, a: float, b: float) -> float:
    """a * b, by the hardware's rounding."""
    return a * b


def div_hardware(spec: Binary64, a: float, b: float) -> float:
    """a / b, by the hardware's rounding."""
    return a / b


def fma_hardware(spec: Binary64, a: float, b: float, c: float) -> float:
    """a * b + c, by the hardware's rounding."""
    y: float = hardware_fma(a, b, c)
    return y


def sqrt_hardware(spec: Binary64, x: float) -> float:
    """The root of x, by the hardware's rounding."""
    root: float = np.sqrt(x)
    return root


# -- nearest-even, p <= 24: no branches.  What underflows in binary64 rounds to 0 with the sign that the hardware gives,
# and what overflows is beyond range, an infinity or not.


def add_nearest(spec: Spec, a: float, b: float) -> float:
    """a + b, to nearest."""
    h, rest = two_sum(a, b)
    return round_to(spec, to_odd(h, rest))


def sub_nearest(spec: Spec, a: float, b: float) -> float:
    """a - b, to nearest."""
    h, rest = two_sum(a, -b)
    return round_to(spec, to_odd(h, rest))


def mul_nearest(spec: Spec, a: float, b: float) -> float:
    """a * b, to nearest."""
    h, rest = two_prod(a, b)
    return round_to(spec, to_odd(h, rest))


# -- any float, any grid -----------------------------------------------------------------------------------------------


def add_exact(spec: Spec, a: float, b: float) -> float:
    """a + b, from its exact parts."""
    h, rest, side = exact_sum(a, b)
    return round_parts(spec, h, rest, side)


def sub_exact(spec: Spec, a: float, b: float) -> float:
    """a - b, from its exact parts."""
    h, rest, side = exact_sum(a, -b)
    return round_parts(spec, h, rest, side)


def mul_exact(spec: Spec, a: float, b: float) -> float:
    """a * b, from its exact parts."""
    h, rest, side = exact_product(a, b)
    return round_parts(spec, h, rest, side)


def div_exact(spec: Spec, a: float, b: float) -> float:
    """a / b, from its exact parts."""
    h, rest, side = exact_quotient(a, b)
    return round_parts(spec, h, rest, side)


def fma_exact(spec: Spec, a: float, b: float, c: float) -> float:
    """a * b + c, from its exact parts."""
    h, rest, side = exact_fma(a, b, c)
    return round_parts(spec, h, rest, side)


def sqrt_signed(spec: Spec, x: float) -> float:
    """The root of x, from its nearest number and the sign of the rest."""
    h, rest = near_root(x)  # rounding to odd needs no more of `rest` than its sign
    return round_parts(spec, h, rest, 0.0)


def sqrt_enclosed(spec: Grid, x: float) -> float:
    """The root of x, from an enclosure, or by MPFR."""
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


def add_any(spec: AnyFloat, a: float, b: float) -> float:
    """a + b, in any mode, with ftz."""
    a, b = flush_operand(spec, a), flush_operand(spec, b)
    h, rest, side = exact_sum(a, b)
    return _zero_sum(spec, h, a, b) if h == 0.0 else round_parts(spec, h, rest, side)


def sub_any(spec: AnyFloat, a: float, b: float) -> float:
    """a - b, in any mode, with ftz."""
    a, b = flush_operand(spec, a), flush_operand(spec, -b)
    h, rest, side = exact_sum(a, b)
    return _zero_sum(spec, h, a, b) if h == 0.0 else round_parts(spec, h, rest, side)


def mul_any(spec: AnyFloat, a: float, b: float) -> float:
    """a * b, in any mode, with ftz."""
    h, rest, side = exact_product(flush_operand(spec, a), flush_operand(spec, b))
    return round_parts(spec, h, rest, side)


def div_any(spec: AnyFloat, a: float, b: float) -> float:
    """a / b, in any mode, with ftz."""
    h, rest, side = exact_quotient(flush_operand(spec, a), flush_operand(spec, b))
    return round_parts(spec, h, rest, side)


def fma_any(spec: AnyFloat, a: float, b: float, c: float) -> float:
    """a * b + c, in any mode, with ftz."""
    a, b, c = flush_operand(spec, a), flush_operand(spec, b), flush_operand(spec, c)
    h, rest, side = exact_fma(a, b, c)
    # The product has the sign of the exact one even where it underflows; it is 0 only where a factor is.
    product = a * b if a == 0.0 or b == 0.0 else 1.0
    return _zero_sum(spec, h, product, c) if h == 0.0 else round_parts(spec, h, rest, side)


def sqrt_any(spec: AnyFloat, x: float) -> float:
    """The root of x, in any mode, with ftz."""
    h, rest = near_root(flush_operand(spec, x))
    return round_parts(spec, h, rest, 0.0)


# -- closed: operands in F, p <= 24 ------------------------------------------------------------------------------------


def add_once(spec: Spec, a: float, b: float) -> float:
    """a + b, for operands in F: one hardware operation, then one rounding."""
    return round_to(spec, a + b)


def sub_once(spec: Spec, a: float, b: float) -> float:
    """a - b, for operands in F: one hardware operation, then one rounding."""
    return round_to(spec, a - b)


def mul_once(spec: Spec, a: float, b: float) -> float:
    """a * b, for operands in F: one hardware operation, then one rounding."""
    return round_to(spec, a * b)


def div_once(spec: Spec, a: float, b: float) -> float:
    """a / b, for operands in F: one hardware operation, then one rounding."""
    return round_to(spec, a / b)


def fma_once(spec: Spec, a: float, b: float, c: float) -> float:
    """a * b + c, for operands in F: one hardware operation, then one rounding."""
    h, rest = two_sum(a * b, c)  # the product is exact: what is rounded is the sum of two numbers
    return round_to(spec, to_odd(h, rest))


def sqrt_once(spec: Spec, x: float) -> float:
    """The root of x, for operands in F: one hardware operation, then one rounding."""
    return round_to(spec, np.sqrt(x))
