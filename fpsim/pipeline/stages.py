"""The stages of a pipeline: in which value set a stack computes each of them, and how.

A stage's set is a `ValueSet`, its text, or `MODEL`, the data type of the model, which is known only when a rotation is
made.  In the order of computation, for the pair d (0, 1, ..) and the position i:

exponent, power, result   the chain of operations that makes the inverse frequency; `Chain.kind` says which (below)
stored                    the buffer that holds the inverse frequency (or, for "divide", the time scale)
position                  i
operands                  both operands of the product, rounded before it (None: they are taken as they are)
phase                     the product of position and inverse frequency
trig                      cos and sin of the phase
attention                 their product with the attention factor of a scaling, where that is not 1
table                     cos and sin as they are stored: the entries of the realized block
rotate                    the products and sums of the application to a query or a key (`fpsim.regime`)

Kinds of chain, A = `exponent`, B = `power`, C = `result`, each operation rounded into the set named:

exact            theta, the exact angle, rounded once into `stored`
power            1 / base^(2d/dim): e = A(2d/dim), p = B(B(base)^e), C(1/p)
scale-power      s = B(B(base)^A(-2/dim)), C(s^d)
running-product  the same s; no inverse frequency: the phase is i, multiplied by s d times, each product rounded
exp-log          exp(-d log(base)/(dim/2)): l = A(log A(base)), q = A(l/(dim/2)), x = B(-d q), C(exp x)
divide           T = B(B(base)^A(2d/dim)), the time scale; the phase is i/T, one division

Where the factor f of linear scaling enters (`linear`): "angle", the inverse frequency over f (or T times f), in
`result` (not for "running-product"); "position", i over f, or "position-product", i times the rounded 1/f; "phase" and
"phase-product" likewise.
"""

from __future__ import annotations

from dataclasses import dataclass, fields
from typing import Literal, TypeAlias, get_args

from fpsim.errors import InputError
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["MODEL", "Chain", "ChainKind", "Linear", "Place", "StageSets", "Stages"]

ChainKind: TypeAlias = Literal["exact", "power", "scale-power", "running-product", "exp-log", "divide"]
Linear: TypeAlias = Literal["angle", "position", "position-product", "phase", "phase-product"]
Place: TypeAlias = ValueSet | str
"""A value set, its text, or `MODEL`."""

MODEL = "model"
"""The data type of the model, in the place of a value set."""


@dataclass(frozen=True)
class Chain:
    """How an inverse frequency is computed, and in which sets.  Raises `InputError` for a kind that is not known."""

    kind: ChainKind = "power"
    exponent: Place = "fp32"
    power: Place = "fp32"
    result: Place = "fp32"

    def __post_init__(self) -> None:
        if self.kind not in get_args(ChainKind):
            raise InputError("chain", self.kind, f"one of {', '.join(get_args(ChainKind))}")


@dataclass(frozen=True)
class StageSets:
    """The value set of each stage, once the data type of the model is known; `operands` None: not rounded."""

    exponent: ValueSet
    power: ValueSet
    result: ValueSet
    stored: ValueSet
    position: ValueSet
    operands: ValueSet | None
    phase: ValueSet
    trig: ValueSet
    attention: ValueSet
    table: ValueSet
    rotate: ValueSet


@dataclass(frozen=True)
class Stages:
    """How a stack computes a rotation, stage by stage; by default all of it in fp32, cast to the model's type last.

    Raises `InputError` where a text names no value set, or a kind is not known.

    >>> sets = Stages(position="bf16").at(ValueSet.parse("fp16"))
    >>> sets.position.name, sets.phase.name, sets.table.name
    ('bf16', 'fp32', 'fp16')
    """

    chain: Chain = Chain()
    stored: Place = "fp32"
    position: Place = "fp32"
    operands: Place | None = None
    phase: Place = "fp32"
    trig: Place = "fp32"
    attention: Place = "fp32"
    table: Place = MODEL
    rotate: Place = MODEL
    linear: Linear = "angle"

    def __post_init__(self) -> None:
        if self.linear not in get_args(Linear):
            raise InputError("linear", self.linear, f"one of {', '.join(get_args(Linear))}")
        if not isinstance(self.chain, Chain):
            raise InputError("chain", self.chain, 'a Chain, such as Chain("power")')
        self.at(value_set("fp32"))  # every text is read once, so that a wrong one is refused here

    def at(self, model: ValueSet) -> StageSets:
        """The value sets, for a model of this data type."""

        def pick(place: Place) -> ValueSet:
            return model if isinstance(place, str) and place == MODEL else value_set(place)

        chosen = {f.name: pick(getattr(self, f.name)) for f in fields(self) if f.name in _SET_FIELDS}
        operands = None if self.operands is None else pick(self.operands)
        chain = self.chain
        return StageSets(pick(chain.exponent), pick(chain.power), pick(chain.result), operands=operands, **chosen)


_SET_FIELDS = ("stored", "position", "phase", "trig", "attention", "table", "rotate")
