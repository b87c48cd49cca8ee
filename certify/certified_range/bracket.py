"""A bracket lower <= N_max <= upper from near-returns alone: no scan, O(log) steps, for ranges up to 10^60 and beyond.

Let E and the finer bounds of `error_bound` hold up to a query L. Let n1 be the least n >= 1 where the exact gap
y = C (1 - cos gn) is below `near` (at most f_large + 2E), so that a realized gap may be too small, and n* the least
where y is below `sure` (at least f_large - 2E), so that it is.  The competitors of query i have n = i-k-j in -(k-1) ..
i-k without 0, and y depends on |n|.

* Lower end.  If n1 <= k-1 a pair may fail at the first query k+1: lower = k-1.  Otherwise no pair of the queries below
  n1 + k can fail: lower = n1 + k - 2, or L - 1 if that is less.
* Upper end.  If n* <= k-1 the pair j = i-k+n* of query k+1 fails: upper = k-1.  Otherwise query n* + k fails against j
  = 0: upper = n* + k - 2, provided that query is not beyond L.

For `ideal` and `table` E does not depend on L.  For `phase`, `counter` and `recurrence` it grows with L, so L is
searched for: "no pair of the queries up to L can fail" is monotone in L, and its greatest L is found by bisection.

More upper ends cost as little.  `counting_bound`, for keys on the circle in any F; `repetition_bound`; and *probes*: a
few realized pairs, computed exactly, at the nearest places where failure is possible; one that fails is an upper end,
and often the lower one.  `weight` may hold where `gap` fails: there a probe counts only when the competitor's score is
not below the target's, since then its weight is not below the target's either, or when a NaN comes out; and the lower
end needs the lemma of `weight_condition`.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from itertools import islice

from gmpy2 import mpq

from certify.certified_range.error_bound import ErrorBounds, NoBound, error_bounds
from certify.certified_range.failure import is_finite
from certify.certified_range.pigeonhole import counting_bound, repetition_bound
from certify.certified_range.question import Question
from certify.certified_range.result import Witness
from certify.certified_range.weight_condition import obstacle
from certify.rotation.near_returns import first_gap_below, iter_records
from certify.rotation.visits import near_returns_within
from certify.rotation.width import gap_in_turns
from fpsim.errors import UnsupportedError
from fpsim.realization import traits_of
from fpsim.rounding.reference import Element, is_nan

__all__ = ["FARTHEST", "Bracket", "bracket"]

FARTHEST = 10**61
_PROBES = 48
_PROBED_STEPS = 128  # how far probes go where a position is reached by steps


@dataclass(frozen=True)
class Bracket:
    """lower <= N_max <= upper; upper None: no bound is known.

    possible: n1, the least distance |i-k-j| at which a pair can fail (None: not known).  certain: n*, the least at
    which one fails for certain (None: none).  bounds: the error bounds they rest on, or why there are none.  witness: a
    pair that fails at query upper + 2, computed exactly; the first failing pair when the bracket is exact.  reason:
    what the upper end rests on.
    """

    lower: int
    upper: int | None
    possible: int | None
    certain: int | None
    bounds: ErrorBounds | NoBound
    witness: Witness | None
    reason: str

    @property
    def exact(self) -> bool:
        """Whether both ends meet."""
        return self.lower == self.upper


def bracket(question: Question, *, probes: int = _PROBES) -> Bracket:
    """The bracket of N_max for `question`, whose threshold f_large must exist.  probes: how many pairs to compute at
    most.

    >>> from fpsim.angle import Angle
    >>> from fpsim.regime import Regime
    >>> found = bracket(Question(Angle.parse("1"), mpq(10)**18, 1, Regime.of("fp128")))
    >>> found.lower, found.upper, found.witness.i, found.witness.j
    (10838701, 10838701, 10838703, 0)
    """
    if question.threshold is None:
        raise UnsupportedError(f"{question.regime.softmax.name} has no f_large, so no bracket")
    k, threshold = question.offset, question.threshold
    bounds = _widest(question, threshold)
    lower, possible, certain = k - 1, None, None
    ends: list[tuple[int, str]] = []
    if isinstance(bounds, ErrorBounds):
        why_not = obstacle(question, bounds.scale + bounds.score) if question.criterion == "weight" else None
        if why_not is None:
            possible = first_gap_below(bounds.angle, bounds.scale, bounds.near(threshold))
            lower = _held(bounds, threshold, k) - 1
        if question.criterion == "gap":
            certain = _certain(question, bounds, threshold)
    if certain is not None:
        ends.append((_range(certain, k), f"the near-return {certain} fails whatever the rounding errors"))
    counted = counting_bound(question)
    if counted is not None:
        ends.append((counted, "equal keys, by counting (pigeonhole)"))
    repeated = repetition_bound(question)
    if repeated is not None:
        ends.append(repeated)
    upper, reason = min(ends, default=(None, "no upper bound is known"), key=lambda end: end[0])
    witness = _probe(question, threshold, bounds, lower, upper, probes)
    if witness is not None:
        upper, reason = witness.i - 2, "a failing pair, computed exactly"
    return Bracket(lower, upper, possible, certain, bounds, witness, reason)


def _range(first: int, offset: int) -> int:
    """N_max when the least distance that fails is `first`."""
    return offset - 1 if first <= offset - 1 else first + offset - 2


def _widest(question: Question, threshold: mpq) -> ErrorBounds | NoBound:
    """The bounds up to the greatest query below which no pair can fail, for the widest lower end."""
    first = question.offset + 1
    if traits_of(question.head.realization).phase == "exact":
        return error_bounds(question, FARTHEST + question.offset)
    bounds = error_bounds(question, first)
    if isinstance(bounds, NoBound):
        return bounds

    def holds(last: int) -> ErrorBounds | None:
        found = error_bounds(question, last)
        return found if isinstance(found, ErrorBounds) and _held(found, threshold, question.offset) >= last else None

    step, last = 1, first
    while last < FARTHEST and (found := holds(first + step)):
        bounds, last = found, first + step
        step *= 2
    while step > 1:
        step //= 2
        if found := holds(last + step):
            bounds, last = found, last + step
    return bounds


def _held(bounds: ErrorBounds, threshold: mpq, offset: int) -> int:
    """The last query up to which no pair can fail; `offset` when the first query may already."""
    first = first_gap_below(bounds.angle, bounds.scale, bounds.near(threshold), limit=bounds.last_query)
    return bounds.last_query if first is None else min(bounds.last_query, _range(first, offset) + 1)


def _certain(question: Question, bounds: ErrorBounds, threshold: mpq) -> int | None:
    """n*, with bounds that hold up to the query where it fails."""
    k = question.offset
    while True:
        sure = bounds.sure(threshold)
        if sure is None:
            return None
        first = first_gap_below(bounds.angle, bounds.scale, sure, limit=FARTHEST)
        if first is None or _range(first, k) + 2 <= bounds.last_query:
            return first
        wider = error_bounds(question, max(_range(first, k) + 2, 2 * bounds.last_query))
        if isinstance(wider, NoBound):
            return None
        bounds = wider


def _probe(
    question: Question, threshold: mpq, bounds: ErrorBounds | NoBound, lower: int, upper: int | None, probes: int
) -> Witness | None:
    """The first failing pair among the probes, at a query of at most upper + 2."""
    for i, j in islice(_places(question, threshold, bounds, lower), max(probes, 0)):
        if upper is not None and i > upper + 2:
            return None
        query = question.head.query(i)
        target, competitor = (
            question.head.score_of(query, question.head.key(place)) for place in (i - question.offset, j)
        )
        if _fails(question, threshold, target, competitor):
            return Witness(i, j, target, competitor)
    return None


def _fails(question: Question, threshold: mpq, target: Element, competitor: Element) -> bool:
    """Whether a pair with these scores fails for certain, whatever the others are."""
    if question.criterion == "gap":
        return not (is_finite(target) and is_finite(competitor) and target - competitor >= threshold)
    # A competitor at -inf has weight 0, as it should; a target at +inf is inf - inf, hence NaN, in the softmax.
    return is_nan(target) or is_nan(competitor) or target == float("inf") or bool(competitor >= target)


def _places(question: Question, threshold: mpq, bounds: ErrorBounds | NoBound, lower: int) -> Iterator[tuple[int, int]]:
    """Pairs that may fail: those of the first query by rising j, then the records and a few queries after each."""
    farthest = FARTHEST if question.farthest_computed is None else question.farthest_computed
    if not traits_of(question.head.realization).random_access:
        farthest = min(farthest, _PROBED_STEPS)
    yield from (place for place in _promising(question, threshold, bounds, lower, farthest) if place[0] <= farthest)


def _promising(
    question: Question, threshold: mpq, bounds: ErrorBounds | NoBound, lower: int, farthest: int
) -> Iterator[tuple[int, int]]:
    k, angle, near = question.offset, question.angle, 2 * question.scale + 1
    if isinstance(bounds, ErrorBounds):
        angle, near = bounds.angle, bounds.near(threshold)
    elif not is_finite(question.head.bias[0]):
        yield k + 1, 0
        return
    if lower == k - 1:
        width = gap_in_turns(question.scale, near)[1]
        near_1 = next(near_returns_within(angle, width, 1), None)
        if near_1:
            yield k + 1, 0
        for n in islice(near_returns_within(angle, width, k - 1), _PROBES // 2):
            yield k + 1, 1 + n
    for n in iter_records(angle, farthest):
        if n + k > max(lower + 1, k + 1):
            yield from ((n + k + j, j) for j in range(_PROBES // 6))
