"""Where a result goes, and how its numbers are written.

Results go to stdout or to the file given with `-o`, and everything else goes to stderr.  In JSON a number is a number
only where a reader that knows binary64 alone loses nothing: any other number, inf and NaN are strings.
"""

from __future__ import annotations

import dataclasses
import json
import math
import numbers
import sys
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any, TypeAlias

import click

from fpsim.errors import FpcertError, printable

__all__ = ["emit", "note", "note_files", "to_json", "write"]

Json: TypeAlias = bool | int | float | str | list["Json"] | dict[str, "Json"] | None


def emit(result: Mapping[str, Any], as_json: bool, output_file: str | None, *, text: str | None = None) -> None:
    """Write a result to `output_file`, or to stdout when that is None.

    With `as_json` it is one JSON object on one line with sorted keys; else it is `text`, or where that is None one line
    `key  value` for each entry.  Names that come from files may have any characters: what a terminal obeys, or its
    encoding lacks, is escaped.

    Raises:
        FpcertError: it cannot be written there.
    """
    if as_json:
        content = json.dumps(to_json(result), sort_keys=True, allow_nan=False)
    else:
        content = "\n".join(map(printable, (_plain(result) if text is None else text).split("\n")))
    write(content, output_file)


def write(content: str, output_file: str | None = None) -> None:
    """Write lines of text to `output_file`, or to stdout when that is None.  Raises `FpcertError` as `emit` does."""
    if not content.endswith("\n"):
        content += "\n"
    try:
        if output_file is None:
            encoding = getattr(sys.stdout, "encoding", None) or "utf-8"
            click.echo(content.encode(encoding, "backslashreplace").decode(encoding), nl=False)
        else:
            Path(output_file).write_text(content, encoding="utf-8")
    except BrokenPipeError:
        raise
    except OSError as error:
        where = "standard output" if output_file is None else repr(output_file)
        raise FpcertError(f"cannot write {where}: {error.strerror or error}") from error


def note(message: str, *, quiet: bool = False) -> None:
    """Say something that is no result: on stderr, unless `quiet`."""
    if not quiet:
        click.echo(message, err=True)


def note_files(files: Sequence[Path], *, quiet: bool = False) -> None:
    """Say which files were written where there are others than the one that was named."""
    if len(files) > 1:
        listed = ", ".join(map(str, files)) if len(files) <= 4 else f"{len(files)} files from {files[0]} to {files[-1]}"
        note(f"wrote {listed}", quiet=quiet)


def to_json(value: Any) -> Json:
    """The value in JSON's own types; numbers that binary64 does not hold exactly become strings.

    Numbers of numpy, gmpy2 and `fractions` are taken by value, a dataclass as the object of its fields.

    >>> to_json({"size": 2**53 + 1, "max": 65504, "third": Fraction(1, 3), "half": Fraction(1, 2), "top": math.inf})
    {'size': '9007199254740993', 'max': 65504, 'third': '1/3', 'half': 0.5, 'top': 'inf'}

    Raises:
        TypeError: a value of a type that has no such form.
    """
    if value is None or isinstance(value, bool | str):
        return value
    if isinstance(value, numbers.Number):
        return _number(value)
    if isinstance(value, Mapping):
        return {_key(key): to_json(entry) for key, entry in value.items()}
    if isinstance(value, list | tuple):
        return [to_json(entry) for entry in value]
    if dataclasses.is_dataclass(value) and not isinstance(value, type):
        return {field.name: to_json(getattr(value, field.name)) for field in dataclasses.fields(value)}
    if hasattr(value, "tolist"):  # an array of numpy, or its bool, which is none of the above
        return to_json(value.tolist())
    raise TypeError(f"no JSON form for a {type(value).__name__}")


def _key(key: object) -> str:
    if not isinstance(key, str):
        raise TypeError(f"the keys of a JSON object are strings, not {key!r}")
    return key


def _number(value: Any) -> Json:
    if isinstance(value, numbers.Integral):
        whole = int(value)
        return whole if _as_binary64(whole) == whole else _digits(whole)
    if isinstance(value, numbers.Rational):
        exact = Fraction(int(value.numerator), int(value.denominator))
        near = _as_binary64(exact)
        if near == exact:
            return near
        whole_text = _digits(exact.numerator)
        return whole_text if exact.denominator == 1 else f"{whole_text}/{_digits(exact.denominator)}"
    if isinstance(value, numbers.Real):
        near = float(value)
        return near if math.isfinite(near) and near == value else str(value)
    raise TypeError(f"no JSON form for a {type(value).__name__}")


def _as_binary64(value: int | Fraction) -> float:
    """The nearest binary64; NaN, which equals nothing, when the value is beyond its range."""
    try:
        return float(value)
    except OverflowError:
        return math.nan


def _digits(value: int) -> str:
    """Decimal digits of an integer of any length (Python refuses more than 4300 unless told otherwise)."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return str(value)
    finally:
        sys.set_int_max_str_digits(limit)


def _plain(result: Mapping[str, Any]) -> str:
    width = max((len(key) for key in result), default=0)
    lines = []
    for key, value in result.items():
        form = to_json(value)
        lines.append(f"{key:{width}}  {form if isinstance(form, str) else json.dumps(form)}\n")
    return "".join(lines)
