"""Grids: value sets that a file lists, value by value.

Three forms, told by the ending of the name:

* text (any other ending): values separated by white space or commas, each a decimal, p/q or hexadecimal float; `#`
  begins a comment; a line `overflow inf|saturate|nan` sets the policy;
* `.json`: a list of values (numbers are read as the decimals that stand there, or as texts), or an object
  {"values": [...], "overflow": "..."};
* `.npy`: a one-dimensional array of real numbers (never pickled objects), each taken as exactly what it is.

The entries `inf` and `-inf` say that the policy is `inf`, which is also the policy when the file names none.
"""

from __future__ import annotations

import json
from importlib.resources import files
from itertools import pairwise
from pathlib import Path
from typing import Any, cast

from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.plain_file import read_plain_file, without_repeats
from fpsim.valueset import MAX_GRID, Overflow, ValueSet

__all__ = ["MAX_BYTES", "grid", "read_grid", "read_shipped_grid"]

MAX_BYTES = 16 << 20
_POLICIES = ("inf", "saturate", "nan")
_INFINITIES = ("inf", "+inf", "-inf", "infinity", "+infinity", "-infinity")


def grid(values: list[Any], *, overflow: str | None = None, name: str = "grid") -> ValueSet:
    """The value set with exactly these values: at least two, 0 among them, none twice, none NaN.

    `overflow` is "inf" when it is not given.  Raises `InputError` that names the faulty entry.

    >>> grid([0, "1/2", 1]).size
    3
    """
    if not isinstance(values, list | tuple):
        raise InputError(name, values, "a list of numbers")
    if len(values) > MAX_GRID + 2:
        raise InputError(name, f"{len(values)} values", f"a grid of at most {MAX_GRID} values")
    policy = overflow
    numbers: list[mpq] = []
    for place, entry in enumerate(values, start=1):
        text = str(entry).strip().lower()
        if text in _INFINITIES:
            if policy not in (None, "inf"):
                raise InputError(f"{name}, entry {place}", entry, f"absent: the file says overflow {policy}")
            policy = "inf"
        elif text in ("nan", "+nan", "-nan"):
            raise InputError(f"{name}, entry {place}", entry, "a number: NaN is never a value of F")
        else:
            numbers.append(parse_number(entry, f"{name}, entry {place}"))
    if policy not in (None, *_POLICIES):
        raise InputError(f"{name}, overflow", policy, "inf, saturate or nan")
    ordered = sorted(numbers)
    for left, right in pairwise(ordered):
        if left == right:
            raise InputError(name, f"{left} (listed more than once)", "a list of distinct values")
    if mpq(0) not in ordered:
        raise InputError(name, f"{len(ordered)} values without 0", "a list that contains 0, as every value set does")
    if len(ordered) < 2:
        raise InputError(name, "the single value 0", "a list of at least two values")
    if len(ordered) > MAX_GRID:
        raise InputError(name, f"{len(ordered)} values", f"a grid of at most {MAX_GRID} values")
    zero = ordered.index(mpq(0))
    return ValueSet(
        name,
        "grid",
        last=len(ordered) - 1 - zero,
        first=-zero,
        grid=tuple(ordered),
        overflow=cast("Overflow", policy or "inf"),
        layout="index",
    )


def read_grid(path: str) -> ValueSet:
    """The grid that the file at `path` lists.  Raises `InputError` for a file that cannot be read or is not a grid."""
    name = f"grid:{path}"
    source = Path(path)
    data = read_plain_file(source, name, MAX_BYTES, "a readable grid file")
    suffix = source.suffix.lower()
    if suffix == ".npy":
        return grid(_read_npy(source, name), name=name)
    try:
        text = data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        raise InputError(name, "bytes that are not UTF-8 text", "a text, .json or .npy file") from error
    values, overflow = _read_json(text, name) if suffix == ".json" else _read_text(text, name)
    return grid(values, overflow=overflow, name=name)


def read_shipped_grid(name: str) -> ValueSet:
    """A grid that this package ships, such as `nf4`."""
    values, overflow = _read_text(files("fpsim").joinpath(f"grids/{name}.txt").read_text("utf-8"), name)
    return grid(values, overflow=overflow, name=name)


def _read_text(text: str, name: str) -> tuple[list[Any], str | None]:
    values: list[Any] = []
    overflow = None
    for number, line in enumerate(text.splitlines(), start=1):
        words = line.partition("#")[0].replace(",", " ").split()
        if words and words[0] == "overflow":
            if len(words) != 2 or words[1] not in _POLICIES:
                raise InputError(
                    f"{name}, line {number}", line.strip(), "overflow inf, overflow saturate or overflow nan"
                )
            if overflow not in (None, words[1]):
                raise InputError(
                    f"{name}, line {number}", line.strip(), f"absent: an earlier line says overflow {overflow}"
                )
            overflow = words[1]
        else:
            values += words
    return values, overflow


def _read_json(text: str, name: str) -> tuple[list[Any], str | None]:
    try:
        # Numbers stay as the text that stands in the file: 0.1 is one tenth there too.
        data = json.loads(text, parse_float=str, parse_int=str, parse_constant=str, object_pairs_hook=without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(
            name, f"JSON that does not parse ({error})", "a list of values, or an object with values"
        ) from error
    overflow = None
    if isinstance(data, dict):
        unknown = sorted(data.keys() - {"values", "overflow", "name"})
        if unknown:
            raise InputError(name, f"the key {unknown[0]!r}", "an object with the keys values and overflow")
        overflow = data.get("overflow")
        data = data.get("values")
    if not isinstance(data, list) or not all(isinstance(entry, str) for entry in data):
        raise InputError(name, "JSON of another shape", 'a list of numbers, or {"values": [...], "overflow": "inf"}')
    if overflow is not None and overflow not in _POLICIES:
        raise InputError(f"{name}, overflow", overflow, "inf, saturate or nan")
    return data, overflow


def _read_npy(path: Path, name: str) -> list[Any]:
    import numpy as np

    try:
        array = np.load(path, allow_pickle=False)
    except (ValueError, OSError, EOFError, MemoryError) as error:  # a header may ask for any amount of memory
        raise InputError(
            name, f"a file that is not a plain .npy array ({error})", "a one-dimensional real array"
        ) from error
    if (
        not isinstance(array, np.ndarray)
        or array.ndim != 1
        or array.dtype.kind not in "fiu"
        or array.dtype.itemsize > 8
    ):
        raise InputError(
            name, "an array of another shape or type", "a one-dimensional array of real numbers of at most 64 bits"
        )
    return list(array.tolist())
