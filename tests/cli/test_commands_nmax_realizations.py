"""`fpcert nmax --realize`: every realization, arrays in files, and their exit codes."""

import json

import numpy as np
import pytest

from fpsim.angle import Angle
from fpsim.realization import realize
from fpsim.valueset import ValueSet


@pytest.fixture
def array(tmp_path):
    """An array of 20 positions of the ideal rotation in fp16, in a file."""
    rotation = realize("ideal", Angle.parse("1"), ValueSet.parse("fp16"))
    path = tmp_path / "cos_sin.npy"
    np.save(path, np.array([[float(entry) for entry in rotation.block(i)] for i in range(20)]).astype(np.float16))
    return path


@pytest.mark.parametrize(("kind", "n_max"), [("ideal", 44), ("phase", 44), ("counter", 44), ("recurrence", 43)])
def test_every_realization(fpcert, kind, n_max):
    done = fpcert("nmax", "--g", "1", "--C", "60000", "--realize", kind, "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["n_max"], shown["status"], shown["realize"]) == (0, n_max, "exact", kind)


def test_a_table(fpcert):
    assert (
        json.loads(fpcert("nmax", "--g", "2pi*3/44", "--C", "60000", "--realize", "table", "--json").out)["n_max"] == 43
    )
    done = fpcert("nmax", "--g", "1", "--C", "40", "--realize", "table")
    assert (done.code, done.out) == (2, "")
    assert "rational multiple of pi" in done.err


def test_an_array_ends_the_search(fpcert, array):
    done = fpcert("nmax", "--g", "1", "--C", "60000", "--realize", f"array:{array}", "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["n_max"], shown["status"], shown["upper"]) == (3, 18, "at_least", None)
    assert shown["reason"] == "the array ends at position 19"
    assert shown["realize"] == f"array:{array}"
    done = fpcert("nmax", "--g", "1", "--C", "40", "--realize", f"array:{array}", "--cross-check")
    assert done.code == 0
    assert "= 5" in done.out
    assert "agree with mpmath" in done.out


def test_bad_arrays_are_exit_code_2(fpcert, array, tmp_path):
    text = tmp_path / "bad.csv"
    text.write_text("1,0\n0.5,abc\n")
    for name, arguments, message in (
        (tmp_path / "missing.npy", (), "exists"), (tmp_path, (), "not a folder"), (text, (), "line 2, column 2"), ("", (), "exists"),
        (array, ("--dtype", "e2m1"), "value of e2m1"), (array, ("--k", "19"), "at most 18"),
    ):  # fmt: skip
        done = fpcert("nmax", "--g", "1", "--C", "4", "--realize", f"array:{name}", *arguments)
        assert (done.code, done.out) == (2, "")
        assert message in done.err
    done = fpcert("nmax", "--theta", "1,0.1", "--C", "4", "--realize", f"array:{array}")
    assert (done.code, "1 pairs" in done.err) == (2, True)


def test_a_design_for_a_realization(fpcert, array):
    done = fpcert("design", "--length", "20", "--realize", "recurrence", "--json")
    shown = json.loads(done.out)
    assert (done.code, shown["found"], shown["realize"]) == (0, True, "recurrence")
    done = fpcert("design", "--length", "20", "--realize", f"array:{array}")
    assert (done.code, "made from an angle" in done.err) == (2, True)
