"""The states of a recurrence from position 0 on, in pieces: each is walked by one machine, and ends in a jump or goes
on.

Any state behind the search can be had again, from the start of its piece or, within a jump, from the first copy of the
cycle times a power of two.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from certify.periodicity.recurrences.brent import Brent
from certify.periodicity.recurrences.state_machine import StateMachine
from fpsim.realization.block import Block
from fpsim.rounding.reference import Element

__all__ = ["Jump", "Piece", "first_true", "state_at", "times_power"]


@dataclass(frozen=True)
class Jump:
    """The states `start` + k `period` + r, 0 <= k <= `copies`, 0 <= r < `period`, are 2^(k `exponent`) times those of k
    = 0; for k = `copies` with r = 0 only.  `state` is the one at `start`.
    """

    start: int
    state: Any
    period: int
    exponent: int
    copies: int

    @property
    def stop(self) -> int:
        """The position that the jump reaches."""
        return self.start + self.copies * self.period


@dataclass(frozen=True)
class Piece:
    """The states from position `start` on, `state` being the first, up to the next piece; positions within it count
    from `start`.

    search: the search for a cycle in it.  jump: where it ends in one, and the next piece starts where that stops.
    """

    start: int
    machine: StateMachine
    state: Any
    search: Brent
    jump: Jump | None = None


def times_power(block: Block, exponent: int) -> Block:
    """2^exponent times a block of finite entries."""
    c, s = block
    return _times(c, exponent), _times(s, exponent)


def _times(entry: Element, exponent: int) -> Element:
    if isinstance(entry, float):  # -0
        return entry
    return entry * mpq(1 << exponent) if exponent >= 0 else entry / mpq(1 << -exponent)


def state_at(pieces: list[Piece], position: int) -> Block:
    """The state at a position, by at most one cycle or one piece of steps."""
    piece = next(piece for piece in reversed(pieces) if piece.start <= position)
    offset = position - piece.start
    if piece.jump is None or offset < piece.jump.start:
        return piece.machine.exact(piece.machine.advance(piece.state, offset))
    copy, rest = divmod(offset - piece.jump.start, piece.jump.period)
    return times_power(piece.machine.exact(piece.machine.advance(piece.jump.state, rest)), copy * piece.jump.exponent)


def first_true(start: int, stop: int, holds: Callable[[int], bool]) -> int:
    """The least n of start .. stop with holds(n), for a condition that stays true once it is, and holds at `stop`."""
    while start < stop:
        middle = (start + stop) // 2
        if holds(middle):
            stop = middle
        else:
            start = middle + 1
    return stop
