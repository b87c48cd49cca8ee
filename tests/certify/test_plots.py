"""The pictures: the data behind them is what `nmax` says, and figures and files are made.  No pixels are compared."""

import itertools
import math
import sys

import pytest

import certify
from certify.certified_range.question import Question
from certify.plots.gap_data import exact_gap, question_of
from certify.plots.gap_figure import short
from fpsim.angle import Angle
from fpsim.blocks import blocks
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.number import parse_number
from fpsim.realization import realize
from fpsim.realization.array_file import ArrayKind
from fpsim.valueset import ValueSet

matplotlib = pytest.importorskip("matplotlib")

HEADS = [
    {"g": "1", "C": 40, "dtype": "fp16", "k": 1}, {"g": "1", "C": 60000, "dtype": "fp16", "k": 1},
    {"g": "1", "C": 40, "dtype": "fp16", "k": 7}, {"g": "2pi*3/19", "C": 128, "dtype": "e4m3", "k": 2},
    {"g": "1", "C": 448, "dtype": "e4m3", "k": 1}, {"g": "0.3", "C": 900, "dtype": "fp16", "k": 1, "realize": "phase"},
    {"g": "1", "C": 100, "dtype": "bf16", "score_dtype": "fp32", "softmax_dtype": "fp32", "fma": True},
    {"g": "1", "C": 900, "dtype": "fp16", "realize": "counter"}, {"g": "2pi*3/44", "C": 900, "dtype": "fp16", "realize": "table", "k": 2},
    {"g": "2.5", "C": 200, "dtype": "e4m3:away", "k": 5, "realize": "recurrence", "score_dtype": "fp32", "rotate_dtype": "fp32", "softmax_dtype": "e2m1"},
]  # fmt: skip


def brute_force(question: Question, last: int):
    """Length -> the least realized gap, over all pairs; NaN from the first one on that is not finite."""
    head, least, found = question.head, math.inf, {}
    for i in range(question.offset + 1, last + 1):
        scores = [head.score(i, j) for j in range(i)]
        target = scores.pop(i - question.offset)
        for score in scores:
            finite = all(not isinstance(x, float) or math.isfinite(x) for x in (target, score))
            least = min(least, target - score) if finite and least == least else math.nan
        found[i - 1] = least
    return found


@pytest.mark.parametrize("head", HEADS)
def test_gap_curve_of_every_query(head):
    result = certify.nmax(**head)
    curve = certify.gap_curve(result)
    assert curve.kind == "every query"
    last = curve.points[-1].length + 1
    assert last > result.n_max + 2
    expected = brute_force(question_of(result), last)
    got = {point.length: point.gap for point in curve.points}
    assert got.keys() == expected.keys()
    assert all(got[L] == expected[L] or (got[L] != got[L] and expected[L] != expected[L]) for L in got)
    held = [point.length for point in curve.points if point.gap >= result.f_large]
    assert max(held, default=result.k - 1) == result.n_max
    exact = [point.exact for point in curve.points]
    assert exact == sorted(exact, reverse=True)
    for record in result.records:
        assert record in curve.records


def test_gap_curve_of_near_returns():
    result = certify.nmax(g="1", C="1e18", dtype="fp64")
    curve = certify.gap_curve(result)
    assert curve.kind == "near-returns"
    assert curve.records[: len(result.records)] == result.records
    assert len(curve.records) == len(result.records) + 1
    assert max(point.length for point in curve.points if point.gap >= result.f_large) <= result.n_max
    assert curve.records[-2].n == result.n_max + 1
    assert [point.length for point in curve.points] == [record.n for record in curve.records]
    at_710 = next(point for point in curve.points if point.length == 710)
    assert at_710.exact == pytest.approx(1e18 * 2 * math.sin(355 - 113 * math.pi) ** 2, rel=1e-2)


def array_kind(positions, angle="1"):
    c, s = blocks(realize("ideal", Angle.parse(angle), ValueSet.parse("fp32")), 0, positions)
    return ArrayKind.of(c, s, name="array:dumped.npz")


def test_a_curve_ends_with_the_array():
    for positions in (5, 40, 100):
        result = certify.nmax(g="1", C="1e12", dtype="fp32", k=2, realize=array_kind(positions))
        curve = certify.gap_curve(result)
        assert (curve.kind, curve.points[-1].length) == ("every query", positions - 2)
        assert all(record.i < positions for record in curve.records)
        expected = brute_force(question_of(result), min(positions - 1, 25))
        assert {L: point.gap for point in curve.points if (L := point.length) in expected} == expected
    single = certify.gap_curve(certify.nmax(g="1", C="1e12", dtype="fp32", k=3, realize=array_kind(5)))
    assert len(single.points) == 1
    (axes,) = certify.gap_figure(single).axes
    assert axes.get_xlim() == (2, 4)
    assert "rotation by array:dumped.npz" in axes.get_title()
    long = certify.gap_curve(certify.nmax(g="1", C="1e12", dtype="fp32", realize=array_kind(3000, "2pi/2111")))
    assert (long.kind, long.result.n_max, long.points[-1].length <= 2998) == ("near-returns", 2110, True)


@pytest.mark.parametrize(
    ("kind", "g", "scale", "pair"),
    [("recurrence", "0.004007", "6.13e8", (1568, 0)), ("phase", "0.410741", "2.74e21", (4823, 1013))],
)
def test_the_first_failing_pair_is_on_the_curve(kind, g, scale, pair):
    """Where it is none of the records of the exact rotation."""
    result = certify.nmax(g=g, C=scale, dtype="fp32", realize=kind)
    assert (result.witness.i, result.witness.j) == pair
    curve = certify.gap_curve(result)
    assert curve.kind == "near-returns"
    assert pair[0] not in [record.i for record in curve.records]
    lengths = [point.length for point in curve.points]
    assert lengths == sorted(lengths)
    assert max(point.length for point in curve.points if point.gap >= result.f_large) <= result.n_max
    assert next(point.gap for point in curve.points if point.length == pair[0] - 1) <= result.witness.gap
    exact = [point.exact for point in curve.points]
    assert exact == sorted(exact, reverse=True)


def test_a_state_far_out_is_not_on_the_curve():
    far = certify.gap_curve(certify.nmax(g="1", C=10**18, dtype="fp128", realize="recurrence"))
    assert far.records[-1].n == 710


def test_scales_of_a_realization_that_drifts():
    kind = array_kind(300)
    curve = certify.scale_curve(g="1", dtype="fp32", scales=["1e3", "1e12"], realize=kind)
    assert [(point.lower, point.upper) for point in curve.points] == [(5, 5), (298, None)]
    assert curve.realize == "array:dumped.npz"
    (axes,) = certify.scale_figure(curve).axes
    labels = [line.get_label() for line in axes.get_lines()]
    assert any("\\geq" in label and "298" in label for label in labels)
    grows = certify.scale_curve(g="0.1", dtype="fp32", scales=["1e9"], realize="recurrence")
    assert grows.points[0].lower == 300_000
    exact = certify.scale_curve(g="1", dtype="fp64", scales=["1e18"], realize="counter")
    assert exact.points[0].lower == exact.points[0].upper == 80143856


def test_exact_gap_is_the_cosine():
    question = question_of(certify.nmax(g="1", C=40, dtype="fp16"))
    for n in (1, 2, 6, 19, 25):
        assert exact_gap(question, n) == pytest.approx(40 * (1 - math.cos(n)), rel=1e-12)


def test_the_least_of_several_offsets_is_drawn():
    results = certify.nmax(g="1", C=40, dtype="fp16", k="1,7")
    assert certify.gap_curve(results).result == results.results[0]
    assert question_of(results).offset == 1


def test_figures_show_the_data():
    result = certify.nmax(g="1", C=60000, dtype="fp16")
    curve = certify.gap_curve(result)
    (axes,) = certify.gap_figure(curve).axes
    lines = {line.get_label().split(":")[0]: line for line in axes.get_lines()}
    assert list(lines["exact arithmetic"].get_xdata()) == [point.length for point in curve.points]
    realized = lines["realized in fp16"].get_ydata()
    assert [y for y, point in zip(realized, curve.points, strict=True) if point.gap > 0] == [
        float(point.gap) for point in curve.points if point.gap > 0
    ]
    assert any(list(line.get_ydata()) == [17.34375] * 2 for line in axes.get_lines())
    assert any(list(line.get_xdata()) == [44, 44] for line in axes.get_lines())
    assert {"n=6", "n=19", "n=25", "n=44"} <= {text.get_text() for text in axes.texts}
    title = axes.get_title()
    assert all(part in title for part in ("g = 1", "C = 60000", "fp16", "44", "1 back"))
    assert axes.get_xlabel()
    assert axes.get_ylabel()


def test_scale_curve():
    curve = certify.scale_curve(g="1", dtype="fp16", scales=[60000, 40, "1e4", 40], k=1)
    assert [float(point.scale) for point in curve.points] == [40, 10000, 60000]
    for point in curve.points:
        result = certify.nmax(g="1", C=point.scale, dtype="fp16")
        assert (point.lower, point.upper, point.ideal) == (result.n_max, result.n_max, result.ideal_upper)
    (axes,) = certify.scale_figure(curve).axes
    lines = {line.get_label(): line for line in axes.get_lines()}
    assert list(lines["realized in fp16"].get_ydata()) == [5, 43, 44]
    assert axes.get_xscale() == "log"
    assert curve.to_json()["points"][0] == {"C": "40", "lower": 5, "upper": 5, "ideal": 5}


def test_default_scales():
    from certify.plots.scale_data import scale_curve_of

    seen = []
    curve = scale_curve_of(certify.nmax(g="1", C=256, dtype="e4m3"), progress=lambda *done: seen.append(done))
    assert len(seen) == len(curve.points) == seen[-1][1]
    assert curve.asked == 256
    assert next(point.lower for point in curve.points if point.scale == 256) == 5
    assert all(a.scale < b.scale for a, b in itertools.pairwise(curve.points))


@pytest.mark.parametrize(("ending", "begin"), [(".png", b"\x89PNG"), (".svg", b"<?xml"), (".pdf", b"%PDF")])
def test_files(tmp_path, ending, begin):
    figure = certify.gap_figure(certify.gap_curve(certify.nmax(g="1", C=448, dtype="e4m3")))
    certify.save_figure(figure, tmp_path / f"gap{ending}")
    assert (tmp_path / f"gap{ending}").read_bytes().startswith(begin)


def test_refused(tmp_path, monkeypatch):
    curve = certify.gap_curve(certify.nmax(g="1", C=40, dtype="fp16"))
    with pytest.raises(InputError, match=r"\.png, \.svg or \.pdf"):
        certify.save_figure(certify.gap_figure(curve), tmp_path / "gap.jpg")
    with pytest.raises(FpcertError, match="cannot write"):
        certify.save_figure(certify.gap_figure(curve), tmp_path / "nowhere" / "gap.png")
    with pytest.raises(UnsupportedError, match="f_large"):
        certify.gap_curve(certify.nmax(g="1", C="0.5", dtype="fixed:12.11"))
    with pytest.raises(UnsupportedError, match="one rotary pair"):
        certify.gap_curve(certify.nmax(theta=["1", "0.1"], C=40, dtype="fp16"))
    with pytest.raises(UnsupportedError, match="f_large"):
        certify.scale_curve(g="1", dtype="fixed:12.11")
    with pytest.raises(InputError, match="single offset"):
        certify.scale_curve(g="1", k="1,2")
    with pytest.raises(InputError, match="scales"):
        certify.scale_curve(g="1", scales=[])
    with pytest.raises(UnsupportedError, match="beyond the range of binary64"):
        certify.gap_figure(certify.gap_curve(certify.nmax(g="1", C="1e4000", dtype="fp128", max_length=100)))
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'fpcert\[plot\]'"):
        certify.gap_figure(curve)


def test_short():
    assert [short(x) for x in (1.0, 1e12, 1e-7, 3026950.4, 0.5)] == ["1", "1e12", "1e-7", "3.02695e6", "0.5"]
    assert short(float(parse_number("2/3"))) == "0.666667"


def test_a_long_range_has_a_logarithmic_axis(tmp_path):
    curve = certify.scale_curve(g="1", dtype="fp32", scales=[1, 10**4, 10**6, 10**12])
    figure = certify.scale_figure(curve)
    assert figure.axes[0].get_yscale() == "symlog"
    assert figure.axes[0].get_ylim()[1] > curve.points[-1].ideal
    certify.save_figure(figure, tmp_path / "scale.png")  # a layout that does not fit would be a warning
