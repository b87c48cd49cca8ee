"""The picture of stagnating sums of ones: weights of a head with equal scores, which stop falling."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING

from certify.plots.figure_file import INK, drawable, new_figure
from certify.plots.stagnation_data import UniformWeights
from fpsim.errors import InputError
from fpsim.number import readable

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["stagnation_figure"]

# The rest of the colours that INK is taken from, with different strokes, so that grey prints tell them apart too.
_STYLES = (
    (INK["realized"], "-"),
    (INK["threshold"], "-."),
    ("#009E73", "-"),
    ("#CC79A7", "-."),
    ("#A66C00", "-"),
    ("#56B4E9", "-."),
)


def stagnation_figure(curves: Sequence[UniformWeights]) -> Figure:
    """Weights against the number of keys, both logarithmic, beside the exact 1/n.

    Raises `UnsupportedError` when matplotlib is not there, `InputError` for more curves than there are colours.
    """
    if not 1 <= len(curves) <= len(_STYLES):
        raise InputError("curves", len(curves), f"between 1 and {len(_STYLES)}")
    figure = new_figure()
    axes = figure.add_subplot()
    longest = max(len(curve.weights) for curve in curves)
    axes.set_xscale("log", base=2)
    axes.set_yscale("log", base=2)
    every = range(1, longest + 1)
    axes.plot(every, [1 / n for n in every], color=INK["exact"], linestyle="--", label="exact: 1/n")
    for curve, (colour, style) in zip(curves, _STYLES, strict=False):
        limit = "" if curve.stagnation is None else f": the sum of ones stays at {readable(curve.stagnation)}"
        numbers = [drawable(w) if w != 0 else float("nan") for w in curve.weights]
        axes.plot(
            range(1, len(numbers) + 1), numbers, color=colour, linestyle=style, linewidth=1.8,
            label=f"{curve.dtype}{limit}",
        )  # fmt: skip
    axes.set_xlabel("keys of equal score")
    axes.set_ylabel("weight of each")
    axes.set_title("A head with equal scores: its weights stop falling where the denominator stagnates", fontsize=11)
    axes.grid(visible=True, alpha=0.25)
    axes.legend(fontsize=9)
    return figure
