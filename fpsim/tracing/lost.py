"""The events of a head: each stage is computed again step by step, and what was lost is put into words."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from fpsim import arithmetic
from fpsim.attention.rows import Rows
from fpsim.operands import Array, as_element
from fpsim.precision import Precision
from fpsim.rounding.reference import Element
from fpsim.tracing.event import Event, Number, Stage, brief
from fpsim.tracing.findings import Findings, Kind, exact_of, finite
from fpsim.tracing.order import order_events
from fpsim.tracing.result import Row
from fpsim.tracing.steps import Counts, Step, sum_of_products, sum_of_terms

__all__ = ["head_events"]

_STAGES: tuple[Stage, ...] = ("input", "score", "difference", "exponential", "denominator", "weight", "output")


def head_events(
    precision: Precision, q: Array, k: Array, v: Array, realized: Rows, rows: Sequence[Row], own: int
) -> tuple[Event, ...]:
    """Every place where rounding mattered in these rows of a head, by row and then by stage.

    Of the NaNs of a row only the first stage in which one arises is told.
    """
    counts = np.array(realized.rows, np.int64) + own
    events = _input_events(q, k, v, realized.rows, counts)
    for made in (_score_events, _softmax_events, _output_events):
        events += made(precision, q, k, v, realized, counts, rows)
    for row in rows:
        events += order_events(row)
    by_row: dict[int, list[Event]] = {}
    for event in events:
        by_row.setdefault(event.query, []).append(event)
    return tuple(event for i in realized.rows for event in _in_order(by_row.pop(i, [])))


def _in_order(events: list[Event]) -> list[Event]:
    """By stage; of NaNs the first."""
    events.sort(key=lambda event: _STAGES.index(event.stage))
    first = next((event for event in events if event.kind == "nan"), None)
    return [event for event in events if event.kind != "nan" or event is first]


def _input_events(q: Array, k: Array, v: Array, queries: Sequence[int], counts: Counts) -> list[Event]:
    """Numbers that were infinite or NaN before this head: of the query, and of the keys and values that it sees."""
    events = []
    for i, count in zip(queries, counts.tolist(), strict=True):
        parts = (("query", q[i : i + 1], i, None), ("key", k[:count], 0, 0), ("value", v[:count], 0, 0))
        for name, x, first, key in parts:
            if not count:
                continue
            rows = np.flatnonzero(~finite(x).all(axis=1))
            if not rows.size:
                continue
            place = int(rows[0])
            number = next(as_element(each) for each in x[place] if each - each != 0)
            nan = bool((x[rows] != x[rows]).any())
            text = f"{name} {first + place} has a coordinate {number} before this head begins"
            kind: Any = "nan" if nan else "overflow"
            events.append(
                Event(kind, "input", i, None if key is None else place, rows.size, float("nan"), number, text)
            )
    return events


def _score_events(
    precision: Precision, q: Array, k: Array, v: Array, realized: Rows, counts: Counts, rows: Sequence[Row]
) -> list[Event]:
    row, key = np.nonzero(np.arange(k.shape[0]) < counts[:, None])
    findings = Findings(row.size)
    size = np.full(row.size, q.shape[1])
    left = q[list(realized.rows)][row]
    values, fused = precision.regime.score, precision.regime.fma
    sum_of_products(values, left, k[key], size, precision.dot, fused, findings)

    def place(sums: int, terms: tuple[int, int]) -> tuple[int, int, str]:
        where = f"coordinate {terms[0]}" if terms[0] == terms[1] else f"coordinates {terms[0]} to {terms[1]}"
        return int(key[sums]), terms[0], f"key {key[sums]}, {where}"

    return _told(findings, "score", realized.rows, row, place, by_term=False)


def _softmax_events(
    precision: Precision, q: Array, k: Array, v: Array, realized: Rows, counts: Counts, rows: Sequence[Row]
) -> list[Event]:
    """Of the differences S - m, the exponentials, the denominator and the weights."""
    regime = precision.regime
    row, key = np.nonzero(np.arange(k.shape[0]) < counts[:, None])
    if not row.size:
        return []
    scores, exponentials = realized.scores[row, key], realized.exponentials[row, key]
    most = np.empty(len(rows), scores.dtype)
    for n, each in enumerate(rows):
        most[n] = float("nan") if not each.keys or each.target is None else realized.scores[n, each.target]
    places = np.arange(row.size)

    def each_key(sums: int, _terms: tuple[int, int]) -> tuple[int, None, str]:
        return int(key[sums]), None, f"key {key[sums]}"

    def step(operation: Any, left: Array, right: Array | None, result: Array, values: Any) -> Findings:
        findings = Findings(row.size)
        findings(Step(operation, values, places, (key, key), left, right, result))
        return findings

    difference = arithmetic.sub(regime.softmax, scores, most[row])
    ratio = arithmetic.div(regime.softmax, exponentials, realized.denominators[row])
    quotient = step("quotient", exponentials, realized.denominators[row], ratio, regime.softmax)
    if regime.values != regime.softmax:
        quotient(Step("store", regime.values, places, (key, key), ratio, None, realized.weights[row, key]))
    events = _told(
        step("difference", scores, most[row], difference, regime.softmax), "difference", realized.rows, row, each_key
    )
    events += _told(
        step("exponential", difference, None, exponentials, regime.softmax), "exponential", realized.rows, row, each_key
    )
    terms = np.where(np.arange(k.shape[0]) < counts[:, None], realized.exponentials, 0.0)
    findings = Findings(len(rows))
    sum_of_terms(regime.softmax, terms, counts, regime.order, findings)
    events += _told(findings, "denominator", realized.rows, np.arange(len(rows)), _at_keys)
    whole = _exact_weight(rows, row, key)
    return events + _told(quotient, "weight", realized.rows, row, each_key, of_head=whole)


def _at_keys(_sums: int, terms: tuple[int, int]) -> tuple[int, None, str]:
    return terms[0], None, f"key {terms[0]}" if terms[0] == terms[1] else f"keys {terms[0]} to {terms[1]}"


def _exact_weight(rows: Sequence[Row], row: Array, key: Array) -> Callable[[int], Number | None]:
    def exact(sums: int) -> Number | None:
        weights = rows[int(row[sums])].exact_weights
        return weights[int(key[sums])] if weights else None

    return exact


def _output_events(
    precision: Precision, q: Array, k: Array, v: Array, realized: Rows, counts: Counts, rows: Sequence[Row]
) -> list[Event]:
    regime, width = precision.regime, v.shape[1]
    count, length = len(rows), v.shape[0]
    a = np.repeat(realized.weights, width, axis=0)
    b = np.broadcast_to(v.T, (count, width, length)).reshape(-1, length)
    findings = Findings(count * width)
    sums = sum_of_products(regime.output, a, b, np.repeat(counts, width), regime.order, regime.fma, findings)
    if regime.values != regime.output and sums.size:
        every, last = np.arange(sums.size), np.repeat(counts, width) - 1
        stored = arithmetic.round(regime.values, sums)
        findings(Step("store", regime.values, every, (np.zeros_like(last), last), sums, None, stored))

    def place(number: int, terms: tuple[int, int]) -> tuple[int, int, str]:
        coordinate = number % width
        return terms[0], coordinate, f"{_at_keys(number, terms)[2]}, coordinate {coordinate}"

    row = np.arange(count * width) // width
    return _told(findings, "output", realized.rows, row, place)


def _told(
    findings: Findings,
    stage: Stage,
    queries: Sequence[int],
    row: Array,
    place: Callable[[int, tuple[int, int]], tuple[int, int | None, str]],
    *,
    by_term: bool = True,
    of_head: Callable[[int], Number | None] | None = None,
) -> list[Event]:
    """One event for each kind and row: the first place, by terms and then by sums, or by sums alone.

    of_head: what stands as exact in place of the exact result of the operation, where it is known.
    """
    events = []
    for kind, found in findings.found.items():
        first: dict[int, tuple[int, int]] = {}
        for sums, (step, at) in found.steps.items():
            own = (int(step.terms[0][at]) if by_term else 0, sums)
            n = int(row[sums])
            first[n] = min(first.get(n, own), own)
        totals = np.bincount(row, weights=found.counts, minlength=len(queries))
        for n, (_, sums) in sorted(first.items()):
            step, at = found.steps[sums]
            terms = (int(step.terms[0][at]), int(step.terms[1][at]))
            key, coordinate, where = place(sums, terms)
            realized = as_element(step.result[at])
            exact = exact_of(step, at)
            text = f"{where}: {_words(kind, step, at, exact, realized)}"
            whole = None if of_head is None else of_head(sums)
            if whole is not None:
                exact, text = whole, f"{text}; the exact weight is {brief(whole)}"
            events.append(Event(kind, stage, queries[n], key, int(totals[n]), exact, realized, text, coordinate))
    return events


def _words(kind: Kind, step: Step, at: int, exact: Number, realized: Element) -> str:
    left = brief(as_element(step.left[at]))
    right = None if step.right is None else as_element(step.right[at])
    formula = _formula(step, at, left, right)
    if kind == "stagnation":
        return f"{formula} stays {brief(realized)}"
    if kind == "absorption":
        return f"{formula} becomes {brief(realized)}"
    if kind == "nan":
        finite_operands = exact == exact
        return f"{formula} is {'beyond range, NaN in ' + step.values.name if finite_operands else 'NaN'}"
    known = f" = {brief(exact)}" if exact == exact and step.operation != "store" else ""
    beyond = f", beyond {_last(step, exact)}," if kind == "overflow" and exact == exact else ""
    return f"{formula}{known}{beyond} becomes {brief(realized)}"


def _last(step: Step, exact: Number) -> str:
    return brief(step.values.min if exact < 0 else step.values.max)


def _formula(step: Step, at: int, left: str, right: Element | None) -> str:
    if step.factors is not None:
        a, b = (brief(as_element(each[at])) for each in step.factors)
        return f"{left} + {a} * {_signed(b)}"
    if step.operation == "store":
        return f"{left}, stored in {step.values.name},"
    if step.operation == "exponential":
        return f"exp({left})"
    assert right is not None
    shown = brief(right)
    if step.operation == "sum":
        return f"{left} - {shown[1:]}" if shown.startswith("-") else f"{left} + {shown}"
    if step.operation == "difference":
        return f"{left} - {_signed(shown)}"
    return f"{left} {'*' if step.operation == 'product' else '/'} {_signed(shown)}"


def _signed(text: str) -> str:
    """A negative number in brackets, where it is the second operand."""
    return f"({text})" if text.startswith("-") else text
