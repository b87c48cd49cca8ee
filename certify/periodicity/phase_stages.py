"""A rotation that turns by a phase: what `phase`, `counter` and pipelines have in common.

x_i, the position as the machine holds it, rises with i; phi_i, the phase, moves away from 0 only, and once it is not
finite it stays so; the block is a function of phi_i, and each entry a monotone function of the exact cosine or sine:
rounding, and in a pipeline a product with the attention factor between two roundings.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Protocol

from gmpy2 import mpq

from fpsim import reference
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.realization import Counter, Phase, Realization
from fpsim.realization.counting import count_ends
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.valueset import ValueSet

__all__ = ["PhasedRotation", "as_phased", "entry_of", "may_be_nan", "phase_function", "position_set", "settled_by"]


class PhasedRotation(Realization, Protocol):
    """A realization that turns by a phase made from the position; the block is NaN where the phase is not finite."""

    @property
    def stored(self) -> Element:
        """The angle as the machine holds it."""

    def position(self, i: int) -> Element:
        """x_i."""

    def phase(self, i: int) -> Element:
        """phi_i."""


def as_phased(rotation: object) -> PhasedRotation | None:
    """The rotation, if this module speaks of it."""
    return rotation if isinstance(rotation, Phase | PipelineRotation) else None


def phase_function(rotation: PhasedRotation) -> Callable[[int], Element]:
    """i -> phi_i; of `phase` and `counter` with the stored angle rounded once and not at every position."""
    if not isinstance(rotation, Phase):
        return rotation.phase
    values, stored = rotation.values, rotation.stored
    return lambda i: reference.mul(values, stored, rotation.position(i))


def settled_by(rotation: PhasedRotation) -> int:
    """A position, a power of two or 0, from which on x_i stays the same: twice the last value is beyond it."""
    if isinstance(rotation, Counter):
        ends = count_ends(rotation.values)[0]
    elif isinstance(rotation, PipelineRotation):
        ends = rotation.settled_by
    else:
        ends = 2 * int(rotation.values.max) + 2
    return 1 << (ends - 1).bit_length() if ends > 0 else 0


def position_set(rotation: PhasedRotation) -> ValueSet:
    """The value set that positions are rounded into."""
    return rotation.sets.position if isinstance(rotation, PipelineRotation) else rotation.values


def entry_of(rotation: PhasedRotation, x: mpq) -> Element:
    """What an exact cosine or sine x becomes in the block."""
    if not isinstance(rotation, PipelineRotation):
        return round_exact(rotation.values, x)
    sets = rotation.sets
    entry = round_exact(sets.trig, x)
    if rotation.attention is not None:
        entry = reference.mul(sets.attention, entry, rotation.attention)
    return round_exact(sets.table, entry)


def may_be_nan(rotation: PhasedRotation) -> bool:
    """Whether an entry can be NaN at a finite phase: by monotonicity one at 1, -1 or 0 is then."""
    return any(is_nan(entry_of(rotation, mpq(x))) for x in (1, -1, 0))
