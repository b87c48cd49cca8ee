"""The picture of an audit: each component's positions of interest, and how far its angle is off."""

from __future__ import annotations

import math
import textwrap
from typing import TYPE_CHECKING

from certify.auditing.components import AuditedComponent
from certify.auditing.result import Audit
from certify.plots.figure_file import INK, new_figure

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["audit_figure"]

_LEAST_ERROR = 1e-10  # what is smaller is drawn there
_ORANGE = "#A66C00"


def audit_figure(result: Audit) -> Figure:
    """A figure with two panels for each kind of layer: against the component its wavelength, first collision and N_max,
    with the length and the position where the head breaks; and the angle error at the end and at most.

    Raises `UnsupportedError` when matplotlib is not there.
    """
    figure = new_figure()
    layers = list(result.schedules)
    figure.set_size_inches(12.0, 5.2 * len(layers))
    panels = figure.subplots(len(layers), 2, squeeze=False)
    heads = {head.layer: head for head in result.heads}
    for (left, right), layer in zip(panels, layers, strict=True):
        members = [one for one in result.components if one.period.layer == layer]
        first = members[0].period.number
        at = [one.period.number - first for one in members]
        head = heads.get(layer)
        failure = None if head is None else head.first_failure
        _draw_positions(left, at, members, result.length, None if failure is None else failure.i)
        _draw_errors(right, at, members)
        for axes in (left, right):
            axes.set_xlabel("component" + ("" if layer is None else f" of {layer}"))
            axes.grid(visible=True, alpha=0.25)
            axes.legend(fontsize=8, loc="upper center", bbox_to_anchor=(0.5, -0.13), ncols=3, frameon=False)
    from certify.auditing.explanation import headline

    figure.suptitle(textwrap.fill(headline(result), 130), fontsize=11, parse_math=False)
    return figure


def _draw_positions(
    axes: Axes, at: list[int], members: list[AuditedComponent], length: int, breaks: int | None
) -> None:
    axes.set_yscale("log")
    axes.axhline(length, color=INK["exact"], linestyle=":", label=f"the length, {length}")
    if breaks is not None:
        axes.axhline(breaks, color=INK["threshold"], linewidth=2.0, label=f"the head breaks, {breaks}")
    waves = [(x, one.wavelength) for x, one in zip(at, members, strict=True) if one.wavelength is not None]
    if waves:
        axes.plot(*zip(*waves, strict=True), color=INK["exact"], linestyle="--", label="wavelength $2\\pi/\\theta$")
    marks = (
        ("first collision", "o", INK["mark"], [one.period.collision.pair for one in members]),
        ("N_max for k = 1, plus 1", "D", INK["realized"], [_range_mark(one) for one in members]),
    )
    for label, marker, colour, found in marks:
        points = [
            (x, mark[1] if isinstance(mark, tuple) else mark)
            for x, mark in zip(at, found, strict=True)
            if mark is not None
        ]
        if points:
            axes.plot(
                *zip(*points, strict=True), marker=marker, linestyle="none", color=colour, markersize=5,
                markerfacecolor="none", label=label,
            )  # fmt: skip
    axes.set_ylim(0.7, None)
    axes.set_ylabel("position")


def _range_mark(one: AuditedComponent) -> int | None:
    """N_max + 1, so that 0 has a place on a logarithmic axis."""
    return None if one.range is None or one.range.n_max is None else one.range.n_max + 1


def _draw_errors(axes: Axes, at: list[int], members: list[AuditedComponent]) -> None:
    axes.set_yscale("log")
    known = [(x, one.error) for x, one in zip(at, members, strict=True) if one.error is not None]
    most = [(x, error.greatest.size) for x, error in known if error.greatest is not None]
    last = [(x, error.last) for x, error in known if error.last is not None]
    for points, label, colour, style in (
        (most, "the greatest up to the length", INK["realized"], "-"),
        (last, "at the last position", _ORANGE, "none"),
    ):
        if points:
            xs, errors = zip(*((x, max(error, _LEAST_ERROR)) for x, error in points), strict=True)
            marker = "o" if style == "none" else None
            axes.plot(xs, errors, color=colour, linestyle=style, marker=marker, markersize=4, label=label)
    axes.axhline(math.pi, color=INK["exact"], linestyle=":", label="$\\pi$: the opposite direction")
    axes.set_ylim(None, 10.0)
    axes.set_ylabel(f"error of the realized angle, in radians (at least {_LEAST_ERROR:.0e})")
