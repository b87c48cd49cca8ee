"""`phase`, `counter` and pipelines: the position is rounded, so that from some position on the block stays the same.

The position x_i rises with i and the phase phi_i moves away from 0 only (`phase_stages`), and both take finitely many
values.  So phi_i stays the same from some position on, or is infinite or NaN from some position on.

* In the second case the block is NaN from there on: it *leaves F*, which no periodic sequence of blocks does.
* In the first case the block is constant from some least position mu on, say B.  If mu = 0, its period is 1.
  Otherwise R_{mu - 1} differs from B, but with a period m it would equal R_{mu - 1 + m t} = B for a t.  So there is no
  period.

**Bisection.**  "phi_i is infinite or NaN" and "phi_i has its last value" are monotone conditions of i, and `least`
finds where they begin.  mu may lie earlier, where other phases turn to the same block.  While phi stays in one quadrant
[q pi/2, (q+1) pi/2] of the plane, both entries are monotone in i, so that "R_i = B" is monotone there as well; where it
holds in the whole quadrant the search goes on in the quadrant before.

Under the overflow policy `nan` an entry may also be NaN while the phase is finite, where 1 or -1 is beyond range.  Then
the distinct phases are looked at one after another.

**Position 0** is looked at before all of that.  Its phase is 0 times, or over, numbers that the machine holds: 0, or
NaN where one of these is infinite, NaN, or a 0 that divides.  Only if it is 0 are the stages non-decreasing maps, so
that what is not finite stays so: 0 over 0 is NaN, but 1 over 0 is the last value of a stage that saturates.
"""

from __future__ import annotations

from dataclasses import replace

from gmpy2 import mpq

from certify.periodicity.monotone import least
from certify.periodicity.phase_stages import PhasedRotation, entry_of, may_be_nan, phase_function, settled_by
from certify.periodicity.positions import has_fast_blocks
from certify.periodicity.undefined import has_nan
from certify.periodicity.verdict import Verdict, position_text
from fpsim.angle import Angle
from fpsim.blocks import blocks
from fpsim.real import Irrational
from fpsim.realization.block import angle_real, is_finite
from fpsim.rounding.reference import is_nan

__all__ = ["decide_eventually_constant"]

_MOST_QUADRANTS = 200
_MOST_PHASES = 1 << 17  # twice as many as a grid has values
_MOST_POSITIONS = 1 << 20
_MOST_POSITIONS_BY_REFERENCE = 1 << 12
_HALF_PI = Angle(mpq(1, 2), "pi")


def decide_eventually_constant(rotation: PhasedRotation) -> Verdict:
    """The verdict of a rotation whose phase is eventually constant, or leaves F.

    >>> from fpsim.realization import realize
    >>> from fpsim.valueset import ValueSet
    >>> ask = lambda kind, name: decide_eventually_constant(realize(kind, Angle.parse("1"), ValueSet.parse(name)))
    >>> ask("phase", "fp16").leaves_F_at, ask("counter", "fp16").preperiod, ask("phase", "fp64").leaves_F_at > 10**308
    (65520, 2048, True)
    """
    if is_nan(rotation.phase(0)):
        because = "position 0 has a NaN: its phase, 0 times or over what the machine holds, is no number"
        return Verdict("non-periodic", "left-F", because, leaves_F_at=0, witness=(0,))
    return _Search(rotation).verdict()


class _Search:
    """The search for where the block becomes constant, or NaN."""

    def __init__(self, rotation: PhasedRotation) -> None:
        self.rotation = rotation
        self.phase = phase_function(rotation)
        settled = self._positions_settle(settled_by(rotation))
        self.last = self.phase(settled)
        self.stays = is_finite(self.last)
        # The last phase, or those that are not finite, begin where the positions settle, or before.
        self.begins = least(self._is_last, 0, settled - 1) if settled and self._is_last(settled - 1) else settled

    def _positions_settle(self, by: int) -> int:
        """The least position from which on x_i stays the same, or is not finite: cheaper to find than by the phases."""
        position = self.rotation.position
        last = position(by)
        return least(lambda i: position(i) == last if is_finite(last) else not is_finite(position(i)), 0, by)

    def _is_last(self, i: int) -> bool:
        phase = self.phase(i)
        return phase == self.last if self.stays else not is_finite(phase)

    def verdict(self) -> Verdict:
        """The verdict, and its proof."""
        gone, complete = (None if self.stays else self.begins), True
        if may_be_nan(self.rotation):
            gone, complete = self._first_nan()
        if gone is not None:
            return self._left(gone, complete)
        mu, exact = self._constant_from()
        verdict = self._constant(mu) if exact else self._searched(mu)
        if complete or verdict.verdict == "periodic":
            return verdict
        note = f" (whether a block is NaN was looked at for the first {_MOST_PHASES} phases)"
        return replace(verdict, because=verdict.because + note)

    def _constant(self, mu: int) -> Verdict:
        if mu == 0:
            return Verdict(
                "periodic", "eventually-constant", "the block is the same at every position", 1, 0, 1, witness=(0,)
            )
        because = (
            f"from position {position_text(mu)} on the block is the same for ever, since the rounded phase changes no "
            f"more, or not enough; the block of {position_text(mu - 1)} differs"
        )
        return Verdict(
            "non-periodic", "eventually-constant", because, preperiod=mu, eventual_period=1, witness=(mu, mu - 1)
        )

    def _left(self, gone: int, complete: bool) -> Verdict:
        rotation = self.rotation
        if not complete:
            because = f"position {position_text(gone)} has a NaN, and so may an earlier one: there are too many phases"
            return Verdict("non-periodic", "left-F", because, witness=(gone,))
        if is_finite(self.phase(gone)):
            because = f"position {gone} has a NaN: an entry is beyond the range of {rotation.values.name}"
        else:
            what = "phase" if is_finite(rotation.position(gone)) else "position"
            because = f"from position {position_text(gone)} on the rounded {what} is not finite, and the block is NaN"
        return Verdict("non-periodic", "left-F", because, leaves_F_at=gone, witness=(gone,))

    def _first_nan(self) -> tuple[int | None, bool]:
        """(the least position whose block has a NaN, True), phase by phase up to the one that begins at `begins`.

        When there are too many phases: (`begins`, False) if its block has a NaN, else (None, False).
        """
        block, begins = self.rotation.block, self.begins
        position = 0
        for _ in range(_MOST_PHASES):
            if has_nan(block(position)):
                return position, True
            if position == begins:
                return None, True
            position = self._next_phase(position)
        return (begins if has_nan(block(begins)) else None), False

    def _next_phase(self, position: int) -> int:
        """The least position above this one with another phase, at most `begins`."""
        phase = self.phase(position)
        ahead = 1
        while position + ahead < self.begins and self.phase(position + ahead) == phase:
            ahead *= 2
        return least(lambda i: self.phase(i) != phase, position + 1, min(position + ahead, self.begins))

    def _constant_from(self) -> tuple[int, bool]:
        """(mu, True): the least position from which on the block is that of `begins`.

        (an upper bound of it, False) when the block is the same in very many quadrants.
        """
        rotation = self.rotation
        if entry_of(rotation, mpq(1)) == entry_of(rotation, mpq(-1)):
            return 0, True  # an entry is a monotone function of the cosine or sine: all are alike
        block, mu = rotation.block(self.begins), self.begins
        for _ in range(_MOST_QUADRANTS):
            if mu == 0 or rotation.block(mu - 1) != block:
                return mu, True
            quadrant_begins = self._quadrant_begins(mu - 1)
            mu = least(lambda i: rotation.block(i) == block, quadrant_begins, mu - 1)
            if mu > quadrant_begins:
                return mu, True
        return mu, False

    def _quadrant_begins(self, position: int) -> int:
        """The least position whose phase lies in the quadrant of this one's."""
        edge = _quadrant(abs(mpq(self.phase(position))))
        if edge == 0:
            return 0
        threshold = angle_real(_HALF_PI.times(edge))
        assert isinstance(threshold, Irrational)
        return least(lambda i: not threshold.exceeds(abs(mpq(self.phase(i)))), 0, position)

    def _searched(self, bound: int) -> Verdict:
        """The verdict when only an upper bound of the pre-period was found: by the positions before it, if they are
        few.
        """
        rotation = self.rotation
        fast = has_fast_blocks(rotation)
        count = min(bound, _MOST_POSITIONS if fast else _MOST_POSITIONS_BY_REFERENCE)
        block = rotation.block(bound)
        if fast:
            c, s = blocks(rotation, 0, count)
            differs = [int(i) for i in ((c != float(block[0])) | (s != float(block[1]))).nonzero()[0]]
        else:
            differs = [i for i in range(count) if rotation.block(i) != block]
        if count == bound:
            return self._constant(differs[-1] + 1 if differs else 0)
        if differs:
            because = (
                f"from position {position_text(bound)} on, or earlier, the block is the same for ever, and the block "
                f"of {differs[0]} differs"
            )
            return Verdict(
                "non-periodic", "eventually-constant", because, eventual_period=1, witness=(bound, differs[0])
            )
        because = (
            f"the block is the same at the first {count} positions and from position {position_text(bound)} on; in "
            "between it was not looked at"
        )
        return Verdict("undecided", None, because)


def _quadrant(magnitude: mpq) -> int:
    """floor(magnitude / (pi/2)), by enclosures of pi that are narrow enough.

    >>> _quadrant(mpq(0)), _quadrant(mpq(22, 7)), _quadrant(mpq(3))
    (0, 2, 1)
    """
    bits = 64
    while True:
        lo, hi = (magnitude / end for end in reversed(_HALF_PI.enclose(bits)))
        low, high = lo.numerator // lo.denominator, hi.numerator // hi.denominator
        if low == high:
            return int(low)
        bits *= 2
