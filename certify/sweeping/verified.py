"""What a results file holds, as it was written or not at all: rows, columns and their number, each with its checksum.

A row that is damaged is found out by its own checksum, one that is missing by the number of rows, which has one too.
"""

from __future__ import annotations

import sqlite3
import zlib
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from certify.sweeping.blocks import BlockColumn, Word, numbers_of, unpack_column
from certify.sweeping.columns import COLUMNS, Column
from certify.sweeping.database import entries, quoted

__all__ = [
    "PLACE",
    "check_structure",
    "checksum",
    "columns_of",
    "kept_column",
    "read_extent",
    "verified_rows",
    "word_of",
    "write_extent",
]

PLACE = {name: place for place, name in enumerate((*entries(), "piece"))}  # of an entry in a row


def word_of(row: Sequence[Any], column: Column) -> Word:
    """The value of the column in the row."""
    return row[PLACE[column.name]], row[PLACE[column.near]] if column.exact else None


def checksum(row: Sequence[Any]) -> int:
    """Of the entries of a row, in the order of `entries`, and its piece."""
    return zlib.crc32(ascii(tuple(row)).encode())


def check_structure(connection: sqlite3.Connection) -> None:
    """Look at every page of the file: 3 seconds of CPU time for 10^6 rows.  Raises `sqlite3.DatabaseError`."""
    (found,) = connection.execute("PRAGMA integrity_check(1)").fetchone()
    if found != "ok":
        raise sqlite3.DatabaseError(" ".join(found.split()))


def write_extent(connection: sqlite3.Connection, rows: int, filled: Iterable[str]) -> None:
    """Say how many rows there are, and the names of the columns in which some row has a value."""
    entry = (rows, ",".join(sorted(filled)))
    connection.execute("DELETE FROM extent")
    connection.execute("INSERT INTO extent VALUES (?, ?, ?)", (*entry, checksum(entry)))


def read_extent(connection: sqlite3.Connection) -> tuple[int, set[str]]:
    """How many rows there are, and the columns in which some row has a value.  Raises `sqlite3.DatabaseError`."""
    found = connection.execute("SELECT rows, filled, checksum FROM extent").fetchall()
    (last,) = connection.execute("SELECT coalesce(max(number), 0) FROM results").fetchone()
    if len(found) > 1 or any(checksum(entry) != check for *entry, check in found):
        raise sqlite3.DatabaseError("its number of rows cannot be read")
    rows, filled = (found[0][0], set(found[0][1].split(","))) if found else (0, set())
    if last != rows:
        raise sqlite3.DatabaseError(
            f"of its {rows} rows the last is not there" if last < rows else "it has too many rows"
        )
    return rows, filled


def verified_rows(
    connection: sqlite3.Connection, condition: str, parameters: Sequence[Any]
) -> Iterator[tuple[int, list[Any]]]:
    """The number and the entries, the piece included, of the rows for which a condition of ours holds.

    Raises `sqlite3.DatabaseError` for a row that is not as it was written.
    """
    names = ", ".join(map(quoted, ("number", "checksum", *entries(), "piece")))
    query = f"SELECT {names} FROM results WHERE {condition} ORDER BY number"
    for number, check, *row in connection.execute(query, parameters):
        if checksum(row) != check:
            raise sqlite3.DatabaseError(f"the checksum of row {number} is not that of its entries")
        yield number, row


def kept_column(connection: sqlite3.Connection, block: int, name: str) -> BlockColumn | None:
    """One column of a block as `blocks` has it; None: not at all.  Raises `sqlite3.DatabaseError`."""
    query = "SELECT packed FROM blocks WHERE name = ? AND block = ?"
    packed = connection.execute(query, (name, block)).fetchone()
    if packed is None:
        return None
    try:
        return unpack_column(block, name, packed[0])
    except ValueError as error:
        raise sqlite3.DatabaseError(f"its column {name} cannot be read: {error}") from error


def columns_of(connection: sqlite3.Connection, block: int) -> dict[str, BlockColumn]:
    """The columns of a block, of the rows themselves.  Raises `sqlite3.DatabaseError` where one of them is missing."""
    numbers = numbers_of(block)
    found = list(verified_rows(connection, "number BETWEEN ? AND ?", (numbers[0], numbers[-1])))
    rows, _ = read_extent(connection)
    if [number for number, _ in found] != list(range(numbers[0], min(numbers[-1], rows) + 1)):
        raise sqlite3.DatabaseError(f"rows between {numbers[0]} and {numbers[-1]} are not there")
    return {column.name: BlockColumn.of(word_of(row, column) for _, row in found) for column in COLUMNS}
