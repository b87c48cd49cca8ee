"""`audit`: a model, a data type, a pipeline and a length, and everything that this project can say of them."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import replace
from typing import Any

from gmpy2 import mpq

from certify.auditing.advice import advise
from certify.auditing.components import AuditedComponent, angle_error, certified_range, turns_within, wavelength
from certify.auditing.head import LayerHead, layer_head
from certify.auditing.result import Audit
from certify.auditing.subject import Subject, find_subject
from certify.head_effects.effects import default_scale
from certify.head_effects.table import MAX_ENTRIES
from certify.periodicity.collision import MAX_POSITIONS, POSITIONS
from certify.periodicity.compute import period
from certify.periodicity.result import Component, PeriodResult
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.flarge import f_large
from fpsim.pipeline import Pipeline
from fpsim.realization import Ideal
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet

__all__ = ["audit"]

Progress = Callable[[int, int], None]
_UNITS = 1000  # of progress
_SHARES = {"period": 150, "ranges": 350, "errors": 100, "heads": 250, "advice": 150}


def audit(
    model: Any,
    *,
    dtype: ValueSet | str | None = None,
    pipeline: Any = None,
    length: int | None = None,
    progress: Progress | None = None,
) -> Audit:
    """What the realized rotations of a model do, from position 0 to its context length, and what to change.

    model: a name (`fpsim.model_names`), a Hugging Face config.json, or a mapping like one.  dtype: the data type of the
    model; default: that of the configuration, else fp16.  pipeline: the name of the stack, or a `Pipeline`; default:
    that of the model's own code, else transformers.  length: the number of positions; default: the configuration's
    greatest.  progress(done, total) is called as the work goes on.

    For each component: its wavelength, verdict and period, first collision, the error of its angle, and N_max for k = 1
    at the largest power of two at most a quarter of the largest value.  For each kind of layer: where a head of all
    pairs that looks one position back breaks.  For the pipeline: the fewest stages that would have to be kept in fp32,
    found by trying them.

    Ctrl-C ends the work and keeps what is known.  Raises `InputError`, and `UnsupportedError` for a table that binary64
    does not hold and for stochastic rounding.

    >>> result = audit("llama-2-7b", dtype="bf16", pipeline="bf16-positions", length=600)
    >>> result.holds, result.breaks_at, result.advice.enough[0].stages
    (False, 257, ('position',))
    """
    subject = find_subject(model, dtype, pipeline, length)
    steps = _Steps(progress)
    decided = period(
        config=subject.config, dtype=subject.dtype, pipeline=subject.pipeline, length=subject.schedule_length,
        positions=min(max(subject.length, POSITIONS), MAX_POSITIONS), progress=steps.within("period"),
    )  # fmt: skip
    made = _Made(subject, decided, steps)
    with made.until_interrupted():
        made.rate_components()
        made.look_at_heads()
        made.find_advice()
    return made.result()


class _Steps:
    """Progress of all parts, from that of each."""

    def __init__(self, progress: Progress | None) -> None:
        self._progress = progress

    def within(self, part: str) -> Progress:
        """The progress of one part."""
        before = 0
        for name, share in _SHARES.items():
            if name == part:
                break
            before += share

        def report(done: int, of: int) -> None:
            if self._progress is not None:
                self._progress(before + min(done * _SHARES[part] // max(of, 1), _SHARES[part]), _UNITS)

        return report


class _Made:
    """The audit, as far as it is made."""

    def __init__(self, subject: Subject, decided: PeriodResult, steps: _Steps) -> None:
        self.subject, self.decided, self.steps = subject, decided, steps
        self.interrupted = decided.interrupted
        self.scale = _scale(subject.dtype, 1)
        angles = [angle for schedule in subject.layers.values() for angle in schedule.angles]
        self.components = [
            AuditedComponent(component, angle, wavelength(angle), turns_within(angle, subject.length), None, None)
            for component, angle in zip(decided.components, angles, strict=True)
        ]
        pairs = max(len(schedule.angles) for schedule in subject.layers.values())
        self.covered = min(subject.length, MAX_ENTRIES // pairs)
        self.heads: list[LayerHead] = []
        self.advice: Any = None

    @contextmanager
    def until_interrupted(self) -> Iterator[None]:
        """What is done inside ends at Ctrl-C."""
        try:
            yield
        except KeyboardInterrupt:
            self.interrupted = True

    def rate_components(self) -> None:
        """The certified range and the angle errors of each component."""
        subject, report = self.subject, self.steps.within("ranges")
        pipelines = [subject.pipeline.for_schedule(schedule) for schedule in subject.layers.values()]
        places = [(made, pair) for made in pipelines for pair in range(_pairs(made))]
        for number, (made, pair) in enumerate(places):
            self._check()
            one = self.components[number]
            found = certified_range(one.angle, pair, made, subject.dtype, scale=self.scale, length=subject.length)
            self.components[number] = replace(one, range=found)
            self.interrupted = self.interrupted or found.interrupted
            report(number + 1, len(places))
        report = self.steps.within("errors")
        for number, one in enumerate(self.components):
            self._check()
            error = angle_error(one.period.rotation, self.subject.length, self.covered)
            self.components[number] = replace(one, error=error)
            report(number + 1, len(places))

    def look_at_heads(self) -> None:
        """The head of each kind of layer."""
        layers: dict[str | None, list[Component]] = {}
        for component in self.decided.components:
            layers.setdefault(component.layer, []).append(component)
        report = self.steps.within("heads")
        for number, (layer, members) in enumerate(layers.items()):
            self._check()
            scale = _scale(self.subject.dtype, len(members))
            head = layer_head(
                layer,
                [member.rotation for member in members],
                length=self.subject.length,
                scale=mpq(1) if scale is None else scale,
                threshold=None if scale is None else f_large(self.subject.dtype),
                progress=_part(report, number, len(layers)),
            )
            self.heads.append(head)
            report(number + 1, len(layers))

    def find_advice(self) -> None:
        """What to change."""
        self._check()
        self.advice = advise(
            self.subject.pipeline, self.subject.layers, self.subject.dtype, self.heads, length=self.subject.length,
            greatest=self.result().greatest_error, covered=self.covered, progress=self.steps.within("advice"),
        )  # fmt: skip
        self.interrupted = self.interrupted or not self.advice.complete

    def _check(self) -> None:
        """Nothing more is begun after Ctrl-C."""
        if self.interrupted:
            raise KeyboardInterrupt

    def result(self) -> Audit:
        """The audit so far."""
        subject, decided = self.subject, self.decided
        notes = dict.fromkeys((*subject.notes, *decided.notes))
        return Audit(
            model=subject.read.name,
            source=subject.source,
            dtype=subject.dtype.name,
            pipeline=decided.pipeline or {},
            length=subject.length,
            max_length=subject.read.max_length,
            schedules={layer: _words(schedule) for layer, schedule in subject.layers.items()},
            components=tuple(self.components),
            scale=self.scale,
            component_periodic=decided.component_periodic,
            period_undecided=decided.undecided,
            heads=tuple(self.heads),
            advice=self.advice,
            notes=tuple(notes),
            interrupted=self.interrupted,
        )


def _pairs(pipeline: Pipeline) -> int:
    """How many pairs its schedule has."""
    return 0 if pipeline.schedule is None else len(pipeline.schedule.angles)


def _part(report: Progress, number: int, parts: int) -> Progress:
    """The progress of one of several equal parts."""
    return lambda done, of: report(number * of + done, parts * of)


def _scale(dtype: ValueSet, pairs: int) -> mpq | None:
    """The largest power of two at most a quarter of the largest value, over the number of pairs."""
    try:
        return default_scale([Ideal(Angle(mpq(1)), dtype)] * pairs)
    except InputError:  # no value above 0
        return None


def _words(schedule: Schedule) -> str:
    """The schedule in words."""
    base = "given angles" if schedule.base is None else f"base {Angle(schedule.base).brief(24)}"
    scaling = "" if schedule.scaling is None else f", {schedule.scaling}"
    return f"{base}, {len(schedule.angles)} pairs{scaling}"
