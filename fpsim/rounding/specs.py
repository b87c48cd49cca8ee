"""Which kernel serves a value set, and why it is sound: `spec_of`.

Every kernel computes in binary64.  It may serve F only where binary64 never gets in the way:

* p <= 51, so that rounding to odd in binary64 and then into F is one rounding (Boldo and Melquiond 2008, see
  `fpsim.rounding.floats`).
* For `NearestFloat` and `Binary32` moreover p <= 24: then 53 >= 2p + 2, and for operands in F a hardware +, -, *, / or
  sqrt followed by one rounding is the exact result rounded once (S. A. Figueroa, "When is double rounding
  innocuous?", SIGNUM Newsletter 30(3), 1995; P. Roux, "Innocuous double rounding of basic arithmetic operations", JFR
  7(1), 2014, also where the result is subnormal in F).  24 instead of 25 leaves room for the square root in fixed
  point: a root x of a multiple of the quantum q <= 4 is at a relative distance of at least 2^-(2p+3) from every other
  midpoint, since x^2 and the square of a midpoint are multiples of q^2/4, and x < 2^p q; for q > 4 it is at least
  2^-(p+1).
  Their values are multiples of 2^-450 and below 2^451, so that products of values are exact in binary64.
* Values are multiples of 2^-890 and below 2^900 in magnitude: a product, quotient or residual that underflows in
  binary64 is then below a quarter of the least positive value, where all numbers of a sign round alike, and one that
  overflows is beyond the last value by far.  fp64 and fp32 in hardware are the exceptions: fp64 is what the hardware
  does, and fp32 has its quantum at 2^-149.
"""

from __future__ import annotations

import math
from functools import lru_cache

from fpsim.rounding.grid_table import grid_of
from fpsim.rounding.kinds import (
    AWAY,
    DOWN,
    EVEN,
    MODES,
    ODD,
    UP,
    AnyFloat,
    Binary32,
    Binary64,
    Grid,
    NearestFloat,
    Spec,
)
from fpsim.valueset import MAX_GRID, ValueSet
from fpsim.valueset_text import value_set

__all__ = ["AnyFloat", "Binary32", "Binary64", "Grid", "NearestFloat", "Spec", "general_spec_of", "spec_of"]

_ODD_PRECISION = 51
_INNOCUOUS_PRECISION = 24
_LEAST_QUANTUM = -890
_LEAST_QUANTUM_OF_EXACT_PRODUCTS = -450
_LARGEST_EXPONENT = 900
_LARGEST_EMIN = 60  # LOW 2^-emin, in `round_any`, stays normal
_GREATEST = math.nextafter(math.inf, 0.0)


def spec_of(values: ValueSet | str) -> Spec | None:
    """The spec that compiled kernels take for F, or None where only the reference arithmetic serves it.

    None for: stochastic rounding; values that binary64 does not hold; p > 51 other than fp64 with nearest-even rounding
    and overflow to infinity; values below 2^-890 or above 2^900 in magnitude; grids that `fpsim.rounding.grid_table`
    refuses.

    >>> type(spec_of("fp16")).__name__, type(spec_of("fp16:up")).__name__, type(spec_of("nf4")).__name__
    ('NearestFloat', 'AnyFloat', 'Grid')
    >>> spec_of("fp128") is None
    True
    """
    return _spec_of(value_set(values))


def general_spec_of(values: ValueSet | str) -> Spec | None:
    """As `spec_of`, but of a kind whose closed operations take any binary64 operands, not only values of F.

    That is `AnyFloat` in place of `NearestFloat` and `Binary32`: slower, and the same results.

    >>> type(general_spec_of("fp16")).__name__
    'AnyFloat'
    """
    return _general_spec_of(value_set(values))


@lru_cache(maxsize=256)
def _general_spec_of(values: ValueSet) -> Spec | None:
    spec = _spec_of(values)
    return _float_spec(values, general=True) if isinstance(spec, NearestFloat | Binary32) else spec


@lru_cache(maxsize=256)
def _spec_of(values: ValueSet) -> Spec | None:
    if values.rounding == "stochastic" or values.carrier != "float64":
        return None
    if not values.is_binary:
        return grid_of(values)
    if values.rounding == "even" and values.overflow == "inf" and not values.ftz:
        if _same_values(values, "fp64"):
            return Binary64()
        if _same_values(values, "fp32"):
            return Binary32()
    return _float_spec(values)


def _same_values(values: ValueSet, name: str) -> bool:
    other = ValueSet.parse(name)
    return (values.precision, values.emin, values.last, values.signed_zero) == (
        other.precision,
        other.emin,
        other.last,
        other.signed_zero,
    )


def _float_spec(values: ValueSet, *, general: bool = False) -> Spec | None:
    p = values.precision
    if p > _ODD_PRECISION or values.quantum_exponent < _LEAST_QUANTUM or values.emin > _LARGEST_EMIN:
        return None
    if values.last < max(1, values.least_index) or values.emax > _LARGEST_EXPONENT or values.first != -values.last:
        return None
    if p == 1:
        # Neighbours with p = 1 are powers of two, whose parity is not that of their significand.
        return grid_of(values) if values.size <= MAX_GRID and not values.signed_zero and not values.ftz else None
    largest = float(values.max)
    overflow = {"inf": math.inf, "saturate": largest, "nan": math.nan}[values.overflow]
    zero = -0.0 if values.signed_zero else 0.0
    mode = MODES[values.rounding]
    # Exact: the last two values and the point half a step above are numbers of at most p + 1 bits.
    tie = largest + (largest - float(values.value(values.last - 1))) / 2
    below = math.nextafter(tie, 0.0)
    last_is_odd = values.last % 2 == 1
    positive, negative = {
        EVEN: (below, below) if last_is_odd else (tie, tie),
        AWAY: (below, below),
        UP: (largest, _GREATEST),
        DOWN: (_GREATEST, largest),
        ODD: (_GREATEST, _GREATEST) if last_is_odd else (largest, largest),
    }.get(mode, (_GREATEST, _GREATEST))
    min_normal = math.ldexp(1.0, values.emin)
    moderate = (
        values.quantum_exponent >= _LEAST_QUANTUM_OF_EXACT_PRODUCTS and values.emax <= -_LEAST_QUANTUM_OF_EXACT_PRODUCTS
    )
    if mode == EVEN and not values.ftz and p <= _INNOCUOUS_PRECISION and moderate and not general:
        return NearestFloat(min_normal, math.ldexp(1.0, 53 - p), positive, overflow, zero)
    return AnyFloat(mode, values.ftz, min_normal, math.ldexp(1.0, p - 1), largest, positive, negative, overflow, zero)
