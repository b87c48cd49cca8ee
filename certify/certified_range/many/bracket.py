"""A bracket lower <= N_max <= upper for a head on several pairs, from simultaneous near-returns.

As for one pair (`certify.certified_range.bracket`), with the bounds of `many.error_bound` and y(n) the sum over the
pairs: n1 is the least n with y(n) < near, n* the least with y(n) < sure.  Both are searched for up to a limit, since no
formula gives them; if no n up to the limit has y(n) < near, then all queries up to limit + k hold.

Further upper ends.  If every angle is a rational multiple of pi, the keys of `ideal` return exactly after the
common period m, so the query m + k fails (or the first one, if m < k).  By counting (`pigeonhole`), the D rotated pairs
have at most (4A)^D different keys together.  And probes: a few pairs at the first near-returns, computed exactly.
"""

from __future__ import annotations

from itertools import islice

from certify.certified_range.bracket import Bracket
from certify.certified_range.error_bound import ErrorBounds
from certify.certified_range.exact_arithmetic import range_of_first_return
from certify.certified_range.failure import is_finite
from certify.certified_range.many.error_bound import LAST_QUERY, many_error_bounds
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.many.returns import SearchPlan, candidates, common_period, first_return
from certify.certified_range.pigeonhole import keys_at_most, reason_of_repetition
from certify.certified_range.result import Witness
from certify.certified_range.weight_condition import obstacle
from fpsim.realization import traits_of

__all__ = ["many_bracket"]

_PLACES = 8  # near-returns that are probed, and queries after each of them


def many_bracket(question: ManyQuestion, farthest: int | None = None) -> Bracket:
    """The bracket; the threshold must exist.  farthest: how far near-returns are searched for.

    >>> from fpsim.angle import Angle
    >>> from fpsim.regime import Regime
    >>> from gmpy2 import mpq
    >>> angles, scales = (Angle.parse("1"), Angle.parse("0.1")), (mpq(1000), mpq(1000))
    >>> found = many_bracket(ManyQuestion(angles, scales, 1, Regime.of("fp16")))
    >>> found.lower, found.upper, found.possible, found.certain
    (62, 62, 63, 377)
    """
    threshold, k = question.threshold, question.offset
    assert threshold is not None  # "undefined" is answered before
    bounds = many_error_bounds(question, LAST_QUERY)
    lower, possible, certain, plan = k - 1, None, None, None
    ends: list[tuple[int, str]] = []
    if isinstance(bounds, ErrorBounds):
        plan = SearchPlan(question.turning, bounds.near(threshold))
        limit = plan.farthest if farthest is None else min(farthest, plan.farthest)
        possible = first_return(plan, limit)
        sure = bounds.sure(threshold) if question.criterion == "gap" else None
        if possible is not None and sure is not None:
            certain = first_return(SearchPlan(question.turning, sure), limit, possible)
        if question.criterion == "gap" or obstacle(question, _greatest(question, bounds)) is None:
            lower = limit + k - 1 if possible is None else range_of_first_return(possible, k)
    if certain is not None:
        ends.append(
            (range_of_first_return(certain, k), f"the near-return {certain} fails whatever the rounding errors")
        )
    period = common_period(question.turning)
    traits = [traits_of(pair.head.realization) for pair in question.rotated]
    if period is not None and all(each.phase == "exact" for each in traits):
        ends.append((range_of_first_return(period, k), f"the keys repeat after {period} positions"))
    keys = keys_at_most(question.regime.values) if all(each.on_circle for each in traits) else None
    if keys is not None:
        ends.append((keys ** len(question.rotated) + k - 2, "equal keys, by counting (pigeonhole)"))
    repeats = {each.repeats for each in traits}
    if len(repeats) == 1 and (again := repeats.pop()) is not None:  # then it is so for the keys of all pairs
        ends.append((again[1] + k - 2, reason_of_repetition(again)))
    upper, reason = min(ends, default=(None, "no upper bound is known"), key=lambda end: end[0])
    witness = None if plan is None or possible is None else _probe(question, plan, possible, upper)
    if witness is not None:
        upper, reason = witness.i - 2, "a failing pair, computed exactly"
    return Bracket(lower, upper, possible, certain, bounds, witness, reason)


def _greatest(question: ManyQuestion, bounds: ErrorBounds) -> object:
    """A bound on the magnitude of a score."""
    return sum(question.scales) + bounds.score


def _probe(question: ManyQuestion, plan: SearchPlan, possible: int, upper: int | None) -> Witness | None:
    """The first failing pair among a few, under the criterion `gap`."""
    k, head, threshold = question.offset, question.head, question.threshold
    if question.criterion != "gap" or threshold is None:
        return None
    places = []
    for n in islice(candidates(plan, 64 * possible, possible), _PLACES):
        if n >= k or n == 1:
            places += [(n + k + j, j) for j in range(_PLACES)]
        if n < k:
            places.append((k + 1, 1 + n))
    for i, j in sorted(set(places)):
        if upper is not None and i > upper + 2:
            return None
        query = head.query(i)
        target, competitor = head.score_of(query, head.key(i - k)), head.score_of(query, head.key(j))
        if not (is_finite(target) and is_finite(competitor) and target - competitor >= threshold):
            return Witness(i, j, target, competitor)
    return None
