"""Arrays of numbers from .npy, .npz and .csv files, refused with the place of what is wrong; nothing is unpickled.

The shape, the kind of number and the size are read from the head of a file before its numbers are.
"""

from __future__ import annotations

import math
import zipfile
import zlib
from pathlib import Path
from typing import Any, BinaryIO, TypeAlias, cast

import numpy as np

from fpsim.errors import InputError

__all__ = ["MAX_ENTRIES", "Array", "read_arrays"]

Array: TypeAlias = np.ndarray[Any, np.dtype[Any]]

MAX_ENTRIES = 1 << 28
_WRONG = (
    ValueError,
    EOFError,
    OSError,
    zipfile.BadZipFile,
    zlib.error,
    NotImplementedError,
    RuntimeError,
    SyntaxError,
    TypeError,
)
_LONGEST_LINE = 1 << 24


def read_arrays(file: str | Path) -> dict[str, Array]:
    """The arrays of a file by name; the only array of an .npy or .csv file is named "".  Raises `InputError`."""
    path = Path(file)
    try:
        exists, plain = bool(str(file)) and path.exists(), path.is_file()
    except OSError as problem:
        raise InputError("array", str(file), f"the name of a file that can be read ({problem.strerror})") from None
    if not plain:  # a folder, or a pipe that may never say anything
        right = "a file, not a folder or a pipe" if exists else "the name of a file that exists"
        raise InputError("array", str(file), right)
    readers = {".npy": _read_npy, ".npz": _read_npz, ".csv": _read_csv}
    reader = readers.get(path.suffix.lower())
    if reader is None:
        raise InputError("array", str(path), "a file whose name ends in .npy, .npz or .csv")
    what = f"array:{path}"
    try:
        return reader(path, what)
    except InputError:
        raise
    except MemoryError:
        raise InputError(what, "an array of this size", "one that fits in memory") from None
    except _WRONG as problem:
        reason = " ".join(str(problem).split())[:100] or type(problem).__name__
        raise InputError(what, f"the file ({reason})", f"a whole {path.suffix.lower()} file of plain numbers") from None


def _read_npy(path: Path, what: str) -> dict[str, Array]:
    with path.open("rb") as file:
        return {"": _array(file, path.stat().st_size, what)}


def _read_npz(path: Path, what: str) -> dict[str, Array]:
    found: dict[str, Array] = {}
    with zipfile.ZipFile(path) as archive:
        for member in archive.infolist():
            name = member.filename.removesuffix(".npy")
            with archive.open(member) as file:
                found[name] = _array(cast("BinaryIO", file), member.file_size, f"{what}, array {name!r}")
            _check_entries(sum(array.size for array in found.values()), what)
    return found


def _array(file: BinaryIO, size: int, what: str) -> Array:
    """The array of an .npy stream of `size` bytes."""
    version = np.lib.format.read_magic(file)
    if version not in ((1, 0), (2, 0)):
        raise InputError(what, f"version {version[0]}.{version[1]} of the .npy format", "version 1.0 or 2.0")
    read_head = np.lib.format.read_array_header_1_0 if version == (1, 0) else np.lib.format.read_array_header_2_0
    shape, fortran_order, dtype = read_head(file)
    check_dtype(dtype, what)
    entries = math.prod(shape)
    _check_entries(entries, what)
    here, needed = size - file.tell(), entries * dtype.itemsize
    if here < needed:
        right = f"{needed} bytes, for the shape {shape} of {dtype} (was it cut off?)"
        raise InputError(what, f"{here} bytes of numbers", right)
    data = file.read(needed)
    return np.frombuffer(data, dtype).reshape(shape, order="F" if fortran_order else "C")


def check_dtype(dtype: np.dtype[Any], what: str) -> None:
    """Refuse what is no plain real number.  Raises `InputError`."""
    if dtype.kind == "V" and dtype.type is np.void and dtype.names is None and dtype.subdtype is None:
        raise InputError(
            what, f"raw items of {dtype.itemsize} bytes",
            "numbers: NumPy writes bfloat16 and 8-bit floats as raw bytes, which do not say what they mean; convert to "
            "float32 before saving (it holds every such value), or pass the array itself in Python",
        )  # fmt: skip
    if dtype.kind not in "fiuV" or dtype.names is not None or dtype.subdtype is not None:
        kind = {"c": "complex numbers", "O": "Python objects, which would have to be unpickled", "b": "booleans"}
        raise InputError(what, kind.get(dtype.kind, f"entries of {dtype}"), "real numbers: floats or integers")


def _check_entries(entries: int, what: str) -> None:
    if entries > MAX_ENTRIES:
        raise InputError(what, f"{entries} entries", f"at most 2^28 = {MAX_ENTRIES} entries")


# -- csv ---------------------------------------------------------------------------------------------------------------


def _read_csv(path: Path, what: str) -> dict[str, Array]:
    """Numbers with commas, a row on each line, after one line of names or none."""
    header, columns, lines = _shape_of_csv(path, what)
    if not lines:
        raise InputError(what, "no line of numbers", "at least one")
    _check_entries(lines * columns, what)
    try:
        with path.open(encoding="utf-8-sig") as file:
            array = np.loadtxt(file, delimiter=",", skiprows=int(header), comments=None, ndmin=2, dtype=np.float64)
    except ValueError:
        raise _first_wrong_row(path, what, header, columns) from None
    return {"": array}


def _shape_of_csv(path: Path, what: str) -> tuple[bool, int, int]:
    """(whether the first line holds names, how many columns it has, how many lines of numbers there are at most)."""
    with path.open(encoding="utf-8-sig") as file:
        first = file.readline(_LONGEST_LINE)
        if len(first) == _LONGEST_LINE:
            raise InputError(what, f"a line of more than {_LONGEST_LINE} characters", "shorter lines")
        lines = bool(first.strip()) + sum(1 for line in file if line.strip())
    cells = first.split(",")
    header = bool(first.strip()) and not any(_is_number(cell) for cell in cells)
    return header, len(cells), lines - header


def _is_number(text: str) -> bool:
    try:
        float(text)
    except ValueError:
        return False
    return "_" not in text  # which Python takes within a number


def _first_wrong_row(path: Path, what: str, header: bool, columns: int) -> InputError:
    """What is wrong with the first line that cannot be read, in words."""
    with path.open(encoding="utf-8-sig") as file:
        for number, line in enumerate(file, start=1):
            cells = line.rstrip("\r\n").split(",")
            if (number == 1 and header) or not line.strip():
                continue
            if len(cells) != columns:
                return InputError(f"{what}, line {number}", f"{len(cells)} columns", f"{columns} columns, as on line 1")
            for column, cell in enumerate(cells, start=1):
                if not _is_number(cell):
                    return InputError(f"{what}, line {number}, column {column}", repr(cell.strip()), "a number")
    return InputError(what, "the file", "lines of numbers with commas")
