"""`fpcert trace`: keys, exit codes, messages, pictures."""

from __future__ import annotations

import json

import pytest

from certify.counterexamples import alternating, erasing_clock
from fpsim.tracing import compute
from fpsim.transformer.files.model_file import save_model


@pytest.fixture
def model(tmp_path):
    path = tmp_path / "ab.safetensors"
    save_model(alternating("fp16").model, path)
    return str(path)


PLACE = ("--layer", "0", "--head", "0")


def answer(fpcert, *arguments):
    done = fpcert("trace", *arguments, "--json")
    return done.code, json.loads(done.out)


def test_json(fpcert, model):
    code, shown = answer(fpcert, model, "ab", *PLACE)
    assert code == 0
    assert list(shown) == sorted(shown)
    assert (shown["word"], shown["symbols"], shown["precision"], shown["mask"]) == (
        "ab",
        ["BOS", "a", "b", "EOS"],
        "fp16",
        "strict",
    )
    last = shown["rows"][3]
    assert (last["target"], last["scores"], last["denominator"], last["weights"][0]) == (0, [0, -8, -8], 1, 1)
    assert last["denominator_exact"] == pytest.approx(1.0006709252558)
    stays = [event for event in shown["events"] if event["kind"] == "stagnation"]
    assert [(event["query"], event["key"], event["count"]) for event in stays] == [(2, 1, 1), (3, 1, 2)]


def test_text(fpcert, model):
    done = fpcert("trace", model, "ab", *PLACE)
    assert (done.code, done.err) == (0, "")
    for text in (
        'Layer 0 of 1, head 0 of 1 (counted from 0), on "ab" (4 positions): fp16, strict mask.',
        "stagnation in the denominator: a term other than 0 leaves the sum as it was (3 places in 2 rows from 2 to 3)",
        "query 2, key 1: 1 + 0.000335455 stays 1",
        "key 0 has the weight 1, the exact one is 0.00033535 less; the others add up to 0.000335455",
    ):
        assert text in done.out


def test_some_rows(fpcert, model):
    assert [
        row["query"] for row in answer(fpcert, model, "abab", *PLACE, "--row", "5,1-2", "--row", "2")[1]["rows"]
    ] == [1, 2, 5]
    out = fpcert("trace", model, "ab", *PLACE, "--row", "3").out
    assert "  key       score  exact  exponential  weight       exact" in out
    for wrong, message in (("x", "'x' is no position"), ("3-1", "no range of positions"), ("-1", "no position")):
        done = fpcert("trace", model, "ab", *PLACE, f"--row={wrong}")
        assert done.code == 2
        assert message in done.err
    done = fpcert("trace", model, "ab", *PLACE, "--row", "4")
    assert done.code == 2
    assert "row (the word has 4 positions, BOS and EOS among them): cannot take 4" in done.err


def test_the_empty_word(fpcert, model):
    code, shown = answer(fpcert, model, "", *PLACE)
    assert (code, [row["keys"] for row in shown["rows"]], shown["events"]) == (0, [0, 1], [])
    assert "rounding moved numbers, and nothing else" in fpcert("trace", model, "", *PLACE).out


def test_another_precision(fpcert, model):
    code, shown = answer(fpcert, model, "aabb", *PLACE, "--order", "reverse", "--dtype", "bf16")
    assert (code, shown["precision"]) == (0, "bf16, order reverse")
    assert shown["rows"][5]["denominator"] == 1
    model_in_fp16 = fpcert("trace", model, "ab", *PLACE, "--dtype", "e2m1")
    assert model_in_fp16.code == 0
    assert "Note: 2 numbers of 1 parameter rounded into e2m1" in model_in_fp16.err
    assert fpcert("trace", model, "ab", *PLACE, "--dtype", "e2m1", "--quiet").err == ""
    strict = fpcert("trace", model, "ab", *PLACE, "--dtype", "e2m1", "--strict")
    assert strict.code == 2
    assert "embedding[2, 1]" in strict.err


def test_what_there_is_not(fpcert, model, tmp_path, monkeypatch):
    for arguments, message in (
        (
            (model, "ab", "--layer", "1", "--head", "0"),
            "layer: cannot take 1; it should be between 0 and 0: this model has 1 layer",
        ),
        (
            (model, "ab", "--layer", "0", "--head", "3"),
            "head: cannot take 3; it should be between 0 and 0: layer 0 has 1 head",
        ),
        ((model, "abc", *PLACE), "letter 3 of the word: cannot take c; it should be one of a, b"),
        ((str(tmp_path / "none.safetensors"), "a", *PLACE), "none.safetensors"),
        ((model, "ab", "--layer", "0"), "Missing option '--head'"),
        ((model, "ab", *PLACE, "--plot", "x.jpg"), ".png, .svg or .pdf"),
    ):
        done = fpcert("trace", *arguments)
        assert done.code == 2, done
        assert message in done.err
    monkeypatch.setattr(compute, "MOST", 100)
    done = fpcert("trace", model, "ab" * 10, *PLACE)
    assert done.code == 4
    assert "choose fewer rows" in done.err
    assert fpcert("trace", model, "ab" * 10, *PLACE, "--row", "7").code == 0


def test_plot(fpcert, model, tmp_path):
    pytest.importorskip("matplotlib")
    for name in ("weights.png", "weights.svg", "weights.pdf"):
        done = fpcert("trace", model, "abab", *PLACE, "--plot", str(tmp_path / name))
        assert done.code == 0, done.err
        assert (tmp_path / name).stat().st_size > 1000
    done = fpcert("trace", model, "abab", *PLACE, "--row", "0", "--plot", str(tmp_path / "none.png"))
    assert done.code == 2
    assert "at least one that sees a key" in done.err


def test_a_head_of_three(fpcert, tmp_path):
    save_model(erasing_clock("fp16").model, tmp_path / "clock.safetensors")
    code, shown = answer(fpcert, str(tmp_path / "clock.safetensors"), "bba", "--layer", "0", "--head", "2")
    assert (code, shown["heads"], shown["head"]) == (0, 3, 2)
    assert [event["kind"] for event in shown["events"]] == ["absorption"]


def test_help_and_the_list(fpcert):
    assert "trace" in fpcert("-h").out
    assert "Example: fpcert trace model.safetensors abba --layer 0 --head 1" in fpcert("trace", "-h").out
