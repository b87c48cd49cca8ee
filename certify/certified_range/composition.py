"""From what a road found to the result that is shown: f_large, records, equal keys and exact arithmetic beside it."""

from __future__ import annotations

from typing import Any

from gmpy2 import mpq

from certify.certified_range.exact_arithmetic import exact_arithmetic_range
from certify.certified_range.exhaustive import ReferenceRows
from certify.certified_range.many.exact_arithmetic import many_exact_range
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.question import Question
from certify.certified_range.result import CertifiedRange, Collision, Record, difference
from certify.certified_range.roads import Answer, pairs_up_to
from certify.rotation.near_returns import record_near_returns
from fpsim.angle import Angle
from fpsim.number import exact_text

__all__ = ["compose", "undefined"]

# Colliding keys are looked for among this many positions by the reference.
PIGEONHOLE_POSITIONS = 200


def compose(question: Question | ManyQuestion, found: Answer) -> CertifiedRange:
    """The result for an answer to `question`, whose f_large exists."""
    k = question.offset
    assert question.threshold is not None  # `nmax_of` has answered "undefined" otherwise
    ideal_lower, ideal_upper, unknown = _ideal(question, question.threshold)
    exact = found.status == "exact"
    last_query = found.lower + 2 if exact else found.lower + 1
    rows = ReferenceRows(question)
    witness = found.failure.witness if found.failure else None
    return CertifiedRange(
        n_max=None if found.status == "between" else found.lower,
        status=found.status,
        lower=found.lower,
        upper=found.upper,
        k=k,
        f_large=question.threshold,
        witness=witness,
        reason=found.failure.reason if found.failure else found.reason,
        method=found.method,
        pairs_checked=found.pairs_checked,
        pairs_total=pairs_up_to(k, last_query) if exact else None,
        ideal_lower=ideal_lower,
        ideal_upper=ideal_upper,
        records=_records(question, last_query, rows) if isinstance(question, Question) else (),
        pigeonhole=_pigeonhole(question, last_query, rows),
        notes=(*found.notes, *unknown, *_notes(question)),
        **_echo(question),
    )


def _ideal(question: Question | ManyQuestion, threshold: mpq) -> tuple[int, int | None, tuple[str, ...]]:
    """The ends of the range in exact arithmetic, and why they differ, if they do."""
    if isinstance(question, Question):
        exact = exact_arithmetic_range(question.angle, question.scale, question.offset, threshold)
        return exact, exact, ()
    return many_exact_range(question, threshold)


def undefined(question: Question | ManyQuestion) -> CertifiedRange:
    """The result where the softmax's value set has no f_large."""
    name = question.regime.softmax.name
    reason = f"{name} has no f_large: exp(-f) rounds to 0 for no positive f in it, so no gap in it selects exactly"
    if question.criterion == "weight":
        reason += "; whether weights are exact all the same, where S - m overflows or `values` is coarse, is not judged"
    return CertifiedRange(
        n_max=None,
        status="undefined",
        lower=question.offset - 1,
        upper=None,
        k=question.offset,
        f_large=None,
        witness=None,
        reason=reason,
        method="f_large by search over F",
        pairs_checked=0,
        pairs_total=None,
        ideal_lower=None,
        ideal_upper=None,
        records=(),
        notes=_notes(question),
        **_echo(question),
    )


def _echo(question: Question | ManyQuestion) -> dict[str, Any]:
    regime, single = question.regime, isinstance(question, Question)
    angles, scales = (str(angle) for angle in _angles(question)), (exact_text(scale) for scale in _scales(question))
    return {
        "g": next(angles) if single else tuple(angles),
        "C": next(scales) if single else tuple(scales),
        "dtype": regime.values.name,
        "stages": {stage: values.name for stage, values in regime.stages.items() if stage != "output"},
        "realize": question.realize,
        "question": question,
        "criterion": question.criterion,
        "fma": regime.fma,
        "order": str(regime.order),
    }


def _angles(question: Question | ManyQuestion) -> tuple[Angle, ...]:
    return (question.angle,) if isinstance(question, Question) else question.angles


def _scales(question: Question | ManyQuestion) -> tuple[mpq, ...]:
    return (question.scale,) if isinstance(question, Question) else question.scales


def _notes(question: Question | ManyQuestion) -> tuple[str, ...]:
    values = question.regime.values
    scale = max(_scales(question))
    if scale > values.max:
        return (f"C = {exact_text(scale)} is above the largest value of {values.name}, {exact_text(values.max)}",)
    return ()


def _records(question: Question, last_query: int, rows: ReferenceRows) -> tuple[Record, ...]:
    """The realized gaps at the record near-returns n = 1.. of the exact rotation, as far as queries were looked at."""
    limit = last_query - question.offset
    if question.farthest_computed is not None:
        limit = min(limit, question.farthest_computed - question.offset)
    if limit < 1:
        return ()
    records = []
    for n in record_near_returns(question.angle, limit):
        i = n + question.offset
        query = rows.head.query(i)
        target, competitor = (rows.head.score_of(query, rows.head.key(j)) for j in (n, 0))
        records.append(Record(n, i, 0, difference(target, competitor)))
    return tuple(records)


def _pigeonhole(question: Question | ManyQuestion, last_query: int, rows: ReferenceRows) -> Collision | None:
    """The first two positions with equal realized keys among those that were looked at."""
    seen: dict[Any, int] = {}
    for j in range(min(last_query + 1, PIGEONHOLE_POSITIONS)):
        key = rows.key(j)
        entries = key if isinstance(question, Question) else [entry for block in key for entry in block]
        if any(entry != entry for entry in entries):
            return None
        place = tuple(0 if entry == 0 else entry for entry in entries)
        if place in seen:
            return Collision(seen[place], j, j + question.offset - 2)
        seen[place] = j
    return None
