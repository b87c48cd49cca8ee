"""Numbers for vectors of binary64 numbers, bit by bit: -0 is not 0, and every NaN is one NaN."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Interned", "bits", "distinct_rows"]


def bits(rows: Any) -> NDArray[np.float64]:
    """The numbers as contiguous binary64, with one NaN."""
    array = np.array(rows, dtype=np.float64, order="C")
    array[np.isnan(array)] = np.nan
    return array


class Interned:
    """Vectors of one length, each with its number, in the order in which they came."""

    def __init__(self) -> None:
        self.vectors: list[NDArray[np.float64]] = []
        self._numbers: dict[bytes, int] = {}

    def number(self, vector: Any) -> int:
        """The number of this vector.

        >>> seen = Interned()
        >>> [seen.number(x) for x in ([0.0], [-0.0], [float("nan")], [0.0])]
        [0, 1, 2, 0]
        """
        array = bits(vector)
        key = array.tobytes()
        found = self._numbers.get(key)
        if found is None:
            found = self._numbers[key] = len(self.vectors)
            self.vectors.append(array)
        return found


def distinct_rows(rows: Any) -> tuple[NDArray[np.float64], NDArray[np.int64]]:
    """(the distinct rows, for each row its place among them); the rows of a matrix."""
    array, seen = bits(rows), Interned()
    places = np.array([seen.number(row) for row in array], dtype=np.int64)
    return np.stack(seen.vectors), places
