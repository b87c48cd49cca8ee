"""Positions as far as a model can tell them apart: mu of them, and then lambda that repeat.

A model meets a position only through its realized blocks.  Where every block R_i of its pairs has R_{i + lambda} = R_i
for all i >= mu, positions i and i + lambda are the same to it.  The pre-period and the period of each pair are proved
for all positions by `certify.periodicity`; together they have the greatest pre-period and the lcm of the periods.  (Two
blocks are equal there when they differ in the sign of a zero.  So they are here: a sign of a zero reaches scores and
encodings only, and from there nothing but the sign of another zero, for no quotient of the model is by -0: denominators
and deviations are sums of numbers >= 0.)

`ideal` and `table` of an angle 2 pi a / m repeat after m by definition, with mu = 0.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from certify.periodicity.component import decide
from certify.verifying.limits import BeyondLimitError, Limits
from fpsim.operands import Array
from fpsim.realization import Ideal, Realization
from fpsim.transformer.model import Transformer
from fpsim.transformer.parts import Attention
from fpsim.transformer.rotation import encodings, realized_blocks, rotations

__all__ = ["Positions", "known_positions"]


@dataclass(frozen=True, eq=False)
class Positions:
    """preperiod: mu.  period: lambda.  Classes of positions are 0, .., mu + lambda - 1.

    turns: for each layer, head and pair (cos, sin) of every class, or None for an unrotated pair; None for a layer
    without rotations.  encodings: what is added to the embedding, (classes, dim), and in which coordinates.
    """

    preperiod: int
    period: int
    turns: tuple[tuple[tuple[tuple[Array, Array] | None, ...], ...] | None, ...]
    encodings: tuple[Array, Array] | None

    @staticmethod
    def of(model: Transformer, limits: Limits) -> Positions:
        """The positions of a model.  Raises `BeyondLimitError` where they do not repeat, or not within the limits."""
        preperiod, period = 0, 1
        for pair in dict.fromkeys(_pairs(model)):
            mu, repeats = _repeats(pair)
            preperiod, period = max(preperiod, mu), lcm(period, repeats)
            if preperiod + period > limits.positions:
                raise BeyondLimitError(
                    f"the realized blocks take more than {limits.positions} positions before they repeat"
                )
        return Positions._realized(model, preperiod, period)

    @staticmethod
    def first(model: Transformer, count: int) -> Positions:
        """The positions 0 .. count-1 alone, whether they repeat or not; each is a class of its own."""
        return Positions._realized(model, count - 1, 1)

    @staticmethod
    def _realized(model: Transformer, preperiod: int, period: int) -> Positions:
        count = preperiod + period
        rotary = [_rotations(model, layer.attention) for layer in model.layers]
        turns = tuple(
            None
            if layer is None
            else tuple(tuple(None if r is None else realized_blocks(r, count) for r in head) for head in layer)
            for layer in rotary
        )
        added = None if model.position is None else encodings(model.precision, model.position, count, model.dim)
        return Positions(preperiod, period, turns, added)

    def of_position(self, i: int) -> int:
        """The class of position i."""
        return i if i < self.preperiod else self.preperiod + (i - self.preperiod) % self.period

    def after(self, each: int) -> int:
        """The class of the position after one of this class."""
        return each + 1 if each + 1 < self.preperiod + self.period else self.preperiod

    def __len__(self) -> int:
        return self.preperiod + self.period


def known_positions(model: Transformer) -> int | None:
    """At how many positions every realized block of the model is known; None: at all of them."""
    lengths = [pair.length for pair in _pairs(model) if pair.length is not None]
    return min(lengths) if lengths else None


def _pairs(model: Transformer) -> list[Realization]:
    """The realized pairs of all layers and of the encodings."""
    layers = [_rotations(model, layer.attention) for layer in model.layers]
    pairs = [each for layer in layers if layer for head in layer for each in head if each is not None]
    if model.position is not None:
        kind, values = model.position.kind, model.precision.values
        pairs += [kind.rotation(angle, values, pair) for pair, angle in enumerate(model.position.angles)]
    return pairs


def _rotations(model: Transformer, attention: Attention | None) -> list[list[Realization | None]] | None:
    if attention is None or attention.rotary is None:
        return None
    return [rotations(model.precision, attention.rotary.kind, head) for head in attention.rotary.angles]


def _repeats(pair: Realization) -> tuple[int, int]:
    """(mu, lambda) of one pair."""
    if isinstance(pair, Ideal) and pair.angle.turns is not None:
        return 0, int(pair.angle.turns.denominator)
    verdict = decide(pair)
    if verdict.eventual_period is None or verdict.preperiod is None or verdict.verdict == "window-only":
        raise BeyondLimitError(
            f"the rotation by the angle {pair.angle.brief(40)}, realized as {pair.name}, is not known to repeat: "
            f"{verdict.because}"
        )
    return verdict.preperiod, verdict.eventual_period
