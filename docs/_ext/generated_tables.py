"""Directives that make tables from the project's data: `formats-table`, `pipelines-table`, `models-table`.

A table in the reference is generated, so that it cannot differ from what the programs compute.
"""

from __future__ import annotations

from collections.abc import Iterable
from typing import Any

from docutils import nodes
from sphinx.application import Sphinx
from sphinx.util.docutils import SphinxDirective

from fpsim.facts import format_facts
from fpsim.formats import FORMATS, SHIPPED_GRIDS
from fpsim.models.named import model_names, named_model
from fpsim.number import decimal_text, exact_text
from fpsim.pipeline.named import ALIASES, PIPELINES
from fpsim.rounding.reference import Element

__all__ = ["setup"]

_FEW = 8  # characters of a number


def _table(head: Iterable[str], rows: Iterable[Iterable[str]]) -> str:
    """A table in Markdown."""
    head = list(head)
    lines = [head, ["---"] * len(head), *rows]
    return "\n".join("| " + " | ".join(cell.replace("|", r"\|") for cell in line) + " |" for line in lines) + "\n"


def _short(number: Element | None) -> str:
    """A number in the few characters that a column has: exact when it fits, 2^53, or 1.798...e+308."""
    if number is None or isinstance(number, float):
        return "none" if number is None else str(number)
    text = exact_text(number)
    if len(text) <= _FEW:
        return text
    if number.denominator == 1 and number.numerator & (number.numerator - 1) == 0:
        return f"2^{int(number.numerator.bit_length()) - 1}"
    return decimal_text(number, 7 if 1 <= number < 10**6 else 4)


def _sentence(note: str) -> str:
    return f"*Note:* {note}."


class _Generated(SphinxDirective):
    """A directive whose content is Markdown that `markdown` makes."""

    def run(self) -> list[nodes.Node]:
        """The nodes of the generated Markdown."""
        return self.parse_text_to_nodes(self.markdown(), allow_section_headings=True)

    def markdown(self) -> str:
        """What to show."""
        raise NotImplementedError


class FormatsTable(_Generated):
    """The named value sets with the facts of `fpsim.format_facts`."""

    def markdown(self) -> str:
        """One row for each named format and shipped grid."""
        head = ("name", "p", "exponents", "largest", "least positive", "overflow", "f_large", "sum of ones")
        rows = []
        for name in (*FORMATS, *SHIPPED_GRIDS):
            facts = format_facts(name)
            values = facts.values
            rows.append(
                (
                    f"`{name}`",
                    str(values.precision or ""),
                    f"{values.emin} to {values.emax}" if values.kind == "float" else "",
                    _short(values.max),
                    _short(values.min_positive),
                    values.overflow,
                    _short(facts.f_large),
                    _short(facts.stagnation),
                )
            )
        return _table(head, rows)


class PipelinesTable(_Generated):
    """The pipelines: the value set of each stage, where the facts come from, and what is not emulated."""

    def markdown(self) -> str:
        """A table of the stages, then a definition for each pipeline."""
        head = ("name", "inverse frequency", "stored", "position", "phase", "cos, sin", "table", "applied")
        rows, definitions = [], []
        for name, pipeline in PIPELINES.items():
            stages = pipeline.stages
            phase = str(stages.phase) + ("" if stages.operands is None else f" (operands {stages.operands})")
            chain = f"{stages.chain.kind}, {stages.chain.result}"
            places = (stages.stored, stages.position, phase, stages.trig, stages.table, stages.rotate)
            rows.append((f"`{name}`", chain, *map(str, places)))
            others = [f"`{other}`" for other, meant in ALIASES.items() if meant == name]
            also = f" (also {', '.join(others)})" if others else ""
            linear = f"Linear scaling: {stages.linear}."
            definitions.append(
                "\n\n  ".join([f"`{name}`{also}\n: {pipeline.source}. {linear}", *map(_sentence, pipeline.notes)])
            )
        return _table(head, rows) + "\n" + "\n\n".join(definitions) + "\n"


class ModelsTable(_Generated):
    """The models that are known by name: their schedules, layer kind by layer kind, and the notes."""

    def markdown(self) -> str:
        """A table of the models, then the notes."""
        head = ("name", "dims", "base", "scaling", "positions", "stored in", "pipeline")
        rows, notes = [], []
        for name in model_names():
            model = named_model(name)
            read = model.read()
            for layer, schedule in read.schedules.items():
                base = "" if schedule.base is None else f"{float(schedule.base):,.0f}"
                scaling = "" if schedule.scaling is None else schedule.scaling.kind
                rotated = 2 * sum(str(angle) != "0" for angle in schedule.angles)
                called = f"`{name}`" if layer == "rope" else f"`{name}` {layer.replace('_', ' ')}"
                positions = "" if read.max_length is None else f"{read.max_length:,}"
                whole = read.head_dim[layer]
                dims = f"{whole}" if rotated == whole else f"{rotated} of {whole}"
                rows.append((called, dims, base, scaling, positions, read.dtype or "", model.pipeline))
            scalings = [str(each.scaling) for each in read.schedules.values() if each.scaling is not None]
            told = "; ".join([model.source, *scalings])
            notes.append(f"`{name}`\n: {told}." + ("" if model.note is None else "\n\n  " + _sentence(model.note)))
        return _table(head, rows) + "\n" + "\n\n".join(notes) + "\n"


def setup(app: Sphinx) -> dict[str, Any]:
    """Add the directives."""
    app.add_directive("formats-table", FormatsTable)
    app.add_directive("models-table", ModelsTable)
    app.add_directive("pipelines-table", PipelinesTable)
    return {"parallel_read_safe": True, "parallel_write_safe": True}
