"""`--where`: conditions on the columns of a results file, each a question about one value.

    n_max>100      =  !=  <  <=  >  >=  against a value of the column's kind, exactly: C=1/3, C>0.1, n_max<1e12, g<pi/7
                   (g=100^(-1/16) finds 10000^(-2/64) too: it is the same number)
    dtype=fp16|bf16    one of several values; != none of them
    reason~memory  contains this text
    period=null    absent; != null: present.  != counts an absent value as different, an order counts it as neither
    reason~"read and write"    a text in quotes, double or single, is as it stands: spaces at its ends, |, and, null;
                               a quote within is written twice

Several conditions are joined by `and`, or given one by one; all must hold.  No text of a user ever reaches SQL.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from operator import ge, gt, le, lt
from typing import Any

from certify.sweeping.blocks import Word
from certify.sweeping.columns import Column, find_column, order, storable
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
    """A condition: the column, and whether a word of it (an entry and, of an exact column, the nearest binary64) meets
    it; (None, None) is an absent value.

    values: all the entries that meet an `=`; None of an angle, which can be written as different powers.
    """

    column: Column
    met: Callable[[Word], bool]
    values: frozenset[Any] | None = None


def parse_filter(where: str | Iterable[str] | None) -> list[Filter]:
    """The conditions of one text or several, all of which must hold.  Raises `InputError`.

    >>> [(one.column.name, one.met((5, 5.0))) for one in parse_filter("k=5|6 and n_max!=5")]
    [('k', True), ('n_max', False)]
    """
    texts = [] if where is None else [where] if isinstance(where, str) else list(where)
    return [_condition(part) for text in texts for part in _split(_BETWEEN_AND, text)]


def parse_order(sort: str | Iterable[str] | None) -> list[tuple[Column, bool]]:
    """The columns that are sorted by, and whether the greatest comes first.  Raises `InputError`.

    >>> [(column.name, falling) for column, falling in parse_order("dtype,-n_max")]
    [('dtype', False), ('n_max', True)]
    """
    return [(find_column(name.removeprefix("-")), name.startswith("-")) for name in _names(sort)]


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
        part = storable(_plain(value)[0])
        return Filter(column, lambda word: word[0] is not None and part in word[0])
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
    words = [
        (None, None) if part.lower() == "null" and not exact else _entries(column, part, text) for part, exact in parts
    ]
    wanted = operator == "="
    if column.kind == "angle":
        return Filter(column, lambda word: any(_same(word, other) for other in words) is wanted)
    values = frozenset(word[0] for word in words)
    return Filter(column, lambda word: (word[0] in values) is wanted, values if wanted else None)


def _same(word: Sequence[Any], other: Sequence[Any]) -> bool:
    """Whether two angles are the same; only those with the same nearest binary64 can be."""
    if word[0] is None or other[0] is None:
        return word[0] is other[0]
    return word[0] == other[0] or (word[1] == other[1] and order(word[0], other[0]) == 0)


def _ordered(column: Column, operator: str, value: str, text: str) -> Filter:
    """The nearest binary64 decides, but where it is the same: then equal entries are equal, others are compared
    exactly.  That is sound as rounding to nearest is monotone.
    """
    compare: Callable[[Any, Any], bool] = {"<": lt, "<=": le, ">": gt, ">=": ge}[operator]
    if not column.exact:
        entry = _entry(column, value, text)
        return Filter(column, lambda word: word[0] is not None and compare(word[0], entry))
    exact, near = _entries(column, value, text)

    def met(word: Word) -> bool:
        if word[1] is None:
            return False
        return compare(word[1], near) if word[1] != near else compare(order(word[0], exact), 0)

    return Filter(column, met)


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
