"""Brent's search for a cycle of a state machine, in constant memory (R. P. Brent, "An improved Monte Carlo
factorization algorithm", BIT 20, 1980).

A marked state waits while the machine walks on from it; when twice as many steps have been walked as at the last mark,
the present state is marked instead.  As soon as the mark lies on the cycle and waits for at least one period, the walk
returns to it, and its first return gives the least period.  The walk is thus at most about 3 max(mu, lambda) steps
long.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from certify.periodicity.recurrences.state_machine import StateMachine, has_nan

__all__ = ["Brent", "Loss", "Meter", "Return", "least_meeting"]


class Meter:
    """Counts the steps of a search against its limit and reports them."""

    def __init__(self, limit: int, report: Callable[[int, int], None] | None = None) -> None:
        self.limit = limit
        self.done = 0
        self._report = report

    @property
    def left(self) -> int:
        """The steps that may still be walked."""
        return self.limit - self.done

    def spend(self, steps: int) -> None:
        """Count steps, and report."""
        self.done += steps
        if self._report:
            self._report(self.done, self.limit)


@dataclass(frozen=True)
class Return:
    """The state at `start` + `period` is 2^`exponent` times the one at `start`, and no state between them is such."""

    start: int
    state: Any
    period: int
    exponent: int


@dataclass(frozen=True)
class Loss:
    """The first state with a NaN is at `position`."""

    position: int


class Brent:
    """One search, positions counted from its first state.

    With `scaled` a return may be one up to a power of two; when such a one is of no use, `decline` it and search on.
    At any moment, after a KeyboardInterrupt too: no state up to `position` has a NaN, and the one at `mark` does not
    return within `excluded` steps.
    """

    def __init__(self, machine: StateMachine, state: Any, *, scaled: bool) -> None:
        self.position = 0  # of the walk
        self.mark = 0  # the position of the marked state
        self._machine = machine
        self._state = self._marked = state
        self._wait = 1
        self._scaled = self._scaled_now = scaled
        self._returned = False

    @property
    def excluded(self) -> int:
        """The greatest number such that no cycle on which the marked state lies has a period of at most that."""
        return self.position - self.mark - self._returned

    def decline(self) -> None:
        """Take no return up to a power of two until the next mark, so that declined ones cost no more than the walk."""
        self._scaled_now = False

    def search(self, meter: Meter) -> Return | Loss | None:
        """Walk to the first return or NaN; None when the meter has run out."""
        if has_nan(self._state):
            return Loss(self.position)
        while meter.left > 0:
            steps = min(self._machine.chunk, self.mark + self._wait - self.position, meter.left)
            if steps == 0:
                self.mark, self._marked, self._scaled_now = self.position, self._state, self._scaled
                self._wait *= 2
                continue
            walked, state, exponent = self._machine.seek(self._marked, self._state, steps, self._scaled_now)
            if exponent is None and has_nan(state):
                return Loss(self.position + self._machine.first_nan(self._state, walked))
            self._returned = exponent == 0
            self.position += walked
            self._state = state
            meter.spend(walked)
            if exponent is not None:
                return Return(self.mark, self._marked, self.position - self.mark, exponent)
        return None


def least_meeting(machine: StateMachine, state: Any, period: int, exponent: int) -> tuple[int, Any]:
    """(n, x): the least n such that the state n + `period` steps after `state` is 2^exponent times x, the one n steps
    after it.  There must be one.
    """
    first, second = state, machine.advance(state, period)
    position = 0
    while True:
        steps, first, second, met = machine.meet(first, second, exponent, machine.chunk)
        position += steps
        if met:
            return position, first
