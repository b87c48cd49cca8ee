"""The compiled walk over simultaneous near-returns: a window of queries against each near-return.

For a window start .. stop-1 the keys of the queries, of their targets (i-k) and, for each near-return n, of the
competitors i-k-n (and i-k+n for n < k) are stretches of consecutive positions: slices of a table of the keys of the
first positions, or computed where they are needed (`fpsim.blocks`).  Scores are those of the exhaustive kernel.

The least failing i of one near-return bounds what has to be looked at of the next; among equal i the least j wins, and
the near-returns come in the order in which j rises.
"""

from __future__ import annotations

import numpy as np

from certify.certified_range.many.fast_rows import blocks_between, queries_of
from certify.certified_range.many.kernels import first_failing_distance, paired_scores
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.pair_scan import Floats
from certify.certified_range.pruned_near import NearReturns, ReferenceNear
from certify.certified_range.pruned_near_fast import way_of_scoring
from fpsim.rounding.reference import Element
from fpsim.rounding.specs import spec_of

__all__ = ["FastManyNear"]

_WINDOW = 1 << 15
_TABLE_ENTRIES = 1 << 24  # numbers in the table of keys: 128 megabytes


class FastManyNear:
    """The walk over near-returns in compiled code; every score is finite (`many.error_bound`)."""

    def __init__(self, question: ManyQuestion, returns: NearReturns) -> None:
        self.question = question
        self.returns = returns
        self.pairs = 0
        self._terms = 2 * len(question.angles)
        self._spec, self._how = spec_of(question.regime.score), way_of_scoring(question.regime)
        self._table = np.empty((self._terms, 0))
        self._reference = ReferenceNear(question, returns)

    def chunk(self, start: int) -> int:
        """How many queries to look at at a time."""
        return max(64, min(_WINDOW, start))

    def near_scores(self, i: int) -> dict[int, Element] | None:
        """Position to score, for the competitors of query i that can fail."""
        return self._reference.near_scores(i)

    def first_failure(self, start: int, stop: int) -> tuple[int, int] | None:
        """The failing pair with the least i, start <= i < stop, then the least j; or None."""
        offset, threshold = self.question.offset, self.question.threshold
        assert threshold is not None  # "undefined" is answered before any scan
        query = queries_of(self.question.head, self._keys(start, stop))
        target = self._scores(query, self._keys(start - offset, stop - offset))
        count, after = self.returns.up_to(stop - 1 - offset), self.returns.up_to(offset - 1)
        best, where = stop, None
        for n in [*reversed(self.returns.listed[:count]), *(-n for n in self.returns.listed[:after])]:
            first = max(start, offset + n)  # so that j = i - offset - n >= 0, which rises along the list
            if first >= best:
                continue
            cut = slice(first - start, best - start)
            keys = self._keys(first - offset - n, best - offset - n)
            place = first_failing_distance(target[cut], self._scores(query[:, cut], keys), float(threshold))
            self.pairs += min(place + 1, best - first)
            if first + place < best:
                best = first + place
                where = (best, best - offset - n)
        return where

    def _scores(self, queries: Floats, keys: Floats) -> Floats:
        scores = np.empty(queries.shape[1])
        paired_scores(self._spec, self._how, queries, keys, scores)
        return scores

    def _keys(self, start: int, stop: int) -> Floats:
        have = self._table.shape[1]
        if stop > have and stop * self._terms <= _TABLE_ENTRIES and start <= 2 * have + _WINDOW:
            more = blocks_between(self.question.head, have, max(stop, min(2 * have, _TABLE_ENTRIES // self._terms)))
            self._table = np.concatenate([self._table, more], axis=1)
        if stop <= self._table.shape[1]:
            return self._table[:, start:stop]
        return blocks_between(self.question.head, start, stop)
