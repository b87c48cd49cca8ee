"""The weights of a head with equal scores against the number of keys: they stop falling where the sum stagnates."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from fpsim import reference
from fpsim.number import json_number, parse_count
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, round_exact
from fpsim.stagnation import stagnation_point
from fpsim.valueset import ValueSet

__all__ = ["UniformWeights", "uniform_weights"]


@dataclass(frozen=True)
class UniformWeights:
    """Of one value set: weights[n - 1] is the weight of each of n keys, for n = 1, 2, ...; all sums from left to right.

    stagnation: the limit of the denominator (`fpsim.stagnation`); None where its sum has none.
    """

    dtype: str
    weights: tuple[Element, ...]
    stagnation: Element | None

    def to_json(self) -> dict[str, Any]:
        """{"dtype", "weights", "stagnation"}."""
        limit = None if self.stagnation is None else json_number(self.stagnation)
        return {"dtype": self.dtype, "weights": [json_number(w) for w in self.weights], "stagnation": limit}


def uniform_weights(dtypes: Iterable[ValueSet | str], keys: int) -> tuple[UniformWeights, ...]:
    """The curve of each value set for 1 .. `keys` keys.

    >>> (curve,) = uniform_weights(["e5m2"], 12)
    >>> [float(w) for w in curve.weights[5:]]
    [0.15625, 0.15625, 0.125, 0.125, 0.125, 0.125, 0.125]
    """
    parse_count(keys, "keys")
    return tuple(_curve(Regime.of(dtype), keys) for dtype in dtypes)


def _curve(regime: Regime, keys: int) -> UniformWeights:
    regime.require_deterministic()
    return UniformWeights(regime.values.name, tuple(_weights(regime.values, keys)), stagnation_point(regime.values))


def _weights(values: ValueSet, keys: int) -> Iterator[Element]:
    one = reference.exp(values, mpq(0))
    total, before = one, None
    weight: Element = one
    for _ in range(keys):
        if total != before:  # from there on it stays
            weight = round_exact(values, reference.div(values, one, total))
        yield weight
        before, total = total, reference.add(values, total, one)
