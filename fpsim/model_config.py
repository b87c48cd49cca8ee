"""The rotary schedules of a model from its configuration, the `config.json` of Hugging Face's hub.

    base           rope_theta, or rotary_emb_base (GPT-NeoX)
    dims           qk_rope_head_dim (DeepSeek), or head_dim, or hidden_size / num_attention_heads (n_embd / n_head)
    rotated dims   rotary_dim (GPT-J), or partial_rotary_factor, or rotary_pct (GPT-NeoX)
    scaling        rope_scaling, or rope_parameters, which holds rope_theta too
    layers         rope_parameters with an object for each kind of layer; or rope_theta for the global layers and
                   rope_local_base_freq for the local ones (Gemma 3); or global_rope_theta and local_rope_theta

Keys of a multimodal model are looked up in its `text_config`.  Nothing is guessed: a key that is missing is an error,
although a framework may have a default for it, which differs from model to model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from fpsim.errors import InputError, printable
from fpsim.json_file import read_json
from fpsim.model_layers import LENGTHS, Layers, mapping_of
from fpsim.scaling import Parameters
from fpsim.schedule import MAX_DIM, Schedule

__all__ = ["ModelConfig", "read_config"]

MAX_BYTES = 4 << 20
_LONGEST_NAME = 120
_NESTED = ("text_config", "llm_config", "language_config")
_SIZES = (("hidden_size", "num_attention_heads"), ("n_embd", "n_head"))
_DTYPES = {
    "float64": "fp64",
    "float32": "fp32",
    "float16": "fp16",
    "bfloat16": "bf16",
    "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2",
}


@dataclass(frozen=True)
class ModelConfig:
    """What a configuration says of a model's rotations.

    name: the model's, or its type.  schedules: by the kind of layer; a single one is called "rope".  max_length: the
    greatest number of positions, or None.  dtype: the value set that the weights are stored in, or None.  head_dim:
    how many dims the rotation is defined on, by the kind of layer.  taken: each key that was used, with the exact text
    of its value.  notes: what else should be known of the schedules.
    """

    name: str
    schedules: Mapping[str, Schedule]
    max_length: int | None
    dtype: str | None
    head_dim: Mapping[str, int]
    taken: Mapping[str, str]
    notes: tuple[str, ...]


def read_config(source: str | Path | Mapping[str, Any], *, length: int | None = None) -> ModelConfig:
    """The schedules of the model whose configuration is in the file `source`, or is the mapping `source`.

    In a file a decimal is what it says (0.1 is one tenth); in a mapping a float is the binary64 number it is.  length:
    of the sequence, for the rope types that depend on it; the model's greatest length when it is not given.  Raises
    `InputError`, which names the key, and `UnsupportedError`.

    >>> config = read_config({"rope_theta": 10000, "head_dim": 4, "max_position_embeddings": 4096})
    >>> [str(angle) for angle in config.schedules["rope"].angles], config.max_length
    (['1', '0.01'], 4096)
    """
    if isinstance(source, str | Path) and str(source):
        name, data = str(source), read_json(source, str(source), MAX_BYTES)
    elif isinstance(source, Mapping):
        name, data = "config", source
    else:
        raise InputError("config", source, "the name of a JSON file, or a mapping")
    if not isinstance(data, Mapping):
        raise InputError(name, "JSON of another shape", "an object, as config.json is")
    return _Reader.of(data, name, length).config()


@dataclass
class _Reader:
    """The object that the keys are read from, the whole configuration around it, and the kinds of layers."""

    keys: Parameters
    whole: Mapping[str, Any]
    layers: Layers

    @staticmethod
    def of(data: Mapping[str, Any], name: str, length: int | None) -> _Reader:
        source = f"{name}, "
        inner = next((key for key in _NESTED if data.get(key) is not None), None)
        entries = data if inner is None else mapping_of(data[inner], f"{source}{inner}")
        where = "" if inner is None else f"{inner}."
        keys = Parameters(entries, where, texts=False, length=length, source=source)
        key = next((key for key in LENGTHS if key in keys), None)
        keys.max_length = None if key is None else keys.whole(key)
        return _Reader(keys, data, Layers(keys))

    def config(self) -> ModelConfig:
        schedules: dict[str, Schedule] = {}
        dims: dict[str, int] = {}
        for layer in self.layers.found():
            dims[layer.name] = self.head_dim(layer.name)
            schedules[layer.name] = self.layers.schedule(layer, dims[layer.name])
        return ModelConfig(
            self.text("_name_or_path", "name_or_path", "model_type") or "model",
            schedules,
            self.keys.max_length,
            self.dtype(),
            dims,
            dict(self.keys.taken),
            tuple(dict.fromkeys(self.layers.notes)),
        )

    def head_dim(self, layer: str) -> int:
        """How many dims the rotation of this kind of layer is defined on."""
        first = ["global_head_dim"] if layer == "full_attention" else []
        for key in (*first, "qk_rope_head_dim", "head_dim"):
            if key in self.keys:
                return self.even(key, self.keys.whole(key))
        for size, heads in _SIZES:
            if size in self.keys:
                if heads not in self.keys:
                    raise self.keys.missing(heads, f"the number of heads that {size} is divided by")
                dims, count = self.keys.whole(size), self.keys.whole(heads)
                if dims % count:
                    raise InputError(self.keys.name(size), dims, f"a multiple of {heads}, {count}")
                return self.even(size, dims // count)
        raise self.keys.missing("head_dim", "the number of dims of a head, or hidden_size and num_attention_heads")

    def even(self, key: str, dim: int) -> int:
        if dim % 2 or dim > MAX_DIM:
            raise InputError(self.keys.name(key), f"{dim} dims a head", f"an even number from 2 to {MAX_DIM}")
        return dim

    def text(self, *names: str) -> str | None:
        """The first of these keys that is a text other than the empty one, the outer object first; fit for a line."""
        for entries in (self.whole, self.keys.entries):
            for name in names:
                value = entries.get(name)
                if isinstance(value, str) and value:
                    return printable(value if len(value) <= _LONGEST_NAME else f"{value[:_LONGEST_NAME]}...")
        return None

    def dtype(self) -> str | None:
        """The value set of the weights."""
        for entries in (self.keys.entries, self.whole):
            for key in ("torch_dtype", "dtype"):
                value = entries.get(key)
                if value is None:
                    continue
                if not isinstance(value, str):
                    raise InputError(self.keys.name(key), value, 'a text such as "bfloat16"')
                known = _DTYPES.get(value.removeprefix("torch."))
                if known is None:
                    self.layers.notes.append(f"the {key} {value} is none that is known here")
                return known
        return None
