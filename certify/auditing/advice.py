"""Which stages of a pipeline would have to be kept in fp32 for the head to hold, found by trying them.

Nothing here is known in advance: each set of stages, the small ones first, makes a pipeline whose head is looked at
again, until some of one size hold to the end; or all do not.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import combinations
from typing import Any

import numpy as np
from gmpy2 import mpq

from certify.auditing.components import angle_error
from certify.auditing.head import OFFSET, LayerHead, walk
from certify.auditing.variants import coarse_stages, in_fp32
from certify.head_effects.errors import Extreme
from certify.head_effects.exact import Gap
from certify.head_effects.findings import not_finite
from certify.head_effects.table import MAX_ENTRIES, head_table
from fpsim.pipeline import Pipeline
from fpsim.realization import Ideal, Realization
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet

__all__ = ["Advice", "Attempt", "HeadBreak", "advise", "head_break"]

Layers = Mapping[str | None, Schedule]
_FIRST = 1 << 12  # positions of a first, cheap look
_EXACT = ValueSet.parse("fp64")


@dataclass(frozen=True)
class HeadBreak:
    """Where a head breaks: failure, the first query with a gap <= 0; else least, the least gap of the queries before
    `covered`.
    """

    failure: Gap | None
    least: Gap | None
    covered: int

    @property
    def at(self) -> int | None:
        """The first failing query."""
        return None if self.failure is None else self.failure.i


@dataclass(frozen=True)
class Attempt:
    """A set of stages in fp32, and what became of the head of each kind of layer that was looked at."""

    stages: tuple[str, ...]
    length: int
    breaks: Mapping[str | None, HeadBreak]

    @property
    def holds(self) -> bool:
        """Whether no head breaks, up to the whole length."""
        return all(found.at is None and found.covered >= self.length for found in self.breaks.values())

    @property
    def undecided(self) -> bool:
        """Whether no head is known to break, but not all are known to hold."""
        return not self.holds and all(found.at is None for found in self.breaks.values())

    @property
    def reach(self) -> int:
        """The first position at which a head breaks, or up to which it is known to hold."""
        return min(found.covered if found.at is None else found.at for found in self.breaks.values())

    @property
    def least(self) -> mpq | None:
        """The least gap of all heads; None where one breaks before it is known."""
        gaps = [found.least.gap for found in self.breaks.values() if found.least is not None and found.at is None]
        return min(gaps) if len(gaps) == len(self.breaks) else None

    def to_json(self) -> dict[str, Any]:
        """{"stages", "holds", "reach", "layers": [{"layer", "breaks_at", "covered", "least_gap"}]}."""
        layers = [
            {
                "layer": layer,
                "breaks_at": found.at,
                "covered": found.covered,
                "least_gap": None if found.least is None else float(found.least.gap),
            }
            for layer, found in self.breaks.items()
        ]
        return {"stages": list(self.stages), "holds": self.holds, "reach": self.reach, "layers": layers}


@dataclass(frozen=True)
class Advice:
    """What to change.

    needed: whether a head breaks; None: that is not decided.  coarse: the stages below fp32.  attempts: the sets of
    stages that were tried, in that order.  enough: the attempts of the least size that hold, the one with the greatest
    least gap first.  exact: the break of the head with exact angles in binary64, looked at where nothing is enough.
    errors: for each set of stages (first none, then each alone, last all) the greatest angle error of all pairs.
    complete: False where Ctrl-C came before the end.
    """

    needed: bool | None
    coarse: tuple[str, ...]
    attempts: tuple[Attempt, ...] = ()
    enough: tuple[Attempt, ...] = ()
    exact: Attempt | None = None
    errors: tuple[tuple[tuple[str, ...], Extreme], ...] = ()
    complete: bool = True

    @property
    def best(self) -> Attempt | None:
        """The attempt that holds with the fewest stages; else that which gets farthest, the fewest stages first."""
        if self.enough:
            return self.enough[0]
        return max(self.attempts, key=lambda one: (one.reach, -len(one.stages)), default=None)

    def to_json(self) -> dict[str, Any]:
        """The fields; the stages to keep in fp32 as `keep_in_fp32` (null: none is needed, or none is enough)."""
        kept = list(self.enough[0].stages) if self.enough else None
        return {
            "needed": self.needed,
            "coarse_stages": list(self.coarse),
            "keep_in_fp32": [] if self.needed is False else kept,
            "enough": [list(one.stages) for one in self.enough],
            "attempts": [one.to_json() for one in self.attempts],
            "exact": None if self.exact is None else self.exact.to_json(),
            "angle_errors": [
                {"stages": list(stages), "size": one.size, "position": one.position, "pair": one.pair}
                for stages, one in self.errors
            ],
            "complete": self.complete,
        }


def head_break(rotations: Sequence[Realization], length: int) -> HeadBreak:
    """Where the head on these realizations breaks: the same answer as `layer_head`, sooner where it is early.

    >>> from fpsim.pipeline import Pipeline
    >>> rotations = Pipeline.named("bf16-positions", Schedule.conventional("1e4", 64)).rotations("fp32")
    >>> head_break(rotations, 3000).at
    257
    """
    most = min(length, MAX_ENTRIES // len(rotations))
    for tabled in (_FIRST, most) if most > 2 * _FIRST else (most,):
        table = head_table(rotations, tabled, OFFSET)
        known = table.keys.shape[0]
        scan, _ = walk(table, np.arange(known), rotations, ((mpq(0), False),), least=tabled == most)
        failure = scan.failures[0] or not_finite(table, scan)
        if failure is not None:
            return HeadBreak(failure, None, failure.i)
    return HeadBreak(None, scan.least, scan.queries)


def advise(
    pipeline: Pipeline,
    layers: Layers,
    model: ValueSet,
    heads: Sequence[LayerHead],
    *,
    length: int,
    greatest: Extreme | None,
    covered: int,
    progress: Callable[[int, int], None] | None = None,
) -> Advice:
    """The advice for a model whose heads, one for each kind of layer, are `heads`.

    greatest: the greatest angle error of the pipeline as it is, over the positions before `covered`.  Ctrl-C keeps what
    was tried.
    """
    states = {head.holds for head in heads}
    needed = True if False in states else None if None in states else False
    coarse = coarse_stages(pipeline, model)
    found = _Search(pipeline, layers, model, length, progress)
    errors: list[tuple[tuple[str, ...], Extreme]] = [] if greatest is None else [((), greatest)]
    enough: list[Attempt] = []
    exact: Attempt | None = None
    complete = True
    try:
        if needed:
            broken = [head.layer for head in heads if head.holds is False]
            others = [head.layer for head in heads if head.holds is not False]
            enough = found.smallest(coarse, broken, others)
            if not enough:
                exact = found.exact(broken)
        if errors:
            errors += _errors(found, coarse, covered)
    except KeyboardInterrupt:
        complete = False
    return Advice(needed, coarse, tuple(found.attempts), tuple(enough), exact, tuple(errors), complete)


@dataclass
class _Search:
    """The search over sets of stages."""

    pipeline: Pipeline
    layers: Layers
    model: ValueSet
    length: int
    progress: Callable[[int, int], None] | None

    def __post_init__(self) -> None:
        self.attempts: list[Attempt] = []

    def smallest(
        self, coarse: tuple[str, ...], broken: Sequence[str | None], others: Sequence[str | None]
    ) -> list[Attempt]:
        """The sets of the least size with which the heads that broke hold, and those of the other layers still do; the
        greatest least gap first.
        """
        for size in range(1, len(coarse) + 1):
            found = []
            for stages in combinations(coarse, size):
                attempt = self._attempt(stages, broken)
                self.attempts.append(attempt)
                if attempt.holds:
                    found.append(attempt)
                self._report(len(self.attempts), 2 ** len(coarse))
            kept = []
            for attempt in found:
                rest = self._attempt(attempt.stages, others)
                whole = Attempt(attempt.stages, self.length, {**attempt.breaks, **rest.breaks})
                self.attempts[self.attempts.index(attempt)] = whole
                if whole.holds:
                    kept.append(whole)
            if kept:
                return sorted(kept, key=lambda one: -(one.least or mpq(0)))
        return []

    def _attempt(self, stages: tuple[str, ...], layers: Iterable[str | None]) -> Attempt:
        made = in_fp32(self.pipeline, stages, self.model)
        breaks = {
            layer: head_break(made.for_schedule(self.layers[layer]).rotations(self.model), self.length)
            for layer in layers
        }
        return Attempt(stages, self.length, breaks)

    def exact(self, layers: Iterable[str | None]) -> Attempt:
        """The heads with exact angles, realized in binary64."""
        breaks = {
            layer: head_break([Ideal(angle, _EXACT) for angle in self.layers[layer].angles], self.length)
            for layer in layers
        }
        return Attempt((), self.length, breaks)

    def _report(self, done: int, of: int) -> None:
        if self.progress is not None:
            self.progress(done, of)


def _errors(found: _Search, coarse: tuple[str, ...], covered: int) -> Iterable[tuple[tuple[str, ...], Extreme]]:
    """The greatest angle error with each stage in fp32, and with all of them."""
    sets = [(stage,) for stage in coarse]
    for stages in [*sets, coarse] if len(sets) > 1 else sets:
        made = in_fp32(found.pipeline, stages, found.model)
        most: Extreme | None = None
        number = 0
        for schedule in found.layers.values():
            for rotation in made.for_schedule(schedule).rotations(found.model):
                one = angle_error(rotation, covered, covered).greatest
                if one is not None and (most is None or one.size > most.size):
                    most = Extreme(one.size, one.position, number)
                number += 1
        if most is not None:
            yield stages, most
