"""The facts of a value set that a user asks for first: size, range, spacing, overflow, f_large, stagnation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from fpsim.errors import UnsupportedError
from fpsim.flarge import f_large
from fpsim.number import exact_text, json_number, readable
from fpsim.rounding.reference import Element
from fpsim.stagnation import stagnation_point
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["FormatFacts", "format_facts"]


@dataclass(frozen=True)
class FormatFacts:
    """What `fpcert format` shows; prints as a table.

    size: how many finite values.  min_normal: None but for floats.  unit_roundoff: 2^-p, half the spacing above 1, None
    for grids.  f_large: None where no positive value's exponential vanishes, then `f_large_reason` says why.
    """

    values: ValueSet
    f_large: mpq | None
    f_large_reason: str | None
    stagnation: Element | None

    @property
    def unit_roundoff(self) -> mpq | None:
        """The greatest relative error of rounding to nearest without underflow: 2^-p."""
        return mpq(1, 1 << self.values.precision) if self.values.kind == "float" else None

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert format --json`."""
        values = self.values

        def number(x: Element | None) -> Any:
            return None if x is None else json_number(x)

        def exact(x: mpq | None) -> str | None:
            return None if x is None else exact_text(x)

        return {
            "name": values.name,
            "kind": values.kind,
            "size": values.size,
            "max": number(values.max),
            "max_exact": exact(values.max),
            "min": number(values.min),
            "min_exact": exact(values.min),
            "min_positive": number(values.min_positive),
            "min_positive_exact": exact(values.min_positive),
            "min_normal": number(None if values.ftz and values.min_normal is None else values.min_normal),
            "precision": values.precision or None,
            "emin": values.emin if values.is_binary else None,
            "emax": values.emax if values.is_binary else None,
            "unit_roundoff": number(self.unit_roundoff),
            "overflow": values.overflow,
            "rounding": values.rounding,
            "seed": values.seed,
            "ftz": values.ftz,
            "signed_zero": values.signed_zero,
            "f_large": number(self.f_large),
            "f_large_exact": exact(self.f_large),
            "f_large_reason": self.f_large_reason,
            "stagnation": number(self.stagnation),
            "carrier": values.carrier,
        }

    def __str__(self) -> str:
        values = self.values

        def shown(x: Element | None) -> str:
            return "none" if x is None else readable(x)

        overflow = {"inf": "becomes an infinity", "saturate": "becomes the last value", "nan": "becomes NaN"}[
            values.overflow
        ]
        mode = {
            "even": "nearest, ties to the even index",
            "away": "nearest, ties away from 0",
            "zero": "toward 0",
            "up": "up",
            "down": "down",
            "odd": "to the odd neighbour",
            "stochastic": f"stochastic, seed {values.seed}",
        }[values.rounding]
        rows = [
            (
                "kind",
                values.kind
                + (
                    f", p = {values.precision}, exponents {values.emin} to {values.emax}"
                    if values.kind == "float"
                    else ""
                ),
            ),
            (
                "values",
                f"{values.size:,}"
                if values.size < 10**12
                else f"about {float(values.size):.3g}"
                if values.size < 10**300
                else f"about 2^{values.size.bit_length() - 1}",
            ),
            ("largest", shown(values.max)),
            ("least", shown(values.min)),
            ("least positive", shown(values.min_positive)),
            *(
                [("least normal", shown(values.min_normal)), ("unit roundoff", f"2^-{values.precision}")]
                if values.kind == "float"
                else []
            ),
            *([("subnormals", "flushed to 0, as operands and as results")] if values.ftz else []),
            ("overflow", overflow),
            ("rounding", mode),
            ("zero", "+0 and -0" if values.signed_zero else "one"),
            ("f_large", shown(self.f_large) if self.f_large is not None else f"none: {self.f_large_reason}"),
            (
                "sum of ones",
                "no certain limit"
                if self.stagnation is None
                else f"stays at {shown(self.stagnation)}"
                if not isinstance(self.stagnation, float)
                else f"ends in {self.stagnation}",
            ),
            ("held in", {"float64": "binary64", "mpfr": "MPFR numbers", "mpq": "exact rationals"}[values.carrier]),
        ]
        return "\n".join([values.name, ""] + [f"  {label:<16}{text}" for label, text in rows])


def format_facts(values: ValueSet | str) -> FormatFacts:
    """The facts of the value set; under stochastic rounding f_large and the stagnation point are None, with the reason.

    >>> format_facts("fp16").to_json()["f_large"], format_facts("e4m3").to_json()["stagnation"]
    (17.34375, 16.0)
    """
    chosen = value_set(values)
    try:
        gap = f_large(chosen)
        reason = None if gap is not None else "exp(-f) rounds to 0 for no positive value f"
    except UnsupportedError as error:
        gap, reason = None, str(error)
    return FormatFacts(chosen, gap, reason, stagnation_point(chosen))
