"""Whether a `recurrence` repeats, decided for all positions ("semantics 1", §7).

The recurrence is a state machine on F x F, which is finite: its states enter a cycle, with pre-period mu and period
lambda, or meet a NaN and so leave F. A block is a state, and a state fixes the next, so the schedule is periodic iff mu
= 0. The search is Brent's, in constant memory. In float formats it also finds cycles up to a power of two, which are
much shorter than true ones, and jumps along them to where they end (`scaled_cycle`): the states grow until one leaves
F, or sink to the subnormal values and there enter a true cycle.

mu is exact after a jump too.  A state that lies on the final cycle is followed by such states only.  So when the search
from the end of the last jump on finds that its mu'-th state is the first on the cycle, and mu' > 0, no earlier one is.
With mu' = 0 an earlier state may be on it, a state of the jump or even one before, and the first such position is found
by bisection over all positions.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from certify.periodicity.recurrences.brent import Brent, Loss, Meter, Return, least_meeting
from certify.periodicity.recurrences.exponent_window import exponent_window
from certify.periodicity.recurrences.orbit import Piece, first_true, state_at, times_power
from certify.periodicity.recurrences.state_machine import ReferenceMachine
from certify.periodicity.verdict import Verdict
from fpsim.errors import InputError, UnsupportedError
from fpsim.realization.block import Block, is_finite
from fpsim.realization.recurrence import Recurrence
from fpsim.rounding.kinds import Binary32, Binary64, NearestFloat
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    from certify.periodicity.recurrences.compiled_machine import CompiledMachine

__all__ = ["cycle_verdict", "decide_recurrence", "default_max_steps"]

Progress = Callable[[int, int], None]  # steps walked, steps in all


def default_max_steps(values: ValueSet) -> int:
    """How far a search goes when nothing is said: as far as takes a few seconds."""
    window = exponent_window(values, 0)
    if window is None:
        return 50_000
    return {Binary32: 2 * 10**9, Binary64: 10**9, NearestFloat: 2 * 10**8}.get(type(window.spec), 3 * 10**7)


def decide_recurrence(
    recurrence: Recurrence, max_steps: int | None = None, progress: Progress | None = None
) -> Verdict:
    """The verdict on a recurrence, for all positions.

    "periodic": the first state is met again, after `period` steps.  "non-periodic" with the proof "state-cycle": the
    states of the two positions of `witness`, mu and mu + lambda, are the first two that are equal, and mu > 0; with
    "left-F": the block at `leaves_F_at` is the first with a NaN (an infinity is a value of F).  "undecided": the search
    has walked `max_steps` steps (None: `default_max_steps`), or Ctrl-C has ended it; `because` says what it has shown.

    progress(steps walked, max_steps) is called about every tenth of a second.  Raises `InputError` for a max_steps
    below 1, and `UnsupportedError` for stochastic rounding, where a state does not fix the next.

    >>> from fpsim.angle import Angle
    >>> from fpsim.valueset import ValueSet
    >>> found = decide_recurrence(Recurrence(Angle.parse("1"), ValueSet.parse("fp16")))
    >>> found.verdict, found.preperiod, found.eventual_period
    ('non-periodic', 505, 44)
    """
    values = recurrence.values
    if values.rounding == "stochastic":
        raise UnsupportedError(f"recurrence in {values}: under stochastic rounding a state does not fix the next")
    limit: Any = default_max_steps(values) if max_steps is None else max_steps
    if isinstance(limit, bool) or not isinstance(limit, int) or limit < 1:
        raise InputError("max_steps", max_steps, "an integer of at least 1")
    if not recurrence.angle:
        return _periodic(1, "angle 0 is the exact identity at every position")
    return _Search(recurrence, Meter(limit, progress)).verdict()


class _Search:
    """The search, piece by piece; what it has passed is in `pieces`."""

    def __init__(self, recurrence: Recurrence, meter: Meter) -> None:
        self.recurrence = recurrence
        self.values = recurrence.values
        self.meter = meter
        self.pieces: list[Piece] = []
        self._begin_piece(0, recurrence.start)

    def verdict(self) -> Verdict:
        """Search until a verdict is reached."""
        try:
            found = None
            while found is None:
                found = self._go_on()
            return found
        except KeyboardInterrupt:
            return self._interrupted()

    def _begin_piece(self, position: int, block: Block, *, reference: bool = False) -> None:
        """Search on from a block at a position, with the fastest machine that holds it."""
        from certify.periodicity.recurrences.compiled_machine import compiled_machine  # loads numba
        from certify.periodicity.recurrences.scaled_cycle import can_scale

        window = None if reference else exponent_window(self.values, _size(block))
        machine = compiled_machine(self.recurrence, window) if window else None
        state = machine.enter(block) if machine else None
        if machine is not None and state is not None:
            search = Brent(machine, state, scaled=can_scale(self.values))
            self.pieces.append(Piece(position, machine, state, search))
        else:
            plain = ReferenceMachine(self.recurrence)
            self.pieces.append(Piece(position, plain, block, Brent(plain, block, scaled=False)))

    def _go_on(self) -> Verdict | None:
        """Search to the next event: a verdict, or None when a new piece has begun or a return was of no use."""
        event = self.pieces[-1].search.search(self.meter)
        if self._left_window(event):
            return None
        start = self.pieces[-1].start
        if event is None:
            return self._undecided()
        if isinstance(event, Loss):
            return self._lost(start + event.position)
        if event.exponent == 0:
            return self._cycle(event)
        self._jump(event)
        return None

    @staticmethod
    def _cut_window(piece: Piece) -> CompiledMachine | None:
        """The machine of a piece, when it has to stay within a window."""
        from certify.periodicity.recurrences.compiled_machine import CompiledMachine

        machine = piece.machine
        return machine if isinstance(machine, CompiledMachine) and machine.window.is_cut else None

    def _left_window(self, event: Return | Loss | None) -> bool:
        """Whether the walk left the exponents of its window before the event; then a new piece begins at that place."""
        piece = self.pieces[-1]
        machine = self._cut_window(piece)
        if machine is None:
            return False
        walked = event.position if isinstance(event, Loss) else piece.search.position
        inside, _, _ = machine.walk_inside(piece.state, walked, machine.window.low, machine.window.high)
        if inside == walked:
            return False
        # A window is put around the present state; where even one step leaves it, there is no window for this turn.
        block = machine.exact(machine.advance(piece.state, inside))
        self._begin_piece(piece.start + inside, block, reference=inside == 0)
        return True

    def _jump(self, event: Return) -> None:
        """Jump along a cycle up to a power of two, or search on when that gains nothing."""
        from certify.periodicity.recurrences.compiled_machine import CompiledMachine
        from certify.periodicity.recurrences.scaled_cycle import scaled_jump

        piece = self.pieces[-1]
        assert isinstance(piece.machine, CompiledMachine)  # no other looks for such cycles
        jump = scaled_jump(self.values, piece.machine, piece.state, event)
        if jump is None:
            piece.search.decline()
            return
        self.pieces[-1] = replace(piece, jump=jump)
        reached = times_power(piece.machine.exact(jump.state), jump.copies * jump.exponent)
        self._begin_piece(piece.start + jump.stop, reached)

    def _cycle(self, event: Return) -> Verdict:
        """The verdict for a true cycle that the last piece has entered."""
        piece = self.pieces[-1]
        entered, _ = least_meeting(piece.machine, piece.state, event.period, 0)
        mu = piece.start + entered
        if entered == 0 and piece.start > 0:
            mu = first_true(0, mu, lambda n: state_at(self.pieces, n) == state_at(self.pieces, n + event.period))
        return cycle_verdict(mu, mu + event.period, self._told_jumps())

    def _lost(self, position: int) -> Verdict:
        return Verdict(
            "non-periodic",
            "left-F",
            f"the block of position {position} is the first with a NaN, and NaN stays{self._told_jumps()}",
            leaves_F_at=position,
            witness=(position,),
        )

    def _undecided(self, note: str = "") -> Verdict:
        start, search = self.pieces[-1].start, self.pieces[-1].search
        cycles = f"entered by position {start + search.mark} and has a period of at most {search.excluded}"
        none = f", and no cycle that is {cycles}" if search.excluded else ""
        because = f"undecided up to {start + search.position}: {note}no NaN{none}{self._told_jumps()}"
        return Verdict("undecided", None, because)

    def _interrupted(self) -> Verdict:
        piece = self.pieces[-1]
        if self._cut_window(piece) is None:
            return self._undecided("interrupted; ")
        # Whether the walk has stayed in its window is looked at only when it ends.
        return Verdict("undecided", None, f"undecided up to {piece.start}: interrupted; no NaN{self._told_jumps()}")

    def _told_jumps(self) -> str:
        """The cycles up to a power of two, told."""
        return "".join(
            f"; from position {piece.start + jump.start} to {piece.start + jump.stop} the states repeat times "
            f"2^{jump.exponent} every {jump.period} steps (all products and sums are normal there)"
            for piece in self.pieces
            if (jump := piece.jump) is not None
        )


def cycle_verdict(first: int, again: int, told: str = "") -> Verdict:
    """The verdict when the states of these positions are the first two that are equal; `told` ends the proof."""
    period = again - first
    if first == 0:
        return _periodic(period, f"the states of positions 0 and {period} are equal{told}")
    because = (
        f"the states of positions {first} and {again} are the first two that are equal, so the state of position 0 "
        f"never returns{told}"
    )
    return Verdict(
        "non-periodic",
        "state-cycle",
        because,
        preperiod=first,
        eventual_period=period,
        witness=(first, again),
    )


def _size(block: Block) -> int:
    """The exponent of the greater finite entry, but for 1; 0 where there is none but 0."""
    finite = [mpq(entry) for entry in block if is_finite(entry) and entry != 0]
    return max((int(x.numerator.bit_length() - x.denominator.bit_length()) for x in finite), default=0)


def _periodic(period: int, because: str) -> Verdict:
    return Verdict(
        "periodic",
        "state-cycle",
        because,
        period=period,
        preperiod=0,
        eventual_period=period,
        witness=(0, period),
    )
