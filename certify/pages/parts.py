"""What a page is made of: headings, paragraphs, and rows shown as a table and as pictures."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, TypeAlias

from certify.pages.series import Series
from fpsim.errors import InputError

__all__ = ["MAX_ROWS", "Chart", "Heading", "Paragraph", "Part", "Rows"]

MAX_ROWS = 100_000  # of one table: a browser on a small machine still sorts and draws them within seconds


@dataclass(frozen=True)
class Heading:
    """A heading within the page; any text, which is shown as it is."""

    text: str


@dataclass(frozen=True)
class Paragraph:
    """A paragraph; any text, which is shown as it is."""

    text: str


@dataclass(frozen=True)
class Chart:
    """What the picture of some rows shows at first; whoever looks at the page can choose otherwise.

    x, y: names of columns of numbers.  by: the column that tells the curves, or the lines of cells of a heatmap, apart;
    None: one curve.  log_x, log_y: whether the scale of x, and that of y (of a heatmap: of the colours), is
    logarithmic; None for x: where the greatest is more than 50 times the least and all are positive.
    """

    x: str
    y: str
    by: str | None = None
    kind: Literal["curves", "heatmap"] = "curves"
    log_x: bool | None = None
    log_y: bool = False


@dataclass(frozen=True)
class Rows:
    """Columns of the same length, shown as a sortable table and, with a chart, as a picture above it.

    What the filter of the page leaves out is left out of both.  Raises `InputError` for columns of different lengths,
    for none, for more than 100,000 rows, and for a chart of columns that are not there or are no numbers.
    """

    columns: Sequence[Series]
    chart: Chart | None = None
    table: bool = True

    def __post_init__(self) -> None:
        counts = {len(column.values) for column in self.columns}
        if len(counts) != 1:
            raise InputError("columns", f"lengths {sorted(counts)}", "at least one column, and all of one length")
        if self.count > MAX_ROWS:
            raise InputError("page", f"{self.count} rows", f"at most {MAX_ROWS} rows in one table")
        if self.chart is None:
            return
        for name, needs_numbers in ((self.chart.x, True), (self.chart.y, True), (self.chart.by, False)):
            right = [column.name for column in self.columns if column.numeric or not needs_numbers]
            if name is not None and name not in right:
                raise InputError("chart", name, f"one of the columns {', '.join(right) or '(none has numbers)'}")

    @property
    def count(self) -> int:
        """How many rows there are."""
        return len(self.columns[0].values)


Part: TypeAlias = Heading | Paragraph | Rows
