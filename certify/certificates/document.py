"""The file of a certificate: one JSON object in canonical bytes (docs/certificates.md)."""

from __future__ import annotations

import json
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from fpsim.errors import FpcertError

__all__ = ["canonical_bytes", "certificate_bytes", "save_certificates"]


def certificate_bytes(claim: dict[str, Any], hints: dict[str, Any]) -> bytes:
    r"""The bytes of a certificate: sorted keys, ASCII, no white space, one newline at the end.

    >>> certificate_bytes({"kind": "flarge"}, {})[:40]
    b'{"claim":{"kind":"flarge"},"fpcert":1,"h'
    """
    document = {
        "claim": claim,
        "fpcert": 1,
        "hints": hints,
        "producer": {"name": "fpcert", "version": _version()},
        "semantics": 1,
    }
    return canonical_bytes(document)


def canonical_bytes(document: dict[str, Any]) -> bytes:
    """The one form of a JSON object: sorted keys, ASCII, no white space, one newline at the end."""
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)  # positions of thousands of digits occur
    try:
        return (json.dumps(document, sort_keys=True, separators=(",", ":"), ensure_ascii=True) + "\n").encode("ascii")
    finally:
        sys.set_int_max_str_digits(limit)


def save_certificates(
    documents: list[bytes], path: str | Path, beside: Sequence[bytes | None] | None = None
) -> list[Path]:
    """Write one certificate to `path`, or several to numbered files: FILE.json gives FILE-1.json, FILE-2.json, ..

    beside: for each, the file that it names by its sha256, which is written as FILE.blocks.json; None: it names none.
    Returns the files, those beside among them.  Raises `FpcertError` when one cannot be written.
    """
    first = Path(path)
    files = [first]
    if len(documents) > 1:
        files = [first.with_name(f"{first.stem}-{n}{first.suffix}") for n in range(1, len(documents) + 1)]
    written = []
    for file, document, blocks in zip(files, documents, beside or [None] * len(documents), strict=True):
        for name, data in ((file, document), (file.with_name(f"{file.stem}.blocks{file.suffix}"), blocks)):
            if data is not None:
                try:
                    name.write_bytes(data)
                except OSError as error:
                    raise FpcertError(f"cannot write {str(name)!r}: {error.strerror or error}") from error
                written.append(name)
    return written


def _version() -> str:
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("fpcert")
    except PackageNotFoundError:  # the sources, not installed
        return "unknown"
