"""What the inverse frequencies of a realized schedule have lost where they are stored: subnormal ones, and zeros."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fpsim.pipeline.rotation import PipelineRotation
from fpsim.realization import Phase, Realization
from fpsim.realization.windowed import Windowed
from fpsim.rounding.reference import Element
from fpsim.valueset import ValueSet

__all__ = ["StoredNumbers", "stored_numbers"]


@dataclass(frozen=True)
class StoredNumbers:
    """Of how many pairs the stored number is subnormal, and of how many it is 0 although the angle is not.

    A subnormal number has fewer bits than the format's precision; a pair whose number is 0 never turns.
    """

    subnormal: int
    zero: int


def stored_numbers(rotations: Sequence[Realization]) -> StoredNumbers | None:
    """The counts over the pairs; None where no realization stores a number for its angle.

    >>> from fpsim.pipeline import Pipeline
    >>> from fpsim.schedule import Schedule
    >>> stored_numbers(Pipeline.named("all-fp16", Schedule.conventional("1e8", 128)).rotations("fp16"))
    StoredNumbers(subnormal=27, zero=3)
    """
    found = [(rotation, stored) for rotation in rotations if (stored := _stored(rotation)) is not None]
    if not found:
        return None
    return StoredNumbers(
        sum(_is_subnormal(number, values) for _, (number, values) in found),
        sum(number == 0 and bool(rotation.angle) for rotation, (number, _) in found),
    )


def _stored(rotation: Realization) -> tuple[Element, ValueSet] | None:
    """The number that is stored for the angle, and the set that it is in."""
    if isinstance(rotation, Windowed):
        return _stored(rotation.inner)
    if isinstance(rotation, PipelineRotation):
        return (rotation.times[0], rotation.sets.stored) if len(rotation.times) == 1 else None
    return (rotation.stored, rotation.values) if isinstance(rotation, Phase) else None


def _is_subnormal(number: Element, values: ValueSet) -> bool:
    return values.kind == "float" and values.min_normal is not None and bool(0 < abs(number) < values.min_normal)
