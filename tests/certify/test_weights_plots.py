"""The pictures of a trace and of stagnation: the data behind them is what the trace and the arithmetic say."""

from __future__ import annotations

import json
import sys

import numpy as np
import pytest
from gmpy2 import mpq

from certify.counterexamples import alternating, uniform_head
from certify.plots.figure_file import save_figure
from certify.plots.stagnation_data import uniform_weights
from certify.plots.stagnation_figure import stagnation_figure
from certify.plots.weights_figure import weight_matrices, weights_figure
from fpsim.errors import InputError, UnsupportedError
from fpsim.tracing import trace

matplotlib = pytest.importorskip("matplotlib")


def maps(axes):
    """The numbers of the last heatmap drawn there."""
    return axes.images[-1].get_array()


def test_three_maps():
    found = trace(alternating("e4m3").model, "abab", 0, 0)
    exact, realized = weight_matrices(found)
    figure = weights_figure(found)
    panels = figure.axes[:3]
    assert [axes.get_title() for axes in panels] == ["exact", "realized", "realized minus exact"]
    for axes, numbers in zip(panels, (exact, realized, realized - exact), strict=True):
        np.testing.assert_array_equal(maps(axes).filled(np.nan), numbers)
    seen = np.tri(6, k=-1, dtype=bool)
    assert (np.isnan(realized) == ~seen).all()
    for n, row in enumerate(found.rows):
        assert realized[n, : row.keys].tolist() == [float(w) for w in row.weights]
    assert panels[0].images[-1].get_clim() == panels[1].images[-1].get_clim() == (0, 1)
    low, high = panels[2].images[-1].get_clim()
    assert low == -high == -np.nanmax(np.abs(realized - exact))
    assert [text.get_text() for text in panels[0].get_xticklabels()] == ["0 BOS", "1 a", "2 b", "3 a", "4 b", "5 EOS"]
    assert figure.get_suptitle() == 'Weights of layer 0, head 0 on "abab": e4m3'


def test_a_long_word_and_files(tmp_path):
    found = trace(uniform_head("bf16", {"a": 1}), "a" * 60, 0, 0)
    figure = weights_figure(found)
    assert len(figure.axes[0].get_xticks()) <= 9
    for ending in ("png", "svg", "pdf"):
        save_figure(figure, tmp_path / f"weights.{ending}")
        assert (tmp_path / f"weights.{ending}").stat().st_size > 1000


def test_nan_is_no_number():
    model = uniform_head("e4m3", {"a": 1})
    found = trace(model, "aa", 0, 0)
    broken = found.rows[3]
    object.__setattr__(broken, "weights", (float("nan"),) * 3)
    panels = weights_figure(found).axes[:3]
    assert panels[1].get_title() == "realized (pink: no number)"
    marked = panels[1].images[0].get_array()
    assert (~marked.mask).nonzero()[0].tolist() == [3, 3, 3]


def test_one_row_is_two_lines():
    figure = weights_figure(trace(alternating("fp16").model, "ab", 0, 0, rows=[3]))
    (axes,) = figure.axes
    exact, realized = axes.lines
    assert realized.get_ydata().tolist()[0] == 1
    assert exact.get_ydata().tolist()[0] == pytest.approx(1 / 1.00067092525580)
    assert axes.get_xlabel() == "key seen by query 3 (EOS)"


def test_nothing_to_draw():
    with pytest.raises(InputError, match="at least one that sees a key"):
        weights_figure(trace(alternating("fp16").model, "ab", 0, 0, rows=[0]))


def test_stagnation():
    curves = uniform_weights(["fp16", "bf16", "e4m3", "e5m2", "fixed:8.3"], 2100)
    for curve, limit in zip(curves, (2048, 256, 16, 8), strict=False):
        assert curve.stagnation == limit
        assert curve.weights[0] == 1
        assert set(curve.weights[limit - 1 :]) == {mpq(1, limit)}
        assert min(curve.weights) == mpq(1, limit)
    assert curves[4].stagnation == mpq(127, 8)
    assert json.loads(json.dumps(curves[3].to_json()))["stagnation"] == 8
    found = trace(uniform_head("e4m3", {"a": 1}), "a" * 20, 0, 0)
    assert [row.weights[0] for row in found.rows[1:]] == list(curves[2].weights[:21])
    axes = stagnation_figure(curves[:4]).axes[0]
    assert len(axes.lines) == 5
    assert axes.lines[1].get_ydata()[-1] == 2**-11
    labels = [text.get_text() for text in axes.get_legend().get_texts()]
    assert labels[1:3] == ["fp16: the sum of ones stays at 2048", "bf16: the sum of ones stays at 256"]


def test_what_cannot_be_drawn(monkeypatch):
    with pytest.raises(InputError, match="keys"):
        uniform_weights(["fp16"], 0)
    with pytest.raises(UnsupportedError, match="stochastic"):
        uniform_weights(["fp16:stochastic=1"], 3)
    with pytest.raises(InputError, match="between 1 and 6"):
        stagnation_figure([])
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    with pytest.raises(UnsupportedError, match=r"pip install 'fpcert\[plot\]'"):
        stagnation_figure(uniform_weights(["fp16"], 3))
