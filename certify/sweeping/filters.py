"""`--where`: conditions on the columns of a results file, as SQL with parameters.

    n_max>100      =  !=  <  <=  >  >=  against a value of the column's kind, exactly: C=1/3, C>0.1, n_max<1e12, g<pi/7
    dtype=fp16|bf16    one of several values; != none of them
    reason~memory  contains this text
    period=null    absent; != null: present.  != counts an absent value as different, an order counts it as neither
    reason~"read and write"    a text in quotes, double or single, is as it stands: spaces at its ends, |, and, null;
                               a quote within is written twice

Several conditions are joined by `and`, or given one by one; all must hold.  Column names are looked up in a table and
values are parameters, so that no text of a user is ever part of a statement.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from certify.sweeping.columns import Column, find_column, storable
from certify.sweeping.database import quoted
from fpsim.errors import InputError

__all__ = ["Filter", "parse_filter", "parse_order"]

_CONDITION = re.compile(r"\s*([A-Za-z_]+)\s*(!=|<>|<=|>=|==|=|<|>|~)\s*(.*?)\s*", re.ASCII | re.DOTALL)
_QUOTED = r"""(?:"(?:[^"]|"")*"|'(?:[^']|'')*')"""
# What stands between two `and`, and between two `|`: quotes begin behind an operator or a `|`, and end before the next.
_BETWEEN_AND = re.compile(
    rf"((?:(?<=[=<>~|])\s*{_QUOTED}(?=\s*(?:\||\Z|\sand\s))|.)*?)(?:\s+and\s+|\Z)", re.IGNORECASE | re.DOTALL
)
_BETWEEN_BARS = re.compile(rf"(\s*{_QUOTED}\s*(?=\||\Z)|[^|]*)(?:\||\Z)", re.DOTALL)
_RIGHT = "a condition such as dtype=fp16, n_max>100, status!=ok, C=1/3 or reason~memory"
_FLAGS = {"true": 1, "yes": 1, "1": 1, "false": 0, "no": 0, "0": 0}


@dataclass(frozen=True)
class Filter:
    """A condition for SQL's WHERE, with its parameters; empty: every row."""

    sql: str = "1"
    parameters: tuple[Any, ...] = ()


def parse_filter(where: str | Iterable[str] | None) -> Filter:
    """The filter that one text means, or several, all of which must hold.  Raises `InputError`.

    >>> parse_filter("dtype=fp16|bf16 and n_max!=5")
    Filter(sql='("dtype" IN (?, ?)) AND ("n_max" IS NOT ?)', parameters=('fp16', 'bf16', 5))
    """
    texts = [] if where is None else [where] if isinstance(where, str) else list(where)
    parts = [_condition(part) for text in texts for part in _split(_BETWEEN_AND, text)]
    if not parts:
        return Filter()
    return Filter(
        " AND ".join(f"({part.sql})" for part in parts), tuple(value for part in parts for value in part.parameters)
    )


def sorted_columns(sort: str | Iterable[str] | None) -> list[Column]:
    """The columns that are sorted by.  Raises `InputError`."""
    return [find_column(name.removeprefix("-")) for name in _names(sort)]


def parse_order(sort: str | Iterable[str] | None, ranked: Mapping[str, str] | None = None) -> str:
    """What follows ORDER BY: columns in order, each with - before it for the greatest first; absent values last.

    ranked: for a column whose nearest binary64 numbers do not tell all its values apart, an expression that does.

    >>> parse_order("dtype,-n_max")
    '+"dtype" NULLS LAST, +"n_max_near" DESC NULLS LAST, "number"'
    """
    parts = []
    for name, column in zip(_names(sort), sorted_columns(sort), strict=True):
        falling = " DESC" * name.startswith("-")
        # The + keeps SQLite from walking an index in this order, which is slow where few rows meet the condition.
        parts.append(f"+{quoted(column.near)}{falling} NULLS LAST")
        if ranked and column.name in ranked:
            parts.append(f"{ranked[column.name]}{falling}")
    return ", ".join([*parts, '"number"'])


def _names(sort: str | Iterable[str] | None) -> list[str]:
    return [name.strip() for name in ([] if sort is None else sort.split(",") if isinstance(sort, str) else sort)]


def _split(pattern: re.Pattern[str], text: str) -> list[str]:
    """What the pattern finds, one after the other, up to the end of the text."""
    found, place = [], 0
    while True:
        match = pattern.match(text, place)
        assert match is not None  # both patterns match any text, up to its end if not before
        found.append(match[1])
        if match.end() == len(text) and not text[match.end(1) :].strip():
            return found
        place = match.end()


def _plain(text: str) -> tuple[str, bool]:
    """The text without its quotes or else the spaces around it, and whether it has quotes."""
    text = text.strip()
    if re.fullmatch(_QUOTED, text, re.DOTALL):
        return text[1:-1].replace(text[0] * 2, text[0]), True
    return text, False


def _condition(text: str) -> Filter:
    match = _CONDITION.fullmatch(text)
    if match is None:
        raise InputError("where", text, _RIGHT)
    name, operator, value = match.groups()
    column = find_column(name)
    operator = {"==": "=", "<>": "!="}.get(operator, operator)
    if operator == "~":
        if column.kind != "text":
            raise InputError("where", text, f"a comparison: {name} is no text to search in")
        return Filter(f"{quoted(name)} IS NOT NULL AND instr({quoted(name)}, ?) > 0", (storable(_plain(value)[0]),))
    if operator in ("=", "!="):
        return _equal(column, operator, value, text)
    if value.lower() == "null":
        raise InputError("where", text, f"{name}=null or {name}!=null")
    if column.kind == "flag":
        raise InputError("where", text, f"{name}=true or {name}=false")
    if column.kind == "hash":
        raise InputError("where", text, f"{name}= or {name}!=: hashes have no order")
    return _ordered(column, operator, _plain(value)[0], text)


def _equal(column: Column, operator: str, value: str, text: str) -> Filter:
    parts = [_plain(part) for part in _split(_BETWEEN_BARS, value)]
    values = [None if part.lower() == "null" and not exact else _entry(column, part, text) for part, exact in parts]
    name = quoted(column.name)
    if len(values) == 1:
        return Filter(f"{name} {'IS' if operator == '=' else 'IS NOT'} ?", (values[0],))
    known = tuple(entry for entry in values if entry is not None)
    listed = f"{name} IN ({', '.join('?' for _ in known)})"
    if len(known) < len(values):
        listed = f"{listed} OR {name} IS NULL"
    elif operator == "!=":
        listed = f"coalesce({listed}, 0)"
    return Filter(listed if operator == "=" else f"NOT ({listed})", known)


def _ordered(column: Column, operator: str, value: str, text: str) -> Filter:
    """The nearest binary64 decides, but where it is the same: then equal entries are equal, others are compared
    exactly.  That is sound as rounding to nearest is monotone.
    """
    name, near = quoted(column.name), quoted(column.near)
    if not column.exact:
        return Filter(f"{name} {operator} ?", (_entry(column, value, text),))
    entry, rounded = _entries(column, value, text)
    strict, equal = operator[0], operator.endswith("=")
    tie = (
        f"({name} = ? OR exact_order({name}, ?) {strict} 0)"
        if equal
        else (f"({name} != ? AND exact_order({name}, ?) {strict} 0)")
    )
    return Filter(f"{near} {strict}= ? AND ({near} != ? OR {tie})", (rounded, rounded, entry, entry))


def _entry(column: Column, value: str, text: str) -> Any:
    return _entries(column, value, text)[0]


def _entries(column: Column, value: str, text: str) -> tuple[Any, ...]:
    """What the file holds for this value of the column.  Raises `InputError`, which shows the condition."""
    if column.kind == "text":
        return column.stored(value)
    if column.kind == "flag":
        if value.lower() not in _FLAGS:
            raise InputError("where", text, f"{column.name}=true or {column.name}=false")
        return (_FLAGS[value.lower()],)
    if column.kind == "hash":
        try:
            return column.stored(value)
        except ValueError as error:
            raise InputError("where", text, f"{column.name}= and hexadecimal digits") from error
    try:
        if column.kind == "seconds":
            from fpsim.number import parse_number

            return (float(parse_number(value)),)
        return column.stored(value)
    except InputError as error:
        raise InputError("where", text, f"a comparison of {column.name} with a number ({error})") from error
