"""Formulas as MathML, which browsers draw themselves: the pages need neither a script nor a network.

The translation from LaTeX is that of docutils.  It covers what the pages use; of anything else it is a warning, and
so an error of the build.
"""

from __future__ import annotations

import re
from typing import Any

from docutils import nodes
from docutils.utils.math import MathError
from docutils.utils.math.latex2mathml import tex2mathml
from sphinx.application import Sphinx
from sphinx.util import logging

__all__ = ["setup"]

# Commands that docutils lacks, by what it has.
_SAME = {r"\iff": r"\Longleftrightarrow", r"\implies": r"\Longrightarrow"}
# Bars that docutils does not make a pair: browsers would draw the right one lower, and with the blanks of a relation.
_BAR = re.compile(r"(?<!\\left)(?<!\\right)\\(l|r)([vV]ert)\b")
_SIDE = {"l": r"\left", "r": r"\right"}


def _translated(node: nodes.Node, *, as_block: bool) -> str:
    text = node.astext().strip()
    if text.startswith(("^", "_")):  # an exponent of what stands before the formula
        text = "{}" + text
    for command, same in _SAME.items():
        text = text.replace(command, same)
    text = _BAR.sub(lambda bar: rf"{_SIDE[bar[1]]}\{bar[1]}{bar[2]}", text)
    try:
        return tex2mathml(text, as_block=as_block)
    except MathError as error:
        logging.getLogger(__name__).warning("%s in the formula %r", error, text, location=node)
        return f"<code>{nodes.Text(text)}</code>"


def _inline(translator: Any, node: nodes.math) -> None:
    translator.body.append(_translated(node, as_block=False))
    raise nodes.SkipNode


def _display(translator: Any, node: nodes.math_block) -> None:
    translator.body.append(f'<div class="math">{_translated(node, as_block=True)}</div>')
    raise nodes.SkipNode


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the renderer `mathml`."""
    app.add_html_math_renderer("mathml", (_inline, None), (_display, None))
    return {"parallel_read_safe": True, "parallel_write_safe": True}
