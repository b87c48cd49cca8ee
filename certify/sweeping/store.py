"""The results file as a sweep writes it: which jobs are done, and rows as they come, a batch in one transaction."""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from itertools import islice
from pathlib import Path
from types import TracebackType
from typing import Any, Self

from certify.sweeping.blocks import SIZE, pack_column
from certify.sweeping.columns import COLUMNS
from certify.sweeping.database import check_head, entries, guard, open_for_writing, quoted
from certify.sweeping.details import TOGETHER, Detail, pack
from certify.sweeping.file_lock import FileLock
from certify.sweeping.job import Job
from certify.sweeping.verified import (
    PLACE,
    check_structure,
    checksum,
    columns_of,
    kept_column,
    read_extent,
    word_of,
    write_extent,
)
from certify.sweeping.work import Row

__all__ = ["Store"]

_NAMES = entries()
_COLUMN = {column.name: column for column in COLUMNS}
_ID = _COLUMN["id"]
_AT_ONCE = 500  # parameters of one statement: SQLite has a limit


class Store:
    """The one writer of a results file; a context manager, which holds the lock on it.

    A job is one row, found by its id; what has been added is in the file when `add` returns, also if the process is
    killed right then (SQLite's WAL with synchronous = FULL).
    """

    def __init__(self, path: str | Path) -> None:
        self.path = Path(path)
        check_head(self.path, may_be_absent=True)  # beside what is no results file no lock is made
        if self.path.is_symlink():
            self.path = Path(os.path.realpath(self.path))  # two names of one file must find the same lock
        self._lock: FileLock | None = FileLock(self.path) if self.path.parent.is_dir() else None
        try:
            self._connection = open_for_writing(self.path)
            try:
                with guard(self.path, "read"):
                    check_structure(self._connection)  # which jobs are done is asked of an index, row by row unread
                    self._rows, self._filled = read_extent(self._connection)
            except BaseException:
                self._connection.close()
                raise
        except BaseException:
            self._release()
            raise
        names = [*_NAMES, "piece", "checksum"]
        marks = ", ".join("?" for _ in names)
        # A job that is done again (`retry`) takes the place of its old row.
        updates = ", ".join(f"{quoted(name)} = excluded.{quoted(name)}" for name in names if name != "id")
        self._insert = (
            f"INSERT INTO results ({', '.join(map(quoted, names))}) VALUES ({marks}) "
            f"ON CONFLICT (id) DO UPDATE SET {updates} RETURNING number"
        )

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file.  It is then one file again, without a -wal file beside it, unless someone is reading it."""
        try:
            with suppress(sqlite3.Error):  # a reader, or a full disk: the next sweep tidies up
                self._connection.execute("PRAGMA busy_timeout = 0")
                self._connection.execute("PRAGMA journal_mode = DELETE")
            self._connection.close()
        finally:
            self._release()

    def _release(self) -> None:
        if self._lock is not None:
            self._lock.release()
            self._lock = None

    @property
    def connection(self) -> sqlite3.Connection:
        """The database."""
        return self._connection

    def statuses(self, jobs: Sequence[Job]) -> dict[str, str]:
        """The status of those of the jobs that are in the file, by their id."""
        found: dict[str, str] = {}
        with guard(self.path, "read"):
            for begin in range(0, len(jobs), _AT_ONCE):
                ids = [_ID.stored(job.id)[0] for job in jobs[begin : begin + _AT_ONCE]]
                marks = ", ".join("?" for _ in ids)
                query = f'SELECT "id", "status" FROM results WHERE "id" IN ({marks})'
                found |= {_ID.shown(name): status for name, status in self._connection.execute(query, ids)}
        return found

    def add(self, done: Iterable[tuple[Job, Row]]) -> None:
        """Write these rows, all of them or, if it raises, none."""
        with guard(self.path, "write"):
            self._connection.execute("BEGIN IMMEDIATE")
            try:
                filled = set(self._filled)
                written: dict[int, list[Any]] = {}
                source = iter(done)
                while some := list(islice(source, TOGETHER)):
                    numbers, names = self._add_piece(some)
                    written |= numbers
                    filled |= names
                rows = max(self._rows, *written, 0)
                write_extent(self._connection, rows, filled)
                self._change_blocks({number: row for number, row in written.items() if number <= self._rows})
                for block in range(self._rows // SIZE, rows // SIZE):
                    self._fill_block(block)
                self._connection.execute("COMMIT")
                self._rows, self._filled = rows, filled
            except BaseException:
                if self._connection.in_transaction:  # a full disk has ended it already
                    self._connection.execute("ROLLBACK")
                raise

    def _change_blocks(self, written: Mapping[int, Sequence[Any]]) -> None:
        """Put rows that were done again, by their numbers, into the blocks that are full."""
        changed: dict[int, dict[int, Sequence[Any]]] = {}
        for number, row in written.items():
            block, place = divmod(number - 1, SIZE)
            changed.setdefault(block, {})[place] = row
        for block, rows in changed.items():
            for column in COLUMNS:
                old = kept_column(self._connection, block, column.name)
                if old is None:  # the last rows are in no block yet
                    continue
                new = old.changed({place: word_of(row, column) for place, row in rows.items()})
                if new is not old:
                    entry = pack_column(block, column.name, new), block, column.name
                    self._connection.execute("UPDATE blocks SET packed = ? WHERE block = ? AND name = ?", entry)

    def _fill_block(self, block: int) -> None:
        pieces = [
            (name, block, pack_column(block, name, column))
            for name, column in columns_of(self._connection, block).items()
        ]
        self._connection.executemany("INSERT INTO blocks VALUES (?, ?, ?)", pieces)

    def _add_piece(self, done: Sequence[tuple[Job, Row]]) -> tuple[dict[int, list[Any]], set[str]]:
        """Write these rows, their details in one piece; their entries by number, and the columns that have one.

        Of a job that is done again the old details stay where they are: no row leads to them any more.
        """
        (piece,) = self._connection.execute("SELECT coalesce(max(piece), 0) + 1 FROM details").fetchone()
        filled: set[str] = set()
        details: list[tuple[int, Detail]] = []
        written: dict[int, list[Any]] = {}
        for job, row in done:
            entries, names = _entries_of(job, row)
            entries.append(piece)
            (number,) = self._connection.execute(self._insert, [*entries, checksum(entries)]).fetchone()
            details.append((number, (job.text, row.answer)))
            written[number] = entries
            filled |= names
        self._connection.execute("INSERT INTO details VALUES (?, ?)", (piece, pack(details)))
        return written, filled


def _entries_of(job: Job, row: Row) -> tuple[list[Any], set[str]]:
    """The entries of the row in `results`, in the order of `entries()`, and the columns that have one."""
    values: dict[str, Any] = {
        **job.parameters,
        **row.values,
        "question": job.question,
        "status": row.status,
        "reason": row.reason,
        "seconds": row.seconds,
        "finished": row.finished,
        "producer": row.producer,
        "id": job.id,
    }
    found: list[Any] = [None] * len(_NAMES)
    filled = set()
    for name, value in values.items():
        if value is not None:
            stored = _COLUMN[name].stored(value)
            found[PLACE[name] : PLACE[name] + len(stored)] = stored
            filled.add(name)
    return found, filled
