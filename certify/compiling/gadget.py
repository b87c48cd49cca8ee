"""What makes a part of a compiled model exact: inequalities between numbers that were computed for it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from gmpy2 import mpfr, mpq

from fpsim.number import exact_text
from fpsim.rounding.reference import Element

__all__ = ["Bound", "Gadget", "number_text"]


@dataclass(frozen=True)
class Bound:
    """`value` is at least `least`: then the part does what it should."""

    what: str
    value: Element
    least: Element

    @property
    def holds(self) -> bool:
        """Whether it is; never for NaN."""
        return bool(self.value >= self.least)

    def __str__(self) -> str:
        return f"{self.what} {number_text(self.value)} >= {number_text(self.least)}"


@dataclass(frozen=True)
class Gadget:
    """One part of a compiled model.

    kind: "P", "MOD", "Y", "first", "and", "or", "norm".  about: the subformula, or what else it is.  layer: from 0 on.
    parameters: the numbers that were chosen for it.  bounds: what makes it exact.
    """

    kind: str
    about: str
    layer: int
    parameters: dict[str, Any]
    bounds: tuple[Bound, ...]

    @property
    def holds(self) -> bool:
        """Whether every bound holds."""
        return all(bound.holds for bound in self.bounds)

    def to_json(self) -> dict[str, Any]:
        """A dictionary of texts and numbers."""
        return {
            "kind": self.kind,
            "about": self.about,
            "layer": self.layer,
            "parameters": {name: _plain(value) for name, value in self.parameters.items()},
            "bounds": [
                {"what": each.what, "value": number_text(each.value), "least": number_text(each.least)}
                for each in self.bounds
            ],
        }

    def __str__(self) -> str:
        chosen = ", ".join(f"{name} = {_plain(value)}" for name, value in self.parameters.items())
        known = "; ".join(map(str, self.bounds))
        return f"{self.kind:<5} {self.about}: {chosen}{'; ' if chosen and known else ''}{known}"


def _plain(value: Any) -> Any:
    return value if isinstance(value, int | str | None) else number_text(value)


def number_text(x: Element) -> str:
    """The number, exactly where that is short, else to 12 digits; of any size.

    >>> number_text(mpq(2) ** 16000)
    '3.01946933724e+4816'
    """
    if isinstance(x, float):
        return str(x)
    text = exact_text(mpq(x))
    return text if len(text) <= 24 else f"{mpfr(mpq(x), 64):.12g}"
