"""Machines that read a word and write a symbol at every position: what a model is, up to one of its layers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Mealy", "classes_of"]


@dataclass(frozen=True, eq=False)
class Mealy:
    """A finite machine that has read BOS.

    after[s, a]: the state after letter a.  writes[s, a]: the symbol that is written at the position of that letter;
    writes[s, -1], in the last column, the one at EOS if the word ends here.  bos: the symbol at BOS.  start: the state
    after BOS.
    """

    bos: int
    start: int
    after: NDArray[np.int32]
    writes: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.after)

    def minimal(self) -> Mealy:
        """The least machine that writes the same on every word.  All states should be reachable.

        States are equivalent when they write the same symbols on every continuation.  Classes of equal `writes` are
        split by the classes of the next states until they stay (Moore 1956).
        """
        classes = classes_of([*self.writes.T])
        count = int(classes.max()) + 1
        while True:
            finer = classes_of([classes, *(classes[column] for column in self.after.T)])
            more = int(finer.max()) + 1
            if more == count:
                break
            classes, count = finer, more
        first = np.full(count, -1, dtype=np.int64)
        first[classes[::-1]] = np.arange(len(classes) - 1, -1, -1)
        return Mealy(
            self.bos, int(classes[self.start]), classes[self.after[first]].astype(np.int32), self.writes[first]
        )


def classes_of(columns: list[NDArray[np.int32]]) -> NDArray[np.int32]:
    """Numbers 0, 1, .. for the rows of these columns: equal rows have one number.

    >>> classes_of([np.array([5, 5, 7, 5]), np.array([1, 2, 1, 1])]).tolist()
    [0, 1, 2, 0]
    """
    found = np.unique(columns[0], return_inverse=True)[1].astype(np.int64)
    for column in columns[1:]:
        numbers = np.unique(column, return_inverse=True)[1]
        found = np.unique(found * (int(numbers.max()) + 1) + numbers, return_inverse=True)[1].astype(np.int64)
    return found.astype(np.int32)
