"""When a query position fails: the reference, pair by pair and weight by weight.

Criterion `gap` (Eq. 10): a pair (i, j) fails unless both scores are finite and S(i, i-k) - S(i, j) >= f_large, the
difference being exact.  Criterion `weight`: query i fails unless the realized stable softmax gives weight exactly 1 to
i-k and exactly 0 to every other j.
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

from gmpy2 import mpq

from certify.certified_range.result import Witness
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, is_nan
from fpsim.softmax import softmax

__all__ = ["Failure", "failing_gap", "failing_weight", "is_finite"]


@dataclass(frozen=True)
class Failure:
    """The first failing pair, and why when it is more than a gap that is too small."""

    witness: Witness
    reason: str | None


def is_finite(x: Element) -> bool:
    """Whether x is a rational (or -0)."""
    return not isinstance(x, float) or math.isfinite(x)


def failing_gap(scores: Sequence[Element], i: int, offset: int, threshold: mpq) -> Failure | None:
    """The first failing pair of query i under the criterion `gap`, given S(i, j) for j = 0..i-1."""
    target = scores[i - offset]
    for j, score in enumerate(scores):
        if j != i - offset and not (is_finite(target) and is_finite(score) and target - score >= threshold):
            return Failure(Witness(i, j, target, score), non_finite_reason(target, score, i, i - offset, j))
    return None


def failing_weight(regime: Regime, scores: Sequence[Element], i: int, offset: int) -> Failure | None:
    """The failing pair of query i under the criterion `weight`.

    It is the least competitor with a weight other than 0; when all of those are 0 and only the target's weight is not
    1, the least competitor whose exponential is not 0, which is what the denominator is made of.
    """
    row = softmax(regime, scores)
    goal = i - offset
    others = [j for j in range(i) if j != goal]
    wrong = [j for j in others if row.weights[j] != 0]
    if not wrong and row.weights[goal] == 1:
        return None
    wrong = wrong or [j for j in others if row.exponentials[j] != 0] or others
    j = wrong[0]
    witness = Witness(i, j, scores[goal], scores[j], row.weights[goal], row.weights[j])
    reason = non_finite_reason(scores[goal], scores[j], i, goal, j)
    if reason is None and is_nan(row.weights[goal]):
        reason = f"the weight of the target {goal} is NaN at query {i} (denominator {row.denominator})"
    if reason is None and row.weights[goal] != 1:
        reason = (
            f"the weight of the target is {float(row.weights[goal]):g}, not 1, at query {i} (denominator "
            f"{float(row.denominator):g})"
        )
    return Failure(witness, reason)


def non_finite_reason(target: Element, competitor: Element, i: int, goal: int, j: int) -> str | None:
    """Which score is NaN or infinite, in words; None when both are finite."""
    for role, score, position in (("target", target, goal), ("competitor", competitor, j)):
        if not is_finite(score):
            what = "NaN" if is_nan(score) else f"infinite ({score})"
            return f"the score of the {role} (position {position}) is {what} at query {i}"
    return None
