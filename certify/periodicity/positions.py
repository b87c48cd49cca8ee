"""Which realizations have many blocks at once, and how many positions of the others are looked at."""

from __future__ import annotations

from fpsim.pipeline.rotation import PipelineRotation
from fpsim.realization import Given, Ideal, Phase, Realization
from fpsim.realization.windowed import Windowed
from fpsim.rounding.specs import spec_of

__all__ = ["has_fast_blocks"]


def has_fast_blocks(rotation: Realization) -> bool:
    """Whether `positions.blocks_of` computes the blocks by compiled code, exactly, and not one by one."""
    if isinstance(rotation, Windowed):
        return has_fast_blocks(rotation.inner)
    if isinstance(rotation, Given) or not rotation.angle:
        return True
    if isinstance(rotation, PipelineRotation):
        sets = rotation.sets
        needed = [sets.position, sets.phase, sets.trig, sets.attention, sets.table]
        needed += [] if sets.operands is None else [sets.operands]
        return all(spec_of(values) is not None for values in needed)
    return isinstance(rotation, Ideal | Phase) and spec_of(rotation.values) is not None
