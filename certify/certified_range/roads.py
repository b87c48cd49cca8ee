"""Which road leads to N_max: bracket, pruned or exhaustive, and what each of them found.

`auto` takes the bracket first, which costs no scan; where its ends differ, the pruned road from the lower end on; the
pruned road itself falls back on the exhaustive one, with the reason in the notes.
"""

from __future__ import annotations

from dataclasses import dataclass

from certify.certified_range.bracket import Bracket, bracket
from certify.certified_range.error_bound import NoBound
from certify.certified_range.exhaustive import Progress, Rows, Scan, scan
from certify.certified_range.failure import Failure, non_finite_reason
from certify.certified_range.pruned import PrunedScan, pruned_scan
from certify.certified_range.question import AnyQuestion, Question
from certify.certified_range.result import Status

__all__ = ["Answer", "answer_of_bracket", "answer_of_scan", "find", "pairs_up_to", "short_number"]


@dataclass(frozen=True)
class Answer:
    """lower <= N_max <= upper (upper None: no bound is known), equal when `status` is "exact"; `failure` is then the
    first failing pair.  reason: why it is not exact.
    """

    status: Status
    lower: int
    upper: int | None
    failure: Failure | None
    reason: str | None
    method: str
    pairs_checked: int
    notes: tuple[str, ...] = ()


def find(question: Question, method: str, max_length: int | None, progress: Progress | None) -> Answer:
    """The answer by this road; `question.threshold` exists."""
    if method == "exhaustive":
        return answer_of_scan(
            question, scan(question, max_length, rows=lambda: _fast_rows(question), progress=progress), None
        )
    ends = bracket(question)
    settled = ends.exact and question.criterion == "gap" and (max_length is None or ends.lower <= max_length)
    if method == "bracket" or (method == "auto" and settled):
        return answer_of_bracket(question, ends)
    found = pruned_scan(question, max_length, progress, certified=ends.lower)
    answer = answer_of_scan(question, found, ends)
    if method == "auto" and ends.upper is not None and not ends.exact:
        note = f"the bracket leaves {ends.lower} <= N_max <= {short_number(ends.upper)}"
        return _with_notes(answer, note)
    return answer


def _with_notes(answer: Answer, note: str) -> Answer:
    from dataclasses import replace

    return replace(answer, notes=(note, *answer.notes))


def _fast_rows(question: Question) -> Rows | None:
    """The compiled walk; loading numba takes longer than most answers, so it is left until it is needed."""
    from certify.certified_range.fast_rows import fast_rows

    return fast_rows(question)


def answer_of_bracket(question: AnyQuestion, ends: Bracket) -> Answer:
    """What a bracket alone answers."""
    notes = (f"no error bound: {ends.bounds.reason}",) if isinstance(ends.bounds, NoBound) else ()
    witness = ends.witness
    if ends.upper is None:
        return Answer("at_least", ends.lower, None, None, f"bracket only: {ends.reason}", "bracket", 0, notes)
    if ends.exact and question.criterion == "weight":  # its witness has no weights, and need not be the first
        return Answer("exact", ends.lower, ends.upper, None, None, "bracket", int(witness is not None), notes)
    if ends.exact and witness is None:  # the bounds alone decide
        notes = (*notes, f"the first failing pair is not computed; {ends.reason}")
        return Answer("exact", ends.lower, ends.upper, None, None, "bracket", 0, notes)
    if not ends.exact or witness is None:
        reason = f"the bracket's ends differ; the upper one: {ends.reason}"
        return Answer("between", ends.lower, ends.upper, None, reason, "bracket", int(witness is not None), notes)
    goal = witness.i - question.offset
    reason_of_pair = non_finite_reason(witness.target_score, witness.competitor_score, witness.i, goal, witness.j)
    failure = Failure(witness, reason_of_pair)
    return Answer("exact", ends.lower, ends.upper, failure, None, "bracket", 1, notes)


def answer_of_scan(question: AnyQuestion, found: Scan, ends: Bracket | None) -> Answer:
    """What a scan answers; `ends` may know an upper bound where it did not end."""
    k, failure = question.offset, found.failure
    checked, method = None, "exhaustive"
    notes: tuple[str, ...] = ()
    if isinstance(found, PrunedScan):
        checked, method = found.pairs_checked, f"pruned ({found.road})" if found.road != "exhaustive" else "exhaustive"
        notes = (found.note,) if found.note else ()
    if failure:
        if checked is None:
            witness = failure.witness
            checked = pairs_up_to(k, witness.i - 1) + witness.j + 1 - (witness.i - k < witness.j)
        return Answer("exact", failure.witness.i - 2, failure.witness.i - 2, failure, None, method, checked, notes)
    if checked is None:
        checked = pairs_up_to(k, found.reached - 1)
    lower = max(k - 1, found.reached - 2)
    ended = found.ended if isinstance(found, PrunedScan) else None
    reason = ended or f"the search ended at the length limit {found.reached - 2}"
    if question.last_query is not None and found.reached > question.last_query:
        reason = f"the array ends at position {question.last_query}"
    if found.interrupted:
        reason = f"interrupted at query {found.reached}"
    return Answer("at_least", lower, ends.upper if ends else None, None, reason, method, checked, notes)


def pairs_up_to(k: int, last_query: int) -> int:
    """How many pairs (i, j), j != i-k, the queries k+1 .. last_query have."""
    return (last_query * (last_query - 1) - k * (k - 1)) // 2 if last_query > k else 0


def short_number(n: int) -> str:
    """n, or its size where it is long."""
    return str(n) if n < 10**30 else f"about 10^{len(str(n)) - 1}"
