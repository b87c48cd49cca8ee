"""The rows of a results file as they were written, in exact order, each with its checksum looked at."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import cmp_to_key, lru_cache
from pathlib import Path
from typing import Any

from certify.sweeping.columns import Column, order
from certify.sweeping.database import checksum, entries, guard, open_for_reading, quoted
from certify.sweeping.details import Detail, unpack
from certify.sweeping.filters import Filter, parse_filter, parse_order, sorted_columns
from fpsim.number import parse_count

__all__ = ["PLACE", "RowReader"]

_PIECES = 256  # of details that are kept unpacked
_WHOLE = (*entries(), "piece")
PLACE = {name: place for place, name in enumerate(_WHOLE)}  # of an entry in a row
MAX_ROWS = 2**63 - 1  # SQLite counts no further


class RowReader:
    """A results file that is open for reading.  Raises `InputError` for a row that is not as it was written."""

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection = open_for_reading(path)
        self._unpacked: Callable[[int], dict[int, Detail]] = lru_cache(maxsize=_PIECES)(self._piece)

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def select(self, what: str, chosen: Filter, tail: str = "") -> Iterator[tuple[Any, ...]]:
        """Run a query of ours: what a user brings is in the filter's parameters alone."""
        query = f"SELECT {what} FROM results WHERE {chosen.sql}{tail}"
        with guard(self.path, "read"):
            yield from self._connection.execute(query, chosen.parameters)

    def filled(self) -> set[str]:
        """The names of the columns in which some row has a value."""
        with guard(self.path, "read"):
            return {name for (name,) in self._connection.execute("SELECT name FROM filled")}

    def damaged(self, what: str) -> None:
        """Raise `InputError`."""
        with guard(self.path, "read"):
            raise sqlite3.DatabaseError(what)

    def rows(
        self, where: str | Iterable[str] | None, sort: str | Iterable[str] | None = None, limit: int | None = None
    ) -> Iterator[tuple[int, Sequence[Any]]]:
        """The number of each row, and all its entries by `PLACE`."""
        chosen = parse_filter(where)
        tail = f" ORDER BY {self._order(sort, chosen)}"
        if limit is not None:
            tail += f" LIMIT {parse_count(limit, 'limit', least=0, most=MAX_ROWS)}"
        names = ", ".join(map(quoted, ("number", "checksum", *_WHOLE)))
        for number, check, *row in self.select(names, chosen, tail):
            if checksum(row) != check:
                self.damaged(f"the checksum of row {number} is not that of its entries")
            yield number, row

    def _order(self, sort: str | Iterable[str] | None, chosen: Filter) -> str:
        """ORDER BY, exactly: numbers of which binary64 makes the same are told apart by their ranks."""
        ranked = {}
        for column in dict.fromkeys(sorted_columns(sort)):
            ranks = self._ranks(column, chosen) if column.exact else {}
            if ranks:
                self._connection.create_function(f"rank_{column.name}", 1, ranks.get, deterministic=True)
                ranked[column.name] = f"rank_{column.name}({quoted(column.name)})"
        return parse_order(sort, ranked)

    def _ranks(self, column: Column, chosen: Filter) -> dict[Any, int]:
        """The place, in exact order, of each entry that has the same nearest binary64 as another one."""
        name, near = quoted(column.name), quoted(column.near)
        beyond = f" AND ({near} >= {2**53} OR {near} <= {-(2**53)})" if column.kind == "integer" else ""
        query = f"SELECT DISTINCT {near}, {name} FROM results WHERE {chosen.sql}{beyond} AND {near} IS NOT NULL"
        with guard(self.path, "read"):
            shared = f"SELECT {near} FROM ({query}) GROUP BY {near} HAVING count(*) > 1"
            nears = {near for (near,) in self._connection.execute(shared, chosen.parameters)}
            if not nears:
                return {}
            found = [value for near, value in self._connection.execute(query, chosen.parameters) if near in nears]
        return {value: rank for rank, value in enumerate(sorted(found, key=cmp_to_key(order)))}

    def details(self, number: int, row: Sequence[Any]) -> dict[str, Any]:
        """The job of the row and its whole answer, as JSON has them."""
        found = self._unpacked(row[PLACE["piece"]]).get(number)
        if found is None or hashlib.sha256(found[0].encode()).digest() != row[PLACE["id"]]:
            self.damaged(f"the answer of row {number} is not there")
        assert found is not None
        job, answer = found
        return {"job": json.loads(job), "answer": None if answer is None else json.loads(answer)}

    def _piece(self, piece: int) -> dict[int, Detail]:
        """The jobs and answers of some rows, by the number of the row."""
        with guard(self.path, "read"):
            try:
                (packed,) = self._connection.execute("SELECT packed FROM details WHERE piece = ?", (piece,)).fetchone()
                return unpack(packed)
            except (TypeError, ValueError) as error:
                raise sqlite3.DatabaseError(f"the answers of piece {piece} cannot be read") from error
