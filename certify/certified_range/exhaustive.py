"""The exhaustive road to N_max: every pair, from the first query position on, with an early exit.

Two walks over the same pairs.  `ReferenceRows`, in exact rationals, is the reference: it does every operation of the
head by `fpsim.reference`.  `FastRows` does them in compiled kernels, for the value sets in which binary64 suffices; it
finds the failing query, and the reference then looks at that row again, so that the witness never comes from a kernel
alone.  The cost is the number of pairs, about L^2 / 2.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol

from certify.certified_range.failure import Failure, failing_gap, failing_weight
from certify.certified_range.question import AnyQuestion
from fpsim.rounding.reference import Element

__all__ = ["Progress", "ReferenceRows", "Rows", "Scan", "scan"]

Progress = Callable[[int, int], None]  # positions done, positions in all

# The walk starts with the reference: most heads fail early, and then no kernel has to be loaded.
FIRST_BY_REFERENCE = 40
MAX_LENGTH_BY_KERNEL = 100_000
MAX_LENGTH_BY_REFERENCE = 1_000
FARTHEST = 10**100  # beyond all queries that are asked for


class Rows(Protocol):
    """Finds the first failing query position of a range."""

    def first_failure(self, start: int, stop: int) -> int | None:
        """The least failing i with start <= i < stop, or None."""


@dataclass(frozen=True)
class Scan:
    """What a scan found: the first failure, or that every query position below `reached` holds."""

    failure: Failure | None
    reached: int
    interrupted: bool = False


class ReferenceRows:
    """Row by row in exact arithmetic; keeps the realized keys and queries of the positions it has met."""

    def __init__(self, question: AnyQuestion) -> None:
        self.question = question
        self.head = question.head
        self._keys: list[Any] = []

    def key(self, position: int) -> Any:
        """The realized key of a position: a block, or one for each pair."""
        while len(self._keys) <= position:
            self._keys.append(self.head.key(len(self._keys)))
        return self._keys[position]

    def scores(self, i: int) -> list[Element]:
        """S(i, j) for j = 0..i-1."""
        query = self.head.query_beside(self.key(i), i)
        return [self.head.score_of(query, self.key(j)) for j in range(i)]

    def failure(self, i: int) -> Failure | None:
        """The failure of query i, or None when it holds."""
        question = self.question
        if question.criterion == "weight":
            return failing_weight(question.regime, self.scores(i), i, question.offset)
        assert question.threshold is not None  # `compute` answers "undefined" before any scan
        return failing_gap(self.scores(i), i, question.offset, question.threshold)

    def first_failure(self, start: int, stop: int) -> int | None:
        """The least failing i with start <= i < stop, or None."""
        return next((i for i in range(start, stop) if self.failure(i) is not None), None)


def scan(
    question: AnyQuestion,
    max_length: int | None,
    *,
    rows: Callable[[], Rows | None] | None = None,
    progress: Progress | None = None,
) -> Scan:
    """Scan the query positions k+1 .. max_length+1 in order until one fails.

    `rows` makes the fast walk when it is needed (None: there is none, and the reference goes on).  Without a
    `max_length` the scan ends where `_default_length` says; it ends with the positions that are known, in any case.
    Ctrl-C ends it with what is certified so far.
    """
    reference = ReferenceRows(question)
    start = position = question.offset + 1
    end = FARTHEST if question.last_query is None else question.last_query + 1
    try:
        first_stop = min(FIRST_BY_REFERENCE, end, FARTHEST if max_length is None else max_length + 2)
        for i in range(start, first_stop):
            failure = reference.failure(i)
            if failure:
                return Scan(failure, i)
            position = i + 1
        if position >= end or (max_length is not None and position >= max_length + 2):
            return Scan(None, position)
        fast = rows() if rows else None
        walk: Rows = fast or reference
        length = max_length if max_length is not None else _default_length(question.offset, fast is not None)
        stop = min(length + 2, end)
        while position < stop:
            chunk_stop = min(stop, position + _chunk(position, fast is not None))
            found = walk.first_failure(position, chunk_stop)
            if found is not None:
                failure = reference.failure(found)
                if failure is None:
                    raise ArithmeticError(f"the kernel and the reference differ at query {found}: please report this")
                return Scan(failure, found)
            position = chunk_stop
            if progress:
                progress(position - start, stop - start)
    except KeyboardInterrupt:
        return Scan(None, position, interrupted=True)
    return Scan(None, position)


def _default_length(offset: int, fast: bool) -> int:
    """Where a scan without a limit ends: at a length that takes about a minute, or a stretch past a greater offset."""
    length, stretch = (MAX_LENGTH_BY_KERNEL, 1000) if fast else (MAX_LENGTH_BY_REFERENCE, 20)
    return max(length, min(offset, 10 * length) + stretch)


def _chunk(position: int, fast: bool) -> int:
    """Positions to the next report: about 10^8 pairs by kernel, 10^4 by reference, so that Ctrl-C is soon heard."""
    pairs = 10**8 if fast else 10**4
    return max(1, min(pairs // max(position, 1), max(64, position)))
