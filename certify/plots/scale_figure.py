"""The picture of N_max against the scale C: the staircase of the near-returns, and where rounding ends it."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from certify.plots.figure_file import INK, drawable, new_figure
from certify.plots.gap_figure import short
from certify.plots.scale_data import ScaleCurve, ScalePoint
from certify.rotation.near_returns import iter_records
from fpsim.angle import Angle

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["scale_figure"]

_LOG_FROM = 60  # from this range on N_max has a logarithmic axis


def scale_figure(curve: ScaleCurve) -> Figure:
    """A figure of the certified range against the scale, realized and in exact arithmetic.

    Raises `UnsupportedError` when matplotlib is not there, or for numbers beyond binary64.
    """
    figure = new_figure()
    axes = figure.add_subplot()
    scales = [drawable(point.scale) for point in curve.points]
    ranges = [drawable(point.lower) for point in curve.points]
    ideal = [drawable(point.ideal) if point.ideal is not None else float("nan") for point in curve.points]
    axes.set_xscale("log")
    if max(ranges) > _LOG_FROM:
        # a linear part for the ranges 0 and 1, wide enough for its ticks
        axes.set_yscale("symlog", linthresh=1, linscale=max(0.4, 0.06 * math.log10(max(*ranges, 10))))
        axes.set_ylim(-0.5, 3 * max(*ranges, *(N for N in ideal if N == N)))
    axes.plot(scales, ideal, drawstyle="steps-mid", color=INK["exact"], linestyle="--", label="exact arithmetic")
    axes.plot(
        scales, ranges, drawstyle="steps-mid", color=INK["realized"], linewidth=1.8, label=f"realized in {curve.dtype}"
    )
    open_ends = [(C, N) for C, N, point in zip(scales, ranges, curve.points, strict=True) if point.upper != point.lower]
    if open_ends:
        axes.plot(
            *zip(*open_ends, strict=True), linestyle="none", marker="^", color=INK["realized"], markerfacecolor="white",
            label="at least this (the search ended at its limit)",
        )  # fmt: skip
    _label_steps(axes, curve, [*ranges, *(N for N in ideal if N == N)])
    best = max(range(len(ranges)), key=lambda at: ranges[at])
    axes.plot([scales[best]], [ranges[best]], linestyle="none", marker="o", color=INK["threshold"],
              label=f"greatest: {_range_text(curve.points[best])} at C = {short(scales[best])}")  # fmt: skip
    asked = [
        (C, N, point) for C, N, point in zip(scales, ranges, curve.points, strict=True) if point.scale == curve.asked
    ]
    for C, N, point in asked:
        axes.plot([C], [N], linestyle="none", marker="D", markersize=6, color=INK["mark"],
                  label=f"C = {short(C)}: {_range_text(point)}")  # fmt: skip
    axes.set_xlabel("scale $C$")
    axes.set_ylabel("certified range $N_{max}$")
    criterion = "" if curve.criterion == "gap" else f", criterion {curve.criterion}"
    realized = "" if curve.realize == "ideal" else f", rotation by {curve.realize}"
    axes.set_title(
        f"Head that looks {curve.k} back in {curve.dtype}{realized}: g = {curve.g}, "
        f"$f_{{large}}$ = {short(float(curve.f_large))}{criterion}",
        fontsize=11,
    )
    axes.grid(visible=True, alpha=0.25)
    figure.legend(fontsize=8, loc="outside lower center", ncols=2)
    return figure


def _range_text(point: ScalePoint) -> str:
    relation = "=" if point.lower == point.upper else "$\\geq$"
    return f"$N_{{max}}$ {relation} {point.lower:,}"


def _label_steps(axes: Axes, curve: ScaleCurve, ranges: list[float]) -> None:
    """The levels n + k - 2 of the record near-returns n, at the right edge."""
    top = max(ranges)
    logarithmic = axes.get_yscale() != "linear"

    def height(level: float) -> float:
        """Where the level stands on the axis, between 0 and about 1."""
        return math.log1p(level) / math.log1p(top) if logarithmic else level / top

    last = -1.0
    for n in iter_records(Angle.parse(curve.g)):
        level = n + curve.k - 2
        if level > top:
            break
        if level < curve.k or height(level) - last < 0.04:
            continue
        last = height(level)
        axes.annotate(
            f"n={n:,}" if n < 10**12 else f"n = {short(n)}",
            (1.005, level),
            xycoords=("axes fraction", "data"),
            fontsize=8,
            va="center",
            color=INK["mark"],
        )
        axes.axhline(level, color=INK["mark"], linewidth=0.5, linestyle=":", alpha=0.6)
