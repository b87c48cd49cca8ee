"""What `period` answers: a verdict for each component, and what follows for the schedule (Def. 2.1, Prop. 2.1)."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from functools import cached_property
from math import lcm
from typing import Any

from certify.periodicity.collision import Collision
from certify.periodicity.predicates import Predicate, modular_predicates
from certify.periodicity.verdict import Verdict
from fpsim.realization import Realization

__all__ = ["Component", "PeriodResult"]


@dataclass(frozen=True)
class Component:
    """One component: its number, its angle (None in an array), the kind of layer in a model with several, its verdict.

    collision: the first two positions with the same block, or the reason why they are not known.
    """

    number: int
    theta: str | None
    layer: str | None
    verdict: Verdict
    collision: Collision
    rotation: Realization = field(repr=False, compare=False)

    def to_json(self) -> dict[str, Any]:
        """The keys of one entry of `components`."""
        verdict, pair = self.verdict, self.collision.pair
        shown: dict[str, Any] = {
            "component": self.number,
            "theta": self.theta,
            "verdict": verdict.verdict,
            "period": verdict.period,
            "preperiod": verdict.preperiod,
            "eventual_period": verdict.eventual_period,
            "leaves_F_at": verdict.leaves_F_at,
            "proof": verdict.proof,
            "witness": list(verdict.witness),
            "because": verdict.because,
            "first_collision": None if pair is None else list(pair),
            "first_collision_reason": self.collision.reason,
        }
        return shown if self.layer is None else shown | {"layer": self.layer}


@dataclass(frozen=True)
class PeriodResult:
    """Whether a realized schedule is component-periodic, for all positions; prints as an explanation.

    components: in the order of the pairs.  schedule: where the angles come from, in words.  dtype: the value set (of
    the model, under a pipeline).  realize: the kind of realization, or the name of the pipeline.  pipeline: its stages,
    or None.  interrupted: whether Ctrl-C ended the work, so that the components left are undecided.
    """

    components: tuple[Component, ...]
    schedule: str
    dtype: str
    realize: str
    pipeline: Mapping[str, Any] | None = field(default=None, hash=False)
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def component_periodic(self) -> bool | None:
        """Def. 2.1: True when every component is periodic, False when one is not, None when that is not decided."""
        verdicts = {component.verdict.verdict for component in self.components}
        if verdicts == {"periodic"}:
            return True
        return False if "non-periodic" in verdicts else None

    @property
    def undecided(self) -> bool:
        """Whether the question is open because a component was not decided within the limits."""
        return self.component_periodic is None and any(c.verdict.verdict == "undecided" for c in self.components)

    @property
    def period(self) -> int | None:
        """The least period of the whole schedule, the lcm of those of the components; None unless all are periodic."""
        if not self.component_periodic:
            return None
        return lcm(*(component.verdict.period or 1 for component in self.components))

    @cached_property
    def predicates(self) -> tuple[Predicate, ...]:
        """Prop. 2.1: the modular predicates of the periodic components.  Raises `UnsupportedError` for too many."""
        return modular_predicates((c.number, c.rotation, c.verdict) for c in self.components)

    def to_json(self, *, predicates: bool = False) -> dict[str, Any]:
        """The JSON object of `fpcert period --json`, as a dictionary."""
        shown: dict[str, Any] = {
            "component_periodic": self.component_periodic,
            "period": self.period,
            "components": [component.to_json() for component in self.components],
            "schedule": self.schedule,
            "dtype": self.dtype,
            "realize": self.realize,
            "pipeline": None if self.pipeline is None else dict(self.pipeline),
            "notes": list(self.notes),
            "interrupted": self.interrupted,
        }
        if predicates:
            shown["predicates"] = [predicate.to_json() for predicate in self.predicates]
        return shown

    def __str__(self) -> str:
        from certify.periodicity.explanation import explain

        return explain(self)
