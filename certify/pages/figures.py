"""The pictures of some rows: curves and heatmaps of bokeh, which can be zoomed and say what is under the mouse.

bokeh cannot change the scale of an axis: there is one figure for each kind and each choice of linear and logarithmic
scales.  The page makes the one that is asked for, and fills its sources (`page.js`).
"""

from __future__ import annotations

from itertools import product
from typing import Any

from certify.pages.parts import Rows

__all__ = ["chart_figures"]

_HEIGHT = 420  # pixels
_TOLD = 16  # columns that are told of what is under the mouse
_SCALES = ("linear", "log")


def chart_figures(rows: Rows) -> dict[str, Any]:
    """The figures, by texts such as "curves linear log": the kind, the scale across, that of the values."""
    found = {}
    for across, values in product(_SCALES, repeat=2):
        found[f"curves {across} {values}"] = _curves(rows, across, values)
        found[f"heatmap {across} {values}"] = _heatmap(rows, across, values)
    return found


def _curves(rows: Rows, across: str, values: str) -> Any:
    """The source `lines` has a curve in each row, `points` a point of them, which tells its row."""
    from bokeh.models import ColumnDataSource, Legend, LegendItem

    plot = _figure(x_axis_type=across, y_axis_type=values)
    lines = ColumnDataSource({name: [] for name in ("xs", "ys", "ink", "dash", "label")}, name="lines")
    points = ColumnDataSource({name: [] for name in ("x", "y", "ink")}, name="points")
    drawn = plot.multi_line("xs", "ys", source=lines, line_color="ink", line_dash="dash", line_width=1.5)
    dots = plot.scatter("x", "y", source=points, size=5, color="ink")
    _tell(plot, rows, dots, point_policy="snap_to_data")
    item = LegendItem(label={"field": "label"}, renderers=[drawn])
    plot.add_layout(Legend(items=[item], label_text_font_size="9pt", border_line_color=None), "right")
    return plot


def _heatmap(rows: Rows, across: str, values: str) -> Any:
    """The source `cells` has a cell in each row; the model `colors` turns its value into a colour, none into grey."""
    from bokeh.models import ColorBar, ColumnDataSource, LinearColorMapper, LogColorMapper

    plot = _figure(x_axis_type=across, y_range=[])
    cells = ColumnDataSource({name: [] for name in ("group", "left", "right", "value")}, name="cells")
    mapper = (LogColorMapper if values == "log" else LinearColorMapper)(palette="Cividis256", nan_color="#dddddd")
    mapper.name = "colors"
    color: Any = {"field": "value", "transform": mapper}
    boxes = plot.hbar("group", 0.96, "right", "left", source=cells, fill_color=color, line_color=None)
    _tell(plot, rows, boxes)
    plot.add_layout(ColorBar(color_mapper=mapper, width=12, padding=4), "right")
    plot.ygrid.visible = False
    return plot


def _figure(**axes: Any) -> Any:
    from bokeh.plotting import figure

    plot = figure(
        name="figure", height=_HEIGHT, sizing_mode="stretch_width", tools="pan,box_zoom,wheel_zoom,reset,save", **axes
    )
    plot.toolbar.logo = None  # a link
    plot.axis.axis_label_text_font_style = "normal"
    return plot


def _tell(plot: Any, rows: Rows, renderer: Any, **how: Any) -> None:
    """Say the first columns of what is under the mouse: they are the fields `c<i> text` of the source."""
    from bokeh.models import HoverTool

    told = [(column.name, f"@{{c{place} text}}") for place, column in enumerate(rows.columns[:_TOLD])]
    plot.add_tools(HoverTool(renderers=[renderer], tooltips=told, attachment="horizontal", **how))
