"""The states of a recurrence at many positions: the fast twin of `fpsim.realization.Recurrence.block`.

A state is made of the one before by six rounded operations (`fpsim.scalar`), in the order of the reference.  States are
kept at some positions, and at the end of every call, so that a call that goes on where one has ended costs its own
steps only, and any other call at most some thousands more than the way from the furthest state that is known.

In binary32 the operations are those of the hardware in single precision: each is the exact result rounded once.
"""

from __future__ import annotations

from bisect import bisect_right
from functools import lru_cache
from typing import Any

import numpy as np

from fpsim.compilation import kernel
from fpsim.realization import Recurrence
from fpsim.rounding.kinds import Binary32, Spec
from fpsim.rounding.specs import spec_of
from fpsim.scalar import add_closed, mul_closed, sub_closed

__all__ = ["recurrence_blocks"]

Floats = np.ndarray[Any, np.dtype[np.float64]]

_STRIDE = 1 << 16  # positions at whole strides are kept


def recurrence_blocks(recurrence: Recurrence, start: int, stop: int) -> tuple[Floats, Floats]:
    """(c, s) of the positions start .. stop-1; there are compiled operations for the value set."""
    spec = spec_of(recurrence.values)
    if spec is None:
        raise TypeError(f"{recurrence.values.name} has no compiled arithmetic: ask spec_of first")
    return _walk(recurrence).states(spec, start, stop)


@lru_cache(maxsize=64)
def _walk(recurrence: Recurrence) -> _Walk:
    return _Walk(recurrence)


class _Walk:
    """One recurrence, with the states that are kept: at all whole strides that were passed, and at the last end."""

    def __init__(self, recurrence: Recurrence) -> None:
        self._turn = float(recurrence.turn[0]), float(recurrence.turn[1])
        start = float(recurrence.start[0]), float(recurrence.start[1])
        self._places, self._states = [0], [start]
        self._end = 0, start

    def states(self, spec: Spec, start: int, stop: int) -> tuple[Floats, Floats]:
        """The states of the positions start .. stop-1."""
        place = bisect_right(self._places, start) - 1
        at, state = self._places[place], self._states[place]
        if at < self._end[0] <= start:
            at, state = self._end
        c, s = np.empty(stop - start), np.empty(stop - start)
        scratch = np.empty((2, min(_STRIDE, max(start - at, 0))))
        advance = _advance_single if isinstance(spec, Binary32) else _advance
        while at < stop:
            end = min((at // _STRIDE + 1) * _STRIDE, start if at < start else stop)
            if at < start:
                part = scratch[0, : end - at], scratch[1, : end - at]
            else:
                part = c[at - start : end - start], s[at - start : end - start]
            state = advance(spec, *self._turn, *state, *part)
            at = end
            if at % _STRIDE == 0 and at > self._places[-1]:
                self._states.append(state)
                self._places.append(at)
        self._end = at, state
        return c, s


@kernel()
def _advance(
    spec: Any, turn_c: float, turn_s: float, c: float, s: float, out_c: Floats, out_s: Floats
) -> tuple[float, float]:
    """Fills in the states from (c, s) on, and returns the one after them."""
    for n in range(out_c.size):
        out_c[n], out_s[n] = c, s
        c, s = (
            sub_closed(spec, mul_closed(spec, turn_c, c), mul_closed(spec, turn_s, s)),
            add_closed(spec, mul_closed(spec, turn_s, c), mul_closed(spec, turn_c, s)),
        )
    return c, s


@kernel()
def _advance_single(
    spec: Any, turn_c: float, turn_s: float, c: float, s: float, out_c: Floats, out_s: Floats
) -> tuple[float, float]:
    """`_advance` in the hardware's single precision."""
    a, b, x, y = np.float32(turn_c), np.float32(turn_s), np.float32(c), np.float32(s)
    for n in range(out_c.size):
        out_c[n], out_s[n] = np.float64(x), np.float64(y)
        x, y = a * x - b * y, b * x + a * y
    return np.float64(x), np.float64(y)
