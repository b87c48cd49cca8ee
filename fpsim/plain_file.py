"""The bytes of a plain file of limited size, and JSON objects without repeated keys: what readers here begin with."""

from __future__ import annotations

import stat
from pathlib import Path
from typing import Any

from fpsim.errors import InputError

__all__ = ["read_plain_file", "without_repeats"]


def read_plain_file(path: str | Path, name: str, most_bytes: int, right: str) -> bytes:
    """The bytes of the file.

    Raises `InputError`, with `name` as what cannot be taken and `right` as what would be, for a file that is missing,
    longer than `most_bytes`, or no plain one: a pipe or a device would be read without end.
    """
    try:
        status = Path(path).stat()
        if stat.S_ISREG(status.st_mode) and status.st_size <= most_bytes:
            return Path(path).read_bytes()
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason = getattr(error, "strerror", None) or error
        raise InputError(name, f"it ({reason})", right) from error
    if not stat.S_ISREG(status.st_mode):
        raise InputError(name, "what is no plain file", right)
    raise InputError(name, f"{status.st_size} bytes", f"a file of at most {most_bytes} bytes")


def without_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """The object of these pairs, as the hook of `json`, which would itself silently keep the last of two equal keys.

    Raises ValueError, which names the key.
    """
    found: dict[str, Any] = {}
    for key, value in pairs:
        if key in found:
            raise ValueError(f"the key {key!r} is given twice")
        found[key] = value
    return found
