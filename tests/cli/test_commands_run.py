"""`fpcert run`: words from everywhere, other precisions, what is said of what is wrong."""

import io
import json
import os
import sys
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from gmpy2 import mpq

from fpsim import run_model, save_model
from fpsim.errors import InputError
from fpsim.rounding.reference import round_exact
from fpsim.transformer import Attention, Layer, Linear, Norm, Precision, Rotary, Transformer, rounded
from fpsim.transformer.forward import run
from fpsim.valueset import ValueSet


def make(alphabet=("a", "b"), dtype="fp16", **more):
    rng = np.random.default_rng(len(alphabet))
    part = [Linear(rng.normal(size=(4, 4)), rng.normal(size=4)) for _ in range(4)]
    layer = Layer(Attention(*part, heads=2, rotary=Rotary.of(["1"], heads=2)), attention_norm=Norm(np.ones(4)))
    return rounded(
        Transformer(
            alphabet,
            rng.normal(size=(2 + len(alphabet), 4)),
            (layer,),
            Linear(rng.normal(size=(1, 4))),
            Precision.of(dtype, **more),
        )
    )


@pytest.fixture(scope="module")
def models(tmp_path_factory):
    """A model in a file of each form, and one whose letters are words."""
    folder = tmp_path_factory.mktemp("models")
    one, long = make(), make(("a", "bc", "ab"))
    save_model(one, folder / "m.safetensors")
    save_model(one, folder / "m.json")
    save_model(long, folder / "long.safetensors")
    return SimpleNamespace(
        model=one,
        file=str(folder / "m.safetensors"),
        json=str(folder / "m.json"),
        long=str(folder / "long.safetensors"),
        long_model=long,
    )


@pytest.fixture
def stdin(monkeypatch):
    """Gives bytes to standard input."""

    def give(data):
        monkeypatch.setattr(sys, "stdin", io.TextIOWrapper(io.BytesIO(data)))

    return give


def said(done):
    assert done.code == 0, done.err
    shown = json.loads(done.out)
    return [(each["word"], each["accepted"], each["value"]) for each in shown["words"]]


def expected(model, words):
    outcome = run(model, words)
    return [("".join(word), bool(value > 0), float(value)) for word, value in zip(words, outcome.values, strict=True)]


def test_words_as_arguments(fpcert, models):
    words = ["", "a", "bab", "abab", ""]
    found = said(fpcert("run", models.file, *words, "--json"))
    assert found == expected(models.model, words)
    assert len({accepted for _, accepted, _ in found} | {value for *_, value in found}) > 2
    assert said(fpcert("run", models.json, *words, "--json")) == found


def test_the_table(fpcert, models):
    done = fpcert("run", models.file, "", "bab")
    (_, yes, value), _ = expected(models.model, ["", "bab"])
    lines = done.out.splitlines()
    assert done.err == ""
    assert lines[0] == "precision: fp16"
    assert lines[2].split() == ["word", "accepted", "value"]
    assert lines[3].split() == ['""', "yes" if yes else "no", repr(value)]
    assert lines[4].split()[0] == "bab"


def test_words_from_standard_input_and_from_a_file(fpcert, models, stdin, tmp_path):
    words = ["ab", "", "b"]
    for data in (b"ab\n\nb\n", b"ab\n\nb", b"ab\r\n\r\nb\r\n", b"\xef\xbb\xbfab\n\nb"):
        stdin(data)
        assert said(fpcert("run", models.file, "-", "--json")) == expected(models.model, words)
        (tmp_path / "words.txt").write_bytes(data)
        assert said(fpcert("run", models.file, "--words", str(tmp_path / "words.txt"), "--json")) == expected(
            models.model, words
        )
    stdin(b"b")
    found = said(fpcert("run", models.file, "a", "-", "aa", "--words", str(tmp_path / "words.txt"), "--json"))
    assert found == expected(models.model, ["a", "b", "aa", *words])
    stdin(b"")
    assert said(fpcert("run", models.file, "-", "--json")) == []
    stdin(b"\n")
    assert said(fpcert("run", models.file, "-", "--json")) == expected(models.model, [""])


def test_standard_input_of_a_process(process, models):
    done = process(
        code=(
            "-c",
            "import sys, subprocess as s; print(s.run([sys.executable, '-m', 'fpcert', 'run', sys.argv[1], '-', '--json'], input=b'ab\\n', capture_output=True).stdout.decode())",
            models.file,
        )
    )
    assert [each["word"] for each in json.loads(done.out)["words"]] == ["ab"]


def test_letters_of_several_characters(fpcert, models, stdin):
    found = json.loads(fpcert("run", models.long, "a bc", "ab", "  a   ab ", "", "--json").out)["words"]
    assert [each["word"] for each in found] == ["a bc", "ab", "a ab", ""]
    assert [each["value"] for each in found] == run(
        models.long_model, [["a", "bc"], ["ab"], ["a", "ab"], []]
    ).values.tolist()
    stdin(b"bc bc\n")
    assert said(fpcert("run", models.long, "-", "--json"))[0][0] == "bc bc"
    assert "letter 1" in fpcert("run", models.long, "abc").err


@pytest.mark.parametrize(("options", "keywords", "text"), [
    (["--dtype", "fp32"], {"dtype": "fp32"}, "fp32"), (["--score-dtype", "fp32", "--order", "reverse"], {"score_dtype": "fp32", "order": "reverse"}, "fp16, score fp32, order reverse"),
    (["--softmax-dtype", "bf16", "--output-dtype", "fp32", "--linear-dtype", "fp64", "--rotate-dtype", "e5m2"], {"softmax_dtype": "bf16", "output_dtype": "fp32", "linear_dtype": "fp64", "rotate_dtype": "e5m2"},
     "fp16, rotate e5m2, softmax bf16, output fp32, linear fp64"), (["--dot", "pairwise"], {"dot": "pairwise"}, "fp16, dot pairwise"), (["--fma"], {"fma": True}, "fp16, fma"), (["--no-fma"], {"fma": False}, "fp16"),
])  # fmt: skip
def test_other_precisions(fpcert, models, options, keywords, text):
    done = fpcert("run", models.file, "abba", *options, "--json")
    assert json.loads(done.out) == run_model(models.model, ["abba"], **keywords).to_json()
    assert json.loads(done.out)["precision"] == text
    assert done.err == ""


def test_weights_that_another_format_has_not(fpcert, models):
    done = fpcert("run", models.file, "ab", "--dtype", "e4m3", "--json")
    assert done.code == 0
    assert "Note" in done.err
    assert "rounded into e4m3" in done.err
    in_e4m3 = rounded(Transformer(**{**vars(models.model), "precision": Precision.of("e4m3")}))
    assert json.loads(done.out)["words"][0]["value"] == float(run(in_e4m3, ["ab"]).values[0])
    assert fpcert("run", models.file, "ab", "--dtype", "e4m3", "--quiet").err == ""
    strict = fpcert("run", models.file, "ab", "--dtype", "e4m3", "--strict")
    assert (strict.code, strict.out) == (2, "")
    assert "embedding[0, 0]" in strict.err
    assert fpcert("run", models.file, "ab", "--dtype", "fp32", "--strict").code == 0


def test_a_json_model_with_weights_of_its_own(fpcert, models, tmp_path):
    form = json.loads(Path(models.json).read_text())
    form["numbers"]["embedding"][0][0] = 0.1
    path = tmp_path / "mine.json"
    path.write_text(json.dumps(form))
    done = fpcert("run", str(path), "ab")
    assert done.code == 0
    assert "embedding[0, 0] = 0.1, taken as 0.0999755859375" in done.err
    assert fpcert("run", str(path), "ab", "--strict").code == 2


def test_special_values(fpcert, tmp_path):
    for number, shown in ((np.inf, "inf"), (np.nan, "nan"), (-np.inf, "-inf")):
        model = Transformer(("a",), np.full((3, 1), number), (), Linear([[1.0]]), Precision.of("fp16"))
        save_model(model, tmp_path / "m.safetensors")
        (word,) = json.loads(fpcert("run", str(tmp_path / "m.safetensors"), "a", "--json").out)["words"]
        assert word == {"word": "a", "value": shown, "accepted": number > 0}
        assert shown in fpcert("run", str(tmp_path / "m.safetensors"), "a").out
    exact = Transformer(("a",), [["1/3"]] * 3, (), Linear([[1]]), Precision.of("fp128"))
    save_model(rounded(exact), tmp_path / "m.safetensors")
    (word,) = json.loads(fpcert("run", str(tmp_path / "m.safetensors"), "a", "--json").out)["words"]
    assert word["value"] == str(round_exact(ValueSet.parse("fp128"), mpq(1, 3)))


def test_describe(fpcert, models):
    done = fpcert("run", models.file, "--describe")
    assert "heads: 2\n" in done.out
    assert "alphabet: a, b\n" in done.out
    shown = json.loads(fpcert("run", models.long, "--describe", "--json").out)
    assert shown["description"]["alphabet"] == ["a", "bc", "ab"]
    assert shown["description"]["layers"][0]["attention"]["rotary"] == {"angles": [["1"], ["1"]], "kind": "ideal"}
    assert shown["parameters"] == sum(np.prod(shape) for shape in shown["description"]["arrays"].values())


@pytest.mark.parametrize(("arguments", "text"), [
    (("ac",), "word 1, letter 2: cannot take c; it should be one of a, b"), (("a", "a b"), "word 2, letter 2"), ((), "no words"), (("-", "-"), "once"), (("--words", "/no/such"), "No such file"),
    (("--words", "/dev/zero"), "plain file"), (("a", "--dtype", "fp15"), "did you mean"), (("a", "--order", "random"), "order"), (("a", "--dot", "blocked:0"), "blocked"), (("a", "--josn"), "--josn"), (("-a",), "-a"),
])  # fmt: skip
def test_bad_input(fpcert, models, arguments, text):
    done = fpcert("run", models.file, *arguments)
    assert (done.code, done.out) == (2, "")
    assert text in done.err
    assert "Traceback" not in done.err


def test_words_that_begin_with_a_dash_are_words_after_two(fpcert, models):
    assert "letter 1" in fpcert("run", models.file, "--", "-a").err


def test_bad_bytes(fpcert, models, stdin, tmp_path):
    stdin(b"a\n\xff\n")
    assert "UTF-8" in fpcert("run", models.file, "-").err
    (tmp_path / "m.safetensors").write_bytes(b"\x80\x04N.")
    done = fpcert("run", str(tmp_path / "m.safetensors"), "a")
    assert done.code == 2
    assert "never loaded" in done.err
    os.mkfifo(tmp_path / "pipe")
    assert fpcert("run", str(tmp_path / "pipe"), "a").code == 2
    assert fpcert("run", models.file, "--words", str(tmp_path / "pipe")).code == 2


@pytest.mark.parametrize("options", [("--dtype", "fp16:stochastic=1"), ("--fma", "--order", "pairwise")])
def test_what_is_unsupported(fpcert, models, options):
    done = fpcert("run", models.file, "a", *options)
    assert done.code == 4
    assert done.out == ""


def test_the_function(models):
    result = run_model(models.file, ["ab", ["a", "b"]])
    assert result.words[0] == result.words[1]
    assert result.words[0].word == "ab"
    steps = []
    run_model(models.model, ["a", "b", "ab"], progress=lambda done, total: steps.append((done, total)))
    assert steps[-1] == (3, 3)
    for model, words, text in (
        (models.model, "ab", "words"),
        (3, ["a"], "model"),
        (models.model, [["a", "x"]], "letter 2"),
    ):
        with pytest.raises(InputError, match=text):
            run_model(model, words)
