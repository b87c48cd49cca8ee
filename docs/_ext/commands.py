"""The directive `commands`: the reference of the command line, from the click commands themselves.

    .. commands::

makes a section for each command of `fpcert.main.COMMANDS`: what it does, how it is called, each option with its help,
and the examples of `-h`.  So a page cannot differ from `--help`.
"""

from __future__ import annotations

import inspect
from typing import Any

import click
from docstrings import as_rst
from docutils import nodes
from docutils.statemachine import StringList
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective
from sphinx.util.nodes import nested_parse_with_titles

from fpcert.main import COMMANDS, program

__all__ = ["setup"]


def _indented(lines: list[str]) -> list[str]:
    return ["   " + line if line else "" for line in lines]


def _option(ctx: click.Context, option: click.Option) -> list[str]:
    """One option, its metavar as `-h` shows it, its help and its default."""
    spelled = option.get_help_record(ctx)
    if spelled is None:  # hidden
        return []
    names, text = spelled
    # Sphinx wants commas between the spellings of an option.
    spellings = [part.strip() for group in names.split(" / ") for part in group.split(", ")]
    return ["", f".. option:: {', '.join(spellings)}", "", *_indented(as_rst([text]))]


def _section(name: str, command: click.Command, parent: click.Context) -> list[str]:
    ctx = click.Context(command, info_name=name, parent=parent, help_option_names=["-h", "--help"])
    usage = ctx.command_path + " " + " ".join(command.collect_usage_pieces(ctx))
    shown = [name, "=" * len(name), "", f".. program:: {ctx.command_path}", ""]
    shown += ["::", "", *_indented([usage]), ""]
    shown += as_rst(inspect.cleandoc(command.help or "").splitlines())
    for parameter in command.get_params(ctx):
        if isinstance(parameter, click.Option):
            shown += _option(ctx, parameter)
    return [*shown, "", *_examples(command.epilog or "")]


def _examples(epilog: str) -> list[str]:
    """The paragraphs of an epilog; `Label: fpcert ...` is a command to copy."""
    shown: list[str] = []
    for paragraph in inspect.cleandoc(epilog.replace("\b\n", "\n")).split("\n\n"):
        label, _, example = paragraph.partition(": ")
        if example.startswith("fpcert "):
            command, *rest = example.splitlines()
            shown += [*as_rst([label + ":"]), "::", "", *_indented([command]), "", *as_rst(rest)]
        else:
            shown += as_rst(paragraph.splitlines())
    return shown


class Commands(SphinxDirective):
    """The sections of all commands."""

    def run(self) -> list[nodes.Node]:
        """Read what click knows of each command."""
        parent = click.Context(program, info_name="fpcert")
        lines: list[str] = []
        for name in COMMANDS:
            command = program.get_command(parent, name)
            assert command is not None
            lines += _section(name, command, parent)
        node = nodes.section()
        node.document = self.state.document
        nested_parse_with_titles(self.state, StringList(lines, source="fpcert.commands"), node)
        return node.children


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directive."""
    app.add_directive("commands", Commands)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
