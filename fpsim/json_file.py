"""Strict JSON from a file: numbers exact, no key twice, no NaN, no infinity, no more bytes than asked for."""

from __future__ import annotations

import json
import stat
from pathlib import Path
from typing import Any, NoReturn

from fpsim.errors import InputError
from fpsim.number import parse_number

__all__ = ["read_json"]

_LONGEST_NUMBER = 4000  # characters; a binary64 number written out takes at most 1100


def read_json(path: str | Path, name: str, most_bytes: int) -> Any:
    """What the JSON file holds: decimals as exact rationals (`mpq`), whole numbers as `int`.

    Raises `InputError`, with `name` as what cannot be taken.
    """
    source = Path(path)
    try:
        status = source.stat()
        if not stat.S_ISREG(status.st_mode):  # a pipe or a device would be read without end
            raise InputError(name, "what is no plain file", "a readable JSON file")
        if status.st_size > most_bytes:
            raise InputError(name, f"{status.st_size} bytes", f"a file of at most {most_bytes} bytes")
        data = source.read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        if isinstance(error, InputError):
            raise
        reason = getattr(error, "strerror", None) or error
        raise InputError(name, f"it ({reason})", "a readable JSON file") from error
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            parse_float=_number,
            parse_int=lambda text: int(_number(text)),
            parse_constant=_refuse_constant,
            object_pairs_hook=_without_repeats,
        )
    except InputError as error:
        raise InputError(name, f"JSON that does not parse ({error})", "a JSON file") from error
    except (ValueError, RecursionError) as error:  # UnicodeDecodeError is a ValueError
        raise InputError(name, f"JSON that does not parse ({error})", "a JSON file") from error


def _number(text: str) -> Any:
    if len(text) > _LONGEST_NUMBER:
        raise ValueError(f"a number of {len(text)} characters")
    return parse_number(text)


def _refuse_constant(text: str) -> NoReturn:
    raise ValueError(f"{text} is not a number")


def _without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs; `json` itself would silently keep the last of two equal keys."""
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} is given twice")
        found[key] = value
    return found
