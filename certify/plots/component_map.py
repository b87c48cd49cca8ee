"""A sweep of periods, one cell for each schedule and component: where a block first comes again, and the verdict."""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from certify.plots.figure_file import new_figure
from certify.sweeping.answers import Answers
from fpsim.errors import InputError

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["Cell", "ComponentMap", "component_figure", "component_map"]

_MARKS = {"periodic": "p", "window-only": "w", "undecided": "?"}
_KEY = {"periodic": "p: periodic", "window-only": "w: known in a window only", "undecided": "?: undecided"}
_VARIED = ("config", "length", "base", "dim", "theta", "dtype", "realize", "pipeline", "window", "resonance")
MOST_LINES = 200


@dataclass(frozen=True)
class Cell:
    """A component: its verdict, and the first position whose block an earlier one has; None: none is known."""

    verdict: str
    again: int | None


@dataclass(frozen=True)
class ComponentMap:
    """The components, by a text that tells the schedules apart, sorted by their parameters."""

    lines: Mapping[str, tuple[Cell, ...]]

    def to_json(self) -> dict[str, Any]:
        """{"lines": {schedule: [[verdict, position or null], ...]}}."""
        return {"lines": {name: [[cell.verdict, cell.again] for cell in line] for name, line in self.lines.items()}}


def component_map(answers: Answers, *, where: str | Iterable[str] | None = None) -> ComponentMap:
    """The components of the answered questions about periods that meet the condition.

    Raises `InputError` for none, and for more than 200.
    """
    found = answers.rows(where, columns=("question", *_VARIED), sort=_VARIED, details=True)
    rows = [row for row in found if row["question"] == "period" and row["answer"]]
    if not rows:
        raise InputError("plot", "no rows", "answered rows of a sweep of periods")
    if len(rows) > MOST_LINES:
        raise InputError("plot", f"{len(rows)} schedules", f"at most {MOST_LINES} lines: choose some with --where")
    varied = [name for name in _VARIED if len({row[name] for row in rows}) > 1]
    lines = {}
    for row in rows:
        name = ", ".join(f"{key} {row[key]}" for key in varied if row[key] is not None) or row["answer"]["schedule"]
        while name in lines:  # they differ in an axis that has no room here
            name = f"{name} '"
        lines[name] = tuple(_cell(component) for component in row["answer"]["components"])
    return ComponentMap(lines)


def _cell(component: Mapping[str, Any]) -> Cell:
    pair = component["first_collision"]
    return Cell(component["verdict"], None if pair is None else pair[1])


def component_figure(found: ComponentMap) -> Figure:
    """A figure of the cells: colours for the positions, white for none; p, w and ? for what is periodic, known in a
    window only, or undecided (any other is not periodic).  Raises `UnsupportedError` when matplotlib is not there.
    """
    figure = new_figure()
    from matplotlib.colors import LogNorm
    from matplotlib.ticker import MaxNLocator

    figure.set_figheight(max(figure.get_figheight(), 0.2 * len(found.lines) + 1.5))  # inches: the names need room
    axes = figure.add_subplot()
    longest = max(len(line) for line in found.lines.values())
    cells = [[math.nan if c.again is None else float(c.again) for c in line] for line in found.lines.values()]
    cells = [line + [math.nan] * (longest - len(line)) for line in cells]
    known = [value for line in cells for value in line if not math.isnan(value)]
    edges = [place - 0.5 for place in range(longest + 1)]
    norm = LogNorm(min(known, default=1), max(max(known, default=10), min(known, default=1) + 1))
    mesh = axes.pcolormesh(edges, [line - 0.5 for line in range(len(cells) + 1)], cells, cmap="cividis", norm=norm)
    for place, line in enumerate(found.lines.values()):
        for component, cell in enumerate(line):
            if cell.verdict in _MARKS:
                dark = cell.again is not None and norm(cell.again) < 0.5
                ink = "white" if dark else "black"
                axes.text(component, place, _MARKS[cell.verdict], color=ink, ha="center", va="center", fontsize=7)
    axes.set_yticks(range(len(cells)), labels=list(found.lines))
    axes.invert_yaxis()
    axes.xaxis.set_major_locator(MaxNLocator(integer=True))
    seen = {cell.verdict for line in found.lines.values() for cell in line}
    key = "; ".join(text for verdict, text in _KEY.items() if verdict in seen)
    axes.set_xlabel("component, from the fastest" + (f" ({key})" if key else ""))
    figure.colorbar(mesh, label="first position with a block that came before")
    return figure
