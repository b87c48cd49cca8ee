"""The parts of a transformer as plain data: linear maps, norms, rotations, attention, feed-forward networks, layers.

A linear map has weights of shape (out, in), as torch has them; the parts of the heads follow one another in `out`.
Arrays are binary64, or of exact numbers (objects) where F has values that binary64 does not hold.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import parse_count
from fpsim.operands import Array, as_array, elements_of
from fpsim.realization import Kind, parse_kind
from fpsim.rounding.reference import Element

__all__ = [
    "Attention",
    "FeedForward",
    "Layer",
    "Linear",
    "Norm",
    "Rotary",
    "Sinusoidal",
    "elements",
    "parameter",
    "require",
]


def parameter(x: Any, what: str, ndim: int) -> Array:
    """A read-only copy of x, every number taken exactly."""
    array = as_array(x, what)
    if array.ndim != ndim:
        raise InputError(what, f"{array.ndim} dimensions", f"an array of {ndim}")
    array = np.array(array, dtype=object if array.dtype == object else np.float64)
    array.setflags(write=False)
    return array


def require(what: str, part: object, kind: type, *, optional: bool = False) -> None:
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
        object.__setattr__(self, "weight", parameter(self.weight, "weight", 2))
        if self.bias is not None:
            object.__setattr__(self, "bias", parameter(self.bias, "bias", 1))
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
        object.__setattr__(self, "gain", parameter(self.gain, "gain", 1))
        epsilon = np.atleast_1d(as_array(self.epsilon if np.ndim(self.epsilon) else [self.epsilon], "epsilon"))
        object.__setattr__(self, "epsilon", parameter(epsilon, "epsilon", 1))
        if self.epsilon.shape != (1,) or not self.epsilon[0] >= 0:
            raise InputError("epsilon", self.epsilon.tolist(), "one number, at least 0")
        if self.bias is not None:
            object.__setattr__(self, "bias", parameter(self.bias, "bias", 1))
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
            require(name, getattr(self, name), Linear)
        require("rotary", self.rotary, Rotary, optional=True)
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
        require("up", self.up, Linear)
        require("down", self.down, Linear)
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
        require("attention", self.attention, Attention, optional=True)
        require("feed_forward", self.feed_forward, FeedForward, optional=True)
        for name, part in (("attention", self.attention), ("feed_forward", self.feed_forward)):
            norm = getattr(self, f"{name}_norm")
            require(f"{name}_norm", norm, Norm, optional=True)
            if norm is not None and part is None:
                raise InputError(f"{name}_norm", "a norm", f"None, as there is no {name}")
