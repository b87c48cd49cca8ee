"""`array`: realized cosines and sines that are given, in a file or as NumPy arrays ("semantics 1", §3).

Rows are the positions 0, 1, ..; every rotary pair has a cosine and a sine in each.  Layouts:

    two dimensions    (L, 2P): the cosines of the pairs 0 .. P-1, then their sines
    three dimensions  (L, P, 2): the last axis is (cosine, sine)
    .npz              arrays `cos` and `sin` of one shape, (L,) or (L, P); or one array, as above
    .csv              numbers with commas, columns as in two dimensions, after one line of names or none

One dimension is refused: it does not say what is a cosine and what a sine.  Entries are finite real numbers that
binary64 holds; decimals of a .csv are rounded to the nearest binary64 number.  -0 is 0 where F has no -0.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, TypeAlias

import numpy as np

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.realization.array_reading import MAX_ENTRIES, Array, check_dtype, read_arrays
from fpsim.realization.containment import contains
from fpsim.realization.given import Given
from fpsim.realization.membership import members
from fpsim.valueset import ValueSet

__all__ = ["ArrayKind"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]

# NumPy's and ml_dtypes' names of the types whose values a value set has as its own.
_NATURAL = {
    "float16": "fp16", "float32": "fp32", "float64": "fp64", "bfloat16": "bf16", "float8_e4m3fn": "e4m3",
    "float8_e5m2": "e5m2", "float8_e4m3fnuz": "e4m3fnuz", "float8_e5m2fnuz": "e5m2fnuz", "float6_e3m2fn": "e3m2",
    "float6_e2m3fn": "e2m3", "float4_e2m1fn": "e2m1",
}  # fmt: skip


@dataclass(frozen=True, eq=False)
class ArrayKind:
    """The kind of realization `array:FILE`: one column of cosines and one of sines for each rotary pair.

    name: as it is echoed.  c, s: binary64 arrays of shape (positions, pairs).  dtype_name: the value set that the type
    of the entries stands for (float16: fp16, ..; fp64 for numbers of a .csv and for integers).

    >>> kind = ArrayKind.of(np.float16([1, 0.5]), np.float16([0, 0.75]))
    >>> kind.positions, kind.pairs, kind.dtype_name
    (2, 1, 'fp16')
    >>> kind.rotation(Angle.parse("1"), ValueSet.parse("fp16")).block(1)
    (mpq(1,2), mpq(3,4))
    """

    name: str
    c: Floats = field(repr=False)
    s: Floats = field(repr=False)
    dtype_name: str
    _rotations: dict[tuple[ValueSet, int], tuple[Floats, Floats]] = field(default_factory=dict, repr=False)

    @staticmethod
    def read(path: str | Path) -> ArrayKind:
        """The arrays of an .npy, .npz or .csv file.  Raises `InputError` for what is not as above, naming the place."""
        name = f"array:{path}"
        found = read_arrays(path)
        missing = [key for key in ("cos", "sin") if key not in found]
        if not missing:
            return _made(name, *_two(found["cos"], found["sin"], name))
        listed = f"the arrays {', '.join(map(repr, sorted(found)[:8]))}" if found else "no array at all"
        if len(missing) == 1:
            raise InputError(name, listed, f"cos and sin, or exactly one array: {missing[0]!r} is missing")
        if len(found) != 1:
            raise InputError(name, listed, "the arrays cos and sin, or exactly one array")
        (array,) = found.values()
        return _made(name, *_split(array, name))

    @staticmethod
    def of(c: Any, s: Any = None, *, name: str = "array") -> ArrayKind:
        """The kind of NumPy arrays: cosines and sines of one shape, (L,) or (L, P), or one array of both as in a file.

        Arrays of ml_dtypes' types (bfloat16, 8-bit floats) are taken too.  Raises `InputError`.
        """
        try:
            first, second = np.asarray(c), None if s is None else np.asarray(s)
        except ValueError:
            raise InputError(name, "rows of different lengths", "arrays, or lists of lists of one length") from None
        return _made(name, *(_split(first, name) if second is None else _two(first, second, name)))

    @property
    def positions(self) -> int:
        """L: how many positions are given."""
        return int(self.c.shape[0])

    @property
    def pairs(self) -> int:
        """P: how many rotary pairs have columns."""
        return int(self.c.shape[1])

    def rotation(self, angle: Angle, values: ValueSet, pair: int = 0) -> Given:
        """The realized rotation of a pair.  Raises `InputError` for a pair beyond the columns, and for entries that are
        no values of F, naming the first.
        """
        if not 0 <= pair < self.pairs:
            raise InputError(
                "pair", pair, f"below {self.pairs}: {self.name} has the cosines and sines of {self.pairs} pairs"
            )
        columns = self._rotations.get((values, pair))
        if columns is None:
            columns = self._checked(values, pair)
            self._rotations[values, pair] = columns
        return Given(angle, values, *columns)

    def _checked(self, values: ValueSet, pair: int) -> tuple[Floats, Floats]:
        columns = []
        known = contains(values, ValueSet.parse(self.dtype_name))
        for what, array in (("cosine", self.c), ("sine", self.s)):
            column = np.ascontiguousarray(array[:, pair])
            wrong = np.empty(0, np.intp) if known else np.flatnonzero(~members(values, column))
            if wrong.size:
                position = int(wrong[0])
                stated = f"{float(column[position])!r}, the {what} of pair {pair} at position {position}"
                raise InputError(self.name, stated, self._right(values))
            columns.append(column if values.signed_zero else column + 0.0)
        return columns[0], columns[1]

    def _right(self, values: ValueSet) -> str:
        if self.name.lower().endswith(".csv"):
            return f"a value of {values.name}, written in full (17 digits say which binary64 number is meant)"
        return f"a value of {values.name} (the array holds {self.dtype_name}: ask for that dtype, or round the array)"


def _two(c: Array, s: Array, what: str) -> tuple[Array, Array]:
    """Cosines and sines of shape (L, P)."""
    if c.shape != s.shape or c.ndim not in (1, 2):
        stated = f"cos of shape {c.shape} and sin of shape {s.shape}"
        raise InputError(what, stated, "of one shape, (positions,) or (positions, pairs)")
    if c.dtype != s.dtype:
        raise InputError(what, f"cos of {c.dtype} and sin of {s.dtype}", "of one dtype")
    return (c[:, None], s[:, None]) if c.ndim == 1 else (c, s)


def _split(array: Array, what: str) -> tuple[Array, Array]:
    """One array into its cosines and sines."""
    if array.ndim == 3 and array.shape[2] == 2:
        return array[:, :, 0], array[:, :, 1]
    if array.ndim == 2 and array.shape[1] % 2 == 0:
        pairs = array.shape[1] // 2
        return array[:, :pairs], array[:, pairs:]
    stated = f"the shape {array.shape}{', with an odd number of columns' if array.ndim == 2 else ''}"
    raise InputError(what, stated, "(positions, 2 * pairs), cosines first, or (positions, pairs, 2)")


def _made(name: str, c: Array, s: Array) -> ArrayKind:
    check_dtype(c.dtype, name)
    if 2 * c.size > MAX_ENTRIES:
        raise InputError(name, f"{2 * c.size} entries", f"at most 2^28 = {MAX_ENTRIES} entries")
    if not c.size:
        raise InputError(name, f"an empty array ({c.shape[0]} positions, {c.shape[1]} pairs)", "at least one of each")
    parts = []
    for what, array in (("cosine", c), ("sine", s)):
        with np.errstate(all="ignore"):
            numbers = np.asfortranarray(array, np.float64)
        wrong = _first(~np.isfinite(numbers)) or _first_inexact(array, numbers)
        if wrong is not None:
            position, pair = wrong
            stated = f"{array[position, pair]!s}, the {what} of pair {pair} at position {position}"
            raise InputError(name, stated, "a finite number that binary64 holds")
        if numbers is array or not numbers.flags.owndata:
            numbers = numbers.copy(order="F")  # the caller may write into his own
        numbers.flags.writeable = False
        parts.append(numbers)
    return ArrayKind(name, parts[0], parts[1], _NATURAL.get(c.dtype.name, "fp64"))


def _first(wrong: np.ndarray[Any, np.dtype[np.bool_]]) -> tuple[int, int] | None:
    """Where the first True is: the least position, then the least pair."""
    if not wrong.any():
        return None
    position = int(np.argmax(wrong.any(axis=1)))
    return position, int(np.argmax(wrong[position]))


def _first_inexact(array: Array, numbers: Floats) -> tuple[int, int] | None:
    """Where a wide integer or float is no binary64 number, first."""
    if array.dtype.kind in "iu" and array.dtype.itemsize == 8:
        return _first(np.abs(numbers) >= 2.0**53)
    if array.dtype.kind == "f" and array.dtype.itemsize > 8:
        return _first(numbers.astype(array.dtype) != array)
    return None
