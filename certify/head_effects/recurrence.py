"""The states of a recurrence one after the other, in compiled code: the fast twin of `Recurrence.block`."""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim.compilation import kernel
from fpsim.realization import Recurrence
from fpsim.rounding.kinds import Spec
from fpsim.rounding.specs import spec_of
from fpsim.scalar import add, mul, sub

__all__ = ["states_of"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]


def states_of(recurrence: Recurrence, stop: int) -> tuple[Floats, Floats]:
    """(c, s) of the positions 0 .. stop-1, equal to those of `recurrence.block`; the reference itself where no kernel
    serves the value set.

    >>> from fpsim.angle import Angle
    >>> from fpsim.valueset import ValueSet
    >>> states_of(Recurrence(Angle.parse("1"), ValueSet.parse("e5m2")), 3)[0].tolist()
    [1.0, 0.5, -0.5]
    """
    spec = spec_of(recurrence.values)
    if spec is None or not recurrence.angle:
        blocks = [recurrence.block(i) for i in range(stop)]
        return np.array([float(c) for c, _ in blocks]), np.array([float(s) for _, s in blocks])
    c, s = np.empty(stop), np.empty(stop)
    if stop:
        (turn_c, turn_s), (c[0], s[0]) = map(float, recurrence.turn), map(float, recurrence.start)
        _walk(spec, turn_c, turn_s, c, s)
    return c, s


@kernel()
def _walk(spec: Spec, turn_c: float, turn_s: float, c: Floats, s: Floats) -> None:
    for i in range(1, c.size):
        c[i] = sub(spec, mul(spec, turn_c, c[i - 1]), mul(spec, turn_s, s[i - 1]))
        s[i] = add(spec, mul(spec, turn_s, c[i - 1]), mul(spec, turn_c, s[i - 1]))
