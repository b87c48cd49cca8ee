"""Docstrings and help texts as they are written: plain text in which `this` is code.

They are no reStructuredText, where a `*` or `_` in a formula would be markup.  Here a paragraph keeps its words, what
stands between backticks becomes code, an example stays an example, and an indented block stays as it is.
"""

from __future__ import annotations

import re
from typing import Any

from sphinx.application import Sphinx

__all__ = ["as_rst", "setup"]

_CODE = re.compile(r"`+([^`]+)`+")
_MARKUP = re.compile(r"([\\*_|`])")


def _inline(text: str) -> str:
    parts = _CODE.split(text)  # text, code, text, code, .., text
    # "\ " after code ends the markup without a blank, so that `a`'s is no error.
    return "".join(
        f"``{part.strip()}``\\ " if place % 2 else _MARKUP.sub(r"\\\1", part) for place, part in enumerate(parts)
    )


def _blocks(lines: list[str]) -> list[list[str]]:
    """The lines between blank ones; an indented block goes on over blank lines."""
    blocks: list[list[str]] = [[]]
    for line in lines:
        if line.strip():
            blocks[-1].append(line)
        elif blocks[-1]:
            blocks.append([])
    return [block for block in blocks if block]


def as_rst(lines: list[str]) -> list[str]:
    r"""Plain text as reStructuredText that shows it.

    >>> as_rst(["The product `a * b`, or 2*pi."])
    ['The product ``a * b``\\ , or 2\\*pi.', '']
    """
    shown: list[str] = []
    for block in _blocks(lines):
        if block[0].startswith(">>> "):
            shown += block
        elif block[0].startswith((" ", "|")):  # drawn as it stands: a formula, a table
            shown += ["::", "", *("    " + line for line in block)]
        else:
            # As one line: a code between backticks may go over the end of one.
            shown.append(_inline(" ".join(line.strip() for line in block)))
        shown.append("")
    return shown


def _docstring(_app: Sphinx, what: str, _name: str, _thing: Any, _options: Any, lines: list[str]) -> None:
    lines[:] = as_rst(lines)


def setup(app: Sphinx) -> dict[str, Any]:
    """Show docstrings so."""
    app.connect("autodoc-process-docstring", _docstring)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
