"""The pruned road to N_max: exactly the exhaustive answer, from the few pairs that can fail.

Three ways to know that a pair holds without computing it, in this order:

* *Near-returns* (`pruned_near`), where `error_bound` has bounds: a pair can fail only at a distance n = i-k-j that
  brings the rotation back to within `near` of its start.  These n are listed by the three-distance theorem, and queries
  before the first of them are not looked at.  A table of keys is not needed, so positions of any size will do.
* *Buckets* (`buckets`), for a realization that drifts from its ideal phase (`phase`, `counter`, `recurrence`), or of
  whose phase nothing is known (`array`), or where something may overflow: a competitor can fail only if its realized
  key lies in the direction of the realized query, whatever the positions.
* Neither: the exhaustive road, and `note` says why.

Under the criterion `weight` a query whose gaps all suffice holds (`weight_condition`), and the weights of one that has
a small gap depend on the pairs that were not pruned only.
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Protocol

from certify.certified_range.error_bound import ErrorBounds, NoBound, error_bounds
from certify.certified_range.exhaustive import Progress, ReferenceRows, Scan, scan
from certify.certified_range.failure import Failure, is_finite, non_finite_reason
from certify.certified_range.pruned_near import NearReturns, ReferenceNear
from certify.certified_range.question import AnyQuestion, Question
from certify.certified_range.result import Witness
from certify.certified_range.weight_condition import failing_weight_of_near, obstacle
from fpsim.errors import UnsupportedError
from fpsim.realization import traits_of
from fpsim.rounding.reference import Element

__all__ = ["FIRST_BY_REFERENCE", "PrunedScan", "Walk", "drive", "has_kernels", "pruned_scan"]

# Pairs computed by the reference before compiled code, whose loading takes longer, is asked for.
FIRST_BY_REFERENCE = 150
FIRST_ROWS_BY_REFERENCE = 40
# Without a limit of the user's, how many query positions past what is certified a scan goes on for: about a minute, by
# kernels or by the reference.
SCAN_BY_KERNEL = 200_000_000
SCAN_BY_REFERENCE = 20_000
PAIRS_BY_KERNEL, PAIRS_BY_REFERENCE = 500_000_000, 200_000  # near-returns of all queries up to twice the first


@dataclass(frozen=True)
class PrunedScan(Scan):
    """A `Scan` with its cost.

    pairs_checked: how many pairs were computed; None where the exhaustive road, which does not count, took over.  road:
    "near-returns", "buckets" or "exhaustive" (whole rows).  note: why the road is not a shorter one, or None.  ended:
    why the scan ended before its limit, or None.
    """

    pairs_checked: int | None = None
    road: str = "near-returns"
    note: str | None = None
    ended: str | None = None


class Walk(Protocol):
    """Finds the first failing pair of a range of queries under the criterion `gap`, from the pairs it cannot prune."""

    pairs: int

    def first_failure(self, start: int, stop: int) -> tuple[int, int] | None:
        """The failing pair with the least i, start <= i < stop, then the least j; or None."""

    def near_scores(self, i: int) -> dict[int, Element] | None:
        """Position to score for the competitors of query i that were not pruned; None when one may not be finite."""

    def chunk(self, start: int) -> int:
        """How many queries from `start` on to look at before Ctrl-C and the progress are heard."""


def pruned_scan(
    question: Question, max_length: int | None, progress: Progress | None = None, *, certified: int = 0
) -> PrunedScan:
    """Scan the query positions k+1 .. max_length+1 until one fails, as `exhaustive.scan` does, over fewer pairs.

    The threshold must exist.  certified: a lower bound of N_max that is known; the scan begins after it.  Without a
    `max_length` it ends after about a minute; with the positions that the realization knows, in any case.  Ctrl-C ends
    it with what is certified so far.

    >>> from fpsim.angle import Angle
    >>> from fpsim.regime import Regime
    >>> from gmpy2 import mpq
    >>> found = pruned_scan(Question(Angle.parse("1"), mpq(10)**18, 1, Regime.of("fp64")), 10**9)
    >>> found.failure.witness.i, found.failure.witness.j, found.pairs_checked
    (80143858, 0, 1)
    """
    if question.threshold is None:
        raise UnsupportedError(f"{question.regime.softmax.name} has no f_large, so there is nothing to scan for")
    length = max_length
    if length is None:
        length = max(certified, question.offset) + (SCAN_BY_KERNEL if has_kernels(question) else SCAN_BY_REFERENCE)
    stop = length + 2 if question.last_query is None else min(length + 2, question.last_query + 1)
    found = PrunedScan(None, max(question.offset + 1, min(certified + 2, stop)), pairs_checked=0)
    if found.reached >= stop:
        return found
    traits = traits_of(question.head.realization)
    everywhere = traits.phase == "exact"  # the bounds are the same for all queries
    bounds = error_bounds(question, stop - 1)
    if question.criterion == "weight":
        limit = bounds.scale + bounds.score if isinstance(bounds, ErrorBounds) and everywhere else None
        why_not = obstacle(question) and obstacle(question, limit)
        if why_not:
            return _exhaustive(question, max_length, why_not, progress)
    if not everywhere or isinstance(bounds, NoBound):
        noted = isinstance(bounds, NoBound) and traits.phase in ("exact", None)  # others may have bounds at first
        note = f"no error bound: {bounds.reason}" if noted and isinstance(bounds, NoBound) else None
        found = _by_realized_keys(question, found, note, stop, progress)
    while found.failure is None and not found.interrupted and found.reached < stop:
        last = stop - 1
        if not everywhere:  # the bounds grow with the last query
            last = min(last, 2 * found.reached)
        if question.farthest_computed is not None and found.reached > question.farthest_computed:
            return replace(found, ended=f"states beyond position {question.farthest_computed} are not computed")
        if traits.phase_until is not None and found.reached <= traits.phase_until:
            last = min(last, traits.phase_until)
        bounds = error_bounds(question, last)
        if isinstance(bounds, NoBound):
            if found.road == "buckets":
                return replace(found, ended=f"the table of keys ends at query {found.reached}, and {bounds.reason}")
            return _exhaustive(question, max_length, f"no error bound: {bounds.reason}", progress)
        returns = NearReturns(bounds, question.threshold, question.offset)
        if max_length is None and not everywhere:
            number = returns.how_many()
            if number * (last - found.reached) > (PAIRS_BY_KERNEL if has_kernels(question) else PAIRS_BY_REFERENCE):
                ended = f"{number} near-returns for each query from {found.reached} on take long; give a length limit"
                return replace(found, ended=ended)
        found = _near_scan(question, returns, found, last + 1, stop, progress)
    return found


def _by_realized_keys(
    question: Question, found: PrunedScan, note: str | None, stop: int, progress: Progress | None
) -> PrunedScan:
    """A few whole rows by the reference, then buckets as far as a table of keys goes, where there are kernels."""
    rows = ReferenceRows(question)
    try:
        for i in range(found.reached, min(stop, FIRST_ROWS_BY_REFERENCE)):
            failure = rows.failure(i)
            pairs = (found.pairs_checked or 0) + (failure.witness.j + 1 if failure else i - 1)
            if failure:
                return replace(found, failure=failure, reached=i, pairs_checked=pairs, road="exhaustive")
            found = replace(found, reached=i + 1, pairs_checked=pairs)
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
    if found.reached >= stop:
        return replace(found, road="exhaustive")
    if not has_kernels(question):
        return found
    from certify.certified_range.buckets import BucketWalk

    end = min(stop, BucketWalk.farthest)
    if found.reached >= end:
        return found
    return drive(question, BucketWalk(question), replace(found, road="buckets", note=note), end, stop, progress)


def _near_scan(
    question: Question, returns: NearReturns, found: PrunedScan, end: int, stop: int, progress: Progress | None
) -> PrunedScan:
    """The queries below `end`: by the reference at first; then compiled, where there is compiled arithmetic."""
    first = returns.first_query()
    found = replace(found, reached=max(found.reached, end if first is None else min(first, end)))
    slow = ReferenceNear(question, returns)
    while found.reached < end and slow.pairs < FIRST_BY_REFERENCE:
        found = drive(question, slow, found, found.reached + 1, stop, None)
        if found.failure or found.interrupted:
            return found
    if found.reached < end and has_kernels(question) and end < 1 << 62:
        from certify.certified_range.pruned_near_fast import FastNear

        return drive(question, FastNear(question, returns), found, end, stop, progress)
    return drive(question, slow, found, end, stop, progress)


def drive(
    question: AnyQuestion, walk: Walk, found: PrunedScan, end: int, stop: int, progress: Progress | None
) -> PrunedScan:
    """`found`, which holds all queries below `found.reached`, carried on up to the query `end`, of `stop` in all."""
    position, start, before = found.reached, question.offset + 1, (found.pairs_checked or 0) - walk.pairs

    def result(failure: Failure | None, interrupted: bool = False) -> PrunedScan:
        return replace(
            found,
            failure=failure,
            reached=failure.witness.i if failure else position,
            interrupted=interrupted,
            pairs_checked=before + walk.pairs,
        )

    try:
        while position < end:
            chunk_end = min(end, position + walk.chunk(position))
            pair = walk.first_failure(position, chunk_end)
            if pair is None:
                position = chunk_end
                if progress:
                    progress(position - start, stop - start)
                continue
            failure = _failure(question, walk, *pair)
            if failure is not None:
                return result(failure)
            position = pair[0] + 1
    except KeyboardInterrupt:
        return result(None, interrupted=True)
    return result(None)


def _failure(question: AnyQuestion, walk: Walk, i: int, j: int) -> Failure | None:
    """The failure of query i, whose first small gap is at j, by the reference; None when its weights are right."""
    head, goal = question.head, i - question.offset
    query = head.query(i)
    target, competitor = head.score_of(query, head.key(goal)), head.score_of(query, head.key(j))
    if question.criterion == "weight":
        near = walk.near_scores(i)
        if near is None or not is_finite(target):
            return ReferenceRows(question).failure(i)
        return failing_weight_of_near(question, i, target, near)
    assert question.threshold is not None  # checked by `pruned_scan`
    if is_finite(target) and is_finite(competitor) and target - competitor >= question.threshold:
        raise ArithmeticError(f"the kernel and the reference differ at query {i}, position {j}: please report this")
    return Failure(Witness(i, j, target, competitor), non_finite_reason(target, competitor, i, goal, j))


def _exhaustive(question: Question, max_length: int | None, note: str, progress: Progress | None) -> PrunedScan:
    from certify.certified_range.fast_rows import fast_rows

    found = scan(question, max_length, rows=lambda: fast_rows(question), progress=progress)
    return PrunedScan(found.failure, found.reached, found.interrupted, None, "exhaustive", note)


def has_kernels(question: AnyQuestion) -> bool:
    """Whether binary64 kernels serve keys, queries, scores and the comparison with f_large; numba is not loaded."""
    from gmpy2 import mpq

    from fpsim.rounding.specs import spec_of

    regime, threshold = question.regime, question.threshold
    if threshold is None or threshold > mpq(2) ** 1000 or mpq(float(threshold)) != threshold:
        return False
    return all(spec_of(values) is not None for values in (regime.values, regime.rotate, regime.score))
