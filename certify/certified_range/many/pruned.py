"""The pruned road for a head on several pairs: exactly the exhaustive answer, from simultaneous near-returns.

As for one pair (`certify.certified_range.pruned_near`): a pair (i, j) can fail only if y(n) < near, n = i-k-j, so that
only the distances n that `returns.candidates` lists are looked at, at every query.  Where there is no error bound (the
realization `phase`, a sum that may overflow), or where the weights need more than the near pairs, it is the exhaustive
road, and the note says why.
"""

from __future__ import annotations

from dataclasses import replace

from certify.certified_range.error_bound import ErrorBounds, NoBound
from certify.certified_range.exhaustive import Progress, scan
from certify.certified_range.many.error_bound import LAST_QUERY, many_error_bounds
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.many.returns import SearchPlan, candidates, first_return
from certify.certified_range.pruned import FIRST_BY_REFERENCE, PrunedScan, drive, has_kernels
from certify.certified_range.pruned_near import NearReturns, ReferenceNear
from certify.certified_range.weight_condition import obstacle

__all__ = ["ManyReturns", "many_pruned_scan"]


class ManyReturns(NearReturns):
    """The simultaneous near-returns n >= 1 of a head on several pairs, listed as far as they are asked for."""

    def __init__(self, question: ManyQuestion, bounds: ErrorBounds) -> None:
        assert question.threshold is not None  # "undefined" is answered before
        self.offset = question.offset
        plan = SearchPlan(question.turning, bounds.near(question.threshold))
        limit = max(bounds.last_query - question.offset, question.offset - 1)
        self.first = first_return(plan, limit)
        self.listed = []
        self._source = iter(()) if self.first is None else candidates(plan, limit, self.first)


def many_pruned_scan(question: ManyQuestion, max_length: int | None, progress: Progress | None = None) -> PrunedScan:
    """Scan the query positions k+1 .. max_length+1 until one fails, as `exhaustive.scan` does, over fewer pairs.

    The threshold must exist.  Only the exhaustive road has an end of its own for a `max_length` of None.  Ctrl-C ends
    the scan with what is certified so far.

    >>> from fpsim.angle import Angle
    >>> from fpsim.regime import Regime
    >>> from gmpy2 import mpq
    >>> angles, scales = (Angle.parse("1"), Angle.parse("0.1")), (mpq(400), mpq(400))
    >>> found = many_pruned_scan(ManyQuestion(angles, scales, 1, Regime.of("fp16")), 1000)
    >>> found.failure.witness.i, found.failure.witness.j, found.pairs_checked
    (64, 0, 1)
    """
    why_not = _why_not(question, max_length)
    if isinstance(why_not, str):
        return _exhaustive(question, max_length, why_not, progress)
    bounds, stop = why_not, why_not.last_query + 1
    found = PrunedScan(None, question.offset + 1, pairs_checked=0)
    if found.reached >= stop:
        return found
    try:
        returns = ManyReturns(question, bounds)
    except KeyboardInterrupt:
        return replace(found, interrupted=True)
    first = returns.first_query()
    found = replace(found, reached=max(found.reached, stop if first is None else min(first, stop)))
    slow = ReferenceNear(question, returns)
    while found.reached < stop and slow.pairs < FIRST_BY_REFERENCE:
        found = drive(question, slow, found, found.reached + 1, stop, None)
        if found.failure or found.interrupted:
            return found
    if found.reached < stop and has_kernels(question) and stop < 1 << 62:
        from certify.certified_range.many.near_fast import FastManyNear

        return drive(question, FastManyNear(question, returns), found, stop, stop, progress)
    return drive(question, slow, found, stop, stop, progress)


def _why_not(question: ManyQuestion, max_length: int | None) -> ErrorBounds | str:
    """The bounds up to the last query, or why near-returns do not decide."""
    bounds = many_error_bounds(question, LAST_QUERY if max_length is None else max_length + 1)
    if isinstance(bounds, NoBound):
        return f"no error bound: {bounds.reason}"
    if max_length is None:
        return "no length limit was given"
    if question.criterion == "weight":
        problem = obstacle(question, sum(question.scales) + bounds.score)
        if problem is not None:
            return problem
    return bounds


def _exhaustive(question: ManyQuestion, max_length: int | None, note: str, progress: Progress | None) -> PrunedScan:
    from certify.certified_range.many.fast_rows import many_fast_rows

    found = scan(question, max_length, rows=lambda: many_fast_rows(question), progress=progress)
    return PrunedScan(found.failure, found.reached, found.interrupted, None, "exhaustive", note)
