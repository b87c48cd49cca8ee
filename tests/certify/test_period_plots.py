"""The picture of `period`: the data behind it is what the verdicts and the rotations say.  No pixels are compared."""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from certify.head_effects.errors import block_errors
from certify.periodicity.collision import Collision
from certify.periodicity.component import decide
from certify.periodicity.compute import period
from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import Verdict
from certify.plots.figure_file import save_figure
from certify.plots.period_data import BY_REFERENCE, period_curve
from certify.plots.period_figure import period_figure
from fpsim.angle import Angle
from fpsim.errors import UnsupportedError
from fpsim.realization import Given
from fpsim.valueset import ValueSet

matplotlib = pytest.importorskip("matplotlib")

STAYS, REPEATS = "stays at one block for ever", "repeats for ever"
MET, LEAVES = "first block that was met before", "leaves the value set: NaN"


def legend(axes):
    return [text.get_text() for text in axes.get_legend().get_texts()]


def with_verdict(result, verdict):
    """The same result with this verdict on every component, and no collision known."""
    components = [replace(one, verdict=verdict, collision=Collision(None, "")) for one in result.components]
    return replace(result, components=tuple(components))


KINDS = [("phase", "bf16"), ("counter", "fp16"), ("recurrence", "e5m2"), ("ideal", "e4m3")]


@pytest.mark.parametrize(("kind", "name"), KINDS)
def test_rows_and_curves(kind, name):
    result = period(base="1e4", dim=16, dtype=name, realize=kind)
    curve = period_curve(result, reach=5000)
    assert curve.title == str(result).splitlines()[0].rstrip(".")
    assert [row.component for row in curve.rows] == list(range(8))
    for row, component in zip(curve.rows, result.components, strict=True):
        assert row.wavelength == pytest.approx(2 * math.pi * 10 ** (row.component / 2), rel=1e-14)
        assert (row.verdict, row.first_collision) == (component.verdict, component.collision.pair)
    assert [one.component for one in curve.curves] == [0, 4, 7]
    for one in curve.curves:
        angles, _, _ = block_errors(result.components[one.component].rotation, 0, 5000)
        assert one.ranges[0][0] == 1
        defined = np.flatnonzero(~np.isnan(angles))
        assert one.ranges[-1][0] <= defined[-1] <= one.ranges[-1][1] <= 4999
        for first, last, error in one.ranges:
            assert last <= first * 2**0.25 + 1
            greatest = np.nanmax(angles[first : last + 1])
            assert error == greatest or (error == 0 and greatest < 1e-15)
        assert all(after[0] == before[1] + 1 for before, after in pairwise(one.ranges))


def test_the_curves_are_of_the_fastest_a_middle_and_the_slowest():
    curve = period_curve(period(theta="0.1, 0, -3, 0.5, 1e-3, 2pi/7", dtype="fp16"), reach=10)
    assert [one.component for one in curve.curves] == [2, 3, 4]
    assert [row.wavelength for row in curve.rows][1] is None


def test_json():
    curve = period_curve(period(theta="1, 0", dtype="fp16", realize="phase"), reach=100)
    shown = json.loads(json.dumps(curve.to_json(), sort_keys=True))
    assert shown["rows"][0]["leaves_F_at"] == 65520
    assert shown["rows"][0]["first_collision"] == list(curve.rows[0].first_collision)
    assert shown["rows"][1]["wavelength"] is None
    assert shown["rows"][1]["period"] == 1
    assert [one["component"] for one in shown["curves"]] == [0]
    assert shown["curves"][0]["ranges"][0] == {"first": 1, "last": 1, "angle_error": curve.curves[0].ranges[0][2]}


def test_an_array_ends_where_it_ends():
    places = np.arange(50) % 10
    given = Given(Angle.parse("1"), ValueSet.parse("fp64"), np.cos(places), np.sin(places))
    component = Component(0, "1", None, decide(given), Collision(None, ""), given)
    result = PeriodResult((component,), "given", "fp64", "array")
    curve = period_curve(result)
    assert curve.curves[0].ranges[-1][1] == 49
    assert curve.rows[0].verdict.period == 10
    assert "period of the window that was given" in legend(period_figure(curve).axes[0])
    without = period_curve(replace(result, components=(replace(component, theta=None),)))
    assert without.curves == ()
    assert without.rows[0].wavelength is None
    assert [text.get_text() for text in period_figure(without).axes[1].texts] == ["no exact angles to compare with"]


def test_a_value_set_that_only_the_reference_serves():
    curve = period_curve(period(theta="1", dtype="fp128", positions=100))
    assert curve.curves[0].ranges[-1][1] == BY_REFERENCE - 1
    assert all(error == 0 for _, _, error in curve.curves[0].ranges)


@pytest.mark.parametrize("dim", [2, 16, 128])
def test_a_figure_of_any_number_of_components(dim, tmp_path):
    curve = period_curve(period(base="1e4", dim=dim, dtype="fp16", realize="phase"), reach=5000)
    figure = period_figure(curve)
    rows, errors = figure.axes
    assert rows.get_xscale() == errors.get_xscale() == errors.get_yscale() == "log"
    title = figure.get_suptitle().replace("\n", " ")
    assert title.startswith("Not component-periodic")
    assert "phase in fp16" in title
    assert {"wavelength $2\\pi/\\theta$", MET, LEAVES} <= set(legend(rows))
    marks = {line.get_label(): line for line in rows.lines}
    assert sorted(marks[LEAVES].get_ydata()) == list(range(dim // 2))
    assert set(marks[LEAVES].get_xdata()) == {65520.0}
    assert list(zip(marks[MET].get_xdata(), marks[MET].get_ydata(), strict=True)) == [
        (row.first_collision[1], row.component) for row in curve.rows if row.first_collision
    ]
    assert len([line for line in errors.lines if "component" in line.get_label()]) == min(3, dim // 2)
    for ending in ("png", "svg", "pdf"):
        save_figure(figure, tmp_path / f"period.{ending}")
        assert (tmp_path / f"period.{ending}").stat().st_size > 1000


@pytest.mark.parametrize(("label", "alone"), [(STAYS, True), (REPEATS, False)])
def test_bands_begin_where_the_repetition_does(label, alone):
    curve = period_curve(period(base="1e4", dim=16, dtype="e5m2", realize="recurrence"), reach=100)
    rows, _ = period_figure(curve).axes
    (bars,) = [container for container in rows.containers if container.get_label() == label]
    got = sorted((bar.get_y() + bar.get_height() / 2, bar.get_x()) for bar in bars)
    belong = [row for row in curve.rows if row.verdict.eventual_period and (row.verdict.eventual_period == 1) == alone]
    assert got == [pytest.approx((row.component, max(row.verdict.preperiod, 0.8))) for row in belong]
    assert all(bar.get_x() + bar.get_width() == pytest.approx(rows.get_xlim()[1]) for bar in bars)


def test_what_lies_beyond_the_axis_is_said():
    result = period(theta="1", dtype="fp32", realize="phase", positions=1000)
    rows, _ = period_figure(period_curve(result, reach=100)).axes
    assert f"{LEAVES}, beyond the edge at $3.4\\cdot 10^{{38}}$" in legend(rows)
    assert rows.get_xlim()[1] < 1e6
    huge = Verdict("periodic", "finite-table", "", 10**400, 0, 10**400)
    rows, _ = period_figure(period_curve(with_verdict(result, huge), reach=9)).axes
    assert "period, beyond the edge at more than $10^{308}$" in legend(rows)


def test_no_error_and_no_verdict(tmp_path):
    open_question = Verdict("undecided", None, "the search ended")
    undecided = with_verdict(period(theta="1, 0.1", dtype="fp64"), open_question)
    figure = period_figure(period_curve(undecided, reach=100))
    assert "undecided" in legend(figure.axes[0])
    assert any("below $10^{-15}$" in text for text in legend(figure.axes[1]))
    save_figure(figure, tmp_path / "undecided.png")
    figure = period_figure(period_curve(period(theta="0", dtype="fp16")))
    save_figure(figure, tmp_path / "still.png")


def test_without_matplotlib(monkeypatch):
    curve = period_curve(period(theta="1", dtype="fp16"), reach=10)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'fpcert\[plot\]'"):
        period_figure(curve)


@pytest.mark.filterwarnings("error")
def test_the_positions_of_an_array_are_drawn():
    """Also where neither a period nor a collision is known."""
    curve = period_curve(period(array=np.float16(np.stack([np.cos(np.arange(64)), np.sin(np.arange(64))], 1))))
    assert (curve.rows[0].known, curve.to_json()["rows"][0]["known"]) == (64, 64)
    rows, errors = period_figure(curve).axes
    (bars,) = rows.containers
    assert bars.get_label() == "the positions that were given"
    assert bars[0].get_x() + bars[0].get_width() == pytest.approx(63)
    assert errors.get_legend() is None
    assert not errors.lines
    one = period_curve(period(array=np.float16([[1, 0]])))
    assert [axes.get_legend() is None for axes in period_figure(one).axes] == [False, True]


def test_wavelengths_of_two_kinds_of_layers_are_two_lines():
    layers = {
        "a": {"rope_type": "linear", "rope_theta": 100, "factor": 8},
        "b": {"rope_type": "default", "rope_theta": 100},
    }
    result = period(config={"head_dim": 16, "rope_parameters": layers}, dtype="bf16", positions=10)
    rows, _ = period_figure(period_curve(result, reach=10)).axes
    (line,) = [line for line in rows.lines if line.get_label().startswith("wavelength")]
    gaps = np.flatnonzero(np.isnan(line.get_xdata()))
    assert gaps.tolist() == [8]
    assert np.delete(line.get_ydata(), gaps).tolist() == list(range(16))


def test_turns_too_small_for_compiled_code_have_short_curves():
    curve = period_curve(period(theta="1e-100", dtype="fp64", realize="phase", positions=10))
    assert curve.curves[0].ranges[-1][1] == BY_REFERENCE - 1
