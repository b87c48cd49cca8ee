"""The table of some rows: a DataTable of bokeh, which sorts by a click on the head of a column.

The page fills it: column number i of the rows is the field `c<i>`, numbers in binary64, by which it is sorted; the
texts that are shown in their place are the field `c<i> text` (`page.js`).
"""

from __future__ import annotations

import html
from typing import Any

from certify.pages.parts import Rows

__all__ = ["data_table"]

_ROW = 25  # pixels
_TALLEST = 20  # rows to be seen at a time
_CHARACTER = 7.5  # pixels
_WIDEST = 60  # characters of a column: a longer cell is cut off, and its column can be dragged wider


def data_table(rows: Rows) -> Any:
    """The table, its source called `rows` and empty, the filter of its rows called `filter`."""
    from bokeh.models import (
        CDSView,
        ColumnDataSource,
        DataTable,
        IndexFilter,
        InlineStyleSheet,
        StringFormatter,
        TableColumn,
    )

    columns = [
        TableColumn(
            field=f"c{place}",
            title=html.escape(column.name),  # bokeh takes a title as HTML, and a cell as text
            width=round(_CHARACTER * min(column.longest() + 1, _WIDEST)) + 24,
            formatter=StringFormatter(text_align="right" if column.numeric else "left", nan_format=""),
        )
        for place, column in enumerate(rows.columns)
    ]
    heads = ", ".join(
        f".slick-header-column:nth-child({place + 1}) .slick-column-name"
        for place, column in enumerate(rows.columns)
        if column.numeric
    )
    return DataTable(
        stylesheets=[InlineStyleSheet(css=f"{heads} {{ float: right; }}")] if heads else [],
        source=ColumnDataSource(name="rows"),
        view=CDSView(filter=IndexFilter(name="filter")),
        columns=columns,
        index_position=None,
        autosize_mode="none",
        reorderable=False,
        row_height=_ROW,
        sizing_mode="stretch_width",
        height=_ROW * (min(rows.count, _TALLEST) + 1) + 20,
        selectable=False,
    )
