"""`fpcert completions`: click's own completion script, printed."""

from __future__ import annotations

import click
from click.shell_completion import get_completion_class

from fpcert.options import common_options
from fpcert.output import emit

__all__ = ["command", "completion_script"]


def completion_script(shell: str) -> str:
    """The script that makes `shell` (bash, zsh or fish) complete `fpcert`."""
    from fpcert.main import program

    kind = get_completion_class(shell)
    assert kind is not None, shell
    return kind(program, {}, "fpcert", "_FPCERT_COMPLETE").source()


@click.command(epilog='Example: eval "$(fpcert completions bash)"')
@click.argument("shell", type=click.Choice(["bash", "zsh", "fish"]))
@common_options
def command(shell: str, as_json: bool, output_file: str | None, quiet: bool) -> None:
    """Print a completion script for SHELL."""
    del quiet  # it says nothing but its result
    script = completion_script(shell)
    emit({"shell": shell, "script": script}, as_json, output_file, text=script)
