"""`recurrence`: the state (c, s) is turned by the same realized block at every step ("semantics 1", §3).

    (c, s)_0 = (1, 0);   (c, s)_{i+1} = ((C c) - (S s), (S c) + (C s))   with C = round(cos theta), S = round(sin theta)

each product, sum and difference rounded.  Its norm drifts: it can grow until the state overflows and becomes NaN, or
shrink to a fixed point (`certify.periodicity`).
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import dataclass, field
from functools import cached_property

from gmpy2 import mpq

from fpsim import reference
from fpsim.angle import Angle
from fpsim.real import Real
from fpsim.realization.block import IDENTITY, Block, Traits, turned_by
from fpsim.rounding.reference import element_of, round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["Recurrence"]

_EVERY_STATE = 1 << 15  # up to here each state that was passed is remembered,
_STRIDE = 1 << 8  # from here on one in so many
_BY_REFERENCE = 4000  # steps: a longer way is gone by compiled code where there is any, up to its last step


@dataclass(frozen=True)
class Recurrence:
    """The state of a rotation that is applied again and again; it remembers states that it has passed.

    >>> from fpsim.valueset import ValueSet
    >>> recurrence = Recurrence(Angle.parse("1"), ValueSet.parse("e5m2"))
    >>> recurrence.block(6) == recurrence.block(0)
    True
    """

    angle: Angle
    values: ValueSet
    name: str = "recurrence"
    length: int | None = None
    _marks: list[tuple[int, Block]] = field(default_factory=list, repr=False, compare=False)  # by rising position
    _last: list[tuple[int, Block]] = field(default_factory=list, repr=False, compare=False)  # at most one

    @property
    def traits(self) -> Traits:
        """Each state is the one before, turned."""
        return Traits("turned")

    def block(self, position: int) -> Block:
        """(c_i, s_i), by steps from the start or from a state that was passed.

        A position that is very many steps away is reached by `fpsim.realized_recurrence`, where compiled arithmetic
        serves the value set, but for the last step; the tests compare it with the steps below.
        """
        if not self.angle:
            return IDENTITY
        place = bisect_right(self._marks, position, key=_position)
        near = [last for last in self._last if last[0] <= position]
        at, state = max([(0, self.start), *self._marks[max(place - 1, 0) : place], *near], key=_position)
        if position - at > _BY_REFERENCE:
            far = _compiled_state(self, position - 1)
            at, state = (at, state) if far is None else (position - 1, far)
        passed = []
        while at < position:
            at, state = at + 1, self.step(state)
            if at <= _EVERY_STATE or at % _STRIDE == 0:
                passed.append((at, state))
        self._marks[place:place] = passed
        self._last[:] = [(position, state)]
        return state

    @property
    def start(self) -> Block:
        """(1, 0), rounded into F: 1 need not be in it."""
        return round_exact(self.values, mpq(1)), round_exact(self.values, mpq(0))

    @cached_property
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


def _position(mark: tuple[int, Block]) -> int:
    return mark[0]


def _compiled_state(recurrence: Recurrence, position: int) -> Block | None:
    """The state by compiled code; None where there is none for this value set."""
    from fpsim.rounding.specs import spec_of

    if spec_of(recurrence.values) is None:
        return None
    from fpsim.realized_recurrence import recurrence_blocks

    c, s = recurrence_blocks(recurrence, position, position + 1)
    return element_of(float(c[0])), element_of(float(s[0]))
