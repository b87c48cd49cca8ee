"""What an audit answers: every component, the head of each kind of layer, and what would have to be changed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from gmpy2 import mpq

from certify.auditing.advice import Advice
from certify.auditing.components import AuditedComponent
from certify.auditing.head import LayerHead
from certify.head_effects.errors import Extreme
from fpsim.number import exact_text

__all__ = ["Audit"]


@dataclass(frozen=True)
class Audit:
    """The audit of a model in a data type, by a pipeline, up to a length; prints as an explanation.

    source: where the model's configuration is from.  schedules: the schedule of each kind of layer in words.
    components: of all kinds of layers, in the order of the pairs.  scale: C of a single pair, for its N_max; None where
    the data type has none.  heads: one for each kind of layer.  component_periodic: as in `PeriodResult`.  notes: what
    is not emulated, and what else should be known.  interrupted: Ctrl-C ended the work: what is missing is None.
    """

    model: str
    source: str
    dtype: str
    pipeline: Mapping[str, Any] = field(hash=False)
    length: int
    max_length: int | None
    schedules: Mapping[str | None, str] = field(hash=False)
    components: tuple[AuditedComponent, ...]
    scale: mpq | None
    component_periodic: bool | None
    period_undecided: bool
    heads: tuple[LayerHead, ...]
    advice: Advice | None
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def holds(self) -> bool | None:
        """Whether the previous-token head of every kind of layer holds up to the length; None: not decided."""
        states = {head.holds for head in self.heads}
        if False in states:
            return False
        return True if states == {True} and len(self.heads) == len(self.schedules) else None

    @property
    def breaks_at(self) -> int | None:
        """The first query at which a head breaks; None: none is known."""
        return min((head.first_failure.i for head in self.heads if head.first_failure is not None), default=None)

    @property
    def undecided(self) -> bool:
        """Whether something that was asked is open: a verdict, a range below the length, or a head."""
        ranges = [one.range for one in self.components]
        return (
            self.interrupted
            or self.holds is None
            or self.period_undecided
            or any(r is None or (r.status in ("at_least", "between") and (r.n_max or 0) < self.length) for r in ranges)
        )

    @property
    def greatest_error(self) -> Extreme | None:
        """The greatest angle error, with its position and component."""
        found = [
            Extreme(one.error.greatest.size, one.error.greatest.position, one.period.number)
            for one in self.components
            if one.error is not None and one.error.greatest is not None
        ]
        return max(found, key=lambda each: (each.size, -each.position, -each.pair), default=None)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert audit --json`, as a dictionary."""
        greatest = self.greatest_error
        return {
            "model": self.model,
            "source": self.source,
            "dtype": self.dtype,
            "pipeline": dict(self.pipeline),
            "length": self.length,
            "max_length": self.max_length,
            "schedules": [{"layer": layer, "schedule": text} for layer, text in self.schedules.items()],
            "C": None if self.scale is None else exact_text(self.scale),
            "k": 1,
            "component_periodic": self.component_periodic,
            "components": [one.to_json() for one in self.components],
            "heads": [head.to_json() for head in self.heads],
            "holds": self.holds,
            "breaks_at": self.breaks_at,
            "greatest_angle_error": None if greatest is None else greatest.to_json(),
            "advice": None if self.advice is None else self.advice.to_json(),
            "notes": list(self.notes),
            "interrupted": self.interrupted,
            "undecided": self.undecided,
        }

    def __str__(self) -> str:
        from certify.auditing.explanation import explain

        return explain(self)
