"""The stable softmax of Eq. 2 of arXiv:2608.11909, every operation rounded: the reference.

With m the greatest score, e_j = round(exp(round(S_j - m))), Z the rounded sum of the e_j in the regime's order, and the
weight of j is round(e_j / Z), rounded once more into the set of the stored values ("semantics 1", §6).
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from fpsim import reference
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.sums import ordered_sum

__all__ = ["Softmax", "softmax"]


@dataclass(frozen=True)
class Softmax:
    """Weights of a row of scores, with the exponentials and the denominator they come from."""

    weights: tuple[Element, ...]
    exponentials: tuple[Element, ...]
    denominator: Element


def softmax(regime: Regime, scores: Sequence[Element]) -> Softmax:
    """The realized stable softmax of `scores`, values of `regime.score`.  A NaN score makes every weight NaN.

    >>> from gmpy2 import mpq
    >>> softmax(Regime.of("fp16"), [mpq(0), mpq(18)]).weights
    (mpq(0,1), mpq(1,1))
    """
    nan = float("nan")
    if any(is_nan(score) for score in scores):
        return Softmax((nan,) * len(scores), (nan,) * len(scores), nan)
    greatest = max(scores)
    exponentials = tuple(
        reference.exp(regime.softmax, reference.sub(regime.softmax, score, greatest)) for score in scores
    )
    denominator = ordered_sum(regime.softmax, exponentials, regime.order)
    weights = tuple(round_exact(regime.values, reference.div(regime.softmax, e, denominator)) for e in exponentials)
    return Softmax(weights, exponentials, denominator)
