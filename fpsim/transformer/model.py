"""The F-transformer as plain data (§2.2, Eq. 2-4 of arXiv:2608.11909): arrays, exact angles and value sets.

An input is BOS w EOS, BOS at position 0.  x = embedding + sinusoidal encoding (where there is one), then for each layer

    "post"   x = norm(x + attention(x)),   x = norm(x + feed_forward(x))         norms that are None do nothing
    "pre"    x = x + attention(norm(x)),   x = x + feed_forward(norm(x))

and the word is accepted when the classifier's value at EOS is above 0.  A head's query is R_i (Q x_i + b_q), its key
R_j (K x_j + b_k), with R the realized rotation of each pair of coordinates (2d, 2d + 1).  A linear map has weights of
shape (out, in), as torch has them; the heads' parts follow one another in `out`.  Arrays are binary64, or of exact
numbers (objects) where F has values that binary64 does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

import numpy as np

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import parse_count
from fpsim.operands import Array, as_array, elements_of
from fpsim.precision import Precision
from fpsim.realization import Kind, parse_kind
from fpsim.rounding.reference import Element

__all__ = [
    "Attention",
    "FeedForward",
    "Layer",
    "Linear",
    "Mask",
    "Norm",
    "Rotary",
    "Sinusoidal",
    "Transformer",
    "elements",
]

Mask: TypeAlias = Literal["strict", "causal"]
"""strict: position i attends to j < i (the paper); causal: to j <= i."""


def _parameter(x: Any, what: str, ndim: int) -> Array:
    """A read-only copy of x, every number taken exactly."""
    array = as_array(x, what)
    if array.ndim != ndim:
        raise InputError(what, f"{array.ndim} dimensions", f"an array of {ndim}")
    array = np.array(array, dtype=object if array.dtype == object else np.float64)
    array.setflags(write=False)
    return array


def _require(what: str, part: object, kind: type, *, optional: bool = False) -> None:
    """Raise `InputError` for a part of another type, which would otherwise fail far from here, or be left out."""
    if not isinstance(part, kind) and not (optional and part is None):
        name = kind.__name__
        right = f"{'an' if name[0] in 'AEIOU' else 'a'} {name}"
        raise InputError(what, f"a {type(part).__name__}", f"{right}, or None" if optional else right)


def elements(array: Array) -> list[Element]:
    """The numbers of a parameter of one dimension, exact.

    >>> elements(np.array([0.5, -0.0]))
    [mpq(1,2), -0.0]
    """
    return list((array if array.dtype == object else elements_of(array, "parameter")).flat)


@dataclass(frozen=True, eq=False)
class Linear:
    """x -> W x + b: weight of shape (out, in), bias of shape (out,) or None.

    >>> Linear([[1.0, 2.0]], [0.5]).outputs
    1
    """

    weight: Array
    bias: Array | None = None

    def __post_init__(self) -> None:
        object.__setattr__(self, "weight", _parameter(self.weight, "weight", 2))
        if self.bias is not None:
            object.__setattr__(self, "bias", _parameter(self.bias, "bias", 1))
            if self.bias.shape != self.weight.shape[:1]:
                raise InputError("bias", f"{self.bias.size} numbers", f"{self.outputs}, one for each row of the weight")
        if 0 in self.weight.shape:
            raise InputError("weight", f"shape {self.weight.shape}", "at least one row and one column")

    @property
    def outputs(self) -> int:
        """Coordinates of the result."""
        return int(self.weight.shape[0])

    @property
    def inputs(self) -> int:
        """Coordinates of the argument."""
        return int(self.weight.shape[1])


@dataclass(frozen=True, eq=False)
class Norm:
    """Layer norm: (x - mean) / sqrt(var + epsilon) * gain + bias; epsilon an exact number >= 0, stored in F."""

    gain: Array
    bias: Array | None = None
    epsilon: Array = field(default_factory=lambda: np.zeros(1))

    def __post_init__(self) -> None:
        object.__setattr__(self, "gain", _parameter(self.gain, "gain", 1))
        epsilon = np.atleast_1d(as_array(self.epsilon if np.ndim(self.epsilon) else [self.epsilon], "epsilon"))
        object.__setattr__(self, "epsilon", _parameter(epsilon, "epsilon", 1))
        if self.epsilon.shape != (1,) or not self.epsilon[0] >= 0:
            raise InputError("epsilon", self.epsilon.tolist(), "one number, at least 0")
        if self.bias is not None:
            object.__setattr__(self, "bias", _parameter(self.bias, "bias", 1))
            if self.bias.shape != self.gain.shape:
                raise InputError("bias", f"{self.bias.size} numbers", f"{self.gain.size}, as many as the gain has")


@dataclass(frozen=True, eq=False)
class Rotary:
    """The schedule of each head, head by head, pair by pair (an angle 0 is an unrotated pair), and its realization.

    angles: one tuple for each head.  kind: `ideal`, `phase`, `table`, `recurrence`, `counter`, `array:FILE`, or an
    object with a method `rotation` (a pipeline, an array); the d-th pair of every head is its pair d.
    """

    angles: tuple[tuple[Angle, ...], ...]
    kind: Kind

    @staticmethod
    def of(angles: Any, kind: Kind | str = "ideal", *, heads: int | None = None) -> Rotary:
        """Angles as anything that `Angle.parse` takes: one list for each head, or one list for `heads` heads.

        >>> [len(head) for head in Rotary.of(["1", "0"], heads=2).angles]
        [2, 2]
        """
        lists = list(angles) if heads is None else [list(angles)] * heads
        parsed = tuple(tuple(Angle.parse(angle, "theta") for angle in each) for each in lists)
        return Rotary(parsed, parse_kind(kind))


@dataclass(frozen=True, eq=False)
class Sinusoidal:
    """Sinusoidal encodings: coordinate first + 2d of the input gets sin(theta_d i) and the next one cos(theta_d i).

    Realized as a rotation is (`kind`), scaled by nothing, and added to the embedding with one rounding.
    """

    angles: tuple[Angle, ...]
    kind: Kind
    first: int = 0

    @staticmethod
    def of(angles: Any, kind: Kind | str = "ideal", *, first: int = 0) -> Sinusoidal:
        """Angles as anything that `Angle.parse` takes."""
        return Sinusoidal(tuple(Angle.parse(angle, "theta") for angle in angles), parse_kind(kind), first)


@dataclass(frozen=True, eq=False)
class Attention:
    """Heads whose queries and keys have query.outputs / heads coordinates each, and values value.outputs / heads."""

    query: Linear
    key: Linear
    value: Linear
    output: Linear
    heads: int = 1
    rotary: Rotary | None = None

    def __post_init__(self) -> None:
        parse_count(self.heads, "heads", least=1)
        for name in ("query", "key", "value", "output"):
            _require(name, getattr(self, name), Linear)
        _require("rotary", self.rotary, Rotary, optional=True)
        for name, each in (("query", self.query), ("key", self.key), ("value", self.value)):
            if each.outputs % self.heads:
                raise InputError(f"{name}.weight", f"{each.outputs} rows", f"a multiple of the {self.heads} heads")
            if each.inputs != self.query.inputs:
                raise InputError(f"{name}.weight", f"{each.inputs} columns", f"{self.query.inputs}, as query.weight")
        if self.key.outputs != self.query.outputs:
            raise InputError("key.weight", f"{self.key.outputs} rows", f"{self.query.outputs}, as query.weight")
        if self.output.inputs != self.value.outputs:
            raise InputError("output.weight", f"{self.output.inputs} columns", f"{self.value.outputs}: the values'")
        if self.output.outputs != self.query.inputs:
            raise InputError("output.weight", f"{self.output.outputs} rows", f"{self.query.inputs}, the model's")
        if self.rotary is not None:
            pairs = self.query.outputs // self.heads // 2
            counts = [len(head) for head in self.rotary.angles]
            if counts != [pairs] * self.heads or self.query.outputs // self.heads % 2:
                raise InputError("rotary", f"{counts} pairs", f"{pairs} for each of {self.heads} heads of even size")


@dataclass(frozen=True, eq=False)
class FeedForward:
    """x -> down(relu(up(x)))."""

    up: Linear
    down: Linear

    def __post_init__(self) -> None:
        _require("up", self.up, Linear)
        _require("down", self.down, Linear)
        if self.down.inputs != self.up.outputs or self.down.outputs != self.up.inputs:
            shapes = f"{self.up.weight.shape} and {self.down.weight.shape}"
            raise InputError("feed-forward weights", shapes, "(hidden, dim) and (dim, hidden)")


@dataclass(frozen=True, eq=False)
class Layer:
    """Attention, feed-forward network, and a norm for each; those that are None do nothing.

    Raises `InputError` for a norm of a part that there is not: it would do nothing.
    """

    attention: Attention | None = None
    feed_forward: FeedForward | None = None
    attention_norm: Norm | None = None
    feed_forward_norm: Norm | None = None

    def __post_init__(self) -> None:
        _require("attention", self.attention, Attention, optional=True)
        _require("feed_forward", self.feed_forward, FeedForward, optional=True)
        for name, part in (("attention", self.attention), ("feed_forward", self.feed_forward)):
            norm = getattr(self, f"{name}_norm")
            _require(f"{name}_norm", norm, Norm, optional=True)
            if norm is not None and part is None:
                raise InputError(f"{name}_norm", "a norm", f"None, as there is no {name}")


@dataclass(frozen=True, eq=False)
class Transformer:
    """A classifier of words over `alphabet`.

    alphabet: a text, or a list of letters.  embedding: shape (2 + letters, dim): the rows of BOS, EOS and then the
    letters in order.  layers: a list.  precision: a `Precision`, or the name of a value set for every stage.
    classifier: from dim to one number.  norm_at: where the norms stand.  final_norm: of what the classifier reads (with
    "pre").

    Raises `InputError` where shapes do not fit.  Numbers outside `precision.values` are not looked for here
    (`fpsim.transformer.parameters`).
    """

    alphabet: tuple[str, ...]
    embedding: Array
    layers: tuple[Layer, ...]
    classifier: Linear
    precision: Precision
    position: Sinusoidal | None = None
    final_norm: Norm | None = None
    norm_at: Literal["pre", "post"] = "post"
    mask: Mask = "strict"

    def __post_init__(self) -> None:
        object.__setattr__(self, "embedding", _parameter(self.embedding, "embedding", 2))
        for name in ("alphabet", "layers"):
            if not isinstance(getattr(self, name), tuple | list | str):
                raise InputError(name, f"a {type(getattr(self, name)).__name__}", "a list")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if isinstance(self.precision, str):
            object.__setattr__(self, "precision", Precision.of(self.precision))
        _require("precision", self.precision, Precision)
        _require("classifier", self.classifier, Linear)
        _require("position", self.position, Sinusoidal, optional=True)
        _require("final_norm", self.final_norm, Norm, optional=True)
        for n, layer in enumerate(self.layers):
            _require(f"layers[{n}]", layer, Layer)
        letters = self.alphabet
        texts = all(isinstance(letter, str) and letter for letter in letters)  # type: ignore[redundant-expr]
        if not letters or not texts or len(set(letters)) != len(letters):
            raise InputError("alphabet", list(letters), "different letters, at least one, none empty")
        if self.embedding.shape[0] != len(letters) + 2:
            rows = f"{self.embedding.shape[0]} rows"
            raise InputError("embedding", rows, f"{len(letters) + 2}: BOS, EOS and {len(letters)} letters")
        if self.norm_at not in ("pre", "post"):
            raise InputError("norm_at", self.norm_at, "pre or post")
        if self.mask not in ("strict", "causal"):
            raise InputError("mask", self.mask, "strict or causal")
        if self.classifier.outputs != 1:
            raise InputError("classifier", f"{self.classifier.outputs} rows", "1")
        for what, size in self._sizes():
            if size != self.dim:
                raise InputError(what, f"{size} coordinates", f"{self.dim}, as the embedding has")
        if self.position is not None and not 0 <= self.position.first <= self.dim - 2 * len(self.position.angles):
            taken = f"coordinates {self.position.first} .. {self.position.first + 2 * len(self.position.angles) - 1}"
            raise InputError("position", taken, f"some of the {self.dim} of the embedding")

    def _sizes(self) -> list[tuple[str, int]]:
        sizes = [("classifier", self.classifier.inputs)]
        sizes += [("final_norm", self.final_norm.gain.size)] if self.final_norm is not None else []
        for n, layer in enumerate(self.layers):
            for name, norm in (
                ("attention_norm", layer.attention_norm),
                ("feed_forward_norm", layer.feed_forward_norm),
            ):
                sizes += [(f"layers.{n}.{name}", norm.gain.size)] if norm is not None else []
            sizes += [(f"layers.{n}.attention", layer.attention.query.inputs)] if layer.attention is not None else []
            sizes += [(f"layers.{n}.feed_forward", layer.feed_forward.up.inputs)] if layer.feed_forward else []
        return sizes

    @property
    def dim(self) -> int:
        """Coordinates of the model."""
        return int(self.embedding.shape[1])
