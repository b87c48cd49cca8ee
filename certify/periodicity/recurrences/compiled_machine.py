"""The state machine in compiled code, for the value sets that kernels serve, and through windows for wide formats."""

from __future__ import annotations

import math
from typing import TypeAlias

from gmpy2 import mpq

from certify.periodicity.recurrences import state_machine_kernels as kernels
from certify.periodicity.recurrences.exponent_window import ExponentWindow
from fpsim.realization.block import Block
from fpsim.realization.recurrence import Recurrence
from fpsim.rounding.kinds import Binary32, Binary64, NearestFloat
from fpsim.rounding.reference import Element

__all__ = ["CompiledMachine", "Pair", "compiled_machine"]

Pair: TypeAlias = tuple[float, float]

_LEAST_TURN = 2.0**-200  # so that an entry of the turn is a normal number of every window


_CHUNKS = {Binary32: 1 << 25, Binary64: 1 << 25, NearestFloat: 1 << 22}  # steps of about a tenth of a second


class CompiledMachine:
    """The states of F times 2^shift, as pairs of binary64 numbers; see `StateMachine`."""

    def __init__(self, window: ExponentWindow, turn: Pair) -> None:
        self.window = window
        self.chunk = _CHUNKS.get(type(window.spec), 1 << 20)
        self._turn = turn

    def enter(self, block: Block) -> Pair | None:
        """The pair of binary64 numbers, or None when they do not hold the block times 2^shift."""
        entries = [_scaled_float(entry, self.window.shift) for entry in block]
        return None if entries[0] is None or entries[1] is None else (entries[0], entries[1])

    def exact(self, state: Pair) -> Block:
        """The block of F."""
        c, s = state
        return _exact(c, self.window.shift), _exact(s, self.window.shift)

    def advance(self, state: Pair, steps: int) -> Pair:
        """The state `steps` steps later."""
        while steps > 0:
            part = min(steps, self.chunk)  # Ctrl-C is heard between the parts
            state = kernels.advance(self.window.spec, *self._turn, *state, part)
            steps -= part
        return state

    def first_nan(self, state: Pair, steps: int) -> int:
        """The least n <= `steps` such that the n-th state after this one has a NaN."""
        n = kernels.first_nan(self.window.spec, *self._turn, *state, steps)
        if n > steps:
            raise ValueError(f"no NaN within {steps} steps")
        return n

    def seek(self, goal: Pair, state: Pair, steps: int, scaled: bool) -> tuple[int, Pair, int | None]:
        """Walk to a state that equals `goal`, or with `scaled` 2^e times it."""
        n, c, s, exponent, found = kernels.seek(self.window.spec, *self._turn, *goal, *state, steps, scaled)
        return n, (c, s), exponent if found else None

    def meet(self, first: Pair, second: Pair, exponent: int, steps: int) -> tuple[int, Pair, Pair, bool]:
        """Walk two states at once until the second is 2^exponent times the first."""
        return kernels.meet(self.window.spec, *self._turn, first, second, exponent, steps)

    def walk_inside(self, state: Pair, steps: int, low: float, high: float) -> tuple[int, float, float]:
        """(n, least, greatest): how many steps from `state` on have all their results within [low, high] in magnitude.

        Exact zeros are left out, and `state` counts.  For n = `steps` these are the least magnitude and the greatest.
        """
        walked, least, greatest = 0, math.inf, 0.0
        while True:
            part = min(steps - walked, self.chunk)
            n, c, s, lo, hi = kernels.walk_inside(self.window.spec, *self._turn, *state, part, low, high)
            walked, state, least, greatest = walked + n, (c, s), min(least, lo), max(greatest, hi)
            if n < part or walked == steps:
                return walked, least, greatest


def compiled_machine(recurrence: Recurrence, window: ExponentWindow) -> CompiledMachine | None:
    """The machine of a recurrence in a window of its value set; None when binary64 does not hold its turn there."""
    c, s = (_scaled_float(entry, 0) for entry in recurrence.turn)
    if c is None or s is None:
        return None
    if window.is_cut and not all(x == 0.0 or _LEAST_TURN <= abs(x) < math.inf for x in (c, s)):
        return None
    return CompiledMachine(window, (c, s))


def _scaled(x: mpq, exponent: int) -> mpq:
    return x * (1 << exponent) if exponent >= 0 else x / (1 << -exponent)


def _exact(x: float, shift: int) -> Element:
    if not math.isfinite(x) or (x == 0.0 and math.copysign(1.0, x) < 0.0):
        return x
    return _scaled(mpq(x), -shift)


def _scaled_float(entry: Element, exponent: int) -> float | None:
    """entry * 2^exponent as a binary64 number, or None when that does not hold it."""
    if isinstance(entry, float):
        return entry
    exact = _scaled(entry, exponent)
    if abs(exact) >= 1 << 1024:
        return None
    number = float(exact)
    return number if mpq(number) == exact else None
