"""A results file as it is read: rows by filter, in any order, as Python values, a DataFrame or CSV."""

from __future__ import annotations

import csv
from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import IO, TYPE_CHECKING, Any, Self, TypeAlias

from certify.sweeping.columns import COLUMNS, Column, find_column
from certify.sweeping.row_reader import RowReader
from certify.sweeping.verified import PLACE
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.number import parse_number

if TYPE_CHECKING:
    import pandas as pd

__all__ = ["Answers", "results"]

Names: TypeAlias = "str | Iterable[str] | None"


def results(file: str | Path) -> Answers:
    """The results of sweeps that are in `file`, also while a sweep writes it.

    Raises `InputError` for a file that is no results file, is damaged, or is of another version.
    """
    return Answers(Path(file))


class Answers:
    """The rows of a results file; a context manager.

    What is read is as it was written, and what a condition leaves out was looked at too, or `InputError` is raised.

    `where` is a condition or several (`certify.sweeping.filters`), `sort` names columns (a - before one: the greatest
    first), `columns` those that are wanted (default: those in which some row has a value), `limit` the most rows.
    """

    def __init__(self, path: Path) -> None:
        self.path = path
        self._reader = RowReader(path)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Close the file."""
        self._reader.close()

    @contextmanager
    def snapshot(self) -> Iterator[None]:
        """All that is read inside is of one moment, also where a sweep writes: counts and rows agree.

        A sweep that begins meanwhile waits for its end, 10 seconds at most.
        """
        with self._reader.snapshot():
            yield

    def count(self, where: str | Iterable[str] | None = None) -> int:
        """How many rows meet the condition."""
        return self._reader.count(where)

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
        filled = self._reader.filled()
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
        with self.snapshot():
            places = [(column, PLACE[column.name]) for column in self.columns(columns)]
            for number, row in self._reader.rows(where, sort, limit):
                found = {column.name: column.shown(row[place], exact=exact) for column, place in places}
                yield found | self._reader.details(number, row) if details else found

    def numbers(
        self, x: str, y: str, by: str, *, where: str | Iterable[str] | None = None
    ) -> Iterator[tuple[float, float, str]]:
        """(the nearest binary64 of `x`, that of `y`, the text of `by`) of the rows in which all three have a value."""
        columns = [find_column(name) for name in (x, y, by)]
        places = [PLACE[columns[0].near], PLACE[columns[1].near], PLACE[columns[2].name]]
        for _, row in self._reader.rows(where):
            place, value, line = (row[at] for at in places)
            if None not in (place, value, line):
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
        writer = csv.writer(file, lineterminator="\n")
        count = 0
        with self.snapshot():
            names = [column.name for column in self.columns(columns)]
            writer.writerow(names)
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
        with self.snapshot():
            chosen = self.columns(columns, all_of_them=True)
            rows = [row for _, row in self._reader.rows(where, sort, limit)]
        series = {name: [row[PLACE[name]] for row in rows] for column in chosen for name in (column.name, column.near)}
        found: dict[str, Any] = {}
        for column in chosen:
            values = series[column.name]
            if column.kind == "integer":
                found[column.name] = _whole(pd, values)
            elif column.exact:
                found[column.name] = pd.Series(series[column.near], dtype="float64")
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
    return pd.Series([None if value is None else int(parse_number(value)) for value in values], dtype=object)


def _plain(value: Any) -> str:
    if value is None:
        return ""
    return str(value).lower() if isinstance(value, bool) else str(value)
