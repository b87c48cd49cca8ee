"""A pipeline: a kind of realization with a value set for each stage (`fpsim.pipeline.stages`)."""

from __future__ import annotations

from dataclasses import dataclass, fields, replace
from typing import Any

from gmpy2 import mpq

from fpsim.angle import Angle, power_angle
from fpsim.errors import InputError
from fpsim.pipeline.chain import Frequency
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.pipeline.stages import Stages
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["Pipeline"]

_BY_ITS_CHAIN = ("default", "linear", "proportional", "partial", "mrope")
"""The scalings that leave base^(-2d/dim), divide it by one factor, or leave pairs out."""


@dataclass(frozen=True)
class Pipeline:
    """The stages of a stack, with a name, and with the schedule that it computes inverse frequencies for.

    With a schedule base^(-2d/dim) the inverse frequency of pair d is the result of the stack's own chain of operations,
    and linear scaling is one more rounded operation.  Other scalings have chains of their own, which are not emulated:
    an angle that they change, like any angle without a schedule, is taken exactly and rounded once into the set
    `stored`, and `notes` says so.  source: where the facts come from.  notes: what is not emulated.

    >>> pipeline = Pipeline.named("transformers-bf16-buffer", Schedule.conventional("5e5", 128))
    >>> rotation = pipeline.rotations("bf16")[1]
    >>> float(rotation.stored), float(rotation.block(3)[0])
    (0.81640625, -0.76953125)
    """

    name: str
    stages: Stages
    schedule: Schedule | None = None
    source: str = ""
    notes: tuple[str, ...] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.stages, Stages):
            raise InputError("stages", self.stages, "the Stages of a pipeline")
        if self.schedule is not None and not isinstance(self.schedule, Schedule):
            raise InputError("schedule", self.schedule, "a Schedule, such as Schedule.conventional(10000, 128)")

    @staticmethod
    def named(name: str, schedule: Schedule | None = None) -> Pipeline:
        """The pipeline of a real stack, by its name or another name of it (`fpsim.pipeline.named`).

        Raises `InputError`.
        """
        from fpsim.pipeline.named import find_pipeline

        found = find_pipeline(name)
        return found if schedule is None else found.for_schedule(schedule)

    def for_schedule(self, schedule: Schedule) -> Pipeline:
        """The pipeline that computes the inverse frequencies of this schedule."""
        made = replace(self, schedule=schedule)  # which looks at its type too
        if self.stages.chain.kind == "exact" or schedule.base is None or schedule.exponents is None:
            return made
        scaling = schedule.scaling
        if scaling is None or scaling.kind in _BY_ITS_CHAIN:
            return made
        note = (
            f"the angles that the scaling {scaling.kind} changes are rounded once from their exact values: the stack's "
            "own operations of that scaling are not emulated"
        )
        return replace(made, notes=(*self.notes, note))

    def rotation(self, angle: Angle, values: ValueSet, pair: int = 0) -> PipelineRotation:
        """The realized rotation of a pair, in a model of data type `values`.

        With a schedule, `pair` is the number of the pair in it and `angle` its angle; raises `InputError` where it is
        not.
        """
        schedule = self.schedule
        if schedule is None:
            return PipelineRotation(angle, values, self.name, self.stages)
        if not 0 <= pair < len(schedule.angles):
            raise InputError("pair", pair, f"between 0 and {len(schedule.angles) - 1}, a pair of the schedule")
        if angle != schedule.angles[pair]:
            raise InputError("angle", str(angle), f"{schedule.angles[pair]}, that of pair {pair} in the schedule")
        attention = schedule.attention_factor
        made = PipelineRotation(angle, values, self.name, self.stages, attention_factor=attention)
        started = self._start(schedule, angle, pair)
        return made if started is None else replace(made, frequency=started[0], factor=started[1])

    def _start(self, schedule: Schedule, angle: Angle, pair: int) -> tuple[Frequency, mpq] | None:
        """What the chain of this pair starts from, and the factor of linear scaling; None: the exact angle."""
        exponent = None if schedule.exponents is None else schedule.exponents[pair]
        if self.stages.chain.kind == "exact" or schedule.base is None or exponent is None:
            return None
        start, scaling = Frequency(schedule.base, exponent, pair), schedule.scaling
        if scaling is not None and scaling.kind in _BY_ITS_CHAIN:
            factor = scaling.get("factor")
            return start, mpq(1) if factor is None else mpq(factor)
        unchanged = scaling is None or angle == power_angle(schedule.base, -exponent)
        return (start, mpq(1)) if unchanged else None

    def rotations(self, values: ValueSet | str) -> tuple[PipelineRotation, ...]:
        """The rotations of all pairs of the schedule.  Raises `InputError` without one."""
        if self.schedule is None:
            raise InputError("schedule", "nothing", "given: a pipeline has no pairs without one (`for_schedule`)")
        model = value_set(values)
        return tuple(self.rotation(angle, model, pair) for pair, angle in enumerate(self.schedule.angles))

    def to_json(self, dtype: ValueSet | str) -> dict[str, Any]:
        """The pipeline in a model of this data type: name, how it computes, the set of each stage, source and notes.

        >>> Pipeline.named("gpt-j").to_json("fp16")["stages"]["stored"]
        'fp16'
        """
        sets = self.stages.at(value_set(dtype))
        named = {f.name: None if (each := getattr(sets, f.name)) is None else each.name for f in fields(sets)}
        return {
            "name": self.name,
            "chain": self.stages.chain.kind,
            "linear": self.stages.linear,
            "stages": named,
            "source": self.source,
            "notes": list(self.notes),
        }

    def applied_in(self, dtype: ValueSet | str) -> ValueSet:
        """The set in which the stack applies rotations to queries and keys: `rotate` of a `Regime`.

        >>> Pipeline.named("vllm").applied_in("bf16").name
        'fp32'
        """
        return self.stages.at(value_set(dtype)).rotate
