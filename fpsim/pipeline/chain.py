"""The inverse frequency of a pair as a stack computes it: one rounded operation after another (`stages` lists them).

2d, dim and d themselves are taken exactly: they are values of every set that a stack uses here, up to 256 in bf16.
"""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from fpsim import reference
from fpsim.pipeline.power import rounded_log, rounded_power
from fpsim.pipeline.stages import ChainKind, StageSets
from fpsim.rounding.reference import Element, round_exact

__all__ = ["Frequency", "inverse_frequency", "scale", "time_scale"]


@dataclass(frozen=True)
class Frequency:
    """What the chain starts from: pair d = `pair` of a schedule base^(-2d/dim), with `exponent` = 2d/dim."""

    base: mpq
    exponent: mpq
    pair: int

    @property
    def step(self) -> mpq:
        """2/dim; for the pair 0, whose power is 1 whatever it is, 0."""
        return self.exponent / self.pair if self.pair else mpq(0)


def inverse_frequency(kind: ChainKind, sets: StageSets, of: Frequency) -> Element:
    """The result of the chain "power", "scale-power" or "exp-log".

    >>> from fpsim.pipeline.stages import Stages
    >>> from fpsim.valueset import ValueSet
    >>> fp32 = Stages().at(ValueSet.parse("fp32"))
    >>> pair = Frequency(mpq(10000), mpq(32, 64), 32)
    >>> [float(inverse_frequency(kind, fp32, pair)) for kind in ("power", "scale-power", "exp-log")]
    [0.009999999776482582, 0.010000010952353477, 0.009999999776482582]
    """
    if kind == "power":
        return reference.div(sets.result, mpq(1), time_scale(sets, of))
    if kind == "scale-power":
        return rounded_power(sets.result, scale(sets, of), mpq(of.pair))
    assert kind == "exp-log"
    logarithm = rounded_log(sets.exponent, round_exact(sets.exponent, of.base))
    # For the pair 0 any dim does: its product is 0, or NaN where the logarithm is infinite.
    each = reference.div(sets.exponent, logarithm, 1 / of.step if of.pair else mpq(1))
    return reference.exp(sets.result, reference.mul(sets.power, mpq(-of.pair), each))


def time_scale(sets: StageSets, of: Frequency) -> Element:
    """base^(2d/dim), exponent and power rounded: T of the chain "divide", p of "power"."""
    exponent = round_exact(sets.exponent, of.exponent)
    return rounded_power(sets.power, round_exact(sets.power, of.base), exponent)


def scale(sets: StageSets, of: Frequency) -> Element:
    """s = base^(-2/dim), exponent and power rounded: the ratio of neighbouring inverse frequencies."""
    return rounded_power(sets.power, round_exact(sets.power, of.base), round_exact(sets.exponent, -of.step))
