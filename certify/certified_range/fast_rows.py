"""The fast walk of the exhaustive road: realized keys and queries in arrays, rows of pairs in compiled kernels.

It exists where every stage has a compiled twin (`fpsim.spec_of`); elsewhere the reference walks alone.
"""

from __future__ import annotations

import numpy as np

from certify.certified_range.pair_scan import EXACT, FUSED, GENERAL, Floats, first_failing_row
from certify.certified_range.question import AnyQuestion, Question
from fpsim import arithmetic
from fpsim.blocks import blocks
from fpsim.head import Head
from fpsim.rounding.specs import Spec, spec_of

__all__ = ["FastRows", "fast_rows", "has_fast_rows", "known_up_to", "queries", "rotated_biases"]


def has_fast_rows(question: AnyQuestion) -> bool:
    """Whether binary64 kernels serve every stage of the question."""
    regime = question.regime
    stages = [regime.values, regime.rotate, regime.score, regime.softmax]
    if regime.order.accumulator is not None:
        stages.append(regime.order.accumulator)
    return all(spec_of(values) is not None for values in stages)


def known_up_to(question: AnyQuestion, positions: int) -> int:
    """So many positions, or all that are known, where these are fewer."""
    return positions if question.last_query is None else min(positions, question.last_query + 1)


def fast_rows(question: Question) -> FastRows | None:
    """The fast walk, or None where only the reference serves."""
    return FastRows(question) if has_fast_rows(question) else None


def queries(question: Question, c: Floats, s: Floats) -> tuple[Floats, Floats]:
    """The realized queries at the positions of the blocks (c, s)."""
    return rotated_biases(question.head, c, s)


def rotated_biases(head: Head, c: Floats, s: Floats) -> tuple[Floats, Floats]:
    """`Head.rotated_bias` on arrays."""
    rotate, values = head.regime.rotate, head.regime.values
    b0, b1 = (float(entry) for entry in head.bias)
    q0 = arithmetic.sub(rotate, arithmetic.mul(rotate, c, b0), arithmetic.mul(rotate, s, b1))
    q1 = arithmetic.add(rotate, arithmetic.mul(rotate, s, b0), arithmetic.mul(rotate, c, b1))
    if rotate != values:
        q0, q1 = arithmetic.round(values, q0), arithmetic.round(values, q1)
    return np.asarray(q0), np.asarray(q1)


def stored_keys(head: Head, c: Floats, s: Floats) -> tuple[Floats, Floats]:
    """`Head.key` on arrays: the blocks (c, s) themselves, or rounded into `values`."""
    if not head.rounds_keys:
        return c, s
    values = head.regime.values
    return np.asarray(arithmetic.round(values, c)), np.asarray(arithmetic.round(values, s))


class FastRows:
    """Keeps the realized keys and queries from position 0 on, growing as the walk does."""

    def __init__(self, question: Question) -> None:
        self.question = question
        regime = question.regime
        self._score = _required(spec_of(regime.score))
        exact_products = regime.values.is_binary and 2 * regime.values.precision <= 53
        self._how = FUSED if regime.fma else EXACT if exact_products else GENERAL
        empty = np.empty(0)
        self._c, self._s, self._q0, self._q1 = empty, empty, empty, empty

    def _grow(self, positions: int) -> None:
        have = self._c.size
        if positions <= have:
            return
        c, s = blocks(self.question.head.realization, have, known_up_to(self.question, max(positions, 2 * have)))
        q0, q1 = queries(self.question, c, s)
        c, s = stored_keys(self.question.head, c, s)
        self._c, self._s = np.concatenate([self._c, c]), np.concatenate([self._s, s])
        self._q0, self._q1 = np.concatenate([self._q0, q0]), np.concatenate([self._q1, q1])

    def first_failure(self, start: int, stop: int) -> int | None:
        """The least failing i with start <= i < stop, or None."""
        self._grow(stop)
        question = self.question
        if question.criterion == "gap":
            assert question.threshold is not None  # "undefined" is answered before any scan
            found = first_failing_row(
                self._score,
                self._how,
                self._q0,
                self._q1,
                self._c,
                self._s,
                question.offset,
                start,
                stop,
                float(question.threshold),
            )
        else:
            found = self._first_failing_softmax(start, stop)
        return found if found >= 0 else None

    def _first_failing_softmax(self, start: int, stop: int) -> int:
        from certify.certified_range.weight_scan import first_failing_softmax, order_number

        question, regime = self.question, self.question.regime
        order, block = order_number(regime.order)
        values, softmax = _required(spec_of(regime.values)), _required(spec_of(regime.softmax))
        wide = softmax if regime.order.accumulator is None else _required(spec_of(regime.order.accumulator))
        found: int = first_failing_softmax(
            self._score,
            values,
            softmax,
            wide,
            self._how,
            order,
            block,
            self._q0,
            self._q1,
            self._c,
            self._s,
            question.offset,
            start,
            stop,
        )
        return found


def _required(spec: Spec | None) -> Spec:
    if spec is None:
        raise TypeError("a stage without a compiled twin: ask has_fast_rows first")
    return spec
