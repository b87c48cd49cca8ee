"""Near-returns as the pairs that can fail, and the reference walk over them.

By `error_bound` a pair (i, j) can fail only if y = C (1 - cos gn) < near, n = i-k-j.  y depends on |n| only.  Let n1 <
n2 < ... be the n >= 1 where y < near, or a superset of them that begins with n1 (`near_returns_within` for an upper
bound of the width that `near` means).  The competitors of query i that can fail are then

    j = i-k-n  for the near-returns n <= i-k,      in rising order of j: n falling;
    j = i-k+n  for the near-returns n <= k-1,      n rising; these come after the target.

If n1 <= k-1, the first query k+1 has such a competitor already.  Otherwise the second line is empty, and the first
query that can fail is n1 + k: every earlier one holds.
"""

from __future__ import annotations

from bisect import bisect_right
from collections import OrderedDict
from collections.abc import Iterator
from typing import Any

from gmpy2 import mpq

from certify.certified_range.error_bound import ErrorBounds
from certify.certified_range.failure import is_finite
from certify.certified_range.question import AnyQuestion
from certify.rotation.counting import count_near_returns
from certify.rotation.near_returns import first_gap_below
from certify.rotation.visits import near_returns_within
from certify.rotation.width import gap_in_turns
from fpsim.rounding.reference import Element

__all__ = ["NearReturns", "ReferenceNear"]

_KEPT_KEYS = 20_000


class NearReturns:
    """The near-returns n >= 1 of a head, listed as far as they are asked for, for queries up to `bounds.last_query`."""

    def __init__(self, bounds: ErrorBounds, threshold: mpq, offset: int) -> None:
        near = bounds.near(threshold)
        self.offset = offset
        self._angle, self._width = bounds.angle, gap_in_turns(bounds.scale, near)[1]
        self._limit = max(bounds.last_query - offset, offset - 1)
        self.first = first_gap_below(bounds.angle, bounds.scale, near, limit=self._limit)
        self._source: Iterator[int] = iter(())
        if self.first is not None:
            self._source = near_returns_within(self._angle, self._width, self._limit, start=self.first)
        self.listed: list[int] = []

    def first_query(self) -> int | None:
        """The first query that can fail, or None when none up to the last one can."""
        if self.first is None:
            return None
        return self.offset + 1 if self.first <= self.offset - 1 else self.first + self.offset

    def how_many(self) -> int:
        """How many near-returns there are up to the last query, without listing them."""
        return count_near_returns(self._angle, self._width, self._limit)

    def at(self, place: int) -> int | None:
        """The near-return with this number, counted from 0, or None when there are fewer."""
        while len(self.listed) <= place:
            n = next(self._source, None)
            if n is None:
                return None
            self.listed.append(n)
        return self.listed[place]

    def up_to(self, limit: int) -> int:
        """How many near-returns are at most `limit`; they are listed from then on."""
        while (not self.listed or self.listed[-1] <= limit) and self.at(len(self.listed)) is not None:
            pass
        return bisect_right(self.listed, limit)

    def competitors(self, i: int) -> Iterator[int]:
        """The positions j whose pair with query i can fail, rising."""
        goal, place = i - self.offset, 0
        yield from (goal - n for n in reversed(self.listed[: self.up_to(goal)]))
        while (n := self.at(place)) is not None and n < self.offset:
            yield goal + n
            place += 1


class ReferenceNear:
    """The walk over near-returns in exact arithmetic: any value set, any position."""

    def __init__(self, question: AnyQuestion, returns: NearReturns) -> None:
        self.question = question
        self.returns = returns
        self.pairs = 0
        self._keys: OrderedDict[int, Any] = OrderedDict()

    def chunk(self, start: int) -> int:
        """How many queries to look at at a time."""
        return 256

    def first_failure(self, start: int, stop: int) -> tuple[int, int] | None:
        """The failing pair with the least i, start <= i < stop, then the least j; or None."""
        return next(((i, j) for i in range(start, stop) if (j := self._failing(i)) is not None), None)

    def near_scores(self, i: int) -> dict[int, Element] | None:
        """Position to score, for the competitors of query i that can fail."""
        query = self._query(i)
        scores = {j: self._score(query, j) for j in self.returns.competitors(i)}
        return scores if all(map(is_finite, scores.values())) else None

    def _failing(self, i: int) -> int | None:
        threshold = self.question.threshold
        assert threshold is not None  # checked by `pruned_scan`
        query: Any = None
        target: Element = mpq(0)
        for j in self.returns.competitors(i):
            if query is None:
                query = self._query(i)
                target = self._score(query, i - self.question.offset)
            score = self._score(query, j)
            self.pairs += 1
            if not (is_finite(target) and is_finite(score) and target - score >= threshold):
                return j
        return None

    def _score(self, query: Any, j: int) -> Element:
        return self.question.head.score_of(query, self._key(j))

    def _query(self, i: int) -> Any:
        return self.question.head.query_beside(self._key(i), i)

    def _key(self, position: int) -> Any:
        key = self._keys.get(position)
        if key is None:
            key = self._keys[position] = self.question.head.key(position)
            if len(self._keys) > _KEPT_KEYS:
                self._keys.popitem(last=False)
        return key
