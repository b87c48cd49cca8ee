"""What a whole transformer computes in: the regime of its heads, and the set of everything between them.

`regime` has the value sets of the stages of a head ("semantics 1", §4) and the order of sums over positions, those of
the softmax and of the weighted values (§6).  `linear` has matrix products, biases, residual sums, the feed-forward
network and layer norms; each result is then rounded into `regime.values`.  `dot` is the order of sums over coordinates:
of matrix products, of norms and of scores.  With `regime.fma` every product after the first of a sum of products
is fused with the sum.
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from fpsim.errors import InputError, UnsupportedError
from fpsim.regime import Regime
from fpsim.sums import Order, parse_order
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["Precision"]

_ONE_CHAIN = ("sequential", "reverse", "wide")


@dataclass(frozen=True)
class Precision:
    """The regime of the heads, the value set of the rest, and the order of sums over coordinates.

    Raises `UnsupportedError` for stochastic rounding, and for `fma` in an order that has no single chain of sums.

    >>> str(Precision.of("bf16", score="fp32", softmax="fp32"))
    'bf16, score fp32, softmax fp32'
    """

    regime: Regime
    linear: ValueSet
    dot: Order = Order("sequential")

    def __post_init__(self) -> None:
        self.regime.require_deterministic()
        sets = {"linear": self.linear, "accumulator": self.dot.accumulator}
        for stage, values in sets.items():
            if values is not None and values.rounding == "stochastic":
                raise UnsupportedError(f"stage {stage}: {values.name} rounds stochastically; a model needs a function")
        for order in (self.regime.order, self.dot):
            if self.regime.fma and order.kind not in _ONE_CHAIN:
                raise UnsupportedError(f"fma in the order {order}: only {', '.join(_ONE_CHAIN)} sums have one chain")

    @staticmethod
    def of(
        dtype: ValueSet | str,
        *,
        rotate: ValueSet | str | None = None,
        score: ValueSet | str | None = None,
        softmax: ValueSet | str | None = None,
        output: ValueSet | str | None = None,
        linear: ValueSet | str | None = None,
        fma: bool = False,
        order: Order | str = "sequential",
        dot: Order | str = "sequential",
    ) -> Precision:
        """`dtype` in every stage but those that are named; raises `InputError` for what is no value set or order."""
        if not isinstance(fma, bool):
            raise InputError("fma", fma, "True or False")
        regime = Regime.of(dtype, rotate=rotate, score=score, softmax=softmax, output=output, fma=fma, order=order)
        return Precision(regime, regime.values if linear is None else value_set(linear), parse_order(dot))

    def changed(
        self,
        dtype: ValueSet | str | None = None,
        *,
        rotate_dtype: ValueSet | str | None = None,
        score_dtype: ValueSet | str | None = None,
        softmax_dtype: ValueSet | str | None = None,
        output_dtype: ValueSet | str | None = None,
        linear_dtype: ValueSet | str | None = None,
        order: Order | str | None = None,
        dot: Order | str | None = None,
        fma: bool | None = None,
    ) -> Precision:
        """The precision with some of it changed; None: as it is.

        dtype: the value set of every stage, but for those that have an argument of their own.  The orders of sums and
        `fma` stay what they are when they are not given.

        >>> str(Precision.of("fp16", score="fp32").changed("bf16", linear_dtype="fp32"))
        'bf16, linear fp32'
        """
        named = {"rotate": rotate_dtype, "score": score_dtype, "softmax": softmax_dtype, "output": output_dtype}
        named["linear"] = linear_dtype
        sets = dict(self.stages) if dtype is None else dict.fromkeys(self.stages, value_set(dtype))
        sets |= {stage: value_set(each) for stage, each in named.items() if each is not None}
        linear = sets.pop("linear")
        regime = replace(
            self.regime,
            **sets,
            fma=self.regime.fma if fma is None else fma,
            order=self.regime.order if order is None else parse_order(order),
        )
        return Precision(regime, linear, self.dot if dot is None else parse_order(dot))

    @property
    def values(self) -> ValueSet:
        """The set of parameters and of what is stored between stages."""
        return self.regime.values

    @property
    def stages(self) -> dict[str, ValueSet]:
        """Stage name to value set."""
        return {**self.regime.stages, "linear": self.linear}

    def __str__(self) -> str:
        parts = [self.values.name]
        parts += [f"{stage} {each.name}" for stage, each in self.stages.items() if each != self.values]
        parts += [f"order {self.regime.order}"] if self.regime.order != Order("sequential") else []
        parts += [f"dot {self.dot}"] if self.dot != Order("sequential") else []
        return ", ".join(parts + (["fma"] if self.regime.fma else []))
