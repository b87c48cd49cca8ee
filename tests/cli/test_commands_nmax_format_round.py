"""`fpcert format`, `round` and `nmax`: JSON keys, exit codes, messages."""

import json

import pytest


def test_headline(fpcert):
    done = fpcert("nmax", "--g", "1.0", "--C", "40", "--dtype", "fp16", "--k", "1")
    assert done.code == 0
    assert done.err == ""
    for part in ("= 5", "17.34375", "i = 7", "j = 0", "40.03125", "38.4375", "1.59375", "exact arithmetic", "usable"):
        assert part in done.out


def test_headline_json(fpcert):
    done = fpcert("nmax", "--g", "1.0", "--C", "40", "--dtype", "fp16", "--k", "1", "--json")
    shown = json.loads(done.out)
    assert (shown["n_max"], shown["status"], shown["usable"], shown["f_large"]) == (5, "exact", True, 17.34375)
    assert list(shown) == sorted(shown)


def test_list_of_offsets(fpcert):
    shown = json.loads(fpcert("nmax", "--g", "1", "--C", "10000", "--k", "1,2", "--json").out)
    assert shown["n_max"] == min(result["n_max"] for result in shown["results"])


def test_undefined_is_an_answer(fpcert):
    done = fpcert("nmax", "--g", "1", "--C", "1", "--dtype", "nf4", "--json")
    assert done.code == 0
    assert json.loads(done.out)["status"] == "undefined"
    assert "undefined" in fpcert("nmax", "--g", "1", "--C", "1", "--dtype", "nf4").out


def test_a_limit_is_exit_code_3(fpcert):
    done = fpcert("nmax", "--g", "1", "--C", "10000", "--max-length", "20", "--method", "exhaustive", "--json")
    assert done.code == 3
    assert json.loads(done.out)["lower"] == 20


@pytest.mark.parametrize(("arguments", "text"), [
    (("--g", "0", "--C", "4"), "other than 0"), (("--g", "1", "--C", "0"), "greater than 0"), (("--g", "1", "--C", "-3"), "greater than 0"),
    (("--g", "1", "--C", "many"), "finite number"), (("--g", "1", "--C", "40", "--k", "0"), "at least 1"),
    (("--g", "1", "--C", "1e6"), "65504"), (("--g", "1", "--C", "4", "--dtype", "fp15"), "did you mean"),
    (("--g", "1", "--C", "4", "--dtype", "grid:/no/such"), "readable"), (("--g", "one", "--C", "4"), "angle"),
    (("--C", "4"), "--g"), (("--g", "1", "--C", "4", "--criterion", "luck"), "criterion"),
])  # fmt: skip
def test_bad_input_is_exit_code_2_with_a_message(fpcert, arguments, text):
    done = fpcert("nmax", *arguments)
    assert done.code == 2
    assert text in done.err
    assert "Traceback" not in done.err
    assert done.out == ""


def test_stochastic_is_unsupported(fpcert):
    done = fpcert("nmax", "--g", "1", "--C", "4", "--dtype", "fp16:stochastic=1")
    assert done.code == 4
    assert "stochastic" in done.err


def test_format(fpcert):
    shown = json.loads(fpcert("format", "e4m3", "--json").out)
    expected = {"name": "e4m3", "size": 253, "max": 448.0, "max_exact": "448", "min_positive": 0.001953125, "f_large": 7.0,
                "f_large_exact": "7", "overflow": "nan", "rounding": "even", "stagnation": 16.0}  # fmt: skip
    assert {key: shown[key] for key in expected} == expected
    assert "f_large" in fpcert("format", "fp16").out


@pytest.mark.parametrize("name", ["fp128", "e20m200", "nf4", "fp16:stochastic=3", "fixed:8.4", "fp64", "fp16:up"])
def test_format_of_every_kind(fpcert, name):
    assert fpcert("format", name).code == 0
    assert json.loads(fpcert("format", name, "--json").out)["name"] == name


def test_round(fpcert):
    done = fpcert("round", "fp16", "2049", "-17.3", "exp(-17.3)", "cos(44)", "1e6", "nan", "--json")
    rounded = [row["rounded"] for row in json.loads(done.out)["values"]]
    assert rounded == [2048.0, -17.296875, 2**-24, 1.0, "inf", "nan"]
    assert "below" in fpcert("round", "fp16", "0.1").out


@pytest.mark.parametrize(
    "arguments", [("fp16",), ("fp16", "x"), ("fp15", "1"), ("fp16", "exp(1e9)"), ("fp16", "sin(x)")]
)
def test_round_bad_input(fpcert, arguments):
    assert fpcert("round", *arguments).code == 2


@pytest.mark.parametrize("arguments", [("--dtype", "fp16", "1"), ("fp16", "1", "--dtype", "2")])
def test_round_has_no_such_option(fpcert, arguments):
    done = fpcert("round", *arguments)
    assert (done.code, "No such option '--dtype'" in done.err) == (2, True)


def test_output_file(fpcert, tmp_path):
    path = tmp_path / "out.json"
    assert fpcert("format", "fp16", "--json", "-o", str(path)).out == ""
    assert json.loads(path.read_text())["name"] == "fp16"
