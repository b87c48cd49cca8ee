"""Prop. 2.1 of arXiv:2608.11909 made concrete: the positions at which an entry has a value, as modular predicates.

    c_i = v   iff   MOD(r, m) holds at i for one of the residues r

with m the least period of the component and MOD(r, m) true where i = r (mod m).  The proposition takes the period of
the whole schedule for m; that of the component, which divides it, says the same with fewer residues.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from certify.periodicity.positions import has_fast_blocks
from certify.periodicity.verdict import Verdict
from fpsim.blocks import blocks
from fpsim.errors import UnsupportedError
from fpsim.number import json_number, readable
from fpsim.realization import Realization
from fpsim.rounding.reference import Element

__all__ = ["MAX_RESIDUES", "Predicate", "modular_predicates"]

MAX_RESIDUES = 2_000_000
_SHOWN = 64


@dataclass(frozen=True)
class Predicate:
    """The entry ("c" or "s") of a component has the value exactly at the positions i with i mod modulus in residues."""

    component: int
    entry: str
    value: Element
    modulus: int
    residues: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The keys of one entry of `predicates`."""
        return {
            "component": self.component,
            "entry": self.entry,
            "value": json_number(self.value),
            "modulus": self.modulus,
            "residues": list(self.residues),
        }

    def __str__(self) -> str:
        """A formula of LTL[P, MOD]; a long one is shortened (`to_json` has all residues).

        >>> print(Predicate(0, "c", mpq(1, 2), 6, (1, 5)))
        c[0] = 0.5  <->  MOD(1,6) | MOD(5,6)
        """
        atoms = [f"MOD({residue},{self.modulus})" for residue in self.residues[:_SHOWN]]
        more = f" | ... ({len(self.residues)} residues)" if len(self.residues) > _SHOWN else ""
        return f"{self.entry}[{self.component}] = {readable(self.value)}  <->  {' | '.join(atoms)}{more}"


def modular_predicates(components: Iterable[tuple[int, Realization, Verdict]]) -> tuple[Predicate, ...]:
    """The predicates of the periodic components among (number, rotation, verdict); the others have none.

    The values of each entry in rising order.  Raises `UnsupportedError` for more than `MAX_RESIDUES` residues in all.

    >>> from certify.periodicity.component import decide
    >>> from fpsim.realization import realize
    >>> from fpsim.angle import Angle
    >>> from fpsim.valueset import ValueSet
    >>> table = realize("table", Angle.parse("2pi/4"), ValueSet.parse("fp16"))
    >>> [str(predicate) for predicate in modular_predicates([(0, table, decide(table))])][:2]
    ['c[0] = -1  <->  MOD(2,4)', 'c[0] = 0  <->  MOD(1,4) | MOD(3,4)']
    """
    periodic = [(number, rotation, verdict.period) for number, rotation, verdict in components if _is_periodic(verdict)]
    total = sum(2 * (period or 0) for _, _, period in periodic)
    if total > MAX_RESIDUES:
        raise UnsupportedError(
            f"the modular predicates of this schedule have {total} residues; at most {MAX_RESIDUES} are listed"
        )
    return tuple(
        predicate for number, rotation, period in periodic for predicate in _of_component(number, rotation, period or 1)
    )


def _is_periodic(verdict: Verdict) -> bool:
    return verdict.verdict == "periodic"


def _of_component(number: int, rotation: Realization, period: int) -> Iterator[Predicate]:
    if has_fast_blocks(rotation):
        for entry, array in zip("cs", blocks(rotation, 0, period), strict=True):
            values, inverse, counts = np.unique(array + 0.0, return_inverse=True, return_counts=True)
            ends = np.cumsum(counts)[:-1]
            for value, places in zip(values, np.split(np.argsort(inverse, kind="stable"), ends), strict=True):
                element = mpq(float(value)) if np.isfinite(value) else float(value)
                yield Predicate(number, entry, element, period, tuple(map(int, places)))
        return
    listed = [rotation.block(i) for i in range(period)]
    for place, entry in enumerate("cs"):
        residues: dict[Element, list[int]] = {}
        for i, block in enumerate(listed):
            residues.setdefault(block[place], []).append(i)
        for value in sorted(residues):
            yield Predicate(number, entry, value if value else mpq(0), period, tuple(residues[value]))
