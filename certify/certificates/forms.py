"""The forms of exact numbers, angles, value sets and regimes in a certificate (docs/certificates.md)."""

from __future__ import annotations

from typing import Any

from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.errors import UnsupportedError
from fpsim.regime import Regime
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["angle_form", "number_form", "regime_form", "value_set_form"]

Form = Any  # what `json` writes

LARGEST_INTEGER = 1 << 128


def number_form(number: mpq | int) -> int | str:
    """An integer as it is, another m 2^e (m odd) as hexadecimal m and decimal e, any other rational as p/q.

    >>> number_form(40), number_form(mpq(555, 32)), number_form(mpq(-7, 10)), number_form(1 << 200)
    (40, '22bp-5', '-7/10', '1p200')
    """
    exact = mpq(number)
    numerator, denominator = int(exact.numerator), int(exact.denominator)
    if denominator == 1 and abs(numerator) < LARGEST_INTEGER:
        return numerator
    if denominator & (denominator - 1):
        return f"{numerator}/{denominator}"
    low = abs(numerator) & -abs(numerator)
    exponent = low.bit_length() - denominator.bit_length()
    sign = "-" if numerator < 0 else ""
    return f"{sign}{abs(numerator) // low:x}p{exponent}"


def rational_form(number: mpq) -> str:
    """p/q, or p alone for an integer."""
    return str(number.numerator) if number.denominator == 1 else f"{number.numerator}/{number.denominator}"


def angle_form(angle: Angle) -> str:
    """A rational, a rational times pi, or a rational times a root; 1 as a factor is left out.

    >>> angle_form(Angle.parse("0.1")), angle_form(Angle.parse("2pi*3/7")), angle_form(Angle.parse("-pi"))
    ('1/10', '6/7*pi', '-pi')

    Raises `UnsupportedError` for an angle that has no such form.
    """
    if angle.rational is not None:
        return rational_form(angle.coefficient)
    if angle.unit == "pi":
        unit = "pi"
    elif angle.unit == "power":
        unit = f"{rational_form(angle.base)}^({rational_form(angle.power)})"
    else:
        raise UnsupportedError(
            f"the angle {angle} has no form in a certificate: it is no rational multiple of 1, pi or a root"
        )
    factor = rational_form(angle.coefficient)
    return {"1": unit, "-1": f"-{unit}"}.get(factor, f"{factor}*{unit}")


def value_set_form(values: ValueSet) -> dict[str, Form]:
    """A value set spelled out.  Raises `UnsupportedError` for stochastic rounding.

    >>> value_set_form(ValueSet.parse("fixed:8.4"))["step"]
    '1p-4'
    """
    if values.rounding == "stochastic":
        raise UnsupportedError(f"{values.name} rounds stochastically, and a claim needs a rounding that is a function")
    shared: dict[str, Form] = {"kind": values.kind, "overflow": values.overflow, "rounding": values.rounding}
    if values.kind == "grid":
        return shared | {"values": [number_form(value) for value in values.grid]}
    if values.kind == "fixed":
        step = mpq(2) ** values.quantum_exponent
        return shared | {"step": number_form(step), "largest": number_form(values.max)}
    return shared | {
        "precision": values.precision,
        "emin": values.emin,
        "largest": number_form(values.max),
        "ftz": values.ftz,
    }


def order_form(order: Order) -> Form:
    """An order of summation."""
    if order.kind == "blocked":
        return {"blocked": order.block}
    if order.accumulator is not None:
        return {"wide": value_set_form(order.accumulator)}
    return order.kind


def regime_form(regime: Regime) -> dict[str, Form]:
    """The value sets of the stages; one that is the same as `values` is written as that word."""
    stages = {
        stage: "values" if getattr(regime, stage) == regime.values else value_set_form(getattr(regime, stage))
        for stage in ("rotate", "score", "softmax")
    }
    return {"values": value_set_form(regime.values), "fma": regime.fma, "order": order_form(regime.order)} | stages
