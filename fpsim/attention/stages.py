"""The stages of a transformer as compiled kernels take them: a spec for each, and a way of summing (`Dot`).

A `Kernels` is found once for a `Precision`.  Its `product` sets are where operands may come from another set (the
values): there the spec is one whose operations take any binary64 operands, unless the products of two values are exact
in binary64 and so rounded once anyway (at most 26 bits each, within 2^-450 .. 2^451: `fpsim.rounding.specs`).
"""

from __future__ import annotations

from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from fpsim.attention.dots import Dot, Fused, Sum, sum_of
from fpsim.precision import Precision
from fpsim.rounding.kinds import Binary32, NearestFloat, Spec
from fpsim.rounding.specs import general_spec_of, spec_of
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["Kernels", "kernels_of"]


class Kernels(NamedTuple):
    """values: of what is stored.  score: a query times a key.  difference: S - m.  softmax: exp and the division.

    denominator: the sum of exponentials.  output: weights times values.  linear: matrix products.  combine: biases,
    with any operands.  stage: of the results of `linear` and `norm`.  norm: the sums of coordinates of a norm.
    """

    values: Spec
    score: Dot
    difference: Spec
    softmax: Spec
    denominator: Sum
    output: Dot
    linear: Dot
    combine: Spec
    stage: Spec
    norm: Sum

    @property
    def dtype(self) -> Any:
        """What arrays hold: binary32 where every stage is fp32, else binary64."""
        dots = (self.score, self.denominator, self.output, self.linear, self.norm)
        specs = [self.values, self.difference, self.softmax, self.combine]
        specs += [each for dot in dots for each in dot if isinstance(each, tuple)]
        return np.float32 if all(isinstance(spec, Binary32) for spec in specs) else np.float64


def kernels_of(precision: Precision) -> Kernels | None:
    """The specs of all stages, or None where some set has none, and only the reference arithmetic serves it.

    >>> kernels_of(Precision.of("fp32")).dtype.__name__, kernels_of(Precision.of("fp128"))
    ('float32', None)
    """
    return _kernels_of(precision)


@lru_cache(maxsize=64)
def _kernels_of(precision: Precision) -> Kernels | None:
    regime, linear = precision.regime, precision.linear
    values, fma = regime.values, regime.fma
    sets = [each for stage, each in precision.stages.items() if stage != "rotate"]  # rotations: `arithmetic`
    sets += [order.accumulator for order in (regime.order, precision.dot) if order.accumulator is not None]
    specs: dict[ValueSet, Any] = {each: spec_of(each) for each in sets}
    if any(spec is None for spec in specs.values()):
        return None

    def with_operands_of(operands: ValueSet, stage: ValueSet) -> Any:
        return specs[stage] if operands == stage else general_spec_of(stage)

    def sums(stage: ValueSet, order: Order, product: Any) -> Sum:
        # Terms of a sum in the set itself are its values; those of a wide accumulator are rounded into it first.
        return sum_of(order, product, specs[stage], None if order.accumulator is None else specs[order.accumulator])

    def dot(stage: ValueSet, order: Order) -> Dot:
        exact = isinstance(specs[values], Binary32 | NearestFloat)
        if fma:
            chain = stage if order.accumulator is None else order.accumulator
            total: Any = specs[chain] if exact else general_spec_of(chain)
            return Fused(total, specs[stage], order.kind == "reverse", order.accumulator is not None)
        return sums(stage, order, specs[stage] if exact else with_operands_of(values, stage))

    return Kernels(
        values=specs[values],
        score=dot(regime.score, precision.dot),
        difference=with_operands_of(regime.score, regime.softmax),
        softmax=specs[regime.softmax],
        denominator=sums(regime.softmax, regime.order, specs[regime.softmax]),
        output=dot(regime.output, regime.order),
        linear=dot(linear, precision.dot),
        combine=with_operands_of(values, linear),
        stage=specs[linear],
        norm=sums(linear, precision.dot, specs[linear]),
    )
