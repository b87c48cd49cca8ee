"""`fpcert audit`: what the realized rotations of a model do, a thin layer over `certify.audit`."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import click

from fpcert.options import common_options, page_option
from fpcert.output import emit, write
from fpcert.plotting import check_file
from fpcert.progress import Progress

if TYPE_CHECKING:
    from certify.auditing.result import Audit

__all__ = ["command"]

UNDECIDED = 3


@click.command(
    "audit",
    epilog="Example: fpcert audit llama-3.1-8b\n\nA stack: fpcert audit qwen3-8b --pipeline all-bf16 --length 4096 "
    "--plot audit.png\n\nA file: fpcert audit config.json --dtype fp16 --json",
)
@click.argument("model", metavar="MODEL")
@click.option("--dtype", metavar="F", help="The data type of the model; default: that of its configuration, else fp16.")
@click.option("--pipeline", metavar="NAME", help="The stack; default: that of the model's code, else transformers.")
@click.option("--length", type=int, metavar="L", help="How many positions; default: the configuration's greatest.")
@click.option(
    "--plot", metavar="FILE", callback=check_file, help="Draw the components: FILE.png, FILE.svg or FILE.pdf."
)
@page_option
@common_options
def command(
    model: str,
    dtype: str | None,
    pipeline: str | None,
    length: int | None,
    plot: str | None,
    html: str | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Audit the rotations of a model: MODEL is a name (a wrong one lists them) or a Hugging Face config.json.

    For each component its wavelength, verdict, first collision, angle error and N_max; for each kind of layer where a
    head that looks one position back breaks; and which stages would have to be kept in fp32, found by trying them. Exit
    code 3 means that something is undecided within the limits, or that Ctrl-C came; what is known is shown.
    """
    _check_different(model, plot, html, output_file)
    from certify.auditing.compute import audit

    with Progress(f"auditing {model}", total=1000, quiet=quiet) as progress:
        seen = 0

        def report(done: int, _total: int) -> None:
            nonlocal seen
            progress.advance(max(0, done - seen))
            seen = max(seen, done)

        result = audit(model, dtype=dtype, pipeline=pipeline, length=length, progress=report)
    shown: dict[str, Any] = result.to_json()
    try:
        if plot is not None:
            _draw(result, plot)
        if html is not None:
            from certify.auditing.page import audit_page

            write(audit_page(result), html)
    finally:  # the answer stands, whatever becomes of its pictures
        emit(shown, as_json, output_file, text=str(result))
    return UNDECIDED if result.undecided else 0


def _check_different(model: str, *files: str | None) -> None:
    """Refuse, before the work, to write one file twice, or over the configuration."""
    from fpsim.models.named import is_file_name

    taken = {Path(model).resolve()} if is_file_name(model) else set()
    for name in filter(None, files):
        path = Path(name).resolve()
        if path in taken:
            raise click.UsageError(f"{name!r} is given twice; give each file a name of its own.")
        if path.is_file() or not path.exists():  # a device takes as much as is written there
            taken.add(path)


def _draw(result: Audit, plot: str) -> None:
    from certify.plots.audit_figure import audit_figure
    from certify.plots.figure_file import save_figure

    save_figure(audit_figure(result), plot)
