"""A web page in one file, which loads nothing: texts, tables and pictures with bokeh's JavaScript inside.

Its content security policy forbids every load and every script but those that stand in it, which are named by their
hashes: a text of a user that would be a script in HTML could not run, even if it were not escaped, as it is.  bokeh's
own way to give a page behaviour (CustomJS) compiles texts, which this policy forbids too; `page.js` does that part.
"""

from __future__ import annotations

import base64
import hashlib
import html
import json
from collections.abc import Sequence
from pathlib import Path
from string import Template
from typing import Any

from certify.pages.parts import Heading, Part, Rows
from fpsim.errors import UnsupportedError

__all__ = ["web_page"]

_FOLDER = Path(__file__).parent
_CONTROLS = """<div class="controls">
<label>picture <select class="kind"><option>curves</option><option>heatmap</option></select></label>
<label>across <select class="x"></select></label>
<label>value <select class="y"></select></label>
<label>one for each <select class="by"></select></label>
<label><input type="checkbox" class="log-x"> log across</label>
<label><input type="checkbox" class="log-y"> log value</label>
</div>
<div class="picture"></div>
<p class="note told"></p>
"""
_FILTER = """<div class="controls">
<label>only rows with <input class="filter" placeholder="fp16 or status=ok" size="24"></label>
<span class="note count"></span></div>
"""


def web_page(title: str, parts: Sequence[Part]) -> str:
    r"""The page: a heading with the title, and the parts in their order.  The same parts give the same text with the
    same release of bokeh.

    Texts may be any.  Raises `UnsupportedError` without bokeh.

    >>> from certify.pages.parts import Chart, Paragraph
    >>> from certify.pages.series import Series
    >>> columns = [Series.of("N", [8, 16, 32]), Series.of("gap", [0.5, 0.25, 0.0])]
    >>> page = web_page("Gaps", [Paragraph("a < b"), Rows(columns, Chart("N", "gap"))])
    >>> "<p>a &lt; b</p>" in page, "default-src 'none'" in page
    (True, True)
    """
    try:
        from bokeh.resources import Resources
    except ImportError as error:
        raise UnsupportedError("a web page needs bokeh: pip install 'fpcert[report]'") from error
    sections: list[dict[str, Any]] = []
    body = []
    for part in parts:
        if isinstance(part, Rows):
            section = _section(part, f"rows{len(sections)}")
            sections.append(section)
            body.append(_rows_html(part, section["name"]))
        else:
            tag = "h2" if isinstance(part, Heading) else "p"
            body.append(f"<{tag}>{_text(part.text)}</{tag}>")
    scripts = []
    if sections:
        names = ["bokeh", "bokeh-tables"]
        library = Resources(mode="inline", components=names).js_raw[: len(names)]  # then: how much it logs
        scripts = [*library, (_FOLDER / "page.js").read_text(encoding="utf-8")]
    # In a script element "<" could end it: JSON writes it as an escape as well.
    packed = json.dumps(sections, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")
    template = Template((_FOLDER / "page.html").read_text(encoding="utf-8"))
    return template.substitute(
        title=_text(title),
        policy=_policy(scripts),
        body="\n".join(body),
        data=packed,
        scripts="\n".join(f"<script>{script}</script>" for script in scripts),
    )


def _text(text: str) -> str:
    """Any text as HTML; of a surrogate, which no file can hold, its escape."""
    return html.escape(text.encode("utf-8", "backslashreplace").decode())


def _policy(scripts: Sequence[str]) -> str:
    """What the page may do: run these scripts, style itself, and show the icons that bokeh brings as data."""
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes) or "'none'"
    rest = "style-src 'unsafe-inline'; img-src data:; base-uri 'none'; form-action 'none'"
    return f"default-src 'none'; script-src {allowed}; {rest}"


def _rows_html(rows: Rows, name: str) -> str:
    inner = _CONTROLS * (rows.chart is not None) + _FILTER + '<div class="table"></div>\n' * rows.table
    return f'<section id="{name}">\n{inner}</section>'


def _section(rows: Rows, name: str) -> dict[str, Any]:
    """What `page.js` needs to know of the rows, and what bokeh shows them with, each as a document of its own."""
    from certify.pages.figures import chart_figures
    from certify.pages.table import data_table

    section: dict[str, Any] = {"name": name, "count": rows.count, "columns": [c.packed() for c in rows.columns]}
    chart = rows.chart
    if chart is not None:
        shown = {
            "kind": chart.kind,
            "x": chart.x,
            "y": chart.y,
            "by": chart.by,
            "logX": chart.log_x,
            "logY": chart.log_y,
        }
        section["chart"] = shown
        section["figures"] = {key: _document(figure) for key, figure in chart_figures(rows).items()}
    if rows.table:
        section["table"] = _document(data_table(rows))
    return section


def _document(root: Any) -> Any:
    """The model as bokeh's JSON.  bokeh numbers models through the life of the process: here they are numbered anew."""
    from bokeh.document import Document

    document = Document()
    document.add_root(root)
    numbers: dict[str, str] = {}

    def renumber(value: Any) -> Any:
        if isinstance(value, dict):
            return {
                key: numbers.setdefault(entry, f"m{len(numbers)}")
                if key == "id" and isinstance(entry, str)
                else renumber(entry)
                for key, entry in value.items()
            }
        return [renumber(entry) for entry in value] if isinstance(value, list | tuple) else value

    return renumber(document.to_json(deferred=False))
