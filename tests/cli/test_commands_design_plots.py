"""`fpcert design`, and the pictures of `fpcert nmax`."""

import json
import sys

import pytest


def test_design(fpcert):
    done = fpcert("design", "--dtype", "fp16", "--length", "100", "--k", "1,2,3", "--json")
    shown = json.loads(done.out)
    assert done.code == 0
    assert shown["found"] is True
    assert {"found", "g", "C", "dtype", "n_max", "limit"} <= shown.keys()
    again = fpcert("nmax", "--g", shown["g"], "--C", shown["C"], "--dtype", shown["dtype"], "--k", "1,2,3", "--json")
    assert json.loads(again.out)["n_max"] == shown["n_max"] >= 100


@pytest.mark.parametrize(
    ("arguments", "code"),
    [(("--dtype", "e4m3", "--length", "15"), 0), (("--dtype", "e4m3", "--length", "30", "--tries", "3"), 3),
     (("--dtype", "e4m3", "--length", "500", "--tries", "3"), 0), (("--dtype", "eXmY", "--length", "7"), 0),
     (("--dtype", "e4m3", "--length", "0"), 2), (("--dtype", "e4m3", "--length", "2", "--k", "3"), 2),
     (("--dtype", "exmy", "--length", "2"), 2), (("--length", "many"), 2), ((), 2), (("--length", "3", "--k", "0"), 2),
     (("--dtype", "fp16:stochastic=1", "--length", "3"), 4)],
)  # fmt: skip
def test_design_exit_codes(fpcert, arguments, code):
    done = fpcert("design", *arguments)
    assert done.code == code
    assert bool(done.err) == (code in (2, 4))
    assert bool(done.out) != bool(done.err)


def test_design_command_that_it_prints(fpcert):
    lines = fpcert("design", "--dtype", "e4m3", "--length", "10", "--criterion", "weight").out.splitlines()
    (command,) = (line.partition("fpcert ")[2].split() for line in lines if "fpcert nmax" in line)
    assert json.loads(fpcert(*command, "--json").out)["n_max"] >= 10


def test_plot(fpcert, tmp_path):
    pytest.importorskip("matplotlib")
    gap, scale = tmp_path / "gap.svg", tmp_path / "scale.png"
    done = fpcert(
        "nmax", "--g", "1", "--C", "256", "--dtype", "e4m3", "--plot", str(gap), "--plot-scale", str(scale), "--json"
    )
    shown = json.loads(done.out)
    assert (done.code, shown["n_max"]) == (0, 5)
    assert gap.read_bytes().startswith(b"<?xml")
    assert scale.read_bytes().startswith(b"\x89PNG")
    points = shown["gap_curve"]["points"]
    assert max(point["length"] for point in points if point["gap"] >= shown["f_large"]) == 5
    assert {"C": "256", "lower": 5, "upper": 5, "ideal": 18} in shown["scale_curve"]["points"]


def test_plot_refused(fpcert, tmp_path, monkeypatch):
    head = ("nmax", "--g", "1", "--C", "40", "--dtype", "fp16")
    done = fpcert(*head, "--plot", str(tmp_path / "gap.jpg"))
    assert (done.code, done.out) == (2, "")
    assert ".pdf" in done.err
    assert fpcert(*head, "--plot", str(tmp_path / "nowhere" / "gap.png")).code == 2
    many = fpcert("nmax", "--theta", "1,0.1", "--C", "40", "--plot", str(tmp_path / "gap.png"))
    assert many.code == 4
    assert "N_max" in many.out  # the answer stands
    monkeypatch.setitem(sys.modules, "matplotlib", None)
    monkeypatch.setitem(sys.modules, "matplotlib.figure", None)
    done = fpcert(*head, "--plot", str(tmp_path / "gap.png"))
    assert done.code == 4
    assert "pip install 'fpcert[plot]'" in done.err
    assert done.out == ""
