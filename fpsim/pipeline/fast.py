"""Many positions of a pipeline at once: the fast twin of `PipelineRotation.phase` and `.block`.

Each stage is one array operation of `fpsim.arithmetic`, which is its reference bit for bit, on the same operands in the
same order; where binary64 does not carry a set, or its rounding is stochastic, the reference itself runs.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fpsim import arithmetic
from fpsim.blocks import MAX_POSITION, Floats
from fpsim.operands import as_binary64
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

__all__ = ["pipeline_blocks", "pipeline_phases"]

_EXACT = 1 << 53  # binary64 holds every integer up to here


def pipeline_blocks(rotation: PipelineRotation, start: int, stop: int) -> tuple[Floats, Floats]:
    """(c, s) of the positions start .. stop-1 as binary64 arrays; every entry equals the one of `rotation.block`.

    >>> from fpsim.angle import Angle
    >>> from fpsim.pipeline.stages import Stages
    >>> bf16 = ValueSet.parse("bf16")
    >>> c, _ = pipeline_blocks(PipelineRotation(Angle.parse("1"), bf16, "mine", Stages(position="bf16")), 255, 259)
    >>> c.tolist()
    [-0.86328125, -0.039794921875, -0.039794921875, 0.92578125]
    """
    _require_positions(start, stop)
    if not rotation.angle:  # the identity
        return np.ones(stop - start), np.zeros(stop - start)
    sets = rotation.sets
    if not _carried(rotation, sets.trig, sets.table, sets.attention):
        entries = [rotation.block(i) for i in range(start, stop)]
        return np.array([float(c) for c, _ in entries]), np.array([float(s) for _, s in entries])
    phases = pipeline_phases(rotation, start, stop)
    cosines, sines = arithmetic.cos(sets.trig, phases), arithmetic.sin(sets.trig, phases)
    return _finished(rotation, cosines), _finished(rotation, sines)


def _finished(rotation: PipelineRotation, x: Floats) -> Any:
    sets = rotation.sets
    if rotation.attention is not None:
        x = arithmetic.mul(sets.attention, x, rotation.attention)
    return x if rotation.attention is None and sets.table == sets.trig else arithmetic.round(sets.table, x, out=x)


def pipeline_phases(rotation: PipelineRotation, start: int, stop: int) -> Floats:
    """The phases of the positions start .. stop-1; every one equals `rotation.phase`."""
    _require_positions(start, stop)
    if not _carried(rotation):
        return np.array([float(rotation.phase(i)) for i in range(start, stop)])
    values = rotation.sets.phase
    phase = _positions(rotation, start, stop)
    if not rotation.times:
        phase = arithmetic.round(values, phase)
    operate = arithmetic.div if rotation.divides else arithmetic.mul
    for number in rotation.times:
        phase = operate(values, _operands(rotation, phase), _operands(rotation, float(number)))
    if rotation.scaled_in("phase"):
        return _floats(arithmetic.div(values, phase, _number(rotation)))
    if rotation.scaled_in("phase-product"):
        return _floats(arithmetic.mul(values, phase, _number(rotation)))
    return _floats(phase)


def _positions(rotation: PipelineRotation, start: int, stop: int) -> Floats:
    values = rotation.sets.position
    if stop <= _EXACT:
        exact = np.arange(start, stop, dtype=np.float64)
        rounded = arithmetic.round(values, exact, out=exact)
    else:
        rounded = np.array([float(arithmetic.round(values, i)) for i in range(start, stop)])
    if rotation.scaled_in("position"):
        return _floats(arithmetic.div(values, rounded, _number(rotation)))
    if rotation.scaled_in("position-product"):
        return _floats(arithmetic.mul(values, rounded, _number(rotation)))
    return _floats(rounded)


def _operands(rotation: PipelineRotation, x: Any) -> Any:
    return x if rotation.sets.operands is None else arithmetic.round(rotation.sets.operands, x)


def _number(rotation: PipelineRotation) -> float:
    return float(rotation.scaling_number)  # a value of a set that binary64 carries


def _floats(x: Any) -> Floats:
    return np.asarray(x, np.float64)


def _require_positions(start: int, stop: int) -> None:
    if not 0 <= start <= stop <= MAX_POSITION:
        raise ValueError(f"positions {start}..{stop}: they should be rising and between 0 and 2^62")


def _carried(rotation: PipelineRotation, *more: ValueSet) -> bool:
    """Whether the array operations serve these sets and those of the phase, and the numbers that they need."""
    sets = rotation.sets
    needed = [sets.position, sets.phase, *more, *([] if sets.operands is None else [sets.operands])]
    return all(spec_of(values) is not None for values in needed) and all(
        as_binary64(number) is not None for number in rotation.times[:1]
    )
