"""The rows of a results file as they were written, filtered and in exact order, each with its checksum looked at."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from functools import lru_cache
from itertools import groupby
from pathlib import Path
from typing import TYPE_CHECKING, Any

from certify.sweeping.blocks import SIZE, BlockColumn, Word, numbers_of
from certify.sweeping.columns import Column
from certify.sweeping.database import guard, open_for_reading
from certify.sweeping.details import Detail, unpack
from certify.sweeping.filters import Filter, parse_filter, parse_order
from certify.sweeping.verified import PLACE, columns_of, kept_column, read_extent, verified_rows, word_of
from fpsim.number import parse_count

if TYPE_CHECKING:
    import numpy as np
    from numpy.typing import NDArray

__all__ = ["RowReader"]

_PIECES = 256  # of details that are kept unpacked
_AT_ONCE = 500  # parameters of one statement: SQLite has a limit
MAX_ROWS = 2**63 - 1  # SQLite counts no further


class RowReader:
    """A results file that is open for reading.  Raises `InputError` for what is not as it was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection = open_for_reading(path)
        self._unpacked: Callable[[int], dict[int, Detail]] = lru_cache(maxsize=_PIECES)(self._piece)
        self._readers = 0  # that are within one snapshot
        self._version = -1  # of the file's contents, of which the columns are
        self._columns: dict[tuple[int, str], BlockColumn] = {}

    def close(self) -> None:
        """Close the file, also while rows are being read."""
        self._readers = 0
        self._connection.close()

    def filled(self) -> set[str]:
        """The names of the columns in which some row has a value."""
        with self.snapshot():
            return read_extent(self._connection)[1]

    def count(self, where: str | Iterable[str] | None) -> int:
        """How many rows meet the condition."""
        with self.snapshot():
            return len(self._numbers(where))

    def rows(
        self, where: str | Iterable[str] | None, sort: str | Iterable[str] | None = None, limit: int | None = None
    ) -> Iterator[tuple[int, Sequence[Any]]]:
        """The number of each row, and all its entries by `PLACE`."""
        most = None if limit is None else parse_count(limit, "limit", least=0, most=MAX_ROWS)
        with self.snapshot():
            numbers = self._sorted(self._numbers(where), sort)[:most].tolist()
            for begin in range(0, len(numbers), _AT_ONCE):
                some = numbers[begin : begin + _AT_ONCE]
                found = dict(verified_rows(self._connection, f"number IN ({_marks(some)})", some))
                if len(found) < len(some):
                    raise sqlite3.DatabaseError("some of its rows are not there")
                yield from ((number, found[number]) for number in some)

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, also where a sweep writes."""
        with guard(self.path, "read"):
            if self._readers == 0:
                self._connection.execute("BEGIN")
            self._readers += 1
            try:
                yield
            finally:
                if self._readers:  # none when the file has been closed meanwhile
                    self._readers -= 1
                    if self._readers == 0 and self._connection.in_transaction:  # some errors have ended it already
                        self._connection.execute("COMMIT")

    def _numbers(self, where: str | Iterable[str] | None) -> NDArray[np.int64]:
        """The numbers of the rows that meet the condition, rising."""
        import numpy as np

        conditions = parse_filter(where)
        count = self._rows()
        named = self._named(conditions)
        if named is not None:
            return np.array(named, dtype=np.int64)
        filters: list[tuple[Filter, dict[Word, bool]]] = [(one, {}) for one in conditions]
        found = []
        for block in range(-(-count // SIZE)):
            met = np.ones(min(SIZE, count - block * SIZE), dtype=bool)
            for one, known in filters:
                column = self._column(block, one.column)
                met &= _looked_up(column, one.met, known)[column.codes]
            found.append(np.flatnonzero(met) + numbers_of(block)[0])
        return np.concatenate(found) if found else np.zeros(0, dtype=np.int64)

    def _named(self, conditions: Sequence[Filter]) -> list[int] | None:
        """The numbers of the rows that meet the conditions where one of them is `id=`; None: look at every row.

        An id stands in one row at most, so nothing is overlooked when each was found; but an index has no checksum, and
        that it does not find an id says nothing.
        """
        by_id = (one.values for one in conditions if one.column.name == "id" and one.values is not None)
        ids = list(next(by_id, ()))
        if not ids or None in ids or len(ids) > _AT_ONCE:
            return None
        rows = list(verified_rows(self._connection, f'"id" IN ({_marks(ids)})', ids))
        if len(rows) < len(ids):
            return None
        return [number for number, row in rows if all(one.met(word_of(row, one.column)) for one in conditions)]

    def _sorted(self, numbers: NDArray[np.int64], sort: str | Iterable[str] | None) -> NDArray[np.int64]:
        """The numbers of the rows by the columns, exactly; rows that are equal stay in the order of their numbers."""
        import numpy as np

        order = parse_order(sort)
        if not order or not len(numbers):
            return numbers
        blocks, begins = np.unique((numbers - 1) // SIZE, return_index=True)
        within = np.split((numbers - 1) % SIZE, begins[1:])
        keys = []
        for column, falling in order:
            parts = [self._column(int(block), column) for block in blocks]
            codes = [part.codes[places] for part, places in zip(parts, within, strict=True)]
            words = {
                part.words[code - 1]
                for part, some in zip(parts, codes, strict=True)
                for code in np.unique(some).tolist()
                if code
            }
            ranks = _ranks(column, words, falling)
            last = len(words)  # what is absent comes last, whatever the direction
            tables = (np.array([last, *(ranks.get(word, last) for word in part.words)]) for part in parts)
            keys.append(np.concatenate([table[some] for table, some in zip(tables, codes, strict=True)]))
        return numbers[np.lexsort(keys[::-1])]

    def _rows(self) -> int:
        """How many rows there are; what is known of them is forgotten when the file has changed."""
        (version,) = self._connection.execute("PRAGMA data_version").fetchone()
        count = read_extent(self._connection)[0]
        if version != self._version:
            self._columns.clear()
            self._version = version
        return count

    def _column(self, block: int, column: Column) -> BlockColumn:
        """One column of a block: as it is kept, or of the rows themselves."""
        key = block, column.name
        if key not in self._columns:
            kept = kept_column(self._connection, block, column.name)
            if kept is not None:
                self._columns[key] = kept
            else:  # the last rows
                self._columns |= {(block, name): one for name, one in columns_of(self._connection, block).items()}
        return self._columns[key]

    def details(self, number: int, row: Sequence[Any]) -> dict[str, Any]:
        """The job of the row and its whole answer, as JSON has them."""
        with guard(self.path, "read"):
            found = self._unpacked(row[PLACE["piece"]]).get(number)
            if found is None or hashlib.sha256(found[0].encode()).digest() != row[PLACE["id"]]:
                raise sqlite3.DatabaseError(f"the answer of row {number} is not there")
        job, answer = found
        return {"job": json.loads(job), "answer": None if answer is None else json.loads(answer)}

    def _piece(self, piece: int) -> dict[int, Detail]:
        """The jobs and answers of some rows, by the number of the row."""
        try:
            (packed,) = self._connection.execute("SELECT packed FROM details WHERE piece = ?", (piece,)).fetchone()
            return unpack(packed)
        except (TypeError, ValueError) as error:
            raise sqlite3.DatabaseError(f"the answers of piece {piece} cannot be read") from error


def _looked_up(column: BlockColumn, met: Callable[[Word], bool], known: dict[Word, bool]) -> NDArray[np.bool_]:
    """Whether each code of the column meets the condition.  known: of the values that other blocks have too."""
    import numpy as np

    if 2 * len(column.words) > len(column.codes):  # hashes, say: they hardly come again
        return np.array([met((None, None)), *map(met, column.words)])
    for word in ((None, None), *column.words):
        if word not in known:
            known[word] = met(word)
    return np.array([known[None, None], *(known[word] for word in column.words)])


def _ranks(column: Column, words: Iterable[Word], falling: bool) -> dict[Word, int]:
    """The place of each word in the exact order of the column, from 0 on."""
    ordered = sorted(words, key=column.key, reverse=falling)
    if column.kind != "angle":
        return {word: rank for rank, word in enumerate(ordered)}
    # The same angle may be written as different powers: these share a place.
    groups = groupby(ordered, key=column.key)
    return {word: rank for rank, (_, group) in enumerate(groups) for word in group}


def _marks(values: Sequence[Any]) -> str:
    return ", ".join("?" for _ in values)
