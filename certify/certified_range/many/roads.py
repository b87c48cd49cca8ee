"""Which road leads to N_max of a head on several pairs: the choices of `certify.certified_range.roads`, by their twins.

Without a `max_length`, where the bracket found no near-return within its search, its lower end is the answer: the
pruned road would repeat that search.  Where there is no error bound the exhaustive road goes to its own limit.
"""

from __future__ import annotations

from dataclasses import replace

from certify.certified_range.bracket import Bracket
from certify.certified_range.error_bound import NoBound
from certify.certified_range.exhaustive import Progress, scan
from certify.certified_range.many.bracket import many_bracket
from certify.certified_range.many.pruned import many_pruned_scan
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.pruned import SCAN_BY_KERNEL, SCAN_BY_REFERENCE, has_kernels
from certify.certified_range.roads import Answer, answer_of_bracket, answer_of_scan, short_number

__all__ = ["find_many"]


def find_many(question: ManyQuestion, method: str, max_length: int | None, progress: Progress | None) -> Answer:
    """The answer by this road; `question.threshold` exists."""
    if method == "exhaustive":
        from certify.certified_range.many.fast_rows import many_fast_rows

        found = scan(question, max_length, rows=lambda: many_fast_rows(question), progress=progress)
        return answer_of_scan(question, found, None)
    try:
        ends = many_bracket(question, max_length)
    except KeyboardInterrupt:
        reason = "interrupted while near-returns were searched for"
        return Answer("at_least", question.offset - 1, None, None, reason, "bracket", 0)
    settled = ends.exact and question.criterion == "gap" and (max_length is None or ends.lower <= max_length)
    if method == "bracket" or (method == "auto" and settled):
        return answer_of_bracket(question, ends)
    if max_length is None and ends.possible is None and ends.lower >= question.offset:
        return _at_least(ends)
    pruned = many_pruned_scan(question, _length(question, ends, max_length), progress)
    answer = answer_of_scan(question, pruned, ends)
    if method == "auto" and ends.upper is not None and not ends.exact:
        note = f"the bracket leaves {ends.lower} <= N_max <= {short_number(ends.upper)}"
        return replace(answer, notes=(note, *answer.notes))
    return answer


def _length(question: ManyQuestion, ends: Bracket, max_length: int | None) -> int | None:
    if max_length is not None or isinstance(ends.bounds, NoBound):
        return max_length
    queries = SCAN_BY_KERNEL if has_kernels(question) else SCAN_BY_REFERENCE
    return max(ends.lower, question.offset) + queries // (2 * len(question.angles))  # twice the cost for each pair


def _at_least(ends: Bracket) -> Answer:
    reason = f"no distance up to the limit of the search can fail; upper end: {ends.reason}"
    return Answer("at_least", ends.lower, ends.upper, None, reason, "bracket", 0)
