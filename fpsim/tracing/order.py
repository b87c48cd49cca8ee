"""What rounding does to the order of scores, and weights of exactly 1."""

from __future__ import annotations

from typing import Any

import gmpy2
import numpy as np
from gmpy2 import mpfr, mpq

from fpsim.rounding.reference import Element
from fpsim.tracing.event import Event, EventKind, Number, brief
from fpsim.tracing.exact import BITS
from fpsim.tracing.result import Row

__all__ = ["order_events"]

Ranks = np.ndarray[Any, np.dtype[np.int64]]


def order_events(row: Row) -> list[Event]:
    """The events `target`, `swap`, `tie` (stage `score`) and `hard` (stage `weight`) of a row; none where its exact
    counterpart is not known or a score is NaN.

    A swap or a tie shows, of all pairs of keys of its kind, the one with the greatest exact difference.
    """
    if row.target is None or row.exact_target is None:
        return []
    exact, realized = _ranks(row.exact_scores), _ranks(row.scores)
    above = np.sign(exact[:, None] - exact[None, :])
    seen = np.sign(realized[:, None] - realized[None, :])
    events = _moved(row)
    events += _pairs(row, "swap", (above < 0) & (seen > 0))  # the order of the two keys does not matter: one half of
    events += _pairs(row, "tie", (above < 0) & (seen == 0))  # the matrix has each pair once
    return events + _hard(row)


def _ranks(scores: tuple[Element, ...]) -> Ranks:
    """Numbers in the order of the scores, the same for equal ones."""
    place = {score: n for n, score in enumerate(sorted(set(scores)))}
    return np.array([place[score] for score in scores], np.int64)


def _moved(row: Row) -> list[Event]:
    """The target is another than without rounding (with a tie, the first key counts)."""
    assert row.target is not None
    assert row.exact_target is not None
    if row.target == row.exact_target:
        return []
    kept, lost = row.target, row.exact_target
    text = f"the greatest score is at key {kept}, without rounding at key {lost}: {_difference(row, lost, kept)}"
    return [_event(row, "target", kept, lost, kept, 1, text)]


def _pairs(row: Row, kind: EventKind, which: Ranks) -> list[Event]:
    """which[a, b]: without rounding key a has a lower score than key b."""
    low, high = np.nonzero(which)
    if not low.size:
        return []
    if low.size <= 512:
        gaps = [row.exact_scores[b] - row.exact_scores[a] for a, b in zip(low.tolist(), high.tolist(), strict=True)]
    else:  # binary64 finds the greatest gap, or one as good as it
        near = np.array([_near(x) for x in row.exact_scores])
        with np.errstate(invalid="ignore"):
            gaps = np.nan_to_num(near[high] - near[low], nan=-1.0).tolist()
    best = max(range(len(gaps)), key=gaps.__getitem__)
    a, b = int(low[best]), int(high[best])
    word = "above" if kind == "swap" else "equal to"
    text = f"key {a} scores {word} key {b}: {_difference(row, b, a)}"
    return [_event(row, kind, a, b, a, int(low.size), text)]


def _near(x: mpq) -> float:
    try:
        return float(x)
    except OverflowError:
        return float("inf") if x > 0 else float("-inf")


def _difference(row: Row, high: int, low: int) -> str:
    return (
        f"{brief(row.scores[high])} - {_signed(brief(row.scores[low]))} realized, "
        f"{brief(row.exact_scores[high] - row.exact_scores[low])} exact"
    )


def _signed(text: str) -> str:
    return f"({text})" if text.startswith("-") else text


def _event(row: Row, kind: EventKind, key: int, high: int, low: int, count: int, text: str) -> Event:
    exact: Number = row.exact_scores[high] - row.exact_scores[low]
    ends = row.scores[high], row.scores[low]
    infinite = any(isinstance(x, float) and x - x != 0 for x in ends)
    realized: Element = float(ends[0]) - float(ends[1]) if infinite else mpq(ends[0]) - mpq(ends[1])
    return Event(kind, "score", row.query, key, count, exact, realized, text)


def _hard(row: Row) -> list[Event]:
    ones = [j for j, weight in enumerate(row.weights) if weight == 1]
    if not ones or row.keys == 1:
        return []
    key = ones[0]
    others = row.weight_sum - 1
    many = "the other one has" if row.keys == 2 else f"the other {row.keys - 1} have"
    rest = f"{many} 0" if others == 0 else f"the others add up to {brief(others)}"
    with gmpy2.context(precision=BITS):  # what the exact weight lacks is the sum of the others, which may be tiny
        short = sum((w for j, w in enumerate(row.exact_weights) if j != key), mpfr(0))
    text = f"key {key} has the weight 1, the exact one is {brief(short)} less; {rest}"
    return [Event("hard", "weight", row.query, key, len(ones), row.exact_weights[key], mpq(1), text)]
