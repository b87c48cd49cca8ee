r"""The gap of a k-offset head against the length, realized and exact: the data behind the picture, as plain numbers.

The least gap up to length L is the least S(i, i-k) - S(i, j) over the queries k+1 <= i <= L+1 and their competitors j.
It falls as L grows, and N_max is the last L at which it is at least f_large.  In exact arithmetic it is
C (1 - max cos gn) over 1 <= n <= max(L+1-k, k-1): it falls at the record near-returns only.

Two kinds of curve.  Up to `EVERY_QUERY` queries each one is looked at ("every query").  Beyond, only the records n, at
the query i = n + k against j = 0, and the first failing pair ("near-returns"): those are the gaps that `nmax` reports,
and another pair of the same distance may round to a smaller one.

Which competitors of a query have to be computed: with |S - C cos| <= E (`error_bound`), a realized gap is within 2E of
the exact y_n, n = i-k-j, so in rising order of y_n all that follow the first with y_n > least + 2E can be left out.
"""

from __future__ import annotations

import math
from bisect import insort
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from certify.certified_range.error_bound import NoBound, error_bounds
from certify.certified_range.pruned import has_kernels
from certify.certified_range.question import Question
from certify.certified_range.result import CertifiedRange, CertifiedRanges, Record, Witness, difference
from certify.rotation.distance import one_minus_cosine
from certify.rotation.near_returns import iter_records, last_record
from fpsim.errors import UnsupportedError
from fpsim.number import json_number
from fpsim.real import Irrational
from fpsim.rounding.reference import Element

__all__ = ["EVERY_QUERY", "GapCurve", "GapPoint", "exact_gap", "gap_curve", "question_of", "to_float"]

EVERY_QUERY = 1000
_AHEAD = 1  # how many records after the first failing query a curve of near-returns shows


@dataclass(frozen=True)
class GapPoint:
    """The least gap up to this length: realized (NaN from the first one on that is not finite), and in exact arithmetic
    (a float, accurate to about 15 digits).
    """

    length: int
    gap: Element
    exact: float


@dataclass(frozen=True)
class GapCurve:
    """The curve of one head; `points` by rising length.  records: the near-returns on the way, `exact_records` their
    exact gaps, in the same order.
    """

    result: CertifiedRange
    kind: str
    points: tuple[GapPoint, ...]
    records: tuple[Record, ...]
    exact_records: tuple[float, ...]

    def to_json(self) -> dict[str, Any]:
        """{"kind", "points": [{"length", "gap", "exact"}], "records": [{"n", "i", "j", "gap", "exact"}]}."""
        pairs = zip(self.records, self.exact_records, strict=True)
        return {
            "kind": self.kind,
            "points": [{"length": p.length, "gap": json_number(p.gap), "exact": p.exact} for p in self.points],
            "records": [record.to_json() | {"exact": exact} for record, exact in pairs],
        }


def gap_curve(result: CertifiedRange | CertifiedRanges) -> GapCurve:
    """The gap against the length for the head of an `nmax` result, to a little beyond N_max.

    Of several offsets the one with the least range is taken.  Raises `UnsupportedError` for a value set without f_large
    and for heads of many pairs.

    >>> from certify.certified_range.compute import nmax
    >>> curve = gap_curve(nmax(g="1.0", C=40, dtype="fp16"))
    >>> [(point.length, float(point.gap), round(point.exact, 3)) for point in curve.points][3:6]
    [(4, 18.359375, 18.388), (5, 18.359375, 18.388), (6, 1.59375, 1.593)]
    """
    if isinstance(result, CertifiedRanges):
        result = _least(result)
    question = question_of(result)
    reach = result.upper if result.status == "between" and result.upper is not None else result.lower
    last = reach + 2 + max(3, reach // 6)  # the last query shown
    if question.farthest_computed is not None:
        last = min(last, question.farthest_computed)
    if last - question.offset <= EVERY_QUERY:
        points = _every_query(question, last)
        kind, farthest = "every query", last - question.offset
    else:
        kind, farthest = "near-returns", None
    records = _records(question, reach + 2 - question.offset, farthest)
    exact = tuple(exact_gap(question, record.n) for record in records)
    if kind == "near-returns":
        points = _of_records(question, records, result.witness)
    return GapCurve(result, kind, points, records, exact)


def _least(ranges: CertifiedRanges) -> CertifiedRange:
    return min(ranges.results, key=lambda one: one.lower)


def question_of(result: CertifiedRange | CertifiedRanges) -> Question:
    """The question that `result`, or the least of several, answers."""
    if isinstance(result, CertifiedRanges):
        result = _least(result)
    if result.f_large is None:
        raise UnsupportedError(f"no plot: {result.reason}")
    if not isinstance(result.g, str) or not isinstance(result.C, str):
        raise UnsupportedError("no plot: it is made for heads with one rotary pair only")
    question: Question = result.question
    return question


def exact_gap(question: Question, n: int) -> float:
    """C (1 - cos gn) to about 15 digits."""
    loss = one_minus_cosine(question.angle, n)
    lo = loss.enclose(60)[0] if isinstance(loss, Irrational) else loss
    return to_float(question.scale * lo)


def to_float(x: Element) -> float:
    """The nearest float; an infinity for what is beyond its range."""
    try:
        return float(x)
    except OverflowError:
        return math.inf if x > 0 else -math.inf


def _every_query(question: Question, last: int) -> tuple[GapPoint, ...]:
    k, head = question.offset, question.head
    bounds = error_bounds(question, last)
    if isinstance(bounds, NoBound) and has_kernels(question):
        return _every_pair(question, last)
    slack = None if isinstance(bounds, NoBound) else to_float(2 * bounds.score + question.scale / 10**9)
    angle = question.angle
    keys = [head.key(j) for j in range(last)]
    order: list[tuple[float, int]] = []  # (y_n, n) of the distances that exist, the least exact gap first
    for n in range(1, k):
        insort(order, (exact_gap(question, n), -n))
    points: list[GapPoint] = []
    least: Element = float("inf")
    for i in range(k + 1, last + 1):
        insort(order, (exact_gap(question, i - k), i - k))
        query = head.query(i)
        target = head.score_of(query, keys[i - k])
        for y, n in order:
            if slack is not None and y > least + slack:
                break
            gap = difference(target, head.score_of(query, keys[i - k - n]))
            least = min(least, gap) if _finite(gap) and _finite(least, or_inf=True) else float("nan")
        points.append(GapPoint(i - 1, least, exact_gap(question, last_record(angle, max(i - k, k - 1)))))
    return tuple(points)


def _every_pair(question: Question, last: int) -> tuple[GapPoint, ...]:
    """`_every_query` without bounds: all scores by compiled code; the greatest competitor makes the least gap."""
    import numpy as np

    from certify.certified_range.pruned_near_fast import KeyTable

    k, table, points = question.offset, KeyTable(question), []
    table.grow(last + 1)
    least: Element = float("inf")
    for i in range(k + 1, last + 1):
        row = table.scores(i, slice(i))
        target = row[i - k]
        if _finite(least, or_inf=True):
            competitors = np.delete(row, i - k)
            finite = bool(np.isfinite(target) and np.isfinite(competitors).all())
            least = min(least, mpq(float(target)) - mpq(float(competitors.max()))) if finite else float("nan")
        nearest = last_record(question.angle, max(i - k, k - 1))
        points.append(GapPoint(i - 1, least, exact_gap(question, nearest)))
    return tuple(points)


def _finite(x: Element, *, or_inf: bool = False) -> bool:
    return not isinstance(x, float) or math.isfinite(x) or (or_inf and x == float("inf"))


def _records(question: Question, reach: int, farthest: int | None) -> tuple[Record, ...]:
    """The records up to `farthest`, or up to `_AHEAD` after `reach`, with their realized gaps, as far as blocks go."""
    limit = farthest
    if question.farthest_computed is not None:
        limit = min(question.farthest_computed - question.offset, limit if limit is not None else 10**100)
    records: list[Record] = []
    beyond = 0
    for n in iter_records(question.angle, limit):
        beyond += n > reach
        if farthest is None and beyond > _AHEAD:
            break
        gap = _gap(question, n + question.offset, 0)
        records.append(Record(n, n + question.offset, 0, gap))
    return tuple(records)


def _gap(question: Question, i: int, j: int) -> Element:
    head = question.head
    query = head.query(i)
    return difference(*(head.score_of(query, head.key(place)) for place in (i - question.offset, j)))


def _of_records(question: Question, records: tuple[Record, ...], witness: Witness | None) -> tuple[GapPoint, ...]:
    """The least gap so far at the records and at the first failing pair."""
    gaps = [(record.i - 1, record.gap) for record in records]
    if witness is not None and all(record.i != witness.i for record in records):
        gaps.append((witness.i - 1, witness.gap))
    points: list[GapPoint] = []
    least: Element = float("inf")
    for length, gap in sorted(gaps, key=lambda entry: entry[0]):
        least = min(least, gap) if _finite(gap) and _finite(least, or_inf=True) else float("nan")
        nearest = last_record(question.angle, max(length + 1 - question.offset, question.offset - 1))
        points.append(GapPoint(length, least, exact_gap(question, nearest)))
    return tuple(points)
