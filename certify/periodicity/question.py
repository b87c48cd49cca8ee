"""The schedule that `period` is asked about, in any of the ways to give it, and the rotations that realize it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, fields
from pathlib import Path
from typing import Any

from gmpy2 import mpq, mpz

from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_count
from fpsim.realization import Realization, parse_kind
from fpsim.schedule import MAX_DIM, Schedule
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["PeriodQuestion", "ask"]

MAX_PAIRS = MAX_DIM // 2
MIN_ANGLE = mpq(1, mpz(10) ** 1000)
_LONGEST = 60  # characters of an angle in a line of text


@dataclass(frozen=True)
class _Source:
    """The schedules that were given, by the kind of layer (None: there is one kind), and where they come from."""

    schedules: tuple[tuple[str | None, Schedule], ...]
    text: str
    dtype: str | None = None
    notes: tuple[str, ...] = ()


@dataclass(frozen=True)
class PeriodQuestion:
    """The rotations to decide, each with its layer and angle, if they are known, and the words for the result."""

    rotations: tuple[tuple[str | None, str | None, Realization], ...]
    text: str
    dtype: str
    realize: str
    pipeline: dict[str, Any] | None = None
    notes: tuple[str, ...] = ()

    def windowed(self, window: int) -> PeriodQuestion:
        """The same with the positions modulo `window`."""
        from fpsim.realization.windowed import Windowed

        rotations = tuple((layer, theta, Windowed(rotation, window)) for layer, theta, rotation in self.rotations)
        realize = f"{self.realize} mod {window}"
        return PeriodQuestion(rotations, self.text, self.dtype, realize, self.pipeline, self.notes)


def ask(
    *,
    theta: Any = None,
    base: Any = None,
    dim: Any = None,
    config: Any = None,
    array: Any = None,
    dtype: ValueSet | str | None = None,
    realize: Any = "ideal",
    pipeline: Any = None,
    window: int | None = None,
    resonance: bool = False,
    length: int | None = None,
) -> PeriodQuestion:
    """The rotations of the schedule, as `certify.period` describes it.  Raises `InputError`, `UnsupportedError`.

    >>> [theta for _, theta, _ in ask(base=10000, dim=4).rotations]
    ['1', '0.01']
    """
    given = _given(theta, base, dim, config, array)
    window = None if window is None else parse_count(window, "window")
    length = None if length is None else parse_count(length, "length")
    if not isinstance(resonance, bool):
        raise InputError("resonance", resonance, "True or False")
    if length is not None and given != "config":
        raise InputError("length", length, "given with a config, whose rope type may depend on it")
    if given == "array":
        question = _of_array(array, dtype, realize, pipeline, resonance)
    else:
        source = _schedules(given, theta, base, dim, config, length)
        question = _of_schedules(source, dtype, realize, pipeline, resonance)
    return question if window is None else question.windowed(window)


def _given(theta: Any, base: Any, dim: Any, config: Any, array: Any) -> str:
    """In which of the ways the schedule is given."""
    ways = {
        "theta": theta is not None,
        "base and dim": base is not None or dim is not None,
        "config": config is not None,
        "array": array is not None,
    }
    given = [way for way, there in ways.items() if there]
    if len(given) != 1:
        right = "given in one way: theta, base with dim, config or array (--theta, --base --dim, --config, --array)"
        raise InputError("schedule", " together with ".join(given) or "nothing", right)
    if given == ["base and dim"] and (base is None or dim is None):
        missing = "dim" if dim is None else "base"
        raise InputError(missing, "nothing", "given: a conventional schedule has a base and a dim (--base B --dim D)")
    return given[0]


def _schedules(given: str, theta: Any, base: Any, dim: Any, config: Any, length: int | None) -> _Source:
    if given == "theta":
        schedule = Schedule.of(_parts(theta))
        listed = ", ".join(angle.brief(_LONGEST) for angle in schedule.angles[:4])
        listed += ", ..." if len(schedule.angles) > 4 else ""
        source = _Source(((None, schedule),), f"theta = {listed}")
    elif given == "config":
        from fpsim.models.named import read_model

        read = read_model(config, length=length)
        several = len(read.schedules) > 1
        layers = tuple((layer if several else None, schedule) for layer, schedule in read.schedules.items())
        scalings = {str(schedule.scaling) for _, schedule in layers if schedule.scaling is not None}
        text = f"{read.name}" + (f" with {' and '.join(sorted(scalings))}" if scalings else "")
        source = _Source(layers, text, read.dtype, read.notes)
    else:
        schedule = Schedule.conventional(base, dim)
        shown = Angle(schedule.base).brief(_LONGEST)  # as a number
        shown = shown if shown.replace(".", "").isdigit() else f"({shown})"
        source = _Source(((None, schedule),), f"{shown}^(-2d/{dim})")
    angles = [angle for _, schedule in source.schedules for angle in schedule.angles]
    if not 1 <= len(angles) <= MAX_PAIRS:
        raise InputError("theta", f"{len(angles)} angles", f"between 1 and {MAX_PAIRS} angles")
    for angle in angles:
        _check_angle(angle)
    return source


def _of_schedules(source: _Source, dtype: Any, realize: Any, pipeline: Any, resonance: bool) -> PeriodQuestion:
    values = value_set(source.dtype or "fp16" if dtype is None else dtype)
    rotations: list[tuple[str | None, str | None, Realization]] = []
    notes, shown, name = list(source.notes), None, ""
    for layer, plain in source.schedules:
        schedule = plain.resonance() if resonance else plain
        kind = _kind(realize, pipeline, schedule)
        name = kind.name
        if pipeline is not None:
            shown = kind.to_json(values)
            notes += [note for note in shown["notes"] if note not in notes]
        elif schedule.attention_factor != 1:
            notes.append("cos and sin are taken without the attention factor of the scaling, which pipelines apply")
        rotations += _rotations(layer, schedule, kind, values)
    text = source.text + (", wavelengths rounded to whole numbers" if resonance else "")
    return PeriodQuestion(tuple(rotations), text, values.name, name, shown, tuple(dict.fromkeys(notes)))


def _rotations(
    layer: str | None, schedule: Schedule, kind: Any, values: ValueSet
) -> Iterator[tuple[str | None, str, Realization]]:
    for pair, angle in enumerate(schedule.angles):
        rotation = kind.rotation(angle, values, pair)
        _require_deterministic(rotation)
        yield layer, str(angle), rotation


def _kind(realize: Any, pipeline: Any, schedule: Schedule) -> Any:
    if pipeline is None:
        return parse_kind(realize)
    if realize != "ideal":
        raise InputError("realize", realize, "absent when a pipeline is given, which is a realization of its own")
    from fpsim.pipeline import Pipeline

    return pipeline.for_schedule(schedule) if isinstance(pipeline, Pipeline) else Pipeline.named(pipeline, schedule)


def _of_array(array: Any, dtype: Any, realize: Any, pipeline: Any, resonance: bool) -> PeriodQuestion:
    from fpsim.realization.array_file import ArrayKind

    others = {"realize": realize if realize != "ideal" else None, "pipeline": pipeline, "resonance": resonance or None}
    for name, value in others.items():
        if value is not None:
            raise InputError(name, value, "absent when an array is given, which has the blocks themselves")
    if isinstance(array, ArrayKind):
        kind = array
    elif isinstance(array, str | Path):
        kind = ArrayKind.read(array)
    elif isinstance(array, tuple):
        if len(array) != 2:
            raise InputError("array", f"{len(array)} arrays", "one array, or a pair of them: cosines and sines")
        kind = ArrayKind.of(*array)
    else:
        kind = ArrayKind.of(array)
    values = value_set(kind.dtype_name if dtype is None else dtype)
    unknown = Angle(mpq(0))  # an array says nothing of angles
    rotations = tuple((None, None, kind.rotation(unknown, values, pair)) for pair in range(kind.pairs))
    text = " of ".join(
        f"{count} {what}{'' if count == 1 else 's'}"
        for count, what in ((kind.positions, "position"), (kind.pairs, "pair"))
    )
    return PeriodQuestion(rotations, text, values.name, kind.name)


def _require_deterministic(rotation: Realization) -> None:
    sets = getattr(rotation, "sets", None)
    stages = [rotation.values] if sets is None else [getattr(sets, stage.name) for stage in fields(sets)]
    for values in stages:
        if values is not None and values.rounding == "stochastic":
            raise UnsupportedError(
                f"{values.name} rounds stochastically: a position has no one block, so there is nothing to repeat"
            )


def _check_angle(angle: Angle) -> None:
    """Angles that are no rational multiple of pi must have a moderate number of digits."""
    if angle.turns is not None:
        return
    lo, hi = angle.enclose(32)
    if not MIN_ANGLE <= max(abs(lo), abs(hi)) <= 1 / MIN_ANGLE:
        right = "between 10^-1000 and 10^1000 in magnitude, or a rational multiple of pi"
        raise InputError("theta", angle.brief(_LONGEST), right)


def _parts(theta: Any) -> list[Any]:
    """A text split at its commas, the entries of a list or another sequence split likewise, or a single number."""
    if isinstance(theta, str):
        return theta.split(",")
    if isinstance(theta, Iterable) and not isinstance(theta, bytes | Mapping) and getattr(theta, "ndim", 1) != 0:
        return [part for entry in theta for part in (entry.split(",") if isinstance(entry, str) else [entry])]
    return [theta]
