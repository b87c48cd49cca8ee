"""The compiled walk over near-returns: by a table of keys where positions are few, by windows where they are far out.

*Table*: the keys and queries of all positions from 0 on, computed once.  It serves when the near-returns are many.

*Windows* (`long_scan`): with few near-returns at positions beyond 10^6 a table would cost more than the scan.

Either way the binary64 kernels do the operations of the head exactly as the reference does, and the failing pair that
they find is computed again by the reference.
"""

from __future__ import annotations

import numpy as np

from certify.certified_range.fast_rows import known_up_to, queries, stored_keys
from certify.certified_range.long_scan import WINDOW, WindowScan
from certify.certified_range.pair_scan import EXACT, FUSED, GENERAL, Floats, scores_of_row
from certify.certified_range.pruned_kernels import Integers, scan_table
from certify.certified_range.pruned_near import NearReturns
from certify.certified_range.question import Question
from fpsim.blocks import blocks
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, element_of
from fpsim.rounding.specs import spec_of

__all__ = ["FastNear", "KeyTable", "way_of_scoring"]

_MOST_POSITIONS = 1 << 22
_PAIRS = 1 << 24


def way_of_scoring(regime: Regime) -> int:
    """How the kernels make a score: `pair_scan.EXACT` asks for products that fit binary64."""
    if regime.fma:
        return FUSED
    return EXACT if regime.values.is_binary and 2 * regime.values.precision <= 53 else GENERAL


class KeyTable:
    """The realized keys of the positions 0, 1, ... as arrays that grow, and queries made from them."""

    def __init__(self, question: Question) -> None:
        self.question = question
        self.c, self.s = np.empty(0), np.empty(0)
        self._blocks = self.c, self.s  # what keys and queries are made of

    def grow(self, positions: int) -> None:
        """Hold at least this many positions."""
        have = self.c.size
        if positions > have:
            wanted = max(positions, min(2 * have, positions + _MOST_POSITIONS))
            c, s = blocks(self.question.head.realization, have, known_up_to(self.question, wanted))
            k0, k1 = stored_keys(self.question.head, c, s)
            same = self._blocks[0] is self.c and k0 is c
            self.c, self.s = np.concatenate([self.c, k0]), np.concatenate([self.s, k1])
            before = self._blocks
            self._blocks = (
                (self.c, self.s) if same else (np.concatenate([before[0], c]), np.concatenate([before[1], s]))
            )

    def queries(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """The queries of positions that the table holds."""
        c, s = self._blocks
        return queries(self.question, c[start:stop], s[start:stop])

    def scores(self, i: int, positions: slice | Integers) -> Floats:
        """The scores of query i against the keys of these positions."""
        q0, q1 = self.queries(i, i + 1)
        c, s = np.ascontiguousarray(self.c[positions]), np.ascontiguousarray(self.s[positions])
        row = np.empty(c.size)
        regime = self.question.regime
        scores_of_row(spec_of(regime.score), way_of_scoring(regime), q0[0], q1[0], c, s, row)
        return row


class FastNear:
    """The walk over near-returns in compiled code."""

    def __init__(self, question: Question, returns: NearReturns) -> None:
        self.question = question
        self.returns = returns
        self.pairs = 0
        self._table = KeyTable(question)
        self._windows = WindowScan(question, returns, way_of_scoring(question.regime))

    def chunk(self, start: int) -> int:
        """How many queries to look at at a time."""
        if not self._by_table(start, start + WINDOW):
            return WINDOW
        each = 1 + self.returns.up_to(max(start - self.question.offset, self.question.offset - 1))
        return max(64, min(_PAIRS // each, WINDOW, max(start, 1024)))

    def _by_table(self, start: int, stop: int) -> bool:
        """Whether a table of all positions costs less than a few windows, or exists already."""
        if stop > _MOST_POSITIONS:
            return False
        returns = 1 + self.returns.up_to(max(stop - self.question.offset, self.question.offset - 1))
        return stop - self._table.c.size <= 4 * (stop - start) * returns

    def first_failure(self, start: int, stop: int) -> tuple[int, int] | None:
        """The failing pair with the least i, start <= i < stop, then the least j; or None."""
        if not self._by_table(start, stop):
            found = self._windows.first_failure(start, stop)
            self.pairs += self._windows.take_pairs()
            return found
        question = self.question
        assert question.threshold is not None  # checked by `pruned_scan`
        self._table.grow(stop)
        q0, q1 = self._table.queries(start, stop)
        count = self.returns.up_to(max(stop - 1 - question.offset, question.offset - 1))
        listed = np.array(self.returns.listed[:count], dtype=np.int64)
        i, j, pairs = scan_table(
            spec_of(question.regime.score),
            way_of_scoring(question.regime),
            q0,
            q1,
            self._table.c,
            self._table.s,
            listed,
            question.offset,
            start,
            stop,
            float(question.threshold),
        )
        self.pairs += pairs
        return None if i < 0 else (i, j)

    def near_scores(self, i: int) -> dict[int, Element] | None:
        """Position to score, for the competitors of query i that can fail."""
        places = list(self.returns.competitors(i))
        if i < self._table.c.size:
            row = self._table.scores(i, np.array(places, dtype=np.int64))
            return {j: element_of(x) for j, x in zip(places, row, strict=True)}
        query = self.question.head.query(i)
        return {j: self.question.head.score_of(query, self.question.head.key(j)) for j in places}
