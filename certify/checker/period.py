"""The claim `period`, about the realized blocks R_0, R_1, .. at all positions ("semantics 1", section 7).

periodic      R_{i+m} = R_i for all i >= 0, with the least such m
non-periodic  and from mu on R_{i+lambda} = R_i, with the least mu > 0 and the least lambda; or there are none such; or
              position `leaves` is the first with a NaN

Each realization has its own argument, stated where it stands.  A cycle is the pair (mu, lambda): periodic is mu = 0.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .exact import Purse, integer
from .kinds import parse_valueset
from .limits import Account, Malformed, Refuted, Undecided, Unsupported
from .realization import parse_rotation
from .rotation import Block, equal
from .valueset import ZERO, Element, is_nan, same

__all__ = ["Period"]

_BECAUSE = ("finite-table", "irrational-angle", "eventually-constant", "state-cycle", "left-F")
_SEARCHED = 2_000  # positions tried where the hint shows nothing


class Period:
    """One claim: cycle is (mu, lambda) or None, leaves a position or None."""

    def __init__(self, claim: dict[str, Any], hints: dict[str, Any], account: Account) -> None:
        purse = Purse(account)
        if claim["verdict"] not in ("periodic", "non-periodic"):
            raise Malformed("verdict is none that is known")
        names = {"period": 1, "preperiod": 0, "eventual": 1, "leaves": 0}
        numbers = {n: None if claim[n] is None else integer(claim[n], n, least) for n, least in names.items()}
        period, mu, cycle, self.leaves = numbers.values()
        if claim["verdict"] == "periodic":
            right = period is not None and mu == 0 and cycle == period and self.leaves is None
        else:
            right = period is None and mu != 0 and (mu is None) == (cycle is None) and None in (mu, self.leaves)
        if not right:
            raise Malformed("verdict, period, preperiod, eventual and leaves contradict each other")
        self.cycle = None if mu is None or cycle is None else (mu, cycle)
        self.values = parse_valueset(claim["F"], "F", purse)
        self.rotation = parse_rotation(claim["realize"], claim["theta"], "theta", self.values, purse, arrays=False)
        if self.rotation.values is not self.values:
            raise Malformed("the last value set of a pipeline's table is F, whose place is 0")
        self.angle = self.rotation.angle
        if hints["because"] not in _BECAUSE or not isinstance(hints["positions"], list):
            raise Malformed("hints.because is none that is known, or hints.positions is not a list")
        self.positions = [integer(i, "a position", 0) for i in hints["positions"]]
        self.account = account

    def words(self) -> list[str]:
        """The claim, for a reader."""
        text = self.angle.text if len(self.angle.text) <= 60 else f"of {len(self.angle.text)} characters"
        if self.leaves is not None:
            says = f"are not periodic: the first one with a NaN is that of position {self.leaves}"
        elif self.cycle is None:
            says = "are not periodic, nor are they from any position on"
        elif self.cycle[0] == 0:
            says = f"have the least period {self.cycle[1]}"
        else:
            says = (
                f"are not periodic, but from position {self.cycle[0]} on, no earlier, with least period {self.cycle[1]}"
            )
        how = f"realized as {self.rotation.realize} in {self.values}"
        return [f"the realized blocks of angle {text} {says}", how, *self.rotation.words()]

    def check(self) -> None:
        """Show the claim; `Refuted` if it is false."""
        self.account.unit = 1 + (self.rotation.bits // 512) ** 2
        if not self.angle:
            self._is_cycle((0, 1), "angle 0 is the identity at every position")
        elif self.rotation.realize == "recurrence":
            self._states()
        elif self.rotation.exact and self.angle.turn is not None:
            self._table(self.angle.turn)
        elif not self.rotation.exact and isinstance(self.rotation.phase(0), float):
            self._leaves_at(0, "the phase of position 0 is no number")
        elif any(is_nan(self.rotation.entry(x)) for x in (0, 1)):
            self._leaves_at(0, "the block (cos 0, sin 0) = (1, 0) has no values in F")
        elif is_nan(self.rotation.entry(-1)):
            self._one_side()
        elif self.rotation.exact:
            self._dense()
        else:
            self._phases()

    def _is_cycle(self, cycle: tuple[int, int], why: str) -> None:
        if self.leaves is not None or self.cycle != cycle:
            raise Refuted(f"{why}: the blocks repeat from position {cycle[0]} on, with the least period {cycle[1]}")
        self.account.shown(why)

    def _leaves_at(self, position: int, why: str) -> None:
        if self.leaves != position:
            raise Refuted(f"{why}: position {position} is the first with a NaN")
        self.account.shown(f"{why}: position {position} is the first with a NaN")

    def _table(self, turn: Fraction) -> None:
        """theta = 2 pi a/m: R_{i+m} = R_i, and the least period is 1 where all blocks are equal, and else m.

        Let it be L < m, q = m/L.  Turns by L positions run through all q-th parts of the circle, so R_0 is repeated
        where the cosine is -1/2 or less, and all of [-1/2, 1] rounds alike, to v.  Cosines that do not round to v lie
        in an open third of the circle, which cannot hold a point together with all that are turned from it by q-th
        parts of it.  So there are none; the sines alike.  By monotonicity all cosines round alike if the greatest and
        the least do.
        """
        m = turn.denominator
        if is_nan(self.values.round(1)) or is_nan(self.values.round(-1)):
            self.account.foresee(m, "the table of one turn")
            nan = next((i for i in range(m) if any(map(is_nan, self.rotation.block(i)))), None)
            if nan is not None:
                self._leaves_at(nan, f"the table of the {m} blocks of one turn")
                return
        back = pow(turn.numerator, -1, m)  # k/m of a turn is at position k back mod m
        high, low, top, bottom = (
            self.rotation.block(k * back % m) for k in (0, m // 2, (m + 2) // 4, (3 * m + 2) // 4)
        )
        if same(high[0], low[0]) and same(top[1], bottom[1]):
            self._is_cycle((0, 1), "the greatest and the least cosine of one turn round alike, and so do the sines")
        else:
            self._is_cycle((0, m), f"the {m} blocks of one turn are not all equal, so no period is shorter")

    def _one_side(self) -> None:
        """A value set that reaches to 1 but not to -1: blocks one by one up to the first NaN."""
        if self.leaves is None:
            raise Unsupported("blocks without a NaN in a value set that reaches to 1 but not to -1")
        self.account.foresee(self.leaves + 1, "the blocks up to the first with a NaN")
        nan = next((i for i in range(self.leaves + 1) if any(map(is_nan, self.rotation.block(i)))), None)
        if nan is None:
            raise Refuted(f"no block up to position {self.leaves} has a NaN")
        self._leaves_at(nan, f"the blocks up to position {nan} are computed")

    def _dense(self) -> None:
        """theta / 2 pi irrational: the exact points of any i lambda + mu are dense on the circle.

        At i >= 1 their entries are irrational, so strictly inside rounding cells: an entry that takes two values
        takes both again in every arithmetic progression, and no period holds from any position on.  An entry that
        takes one value on the open interval (-1, 1) has it at all i >= 1, and it is 0, as sin 0 is in that interval.
        """
        near = (1 << self.values.resolution) - 1
        ends = [self.values.round(sign * near, near + 1) for sign in (1, -1)]
        if self.leaves is not None:
            raise Refuted("every number from -1 to 1 has a value in F")
        if ends[0] == ends[1]:
            same_at_0 = equal(self.rotation.block(0), (ZERO, ZERO))
            self._is_cycle((0, 1) if same_at_0 else (1, 1), "no number in (-1, 1) rounds to anything but 0")
        elif self.cycle is not None:
            raise Refuted("numbers in (-1, 1) round to two values, and the exact entries are dense there")
        else:
            i, j = self._two_values()
            self.account.shown(
                f"blocks {i} and {j} differ in an entry that is irrational at both; theta / 2 pi is irrational"
            )

    def _two_values(self) -> tuple[int, int]:
        tried = [i for i in self.positions[:2] if i > 0]
        for positions in (tried, range(1, _SEARCHED)):
            for i in positions:
                if not equal(self.rotation.block(i), self.rotation.block(positions[0])):
                    return positions[0], i
        raise Undecided(f"blocks 1 to {_SEARCHED} are all equal, though not all are")

    def _phases(self) -> None:
        """The machine's position rises, so the phase is monotone; once it is the last one, or infinite, it stays.

        A block depends on the phase only, and has a NaN only where the phase is no number.
        """
        last = self.rotation.phase(None)
        if isinstance(last, float):
            if self.leaves is None:
                raise Refuted("the phase ends as an infinity or NaN")
            before = self.leaves > 0 and isinstance(self.rotation.phase(self.leaves - 1), float)
            if before or not isinstance(self.rotation.phase(self.leaves), float):
                raise Refuted(f"position {self.leaves} is not the first whose phase is an infinity or NaN")
            self.account.shown(f"position {self.leaves} is the first whose phase is an infinity or NaN")
        else:
            self._constant(last)

    def _constant(self, last: Element) -> None:
        """From some position on the blocks are those of the last phase, with period 1; mu is the first such one."""
        if self.leaves is not None or self.cycle is None or self.cycle[1] != 1:
            raise Refuted("the blocks are constant from some position on")
        mu, final = self.cycle[0], self.rotation.turned_by(last)
        if mu > 0 and equal(self.rotation.block(mu - 1), final):
            raise Refuted(f"block {mu - 1} is already the one that stays")
        i, phase = mu, self.rotation.phase(mu)
        while phase != last:  # a run of positions with another phase, whose block must be the same all the same
            if not equal(self.rotation.block(i), final):
                raise Refuted(f"block {i} is not the one that stays")
            i, phase = self._next_phase(i, phase)
        self.account.shown(
            f"from position {mu} on all blocks are equal, and the one before is not" if mu else "all blocks are equal"
        )

    def _next_phase(self, i: int, phase: Element) -> tuple[int, Element]:
        low, high = i, i + 1  # the phase is the same at low
        while same(self.rotation.phase(high), phase):
            self.account.spend()
            low, high = high, 2 * high - i
        while high - low > 1:
            self.account.spend()
            middle = (low + high) // 2
            low, high = (middle, high) if same(self.rotation.phase(middle), phase) else (low, middle)
        return high, self.rotation.phase(high)

    def _states(self) -> None:
        """A state determines the next, so the first return to an earlier state is the cycle, with the least numbers."""
        if self.leaves is None and self.cycle is None:
            raise Refuted("a recurrence in a finite set repeats itself, or meets a NaN")
        mu, cycle = self.cycle or (0, 0)
        steps = mu + cycle if self.leaves is None else self.leaves
        self.account.foresee(2 * steps, "the states")
        rotation, turn, state = self.rotation, self.rotation.turn(), self.rotation.start()
        before: Block | None = None
        marked: Block | None = None
        for i in range(steps + 1):
            if any(map(is_nan, state)):
                self._leaves_at(i, f"the states up to position {i} are computed")
                return
            if marked is not None and equal(state, marked) and i < steps:
                raise Refuted(f"the state of position {mu} returns at position {i}")
            if i == mu - 1:
                before = state
            if i == mu:
                marked = state
            if i == steps - 1 and before is not None and equal(state, before) and self.leaves is None:
                raise Refuted(f"the state of position {mu - 1} returns at position {i}")
            self.account.spend(2)
            last, state = state, rotation.step(state, turn)
        if self.leaves is not None:
            raise Refuted(f"no state up to position {steps} has a NaN")
        if marked is None or not equal(last, marked):
            raise Refuted(f"the state of position {mu} does not return at position {steps}")
        self.account.shown(
            f"the states up to position {steps} are computed: the first to return is that of position {mu}"
        )
