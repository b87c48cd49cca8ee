"""`fpcert trace`: one head of a model on a word, realized and exact, a thin layer over `fpsim.tracing.trace`."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import Any

import click

from fpcert.options import common_options, precision_options
from fpcert.output import emit
from fpcert.plotting import check_file
from fpcert.rounding_note import rounding_noted

__all__ = ["command"]


def _row_numbers(_ctx: click.Context, _parameter: click.Parameter, values: tuple[str, ...]) -> list[int] | None:
    """Positions from texts such as "3" and "1,5-9"."""
    rows: list[int] = []
    for part in (part for value in values for part in value.split(",")):
        match = re.fullmatch(r"\s*([0-9]{1,9})(?:-([0-9]{1,9}))?\s*", part, re.ASCII)
        if match is None:
            raise click.BadParameter(f"{part!r} is no position; give numbers such as 7, or 3,5-9 for several.")
        first, last = int(match[1]), int(match[2] or match[1])
        if last < first or last - first >= 1 << 20:
            raise click.BadParameter(f"{part!r} is no range of positions: the first comes first.")
        rows += range(first, last + 1)
    return sorted(set(rows)) or None


@click.command(
    "trace",
    epilog="Example: fpcert trace model.safetensors abba --layer 0 --head 1 --plot weights.png\n\nOne query in detail: "
    "fpcert trace model.safetensors abba --layer 0 --head 1 --row 4",
)
@click.argument("model")
@click.argument("word")
@click.option("--layer", type=int, required=True, metavar="l", help="The layer, counted from 0.")
@click.option("--head", type=int, required=True, metavar="h", help="The head of the layer, counted from 0.")
@click.option(
    "--row", "rows", multiple=True, metavar="i[,i-i...]", callback=_row_numbers,
    help="Only these query positions (BOS is 0, EOS the last).",
)  # fmt: skip
@click.option(
    "--plot",
    metavar="FILE",
    callback=check_file,
    help="Draw exact and realized weights: FILE.png, FILE.svg or FILE.pdf.",
)
@precision_options
@click.option("--strict", is_flag=True, help="Refuse weights that are no values of F; default: round them and say so.")
@common_options
def command(
    model: str,
    word: str,
    layer: int,
    head: int,
    rows: list[int] | None,
    plot: str | None,
    strict: bool,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
    **precision: Any,
) -> int:
    """Show what a head of MODEL attends to in WORD, and every place where rounding mattered.

    For every query position: the key with the greatest score, the denominator, the weight and the output, each beside
    what it would be without rounding, from the same queries, keys and values; then overflow, NaN, underflow, stagnating
    sums, scores that become equal or change their order. MODEL and WORD are as in `fpcert run`.
    """
    from fpsim.tracing import trace
    from fpsim.transformer.files.model_file import load_model
    from fpsim.transformer.representable import representable

    with rounding_noted(quiet=quiet):
        loaded = load_model(model, strict=strict)
        asked = replace(loaded, precision=loaded.precision.changed(**precision))
        fitting = representable(asked, strict=strict)
    letters = word.split() if any(len(letter) > 1 for letter in loaded.alphabet) else word
    found = trace(fitting, letters, layer, head, rows=rows)
    if plot is not None:
        from certify.plots.figure_file import save_figure
        from certify.plots.weights_figure import weights_figure

        save_figure(weights_figure(found), plot)
    emit(found.to_json() if as_json else {}, as_json, output_file, text=str(found))
    return 0
