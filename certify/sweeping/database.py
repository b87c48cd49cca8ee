"""A results file as a database: its tables, how it is opened, and what is said about a file that is none.

Four tables: `results`, one row for each job, numbered from 1 without a gap; `details`, the jobs and the whole answers
as JSON, those of some rows together (`certify.sweeping.details`); `blocks`, the columns of `results` once more, which
is what filters read (`certify.sweeping.blocks`); `extent`, how many rows there are, and in which columns some row has a
value.  The file is in SQLite's WAL mode, so that it can be read while it is written, and a process that is killed
leaves what it had committed.

SQLite has no checksums: what a bad disk has changed is read as it is, and of two pages that have changed places it
notices little.  So each row has one, and each piece of `details` and `blocks` and the extent, which is looked at
whenever it is read (`certify.sweeping.verified`).
"""

from __future__ import annotations

import os
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from certify.sweeping.columns import COLUMNS
from fpsim.errors import FpcertError, InputError

__all__ = [
    "APPLICATION",
    "SCHEMA",
    "check_head",
    "entries",
    "guard",
    "open_for_reading",
    "open_for_writing",
    "quoted",
]

APPLICATION = 0x66706372  # "fpcr": which program a SQLite file belongs to
SCHEMA = 5  # the version of the tables below: it goes up with every change of them, a new column of an answer too
_MAGIC = b"SQLite format 3\0"
_HEAD = 100  # bytes: the header of a SQLite file, with the size of a page and the number of pages
_RIGHT = "a results file, written by fpcert sweep"


def quoted(name: str) -> str:
    """A name of ours as SQL writes it."""
    return f'"{name}"'


def entries() -> list[str]:
    """The names of the columns of `results`, those of the nearest binary64 included, without `piece` and `checksum`."""
    names = []
    for column in COLUMNS:
        names += [column.name, column.near] if column.exact else [column.name]
    return names


def _tables() -> str:
    kinds = {"flag": "INTEGER", "seconds": "REAL", "text": "TEXT", "hash": "BLOB"}
    lines = []
    for column in COLUMNS:
        unique = " NOT NULL UNIQUE" if column.name == "id" else ""
        lines.append(f"{quoted(column.name)} {kinds.get(column.kind, '')}{unique}")
        if column.exact:
            lines.append(f"{quoted(column.near)} REAL")
    # The exact columns have no type: SQLite would turn the text of a long whole number into a rounded one.
    return (
        f"CREATE TABLE results (number INTEGER PRIMARY KEY, {', '.join(lines)}, piece INTEGER NOT NULL, "
        "checksum INTEGER NOT NULL);\n"
        "CREATE TABLE extent (rows INTEGER NOT NULL, filled TEXT NOT NULL, checksum INTEGER NOT NULL);\n"
        "CREATE TABLE details (piece INTEGER PRIMARY KEY, packed BLOB NOT NULL);\n"
        "CREATE TABLE blocks (name TEXT, block INTEGER, packed BLOB NOT NULL, PRIMARY KEY (block, name));\n"
        f"PRAGMA application_id = {APPLICATION};\nPRAGMA user_version = {SCHEMA};\n"
    )


@contextmanager
def guard(path: Path, doing: str) -> Iterator[None]:
    """What SQLite says about the file, as an error of ours: `doing` is "read" or "write".

    A statement that fails leaves the file as it was before its transaction.
    """
    try:
        yield
    except sqlite3.OperationalError as error:
        kept = "; what was reported is in the file, and the same command goes on from there" * (doing == "write")
        raise FpcertError(f"cannot {doing} {str(path)!r}: {error}{kept}") from error
    except (sqlite3.DatabaseError, UnicodeDecodeError) as error:
        raise InputError("results file", f"{str(path)!r} ({error})", f"{_RIGHT}, whole: this is damaged") from error


def open_for_writing(path: Path) -> sqlite3.Connection:
    """The database, made where there is none.  Raises `InputError`, `FpcertError`."""
    if not path.parent.is_dir():
        raise InputError("results file", str(path), f"in a folder that exists; {str(path.parent)!r} does not")
    check_head(path, may_be_absent=True)
    with guard(path, "write"):
        connection = sqlite3.connect(path, timeout=10, isolation_level=None)
        try:
            if _is_new(connection):
                connection.execute("PRAGMA journal_mode = WAL")
                # One transaction: a process killed here leaves no half-made file.
                connection.executescript(f"BEGIN IMMEDIATE;\n{_tables()}COMMIT;")
            _check_version(connection, path)
            connection.execute("PRAGMA journal_mode = WAL")
            connection.execute("PRAGMA synchronous = FULL")
        except BaseException:
            connection.close()
            raise
    return connection


def open_for_reading(path: Path) -> sqlite3.Connection:
    """The database, which is never changed.  Raises `InputError`, `FpcertError`."""
    check_head(path, may_be_absent=False)
    with guard(path, "read"):
        connection = _connect_to_read(path)
        try:
            _check_version(connection, path)
        except BaseException:
            connection.close()
            raise
    return connection


def _connect_to_read(path: Path) -> sqlite3.Connection:
    address = path.resolve().as_uri()
    connection = sqlite3.connect(f"{address}?mode=ro", uri=True, timeout=10, isolation_level=None)
    try:
        connection.execute("PRAGMA user_version").fetchone()
    except sqlite3.OperationalError:
        connection.close()
        wal = _wal(path)
        if os.access(path.parent, os.W_OK) or (wal.exists() and wal.stat().st_size):
            raise
        # SQLite's WAL mode writes beside the file even to read it; where that cannot be, nobody else can write either.
        connection = sqlite3.connect(f"{address}?mode=ro&immutable=1", uri=True, isolation_level=None)
    return connection


def check_head(path: Path, *, may_be_absent: bool) -> None:
    """Refuse what is no SQLite file before SQLite sees it.  Raises `InputError`, `FpcertError`."""
    head = b""
    try:
        there, plain = path.exists(), path.is_file()
        if plain:
            with path.open("rb") as file:
                head = file.read(_HEAD)
    except (OSError, ValueError) as error:  # ValueError: a NUL in the name
        raise FpcertError(f"cannot read {str(path)!r}: {getattr(error, 'strerror', None) or error}") from error
    if not there and may_be_absent:
        return
    if not plain:
        raise InputError("results file", str(path), f"{_RIGHT}; this is {'no plain file' if there else 'not there'}")
    if not head and may_be_absent:
        return
    if not head:
        raise InputError("results file", str(path), f"{_RIGHT}; this is empty")
    if head[: len(_MAGIC)] != _MAGIC:
        raise InputError("results file", str(path), f"{_RIGHT}; this is no SQLite database")
    wal = _wal(path)
    if wal.exists() and wal.stat().st_size:
        return  # a killed process may have left pages there that the file itself still lacks
    size, pages = int.from_bytes(head[16:18]), int.from_bytes(head[28:32])
    expected = pages * (65536 if size == 1 else size)
    found = path.stat().st_size
    if len(head) < _HEAD or found < expected:  # SQLite itself overlooks it when less than a page is missing
        right = f"{_RIGHT}, whole: its end is missing" + f" from byte {found} of {expected} on" * (len(head) == _HEAD)
        raise InputError("results file", str(path), right)


def _wal(path: Path) -> Path:
    return path.with_name(f"{path.name}-wal")


def _is_new(connection: sqlite3.Connection) -> bool:
    (tables,) = connection.execute("SELECT count(*) FROM sqlite_schema").fetchone()
    return bool(tables == 0 and connection.execute("PRAGMA application_id").fetchone() == (0,))


def _check_version(connection: sqlite3.Connection, path: Path) -> None:
    (application,) = connection.execute("PRAGMA application_id").fetchone()
    (schema,) = connection.execute("PRAGMA user_version").fetchone()
    if _is_new(connection):  # a sweep that could not even make its tables: it can go on
        raise InputError("results file", str(path), f"{_RIGHT}; this is empty")
    if application != APPLICATION:
        raise InputError("results file", str(path), f"{_RIGHT}; this SQLite database belongs to another program")
    if schema != SCHEMA:
        raise InputError(
            "results file",
            f"{str(path)!r} of version {schema}",
            f"one of version {SCHEMA}, which this fpcert reads and writes: begin a new file, or use the fpcert that "
            "wrote this one",
        )
