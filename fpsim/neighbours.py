"""An exact value, its two neighbours in F, and what it rounds to: the rounding of one number laid open."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import decimal_text, exact_text, json_number, parse_number, readable
from fpsim.real import Irrational, Real, exp_of, sqrt_of
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["RoundedValue", "parse_real", "rounding_facts"]

_CALL = re.compile(r"(exp|sin|cos|sqrt)\((.*)\)", re.ASCII | re.DOTALL)
MAX_EXPONENT = 10**6
_SPECIAL = {
    "inf": float("inf"),
    "+inf": float("inf"),
    "-inf": float("-inf"),
    "nan": float("nan"),
    "-0": -0.0,
    "-0.0": -0.0,
}


@dataclass(frozen=True)
class RoundedValue:
    """text: what was asked.  exact: its exact value, or 25 digits and "..." when that is irrational.  below, above: the
    greatest value of F at most, and the least at least, the exact value (None: there is none).  rounded: the result.
    """

    text: str
    exact: str
    below: Element | None
    above: Element | None
    rounded: Element

    def to_json(self) -> dict[str, Any]:
        """The JSON object of one value."""
        finite = not isinstance(self.rounded, float)
        return {
            "input": self.text,
            "exact": self.exact,
            "below": None if self.below is None else json_number(self.below),
            "above": None if self.above is None else json_number(self.above),
            "rounded": json_number(self.rounded),
            "rounded_exact": exact_text(mpq(self.rounded)) if finite else str(self.rounded),
        }

    def __str__(self) -> str:
        below = "none" if self.below is None else readable(self.below)
        above = "none" if self.above is None else readable(self.above)
        return (
            f"{self.text}\n  exact     {self.exact}\n  below     {below}\n  above     {above}\n"
            f"  rounds to {readable(self.rounded)}"
        )


def parse_real(text: str) -> Real:
    """The exact real that `text` means: a number, inf, nan, -0, or exp, sin, cos, sqrt of a number (of an angle).

    >>> parse_real("sqrt(4)"), parse_real("cos(2pi/3)")
    (mpq(2,1), mpq(-1,2))
    """
    stripped = text.strip()
    if stripped.lower() in _SPECIAL:
        return _SPECIAL[stripped.lower()]
    call = _CALL.fullmatch(stripped)
    if call is None:
        return parse_number(text, "value")
    name, argument = call.groups()
    if name in ("sin", "cos"):
        angle = Angle.parse(argument, f"{name}(...)")
        return sin_of(angle) if name == "sin" else cos_of(angle)
    number = parse_number(argument, f"{name}(...)")
    if name == "sqrt":
        if number < 0:
            return float("nan")
        return sqrt_of(number)
    if abs(number) > MAX_EXPONENT:
        raise InputError("exp(...)", argument, f"between -{MAX_EXPONENT} and {MAX_EXPONENT}")
    return exp_of(number)


def rounding_facts(values: ValueSet | str, value: Any, *, operation: int = 0) -> RoundedValue:
    """The neighbours of an exact value in F and what it rounds to.  `value` is a text (see `parse_real`) or a number.

    >>> print(rounding_facts("fp16", "2049"))
    2049
      exact     2049
      below     2048
      above     2050
      rounds to 2048
    """
    chosen = value_set(values)
    text = value if isinstance(value, str) else str(value)
    if isinstance(value, float) and (value != value or value in (float("inf"), float("-inf")) or str(value) == "-0.0"):
        real: Real = value
    else:
        real = parse_real(value) if isinstance(value, str) else parse_number(value, "value")
    rounded = round_exact(chosen, real, operation)
    if isinstance(real, float) and (is_nan(real) or real != 0):
        return RoundedValue(text, str(real), None, None, rounded)
    below, above = _neighbours(chosen, mpq(real) if isinstance(real, float) else real)
    return RoundedValue(text, _exact(real), below, above, rounded)


def _exact(real: Real) -> str:
    if isinstance(real, float):
        return str(real)
    if not isinstance(real, Irrational):
        return exact_text(real)
    bits = 128
    while True:
        lo, hi = real.enclose(bits)
        if lo * hi > 0 and (hi - lo) * 10**30 < abs(lo):
            text = decimal_text(lo, 25)  # 25 digits of a bound; the value itself is no decimal
            return text if "..." in text else text + "..."
        bits *= 2


def _neighbours(values: ValueSet, real: Any) -> tuple[Element | None, Element | None]:
    """The greatest value at most, and the least at least, an exact real."""
    if isinstance(real, Irrational):
        bits = values.precision + 64
        while True:
            lo, hi = real.enclose(bits)
            low, high = _neighbours(values, lo), _neighbours(values, hi)
            if low == high and low[0] != low[1]:
                return low
            bits *= 2
            if bits > 1 << 22:
                raise ArithmeticError("undecided: a real this close to a value of F")
    negative = real < 0
    n = values.floor_index(abs(real), negative)
    top = -values.first if negative else values.last
    following = n + 1
    if n < values.least_index:  # under ftz the values between 0 and the least normal are not in F
        n, following = 0, values.least_index
    inner = values.value(-n if negative else n)
    if inner == real:
        return inner, inner
    outer = None if following > top else values.value(-following if negative else following)
    return (outer, inner) if negative else (inner, outer)
