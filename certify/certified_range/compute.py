"""`nmax`: the certified range of a k-offset head, by the road that was asked for."""

from __future__ import annotations

from typing import Any

from certify.certified_range.exact_arithmetic import exact_arithmetic_range
from certify.certified_range.exhaustive import Progress, ReferenceRows
from certify.certified_range.question import Criterion, Question, parse_offsets, parse_scale
from certify.certified_range.result import CertifiedRange, CertifiedRanges, Collision, Record, difference
from certify.certified_range.roads import Answer, find, pairs_up_to
from certify.rotation.near_returns import record_near_returns
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import exact_text
from fpsim.regime import Regime
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["METHODS", "nmax", "nmax_of"]

METHODS = ("auto", "exhaustive", "pruned", "bracket")
MAX_LENGTH = 10**60
MAX_LENGTH_EXHAUSTIVE = 10**7
# Colliding keys are looked for among this many positions by the reference.
PIGEONHOLE_POSITIONS = 200


def nmax(
    *,
    g: Any,
    C: Any,
    dtype: ValueSet | str = "fp16",
    k: Any = 1,
    realize: str = "ideal",
    rotate_dtype: ValueSet | str | None = None,
    score_dtype: ValueSet | str | None = None,
    softmax_dtype: ValueSet | str | None = None,
    criterion: Criterion = "gap",
    fma: bool = False,
    order: Order | str = "sequential",
    method: str = "auto",
    max_length: int | None = None,
    cross_check: bool = False,
    progress: Progress | None = None,
) -> CertifiedRange | CertifiedRanges:
    """N_max^(k)(g, C, F), Eq. 10 of arXiv:2608.11909: how far a k-offset head is certain to find its target.

    g: an exact angle in radians (text, int, Fraction; a float is its exact binary64 value).  C > 0: the scale, exact.
    dtype: the value set F of every stage, but for `rotate_dtype`, `score_dtype` and `softmax_dtype`.  k: an offset of
    at least 1, or several ("1,2,3" or a list): then the answer is a `CertifiedRanges`.  realize: "ideal" or "phase".
    criterion: "gap" (Eq. 10) or "weight" (the realized softmax selects exactly).  fma: fuse the score's second product.
    order: the order of the softmax sum, which "weight" depends on.  max_length: where the search ends; the answer is
    then "at_least".  cross_check: recompute with mpmath.

    The result is exact or says that it is not (`status`).  A NaN or an infinite score is a failing pair, with its
    reason.  Raises `InputError` for arguments that cannot be taken, and `UnsupportedError` for stochastic rounding.

    >>> nmax(g="1.0", C=40, dtype="fp16", k=1).n_max
    5
    """
    _check(method, max_length)
    regime = Regime.of(dtype, rotate=rotate_dtype, score=score_dtype, softmax=softmax_dtype, fma=fma, order=order)
    angle, scale = Angle.parse(g, "g"), parse_scale(C)
    offsets = parse_offsets(k)
    results = tuple(
        nmax_of(
            Question(angle, scale, offset, regime, realize, criterion),
            method=method,
            max_length=max_length,
            cross_check=cross_check,
            progress=progress,
        )
        for offset in offsets
    )
    return results[0] if len(offsets) == 1 and _is_single(k) else CertifiedRanges(results)


def _is_single(k: Any) -> bool:
    return isinstance(k, int) or (isinstance(k, str) and "," not in k)


def nmax_of(
    question: Question,
    *,
    method: str = "auto",
    max_length: int | None = None,
    cross_check: bool = False,
    progress: Progress | None = None,
) -> CertifiedRange:
    """The certified range that `question` asks for, by one of the roads of `certify.certified_range.roads`."""
    _check(method, max_length)
    if question.threshold is None:
        return _undefined(question)
    result = _result(question, find(question, method, max_length, progress))
    if cross_check:
        from dataclasses import replace

        from certify.certified_range.cross_check import cross_check_range

        result = replace(result, cross_check=cross_check_range(question, result))
    return result


def _check(method: str, max_length: int | None) -> None:
    if method not in METHODS:
        raise InputError("method", method, f"one of {', '.join(METHODS)}")
    most = MAX_LENGTH_EXHAUSTIVE if method == "exhaustive" else MAX_LENGTH
    if max_length is not None and (isinstance(max_length, bool) or not 1 <= max_length <= most):
        raise InputError("max_length", max_length, f"an integer between 1 and 10^{len(str(most)) - 1}")


def _result(question: Question, found: Answer) -> CertifiedRange:
    k = question.offset
    assert question.threshold is not None  # `nmax_of` has answered "undefined" otherwise
    ideal = exact_arithmetic_range(question.angle, question.scale, k, question.threshold)
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
        ideal_lower=ideal,
        ideal_upper=ideal,
        records=_records(question, last_query, rows),
        pigeonhole=_pigeonhole(question, last_query, rows),
        notes=(*found.notes, *_notes(question)),
        **_echo(question),
    )


def _undefined(question: Question) -> CertifiedRange:
    name = question.regime.softmax.name
    reason = f"{name} has no f_large: exp(-f) rounds to 0 for no positive f in it, so nothing in it selects exactly"
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


def _echo(question: Question) -> dict[str, Any]:
    regime = question.regime
    return {
        "g": str(question.angle),
        "C": exact_text(question.scale),
        "dtype": regime.values.name,
        "stages": {stage: values.name for stage, values in regime.stages.items() if stage != "output"},
        "realize": question.realize,
        "criterion": question.criterion,
        "fma": regime.fma,
        "order": str(regime.order),
    }


def _notes(question: Question) -> tuple[str, ...]:
    values = question.regime.values
    if question.scale > values.max:
        largest = exact_text(values.max)
        return (f"C = {exact_text(question.scale)} is above the largest value of {values.name}, {largest}",)
    return ()


def _records(question: Question, last_query: int, rows: ReferenceRows) -> tuple[Record, ...]:
    """The realized gaps at the record near-returns n = 1.. of the exact rotation, as far as queries were looked at."""
    limit = last_query - question.offset
    if limit < 1:
        return ()
    records = []
    for n in record_near_returns(question.angle, limit):
        i = n + question.offset
        query = rows.head.query(i)
        target, competitor = (rows.head.score_of(query, rows.head.key(j)) for j in (n, 0))
        records.append(Record(n, i, 0, difference(target, competitor)))
    return tuple(records)


def _pigeonhole(question: Question, last_query: int, rows: ReferenceRows) -> Collision | None:
    """The first two positions with equal realized keys among those that were looked at."""
    seen: dict[Any, int] = {}
    for j in range(min(last_query + 1, PIGEONHOLE_POSITIONS)):
        key = tuple(0 if entry == 0 else entry for entry in rows.key(j))
        if any(entry != entry for entry in key):
            return None
        if key in seen:
            return Collision(seen[key], j, j + question.offset - 2)
        seen[key] = j
    return None
