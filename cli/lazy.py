"""A click group that imports a subcommand only when it runs.

The commands load numba, numpy and more, which takes about a second; the list of commands, a usage error and shell
completion need only their names and the short help, which stand in a table.
"""

from __future__ import annotations

import importlib
from collections.abc import Mapping
from typing import Any

import click
from click.shell_completion import CompletionItem

__all__ = ["LazyGroup"]


class LazyGroup(click.Group):
    """A group whose command NAME is the object `command` of the module `PACKAGE.NAME`.

    `table` gives the short help of each name, in the order in which the help lists them.
    """

    def __init__(self, *arguments: Any, table: Mapping[str, str], package: str, **options: Any) -> None:
        super().__init__(*arguments, **options)
        self.table = table
        self.package = package

    def list_commands(self, ctx: click.Context) -> list[str]:
        """The names, without importing anything."""
        return list(self.table)

    def get_command(self, ctx: click.Context, cmd_name: str) -> click.Command | None:
        """The command of that name, imported now; None when the table does not have it."""
        if cmd_name not in self.table:
            return None
        command = importlib.import_module(f"{self.package}.{cmd_name}").command
        assert isinstance(command, click.Command)
        return command

    def resolve_command(
        self, ctx: click.Context, args: list[str]
    ) -> tuple[str | None, click.Command | None, list[str]]:
        """As click does it, but an unknown name is answered with the names that exist."""
        name = args[0]
        if name not in self.table and not ctx.resilient_parsing and not name.startswith("-"):
            ctx.fail(f"There is no command {name!r}; the commands are {', '.join(self.table)}.")
        return super().resolve_command(ctx, args)

    def format_commands(self, ctx: click.Context, formatter: click.HelpFormatter) -> None:
        """The section "Commands" of the help, from the table."""
        with formatter.section("Commands"):
            formatter.write_dl(list(self.table.items()))

    def shell_complete(self, ctx: click.Context, incomplete: str) -> list[CompletionItem]:
        """Complete a command's name, from the table; the group's options as click does."""
        names = [CompletionItem(name, help=text) for name, text in self.table.items() if name.startswith(incomplete)]
        return names + click.Command.shell_complete(self, ctx, incomplete)
