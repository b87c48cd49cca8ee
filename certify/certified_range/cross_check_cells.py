"""What `--cross-check` computes with: Python's fractions, mpmath at a stated precision, and rounding cells.

Nothing here calls MPFR, the reference arithmetic or a kernel; what is shared is the value set's list of values.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from typing import TypeAlias

import mpmath
from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.errors import UnsupportedError
from fpsim.realization import Block
from fpsim.rounding.cells import cell
from fpsim.rounding.reference import Element, is_nan
from fpsim.valueset import ValueSet

__all__ = [
    "Check",
    "Enclosed",
    "angle_value",
    "evaluate",
    "in_cell",
    "is_real",
    "product_sum_check",
    "rounded_by_cells",
    "scaled_in_cell",
    "times",
    "to_fraction",
]

# A real as [lo, hi] at a working precision, or None where there is no real result.
Enclosed: TypeAlias = "tuple[Fraction, Fraction] | None"
Check: TypeAlias = "tuple[str, Callable[[int], bool]]"


def to_fraction(x: Element) -> Fraction:
    """A finite element; -0 is 0."""
    return Fraction(0) if isinstance(x, float) else Fraction(int(x.numerator), int(x.denominator))


def is_real(*elements: Element) -> bool:
    """Whether no element is an infinity or NaN."""
    return not any(isinstance(x, float) and x != 0 for x in elements)


def evaluate(function: Callable[[mpmath.mpf], mpmath.mpf], argument: Callable[[], mpmath.mpf], bits: int) -> Enclosed:
    """function(argument) by mpmath, with a margin of 2^-(bits-24) on either side, relative to at least 2^-24."""
    with mpmath.workprec(bits):
        value = function(argument())
        sign, mantissa, exponent, _ = value._mpf_
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent) * (-1 if sign else 1)
    margin = max(abs(exact), Fraction(1, 2**24) if function in (mpmath.cos, mpmath.sin) else Fraction(0)) / 2 ** (
        bits - 24
    )
    return exact - margin, exact + margin


def angle_value(angle: Angle) -> mpmath.mpf:
    """The angle at mpmath's working precision.  Raises `UnsupportedError` for one that only a name stands for."""
    if angle.unit == "real":
        raise UnsupportedError(f"mpmath does not know the angle {angle}: there is no cross-check")
    number = mpmath.mpf(int(angle.coefficient.numerator)) / int(angle.coefficient.denominator)
    if angle.unit == "pi":
        return number * mpmath.pi
    if angle.unit == "power":
        power = mpmath.mpf(int(angle.power.numerator)) / int(angle.power.denominator)
        return number * mpmath.power(mpmath.mpf(int(angle.base.numerator)) / int(angle.base.denominator), power)
    return number


def in_cell(values: ValueSet, element: Element, real: Enclosed) -> bool:
    """Whether `element` is what the enclosed real rounds to: it lies in the element's cell.

    NaN stands for no real, and for one beyond the range of a set that makes NaN of it.
    """
    if real is None:
        return is_nan(element)
    return scaled_in_cell(values, element, real, Fraction(1))


def scaled_in_cell(values: ValueSet, element: Element, real: tuple[Fraction, Fraction], factor: Fraction) -> bool:
    """Whether `element` is what `factor` times the enclosed real rounds to."""
    ends = [sorted((lo * factor, hi * factor)) for lo, hi in (real, _snapped(*real))]
    if is_nan(element):
        return rounded_by_cells(values, lambda _: (ends[0][0], ends[0][1])) is None
    within = cell(values, element)
    return any(within.contains(mpq(lo), mpq(hi)) for lo, hi in ends)


def _snapped(lo: Fraction, hi: Fraction) -> tuple[Fraction, Fraction]:
    """[lo, hi] shrunk to the one of 0, +-1/2, +-1 that it holds, where a cosine can be rational (Niven's theorem)."""
    for numerator in (-2, -1, 0, 1, 2):
        half = Fraction(numerator, 2)
        if lo <= half <= hi:
            return half, half
    return lo, hi


def rounded_by_cells(values: ValueSet, real: Callable[[int], Enclosed]) -> Fraction | None:
    """The finite value of F in whose cell the real lies, among the values about it; None beyond range."""
    bits = values.precision + 128
    enclosed = real(bits)
    if enclosed is None:
        return None
    lo, hi = mpq(enclosed[0]), mpq(enclosed[1])
    index = values.floor_index(abs(lo), lo < 0)
    for near in (index - 1, index, index + 1, index + 2):
        signed = -near if lo < 0 else near
        if near >= 0 and values.first <= signed <= values.last:
            value = values.value(signed)
            if value in values and cell(values, value).contains(lo, hi):
                return to_fraction(value)
    return Fraction(0) if cell(values, mpq(0)).contains(lo, hi) else None


def times(values: ValueSet, pair: Block) -> Fraction:
    """The exact product of two finite operands, as `ftz` takes them: a subnormal is 0."""
    product = Fraction(1)
    for operand in map(to_fraction, pair):
        flushed = values.ftz and values.min_normal is not None and abs(operand) < to_fraction(values.min_normal)
        product *= 0 if flushed else operand
    return product


def product_sum_check(
    values: ValueSet,
    stored: ValueSet | None,
    first: Block,
    second: Block,
    outcome: Element,
    *,
    minus: bool = False,
    fused: bool = False,
) -> Callable[[int], bool]:
    """Whether `outcome` is round(round(a b) + round(c d)), for the pairs `first` and `second`, then stored.

    minus: the difference of the products; fused: the second product is not rounded; stored: None where it is not.
    """

    def holds(_bits: int) -> bool:
        if not is_real(*first, *second):
            return True  # a NaN or an infinity goes through; its origin is another check
        left, right = times(values, first), times(values, second)
        product = rounded_by_cells(values, lambda _: (left, left))
        other = right if fused else rounded_by_cells(values, lambda _: (right, right))
        if product is None or other is None:
            return _is_overflow(stored, outcome)
        total = product - other if minus else product + other
        if stored is None or stored == values:
            return in_cell(values, outcome, (total, total))
        rounded = rounded_by_cells(values, lambda _: (total, total))
        if rounded is None:
            return _is_overflow(stored, outcome)
        return in_cell(stored, outcome, (rounded, rounded))

    return holds


def _is_overflow(stored: ValueSet | None, outcome: Element) -> bool:
    """What an infinity or NaN becomes when it is stored: itself, or an outermost value where `stored` saturates."""
    return not is_real(outcome) or (stored is not None and outcome in (stored.max, stored.min))
