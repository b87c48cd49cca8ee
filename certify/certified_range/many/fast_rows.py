"""The fast walk of the exhaustive road for a head on several pairs: keys and queries in arrays, rows in kernels."""

from __future__ import annotations

import numpy as np

from certify.certified_range.fast_rows import has_fast_rows, known_up_to, rotated_biases, stored_keys
from certify.certified_range.many.kernels import first_failing_row, first_failing_softmax
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.pair_scan import Floats
from certify.certified_range.pruned_near_fast import way_of_scoring
from certify.certified_range.weight_scan import order_number
from fpsim.blocks import blocks
from fpsim.many_pairs import ManyPairsHead
from fpsim.rounding.specs import spec_of

__all__ = ["ManyRows", "blocks_between", "keys_of", "many_fast_rows", "queries_of"]


def many_fast_rows(question: ManyQuestion) -> ManyRows | None:
    """The fast walk, or None where only the reference serves."""
    return ManyRows(question) if has_fast_rows(question) else None


def blocks_between(head: ManyPairsHead, start: int, stop: int) -> Floats:
    """The realized blocks of the positions start .. stop-1, of shape (2 D, stop - start)."""
    return np.stack([entry for pair in head.pairs for entry in blocks(pair.realization, start, stop)])


def keys_of(head: ManyPairsHead, made: Floats) -> Floats:
    """The realized keys of these blocks, of the same shape."""
    pairs = enumerate(head.pairs)
    return np.stack([entry for d, pair in pairs for entry in stored_keys(pair, made[2 * d], made[2 * d + 1])])


def queries_of(head: ManyPairsHead, made: Floats) -> Floats:
    """The realized queries at the positions of these blocks, of the same shape."""
    pairs = enumerate(head.pairs)
    return np.stack([entry for d, pair in pairs for entry in rotated_biases(pair, made[2 * d], made[2 * d + 1])])


class ManyRows:
    """Keeps the realized keys and queries from position 0 on, growing as the walk does."""

    def __init__(self, question: ManyQuestion) -> None:
        self.question = question
        terms = 2 * len(question.angles)
        self._how = way_of_scoring(question.regime)
        self._keys, self._queries = np.empty((terms, 0)), np.empty((0, terms))

    def _grow(self, positions: int) -> None:
        have = self._keys.shape[1]
        if positions > have:
            head = self.question.head
            made = blocks_between(head, have, known_up_to(self.question, max(positions, 2 * have)))
            self._keys = np.concatenate([self._keys, keys_of(head, made)], axis=1)
            self._queries = np.concatenate([self._queries, queries_of(head, made).T])

    def first_failure(self, start: int, stop: int) -> int | None:
        """The least failing i with start <= i < stop, or None."""
        self._grow(stop)
        question, regime = self.question, self.question.regime
        score = spec_of(regime.score)
        if question.criterion == "gap":
            assert question.threshold is not None  # "undefined" is answered before any scan
            found = first_failing_row(
                score, self._how, self._queries, self._keys, question.offset, start, stop, float(question.threshold)
            )
        else:
            order, block = order_number(regime.order)
            found = first_failing_softmax(
                score,
                spec_of(regime.values),
                spec_of(regime.softmax),
                spec_of(regime.order.accumulator or regime.softmax),
                self._how,
                order,
                block,
                self._queries,
                self._keys,
                question.offset,
                start,
                stop,
            )
        return found if found >= 0 else None
