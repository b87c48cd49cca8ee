"""Web pages: any text is text, numbers are exact, and what a browser makes of them without a network."""

import base64
import hashlib
import json
import math
import re
import subprocess
import sys
from html.parser import HTMLParser

import pytest
from gmpy2 import mpq

from certify.pages.page import web_page
from certify.pages.parts import MAX_ROWS, Chart, Heading, Paragraph, Rows
from certify.pages.series import Series
from fpsim.errors import InputError

pytest.importorskip("bokeh")

HOSTILE = "</script><script>document.title='taken'</script><img src=x onerror=\"document.title='taken'\">${x}"


def sections(page):
    (text,) = re.findall(r'<script type="application/json" id="page">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


@pytest.fixture(scope="module")
def page():
    return hostile_page()


def hostile_page():
    """Hostile texts in every place that takes one, in a table of 30 rows; every tenth has no number."""
    columns = [
        Series.of("format", [HOSTILE if place % 2 else "fp16" for place in range(30)]),
        Series.of("C", [mpq(10 * (place // 2) + 1, 3) for place in range(30)]),
        Series.of(HOSTILE, [None if place % 10 == 9 else 10**20 * (1 + place * 7 % 30) + 1 for place in range(30)]),
    ]
    parts = [Paragraph(HOSTILE), Heading(HOSTILE), Rows(columns, Chart("C", HOSTILE, "format", log_y=True))]
    return web_page(HOSTILE, parts)


@pytest.mark.parametrize(
    ("values", "near", "texts"),
    [
        ([1, 2.5, None], (1, 2.5, None), ("1", "2.5", None)),
        ([10**30, mpq(10) ** 400], (1e30, math.inf), (str(10**30), "1e+400")),
        ([mpq(-1, 3), -(10**400)], (-1 / 3, -math.inf), ("-1/3", str(-(10**400)))),
        ([True, False, None], ("true", "false", None), None),
        (["a", 1], ("a", "1"), None),
        ([None, None], (None, None), None),
    ],
)
def test_the_values_of_a_column(values, near, texts):
    series = Series.of("a", values)
    assert (tuple(series.values), series.texts) == (near, texts)


def test_a_column_as_the_page_takes_it():
    packed = Series.of("a", [mpq(1, 3), 7, None, mpq(10) ** 400, math.nan]).packed()
    assert packed["near"] == [1 / 3, 7, None, "Infinity", "NaN"]
    assert packed["exact"] == ["1/3", None, None, "1e+400", "nan"]
    assert "exact" not in Series.of("a", [1, 0.5]).packed()
    assert Series.of("a", ["y", None, "x", "y"]).packed() == {"name": "a", "words": ["x", "y"], "codes": [1, -1, 0, 1]}


@pytest.mark.parametrize(
    ("columns", "chart", "message"),
    [
        ([], None, "at least one column"),
        ([Series("a", [1]), Series("b", [1, 2])], None, "all of one length"),
        ([Series("a", [1] * (MAX_ROWS + 1))], None, "100000 rows"),
        ([Series("a", [1]), Series("b", ["x"])], Chart("b", "a"), "one of the columns a"),
        ([Series("a", [1])], Chart("a", "a", "c"), "one of the columns a"),
        ([Series("a", ["x"])], Chart("a", "a"), "none has numbers"),
    ],
)
def test_rows_that_are_refused(columns, chart, message):
    with pytest.raises(InputError, match=message):
        Rows(columns, chart)


def test_only_the_scripts_of_the_page_may_run(page):
    (policy,) = re.findall(r'Content-Security-Policy" content="(.*?)"', page)
    scripts = re.findall(r"<script>(.*?)</script>", page, re.DOTALL)
    hashes = [base64.b64encode(hashlib.sha256(script.encode()).digest()).decode() for script in scripts]
    allowed = " ".join(f"'sha256-{one}'" for one in hashes)
    assert policy == (
        f"default-src 'none'; script-src {allowed}; style-src 'unsafe-inline'; img-src data:; base-uri 'none'; "
        "form-action 'none'"
    )
    assert len(scripts) == 3  # two of bokeh, one of ours
    assert sum(len(script.encode()) for script in scripts) < 2e6

    class Tags(HTMLParser):
        def handle_starttag(self, tag, attributes):
            assert tag not in ("img", "link", "iframe"), tag
            assert not [name for name, _ in attributes if name in ("src", "href") or name.startswith("on")], tag

    Tags().feed(re.sub(r"<script.*?</script>", "", page, flags=re.DOTALL))
    assert web_page("a", []).count("<script>") == 0


def test_a_text_that_utf8_lacks():
    assert "<p>a\\ud800</p>" in web_page("a", [Paragraph("a\ud800")])


def test_the_same_parts_are_the_same_bytes(page):
    assert page == hostile_page()  # bokeh's own numbers have gone up
    assert sections(page)[0]["count"] == 30


def test_a_page_without_bokeh():
    code = (
        "import sys; sys.modules['bokeh'] = None\n"
        "from certify.pages.page import web_page\n"
        "from fpsim.errors import UnsupportedError\n"
        "try: web_page('a', [])\n"
        "except UnsupportedError as error: print(error)"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True)
    assert done.stdout == "a web page needs bokeh: pip install 'fpcert[report]'\n"


LOOK = """
const click = async name => { find(".slick-header-column").find(one => one.textContent === name).click(); await pause(200); };
const hostile = document.querySelector("h2").textContent, row = () => cells().slice(0, 2).map(line => line[2]);
result.heads = texts(".slick-column-name");
result.first = cells()[0];
result.curves = ["0 114 178", "213 94 0"].map(ink => colors().has(ink));
await click(hostile);
result.rising = row();
await click(hostile);
result.falling = row();
await click("C");
result.second = cells().slice(0, 3).map(line => line[1]);
await choose(".filter", "format=fp16");
result.filtered = [...new Set(cells().map(line => line[0]))];
result.count = document.querySelector(".count").textContent;
await choose(".filter", "");
await choose(".kind", "heatmap");
result.heatmap = ["0 32 76", "255 233 69"].map(ink => colors().has(ink));
await choose(".y", "C");
await choose(".log-y", false);
await choose(".kind", "curves");
result.again = ["0 114 178", "213 94 0"].map(ink => colors().has(ink));
result.wide = document.documentElement.scrollWidth <= document.documentElement.clientWidth;
result.hostile = hostile;
const added = document.createElement("script");
added.textContent = "document.title = 'taken'";
document.body.append(added);
await pause(50);
result.refused = errors.splice(0);
"""


def test_a_page_in_a_browser(page, browser):
    numbers = [10**20 * (1 + place * 7 % 30) + 1 for place in range(30) if place % 10 != 9]
    least = [str(number) for number in sorted(numbers)]
    assert browser(page, LOOK) == {
        "errors": [],
        "loaded": 0,
        "heads": ["format", "C", HOSTILE],
        "first": ["fp16", "1/3", str(10**20 + 1)],
        "curves": [True, True],
        "rising": least[:2],
        "falling": least[:-3:-1],
        "second": ["1/3", "1/3", "11/3"],
        "filtered": ["fp16"],
        "count": "15 of 30 rows",
        "heatmap": [True, True],
        "again": [True, True],
        "wide": True,
        "hostile": HOSTILE,
        "refused": ["securitypolicyviolation: inline"],
    }
