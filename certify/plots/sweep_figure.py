"""Pictures of a sweep: a curve for each line, or a heatmap."""

from __future__ import annotations

import itertools
import math
from typing import TYPE_CHECKING

from certify.plots.figure_file import new_figure
from certify.plots.sweep_data import SweepGrid
from fpsim.errors import UnsupportedError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["sweep_curves", "sweep_heatmap"]

# Colours that are told apart without red-green vision (M. Okabe, K. Ito, Color Universal Design, 2008).
_INKS = ("#0072B2", "#D55E00", "#009E73", "#CC79A7", "#E69F00", "#56B4E9", "#000000", "#777777")
_LOG_FROM = 50  # the ratio of the ends from which an axis is logarithmic
_LINE = 0.2  # inches for the name of a line of cells


def sweep_curves(grid: SweepGrid) -> Figure:
    """A figure with one curve for each line.  Raises `UnsupportedError` as `new_figure` does, and beyond binary64."""
    _check(grid)
    figure = new_figure()
    axes = figure.add_subplot()
    styles = itertools.cycle([(ink, dash) for dash in ("-", "--", ":") for ink in _INKS])
    for (name, line), (ink, dash) in zip(grid.lines.items(), styles, strict=False):
        places = sorted(line)
        values = [line[place] for place in places]
        axes.plot(places, values, color=ink, linestyle=dash, marker=".", markersize=4, label=f"{grid.by} {name}")
    if _is_wide(grid.places):
        axes.set_xscale("log")
    if _spans(grid):
        axes.set_yscale("symlog", linthresh=1)
        axes.set_ylim(bottom=-0.2)  # the values are not negative: the mirror image below 0 is left out
    axes.set_xlabel(grid.x)
    axes.set_ylabel(_label(grid))
    axes.grid(visible=True, alpha=0.25)
    if len(grid.lines) <= 24:
        figure.legend(fontsize=8, loc="outside lower center", ncols=4)
    return figure


def sweep_heatmap(grid: SweepGrid) -> Figure:
    """A figure with one row of cells for each line; a cell without a value is white."""
    _check(grid)
    figure = new_figure()
    figure.set_figheight(max(figure.get_figheight(), _LINE * len(grid.lines) + 1.5))
    from matplotlib.colors import SymLogNorm

    axes = figure.add_subplot()
    places, names = grid.places, list(grid.lines)
    wide = _is_wide(places)
    cells = [[grid.lines[name].get(place, math.nan) for place in places] for name in names]
    greatest = max(value for line in grid.lines.values() for value in line.values())
    norm = SymLogNorm(1, vmin=0, vmax=greatest, base=10) if _spans(grid) else None
    rows = [row - 0.5 for row in range(len(names) + 1)]
    mesh = axes.pcolormesh(_edges(places, wide), rows, cells, cmap="cividis", norm=norm)
    if wide:
        axes.set_xscale("log")
    axes.set_yticks(range(len(names)), labels=names)
    axes.invert_yaxis()
    axes.set_xlabel(grid.x)
    axes.set_ylabel(grid.by)
    figure.colorbar(mesh, label=_label(grid))
    return figure


def _label(grid: SweepGrid) -> str:
    return f"{grid.y} (the least of several rows)" if grid.folded else grid.y


def _spans(grid: SweepGrid) -> bool:
    """Whether the values, none of them negative, are told apart better on a logarithmic scale (linear below 1)."""
    values = [value for line in grid.lines.values() for value in line.values()]
    return min(values) >= 0 and max(values) > _LOG_FROM * max(1.0, min(values))


def _is_wide(places: list[float]) -> bool:
    return places[0] > 0 and places[-1] > _LOG_FROM * places[0]


def _edges(places: list[float], wide: bool) -> list[float]:
    """The ends of the cells: halfway between neighbours, on the axis as it is drawn."""
    at = [math.log(place) for place in places] if wide else places
    if len(at) == 1:
        half = 0.5
        edges = [at[0] - half, at[0] + half]
    else:
        inner = [(a + b) / 2 for a, b in itertools.pairwise(at)]
        edges = [at[0] - (inner[0] - at[0]), *inner, at[-1] + (at[-1] - inner[-1])]
    return [math.exp(edge) for edge in edges] if wide else edges


def _check(grid: SweepGrid) -> None:
    if any(math.isinf(number) for line in grid.lines.values() for pair in line.items() for number in pair):
        raise UnsupportedError("no plot: its numbers are beyond the range of binary64, in which matplotlib draws")
