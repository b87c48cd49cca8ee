"""What is audited: the model, its data type, the pipeline and the length, each given or by default."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fpsim.errors import InputError, UnsupportedError
from fpsim.model_config import ModelConfig
from fpsim.models.named import DEFAULT_PIPELINE, NamedModel, is_file_name, named_model, read_model
from fpsim.number import parse_count
from fpsim.pipeline import Pipeline
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["MAX_LENGTH", "Subject", "find_subject"]

MAX_LENGTH = 1 << 24
DEFAULT_DTYPE = "fp16"


@dataclass(frozen=True)
class Subject:
    """The question of an audit.  config: what `certify.period` reads.  schedule_length: the length that the schedule is
    for, where it was given.
    """

    config: str | Path | Mapping[str, Any]
    read: ModelConfig
    source: str
    dtype: ValueSet
    pipeline: Pipeline
    length: int
    schedule_length: int | None
    notes: tuple[str, ...]

    @property
    def layers(self) -> dict[str | None, Schedule]:
        """The schedule of each kind of layer; None is the name where there is one."""
        several = len(self.read.schedules) > 1
        return {(layer if several else None): schedule for layer, schedule in self.read.schedules.items()}


def find_subject(model: Any, dtype: ValueSet | str | None, pipeline: Any, length: Any) -> Subject:
    """The subject.  Raises `InputError`, and `UnsupportedError` for what cannot be audited."""
    given = None if length is None else parse_count(length, "length", least=3, most=MAX_LENGTH)
    known: NamedModel | None = None
    if isinstance(model, str) and model and not is_file_name(model):
        known = named_model(model)
    read = read_model(model, length=given)
    notes = list(read.notes)
    values = value_set(dtype if dtype is not None else read.dtype or DEFAULT_DTYPE)
    if dtype is None and read.dtype is None:
        notes.append(f"the configuration names no data type that is known here: {DEFAULT_DTYPE} was taken")
    stack = _pipeline(pipeline, DEFAULT_PIPELINE if known is None else known.pipeline)
    most = read.max_length
    if given is None:
        if most is None:
            raise InputError("length", "nothing", "given: the configuration names no max_position_embeddings")
        given = parse_count(most, "length (that of the configuration)", least=3, most=MAX_LENGTH)
    elif most is not None and given > most:
        notes.append(f"{given} positions are more than the {most} of the configuration")
    _check_binary64(stack, values)
    source = str(model) if isinstance(model, str | Path) else "a configuration"
    return Subject(
        model, read, known.source if known else source, values, stack, given,
        None if length is None else given, tuple(notes),
    )  # fmt: skip


def _pipeline(pipeline: Any, default: str) -> Pipeline:
    if isinstance(pipeline, Pipeline):
        return pipeline
    return Pipeline.named(default if pipeline is None else pipeline)


def _check_binary64(pipeline: Pipeline, values: ValueSet) -> None:
    """Refuse, before the work, a table that binary64 does not hold: no head could be looked at."""
    table = pipeline.stages.at(values).table
    if table.carrier != "float64":
        raise UnsupportedError(
            f"an audit of a table in {table.name}: binary64 does not hold its values (`period` and `nmax` take them)"
        )
