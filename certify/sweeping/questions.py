"""The questions that a sweep can ask: the parameters of each, the function that answers, and the row of its answer.

The parameters are those of `certify.nmax`, `certify.period` and `certify.modulus`, under the same names and with the
same defaults, so that a row can be asked again with one call.
"""

from __future__ import annotations

import importlib
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from certify.sweeping.axis import Axis, Value
from fpsim.errors import InputError, UnsupportedError

__all__ = ["QUESTIONS", "Answer", "Question", "find_question"]

Parameters: TypeAlias = Mapping[str, Value | None]


@dataclass(frozen=True)
class Answer:
    """What becomes of an answer in the file: status "ok" or "undecided", a reason, some values by the name of their
    column, and the whole answer as JSON's types.
    """

    status: str
    reason: str | None
    values: dict[str, Any]
    shown: dict[str, Any]


@dataclass(frozen=True)
class Question:
    """A question with its axes.

    ways: in which combinations the angles are given; exactly one of them.  required: axes that have no default.
    answer: one job, given its parameters without those that are absent.
    """

    name: str
    axes: tuple[Axis, ...]
    answer: Callable[..., Answer]
    ways: tuple[tuple[str, ...], ...] = ()
    required: tuple[str, ...] = ()

    def axis(self, name: str) -> Axis:
        """The axis of that name.  Raises `InputError`, which names those that exist."""
        for axis in self.axes:
            if axis.name == name:
                return axis
        raise InputError("axis", name, f"one of {', '.join(axis.name for axis in self.axes)} for {self.name}")

    def check_available(self) -> None:
        """Raises `UnsupportedError` where this installation cannot answer the question."""
        _function(self.name)


def _function(name: str) -> Callable[..., Any]:
    """The function of `certify` of that name, loaded when it is first asked for."""
    try:
        found: Callable[..., Any] = getattr(importlib.import_module("certify"), name)
    except AttributeError as error:
        raise UnsupportedError(f"this version of fpcert has no certify.{name} to sweep") from error
    return found


def _nmax(**parameters: Any) -> Answer:
    result = _function("nmax")(**parameters)
    if result.interrupted:
        raise KeyboardInterrupt
    values = {
        "verdict": result.status,
        "n_max": result.n_max,
        "lower": None if result.status == "undefined" else result.lower,
        "upper": result.n_max if result.status == "exact" else result.upper,
        "ideal": result.ideal_upper,
        "usable": result.usable,
    }
    status = "undecided" if result.status in ("at_least", "between") else "ok"
    return Answer(status, result.reason, values, result.to_json())


def _period(**parameters: Any) -> Answer:
    result = _function("period")(**parameters)
    if result.interrupted:
        raise KeyboardInterrupt
    verdict = {True: "periodic", False: "non-periodic"}.get(
        result.component_periodic, "undecided" if result.undecided else "window-only"
    )
    reasons = [part.verdict.because for part in result.components if part.verdict.verdict == "undecided"]
    collisions = [part.collision.pair[1] for part in result.components if part.collision.pair is not None]
    leaving = [part.verdict.leaves_F_at for part in result.components if part.verdict.leaves_F_at is not None]
    values = {
        "verdict": verdict,
        "period": result.period,
        "components": len(result.components),
        "first_collision": min(collisions, default=None),
        "leaves_F_at": min(leaving, default=None),
    }
    reason = str(reasons[0]) if result.undecided and reasons else None
    return Answer("undecided" if result.undecided else "ok", reason, values, result.to_json())


def _modulus(**parameters: Any) -> Answer:
    result = _function("modulus")(**parameters)
    shown = result.to_json()
    values = {name: _runs(shown[name]) for name in ("single_pair", "harmonic")}
    return Answer("ok", shown["reason"], values, shown)


def _runs(numbers: Sequence[int]) -> str:
    """Rising numbers with neighbours drawn together; none: "none".

    >>> _runs([2, 3, 4, 6, 8, 9])
    '2-4, 6, 8, 9'
    """
    runs: list[list[int]] = []
    for number in numbers:
        if runs and runs[-1][-1] == number - 1:
            runs[-1].append(number)
        else:
            runs.append([number])
    parts = [f"{run[0]}-{run[-1]}" if len(run) > 2 else ", ".join(map(str, run)) for run in runs]
    return ", ".join(parts) or "none"


def _dtype(text: str) -> str:
    from fpsim.valueset_text import parse_value_set

    return parse_value_set(text).name


def _realize(text: str) -> str:
    from fpsim.realization import parse_kind

    return parse_kind(text).name


def _pipeline(text: str) -> str:
    from fpsim.pipeline.named import find_pipeline

    return find_pipeline(text).name


def _config(text: str) -> str:
    from fpsim.models.named import read_model

    read_model(text)
    return text


def _order(text: str) -> str:
    from fpsim.sums import parse_order

    return str(parse_order(text))


def _one_of(name: str, *texts: str) -> Callable[[str], str]:
    def check(text: str) -> str:
        if text not in texts:
            raise InputError(name, text, f"one of {', '.join(texts)}")
        return text

    return check


_SCHEDULE = (Axis("theta", "angles"), Axis("base", "number"), Axis("dim", "integer"))
_REALIZED = (Axis("realize", "text", "ideal", _realize), Axis("pipeline", "text", None, _pipeline))
_STAGES = tuple(Axis(f"{stage}_dtype", "text", None, _dtype) for stage in ("rotate", "score", "softmax"))
_DTYPE = Axis("dtype", "text", "fp16", _dtype)
_ORDER = Axis("order", "text", "sequential", _order)

QUESTIONS: dict[str, Question] = {
    "nmax": Question(
        "nmax",
        (
            _DTYPE,
            Axis("g", "angle"),
            *_SCHEDULE,
            Axis("C", "number"),
            Axis("k", "integer", 1),
            *_REALIZED,
            *_STAGES,
            Axis("criterion", "text", "gap", _one_of("criterion", "gap", "weight")),
            Axis("fma", "flag", default=False),
            _ORDER,
            Axis("method", "text", "auto", _one_of("method", "auto", "exhaustive", "pruned", "bracket")),
            Axis("max_length", "integer"),
        ),
        _nmax,
        ways=(("g",), ("theta",), ("base", "dim")),
        required=("C",),
    ),
    "period": Question(
        "period",
        (
            _DTYPE,
            *_SCHEDULE,
            Axis("config", "text", None, _config),
            Axis("length", "integer"),
            *_REALIZED,
            Axis("resonance", "flag", default=False),
            Axis("window", "integer"),
            Axis("max_steps", "integer"),
            Axis("positions", "integer"),
        ),
        _period,
        ways=(("theta",), ("base", "dim"), ("config",)),
    ),
    "modulus": Question("modulus", (_DTYPE, Axis("max", "integer", 64), _ORDER), _modulus),
}


def find_question(name: Any) -> Question:
    """The question of that name.  Raises `InputError`."""
    if not isinstance(name, str) or name not in QUESTIONS:
        raise InputError("question", name, f"one of {', '.join(QUESTIONS)}")
    return QUESTIONS[name]
