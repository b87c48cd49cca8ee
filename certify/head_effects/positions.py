"""Many positions of a realization at once, by the fastest way that it has: blocks, and phases before cos and sin."""

from __future__ import annotations

from functools import lru_cache
from typing import Any, TypeAlias

import numpy as np

from certify.head_effects.recurrence import states_of
from fpsim import arithmetic
from fpsim.blocks import blocks
from fpsim.realization import Counter, Given, Phase, Realization, Recurrence
from fpsim.realization.windowed import Windowed
from fpsim.valueset import ValueSet

__all__ = ["Floats", "Integers", "blocks_of", "phases_of"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Integers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]


def blocks_of(rotation: Realization, start: int, stop: int) -> tuple[Floats, Floats]:
    """(c, s) of the positions start .. stop-1, equal to those of `rotation.block`.

    A realization with a method `fast_blocks`, as a pipeline is, computes them itself.
    """
    fast = getattr(rotation, "fast_blocks", None)
    if isinstance(rotation, Windowed) and stop <= rotation.window:
        c, s = blocks_of(rotation.inner, start, stop)
    elif fast is not None:
        c, s = fast(start, stop)
    elif isinstance(rotation, Given):
        c, s = rotation.c[start:stop], rotation.s[start:stop]
    elif isinstance(rotation, Recurrence):
        c, s = (entries[start:] for entries in states_of(rotation, stop))
    elif isinstance(rotation, Windowed):
        inner_c, inner_s = blocks_of(rotation.inner, 0, min(rotation.window, stop))
        places = np.arange(start, stop) % rotation.window
        c, s = inner_c[places], inner_s[places]
    elif isinstance(rotation, Counter) and rotation.angle:
        phases, values = phases_of(rotation, start, stop), rotation.values
        c, s = arithmetic.cos(values, phases), arithmetic.sin(values, phases)
    else:
        c, s = blocks(rotation, start, stop)
    return np.asarray(c, np.float64), np.asarray(s, np.float64)


def phases_of(rotation: Realization, start: int, stop: int) -> Floats | None:
    """phi_i of the positions start .. stop-1, equal to those of `rotation.phase`; None for a realization without one.

    >>> from fpsim.angle import Angle
    >>> phases_of(Phase(Angle.parse("0.5"), ValueSet.parse("bf16")), 255, 259).tolist()
    [127.5, 128.0, 128.0, 129.0]
    """
    fast = getattr(rotation, "fast_phases", None)
    if fast is not None:
        return np.asarray(fast(start, stop), np.float64)
    phase = getattr(rotation, "phase", None)
    if phase is None:
        return None
    if isinstance(rotation, Phase):
        positions = (_counted if isinstance(rotation, Counter) else _rounded)(rotation.values, start, stop)
        return np.asarray(arithmetic.mul(rotation.values, float(rotation.stored), positions), np.float64)
    return np.array([float(phase(i)) for i in range(start, stop)])


def _rounded(values: ValueSet, start: int, stop: int) -> Floats:
    return np.asarray(arithmetic.round(values, np.arange(start, stop, dtype=np.float64)), np.float64)


@lru_cache(maxsize=4)
def _counted(values: ValueSet, start: int, stop: int) -> Floats:
    from fpsim.realization.counting import counted

    return np.array([float(counted(values, i)) for i in range(start, stop)])
