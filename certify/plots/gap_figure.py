"""The picture of a gap curve: how the gap falls as the length grows, and where it falls below f_large."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from certify.certified_range.result import CertifiedRange
from certify.plots.figure_file import INK, drawable, new_figure
from certify.plots.gap_data import GapCurve
from fpsim.number import parse_number

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

__all__ = ["gap_figure", "head_title", "range_text", "short"]

_LABELS = 12
_LOG_FROM = 200  # from this length on the length has a logarithmic axis


def gap_figure(curve: GapCurve) -> Figure:
    """A figure of the realized and the exact gap against the length, with f_large and N_max.

    Raises `UnsupportedError` when matplotlib is not there, or for numbers beyond binary64.
    """
    result = curve.result
    assert result.f_large is not None  # `gap_curve` has refused it otherwise
    threshold = drawable(result.f_large)
    lengths = [drawable(point.length) for point in curve.points]  # a float holds 10^30, to 16 digits
    gaps = [drawable(point.gap) for point in curve.points]
    exact = [drawable(point.exact) for point in curve.points]
    positive = [y for y in (*gaps, *exact, threshold) if y > 0]
    floor, top = min(positive) / 3, max(positive) * 8

    figure = new_figure()
    axes = figure.add_subplot()
    axes.set_yscale("log")
    axes.set_ylim(floor / 2, top)
    if lengths[-1] > _LOG_FROM:
        axes.set_xscale("log")
    else:
        axes.locator_params(axis="x", integer=True)
    every = curve.kind == "every query"
    marker = None if every and len(lengths) > 1 else "o"  # a single point has no line
    axes.plot(
        lengths, exact, drawstyle="steps-post", color=INK["exact"], linestyle="--",
        label="exact arithmetic: $C\\,(1-\\max\\,\\cos gn)$",
    )  # fmt: skip
    axes.plot(
        lengths, [max(y, floor) if y == y else y for y in gaps], drawstyle="steps-post", color=INK["realized"],
        linewidth=1.8, marker=marker, markersize=4,
        label=f"realized in {result.dtype}: least gap so far" + ("" if every else " (near-returns only)"),
    )  # fmt: skip
    _mark_failures(axes, lengths, gaps, floor)
    axes.axhline(threshold, color=INK["threshold"], label=f"$f_{{large}}$ = {short(threshold)}, the gap that is needed")
    _mark_range(axes, result, lengths)
    _label_records(axes, curve, floor)
    axes.set_xlabel("length $L$ (queries up to position $L+1$)")
    axes.set_ylabel("least score gap, target minus competitor")
    axes.set_title(f"{head_title(result)}, C = {scale_text(result)}: {range_text(result)}", fontsize=11)
    axes.grid(visible=True, alpha=0.25)
    figure.legend(fontsize=8, loc="outside lower center", ncols=2)
    return figure


def head_title(result: CertifiedRange) -> str:
    """The head in words."""
    realized = "" if result.realize == "ideal" else f", rotation by {result.realize}"
    return f"Head that looks {result.k} back in {result.dtype}{realized}: g = {result.g}"


def scale_text(result: CertifiedRange) -> str:
    """C, exact when it is short."""
    text = str(result.C)
    return text if len(text) <= 7 else short(float(parse_number(text)))


def range_text(result: CertifiedRange) -> str:
    """N_max, or what is known of it."""
    if result.status == "exact":
        return f"$N_{{max}}$ = {result.n_max:,}" + ("" if result.usable else " (below k: not usable)")
    if result.status == "between":
        return f"{result.lower:,} $\\leq N_{{max}} \\leq$ {result.upper:,}"
    return f"$N_{{max}} \\geq$ {result.lower:,}"


def short(x: float) -> str:
    """A number for a label: at most 6 digits.

    >>> short(17.34375), short(1e12)
    ('17.3438', '1e12')
    """
    return f"{x:.6g}".replace("e+0", "e").replace("e+", "e").replace("e-0", "e-")


def _mark_failures(axes: Axes, lengths: list[float], gaps: list[float], floor: float) -> None:
    """Marks at the lower edge for what has no place on a logarithmic axis."""
    kinds = (
        ("v", "realized gap of 0 or less (a tie or worse)", [L for L, y in zip(lengths, gaps, strict=True) if y <= 0]),
        ("x", "a score that is not finite (overflow)", [L for L, y in zip(lengths, gaps, strict=True) if y != y]),
    )
    for marker, label, places in kinds:
        if places:
            axes.plot(
                places, [floor] * len(places), linestyle="none", marker=marker, markersize=5, color=INK["realized"],
                markerfacecolor="white", markevery=max(1, len(places) // 25), label=label,
            )  # fmt: skip


def _mark_range(axes: Axes, result: CertifiedRange, lengths: list[float]) -> None:
    if result.lower < lengths[0]:
        return
    axes.axvline(float(result.lower), color=INK["mark"], linestyle=":", linewidth=1.2)
    axes.annotate(
        range_text(result), (float(result.lower), 0.98), xycoords=("data", "axes fraction"), xytext=(-4, -2),
        textcoords="offset points", ha="right", va="top", fontsize=9,
    )  # fmt: skip


def _label_records(axes: Axes, curve: GapCurve, floor: float) -> None:
    """The latest records by their n, with a dot, leaving out those that would stand on one another."""
    chosen: list[tuple[float, float, int]] = []
    logarithmic = axes.get_xscale() == "log"
    first, last = curve.points[0].length, curve.points[-1].length
    least = {point.length: point.gap for point in curve.points}
    span = math.log(last / max(first, 1)) if logarithmic else max(last - first, 1)
    for record, exact in reversed(list(zip(curve.records, curve.exact_records, strict=True))):
        length = record.i - 1
        y = max(drawable(least.get(length, record.gap)), exact, floor)
        if not first <= length <= last or y != y:
            continue
        x = math.log(length) if logarithmic else float(length)
        if all(abs(x - other) > 0.05 * span for other, _, _ in chosen) and len(chosen) < _LABELS:
            chosen.append((x, y, record.n))
            _label(axes, float(length), y, record.n)
    # room for the last label
    axes.set_xlim(right=math.exp(math.log(last) + 0.2 * span) if logarithmic else last + 0.12 * span)
    if first == last:
        axes.set_xlim(first - 1, last + 1)


def _label(axes: Axes, x: float, y: float, n: int) -> None:
    """A dot at (x, y) and n beside it: above the level part of the curve, clear of its fall at x."""
    axes.annotate(
        f"n={n:,}" if n < 10**12 else f"n = {short(n)}",
        (x, y),
        xytext=(4, 4),
        textcoords="offset points",
        color=INK["mark"],
        fontsize=8,
    )
    axes.plot([x], [y], linestyle="none", marker=".", markersize=5, color=INK["mark"])
