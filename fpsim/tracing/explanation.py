"""The human output of `fpcert trace`: a table of rows, the keys of a single row, and what rounding did."""

from __future__ import annotations

from collections.abc import Sequence

from fpsim.tracing.event import MEANING, Event, brief
from fpsim.tracing.result import Row, Trace

__all__ = ["explain"]

_ROWS, _KEYS, _LONGEST = 24, 32, 60


def explain(trace: Trace) -> str:
    """Several lines of text."""
    lines = [_headline(trace), "", *_rows(trace)]
    if len(trace.rows) == 1 and trace.rows[0].keys:
        lines += ["", *_keys(trace, trace.rows[0])]
    return "\n".join([*lines, "", *_events(trace)])


def _headline(trace: Trace) -> str:
    word = trace.word if len(trace.word) <= _LONGEST else trace.word[: _LONGEST - 3] + "..."
    place = f"Layer {trace.layer} of {trace.layers}, head {trace.head} of {trace.heads} (counted from 0)"
    return f'{place}, on "{word}" ({len(trace.symbols)} positions): {trace.precision}, {trace.mask} mask.'


def _rows(trace: Trace) -> list[str]:
    heading = (
        "query",
        "",
        "target",
        "max score",
        "exact",
        "denominator",
        "exact",
        "weight",
        "exact",
        "output",
        "exact",
    )
    shown: list[Row | None] = list(trace.rows)
    if len(shown) > _ROWS:
        shown = [*shown[: _ROWS - 8], None, *shown[-7:]]
    cells = [("...",) + ("",) * (len(heading) - 1) if row is None else _row(trace, row) for row in shown]
    return _table([heading, *cells])


def _row(trace: Trace, row: Row) -> tuple[str, ...]:
    target, exact = row.target, row.exact_target
    weight = None if target is None else row.weights[target]
    exact_weight = None if target is None or not row.exact_weights else row.exact_weights[target]
    moved = "" if exact is None or exact == target else f" (exact {exact})"
    ties = f" and {row.ties - 1} more" if row.ties > 1 else ""
    return (
        str(row.query),
        trace.symbols[row.query],
        "-" if target is None else f"{target} {trace.symbols[target]}{ties}{moved}",
        _number(row.greatest),
        _number(None if exact is None else row.exact_scores[exact]),
        _number(row.denominator),
        _number(row.exact_denominator),
        _number(weight),
        _number(exact_weight),
        _vector(row.output),
        _vector(row.exact_output),
    )


def _keys(trace: Trace, row: Row) -> list[str]:
    """The keys of a single row; of many, those with the greatest exact weights."""
    chosen = list(range(row.keys))
    if row.keys > _KEYS:
        order = row.exact_weights or [0] * row.keys
        chosen = sorted(sorted(chosen, key=lambda j: (-order[j], j))[:_KEYS])
    heading = ("key", "", "score", "exact", "exponential", "weight", "exact")
    none = (None,) * row.keys
    columns = (
        row.scores, row.exact_scores or none, row.exponentials, row.weights, row.exact_weights or none,
    )  # fmt: skip
    cells = [(str(j), trace.symbols[j], *(_number(column[j]) for column in columns)) for j in chosen]
    left = row.keys - len(chosen)
    return _table([heading, *cells]) + ([f"  ({left} keys of smaller weight are left out)"] if left else [])


def _events(trace: Trace) -> list[str]:
    """One line for each kind and stage, with its first place and how many there are."""
    if not trace.events:
        return ["No overflow, underflow, stagnation, NaN or changed order: rounding moved numbers, and nothing else."]
    groups: dict[tuple[str, str], list[Event]] = {}
    for event in trace.events:
        groups.setdefault((event.kind, event.stage), []).append(event)
    lines = ["Where rounding mattered:"]
    order: list[str] = list(MEANING)
    for (kind, stage), events in sorted(groups.items(), key=lambda item: order.index(item[0][0])):
        first = events[0]
        total = sum(event.count for event in events)
        where = "1 place" if total == 1 else f"{total:,} places in {_rows_text(events)}"
        lines.append(f"  {kind} in the {stage}: {MEANING[first.kind]} ({where})")
        lines.append(f"    query {first.query}, {first.text}")
    return lines


def _rows_text(events: Sequence[Event]) -> str:
    queries = [event.query for event in events]
    if len(queries) == 1:
        return f"row {queries[0]}"
    return f"{len(queries)} rows from {min(queries)} to {max(queries)}"


def _number(x: object) -> str:
    return "-" if x is None else brief(x)


def _vector(numbers: Sequence[object]) -> str:
    if not numbers:
        return "-"
    shown = [brief(x) for x in numbers[:3]]
    return " ".join(shown) + (f" ... ({len(numbers)})" if len(numbers) > 3 else "")


def _table(rows: Sequence[tuple[str, ...]]) -> list[str]:
    widths = [max(len(row[n]) for row in rows) for n in range(len(rows[0]))]
    return [
        "  " + "  ".join(cell.ljust(width) for cell, width in zip(row, widths, strict=True)).rstrip() for row in rows
    ]
