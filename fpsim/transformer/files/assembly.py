"""A model put together from arrays that have the names of parameters (`fpsim.transformer.parameters`)."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

from fpsim.errors import InputError
from fpsim.operands import Array
from fpsim.transformer.model import Transformer
from fpsim.transformer.parts import Attention, FeedForward, Layer, Linear, Norm, Rotary

__all__ = ["AttentionParts", "assemble"]

AttentionParts: TypeAlias = "tuple[int, Rotary | None]"
"""What the attention of a layer has that is no array: the number of heads, and the rotation."""


def assemble(
    arrays: Mapping[str, Array], attentions: Sequence[AttentionParts | None], where: str, **rest: Any
) -> Transformer:
    """The model of these arrays.

    attentions: of each layer; None: it has none.  rest: the fields of `Transformer` that are no arrays and have none.
    A bias, a feed-forward network or a norm is there when its arrays are.  Raises `InputError`, with `where` as what
    cannot be taken, for a parameter that is missing and an array that has no place.
    """
    parts = _Parts(dict(arrays), where)
    made: dict[str, Any] = {
        "embedding": parts.take("embedding", 2),
        "layers": tuple(_layer(parts, f"layers.{n}", attention) for n, attention in enumerate(attentions)),
        "classifier": parts.linear("classifier"),
        "final_norm": parts.norm("final_norm"),
    }
    for name in parts.left:
        raise InputError(where, f"the array {name!r}", "absent: no part of the model is called so")
    return Transformer(**made, **rest)


@dataclass(frozen=True)
class _Parts:
    """Arrays by name, each taken once."""

    left: dict[str, Array]
    where: str

    def take(self, name: str, ndim: int) -> Array:
        if name not in self.left:
            raise InputError(self.where, f"no array {name!r}", "every parameter of the model")
        array = self.left.pop(name)
        if array.ndim != ndim:
            raise InputError(f"{self.where}, {name}", f"shape {list(array.shape)}", f"an array of rank {ndim}")
        return array

    def bias(self, name: str) -> Array | None:
        return self.take(f"{name}.bias", 1) if f"{name}.bias" in self.left else None

    def has(self, name: str) -> bool:
        return any(each.startswith(f"{name}.") for each in self.left)

    def linear(self, name: str) -> Linear:
        return Linear(self.take(f"{name}.weight", 2), self.bias(name))

    def norm(self, name: str) -> Norm | None:
        if not self.has(name):
            return None
        return Norm(self.take(f"{name}.gain", 1), self.bias(name), self.take(f"{name}.epsilon", 1))


def _layer(parts: _Parts, name: str, attention: AttentionParts | None) -> Layer:
    made = None
    if attention is not None:
        heads, rotary = attention
        linears = {each: parts.linear(f"{name}.attention.{each}") for each in ("query", "key", "value", "output")}
        made = Attention(**linears, heads=heads, rotary=rotary)
    network = None
    if parts.has(f"{name}.feed_forward"):
        network = FeedForward(parts.linear(f"{name}.feed_forward.up"), parts.linear(f"{name}.feed_forward.down"))
    norms = [parts.norm(f"{name}.attention_norm"), parts.norm(f"{name}.feed_forward_norm")]
    for each, norm, part in (("attention", norms[0], made), ("feed_forward", norms[1], network)):
        if norm is not None and part is None:
            raise InputError(f"{name}.{each}_norm", "a norm", f"absent, as there is no {name}.{each}")
    return Layer(made, network, *norms)
