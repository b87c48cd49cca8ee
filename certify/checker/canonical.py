"""From untrusted bytes to one JSON object, or `Malformed`: every limit holds before anything is converted.

Python's reader keeps the last of two equal keys, takes NaN, 1e999 and spaces, and recurses as deep as the text does.
Here bytes are refused that are too many, not ASCII, escaped, nested too deeply, or that hold too long a list, string
or integer; and at last those that differ from the canonical form of what they say.
"""

from __future__ import annotations

import json
import re
from typing import Any, NoReturn

from .limits import Malformed

__all__ = ["MAX_BYTES", "canonical", "read"]

MAX_BYTES = 1_048_576
_MAX_DEPTH = 8
_MAX_ITEMS = 65_536
_MAX_STRING = 65_536
_MAX_DIGITS = 20_000
_STRING = re.compile(rb'"[^"]*"')
_DIGITS = re.compile(rb"[0-9]+")
_MARK = re.compile(rb"[][{},]")


def canonical(thing: Any) -> bytes:
    """The one form in which a certificate may hold this object."""
    text = json.dumps(thing, ensure_ascii=True, allow_nan=False, sort_keys=True, separators=(",", ":"))
    return text.encode("ascii") + b"\n"


def read(data: bytes) -> dict[str, Any]:
    """The object that the bytes are the canonical form of."""
    if len(data) > MAX_BYTES:
        raise Malformed(f"more than {MAX_BYTES} bytes")
    if not data.isascii() or b"\\" in data:
        raise Malformed("a byte that is not ASCII, or a backslash")
    _limit_sizes(data)
    try:
        thing = json.loads(
            data.decode("ascii"),
            object_pairs_hook=_without_duplicates,
            parse_float=_no_float,
            parse_constant=_no_float,
            parse_int=int,
        )
    except (ValueError, RecursionError) as error:
        raise Malformed(f"not JSON: {str(error)[:200]}") from None
    if not isinstance(thing, dict):
        raise Malformed("not a JSON object")
    if canonical(thing) != data:
        raise Malformed("not in canonical form (sorted keys, no white space, one newline at the end)")
    return thing


def _limit_sizes(data: bytes) -> None:
    if _longest(_STRING, data) > _MAX_STRING + 2:
        raise Malformed(f"a string of more than {_MAX_STRING} characters")
    rest = _STRING.sub(b"0", data)
    if _longest(_DIGITS, rest) > _MAX_DIGITS:
        raise Malformed(f"an integer of more than {_MAX_DIGITS} digits")
    commas = [0]  # of the lists and objects that are open
    for mark in _MARK.findall(rest):
        if mark == b",":
            commas[-1] += 1
            if commas[-1] >= _MAX_ITEMS:
                raise Malformed(f"more than {_MAX_ITEMS} items in one list or object")
        elif mark in b"[{":
            commas.append(0)
            if len(commas) > _MAX_DEPTH + 1:
                raise Malformed(f"nested more than {_MAX_DEPTH} deep")
        elif len(commas) > 1:
            commas.pop()


def _longest(pattern: re.Pattern[bytes], data: bytes) -> int:
    return max((len(found.group()) for found in pattern.finditer(data)), default=0)


def _without_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) != len(pairs):
        raise Malformed("a key occurs twice")
    return found


def _no_float(text: str) -> NoReturn:
    raise Malformed(f"{text[:40]} is not an exact number")
