"""The columns of a results file a second time, block by block: what filters and sorting read, instead of whole rows.

A block is `SIZE` rows with consecutive numbers.  Each column of it is one piece: its different values, and for each row
the place of its value among them.  A condition is looked at once for each different value, and of 10^6 rows it reads
some MB at most (but for the hashes) where the rows are 250 MB.  A piece names its block and its column and is
compressed by zlib, which brings a checksum: one that is not what was written, or stands in the place of another, is
found out.
"""

from __future__ import annotations

import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeAlias

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["SIZE", "BlockColumn", "Word", "numbers_of", "pack_column", "unpack_column"]

SIZE = 1 << 12  # rows: the last ones, fewer than that, are read as they are, with their checksums
_HASH = 32  # bytes of a sha256, which are kept as they are

Word: TypeAlias = tuple[Any, float | None]  # an entry and, where its column is exact, the nearest binary64


@dataclass(frozen=True)
class BlockColumn:
    """One column of a block.

    words: its different values.  codes: for each row the place of its value in `words`, plus 1; 0: it has none.
    """

    words: Sequence[Word]
    codes: NDArray[np.uint16]

    @staticmethod
    def of(values: Iterable[Word]) -> BlockColumn:
        """The column with these values, those without an entry being (None, None).

        >>> column = BlockColumn.of([("1/3", 1 / 3), (None, None), ("1/3", 1 / 3)])
        >>> column.words, column.codes.tolist()
        ([('1/3', 0.3333333333333333)], [1, 0, 1])
        """
        import numpy as np

        values = list(values)
        if values and values.count(values[0]) == len(values):  # most columns of a sweep have one value, or none
            words = [] if values[0][0] is None else values[:1]
            return BlockColumn(words, np.full(len(values), len(words), dtype=np.uint16))
        codes: dict[Any, int] = {None: 0}
        words = []
        found = []
        for word in values:
            code = codes.get(word[0])
            if code is None:
                words.append(word)
                code = codes[word[0]] = len(words)
            found.append(code)
        return BlockColumn(words, np.array(found, dtype=np.uint16))

    def changed(self, values: Mapping[int, Word]) -> BlockColumn:
        """The column with these values in their places, from 0 on; itself where it has them already.

        >>> column = BlockColumn.of([(7, 7.0), (None, None)])
        >>> column.changed({1: (8, 8.0)}).codes.tolist(), column.changed({1: (None, None)}) is column
        ([1, 2], True)
        """
        words: list[Word] = [(None, None), *self.words]
        if all(words[self.codes[place]] == value for place, value in values.items()):
            return self
        every = [words[code] for code in self.codes.tolist()]
        for place, value in values.items():
            every[place] = value
        return BlockColumn.of(every)


def numbers_of(block: int) -> range:
    """The numbers of the rows of a block."""
    return range(block * SIZE + 1, (block + 1) * SIZE + 1)


def pack_column(block: int, name: str, column: BlockColumn) -> bytes:
    """The column as one piece of the file.

    >>> column = BlockColumn.of([(7, 7.0), ("1/3", 1 / 3)] * (SIZE // 2))
    >>> unpack_column(3, "C", pack_column(3, "C", column)).words
    [(7, 7.0), ('1/3', 0.3333333333333333)]
    """
    hashes = b"".join(entry for entry, _ in column.words if isinstance(entry, bytes))
    head = json.dumps([block, name, None if hashes else column.words], separators=(",", ":"))
    return zlib.compress(head.encode() + b"\n" + column.codes.astype("<u2").tobytes() + hashes, level=1)


def unpack_column(block: int, name: str, packed: bytes) -> BlockColumn:
    """What `pack_column` was given.  Raises `ValueError` for anything else."""
    import numpy as np

    try:
        head, _, rest = zlib.decompress(packed).partition(b"\n")
    except (zlib.error, TypeError) as error:
        raise ValueError(str(error)) from error
    found_block, found_name, words = json.loads(head)
    codes, hashes = rest[: 2 * SIZE], rest[2 * SIZE :]
    if (found_block, found_name, len(codes)) != (block, name, 2 * SIZE):
        raise ValueError(f"this is column {found_name} of block {found_block}")
    found = (
        [(hashes[place : place + _HASH], None) for place in range(0, len(hashes), _HASH)]
        if words is None
        else [(entry, near) for entry, near in words]
    )
    return BlockColumn(found, np.frombuffer(codes, dtype="<u2"))
