"""`fpcert compile`: what it prints, the model that it writes, and how it refuses."""

import json

import pytest

AB = "!P(a & MOD(0,2)) & !P(b & MOD(1,2)) & MOD(1,2)"  # (ab)*


def test_the_model_decides_the_formula(fpcert, tmp_path):
    file = tmp_path / "model.safetensors"
    made = fpcert("compile", AB, "--dtype", "e4m3", "-o", str(file))
    assert made.code == 0
    assert "for all lengths" in made.out
    for line in ("layers      2", "heads       3 + 2", "coordinate"):
        assert line in made.out
    assert "BOS leads by 7 >= 7" in made.out
    ran = fpcert("run", str(file), "", "ab", "abab", "aba", "ba", "--json")
    assert [word["accepted"] for word in json.loads(ran.out)["words"]] == [True, True, True, False, False]


@pytest.mark.parametrize("encoding", ["rope", "sipe"])
@pytest.mark.parametrize("order", ["sequential", "pairwise"])
def test_json(fpcert, tmp_path, encoding, order):
    file = tmp_path / "model.json"
    options = ("--dtype", "bf16", "--encoding", encoding, "--order", order, "--alphabet", "abc")
    made = fpcert("compile", AB, *options, "-o", str(file), "--json")
    shown = json.loads(made.out)
    assert shown["formula"] == AB
    assert shown["alphabet"] == ["a", "b", "c"]
    assert (shown["encoding"], shown["certified_length"], shown["model"]) == (encoding, None, str(file))
    assert all(float(bound["value"]) >= float(bound["least"]) for each in shown["gadgets"] for bound in each["bounds"])
    assert shown["coordinates"]["MOD(1,2)"] % 2 == 0
    ran = fpcert("run", str(file), "ab", "abc", "--json")
    assert [word["accepted"] for word in json.loads(ran.out)["words"]] == [True, False]


def test_a_length_for_y(fpcert):
    made = fpcert("compile", "Y(a & Y b)", "--dtype", "fp16", "--length", "40", "--json")
    shown = json.loads(made.out)
    assert shown["certified_length"] >= 40
    assert shown["limited_by"].startswith("N_max^(1)")
    text = fpcert("compile", "Y(a & Y b)", "--length", "40", "--no-norms").out
    assert f"words up to length {shown['certified_length']} (N_max^(1)" in text


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("a S b",), "S is not compiled"),
        (("MOD(2,33)", "--alphabet", "a", "--dtype", "e2m1"), "MOD(2,33) in e2m1: with one pair and C = "),
        (("Y a", "--length", "100", "--dtype", "e4m3"), "no head goes beyond 92"),
        (("P a", "--dtype", "e4m3", "--order", "pairwise", "--length", "500"), "exact up to 468 only"),
        (("P a", "--dtype", "fp16:up"), "no f_large"),
    ],
)
def test_what_cannot_be_carried_ends_with_4(fpcert, arguments, message):
    made = fpcert("compile", *arguments)
    assert made.code == 4
    assert message in made.err


@pytest.mark.parametrize(
    "arguments",
    [
        ("P(",), ("true",), ("c", "--alphabet", "ab"), ("a", "--encoding", "alibi"), ("a", "--length", "0"),
        ("a", "--order", "sideways"), ("a", "--dtype", "fp17"), ("F a",), ("a", "-o", "no/such/folder/model.safetensors"), (),
    ],
)  # fmt: skip
def test_bad_input_ends_with_2(fpcert, arguments):
    made = fpcert("compile", *arguments)
    assert made.code == 2
    assert "Traceback" not in made.err
