"""A grid of the results of a sweep: one value for each place across and each line, for curves and heatmaps."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from certify.sweeping.answers import Answers
from certify.sweeping.columns import find_column
from fpsim.errors import InputError

__all__ = ["SweepGrid", "sweep_grid"]

MOST_LINES = 200


@dataclass(frozen=True)
class SweepGrid:
    """The values of the column `y`, by that of `by` (a line) and that of `x` (a place, the nearest binary64).

    folded: whether several rows fell on one place of one line; the least value stands there.
    """

    x: str
    y: str
    by: str
    lines: Mapping[str, Mapping[float, float]]
    folded: bool = False

    @property
    def places(self) -> list[float]:
        """All places, rising."""
        return sorted({place for line in self.lines.values() for place in line})

    def to_json(self) -> dict[str, Any]:
        """The names, and each line as a list of [place, value]."""
        lines = {name: [[place, line[place]] for place in sorted(line)] for name, line in self.lines.items()}
        return {"x": self.x, "y": self.y, "by": self.by, "lines": lines, "folded": self.folded}


def sweep_grid(
    answers: Answers, *, x: str = "C", y: str = "n_max", by: str = "dtype", where: str | Iterable[str] | None = None
) -> SweepGrid:
    """The grid of the rows that meet the condition and have a value in all three columns.

    Where axes other than `x` and `by` vary, several rows fall together and the least `y` counts.  Raises `InputError`
    for a column that is not of numbers, for no rows, and for more than 200 lines.
    """
    for name in (x, y):
        column = find_column(name)
        if not column.exact and column.kind != "seconds":
            raise InputError("plot", name, "a column of numbers, such as C, k, base, n_max or period")
    lines: dict[str, dict[float, float]] = {}
    folded = False
    for place, value, text in answers.numbers(x, y, by, where=where):
        line = lines.setdefault(text, {})
        folded = folded or place in line
        line[place] = min(value, line.get(place, value))
    if not lines:
        raise InputError("plot", "no rows", f"rows with values in {x}, {y} and {by}")
    if len(lines) > MOST_LINES:
        raise InputError(
            "plot", f"{len(lines)} values of {by}", f"at most {MOST_LINES} lines: choose some with --where"
        )
    told = find_column(by)
    names = sorted(lines, key=lambda text: told.key(told.stored(text)) if told.exact else text)
    return SweepGrid(x, y, by, {name: lines[name] for name in names}, folded)
