"""A results file as one web page: a sortable table and interactive pictures, which opens without a network."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

from certify.pages.page import web_page
from certify.pages.parts import MAX_ROWS, Chart, Paragraph, Part, Rows
from certify.pages.series import Series
from certify.sweeping.answers import Answers
from certify.sweeping.columns import Column
from certify.sweeping.questions import QUESTIONS
from fpsim.errors import InputError

__all__ = ["report_page"]

_ACROSS = ("C", "base", "dim", "k")  # which of the columns that vary a picture has across at first
_VALUES = ("n_max", "period", "first_collision", "lower", "upper", "ideal", "components")
_MOST_CURVES = 18  # that the page names one by one


def report_page(answers: Answers, *, where: str | Iterable[str] | None = None, title: str | None = None) -> str:
    """The page about the rows that meet the condition.

    A column that has the same value in every row stands in the summary alone.  Raises `InputError` for more than
    100,000 rows, `UnsupportedError` without bokeh.
    """
    with answers.snapshot():
        count = answers.count(where)
        if count > MAX_ROWS:
            raise InputError("report", f"{count} rows", f"at most {MAX_ROWS} rows: choose some with --where")
        columns = answers.columns()
        names = [column.name for column in columns]
        # The rows of a file stand as they were ready: here by their parameters.
        given = [name for name in names if name in _axes()]
        rows = list(answers.rows(where, columns=names, sort=given, exact=True))
    values = {name: [row[name] for row in rows] for name in names}
    same = [name for name in names if len(rows) > 1 and len(set(values[name])) == 1]
    series = [_series(column, values[column.name]) for column in columns if column.name not in same]
    parts: list[Part] = [Paragraph(_summary(len(rows), {name: values[name][0] for name in same}))]
    if rows and series:
        parts.append(Rows(series, _chart(series)))
    return web_page(title or f"fpcert: {answers.path.name}", parts)


def _summary(rows: int, same: dict[str, Any]) -> str:
    known = [f"{name} {_word(value)}" for name, value in same.items() if value is not None]
    return f"{rows:,} row{'s' * (rows != 1)}." + (f" In every row: {', '.join(known)}." if known else "")


def _series(column: Column, values: Sequence[Any]) -> Series:
    if column.kind == "seconds":
        return Series(column.name, [None if value is None else round(value, 4) for value in values])
    if not column.exact:
        return Series(column.name, [None if value is None else _word(value) for value in values])
    near = [None if value is None else column.stored(value)[-1] for value in values]
    return Series(column.name, near, [None if value is None else str(value) for value in values])


def _chart(series: Sequence[Series]) -> Chart | None:
    """The picture that is shown first; None where nothing that was found is a number, or is the same in every row."""
    numbers = [column.name for column in series if column.numeric]
    values = [name for name in _VALUES if name in numbers]
    if not values:
        return None
    given = _axes()
    counts = {column.name: len(set(column.values)) for column in series if column.name in given and column.varies}
    varied = [name for name in counts if name in numbers]
    across = [name for name in _ACROSS if name in varied] + varied + [name for name in numbers if name in given]
    if not across:
        return Chart(values[0], values[0])
    # Most is told apart by the formats, or else by what has the fewest values; but not where only flat curves are left,
    # as a point of a curve is the least value of those that fall together.
    few = sorted((name != "dtype", count, name) for name, count in counts.items() if name != across[0])
    lines = [name for *_, count, name in few if count <= _MOST_CURVES]
    named = {column.name: column.values for column in series}
    bent = (name for name in lines if _bends(named[across[0]], named[values[0]], named[name]))
    return Chart(across[0], values[0], next(bent, lines[0] if lines else None))


def _bends(across: Sequence[Any], values: Sequence[Any], lines: Sequence[Any]) -> bool:
    """Whether a curve of the least values, one for each of the lines, has two that differ."""
    least: dict[Any, dict[Any, Any]] = {}
    for place, value, line in zip(across, values, lines, strict=True):
        if place is not None and value is not None:
            curve = least.setdefault(line, {})
            curve[place] = min(value, curve.get(place, value))
    return any(len(set(curve.values())) > 1 for curve in least.values())


def _axes() -> set[str]:
    """The names of the parameters of all questions."""
    return {axis.name for question in QUESTIONS.values() for axis in question.axes}


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
