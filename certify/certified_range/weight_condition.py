"""When every gap of a query suffices for exact hard selection, and the weights of one query from a few of its scores.

Lemma.  Let f = f_large of the softmax stage W, and suppose

 (a) -f and 1 are values of W, 1 is one of `values`, and, for sums with a wide accumulator, of that;
 (b) no difference of two scores becomes NaN in W;
 (c) W takes every score as it is: under `ftz`, no score other than 0 is below the least normal value of W.

If all scores of query i are finite and S(i, i-k) - S(i, j) >= f for every j /= i-k, the realized softmax gives i-k
weight 1 and every other j weight 0.  Proof: m = S(i, i-k).  S(i, j) - m <= -f rounds to at most -f by (a), since
rounding is monotone, or to -inf; exp of that is at most exp(-f), which rounds to 0 by the definition of f_large, so e_j
= 0.  The target's S - m = 0 is exact, e = round(1) = 1.  Every order adds zeros to a 1: Z = 1, 1/Z = 1, 0/Z = 0, all
exact.

More generally, under (a)-(c) e_j = 0 whenever S(i, i-k) - S(i, j) >= f, as m >= S(i, i-k).  So the weights of a query
depend on the scores of the target and of the competitors with a smaller gap only, and on their places where the order
of the sum looks at them (adding a zero changes nothing): `failing_weight_of_near` never looks at the rest.
"""

from __future__ import annotations

from collections.abc import Mapping

from gmpy2 import mpq

from certify.certified_range.failure import Failure, non_finite_reason
from certify.certified_range.question import AnyQuestion
from certify.certified_range.result import Witness
from fpsim import reference
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.sums import ordered_sum, parse_order

__all__ = ["failing_weight_of_near", "obstacle"]


def obstacle(question: AnyQuestion, greatest: mpq | None = None) -> str | None:
    """Why the lemma cannot be used for this question, or None when it can.

    greatest: a bound on the magnitude of the scores; without it (b) is asked of all values of the score stage.
    """
    regime, threshold = question.regime, question.threshold
    softmax, score = regime.softmax, regime.score
    if threshold is None:
        return f"{softmax.name} has no f_large"
    sets = [softmax, regime.values] + ([regime.order.accumulator] if regime.order.accumulator else [])
    for values in sets:
        if mpq(1) not in values:
            return f"1 is not a value of {values.name}"
    if -threshold not in softmax:
        return f"-f_large is not a value of {softmax.name}"
    least_difference = score.min - score.max if greatest is None else max(-2 * greatest, score.min - score.max)
    if is_nan(round_exact(softmax, least_difference)):
        return f"the difference of two scores can become NaN in {softmax.name}"
    n = score.least_index
    least = [abs(score.value(index)) for index in (n, -n) if score.first <= index <= score.last]
    if softmax.ftz and softmax.min_normal is not None and least and min(least) < softmax.min_normal:
        return f"{softmax.name} takes small scores as 0"
    return None


def failing_weight_of_near(
    question: AnyQuestion, i: int, target: Element, near: Mapping[int, Element]
) -> Failure | None:
    """The failing pair of query i under `weight`, as `failing_weight` of its whole row finds it.

    near: position to score, for all competitors with S(i, i-k) - S(i, j) < f_large at least.  All scores are finite,
    and `obstacle` is None.
    """
    regime, goal = question.regime, i - question.offset
    scores = dict(near) | {goal: target}
    greatest = max(scores.values())
    exponentials = {
        j: reference.exp(regime.softmax, reference.sub(regime.softmax, score, greatest)) for j, score in scores.items()
    }
    nonzero = {j: e for j, e in sorted(exponentials.items()) if e != 0}
    denominator = _sum(regime, nonzero)
    weights = {
        j: round_exact(regime.values, reference.div(regime.softmax, e, denominator)) for j, e in exponentials.items()
    }
    wrong = [j for j in sorted(near) if weights[j] != 0]
    if not wrong and weights[goal] == 1:
        return None
    least = 0 if goal else 1
    wrong = wrong or [j for j in nonzero if j != goal] or [least]
    j = least if is_nan(denominator) else wrong[0]  # over a NaN even the zeros become NaN
    if j not in scores:
        scores[j], weights[j] = question.head.score(i, j), denominator if is_nan(denominator) else mpq(0)
    witness = Witness(i, j, target, scores[j], weights[goal], weights[j])
    reason = non_finite_reason(target, scores[j], i, goal, j)
    if reason is None and is_nan(weights[goal]):
        reason = f"the weight of the target {goal} is NaN at query {i} (denominator {denominator})"
    if reason is None and weights[goal] != 1:
        weight, total = float(weights[goal]), float(denominator)
        reason = f"the weight of the target is {weight:g}, not 1, at query {i} (denominator {total:g})"
    return Failure(witness, reason)


def _sum(regime: Regime, terms: Mapping[int, Element]) -> Element:
    """The ordered sum of a row whose terms are 0 but for these (position to term, positions rising)."""
    order = regime.order
    if order.kind == "blocked":
        blocks: dict[int, list[Element]] = {}
        for j, term in terms.items():
            blocks.setdefault(j // order.block, []).append(term)
        sequential = parse_order("sequential")
        return ordered_sum(
            regime.softmax, [ordered_sum(regime.softmax, block, sequential) for block in blocks.values()], sequential
        )
    if order.kind != "pairwise":
        return ordered_sum(regime.softmax, list(terms.values()), order)
    level = dict(terms)
    while len(level) > 1:  # position j goes to j // 2, alone or with its neighbour
        above: dict[int, Element] = {}
        for j, term in level.items():
            above[j // 2] = reference.add(regime.softmax, above[j // 2], term) if j // 2 in above else term
        level = above
    return next(iter(level.values()))
