"""`fpcert report` and the pictures of `fpcert results`: one page without a network, looked at in a real browser."""

import json
import re

import pytest

import certify
from certify.plots.sweep_data import SweepGrid, sweep_grid
from certify.sweeping.plan import Plan
from certify.sweeping.store import Store
from certify.sweeping.work import Row
from fpsim.errors import InputError, UnsupportedError

REASON = "</script><script>document.title='taken'</script>"

pytest.importorskip("bokeh")


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """40 rows; every tenth is an error with a reason that would be a command in HTML."""
    path = tmp_path_factory.mktemp("made") / "made.sqlite"
    with Store(path) as store:
        rows = []
        for number, job in enumerate(
            Plan.of("nmax", {"dtype": "fp16,bf16", "g": "1", "C": "1:10:10", "k": "1,2"}).jobs()
        ):
            failed = number % 10 == 9
            values = {} if failed else {"n_max": number, "lower": number, "upper": number, "usable": True}
            reason = REASON if failed else None
            rows.append((job, Row("error" if failed else "ok", reason, values, None, 0.001, "", "made")))
        store.add(rows)
    return path


def page_sections(page):
    (text,) = re.findall(r'<script type="application/json" id="page">(.*?)</script>', page, re.DOTALL)
    return json.loads(text)


def page_columns(page):
    (section,) = page_sections(page)
    return {column["name"]: column for column in section["columns"]}


def test_the_page_has_every_row_exactly(file, fpcert, tmp_path):
    outcome = fpcert("report", str(file), "-o", str(tmp_path / "a.html"), "--json")
    page = (tmp_path / "a.html").read_text()
    assert json.loads(outcome.out) == {"bytes": len(page.encode()), "file": str(tmp_path / "a.html"), "rows": 40}
    columns = page_columns(page)
    with certify.results(file) as answers:
        rows = list(answers.rows(columns="dtype,C,n_max,reason", sort="dtype,C,k"))
    assert columns["C"]["near"] == [row["C"] for row in rows]
    assert columns["n_max"]["near"] == [row["n_max"] for row in rows]
    for name in ("dtype", "reason"):
        words = [None if code < 0 else columns[name]["words"][code] for code in columns[name]["codes"]]
        assert words == [row[name] for row in rows]
    assert "<p>40 rows. In every row: question nmax, g 1," in page
    assert "g" not in columns  # it is the same in every row


def test_numbers_that_binary64_lacks_are_shown_exactly(tmp_path):
    path = tmp_path / "a.sqlite"
    jobs = list(Plan.of("nmax", {"g": "pi/7,1", "C": "1/3,1e400"}).jobs())
    with Store(path) as store:
        store.add(
            [(job, Row("ok", None, {"n_max": 10**30 + number}, None, 0.0, "", "")) for number, job in enumerate(jobs)]
        )
    with certify.results(path) as answers:
        columns = page_columns(certify.report_page(answers))
    assert columns["C"]["near"] == [1 / 3, "Infinity"] * 2
    assert columns["C"]["exact"][0] == "1/3"
    assert columns["g"]["exact"] == ["1/7*pi", "1/7*pi", None, None]
    assert columns["n_max"]["exact"] == [str(10**30 + number) for number in range(4)]


@pytest.mark.parametrize("rows", [0, 1])
def test_a_page_of_few_rows(tmp_path, rows):
    path = tmp_path / "a.sqlite"
    with Store(path) as store:
        jobs = list(Plan.of("nmax", {"g": 1, "C": 40}).jobs())[:rows]
        store.add([(job, Row("error", "why", {}, None, 0.0, "", "")) for job in jobs])
    with certify.results(path) as answers:
        page = certify.report_page(answers, title="Few <rows>")
    assert f"<p>{['0 rows', '1 row'][rows]}.</p>" in page
    assert page.count("<title>Few &lt;rows&gt;</title>") == 1


def test_the_picture_is_of_what_was_found_or_there_is_none(tmp_path):
    jobs = list(Plan.of("nmax", {"g": "1,2,3", "C": "1:10:10", "k": "1,2"}).jobs())
    charts = {}
    for name, values in {"none": [None] * 60, "same": [7] * 60, "some": range(60)}.items():
        with Store(tmp_path / name) as store:
            store.add(
                [
                    (job, Row("ok", None, {"n_max": n}, None, place / 8, "", ""))
                    for place, (job, n) in enumerate(zip(jobs, values, strict=True))
                ]
            )
        with certify.results(tmp_path / name) as answers:
            (section,) = page_sections(certify.report_page(answers))
            charts[name] = section.get("chart")
    assert (charts["none"], charts["same"]) == (None, None)  # no C against itself, nor how long it took
    assert [charts["some"][name] for name in ("x", "y", "by")] == ["C", "n_max", "k"]


def test_the_first_picture_is_not_of_flat_curves(tmp_path):
    jobs = list(Plan.of("nmax", {"dtype": "fp16,bf16", "g": "1,2", "C": "1:5:5"}).jobs())
    charts = []
    for name, value in (("a", lambda p: p["g"] == "1" and int(p["C"])), ("b", lambda p: int(p["C"]))):
        with Store(tmp_path / name) as store:
            rows = [Row("ok", None, {"n_max": int(value(job.parameters))}, None, 0.0, "", "") for job in jobs]
            store.add(zip(jobs, rows, strict=True))
        with certify.results(tmp_path / name) as answers:
            (section,) = page_sections(certify.report_page(answers))
        charts.append(section["chart"]["by"])
    assert charts == ["g", "dtype"]  # of each format the least is 0 everywhere, as it is so where g = 2


def test_ten_thousand_rows_are_below_five_megabytes(tmp_path):
    path = tmp_path / "a.sqlite"
    plan = Plan.of("nmax", {"dtype": "fp16,bf16", "g": "0.001:3:50", "C": "log:10:60000:50", "k": "1,2"})
    with Store(path) as store:
        rows = []
        for number, job in enumerate(plan.jobs()):
            values = {
                "verdict": "exact",
                "n_max": number,
                "lower": number,
                "upper": number,
                "ideal": number,
                "usable": True,
            }
            rows.append((job, Row("ok", f"reason {number} of its own", values, None, number / 1000, "", "made")))
        store.add(rows)
    with certify.results(path) as answers:
        assert answers.count() == 10_000
        assert len(certify.report_page(answers).encode()) < 5e6


@pytest.mark.parametrize("arguments", [("--json",), ("--where", "x=1"), ("--nonsense",)])
def test_what_is_refused(file, fpcert, arguments):
    outcome = fpcert("report", str(file), *arguments)
    assert (outcome.code, outcome.out) == (2, "")


LOOK = """
const click = async name => { find(".slick-header-column").find(one => one.textContent === name).click(); await pause(200); };
const at = texts(".slick-column-name").indexOf("n_max"), first = () => cells().slice(0, 3).map(line => line[at]);
result.axes = ["x", "y", "by"].map(name => document.querySelector(`.${name}`).value);
result.curves = ["0 114 178", "213 94 0"].map(ink => colors().has(ink));
result.shown = cells().length >= 20;
await click("n_max"); result.rising = first();
await click("n_max"); result.falling = first();
await choose(".filter", "status=error"); result.filtered = document.querySelector(".count").textContent;
result.reason = cells()[0].at(-1);
await choose(".filter", ""); await choose(".kind", "heatmap");
result.heatmap = ["0 32 76", "255 233 69"].map(ink => colors().has(ink));
await choose(".log-y", true); result.told = document.querySelector(".told").textContent;
const right = find(".slick-column-name").filter(head => getComputedStyle(head).float === "right");
result.right = right.map(head => head.textContent);
"""


def test_the_page_works_in_a_browser(file, browser):
    with certify.results(file) as answers:
        page = certify.report_page(answers)
    assert browser(page, LOOK) == {
        "errors": [],
        "loaded": 0,
        "axes": ["C", "n_max", "dtype"],
        "curves": [True, True],
        "shown": True,
        "rising": ["0", "1", "2"],
        "falling": ["38", "37", "36"],
        "filtered": "4 of 40 rows",
        "reason": REASON,
        "heatmap": [True, True],
        "told": "Where several rows fall together the least value is drawn: 16 others are not seen. 1 value has no place on these scales.",
        "right": ["C", "k", "n_max", "lower", "upper"],
    }


def test_the_grid_of_a_picture(file):
    with certify.results(file) as answers:
        grid = sweep_grid(answers)
        single = sweep_grid(answers, where="k=2")
        with pytest.raises(InputError, match="a column of numbers"):
            sweep_grid(answers, x="dtype")
        with pytest.raises(InputError, match="no rows"):
            sweep_grid(answers, y="period")
    assert list(grid.lines) == ["bf16", "fp16"]
    assert grid.folded
    assert grid.lines["fp16"][3.0] == 4  # of k = 1 and k = 2, numbers 4 and 5, the least
    assert (single.folded, single.lines["fp16"][3.0]) == (False, 5)
    assert 5.0 not in single.lines["fp16"]  # an error has no value


def test_the_lines_of_a_picture_stand_in_the_order_of_their_numbers(tmp_path):
    jobs = Plan.of("nmax", {"g": "1,pi/7,2/3,0.1,10", "C": "1,2"}).jobs()
    with Store(tmp_path / "a.sqlite") as store:
        store.add((job, Row("ok", None, {"n_max": 1}, None, 0.0, "", "")) for job in jobs)
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert list(sweep_grid(answers, by="g").lines) == ["0.1", "1/7*pi", "2/3", "1", "10"]


@pytest.mark.parametrize("ending", ["png", "svg", "pdf"])
def test_pictures_are_files(file, fpcert, tmp_path, ending):
    pytest.importorskip("matplotlib")
    curves, heatmap = tmp_path / f"c.{ending}", tmp_path / f"h.{ending}"
    outcome = fpcert("results", str(file), "--curves", str(curves), "--heatmap", str(heatmap), "--limit", "1")
    assert (outcome.code, outcome.err) == (0, "")
    begin = {"png": b"\x89PNG", "svg": b"<?xml", "pdf": b"%PDF"}[ending]
    assert curves.read_bytes().startswith(begin)
    assert heatmap.read_bytes().startswith(begin)


def test_the_heatmap_shows_the_values_at_their_places(file):
    pytest.importorskip("matplotlib")
    with certify.results(file) as answers:
        grid = sweep_grid(answers, where="k=2")
    (axes, _) = certify.sweep_heatmap(grid).axes
    (mesh,) = axes.collections
    values = mesh.get_array()
    assert values.shape == (2, 10 - 2)  # C = 5 and C = 10 have no value in any line
    assert values[1][0] == grid.lines["fp16"][1.0]
    assert [tick.get_text() for tick in axes.get_yticklabels()] == ["bf16", "fp16"]
    lines = certify.sweep_curves(grid).axes[0].lines
    assert {line.get_label(): list(line.get_ydata()) for line in lines} == {
        f"dtype {name}": [line[place] for place in sorted(line)] for name, line in grid.lines.items()
    }


@pytest.mark.parametrize(
    "arguments", [("--plot-axes", "C"), ("--plot-axes", "C,n_max,nonsense"), ("--plot-axes", "C,dtype,k")]
)
def test_axes_of_pictures_that_are_refused(file, fpcert, tmp_path, arguments):
    outcome = fpcert("results", str(file), "--curves", str(tmp_path / "a.png"), *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert list(tmp_path.iterdir()) == []


def test_the_map_of_components(fpcert, tmp_path):
    path, picture = tmp_path / "a.sqlite", tmp_path / "a.png"
    certify.sweep("period", file=path, jobs=1, base="10000,100", dim="4,8", dtype="bf16", realize="phase")
    with certify.results(path) as answers:
        found = certify.component_map(answers)
    assert list(found.lines) == [f"base {base}, dim {dim}" for base in (100, 10000) for dim in (4, 8)]
    for line, verdicts in found.lines.items():
        _, base, _, dim = line.replace(",", "").split()
        result = certify.period(base=base, dim=int(dim), dtype="bf16", realize="phase")
        assert [(cell.verdict, cell.again) for cell in verdicts] == [
            (part.verdict.verdict, part.collision.pair and part.collision.pair[1]) for part in result.components
        ]
    pytest.importorskip("matplotlib")
    assert fpcert("results", str(path), "--components", str(picture)).code == 0
    assert picture.read_bytes().startswith(b"\x89PNG")
    (mesh,) = certify.component_figure(found).axes[0].collections
    assert mesh.get_array().shape == (4, 4)


def test_values_that_span_much_are_drawn_on_a_logarithmic_scale(tmp_path):
    pytest.importorskip("matplotlib")
    for least, most, scale in ((0, 10**6, "symlog"), (-1, 10**6, "linear"), (30, 60, "linear")):
        grid = SweepGrid("C", "n_max", "dtype", {"fp16": {1.0: least, 2.0: most}})
        (axes,) = certify.sweep_curves(grid).axes
        assert axes.get_yscale() == scale
        mesh = certify.sweep_heatmap(grid).axes[0].collections[0]
        assert type(mesh.norm).__name__ == ("SymLogNorm" if scale == "symlog" else "Normalize")


def test_no_components_to_draw(file, fpcert, tmp_path):
    outcome = fpcert("results", str(file), "--components", str(tmp_path / "a.png"))
    assert outcome.code == 2
    assert "sweep of periods" in outcome.err


def test_numbers_that_cannot_be_drawn(tmp_path):
    path = tmp_path / "a.sqlite"
    pytest.importorskip("matplotlib")
    (job,) = Plan.of("nmax", {"g": 1, "C": "1e400"}).jobs()
    with Store(path) as store:
        store.add([(job, Row("ok", None, {"n_max": 1}, None, 0.0, "", ""))])
    with certify.results(path) as answers, pytest.raises(UnsupportedError, match="beyond the range"):
        certify.sweep_curves(sweep_grid(answers))
