"""Kinds of realization: how an angle and a value set become a realized rotation.

A kind is named in text (`ideal`, `phase`, `table`, `recurrence`, `counter`, `array:FILE`) or is an object with a name
and a method `rotation`, as a pipeline of a real stack is.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.realization.block import Realization
from fpsim.realization.ideal import Ideal, Table
from fpsim.realization.phase import Counter, Phase
from fpsim.realization.recurrence import Recurrence
from fpsim.valueset import ValueSet

__all__ = ["REALIZATIONS", "Kind", "parse_kind", "realize"]

REALIZATIONS: dict[str, Callable[[Angle, ValueSet], Realization]] = {
    "ideal": Ideal,
    "phase": Phase,
    "table": Table,
    "recurrence": Recurrence,
    "counter": Counter,
}


class Kind(Protocol):
    """A kind of realization."""

    @property
    def name(self) -> str:
        """Its name, as it is echoed: `ideal`, `array:cos.npy`, the name of a pipeline."""

    def rotation(self, angle: Angle, values: ValueSet, pair: int = 0) -> Realization:
        """The realized rotation of the pair with this number (0, 1, ..) and this exact angle, stored in `values`."""


@dataclass(frozen=True)
class Named:
    """One of `REALIZATIONS`."""

    name: str

    def rotation(self, angle: Angle, values: ValueSet, pair: int = 0) -> Realization:
        """The realization, the same for every pair."""
        return REALIZATIONS[self.name](angle, values)


def parse_kind(kind: Kind | str) -> Kind:
    """The kind that a text names; a kind is returned as it is.  Raises `InputError` for another text.

    >>> parse_kind("counter").name
    'counter'
    """
    if not isinstance(kind, str):
        if callable(getattr(kind, "rotation", None)):
            return kind
    elif kind in REALIZATIONS:
        return Named(kind)
    elif kind.startswith("array:"):
        from fpsim.realization.array_file import ArrayKind

        return ArrayKind.read(kind.removeprefix("array:"))
    raise InputError("realize", kind, f"{', '.join(REALIZATIONS)} or array:FILE")


def realize(kind: Kind | str, angle: Angle, values: ValueSet, pair: int = 0) -> Realization:
    """The realized rotation of this kind.  Raises `InputError` for an unknown name or an angle that it cannot have.

    >>> realize("phase", Angle.parse("0.1"), ValueSet.parse("bf16")).block(0)
    (mpq(1,1), mpq(0,1))
    """
    return parse_kind(kind).rotation(angle, values, pair)
