"""Safetensors files, of which nothing is believed: a header in JSON, then the bytes of the tensors.

The format has no code in it, which is why it is the one that is read here.  Pickles, and the archives of pickles that
`torch.save` writes, are programs: they are told from their first bytes, named in the message, and never loaded.
"""

from __future__ import annotations

import json
import math
import os
import stat
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from fpsim.errors import FpcertError, InputError
from fpsim.operands import Array
from fpsim.plain_file import read_plain_file, without_repeats

__all__ = ["MAX_BYTES", "RawTensor", "read_safetensors", "write_safetensors"]

MAX_BYTES = 1 << 30
MAX_HEADER = 16 << 20
_RIGHT = "a .safetensors file"
_METADATA = "__metadata__"

_NUMPY = {
    "BOOL": "?", "U8": "u1", "I8": "i1", "U16": "<u2", "I16": "<i2", "U32": "<u4", "I32": "<i4", "U64": "<u8",
    "I64": "<i8", "F16": "<f2", "F32": "<f4", "F64": "<f8", "BF16": "<u2", "F8_E4M3": "u1", "F8_E5M2": "u1",
    "F8_E4M3FNUZ": "u1", "F8_E5M2FNUZ": "u1",
}  # fmt: skip
_CODES = {
    "BF16": "bf16", "F8_E4M3": "e4m3", "F8_E5M2": "e5m2", "F8_E4M3FNUZ": "e4m3fnuz", "F8_E5M2FNUZ": "e5m2fnuz",
}  # fmt: skip
"""The types that NumPy has not, and the sets whose codes their bits are."""


@dataclass(frozen=True)
class RawTensor:
    """A tensor as it stands in a file: the type by its name in the format, the shape, the bytes."""

    dtype: str
    shape: tuple[int, ...]
    data: bytes | bytearray

    def array(self, what: str) -> Array:
        """The integers or floats as NumPy has them; the codes of a type that NumPy has not.  Raises `InputError`."""
        if self.dtype not in _NUMPY:
            raise InputError(what, f"a tensor of type {self.dtype}", f"one of {', '.join(_NUMPY)}")
        found = np.frombuffer(self.data, np.dtype(_NUMPY[self.dtype]))
        if (
            len(self.shape) > 32
            or math.prod(self.shape) != found.size
            or (not found.size and max(self.shape) > 1 << 40)
        ):
            raise InputError(what, f"a tensor of shape {list(self.shape)}", "one that NumPy can have")
        return found.reshape(self.shape)

    def numbers(self, what: str) -> Array:
        """The real numbers, each exactly: bfloat16 and floats of 8 bits as binary64.  Raises `InputError`."""
        from fpsim.codes import decode

        found = self.array(what)
        return decode(_CODES[self.dtype], found) if self.dtype in _CODES and found.size else found


def read_safetensors(path: str | Path, name: str) -> tuple[dict[str, str], dict[str, RawTensor]]:
    """The metadata and the tensors, by name, in the order of their names.

    Raises `InputError`, with `name` as what cannot be taken, for what is no such file, of at most 2^30 bytes with a
    header of at most 2^24.
    """
    from safetensors import SafetensorError, deserialize

    _check_start(path, name)
    data = read_plain_file(path, name, MAX_BYTES, _RIGHT)
    metadata = _metadata(data, name)
    try:
        found = deserialize(data)  # type: ignore[no-untyped-call]
    except SafetensorError as error:
        raise InputError(name, f"what does not read as one ({_brief(error)})", _RIGHT) from error
    tensors = {key: RawTensor(each["dtype"], tuple(each["shape"]), each["data"]) for key, each in found}
    return metadata, dict(sorted(tensors.items()))


def _check_start(path: str | Path, name: str) -> None:
    """Refuse by its first bytes what is no such file, before all is read; what cannot be read is left to others."""
    try:
        if not stat.S_ISREG(os.stat(path).st_mode):  # noqa: PTH116 - a name with a NUL is a ValueError here
            return
        with Path(path).open("rb") as stream:
            start = stream.read(16)
            whole = os.fstat(stream.fileno()).st_size
    except (OSError, ValueError):
        return
    size = int.from_bytes(start[:8], "little")
    if start[8:9] != b"{" and whole > 10:
        raise InputError(name, _what_it_is(start), _RIGHT)
    if size > MAX_HEADER and size <= whole - 8:
        raise InputError(name, f"a header of {size} bytes", f"one with a header of at most {MAX_HEADER} bytes")


def _metadata(data: bytes, name: str) -> dict[str, str]:
    """The texts of the header, which the library does not hand out for bytes; keys that are given twice are refused."""
    size = int.from_bytes(data[:8], "little")
    if len(data) < 10 or data[8:9] != b"{" or size > len(data) - 8:
        raise InputError(name, _what_it_is(data), _RIGHT)
    if size > MAX_HEADER:
        raise InputError(name, f"a header of {size} bytes", f"one with a header of at most {MAX_HEADER} bytes")
    try:
        header = json.loads(data[8 : 8 + size].decode("utf-8"), object_pairs_hook=without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(name, f"a header that is no JSON ({_brief(error)})", _RIGHT) from error
    metadata = header.get(_METADATA, {})
    if not isinstance(metadata, dict) or not all(isinstance(text, str) for text in metadata.values()):
        raise InputError(name, "metadata that are no texts", _RIGHT)
    return metadata


def _what_it_is(data: bytes) -> str:
    """A file that is not as it should be, in words: what its first bytes show it to be."""
    if not data:
        return "an empty file"
    if data[:4] == b"PK\x03\x04":
        return "a zip archive, as torch.save writes: it may hold pickles, which are programs and are never loaded"
    if data[0] == 0x80 and len(data) > 1 and 2 <= data[1] <= 5:
        return "a pickle, which is a program and is never loaded"
    size = int.from_bytes(data[:8], "little")
    if data[8:9] == b"{" and size > len(data) - 8:
        return f"{len(data)} bytes whose header alone should have {size} (was it cut off?)"
    return "what is no safetensors file: it does not begin with the length of a header and the header"


def _brief(error: Exception) -> str:
    text = " ".join(str(error).split())
    return text if len(text) <= 100 else f"{text[:97]}..."


def write_safetensors(path: str | Path, arrays: Mapping[str, Array], key: str, text: str) -> None:
    """Write the arrays with one text as metadata; the same arrays and text give the same bytes.

    (With more than one text the library writes them in any order.)  Raises `FpcertError` when it cannot be written.
    """
    from safetensors.numpy import save

    if len(text.encode()) > MAX_HEADER // 2:  # escaped, and with the names of the tensors, it must stay readable
        right = f"at most {MAX_HEADER // 2} bytes"
        raise InputError("the description of the model", f"a text of {len(text)} characters", right)
    little = {name: np.ascontiguousarray(array, array.dtype.newbyteorder("<")) for name, array in arrays.items()}
    write_bytes(path, save(little, {key: text}))


def write_bytes(path: str | Path, data: bytes) -> None:
    """Write a file.  Raises `FpcertError` when that cannot be done."""
    try:
        Path(path).write_bytes(data)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        reason: Any = getattr(error, "strerror", None) or error
        raise FpcertError(f"cannot write {str(path)!r}: {reason}") from error
