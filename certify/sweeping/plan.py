"""The plan of a sweep: the axes of one question, and the jobs of their grid."""

from __future__ import annotations

import difflib
import hashlib
import itertools
import math
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from certify.sweeping.axis import Value
from certify.sweeping.job import Job
from certify.sweeping.questions import Question, find_question
from fpsim.errors import InputError
from fpsim.number import exact_text

__all__ = ["MAX_JOBS", "Plan"]

MAX_JOBS = 10**8
_WIDEST = 60  # characters of a value where the plan is printed


@dataclass(frozen=True)
class Plan:
    """The values of every axis of a question; its jobs are all combinations, the last axis varying first.

    axes: name to values, in the order of the question; those not given have their default, or (None,).
    """

    question: str
    axes: Mapping[str, tuple[Value | None, ...]]
    given: tuple[str, ...]
    contents: Mapping[str, str] = field(default_factory=dict, repr=False)

    @staticmethod
    def of(question: Any, axes: Mapping[str, Any]) -> Plan:
        """The plan with these axes, each a text, a value or a list (`certify.sweeping.axis`); None is not given.

        Raises `InputError` for an unknown question or axis, an empty axis, a value that an axis cannot have, angles
        that are not given in one way, and too many jobs.

        >>> plan = Plan.of("nmax", {"dtype": "fp16,bf16", "g": "1.0", "C": "log:10:1e4:50"})
        >>> plan.size, next(plan.jobs()).parameters["C"]
        (100, '10')
        """
        asked = find_question(question)
        given = {name: value for name, value in axes.items() if value is not None}
        _check_names(asked, given)
        values: dict[str, tuple[Value | None, ...]] = {}
        for axis in asked.axes:
            values[axis.name] = axis.values(given[axis.name]) if axis.name in given else (axis.default,)
        if "realize" in given and "pipeline" in given:
            raise InputError("pipeline", values["pipeline"][0], "given without realize: it is a realization of its own")
        if "pipeline" in given:
            values["realize"] = (None,)  # not the default: a pipeline takes its place
        plan = Plan(asked.name, values, tuple(n for n in values if n in given), _contents(values))
        if plan.size > MAX_JOBS:
            raise InputError("plan", f"{plan.size} jobs", f"at most {MAX_JOBS}: shorten an axis")
        return plan

    @property
    def size(self) -> int:
        """How many jobs there are."""
        return math.prod(len(values) for values in self.axes.values())

    def jobs(self) -> Iterator[Job]:
        """The jobs, made one by one.  No two are the same: the values of an axis differ, in canonical form."""
        for values in itertools.product(*self.axes.values()):
            parameters = dict(zip(self.axes, values, strict=True))
            yield Job(self.question, parameters, self._contents_of(values))

    def _contents_of(self, values: tuple[Value | None, ...]) -> dict[str, str]:
        if not self.contents:
            return {}
        return {text: self.contents[text] for text in values if isinstance(text, str) and text in self.contents}

    def to_json(self) -> dict[str, Any]:
        """The question, the axes that were given, and the number of jobs."""
        return {
            "question": self.question,
            "axes": {name: list(self.axes[name]) for name in self.given},
            "jobs": self.size,
        }

    def __str__(self) -> str:
        lines = [f"{self.question}: {self.size:,} job{'s' * (self.size != 1)}"]
        width = max((len(name) for name in self.given), default=0)
        lines += [f"  {name:{width}}  {_listed(self.axes[name])}" for name in self.given]
        return "\n".join(lines)


def _listed(values: tuple[Value | None, ...]) -> str:
    shown = [str(value) for value in (values if len(values) <= 6 else (*values[:3], "...", values[-1]))]
    shown = [text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..." for text in shown]
    count = f"  ({len(values):,} values)" if len(values) > 6 else ""
    return ("; " if any("," in text for text in shown) else ", ").join(shown) + count


def _check_names(question: Question, given: Mapping[str, Any]) -> None:
    names = [axis.name for axis in question.axes]
    for name in given:
        if name not in names:
            near = difflib.get_close_matches(str(name), names, n=2, cutoff=0.5)
            hint = f" (did you mean {' or '.join(near)}?)" if near else ""
            raise InputError("axis", str(name), f"one of {', '.join(names)} for {question.name}{hint}")
    for name in question.required:
        if name not in given:
            raise InputError(name, "nothing", f"given: {question.name} has no default for it")
    if question.ways:
        parts = {part for way in question.ways for part in way if part in given}
        if parts not in [set(way) for way in question.ways]:
            right = " or ".join(" with ".join(way) for way in question.ways)
            raise InputError("angle", " together with ".join(sorted(parts)) or "nothing", f"given in one way: {right}")


def _contents(axes: Mapping[str, tuple[Value | None, ...]]) -> dict[str, str]:
    """The sha256 of what each named file says: of an array and a config its bytes, of a grid its values."""
    from fpsim.models.named import is_file_name
    from fpsim.valueset_text import parse_value_set

    found: dict[str, str] = {}
    for name, values in axes.items():
        for text in values:
            if not isinstance(text, str):
                continue
            if text.startswith("array:") and name == "realize":
                found[text] = hashlib.sha256(Path(text.removeprefix("array:")).read_bytes()).hexdigest()
            elif name == "config" and is_file_name(text):
                found[text] = hashlib.sha256(Path(text).read_bytes()).hexdigest()
            elif "grid:" in text and (name.endswith("dtype") or name == "order"):
                grid = parse_value_set(text.removeprefix("wide:")).grid
                found[text] = hashlib.sha256(" ".join(map(exact_text, grid)).encode()).hexdigest()
    return found
