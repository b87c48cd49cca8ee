"""The picture of a trace: exact and realized weights of a head side by side, and their difference."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import numpy as np

from certify.plots.figure_file import INK, new_figure
from certify.plots.gap_data import to_float
from certify.plots.gap_figure import short
from fpsim.errors import InputError
from fpsim.operands import Array
from fpsim.tracing import Trace

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["weight_matrices", "weights_figure"]

_LETTERS = 32  # up to so many positions each is labelled
_UNSEEN, _BROKEN = "#E4E4E4", "#CC79A7"


def weight_matrices(trace: Trace) -> tuple[Array, Array]:
    """(exact, realized) weights in binary64, shape (rows, positions); NaN where a query does not see a key, and where
    there is no number (a NaN weight, no exact counterpart).

    >>> from certify.counterexamples import uniform_head
    >>> from fpsim.tracing import trace
    >>> weight_matrices(trace(uniform_head("fp16", {"a": 1}), "a", 0, 0))[1].tolist()
    [[nan, nan, nan], [1.0, nan, nan], [0.5, 0.5, nan]]
    """
    shape = (len(trace.rows), len(trace.symbols))
    exact, realized = np.full(shape, np.nan), np.full(shape, np.nan)
    for n, row in enumerate(trace.rows):
        realized[n, : row.keys] = [to_float(w) for w in row.weights]
        if row.exact_weights:
            exact[n, : row.keys] = [float(w) for w in row.exact_weights]
    return exact, realized


def weights_figure(trace: Trace) -> Figure:
    """Three heatmaps, queries downwards and keys to the right: exact, realized, realized minus exact.  Of a single row
    the weights as lines.

    Grey: the query does not see the key.  Pink: no number (NaN).  The colours are told apart without red-green vision.
    Raises `UnsupportedError` when matplotlib is not there, `InputError` for a trace without rows that see a key.
    """
    if not any(row.keys for row in trace.rows):
        raise InputError("rows", [row.query for row in trace.rows], "at least one that sees a key")
    figure = new_figure()
    if len(trace.rows) == 1:
        _draw_row(figure, trace)
    else:
        _draw_maps(figure, trace)
    figure.suptitle(_title(trace), fontsize=11, parse_math=False)
    return figure


def _title(trace: Trace) -> str:
    word = trace.word if len(trace.word) <= 40 else trace.word[:37] + "..."
    return f'Weights of layer {trace.layer}, head {trace.head} on "{word}": {trace.precision}'


def _draw_maps(figure: Figure, trace: Trace) -> None:
    exact, realized = weight_matrices(trace)
    tall = min(1.0, len(trace.rows) / len(trace.symbols))
    figure.set_size_inches(15.0, max(3.0, 5.6 * tall))
    panels = figure.subplots(1, 3, sharey=True)
    both = np.concatenate([exact, realized])
    most = float(np.nanmax(both[np.isfinite(both)], initial=0.0)) or 1.0
    difference = realized - exact
    reach = float(np.nanmax(np.abs(difference[np.isfinite(difference)]), initial=0.0)) or 1.0
    seen = np.arange(len(trace.symbols)) < np.array([[row.keys] for row in trace.rows])
    shown: tuple[tuple[str, Array, dict[str, Any]], ...] = (
        ("exact", exact, {"cmap": "cividis", "vmin": 0.0, "vmax": most}),
        ("realized", realized, {"cmap": "cividis", "vmin": 0.0, "vmax": most}),
        ("realized minus exact", difference, {"cmap": "PuOr_r", "vmin": -reach, "vmax": reach}),
    )
    for axes, (title, numbers, style) in zip(panels, shown, strict=True):
        broken = seen & ~np.isfinite(numbers)
        _broken(axes, broken)
        image = axes.imshow(np.ma.masked_invalid(numbers), interpolation="nearest", aspect="auto", **style)
        axes.set_facecolor(_UNSEEN)
        figure.colorbar(image, ax=axes, shrink=0.85)
        axes.set_title(f"{title} (pink: no number)" if broken.any() else title, fontsize=10)
        axes.set_xlabel("key")
        _label(axes.xaxis, list(range(len(trace.symbols))), trace.symbols)
    panels[0].set_ylabel("query")
    _label(panels[0].yaxis, [row.query for row in trace.rows], trace.symbols)
    panels[2].text(
        0.98, 0.98, f"farthest off: {short(float(f'{reach:.3g}'))}" if np.any(difference[seen] != 0) else "equal",
        transform=panels[2].transAxes, ha="right", va="top", fontsize=9,
    )  # fmt: skip


def _broken(axes: Axes, where: Array) -> None:
    """A layer below the map: pink where there is no number to draw."""
    from matplotlib.colors import ListedColormap

    axes.imshow(
        np.ma.masked_where(~where, np.ones(where.shape)), cmap=ListedColormap([_BROKEN]),
        interpolation="nearest", aspect="auto",
    )  # fmt: skip


def _label(axis: Any, positions: list[int], symbols: tuple[str, ...]) -> None:
    """Positions with their letters where there are few, else some of the positions."""
    if len(positions) <= _LETTERS:
        axis.set_ticks(range(len(positions)), [f"{i} {symbols[i]}" for i in positions])
        axis.set_tick_params(labelsize=7, labelrotation=90 if axis.axis_name == "x" else 0)
    else:
        step = -(-len(positions) // 8)
        axis.set_ticks(range(0, len(positions), step), [str(i) for i in positions[::step]])


def _draw_row(figure: Figure, trace: Trace) -> None:
    (row,) = trace.rows
    exact, realized = weight_matrices(trace)
    axes = figure.add_subplot()
    keys = np.arange(row.keys)
    few = row.keys <= _LETTERS
    axes.plot(
        keys, exact[0, : row.keys], color=INK["exact"], linestyle="--", marker="o" if few else None,
        markerfacecolor="none", label="exact",
    )  # fmt: skip
    axes.plot(
        keys, realized[0, : row.keys], color=INK["realized"], marker="." if few else None,
        label="realized" + (" (some are NaN)" if np.isnan(realized[0, : row.keys]).any() else ""),
    )  # fmt: skip
    _label(axes.xaxis, list(range(row.keys)), trace.symbols)
    axes.set_xlabel(f"key seen by query {row.query} ({trace.symbols[row.query]})")
    axes.set_ylabel("weight")
    axes.grid(visible=True, alpha=0.25)
    axes.legend(fontsize=9)
