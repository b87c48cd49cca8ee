"""Windows: the scan of far-out queries against few near-returns, without a table of keys.

For a window of queries start .. stop-1 the realized blocks are computed where they are needed: at the queries, at their
targets, and for each near-return n at the competitors i-k-n (and i-k+n for n < k).  `fpsim.blocks` gives them at any
position: the phase as a 192-bit fraction of a turn, a sine and cosine with a proved error, and a Ziv test that hands
undecided entries to the reference.  So the cost of a position is that of two blocks and one for each near-return,
whatever its size.

The least failing i of each near-return bounds what has to be looked at of the next; among equal i the least j wins, and
the near-returns come in the order in which j rises.
"""

from __future__ import annotations

import numpy as np

from certify.certified_range.fast_rows import queries
from certify.certified_range.pair_scan import Floats
from certify.certified_range.pruned_kernels import first_failing_distance, target_scores
from certify.certified_range.pruned_near import NearReturns
from certify.certified_range.question import Question
from fpsim.blocks import blocks
from fpsim.rounding.specs import spec_of

__all__ = ["WINDOW", "WindowScan"]

WINDOW = 1 << 16


class WindowScan:
    """Scans windows of queries; remembers the last one, so that a scan that goes on within it costs little."""

    def __init__(self, question: Question, returns: NearReturns, how: int) -> None:
        self.question = question
        self.returns = returns
        self._how = how
        self._spec = spec_of(question.regime.score)
        self._pairs = 0
        self._start = self._stop = 0
        self._query: tuple[Floats, Floats, Floats] = (np.empty(0), np.empty(0), np.empty(0))
        self._bad = 0
        self._keys: dict[int, tuple[Floats, Floats]] = {}

    def take_pairs(self) -> int:
        """The pairs computed since this was asked last."""
        pairs, self._pairs = self._pairs, 0
        return pairs

    def first_failure(self, start: int, stop: int) -> tuple[int, int] | None:
        """The failing pair with the least i, start <= i < stop, then the least j; or None."""
        while start < stop:
            if not self._start <= start < self._stop or self._bad < start:
                self._open(start, min(stop, start + WINDOW))
            end = min(stop, self._stop)
            found = self._search(start, end)
            if found is not None:
                return found
            start = end
        return None

    def _open(self, start: int, stop: int) -> None:
        offset, realization = self.question.offset, self.question.head.realization
        if offset <= WINDOW:
            c, s = blocks(realization, start - offset, stop)
            target, block = (c[: stop - start], s[: stop - start]), (c[offset:], s[offset:])
        else:
            target, block = blocks(realization, start - offset, stop - offset), blocks(realization, start, stop)
        q0, q1 = queries(self.question, *block)
        scores = np.empty(stop - start)
        not_finite = target_scores(self._spec, self._how, q0, q1, *target, scores)
        self._start, self._stop, self._query, self._keys = start, stop, (q0, q1, scores), {}
        self._bad = start + not_finite

    def _search(self, start: int, stop: int) -> tuple[int, int] | None:
        offset, threshold = self.question.offset, self.question.threshold
        assert threshold is not None  # checked by `pruned_scan`
        best, where = stop, None
        if self._bad < stop:
            best = self._bad
            where = (best, 0 if best > offset else 1)
        count = self.returns.up_to(stop - 1 - offset)
        after = self.returns.up_to(offset - 1)
        distances = [*reversed(self.returns.listed[:count]), *(-n for n in self.returns.listed[:after])]
        for n in distances:  # j = i - offset - n rises
            first = max(start, offset + n) if n > 0 else start  # so that j >= 0
            if first >= best:
                continue
            c, s = self._keys_at(n)
            cut = slice(first - self._start, best - self._start)
            q0, q1, target = (part[cut] for part in self._query)
            place = first_failing_distance(self._spec, self._how, q0, q1, target, c[cut], s[cut], float(threshold))
            self._pairs += min(place + 1, best - first)
            if first + place < best:
                best = first + place
                where = (best, best - offset - n)
        return where

    def _keys_at(self, n: int) -> tuple[Floats, Floats]:
        """The keys of the competitors at distance n, for the whole window; before position 0 they are not looked at."""
        found = self._keys.get(n)
        if found is None:
            start, stop = self._start - self.question.offset - n, self._stop - self.question.offset - n
            c, s = blocks(self.question.head.realization, max(start, 0), stop)
            missing = max(-start, 0)
            found = self._keys[n] = (np.concatenate([np.zeros(missing), c]), np.concatenate([np.zeros(missing), s]))
        return found
