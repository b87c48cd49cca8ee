"""A precision regime: which value set each stage of a head computes in ("semantics 1", §4).

`values` holds parameters, realized cosines and sines, stored queries and keys, and the final weights.  `rotate` has the
products and sums of the rotation, whose results are then rounded into `values`; `score` those of the scores, which stay
there; `softmax` the difference S - m, its exponential, the sum and the division; `output` the weighted sum of values.
The paper's model (§2.2 of arXiv:2608.11909) sets all of them to one F.
"""

from __future__ import annotations

from dataclasses import dataclass, fields

from fpsim.errors import UnsupportedError
from fpsim.sums import Order, parse_order
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["Regime"]


@dataclass(frozen=True)
class Regime:
    """The value sets of the five stages, whether the score's second product is fused (`fma`), and the order of sums."""

    values: ValueSet
    rotate: ValueSet
    score: ValueSet
    softmax: ValueSet
    output: ValueSet
    fma: bool = False
    order: Order = Order("sequential")

    @staticmethod
    def of(
        dtype: ValueSet | str,
        *,
        rotate: ValueSet | str | None = None,
        score: ValueSet | str | None = None,
        softmax: ValueSet | str | None = None,
        output: ValueSet | str | None = None,
        fma: bool = False,
        order: Order | str = "sequential",
    ) -> Regime:
        """The regime with `dtype` in every stage but those that are named.

        >>> Regime.of("bf16", score="fp32").score.name
        'fp32'
        """
        values = value_set(dtype)

        def pick(stage: ValueSet | str | None) -> ValueSet:
            return values if stage is None else value_set(stage)

        return Regime(values, pick(rotate), pick(score), pick(softmax), pick(output), fma, parse_order(order))

    @property
    def stages(self) -> dict[str, ValueSet]:
        """Stage name to value set."""
        return {f.name: getattr(self, f.name) for f in fields(self) if f.name not in ("fma", "order")}

    @property
    def uniform(self) -> bool:
        """Whether every stage has the same value set, as in the paper."""
        return len(set(self.stages.values())) == 1

    def require_deterministic(self) -> None:
        """Raise `UnsupportedError` when a stage rounds stochastically: no claim can be made of one run's luck."""
        stages = dict(self.stages)
        if self.order.accumulator is not None:
            stages["wide accumulator"] = self.order.accumulator
        for stage, values in stages.items():
            if values.rounding == "stochastic":
                raise UnsupportedError(
                    f"stage {stage}: {values.name} rounds stochastically, and a claim needs a rounding "
                    "that is a function; choose :even, :away, :zero, :up, :down or :odd"
                )
