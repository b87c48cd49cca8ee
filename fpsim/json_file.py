"""Strict JSON from a file: numbers exact, no key twice, no NaN, no infinity, no more bytes than asked for."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any, NoReturn

from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.plain_file import read_plain_file, without_repeats

__all__ = ["read_json"]

_LONGEST_NUMBER = 4000  # characters; a binary64 number written out takes at most 1100


def read_json(path: str | Path, name: str, most_bytes: int) -> Any:
    """What the JSON file holds: decimals as exact rationals (`mpq`), whole numbers as `int`.

    Raises `InputError`, with `name` as what cannot be taken.
    """
    data = read_plain_file(path, name, most_bytes, "a readable JSON file")
    try:
        return json.loads(
            data.decode("utf-8-sig"),
            parse_float=_number,
            parse_int=lambda text: int(_number(text)),
            parse_constant=_refuse_constant,
            object_pairs_hook=without_repeats,
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
