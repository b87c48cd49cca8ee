"""Where a picture goes: a PNG, SVG or PDF file.  matplotlib, which is an extra, is imported here and nowhere else."""

from __future__ import annotations

import math
from pathlib import Path
from typing import TYPE_CHECKING

from certify.plots.gap_data import to_float
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.rounding.reference import Element

if TYPE_CHECKING:
    from matplotlib.figure import Figure

__all__ = ["ENDINGS", "INK", "check_ending", "drawable", "new_figure", "save_figure"]

ENDINGS = (".png", ".svg", ".pdf")

# Colours that are told apart without red-green vision and in grey (M. Okabe, K. Ito, Color Universal Design, 2008).
INK = {"realized": "#0072B2", "exact": "#777777", "threshold": "#D55E00", "mark": "#000000"}


def new_figure() -> Figure:
    """An empty figure.  Raises `UnsupportedError` when matplotlib is not there."""
    try:
        from matplotlib.figure import Figure
    except ImportError as error:
        raise UnsupportedError("plots need matplotlib: pip install 'fpcert[plot]'") from error
    return Figure(figsize=(8.0, 5.0), layout="constrained")


def check_ending(file: str | Path) -> Path:
    """The path, if its ending is one that can be written.

    >>> check_ending("gap.jpg")
    Traceback (most recent call last):
    ...
    fpsim.errors.InputError: plot: cannot take gap.jpg; it should be the name of a file that ends in .png, .svg or .pdf
    """
    path = Path(file)
    if path.suffix.lower() not in ENDINGS:
        raise InputError("plot", str(file), "the name of a file that ends in .png, .svg or .pdf")
    return path


def save_figure(figure: Figure, file: str | Path) -> None:
    """Write the figure; the ending chooses the format.  The same figure gives the same bytes, without a date."""
    path = check_ending(file)
    kind = path.suffix.lower()[1:]
    metadata = {"svg": {"Date": None}, "pdf": {"CreationDate": None}}.get(kind)
    try:
        figure.savefig(path, format=kind, dpi=150, metadata=metadata)
    except OSError as error:
        raise FpcertError(f"cannot write {str(path)!r}: {error.strerror or error}") from error


def drawable(x: Element) -> float:
    """The number for an axis; NaN stays NaN, which leaves a gap in a line."""
    value = to_float(x)
    if math.isinf(value):
        raise UnsupportedError("no plot: its numbers are beyond the range of binary64, in which matplotlib draws")
    return value
