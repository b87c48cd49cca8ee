"""The built documentation, in the folder that FPCERT_DOCS names (`.ci/run` builds it): links, anchors, nothing public missing.

Without that the tests skip: they would have to build the pages themselves, which takes longer than all others here.
"""

import doctest
import importlib.util
import os
import re
import runpy
import shutil
import subprocess
import sys
from functools import cache
from html.parser import HTMLParser
from importlib import import_module
from pathlib import Path
from urllib.parse import unquote, urlsplit

import click
import pytest

from fpcert.main import COMMANDS, program

if "FPCERT_DOCS" not in os.environ:
    pytest.skip("needs the built pages: FPCERT_DOCS=FOLDER", allow_module_level=True)

BUILT = Path(os.environ["FPCERT_DOCS"])
PAGES = sorted(BUILT.glob("**/*.html"))


class Page(HTMLParser):
    """What a page links to, what it loads, and its anchors."""

    def __init__(self, text):
        super().__init__()
        self.links, self.loads, self.anchors = [], [], set()
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        found = dict(attrs)
        self.anchors |= {found["id"]} if "id" in found else set()
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        if tag == "link" and found.get("rel") in ("stylesheet", "icon"):
            self.loads.append(found["href"])
        if "src" in found:
            self.loads.append(found["src"])


@cache
def read(file):
    return Page(file.read_text(encoding="utf-8"))


@pytest.fixture(scope="module")
def inventory():
    inventory = pytest.importorskip("sphinx.util.inventory")
    with (BUILT / "objects.inv").open("rb") as stream:
        return inventory.InventoryFile.load(stream, "", lambda _base, target: target)


def test_there_are_pages_of_all_parts():
    parts = {file.relative_to(BUILT).parts[0] for file in PAGES}
    assert {"tutorial", "how-to", "explanation", "reference", "notebooks", "index.html"} <= parts


def test_links_within_lead_to_pages_and_anchors_that_exist():
    broken = []
    for file in PAGES:
        for link in read(file).links:
            parts = urlsplit(link)
            if parts.scheme or parts.netloc:
                continue
            target = (file.parent / unquote(parts.path)).resolve() if parts.path else file
            anchor = unquote(parts.fragment)
            if not target.exists() or (anchor and target.suffix == ".html" and anchor not in read(target).anchors):
                broken.append(f"{file.relative_to(BUILT)}: {link}")
    assert not broken


def test_pages_load_nothing_from_a_network():
    loads = {load for file in PAGES for load in read(file).loads}
    assert not {load for load in loads if urlsplit(load).scheme not in ("", "data") or urlsplit(load).netloc}


def test_every_public_name_is_in_the_reference(inventory):
    documented = {name for kind, names in inventory.items() if kind.startswith("py:") for name in names}
    for package in ("fpsim", "certify"):
        missing = {f"{package}.{name}" for name in import_module(package).__all__} - documented
        assert not missing


def test_every_command_and_every_option_of_it_is_in_the_reference(inventory):
    parent = click.Context(program, info_name="fpcert")
    documented = set(inventory["std:cmdoption"])
    for name in COMMANDS:
        context = click.Context(program.get_command(parent, name), info_name=name, parent=parent)
        for parameter in context.command.get_params(context):
            if isinstance(parameter, click.Option) and not parameter.hidden:
                missing = {
                    f"fpcert-{name}.{option}" for option in (*parameter.opts, *parameter.secondary_opts)
                } - documented
                assert not missing


def test_what_a_build_leaves_beside_its_pages_is_no_page_of_the_next(root, monkeypatch):
    left = pytest.importorskip("myst_nb.sphinx_ext").OUTPUT_FOLDER  # copies of the notebooks, beside docs/_build
    monkeypatch.setattr(sys, "path", sys.path[:])  # conf.py adds to it
    assert left in runpy.run_path(str(root / "docs/conf.py"))["exclude_patterns"]


def test_formulas_have_pairs_of_bars():
    page = (BUILT / "explanation/error-bound.html").read_text(encoding="utf-8")
    assert "<mo>|</mo>" in page
    assert 'class="mathopen"' not in page  # a left bar alone


def test_docstrings_are_shown_as_they_are_written(root):
    pytest.importorskip("sphinx")
    spec = importlib.util.spec_from_file_location("docstrings", root / "docs/_ext/docstrings.py")
    docstrings = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(docstrings)
    assert doctest.testmod(docstrings).failed == 0
    written = ["Takes *one* of `a|b`, or", "x_i.", "", "    a formula", "", ">>> 1 + 1", "2"]
    shown = ["Takes \\*one\\* of ``a|b``\\ , or x\\_i.", "", "::", "", "        a formula", "", ">>> 1 + 1", "2", ""]
    assert docstrings.as_rst(written) == shown


MEASURE = """<script>window.addEventListener("load", () => {
  const wide = [...document.querySelectorAll(".table-wrapper")].filter(each => each.scrollWidth > each.clientWidth + 1);
  document.title = `${document.querySelectorAll(".table-wrapper").length} tables, ${wide.length} too wide`;
});</script>"""


@pytest.mark.parametrize(("name", "found"), [
    ("formats", "3 tables, 0 too wide"), ("models", "1 tables, 0 too wide"), ("pipelines", "2 tables, 0 too wide"),
])  # fmt: skip
def test_generated_tables_fit_their_column_in_a_browser(name, found, tmp_path):
    program = shutil.which("chromium") or shutil.which("chromium-browser") or shutil.which("google-chrome")
    if program is None:
        pytest.skip("needs Chromium")
    site = tmp_path / "site"
    shutil.copytree(BUILT / "_static", site / "_static")
    (site / "reference").mkdir()
    text = (BUILT / f"reference/{name}.html").read_text(encoding="utf-8")
    (site / "reference/page.html").write_text(text.replace("</head>", MEASURE + "</head>"), encoding="utf-8")
    done = subprocess.run(
        [
            program, "--headless", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--window-size=1400,1000",
            f"--user-data-dir={tmp_path / 'profile'}", "--dump-dom", (site / "reference/page.html").as_uri(),
        ],
        check=True, capture_output=True, text=True, timeout=100,
    )  # fmt: skip
    assert re.search(r"<title>(.*?)</title>", done.stdout, re.DOTALL)[1] == found
