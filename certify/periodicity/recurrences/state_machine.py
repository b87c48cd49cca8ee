"""The state machine of `recurrence`: what a search for cycles asks of one, and the reference in exact rationals.

States are pairs of values of F.  Two states are equal when their values are: -0 equals 0 in every claim ("semantics 1",
§1).  That is enough for a cycle, since the values of the next state depend on the values of this one only: a product
with a zero is a zero, or NaN when the other factor is infinite, whatever the sign of the zero; a sum with a zero has
the value of the other term; what is rounded is thus the same real, or a zero.  Signs of zeros reach a value through a
division only, and here is none.  (So blocks can repeat from mu on while signs of zeros still differ.)
"""

from __future__ import annotations

from typing import Any, Protocol

from gmpy2 import mpq

from fpsim import reference
from fpsim.realization.block import Block
from fpsim.realization.recurrence import Recurrence
from fpsim.rounding.reference import is_nan

__all__ = ["ReferenceMachine", "StateMachine", "has_nan"]


def has_nan(state: Any) -> bool:
    """Whether an entry of a pair is NaN.  Such a state has left F for good: NaN propagates through * and +."""
    return bool(state[0] != state[0] or state[1] != state[1])


class StateMachine(Protocol):
    """Walks along the states; a state is in the machine's own form, a pair in which NaN differs from itself."""

    @property
    def chunk(self) -> int:
        """How many steps take about a tenth of a second."""

    def enter(self, block: Block) -> Any:
        """The machine's form of a block of F, or None where it does not hold that exactly."""

    def exact(self, state: Any) -> Block:
        """The block of F that a state stands for."""

    def advance(self, state: Any, steps: int) -> Any:
        """The state `steps` steps later."""

    def first_nan(self, state: Any, steps: int) -> int:
        """The least n <= `steps` such that the n-th state after this one has a NaN; there is one."""

    def seek(self, goal: Any, state: Any, steps: int, scaled: bool) -> tuple[int, Any, int | None]:
        """Walk at most `steps` >= 1 steps until a state after the first equals `goal`, or with `scaled` 2^e times it.

        Returns the steps walked, the last state, and e (0: equal), or None when there was no such state.  A machine may
        know no other e than 0.
        """

    def meet(self, first: Any, second: Any, exponent: int, steps: int) -> tuple[int, Any, Any, bool]:
        """Walk two states at once, at most `steps` steps, until the second is 2^exponent times the first.

        Returns the steps walked, both states, and whether they met.
        """


class ReferenceMachine:
    """Steps of `Recurrence.step` in exact rationals, for any value set; it knows no cycle up to a power of two."""

    chunk = 2000

    def __init__(self, recurrence: Recurrence) -> None:
        self.values = recurrence.values
        self._turn = recurrence.turn

    def enter(self, block: Block) -> Block:
        """The block itself."""
        return block

    def exact(self, state: Block) -> Block:
        """The state itself."""
        return state

    def step(self, state: Block) -> Block:
        """The state after this one."""
        (c, s), (turn_c, turn_s), values = state, self._turn, self.values
        return (
            reference.sub(values, reference.mul(values, turn_c, c), reference.mul(values, turn_s, s)),
            reference.add(values, reference.mul(values, turn_s, c), reference.mul(values, turn_c, s)),
        )

    def advance(self, state: Block, steps: int) -> Block:
        """The state `steps` steps later."""
        for _ in range(steps):
            state = self.step(state)
        return state

    def first_nan(self, state: Block, steps: int) -> int:
        """The least n <= `steps` such that the n-th state after this one has a NaN."""
        for n in range(steps + 1):
            if is_nan(state[0]) or is_nan(state[1]):
                return n
            state = self.step(state)
        raise ValueError(f"no NaN within {steps} steps")

    def seek(self, goal: Block, state: Block, steps: int, scaled: bool) -> tuple[int, Block, int | None]:
        """Walk at most `steps` steps to a state that equals `goal`."""
        for n in range(1, steps + 1):
            state = self.step(state)
            if state == goal:
                return n, state, 0
        return steps, state, None

    def meet(self, first: Block, second: Block, exponent: int, steps: int) -> tuple[int, Block, Block, bool]:
        """Walk two states at once, at most `steps` steps, until the second is 2^exponent times the first."""
        factor = mpq(2) ** exponent
        for n in range(steps):
            if second == (first if exponent == 0 else (first[0] * factor, first[1] * factor)):
                return n, first, second, True
            first, second = self.step(first), self.step(second)
        return steps, first, second, False
