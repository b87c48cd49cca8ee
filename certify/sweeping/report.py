"""A results file as one web page: a sortable table and interactive pictures, which opens without a network.

The page is `report.html`, with the rows as JSON in it.  Its pictures are drawn by the page's own code on a canvas: no
library is part of it, and its content policy forbids it to load anything.
"""

from __future__ import annotations

import json
import math
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from certify.sweeping.answers import Answers
from certify.sweeping.columns import Column
from fpsim.errors import InputError

__all__ = ["MAX_ROWS", "report_page"]

MAX_ROWS = 100_000
_TEMPLATE = Path(__file__).with_name("report.html")


def report_page(answers: Answers, *, where: str | Iterable[str] | None = None, title: str | None = None) -> str:
    """The page about the rows that meet the condition.

    A column that has the same value in every row stands in the summary alone.  Raises `InputError` for more than
    100,000 rows.
    """
    count = answers.count(where)
    if count > MAX_ROWS:
        raise InputError("report", f"{count} rows", f"at most {MAX_ROWS} rows: choose some with --where")
    columns = answers.columns()
    names = [column.name for column in columns]
    rows = list(answers.rows(where, columns=names, exact=True))
    series = {name: [row[name] for row in rows] for name in names}
    same = [name for name in names if rows and len(rows) > 1 and len(set(series[name])) == 1]
    data = {
        "title": title or f"fpcert: {answers.path.name}",
        "summary": _summary(len(rows), {name: series[name][0] for name in same}),
        "rows": len(rows),
        "columns": [_packed(column, series[column.name]) for column in columns if column.name not in same],
    }
    # In a script element "<" could end it: JSON writes it as an escape as well.
    text = json.dumps(data, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    return _TEMPLATE.read_text(encoding="utf-8").replace("@DATA@", text)


def _summary(rows: int, same: dict[str, Any]) -> str:
    known = [f"{name} {_word(value)}" for name, value in same.items() if value is not None]
    return f"{rows:,} rows." + (f" In every row: {', '.join(known)}." if known else "")


def _packed(column: Column, values: Sequence[Any]) -> dict[str, Any]:
    """The column as the page takes it: numbers with their exact texts where those say more, or words and codes."""
    if not column.exact and column.kind != "seconds":
        words = sorted({_word(value) for value in values if value is not None})
        codes = {word: code for code, word in enumerate(words)}
        return {"name": column.name, "words": words, "codes": [-1 if v is None else codes[_word(v)] for v in values]}
    near = [None if value is None else _near(column, value) for value in values]
    texts = [None if v is None or str(v) == str(n) else str(v) for v, n in zip(values, near, strict=True)]
    packed: dict[str, Any] = {"name": column.name, "near": near}
    if column.exact and any(text is not None for text in texts):
        packed["exact"] = texts
    return packed


def _near(column: Column, value: Any) -> Any:
    """A number of JSON; an infinity, which it lacks, as the text that JavaScript's Number takes."""
    number = column.stored(value)[-1] if column.exact else round(value, 4)
    if math.isinf(number):
        return "Infinity" if number > 0 else "-Infinity"
    return int(number) if number.is_integer() and abs(number) <= 2**53 else number


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)
