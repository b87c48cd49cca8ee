"""The options that every subcommand has.

    @click.command()
    @common_options
    def command(as_json: bool, output_file: str | None, quiet: bool) -> int | None: ...

`--debug` is not among the arguments: `fpcert.main` asks `wants_debug` when a command has ended in an exception.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from pathlib import Path
from typing import Any, TypeVar

import click

__all__ = ["certificate_option", "common_options", "debug_option", "page_option", "precision_options", "wants_debug"]

Decorated = TypeVar("Decorated", bound=Callable[..., Any])

_DEBUG = "fpcert.debug"


def wants_debug(ctx: click.Context) -> bool:
    """Whether `--debug` was given to the group or to the subcommand that ran under `ctx`."""
    return bool(ctx.meta.get(_DEBUG))


def _remember_debug(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        ctx.meta[_DEBUG] = True  # click shares `meta` between the group's context and the subcommand's


def _check_output(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """As `_check_file`; `-` is standard output."""
    return None if value == "-" else _check_file(_ctx, _parameter, value)


def _check_file(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> str | None:
    """Refuse a file that cannot be written before the work is done, not after it."""
    if value is None:
        return None
    path = Path(value)
    if path.is_dir():
        raise click.BadParameter(f"{value!r} is a folder; give the name of a file.")
    if not path.parent.is_dir():
        raise click.BadParameter(f"the folder {str(path.parent)!r} does not exist.")
    if not os.access(path if path.exists() else path.parent, os.W_OK):
        raise click.BadParameter(f"{value!r} cannot be written: permission denied.")
    return value


# Eager, so that it counts even when another option is wrong.
debug_option = click.option(
    "--debug", is_flag=True, is_eager=True, expose_value=False, callback=_remember_debug, help="Show tracebacks."
)


certificate_option = click.option(
    "--certificate",
    metavar="FILE",
    callback=_check_file,
    help="Write the claim as a certificate, for `fpcert check`; several claims as FILE-1, FILE-2, ...",
)

page_option = click.option(
    "--html", metavar="FILE", callback=_check_file, help="Write it as one web page too, which needs no network."
)


def precision_options(function: Decorated) -> Decorated:
    """Give a command what changes the precision of a model: `--dtype`, one for each stage, `--order`, `--dot`, `--fma`.

    The names are those of `fpsim.Precision.changed`.
    """
    stages = {
        "rotate": "the rotation's products and sums",
        "score": "the scores",
        "softmax": "the softmax",
        "output": "the weighted sum of the values",
        "linear": "matrix products, residual sums and norms",
    }
    orders = "sequential, reverse, pairwise, blocked:N, wide:F"
    for option in reversed(
        [
            click.option(
                "--dtype", metavar="F", help="Another value set, for every stage; default: that of the model."
            ),
            *(
                click.option(f"--{stage}-dtype", metavar="F", help=f"The value set of {words}.")
                for stage, words in stages.items()
            ),
            click.option("--order", metavar="ORDER", help=f"Sums over positions: {orders}."),
            click.option("--dot", metavar="ORDER", help="Sums over coordinates, likewise."),
            click.option("--fma/--no-fma", default=None, help="Fuse each product after the first into its sum."),
        ]
    ):
        function = option(function)
    return function


def common_options(function: Decorated) -> Decorated:
    """Give a command `--json`, `-o FILE`, `--quiet` and `--debug`."""
    for option in (
        debug_option,
        click.option("--quiet", is_flag=True, help="No progress and no notes."),
        click.option(
            "-o",
            "output_file",
            metavar="FILE",
            callback=_check_output,
            help="Write the result to FILE (`-`: standard output).",
        ),
        click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text."),
    ):
        function = option(function)
    return function
