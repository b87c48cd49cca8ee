"""The entry point: the table of subcommands, and what becomes of every way to end.

A command returns its exit code, or None for 0.  Every exception ends here, so that a user meets a traceback only when
asking for one with `--debug`:

| what ends the command | exit code |
|---|---|
| it returns | its own: 0, 1 or 3 (README) |
| a usage error, `FpcertError` | 2 |
| `UnsupportedError` | 4 |
| any other exception | 70 |
| Ctrl-C | 130 |
| the reader of standard output went away | 141, as for a program ended by SIGPIPE |
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Sequence
from typing import Any

import click

from fpcert.lazy import LazyGroup
from fpcert.options import debug_option, wants_debug

__all__ = ["COMMANDS", "main", "program"]

USAGE, UNSUPPORTED, INTERNAL, INTERRUPTED, BROKEN_PIPE = 2, 4, 70, 130, 141

COMMANDS = {
    "audit": "Audit a model's rotations, and say what to keep in fp32.",
    "check": "Check certificates, with nothing but integer arithmetic.",
    "classify": "Decide which logics describe a regular language, with proofs.",
    "compile": "Make a transformer that decides a formula exactly.",
    "completions": "Print a completion script for bash, zsh or fish.",
    "design": "Find a head, or the smallest format, for a wanted length.",
    "env": "Print the versions and the machine, for a bug report.",
    "export": "Write the claim of a certificate as files for Coq.",
    "format": "Describe a number format: its size, range and thresholds.",
    "modulus": "Find the moduli that a rotary head decides at all lengths.",
    "nmax": "Find the largest length at which a k-offset head works.",
    "period": "Decide whether a realized schedule repeats, for all positions.",
    "report": "Write the results of sweeps as one web page.",
    "reproduce": "Redo a table of the paper, and name the differences.",
    "results": "Show, filter and export the results of sweeps.",
    "round": "Round exact values into a number format.",
    "run": "Run a transformer on words, every operation rounded.",
    "sweep": "Ask a question at every point of a grid, on all cores.",
    "trace": "Show what a head attends to, and where rounding mattered.",
    "verify": "Compare a model with the language of a formula or a DFA.",
}


class _ReaderGoneError(Exception):
    """A BrokenPipeError by a name that click does not turn into exit code 1, which here is an answer."""


class Program(LazyGroup):
    """The group `fpcert`, which turns what a command raises into a message and an exit code."""

    def make_context(self, *arguments: Any, **options: Any) -> click.Context:
        """Parse the group's own options, among them those that print and exit."""
        try:
            return super().make_context(*arguments, **options)
        except BrokenPipeError as error:
            raise _ReaderGoneError from error

    def invoke(self, ctx: click.Context) -> object:
        """Run the subcommand; its exit code, or that of the exception which ended it."""
        try:
            return super().invoke(ctx)
        except BrokenPipeError as error:
            raise _ReaderGoneError from error
        except (click.ClickException, click.exceptions.Exit):
            raise  # click's own ways to end: `_run` maps them
        except BaseException as error:  # noqa: BLE001 - the last line of defence: nothing may pass as a traceback
            return _report(error, debug=wants_debug(ctx))


def _show_version(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from importlib.metadata import version

        click.echo(f"fpcert {version('fpcert')}")
        ctx.exit()


def _show_citation(ctx: click.Context, _parameter: click.Parameter, wanted: bool) -> None:
    if wanted:
        from fpcert.citation import citation

        click.echo(citation())
        ctx.exit()


@click.group(
    cls=Program,
    table=COMMANDS,
    package="fpcert.commands",
    context_settings={"help_option_names": ["-h", "--help"], "max_content_width": 100},
    epilog="Example: fpcert nmax --g 1.0 --C 40 --dtype fp16 --k 1",
)
@click.option(
    "--version", is_flag=True, is_eager=True, expose_value=False, callback=_show_version, help="Print the version."
)
@click.option(
    "--cite", is_flag=True, is_eager=True, expose_value=False, callback=_show_citation, help="Print how to cite."
)
@debug_option
def program() -> None:
    """What rotary position embeddings can do in finite precision."""


def _report(error: BaseException, *, debug: bool) -> int:
    """Say on stderr what ended the command; the exit code for it."""
    if isinstance(error, KeyboardInterrupt):
        click.echo("Interrupted.", err=True)
        return INTERRUPTED
    if debug:
        traceback.print_exception(error)
    # Imported only now: `fpcert --help` needs nothing of fpsim.
    from fpsim.errors import FpcertError, UnsupportedError

    if isinstance(error, FpcertError):
        click.echo(f"Error: {error}", err=True)
        return UNSUPPORTED if isinstance(error, UnsupportedError) else USAGE
    click.echo(f"Internal error: {type(error).__name__}: {error}", err=True)
    if not debug:
        click.echo("This is a fault of fpcert. Please report it with the output of `fpcert env` and", err=True)
        click.echo("of the same command with --debug.", err=True)
    return INTERNAL


def _run(arguments: Sequence[str] | None) -> int:
    try:
        code = program.main(args=arguments, prog_name="fpcert", standalone_mode=False)
    except click.ClickException as error:
        error.show()
        return USAGE
    except _ReaderGoneError:
        return BROKEN_PIPE
    except click.Abort:  # Ctrl-C while the group's own options were read
        return INTERRUPTED
    except SystemExit as error:  # how click's shell completion ends
        return error.code if isinstance(error.code, int) else INTERNAL
    return code if isinstance(code, int) else 0


def main(arguments: Sequence[str] | None = None) -> int:
    """Run `fpcert` with these arguments (default: those of the process); the exit code."""
    code = _run(arguments)
    stdout: Any = sys.stdout
    if stdout is None:  # closed by whoever started this process: nothing to flush
        return code
    try:
        stdout.flush()
    except OSError as error:
        # Whatever is still in the buffer cannot be written: without this, the interpreter tries again and complains.
        os.dup2(os.open(os.devnull, os.O_WRONLY), stdout.fileno())
        if code == 0:
            code = BROKEN_PIPE if isinstance(error, BrokenPipeError) else USAGE
    return code
