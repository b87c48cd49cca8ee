"""`fpcert verify`."""

from __future__ import annotations

import json

import pytest

from certify.compiling.compute import compile_formula
from certify.counterexamples import alternating
from certify.counterexamples.counterexample import in_order
from fpsim.transformer.files.model_file import save_model

FORMULA = "P(a & !P true) & MOD(1,2)"


@pytest.fixture(scope="module")
def model(tmp_path_factory):
    path = tmp_path_factory.mktemp("models") / "model.safetensors"
    save_model(compile_formula(FORMULA, dtype="e5m2", alphabet="ab").model, path)
    return str(path)


def test_agreement(fpcert, model):
    done = fpcert("verify", model, FORMULA, "--length", "5", "--json")
    found = json.loads(done.out)
    assert done.code == 0
    assert list(found) == sorted(found)
    assert {key: found[key] for key in ("agree", "exhaustive_to", "words", "all_lengths", "counterexample")} == {
        "agree": True, "exhaustive_to": 5, "words": 63, "all_lengths": True, "counterexample": None,
    }  # fmt: skip
    assert found["automaton"]["states"] == found["states"] == 4
    assert found["precision"] == "e5m2"
    text = fpcert("verify", model, FORMULA, "--length", "5").out
    assert text.startswith("The model recognizes the language, at all lengths.")


def test_a_counterexample(fpcert, model):
    done = fpcert("verify", model, "P a & MOD(1,2)", "--length", "5", "--json")
    found = json.loads(done.out)
    assert done.code == 1
    assert (found["counterexample"], found["accepted"], found["agree"]) == ("ba", False, False)
    assert (found["exhaustive_to"], found["all_lengths"]) == (1, False)


def test_a_dfa(fpcert, model, tmp_path):
    file = tmp_path / "dfa.json"
    file.write_text(json.dumps({"alphabet": ["a", "b"], "states": 1, "initial": 0, "accepting": [], "delta": [[0, 0]]}))
    done = fpcert("verify", model, "--dfa", str(file), "--length", "3", "--json")
    assert (done.code, json.loads(done.out)["counterexample"]) == (1, "aa")


def test_undecided(fpcert, tmp_path):
    path = tmp_path / "reverse.json"
    save_model(in_order(alternating("e5m2").model, "reverse"), path)
    done = fpcert("verify", str(path), "P a", "--length", "9", "--max-words", "4")
    assert done.code == 3
    assert "undecided" in done.out
    assert "read from left to right" in done.out


def test_usage(fpcert, model, tmp_path):
    assert fpcert("verify", model, "--length", "3").code == 2
    assert fpcert("verify", model, "P a", "--dfa", "x.json", "--length", "3").code == 2
    assert fpcert("verify", model, "P a").code == 2
    done = fpcert("verify", model, "P (a", "--length", "2")
    assert (done.code, "balanced" in done.err) == (2, True)
    assert fpcert("verify", str(tmp_path / "none.safetensors"), "P a", "--length", "2").code == 2
    assert fpcert("verify", model, "P c", "--length", "2").code == 2


def test_a_certificate(fpcert, model, tmp_path):
    file = tmp_path / "claim.json"
    assert fpcert("verify", model, FORMULA, "--length", "4", "--certificate", str(file)).code == 0
    first, second = tmp_path / "claim-1.json", tmp_path / "claim-2.json"
    assert fpcert("check", str(first), "--model", model).code == 0
    assert fpcert("check", str(second), "--model", model).code == 3
    assert fpcert("check", str(first)).code == 4
    alone = fpcert("verify", model, FORMULA, "--length", "4", "--no-all-lengths", "--certificate", str(file))
    assert (alone.code, fpcert("check", str(file), "--model", model).code) == (0, 0)
