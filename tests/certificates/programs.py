"""The pipelines of claims, run by the producer's arithmetic: read from the words of docs/certificates.md.

`oracle` loads this file, and gives it what reads numbers and value sets.  ValueError: no claim; OverflowError: too much.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from gmpy2 import mpq

from certify.certified_range.exhaustive import ReferenceRows
from fpsim import reference
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.pipeline.power import rounded_log, rounded_power
from fpsim.real import Irrational
from fpsim.realization import Block, round_angle
from fpsim.realization.block import is_finite, turned_by
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.valueset import ValueSet

__all__ = ["Program", "ProgramRows"]

_RUNS, _SCANNED, _DIGITS = 400, 300, 20_000
_SIZES = {"sets": (0, 16), "numbers": (0, 64), "phase": (1, 5_000), "table": (1, 8)}
_OPERATIONS = {"angle": 0, "inverse": 0, "round": 1, "exp": 1, "log": 1, "mul": 2, "div": 2, "pow": 2}


def _unsigned(x: Element) -> Element:
    """0 in place of -0."""
    return mpq(0) if x == 0 else x


@dataclass
class Program:
    """A realization; also the kind of it, whose rotation is itself."""

    angle: Angle
    sets: list[ValueSet]
    numbers: list[list[Any]]
    phases: list[list[Any]]
    table: list[list[Any]]
    name: str = "a program"
    length: int | None = None
    _blocks: dict[int, Block] = field(default_factory=dict)

    @staticmethod
    def read(
        fields: Any,
        angle: Any,
        claimed: ValueSet,
        values_of: Callable[[Any], ValueSet],
        number_of: Callable[[Any], mpq],
        angle_of: Callable[[Any], Angle],
    ) -> Program:
        """The pipeline that is written there."""
        if set(fields) != set(_SIZES):
            raise ValueError
        for name, (least, most) in _SIZES.items():
            if not isinstance(fields[name], list) or not least <= len(fields[name]) <= most:
                raise ValueError
        sets = [claimed, *map(values_of, fields["sets"])]
        numbers: list[list[Any]] = []
        for n, (name, *parts) in enumerate(fields["numbers"]):
            if name == "exact" and len(parts) == 1:
                numbers.append([name, number_of(parts[0])])
                continue
            if len(parts) != 1 + _OPERATIONS[name]:
                raise ValueError
            _places(parts[:1], len(sets))
            _places(parts[1:], n)
            numbers.append([name, *parts])
        for steps in (fields["phase"], fields["table"]):
            if steps[0][0] != "round":
                raise ValueError
            for name, *parts in steps:
                if len(parts) not in {"round": (1,), "mul": (2, 3), "div": (2, 3)}[name]:
                    raise ValueError
                _places(parts[:1] + parts[2:], len(sets))
                _places(parts[1:2], len(numbers))
        used = any(name in ("angle", "inverse") for name, *_ in numbers)
        if used is (angle is None):
            raise ValueError
        made = Angle(mpq(1)) if angle is None else angle_of(angle)
        if any(name == "inverse" for name, *_ in numbers) and not (made and made.enclose(64)[1] > 0):
            raise ValueError
        return Program(made, sets, numbers, fields["phase"], fields["table"])

    def rotation(self, *_: Any) -> Program:
        """Itself."""
        return self

    @property
    def values(self) -> ValueSet:
        """The set of the entries."""
        return self.sets[self.table[-1][1]]

    @cached_property
    def computed(self) -> list[Element]:
        """The numbers."""
        found: list[Element] = []
        for name, *parts in self.numbers:
            if name == "exact":
                found.append(parts[0])
                continue
            values, x = self.sets[parts[0]], [found[i] for i in parts[1:]]
            try:
                found.append(_unsigned(self._number(name, values, x)))
            except InputError as error:  # a power of a negative number, or a great one
                raise OverflowError from error
        return found

    def _number(self, name: str, values: ValueSet, x: list[Element]) -> Element:
        if name == "angle":
            return round_angle(values, self.angle)
        if name == "inverse":
            return round_exact(values, self._inverse())
        if name == "round":
            return round_exact(values, x[0])
        if name == "log":
            return rounded_log(values, x[0])
        if name == "pow":
            return rounded_power(values, x[0], x[1])
        return reference.OPERATIONS[name](values, *x)

    def _inverse(self) -> mpq | Irrational:
        if self.angle.rational is not None:
            return 1 / self.angle.rational

        def enclose(bits: int) -> tuple[mpq, mpq]:
            low, high = self.angle.enclose(2 * bits)
            if low <= 0:
                return enclose(2 * bits)
            return 1 / high, 1 / low

        return Irrational(enclose)

    def _step(self, x: Element, name: str, at: int, n: int = 0, operands: int | None = None) -> Element:
        values = self.sets[at]
        if name == "round":
            return _unsigned(round_exact(values, x))
        y = self.computed[n]
        if operands is not None:
            x, y = (_unsigned(round_exact(self.sets[operands], each)) for each in (x, y))
        return _unsigned(reference.OPERATIONS[name](values, x, y))

    def phase(self, i: int) -> Element:
        """The phase of a position."""
        x: Element = mpq(i)
        for step in self.phases:
            x = self._step(x, *step)
        return x

    def entry(self, x: Element) -> Element:
        """What the table makes of a rounded cosine or sine."""
        for step in self.table[1:]:
            x = self._step(x, *step)
        return x

    def block(self, position: int) -> Block:
        """(c_i, s_i)."""
        if not self.angle:
            return mpq(1), mpq(0)
        if position not in self._blocks:
            trig, phase = self.sets[self.table[0][1]], self.phase(position)
            self._blocks[position] = (
                self.entry(reference.cos(trig, phase)),
                self.entry(_unsigned(reference.sin(trig, phase))),
            )
        return self._blocks[position]

    def bias_angle(self) -> Angle | None:
        """The exact product of what the phase is multiplied by."""
        total = mpq(1)
        for name, *parts in self.phases:
            if name != "round":
                n = self.computed[parts[1]]
                if not is_finite(n) or (name == "div" and n == 0):
                    return None
                total = total * n if name == "mul" else total / n
        return Angle(total) if self.angle else self.angle

    def bias_rotation(self, offset: int) -> Any:
        """(cos kg, sin kg) of it."""
        return turned_by(self.bias_angle(), offset)

    def cycle(self) -> dict[str, Any]:
        """What is so of the blocks, in the fields of a claim about periods."""
        found = {"verdict": "non-periodic", "period": None, "preperiod": None, "eventual": None, "leaves": None}
        constant = {"verdict": "periodic", "period": 1, "preperiod": 0, "eventual": 1}
        if not self.angle:
            return found | constant
        if self._has_nan(0):
            return found | {"leaves": 0}
        trig = self.sets[self.table[0][1]]
        lowest, highest = (self.entry(round_exact(trig, mpq(x))) for x in (-1, 1))
        if is_nan(lowest):
            gone = next((i for i in range(_SCANNED) if self._has_nan(i)), None)
            if gone is None:
                raise OverflowError
            return found | {"leaves": gone}
        settled = 4 * int(self.sets[self.phases[0][1]].max) + 4
        if settled.bit_length() > _DIGITS:
            raise OverflowError
        last = self.phase(settled)
        if not is_finite(last):
            return found | {"leaves": _least(lambda i: not is_finite(self.phase(i)), settled)}
        mu = self._begins(last, settled)
        final = self.block(mu)
        for _ in range(_RUNS):
            if mu == 0 or lowest == highest:
                return found | constant
            if self.block(mu - 1) != final:
                return found | {"preperiod": mu, "eventual": 1}
            mu = self._begins(self.phase(mu - 1), mu - 1)
        raise OverflowError

    def _begins(self, phase: Element, by: int) -> int:
        return _least(lambda i: abs(self.phase(i)) >= abs(phase), by)

    def _has_nan(self, i: int) -> bool:
        return any(map(is_nan, self.block(i)))


def _places(listed: list[Any], count: int) -> None:
    if not all(type(each) is int and 0 <= each < count for each in listed):
        raise ValueError


def _least(condition: Callable[[int], bool], most: int) -> int:
    """The least i that meets a condition which is met from there on."""
    low, high = -1, most
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if condition(middle) else (middle, high)
    return high


class ProgramRows(ReferenceRows):
    """Rows whose queries are made of the blocks, and whose keys are the blocks converted."""

    def scores(self, i: int) -> list[Element]:
        """S(i, j) for all j < i."""
        return [self.head.score(i, j) for j in range(i)]
