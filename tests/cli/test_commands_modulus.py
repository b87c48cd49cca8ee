"""`fpcert modulus`: the moduli, and certificates of them that `fpcert check` verifies."""

import json

import pytest


@pytest.mark.parametrize(
    ("dtype", "expected"), [("e4m3", [*range(2, 11), 12]), ("e5m2", [*range(2, 9)]), ("bf16", [*range(2, 39), 40])]
)
def test_json(fpcert, dtype, expected):
    made = fpcert("modulus", "--dtype", dtype, "--json")
    shown = json.loads(made.out)
    assert made.code == 0
    assert shown["single_pair"] == expected
    assert shown["harmonic"] == list(range(2, 65))
    assert shown["heads"]["single_pair"][str(expected[-1])]["pairs"] == 1


def test_text(fpcert):
    made = fpcert("modulus", "--dtype", "e4m3", "--max", "20")
    assert "one pair (Lemma 3.2)   2-10, 12\n" in made.out
    assert "sum of harmonics       2-20\n" in made.out
    assert "C = 240, baseline 224; i = r: BOS leads by 16 >= 7" in made.out


def test_certificates(fpcert, tmp_path):
    made = fpcert("modulus", "--dtype", "e5m2", "--max", "6", "--certificate", str(tmp_path / "mod.json"))
    assert made.code == 0
    files = sorted(tmp_path.glob("mod-*.json"))
    assert len(files) == 5
    checked = fpcert("check", *map(str, files))
    assert checked.code == 0
    assert "decides MOD(r, 6) for every r, at all lengths" in checked.out


def test_none(fpcert, tmp_path):
    file = tmp_path / "mod.json"
    made = fpcert("modulus", "--dtype", "e4m3", "--order", "pairwise", "--certificate", str(file))
    assert made.code == 0
    assert "a sum of more than 469 exponentials can be NaN" in made.out
    assert not file.exists()
    assert "No certificate" in made.err
    assert json.loads(fpcert("modulus", "--dtype", "fp16:up", "--json").out)["single_pair"] == []


@pytest.mark.parametrize("arguments", [("--max", "1"), ("--max", "1001"), ("--dtype", "x"), ("--order", "up")])
def test_bad_input_ends_with_2(fpcert, arguments):
    assert fpcert("modulus", *arguments).code == 2
