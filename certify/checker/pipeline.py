"""A pipeline: a realization with a value set for each operation, all of them spelled out ("semantics 1", section 3).

sets     value sets; in the pipeline F is the place of one: 0 is that of the claim, 1, 2, .. are these
numbers  what is computed before any position (`constants`)
phase    what makes the phase of the position i, one step after another; it begins with the exact i:
             ["round", F]   ["mul", F, n]   ["div", F, n]   ["mul", F, n, O]   ["div", F, n, O]
         rounded into F; times, or over, number n; both operands rounded into O before
table    what makes an entry of the block: ["round", F] is round(cos phase) or round(sin phase); steps follow it

Each step is a monotone map that keeps 0, as far as it makes no NaN, unless n is NaN, an infinity that multiplies or a 0
that divides (0 would then become NaN, and stay so).  It makes a NaN only of a NaN, of what is beyond range, and of an
infinity times 0 or over an infinity: of one x, and then of all that are farther from 0 on that side.  So:

* If the phase of position 0 is a number, it is 0.  What each step has made then moves away from 0 only as i rises,
  until it is NaN for ever: |phase| never falls, is one from some i on, and once no number is never a number again.
* If the table makes no NaN of 1, 0 and -1, it makes none of any number between.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property
from itertools import groupby
from typing import Any

from .angle import Angle, parse_angle, rational_angle
from .arithmetic import div, mul
from .constants import computed, parse_constants, place
from .exact import Purse
from .kinds import parse_valueset
from .limits import Malformed, Undecided
from .rotation import Block, Rotation, beyond_all, rounded
from .valueset import NAN, Element, ValueSet

__all__ = ["Pipeline"]

_MAX_SETS, _MAX_STEPS, _MAX_TABLE = 16, 5_000, 8
_MAX_SIZE = 1 << 17  # bits of the angle that the numbers of a phase make together


@dataclass(frozen=True)
class _Step:
    """operation, value set, the number n, and the value set of the operands; text: for a reader."""

    operation: str
    values: ValueSet
    n: int
    operands: ValueSet | None
    text: str

    def apply(self, x: Element, numbers: list[Element]) -> Element:
        """What the step makes of x."""
        if self.operation == "round":
            return self.values.convert(x)
        y = numbers[self.n]
        if self.operands is not None:
            x, y = self.operands.convert(x), self.operands.convert(y)
        return (mul if self.operation == "mul" else div)(self.values, x, y)


class Pipeline(Rotation):
    """The blocks of one; `values` is the set of their entries, which need not be that of the claim."""

    def __init__(self, thing: Any, angle: Any, what: str, claimed: ValueSet, purse: Purse) -> None:
        if not isinstance(thing, dict) or set(thing) != {"sets", "numbers", "phase", "table"}:
            raise Malformed("a pipeline is an object with numbers, phase, sets and table")
        self.sets = [claimed, *_sets(thing["sets"], claimed, purse)]
        self.constants = parse_constants(thing["numbers"], self.sets, purse)
        self.steps = self._steps(thing["phase"], "phase", _MAX_STEPS)
        self.after = self._steps(thing["table"], "table", _MAX_TABLE)
        used = {each.operation for each in self.constants} & {"angle", "inverse"}
        if (angle is None) is bool(used):
            raise Malformed(f"{what} is null if and only if no number of the pipeline is made of it")
        nothing = Angle("as the pipeline has it", None, None, _no_angle)
        parsed = nothing if angle is None else parse_angle(angle, what, purse)
        if "inverse" in used and (not parsed or parsed.text.startswith("-")):
            raise Malformed(f"1 over {what} needs it to be above 0")
        super().__init__(parsed, self.after[-1].values, "a pipeline", purse.account)

    def _steps(self, thing: Any, what: str, most: int) -> list[_Step]:
        if not isinstance(thing, list) or not 1 <= len(thing) <= most:
            raise Malformed(f"the {what} of a pipeline is a list of 1 to {most} steps")
        found = [self._step(each, f"step {n} of the {what}") for n, each in enumerate(thing)]
        if found[0].operation != "round":
            raise Malformed(f"the first step of the {what} rounds")
        return found

    def _step(self, thing: Any, what: str) -> _Step:
        name, *parts = thing if isinstance(thing, list) and thing and isinstance(thing[0], str) else [""]
        if len(parts) not in {"round": (1,), "mul": (2, 3), "div": (2, 3)}.get(name, ()):
            raise Malformed(f"{what} is none that is known")
        count = len(self.sets)
        values = place(parts[0], count, f"the value set of {what}")
        if name == "round":
            return _Step(name, self.sets[values], 0, None, f"rounded into F{values}")
        n = place(parts[1], len(self.constants), f"the number of {what}")
        text = f"{'times' if name == 'mul' else 'over'} n{n} in F{values}"
        if len(parts) == 2:
            return _Step(name, self.sets[values], n, None, text)
        operands = place(parts[2], count, f"the operands' value set of {what}")
        return _Step(name, self.sets[values], n, self.sets[operands], f"{text}, both rounded into F{operands} before")

    @property
    def bits(self) -> int:
        """See `Rotation.bits`."""
        return max(each.bits for each in self.sets)

    def words(self) -> list[str]:
        """The pipeline, for a reader."""
        sets = [f"F{n}: {each}" for n, each in enumerate(self.sets)]
        numbers = [f"n{n} = {each}" for n, each in enumerate(self.constants)]
        return [
            *(f"pipeline, {each}" for each in sets),
            *([f"pipeline, numbers: {'; '.join(numbers)}"] if numbers else []),
            f"pipeline, phase: the position, {_told(self.steps)}",
            f"pipeline, entries: cos and sin of the phase, {_told(self.after)}",
        ]

    @cached_property
    def numbers(self) -> list[Element]:
        """The numbers, computed."""
        return computed(self.constants, self.angle, self.account)

    def phase(self, i: int | None) -> Element:
        """The phase of the position i; None: the one that is never left again."""
        self.account.spend(1 + len(self.steps) // 4)
        x: Element = Fraction(beyond_all(self.steps[0].values) if i is None else i)
        for step in self.steps:
            x = step.apply(x, self.numbers)
        return x

    def turned_by(self, phase: Element) -> Block:
        """The block of a phase; of what is no number it is NaN."""
        trig = self.after[0].values
        phase = trig.operand(phase)
        if isinstance(phase, float):
            return NAN, NAN
        angle = rational_angle(phase)
        c, s = (rounded(trig, angle, 1, which, self.account) for which in (0, 1))
        return self._finished(c), self._finished(s)

    def entry(self, x: int) -> Element:
        """See `Rotation.entry`."""
        return self._finished(self.after[0].values.round(x))

    def _finished(self, x: Element) -> Element:
        for step in self.after[1:]:
            x = step.apply(x, self.numbers)
        return x

    def bias_angle(self) -> Angle | None:
        """The exact product of the numbers n of the phase, or of 1/n where they divide; None where there is none."""
        if not self.angle:
            return self.angle
        above = below = 1
        for step in self.steps:
            n = self.numbers[step.n] if step.operation != "round" else Fraction(1)
            if isinstance(n, float) or (n == 0 and step.operation == "div"):
                return None
            n = n if step.operation == "mul" else 1 / n
            above, below = above * n.numerator, below * n.denominator
            if max(above.bit_length(), below.bit_length()) > _MAX_SIZE:
                raise Undecided(f"the numbers of the phase make an angle of more than {_MAX_SIZE} bits")
        return rational_angle(Fraction(above, below))


def _sets(thing: Any, claimed: ValueSet, purse: Purse) -> list[ValueSet]:
    if not isinstance(thing, list) or len(thing) > _MAX_SETS:
        raise Malformed(f"the sets of a pipeline are a list of at most {_MAX_SETS}")
    return [parse_valueset(each, f"set {n} of the pipeline", purse) for n, each in enumerate(thing, 1)]


def _told(steps: list[_Step]) -> str:
    runs = [(text, len(list(group))) for text, group in groupby(step.text for step in steps)]
    return ", ".join(f"{count} times: {text}" if count > 1 else text for text, count in runs)


def _no_angle(_: int) -> tuple[int, int]:
    raise Malformed("this pipeline has no angle")
