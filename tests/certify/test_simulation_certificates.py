"""Claims about models: verified by the checker's own emulator, refuted where they are false, and its parts one by one."""

from __future__ import annotations

import hashlib
import json
import shutil
import subprocess
import sys
import time
from dataclasses import replace
from itertools import product
from pathlib import Path

import numpy as np
import pytest

import certify.checker
from certify.certificates.checking import check
from certify.certificates.simulations import simulation_certificates
from certify.checker.canonical import canonical
from certify.checker.emulator import Emulator
from certify.checker.limits import Account
from certify.checker.report import MAX_WORK, check_bytes
from certify.checker.transformer import read_transformer
from certify.checker.valueset import ValueSet
from certify.compiling.compute import compile_formula
from certify.counterexamples import alternating, erasing_clock
from certify.counterexamples.counterexample import in_order
from certify.verifying.compute import verify
from fpsim.errors import InputError, UnsupportedError
from fpsim.precision import Precision
from fpsim.transformer.files.model_file import save_model
from fpsim.transformer.forward_reference import classify

FORMULA = "P(a & !P true) & MOD(1,2)"


@pytest.fixture(scope="module")
def saved(tmp_path_factory):
    """A model in a file, and the certificate of its verification up to 4 letters."""
    path = tmp_path_factory.mktemp("models") / "model.safetensors"
    save_model(compile_formula(FORMULA, dtype="e5m2", alphabet="ab").model, path)
    found = verify(path, FORMULA, length=4)
    return path, simulation_certificates(found, path)


def changed(certificate, **fields):
    document = json.loads(certificate)
    document["claim"] |= fields
    return canonical(document)


def test_verified_and_left_open(saved):
    path, (bounded, everywhere) = saved
    found = check(bounded, beside=[path])
    assert (found.report.verdict, found.report.obligations) == ("verified", 31)
    assert "all 31 words of up to 4 letters" in "\n".join(found.report.lines)
    assert hashlib.sha256(path.read_bytes()).hexdigest() in "\n".join(found.report.lines)
    assert json.loads(everywhere)["hints"]["states"] == [2, 3, 5]
    found = check(everywhere, beside=[path])
    assert (found.report.verdict, found.report.obligations) == ("undecided", 31)
    assert check(bounded).report.verdict == "unsupported"
    assert check(bounded, beside=[path], max_work=50).report.verdict == "undecided"


def test_every_change_that_makes_it_false_is_found(saved):
    """Each transition and acceptance of the DFA changed, where a word of up to 4 letters shows it."""
    path, (bounded, _) = saved
    claim = json.loads(bounded)["claim"]
    dfa = claim["dfa"]
    words = [w for n in range(5) for w in product(range(2), repeat=n)]

    def says(one, word):
        q = one["initial"]
        for a in word:
            q = one["delta"][q][a]
        return q in one["accepting"]

    others = [dfa | {"initial": q} for q in range(len(dfa["delta"]))]
    for q, a, to in product(range(len(dfa["delta"])), range(2), range(len(dfa["delta"]))):
        delta = [list(row) for row in dfa["delta"]]
        delta[q][a] = to
        others.append(dfa | {"delta": delta})
    others += [dfa | {"accepting": sorted({q} ^ set(dfa["accepting"]))} for q in range(len(dfa["delta"]))]
    verdicts = set()
    for other in others:
        false = any(says(other, word) != says(dfa, word) for word in words)
        found = check(changed(bounded, dfa=other), beside=[path]).report.verdict
        assert found == ("refuted" if false else "verified")
        verdicts.add(found)
    assert verdicts == {"refuted", "verified"}
    for fields, verdict in (
        ({"order": "reverse"}, "refuted"), ({"length": 0}, "verified"), ({"length": 60}, "undecided"),
        ({"model": "0" * 64}, "unsupported"), ({"dfa": dfa | {"alphabet": ["a", "c"]}}, "refuted"),
    ):  # fmt: skip
        assert check(changed(bounded, **fields), beside=[path]).report.verdict == verdict, fields
    swapped = dfa | {"alphabet": ["b", "a"], "delta": [row[::-1] for row in dfa["delta"]]}
    assert check(changed(bounded, dfa=swapped), beside=[path]).report.verdict == "verified"


def test_a_false_claim_of_all_lengths_is_refuted(saved):
    path, (_, everywhere) = saved
    dfa = json.loads(everywhere)["claim"]["dfa"]
    assert check(changed(everywhere, dfa=dfa | {"accepting": []}), beside=[path]).report.verdict == "refuted"


@pytest.mark.parametrize("options", [
    {"kind": "phase"}, {"kind": "none", "mask": "causal"}, {"kind": "ideal", "norm_at": "pre", "sinusoidal": True},
    {"kind": "recurrence", "layers": 1}, {"kind": "table", "angles": ("2pi/3", "0")}, {"kind": "counter", "norms": False},
])  # fmt: skip
@pytest.mark.parametrize("precision", [
    Precision.of("fp16"), Precision.of("e4m3"), Precision.of("e5m2", fma=True, order="reverse"), Precision.of("bf16", score="fp32", softmax="fp32"),
    Precision.of("fp16:ftz", order="pairwise", dot="blocked:2"), Precision.of("e3m2:up", order="blocked:2", dot="reverse"),
    Precision.of("bf16", linear="fp32", output="fp32", order="wide:fp32", dot="pairwise"),
])  # fmt: skip
def test_the_emulator_beside_the_simulator(tmp_path, models, precision, options):
    """Every value at EOS has the sign that the simulator finds, for random models with every part."""
    model = models.random_model(5, precision, dim=3, **{"layers": 2, "heads": 1, **options})
    path = tmp_path / "model.safetensors"
    save_model(model, path)
    machine = Emulator(read_transformer(path.read_bytes(), Account(10**9)), Account(10**9))
    words = [w for n in range(4) for w in product(range(2), repeat=n)]
    for word in words:
        expected = classify(model, "".join("ab"[a] for a in word)) > 0
        state = machine.start
        for a in word:
            state = machine.read(state, a)
        assert machine.accepts(state) == expected, word


@pytest.fixture(scope="module")
def models():
    import importlib.util

    path = Path(__file__).parents[1] / "fpsim" / "random_models.py"
    spec = importlib.util.spec_from_file_location("tests_random_models", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_counterexamples_and_their_order(tmp_path):
    """The clock recognizes Sigma* a from left to right; in another order the same file claims something false."""
    path = tmp_path / "clock.safetensors"
    save_model(erasing_clock("e4m3").model, path)
    dfa = {"accepting": [1], "alphabet": ["a", "b"], "delta": [[1, 0], [1, 0]], "initial": 0}
    found = verify(path, "Y a", length=5)
    bounded, _ = simulation_certificates(found, path)
    assert json.loads(bounded)["claim"]["dfa"] == dfa
    assert check(bounded, beside=[path]).report.verdict == "verified"
    save_model(in_order(erasing_clock("e4m3").model, "reverse"), path)
    other = changed(bounded, model=hashlib.sha256(path.read_bytes()).hexdigest(), order="reverse")
    assert check(other, beside=[path]).report.verdict == "refuted"


def test_what_the_checker_does_not_read(tmp_path):
    claim = {
        "dfa": {"accepting": [], "alphabet": ["a", "b"], "delta": [[0, 0]], "initial": 0},
        "kind": "simulation",
        "length": 1,
        "order": "sequential",
    }

    def verdict(data):
        parts = {"claim": claim | {"model": hashlib.sha256(data).hexdigest()}, "fpcert": 1, "hints": {"exhaustive_to": 1, "states": None, "words": 3},
                 "producer": {"name": "a test", "version": "0"}, "semantics": 1}  # fmt: skip
        file = tmp_path / "model"
        file.write_bytes(data)
        found = check(canonical(parts), beside=[file]).report
        return found.verdict, found.lines[-2]

    path = tmp_path / "model.safetensors"
    save_model(alternating("fp16").model, path)
    good = path.read_bytes()
    assert verdict(good)[0] == "refuted"
    size = int.from_bytes(good[:8], "little")
    for data in (
        b"",
        b"\x80\x04pickle..",
        good[:100],
        b"\xff" * 40,
        good[:-1],
        good[:8] + b"[]" + good[10:],
        good[:8] + b"{}" + b" " * (size - 2),
    ):
        assert verdict(data)[0] == "unsupported", data[:20]
    for old, new in (
        (b"fp16", b"fp17"),
        (b"strict", b"STRICT"),
        (b"sequential", b"sideways  "),
        (b'\\"version\\":1', b'\\"version\\":2'),
    ):
        assert old in good
        assert verdict(good.replace(old, new))[0] == "unsupported", old
    save_model(alternating("fp128", 80).model, path)
    assert "fp128" in verdict(path.read_bytes())[1]
    wrong = replace(alternating("fp16").model)
    save_model(wrong, tmp_path / "model.json")
    assert verdict((tmp_path / "model.json").read_bytes())[0] == "unsupported"


PRECISION = dict.fromkeys(("linear", "output", "rotate", "score", "softmax"), "values") | {
    "dot": "sequential", "fma": False, "order": "sequential", "values": "e5m2"}  # fmt: skip
DESCRIPTION = {"alphabet": ["a"], "layers": [], "mask": "strict", "norm_at": "post", "position": None,
               "precision": PRECISION, "tables": [], "version": 1}  # fmt: skip
HEAD = {f"layers.0.attention.{name}.weight": [0, 2] for name in ("query", "key", "value")} | {
    "layers.0.attention.output.weight": [2, 1]}  # fmt: skip


def by_hand(shapes=None, codes=None, **fields):
    """A model file: arrays of zeros, but for those whose codes are given."""
    shapes = {"embedding": [3, 2], "classifier.weight": [1, 2]} | (shapes or {})
    header, data = {}, b""
    for name, shape in shapes.items():
        array = bytes((codes or {}).get(name, np.prod(shape) * [0]))
        header[name] = {"data_offsets": [len(data), len(data) + len(array)], "dtype": "U8", "shape": shape}
        data += array
    header["__metadata__"] = {"fpcert-model": json.dumps(DESCRIPTION | {"arrays": shapes} | fields)}
    text = json.dumps(header).encode()
    return len(text).to_bytes(8, "little") + text + data


def said_of(model, length=2, letters=("a",), max_work=20_000):
    """The report on the claim that the model rejects every word."""
    dfa = {"accepting": [], "alphabet": list(letters), "delta": [[0] * len(letters)], "initial": 0}
    claim = {"dfa": dfa, "kind": "simulation", "length": length, "order": "sequential"}
    claim["model"] = hashlib.sha256(model).hexdigest()
    parts = {"claim": claim, "fpcert": 1, "hints": {"exhaustive_to": 1, "states": None, "words": 3},
             "producer": {"name": "a test", "version": "0"}, "semantics": 1}  # fmt: skip
    return check_bytes(canonical(parts), max_work, "-", [model])


@pytest.mark.parametrize("length", [0, 10, 64, 100, 1000])
def test_words_of_one_letter_are_counted(length):
    found = said_of(by_hand(), length)
    assert (found.verdict, found.obligations) == ("verified", length + 1)
    assert f"all {length + 1} words of up to {length} letters" in str(found)


@pytest.mark.parametrize(("model", "why"), [
    (by_hand(window=3), "other fields"),
    (by_hand(precision=PRECISION | {"fma": 0}), "fma"),
    (by_hand(precision=PRECISION | {"fma": True, "dot": "pairwise"}), "no single chain"),
    (by_hand(precision=PRECISION | {"fma": True, "order": "blocked:2"}), "no single chain"),
    (by_hand(version=True), "another version"),
    (by_hand(layers=[{"attention": None, "experts": 2}]), "other fields"),
    (by_hand({"final_norm.gain": [2], "final_norm.epsilon": [1]}, {"final_norm.epsilon": [252]}), "root"),
    (by_hand(HEAD, layers=[{"attention": {"heads": 10**9, "rotary": None}}]), "heads"),
    ((12_000_000).to_bytes(8, "little") + b'{"x":[' + b"[]," * 4_000_000 + b"[]]}", "header"),
])  # fmt: skip
def test_what_is_not_known_of_a_model_is_not_guessed(model, why):
    """Fields of other meaning, roots of -inf, and files that would fill the memory (also where all lengths are claimed)."""
    for length in (2, "all"):
        found = said_of(model, length)
        assert found.verdict == "unsupported"
        assert why in found.lines[-2]


def test_encodings_of_long_streams_are_paid_for():
    angles = {"angles": ["1"] * 2_000, "first": 0, "kind": "phase"}
    model = by_hand({"embedding": [4, 4_000], "classifier.weight": [1, 4_000]}, position=angles, alphabet=["a", "b"])
    begin = time.process_time()
    assert said_of(model, 12, "ab").verdict == "undecided"
    assert time.process_time() - begin < 5  # minutes, were they not


def test_twelve_letters_are_within_the_default(saved):
    """They take 19.3 times the work of 8 letters: 16 times as many words, and longer ones."""
    path, _ = saved
    (data,) = simulation_certificates(verify(path, FORMULA, length=8, all_lengths=False), path)
    found = check(data, beside=[path], max_work=MAX_WORK // 20)
    assert (found.report.verdict, found.report.obligations) == ("verified", 511)


@pytest.mark.parametrize(
    "precision",
    [
        Precision.of("fp64"),
        Precision.of("bf16", softmax="fp64", output="fp64", fma=True),
        Precision.of("fp16", order="pairwise"),
        Precision.of("fp16", dot="wide:fp32"),
    ],
)
def test_operations_on_numbers_without_zeros_are_paid_for(tmp_path, monkeypatch, models, precision):
    """Nothing is left out or remembered in a random model: there too a unit pays for few roundings."""
    path = tmp_path / "model.safetensors"
    save_model(models.random_model(5, precision, dim=8, kind="phase", layers=2, heads=1), path)
    account = Account(10**6)
    machine = Emulator(read_transformer(path.read_bytes(), account), account)
    rounded, once = [], ValueSet.round
    monkeypatch.setattr(ValueSet, "round", lambda *arguments: rounded.append(None) or once(*arguments))
    before = account.left
    for word in product(range(2), repeat=4):
        state = machine.start
        for a in word:
            state = machine.read(state, a)
    assert 10_000 < len(rounded) <= 6 * (before - account.left)


def test_damaged_files_never_raise(saved):
    """Every byte of the header changed in turn: any verdict but an error, and none is verified that should not be."""
    path, (bounded, _) = saved
    data = bytearray(path.read_bytes())
    rng = np.random.default_rng(0)
    for place in sorted(rng.integers(0, len(data), 150).tolist()):
        damaged = bytearray(data)
        damaged[place] ^= 1 << int(rng.integers(8))
        claim = changed(bounded, model=hashlib.sha256(damaged).hexdigest(), length=2)
        assert check_bytes(claim, 200_000, "-", [bytes(damaged)]).verdict in {
            "verified",
            "refuted",
            "unsupported",
            "undecided",
        }


def test_there_is_nothing_to_claim(saved):
    path, _ = saved
    with pytest.raises(UnsupportedError, match="a counterexample"):
        simulation_certificates(verify(path, "P a", length=3), path)
    with pytest.raises(UnsupportedError, match="nothing to claim"):
        simulation_certificates(verify(path, FORMULA, length=3, max_words=0, all_lengths=False), path)
    (only,) = simulation_certificates(verify(path, FORMULA, length=3, all_lengths=False), path)
    assert json.loads(only)["claim"]["length"] == 3
    with pytest.raises(InputError, match="model"):
        check(only, beside=[path.parent / "none"])


def test_alone(saved, tmp_path):
    """With a copy of the checker's folder, by an interpreter that sees only its library."""
    path, (bounded, everywhere) = saved
    shutil.copytree(
        Path(certify.checker.__file__).parent, tmp_path / "copy", ignore=shutil.ignore_patterns("__pycache__")
    )
    for n, data in enumerate((bounded, everywhere)):
        (tmp_path / f"{n}.json").write_bytes(data)
    command = [sys.executable, "-I", "copy", "--model", str(path), "0.json"]
    assert subprocess.run(command, cwd=tmp_path, check=False, capture_output=True).returncode == 0
    assert subprocess.run([*command, "1.json"], cwd=tmp_path, check=False, capture_output=True).returncode == 3
    assert subprocess.run([*command[:3], "0.json"], cwd=tmp_path, check=False, capture_output=True).returncode == 4
    assert (
        subprocess.run([*command[:4], "none", "0.json"], cwd=tmp_path, check=False, capture_output=True).returncode == 2
    )
