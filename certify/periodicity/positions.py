"""Which realizations have many blocks at once, and how many positions of the others are looked at."""

from __future__ import annotations

from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.realization import Given, Ideal, Phase, Realization, Recurrence
from fpsim.realization.windowed import Windowed
from fpsim.rounding.specs import spec_of

__all__ = ["has_fast_blocks", "has_fast_turns"]

# The fast turns are known to 2^-127 radians.  What is at least 2^-60 can be rounded from that, but for a few positions
# in 2^14, into 53 bits; what is much smaller is left to the reference each time.
_LEAST_TURN = mpq(1, 1 << 60)


def has_fast_blocks(rotation: Realization) -> bool:
    """Whether `fpsim.blocks` computes the blocks by compiled code, exactly, and not one by one."""
    if isinstance(rotation, Windowed):
        inner = rotation.inner
        if isinstance(inner, Recurrence):  # without a window its search is its own
            return spec_of(inner.values) is not None
        return has_fast_blocks(inner)
    if isinstance(rotation, Given) or not rotation.angle:
        return True
    if isinstance(rotation, PipelineRotation):
        sets = rotation.sets
        needed = [sets.position, sets.phase, sets.trig, sets.attention, sets.table]
        needed += [] if sets.operands is None else [sets.operands]
        return all(spec_of(values) is not None for values in needed)
    if isinstance(rotation, Ideal) and not has_fast_turns(rotation.angle):
        return False
    return isinstance(rotation, Ideal | Phase) and spec_of(rotation.values) is not None


def has_fast_turns(angle: Angle) -> bool:
    """Whether exact rotations by the angle are fast: it is 0, or a few steps of it come back, or it is no tiny angle
    from a quarter turn.  (Of 10^-100, or pi/2 + 10^-100, a sine or a cosine is tiny at thousands of positions.)
    """
    if angle.turns is not None and angle.turns.denominator < 1 << 20:
        return True
    lo, hi = (4 * end for end in angle.enclose_turns(80))
    return all(abs(end - round(end)) >= _LEAST_TURN for end in (lo, hi))
