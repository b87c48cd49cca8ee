"""A results file as it is read: rows by filter, in any order, as Python values, a DataFrame or CSV."""

from __future__ import annotations

import csv
import json
import sqlite3
from collections.abc import Iterable, Iterator, Sequence
from functools import lru_cache
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

from certify.sweeping.columns import COLUMNS, Column, find_column
from certify.sweeping.database import guard, open_for_reading, quoted
from certify.sweeping.details import Detail, unpack
from certify.sweeping.filters import Filter, parse_filter, parse_order
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.number import parse_count

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answers", "results"]

_PIECES = 256  # of details that are kept unpacked
MAX_ROWS = 2**63 - 1  # SQLite counts no further

Names: TypeAlias = "str | Iterable[str] | None"


def results(file: str | Path) -> Answers:
    """The results of sweeps that are in `file`, also while a sweep writes it.

    Raises `InputError` for a file that is no results file, is damaged, or is of another version.
    """
    return Answers(Path(file))


class Answers:
    """The rows of a results file; a context manager.

    `where` is a condition or several (`certify.sweeping.filters`), `sort` names columns (a - before one: the greatest
    first), `columns` those that are wanted (default: those in which some row has a value), `limit` the most rows.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._connection: sqlite3.Connection = open_for_reading(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._connection.close()

    def count(self, where: str | Iterable[str] | None = None) -> int:
        """How many rows meet the condition."""
        chosen = parse_filter(where)
        (found,) = next(self._select("count(*)", chosen, ""))
        return int(found)

    def columns(self, columns: Names = None, *, all_of_them: bool = False) -> list[Column]:
        """The columns of these names; of None those in which some row of the file has a value, without `id`,
        `finished` and `producer` unless `all_of_them` are wanted.
        """
        if columns is not None:
            names = columns.split(",") if isinstance(columns, str) else list(columns)
            chosen = [find_column(name.strip()) for name in names]
            if not chosen:
                raise InputError("columns", "nothing", "the names of columns")
            return list(dict.fromkeys(chosen))
        with guard(self.path, "read"):
            filled = {name for (name,) in self._connection.execute("SELECT name FROM filled")}
        filled |= {"question", "status"}  # of every row, also where there is none yet
        left_out = () if all_of_them else ("id", "finished", "producer")
        return [column for column in COLUMNS if column.name in filled and column.name not in left_out]

    def rows(
        self,
        where: str | Iterable[str] | None = None,
        *,
        columns: Names = None,
        sort: str | Iterable[str] | None = None,
        limit: int | None = None,
        exact: bool = False,
        details: bool = False,
    ) -> Iterator[dict[str, Any]]:
        """The rows, each a dictionary by the names of the columns, one by one.

        Numbers are as in JSON: one that binary64 does not hold exactly is its exact text.  exact: every one that is not
        whole is its exact text.  details: add `answer`, the whole answer that the function of `certify` gave, and
        `job`.
        """
        chosen = self.columns(columns)
        names = ", ".join(quoted(column.name) for column in chosen)
        names += ', "number", "piece"' * details
        pieces = lru_cache(maxsize=_PIECES)(self._piece)
        for row in self._select(names, parse_filter(where), _tail(sort, limit)):
            found = {column.name: column.shown(entry, exact=exact) for column, entry in zip(chosen, row, strict=False)}
            if details:
                number, piece = row[-2:]
                job, answer = pieces(piece)[number]
                found |= {"job": json.loads(job), "answer": None if answer is None else json.loads(answer)}
            yield found

    def _select(self, what: str, chosen: Filter, tail: str) -> Iterator[tuple[Any, ...]]:
        """Run a query of ours: what a user brings is in the filter's parameters alone."""
        query = f"SELECT {what} FROM results WHERE {chosen.sql}{tail}"
        with guard(self.path, "read"):
            yield from self._connection.execute(query, chosen.parameters)

    def _piece(self, piece: int) -> dict[int, Detail]:
        """The jobs and answers of some rows, by the number of the row.  Raises `InputError` for damage."""
        with guard(self.path, "read"):
            try:
                (packed,) = self._connection.execute("SELECT packed FROM details WHERE piece = ?", (piece,)).fetchone()
                return unpack(packed)
            except (TypeError, ValueError) as error:
                raise sqlite3.DatabaseError(f"the answers of piece {piece} cannot be read") from error

    def numbers(
        self, x: str, y: str, by: str, *, where: str | Iterable[str] | None = None
    ) -> Iterator[tuple[float, float, str]]:
        """(the nearest binary64 of `x`, that of `y`, the text of `by`) of the rows in which all three have a value."""
        columns = [find_column(name) for name in (x, y, by)]
        chosen = parse_filter(where)
        known = " AND ".join(f"{quoted(column.name)} IS NOT NULL" for column in columns)
        chosen = Filter(f"{chosen.sql} AND {known}", chosen.parameters)
        names = f"{quoted(columns[0].near)}, {quoted(columns[1].near)}, {quoted(columns[2].name)}"
        for place, value, line in self._select(names, chosen, ' ORDER BY "number"'):
            yield place, value, _plain(columns[2].shown(line, exact=True))

    def write_csv(
        self,
        file: IO[str],
        where: str | Iterable[str] | None = None,
        *,
        columns: Names = None,
        sort: str | Iterable[str] | None = None,
        limit: int | None = None,
    ) -> int:
        """Write the rows as CSV, exact numbers as texts, absent values empty; how many there were."""
        chosen = self.columns(columns)
        names = [column.name for column in chosen]
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(names)
        count = 0
        for row in self.rows(where, columns=names, sort=sort, limit=limit, exact=True):
            writer.writerow([_plain(row[name]) for name in names])
            count += 1
        return count

    def to_dataframe(
        self,
        where: str | Iterable[str] | None = None,
        *,
        columns: Names = None,
        sort: str | Iterable[str] | None = None,
        limit: int | None = None,
    ) -> pd.DataFrame:
        """The rows as a DataFrame of pandas.

        Whole numbers are of type Int64 where all fit, else Python's (object); a column of other exact numbers (C, g,
        base) has the nearest binary64 and, beside it, the exact texts as `C_exact`.  Raises `UnsupportedError` without
        pandas.
        """
        try:
            import pandas as pd
        except ImportError as error:
            raise UnsupportedError("a DataFrame needs pandas: pip install 'fpcert[data]'") from error
        chosen = self.columns(columns, all_of_them=True)
        entries = [name for column in chosen for name in dict.fromkeys((column.name, column.near))]
        listed = ", ".join(map(quoted, entries))
        rows = list(self._select(listed, parse_filter(where), _tail(sort, limit)))
        series = dict(zip(entries, zip(*rows, strict=True) if rows else [()] * len(entries), strict=True))
        found: dict[str, Any] = {}
        for column in chosen:
            values = list(series[column.name])
            if column.kind == "integer":
                found[column.name] = _whole(pd, values)
            elif column.exact:
                found[column.name] = pd.Series(list(series[column.near]), dtype="float64")
                texts = [None if value is None else str(value) for value in values]
                found[f"{column.name}_exact"] = pd.Series(texts, dtype="string")
            elif column.kind == "hash":
                found[column.name] = pd.Series([column.shown(value) for value in values], dtype="string")
            elif column.kind == "flag":
                found[column.name] = pd.Series([None if v is None else bool(v) for v in values], dtype="boolean")
            else:
                found[column.name] = pd.Series(values, dtype="float64" if column.kind == "seconds" else "string")
        return pd.DataFrame(found)

    def write_parquet(
        self,
        file: str | Path,
        where: str | Iterable[str] | None = None,
        *,
        columns: Names = None,
        sort: str | Iterable[str] | None = None,
        limit: int | None = None,
    ) -> int:
        """Write the DataFrame as a Parquet file, whole numbers beyond 64 bits as texts; how many rows there were."""
        frame = self.to_dataframe(where, columns=columns, sort=sort, limit=limit)
        for name in frame.columns:
            if str(frame[name].dtype) == "object":
                frame[name] = frame[name].map(lambda value: None if value is None else str(value)).astype("string")
        try:
            frame.to_parquet(Path(file), index=False)
        except ImportError as error:
            raise UnsupportedError("Parquet files need pyarrow: pip install 'fpcert[data]'") from error
        except OSError as error:
            raise FpcertError(f"cannot write {str(file)!r}: {error}") from error
        return len(frame)


def _whole(pd: Any, values: Sequence[Any]) -> Any:
    if all(value is None or isinstance(value, int) for value in values):
        return pd.Series(list(values), dtype="Int64")
    return pd.Series([None if value is None else int(value) for value in values], dtype=object)


def _tail(sort: str | Iterable[str] | None, limit: int | None) -> str:
    most = "" if limit is None else f" LIMIT {parse_count(limit, 'limit', least=0, most=MAX_ROWS)}"
    return f" ORDER BY {parse_order(sort)}{most}"


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
