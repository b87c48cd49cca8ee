"""The models that are known by name, and models by a name or by the file of their configuration."""

from __future__ import annotations

import difflib
import tomllib
from collections.abc import Mapping
from dataclasses import dataclass, replace
from functools import cache
from importlib.resources import files
from pathlib import Path
from types import MappingProxyType
from typing import Any

from fpsim.errors import InputError
from fpsim.model_config import ModelConfig, read_config
from fpsim.number import parse_number

__all__ = ["NamedModel", "find_model", "is_file_name", "model_names", "named_model", "read_model"]

DEFAULT_PIPELINE = "transformers"
_NEAR = 3


@dataclass(frozen=True)
class NamedModel:
    """A model of the hub.

    config: the keys of its config.json that say something of its rotations, exact numbers; `read_config` reads them.
    repository: on the hub.  source: where the values were read.  note: what was not confirmed, or else should be known.
    pipeline: the stack of its own code.
    """

    name: str
    config: Mapping[str, Any]
    repository: str
    source: str
    note: str | None
    pipeline: str

    def read(self, *, length: int | None = None) -> ModelConfig:
        """The schedules of the model, as `read_config` gives them; its name, and its note among the notes."""
        read = read_config(self.config, length=length)
        notes = read.notes if self.note is None else (*read.notes, f"{self.name}: {self.note}")
        return replace(read, name=self.name, notes=notes)


@cache
def _models() -> Mapping[str, NamedModel]:
    data = files("fpsim.models").joinpath("models.toml").read_text(encoding="utf-8")
    # An exact decimal for each number, as from a config.json.
    found = tomllib.loads(data, parse_float=parse_number)
    return MappingProxyType({name: _model(name, entry) for name, entry in found.items()})


def _model(name: str, entry: Mapping[str, Any]) -> NamedModel:
    repository = entry["repository"]
    seen = entry.get("source", "config.json")
    return NamedModel(
        name,
        MappingProxyType(entry["config"]),
        repository,
        f"{repository}: {seen}",
        entry.get("note"),
        entry.get("pipeline", DEFAULT_PIPELINE),
    )


def model_names() -> tuple[str, ...]:
    """The names of the models.

    >>> "llama-3.1-8b" in model_names()
    True
    """
    return tuple(_models())


def find_model(name: str) -> NamedModel | None:
    """The model of this name, or of this repository on the hub, in any case; None: there is none.

    >>> find_model("Qwen/Qwen3-8B").name
    'qwen3-8b'
    """
    text = name.strip().lower()
    models = _models()
    if text in models:
        return models[text]
    return next((model for model in models.values() if model.repository.lower() == text), None)


def named_model(name: str) -> NamedModel:
    """The model of this name.  Raises `InputError`, which lists the names, near ones first.

    >>> model = named_model("deepseek-v2-lite")
    >>> model.config["rope_scaling"]["mscale"], model.pipeline
    (mpq(707,1000), 'deepseek-v2')
    """
    found = find_model(name)
    if found is not None:
        return found
    names, text = model_names(), name.strip().lower()
    near = [each for each in names if text and each.startswith(text)]
    near += difflib.get_close_matches(text, names, n=_NEAR, cutoff=0.5)
    listed = ", ".join(dict.fromkeys([*near, *names]))
    raise InputError("model", name, f"the name of a config.json, or one of {listed}")


def read_model(model: str | Path | Mapping[str, Any], *, length: int | None = None) -> ModelConfig:
    """The schedules of a model: one that is known by name, or that of a config.json (a file or a mapping).

    A file wins over a name.  Raises as `read_config` does, and as `named_model` for a text that is neither.

    >>> read_model("qwen3-8b").max_length
    40960
    """
    if isinstance(model, str) and model and not is_file_name(model):
        return named_model(model).read(length=length)
    return read_config(model, length=length)


def is_file_name(model: str) -> bool:
    """Whether a text means a file: there is one, or no model has the name and it looks like one."""
    path = Path(model)
    try:
        if path.exists():
            return True
    except (OSError, ValueError):  # a name that no file can have
        return False
    return find_model(model) is None and (path.suffix == ".json" or path.is_absolute() or model.startswith("."))
