"""`--plot` and `--plot-scale` of `fpcert nmax`: what is refused before the work, and what is drawn after it."""

from __future__ import annotations

import importlib.util
from collections.abc import Callable
from typing import Any, TypeVar

import click

from fpcert.progress import Progress

__all__ = ["check_file", "draw_plots", "plot_options"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


def check_file(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse, before the work is done, a name that cannot be written and a missing matplotlib."""
    if value is None:
        return None
    from certify.plots.figure_file import check_ending, new_figure

    path = check_ending(value)
    if not path.parent.is_dir():
        raise click.BadParameter(f"the folder {str(path.parent)!r} does not exist.")
    if importlib.util.find_spec("matplotlib") is None:
        new_figure()  # says what to install
    return value


def plot_options(function: Decorated) -> Decorated:
    """Give a command `--plot FILE` and `--plot-scale FILE`."""
    for option in (
        click.option(
            "--plot-scale",
            metavar="FILE",
            callback=check_file,
            help="Draw N_max against the scale C, for this angle: FILE.png, FILE.svg or FILE.pdf.",
        ),
        click.option(
            "--plot",
            metavar="FILE",
            callback=check_file,
            help="Draw the gap against the length: FILE.png, FILE.svg or FILE.pdf.",
        ),
    ):
        function = option(function)
    return function


def draw_plots(result: Any, plot: str | None, plot_scale: str | None, *, quiet: bool) -> dict[str, Any]:
    """Draw what was asked for from an `nmax` result; the data behind it, as further keys of the JSON object."""
    if plot is None and plot_scale is None:
        return {}
    from certify.plots.figure_file import save_figure
    from certify.plots.gap_data import gap_curve
    from certify.plots.gap_figure import gap_figure
    from certify.plots.scale_data import scale_curve_of
    from certify.plots.scale_figure import scale_figure

    shown: dict[str, Any] = {}
    if plot is not None:
        gaps = gap_curve(result)
        save_figure(gap_figure(gaps), plot)
        shown["gap_curve"] = gaps.to_json()
    if plot_scale is not None:
        with Progress("scales", quiet=quiet) as progress:
            scales = scale_curve_of(result, progress=lambda _done, _total: progress.advance())
        save_figure(scale_figure(scales), plot_scale)
        shown["scale_curve"] = scales.to_json()
    return shown
