"""The picture of a realized schedule: from where on its components repeat, and how far its rotations are off."""

from __future__ import annotations

import math
import textwrap
from collections.abc import Callable
from typing import TYPE_CHECKING, Any

from certify.plots.figure_file import INK, new_figure
from certify.plots.gap_data import to_float
from certify.plots.gap_figure import short
from certify.plots.period_data import ErrorCurve, PeriodCurve, PeriodRow

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["period_figure"]

_FARTHEST = 1e13  # what lies beyond is drawn at the edge
# The rest of the colours that INK is taken from, two of them as tints.
_GREEN, _ORANGE, _PALE_BLUE, _PALE_ORANGE, _PALE_GREY = "#009E73", "#A66C00", "#A9D8F2", "#F6D49B", "#E4E4E4"
_CURVES = ((INK["realized"], "-"), (_GREEN, "--"), (INK["threshold"], "-."))


def period_figure(curve: PeriodCurve) -> Figure:
    """A figure of two panels: the components against the position, and the angle error against the position.

    Raises `UnsupportedError` when matplotlib is not there.
    """
    figure = new_figure()
    figure.set_size_inches(12.0, 6.0)
    left, right = figure.subplots(1, 2)
    _draw_rows(left, curve.rows)
    _draw_errors(right, curve)
    figure.suptitle(textwrap.fill(curve.title, 130), fontsize=11, parse_math=False)
    for axes in (left, right):
        axes.grid(visible=True, alpha=0.25)
        if axes.get_legend_handles_labels()[0]:
            axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.12), ncols=2, frameon=False)
    return figure


def _draw_rows(axes: Axes, rows: tuple[PeriodRow, ...]) -> None:
    edge = _edge(rows)
    axes.set_xscale("log")
    axes.set_xlim(0.8, edge)
    margin = 1.5 if len(rows) == 1 else 0.6
    axes.set_ylim(-margin, len(rows) - 1 + margin)
    if len(rows) > 8:
        axes.locator_params(axis="y", integer=True)
    else:
        axes.set_yticks(range(len(rows)))
    for colour, label, belongs in _BANDS:
        _band(axes, [row for row in rows if belongs(row)], edge, colour, label)
    waves = [(row.wavelength, row.component) for row in rows if row.wavelength is not None]
    if waves:
        thin: dict[str, Any] = {
            "color": INK["exact"],
            "linestyle": "--",
            "linewidth": 1.2,
            "label": "wavelength $2\\pi/\\theta$",
        }
        if len(rows) <= 8:
            lengths, at = zip(*waves, strict=True)
            axes.vlines(lengths, [y - 0.4 for y in at], [y + 0.4 for y in at], **thin)
        else:
            axes.plot(*zip(*_broken(waves), strict=True), **thin)
    size = 9.0 if len(rows) <= 16 else 5.0
    for label, of, style in _MARKS:
        marks = [(to_float(x), row.component) for row in rows if (x := of(row)) is not None]
        _marks(axes, marks, edge, label, {"markersize": size, "linestyle": "none", **style})
    axes.set_xlabel("position")
    axes.set_ylabel("component")


def _broken(waves: list[tuple[float, int]]) -> list[tuple[float, float]]:
    """The line of wavelengths, with a gap where they fall: there another kind of layer begins, or no order was meant.

    >>> _broken([(6.3, 0), (63.0, 1), (6.3, 2)])
    [(6.3, 0), (63.0, 1), (nan, nan), (6.3, 2)]
    """
    line: list[tuple[float, float]] = []
    for length, at in waves:
        if line and length < line[-1][0]:
            line.append((math.nan, math.nan))
        line.append((length, at))
    return line


def _stays(row: PeriodRow) -> bool:
    return row.verdict.verdict != "window-only" and row.verdict.eventual_period == 1


def _repeats(row: PeriodRow) -> bool:
    return row.verdict.verdict != "window-only" and (row.verdict.eventual_period or 0) > 1


_BANDS: tuple[tuple[str, str, Callable[[PeriodRow], bool]], ...] = (
    (_PALE_ORANGE, "stays at one block for ever", _stays),
    (_PALE_BLUE, "repeats for ever", _repeats),
    (_PALE_GREY, "undecided", lambda row: row.verdict.verdict == "undecided"),
    (_PALE_GREY, "the positions that were given", lambda row: row.verdict.verdict == "window-only"),
)


def _collision(row: PeriodRow) -> int | None:
    return None if row.first_collision is None else row.first_collision[1]


def _period(row: PeriodRow) -> int | None:
    """The period, or the eventual one where it says more than the band does."""
    verdict = row.verdict
    if verdict.verdict == "window-only":
        return None
    if verdict.period is not None:
        return verdict.period
    return verdict.eventual_period if verdict.eventual_period != 1 else None


def _window_period(row: PeriodRow) -> int | None:
    return row.verdict.period if row.verdict.verdict == "window-only" else None


_MARKS: tuple[tuple[str, Callable[[PeriodRow], int | None], dict[str, Any]], ...] = (
    ("period", _period, {"marker": "D", "color": INK["realized"]}),
    (
        "period of the window that was given",
        _window_period,
        {"marker": "D", "color": INK["realized"], "markerfacecolor": "none"},
    ),
    (
        "first block that was met before",
        _collision,
        {"marker": "o", "color": INK["mark"], "markerfacecolor": "none", "markeredgewidth": 1.2},
    ),
    (
        "from here on it repeats (pre-period)",
        lambda row: row.verdict.preperiod or None,
        {"marker": "|", "color": _ORANGE, "markeredgewidth": 2.5},
    ),
    (
        "leaves the value set: NaN",
        lambda row: row.verdict.leaves_F_at,
        {"marker": "x", "color": INK["threshold"], "markeredgewidth": 2.0},
    ),
)


def _edge(rows: tuple[PeriodRow, ...]) -> float:
    """The right end of the axis of positions, a power of ten."""
    known = [10.0]
    for row in rows:
        marks = [row.wavelength, *(of(row) for _, of, _ in _MARKS)]
        marks.append(row.known)
        known += [to_float(x) for x in marks if x is not None and 0 < to_float(x) <= _FARTHEST]
    return 10.0 ** math.ceil(math.log10(max(known)) + 0.3)


def _band(axes: Axes, rows: list[PeriodRow], edge: float, colour: str, label: str) -> None:
    """A band from where each component repeats to the edge, or to where an array ends."""
    begins = [max(to_float(row.verdict.preperiod or 0), 0.8) for row in rows]
    ends = [edge if row.known is None else min(edge, max(1.0, row.known - 1.0)) for row in rows]
    bars = [(row.component, a, b - a) for row, a, b in zip(rows, begins, ends, strict=True) if a < b]
    if bars:
        at, left, width = zip(*bars, strict=True)
        height = 0.9 if axes.get_ylim()[1] < 20 else 1.0  # so that many bars are one area
        axes.barh(at, width, left=left, height=height, color=colour, linewidth=0, label=label, zorder=0)


def _marks(axes: Axes, marks: list[tuple[float, int]], edge: float, label: str, style: dict[str, Any]) -> None:
    """Marks; those beyond the axis as arrows at its end, with their positions in the legend."""
    inside = [(max(x, 1.0), y) for x, y in marks if x < edge]
    if inside:
        axes.plot(*zip(*inside, strict=True), label=label, **style)
    beyond = [x for x, _ in marks if x >= edge]
    if beyond:
        least, most = _power_text(min(beyond)), _power_text(max(beyond))
        where = least if least == most else f"{least} to {most}"
        style = style | {
            "marker": ">",
            "markeredgewidth": 0,
            "clip_on": False,
            "label": f"{label}, beyond the edge at {where}",
        }
        axes.plot([edge] * len(beyond), [y for x, y in marks if x >= edge], **style)


def _power_text(x: float) -> str:
    """A large number for a label.

    >>> _power_text(3.4e38)
    '$3.4\\\\cdot 10^{38}$'
    """
    if math.isinf(x):
        return "more than $10^{308}$"
    digits, exponent = f"{x:.1e}".split("e")
    return f"${digits}\\cdot 10^{{{int(exponent)}}}$"


def _draw_errors(axes: Axes, curve: PeriodCurve) -> None:
    axes.set_xscale("log")
    axes.set_yscale("log")
    least, most = math.pi, 10.0
    names = ("fastest", "middle", "slowest") if len(curve.curves) == 3 else ("", "", "")
    for one, name, (colour, style) in zip(curve.curves, names, _CURVES, strict=False):
        points = [(last, error) for _, last, error in one.ranges if error > 0]
        label = _curve_label(one, name, curve.rows[one.component].wavelength)
        if not points:
            axes.plot([], [], color=colour, linestyle=style, label=f"{label}, below $10^{{-15}}$")
            continue
        positions, errors = zip(*points, strict=True)
        axes.plot(positions, errors, color=colour, linestyle=style, linewidth=1.8, label=label)
        least, most = min(least, *errors), max(most, *positions)
    if curve.curves:
        axes.axhline(math.pi, color=INK["exact"], linestyle=":", label="$\\pi$: the opposite direction")
    axes.set_xlim(0.8, most * 1.25)
    axes.set_ylim(min(least / 3, 0.01), 10.0)
    axes.set_xlabel("position (the greatest error of each quarter of an octave)")
    axes.set_ylabel("error of the realized angle, in radians")
    if not curve.curves:
        axes.text(0.5, 0.5, "no exact angles to compare with", ha="center", transform=axes.transAxes, fontsize=9)


def _curve_label(curve: ErrorCurve, name: str, wavelength: float | None) -> str:
    theta = "0" if wavelength is None else short(float(f"{2 * math.pi / wavelength:.4g}"))
    return f"component {curve.component}{f' ({name})' if name else ''}: $|\\theta|$ = {theta}"
