"""`recurrence`: the state (c, s) is turned by the same realized block at every step ("semantics 1", §3).

    (c, s)_0 = (1, 0);   (c, s)_{i+1} = ((C c) - (S s), (S c) + (C s))   with C = round(cos theta), S = round(sin theta)

each product, sum and difference rounded.  Its norm drifts: it can grow until the state overflows and becomes NaN, or
shrink to a fixed point (`certify.periodicity`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

from gmpy2 import mpq

from fpsim import reference
from fpsim.angle import Angle
from fpsim.real import Real
from fpsim.realization.block import IDENTITY, Block, turned_by
from fpsim.rounding.reference import round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["Recurrence"]


@dataclass(frozen=True)
class Recurrence:
    """The state of a rotation that is applied again and again; it remembers the states it has passed.

    >>> from fpsim.valueset import ValueSet
    >>> recurrence = Recurrence(Angle.parse("1"), ValueSet.parse("e5m2"))
    >>> recurrence.block(6) == recurrence.block(0)
    True
    """

    angle: Angle
    values: ValueSet
    name: str = "recurrence"
    length: int | None = None
    _states: list[Block] = field(default_factory=list, repr=False, compare=False)

    def block(self, position: int) -> Block:
        """(c_i, s_i), by i steps from the start or from the last state that was asked for."""
        if not self.angle:
            return IDENTITY
        states = self._states
        if not states:
            states.append(self.start)
        while len(states) <= position:
            states.append(self.step(states[-1]))
        return states[position]

    @property
    def start(self) -> Block:
        """(1, 0), rounded into F: 1 need not be in it."""
        return round_exact(self.values, mpq(1)), round_exact(self.values, mpq(0))

    @property
    def turn(self) -> Block:
        """(C, S), the realized block of one step."""
        return round_exact(self.values, cos_of(self.angle, 1)), round_exact(self.values, sin_of(self.angle, 1))

    def step(self, state: Block) -> Block:
        """The state after this one."""
        (c, s), (turn_c, turn_s), values = state, self.turn, self.values
        return (
            reference.sub(values, reference.mul(values, turn_c, c), reference.mul(values, turn_s, s)),
            reference.add(values, reference.mul(values, turn_s, c), reference.mul(values, turn_c, s)),
        )

    def bias_angle(self) -> Angle | None:
        """The exact angle."""
        return self.angle

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """(cos kg, sin kg), exact."""
        return turned_by(self.angle, offset)
