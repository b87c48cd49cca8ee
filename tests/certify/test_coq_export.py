"""Certificates as theorems of Coq: what is written, and that Coq takes true ones only."""

import json
import re
import shutil
import subprocess
from pathlib import Path

import pytest

from certify.certificates.ranges import flarge_certificate, range_certificate
from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Question, parse_scale
from certify.second_opinions.coq.export import COMMANDS, export_coq
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.regime import Regime


def certificate(g, C, dtype, k=1, kind="ideal", criterion="gap", **regime):
    asked = Question(Angle.parse(g, "g"), parse_scale(C), k, Regime.of(dtype, **regime), kind, criterion)
    return range_certificate(asked, nmax_of(asked))


def changed(data, **claim):
    """The certificate with other fields in its claim."""
    document = json.loads(data)
    document["claim"] |= claim
    return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode()


def long(case):
    """A case that is left out by default: each compiles for seconds."""
    return pytest.param(case, marks=pytest.mark.exhaustive)


def run(command, folder):
    return subprocess.run(command.split(), cwd=folder, check=False, capture_output=True, text=True, timeout=600)


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """A folder in which all but the claim is compiled; a skip where Coq or its libraries are missing."""
    if shutil.which("coqc") is None:
        pytest.skip("coqc is not installed (apt-get install coq libcoq-flocq libcoq-interval)")
    path = tmp_path_factory.mktemp("coq")
    export_coq(certificate("1", 40, "fp16"), path)
    (path / "Probe.v").write_text("From Flocq Require Core.\nFrom Interval Require Tactic.\n")
    if run("coqc Probe.v", path).returncode:
        pytest.skip("Flocq or Interval is not installed (apt-get install libcoq-flocq libcoq-interval)")
    for command in COMMANDS[:3]:
        done = run(command, path)
        assert done.returncode == 0, done.stderr
    return path


def compile_claim(data, folder):
    """Whether Coq takes the claim, and what it says."""
    for file in export_coq(data, folder.with_name(folder.name + "-claim")):
        if file.name in ("Claim.v", "Assumptions.v"):
            shutil.copy(file, folder)
    done = run(COMMANDS[3], folder)
    return done.returncode == 0, done.stdout + done.stderr


def test_a_true_claim_is_a_theorem(folder):
    taken, said = compile_claim(certificate("1", 40, "fp16"), folder)
    assert taken, said
    assert (folder / "Claim.vo").exists()


@pytest.mark.parametrize("change", [{"value": 6}, long({"value": 4}), long({"C": 4000})], ids=str)
def test_a_false_claim_is_none(folder, change):
    taken, said = compile_claim(changed(certificate("1", 40, "fp16"), **change), folder)
    assert not taken
    # Its cosines are enclosed, and then the computation does not come out as true.
    assert "check precision emin top digits" in said, said


@pytest.mark.parametrize("number", ["rounded", long("high"), long("above_exp : Z")])
def test_a_theorem_with_a_false_number_is_none(folder, number, tmp_path):
    *_, claim = (file for file in export_coq(certificate("1", 40, "fp16"), tmp_path) if file.name == "Claim.v")
    text = claim.read_text()
    match = re.compile(rf"{number} := ([0-9]+)").search(text)
    assert match
    wrong = int(match[1]) // 2 if number == "high" else int(match[1]) * 2
    (folder / "Claim.v").write_text(text[: match.start(1)] + str(wrong) + text[match.end(1) :])
    assert run(COMMANDS[3], folder).returncode != 0


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    "arguments",
    [
        ("1", 10000, "bf16"),
        ("1", 256, "e4m3"),
        ("1", 256, "e5m2"),
        ("1/10", 10000, "fp16", 3),
        ("-2pi*3/107", 1000, "fp16", 2),
        ("0.098175", 58257290, "bf16", 56),
    ],
    ids=str,
)
def test_longer_claims_are_theorems(folder, arguments):
    taken, said = compile_claim(certificate(*arguments), folder)
    assert taken, said


@pytest.mark.exhaustive
def test_the_theorem_rests_on_the_real_numbers_only(folder):
    taken, said = compile_claim(certificate("1", 10000, "fp16"), folder)
    assert taken, said
    axioms = set(re.findall(r"^([A-Z]\w*\.\w+)", run(COMMANDS[4], folder).stdout, re.MULTILINE))
    assert axioms == {
        "ClassicalDedekindReals.sig_not_dec",
        "ClassicalDedekindReals.sig_forall_dec",
        "FunctionalExtensionality.functional_extensionality_dep",
        "Classical_Prop.classic",
    }
    modules = "".join(f" -norec Fpcert.{name}" for name in ("Semantics", "Computation", "Claim"))
    done = run("coqchk -silent -R . Fpcert" + modules, folder)
    assert done.returncode == 0, done.stderr


def test_what_is_written(tmp_path):
    files = export_coq(certificate("1", 10000, "fp16"), tmp_path / "new" / "folder")
    assert [file.name for file in files] == [
        "Semantics.v", "Computation.v", "Enclosures.v", "Claim.v", "Assumptions.v", "_CoqProject",
    ]  # fmt: skip
    claim = files[3].read_text()
    for line in (
        "Definition largest : R := 65504.", "Definition g : R := 1.", "Definition C : R := 10000.", "Definition k : Z := 1.",
        "Definition f_large : R := 555 / 32.", "Definition value : Z := 43.",
        "Theorem certified : n_max_is precision emin largest g C k value.",
    ):  # fmt: skip
        assert line in claim
    for file in files:
        text = file.read_text()
        assert not re.search(r"\b(Admitted|admit|Axiom|Parameter|Conjecture|Unset)\b", text), file.name
        assert "$" not in text


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (lambda: flarge_certificate("fp16"), "kind nmax only"),
        (lambda: certificate("1", 40, "fp16", 1, "phase"), "realization phase"),
        (lambda: certificate("1", 40, "fp16", 1, "ideal", "weight"), "criterion weight"),
        (lambda: certificate("1", 40, "fp16", score="fp32"), "more than one value set"),
        (lambda: certificate("1", 40, "fp16", fma=True), "fma"),
        (lambda: certificate("1", 15, "fixed:8.3"), "kind fixed"),
        (lambda: certificate("1", 40, "fp16:ftz"), "ftz"),
        (lambda: certificate("1", 40, "fp16:zero"), "rounding zero"),
        (lambda: certificate("1", 10, "e4m3:saturate"), "saturation"),
        (lambda: certificate("1", "1e12", "fp32"), "above 200"),
        (lambda: changed(certificate("1", 40, "fp16"), g="10000^(-1/64)"), "root"),
    ],
)
def test_what_has_no_theorem(data, why, tmp_path):
    with pytest.raises(UnsupportedError, match=why):
        export_coq(data(), tmp_path)
    assert not list(Path(tmp_path).iterdir())


def test_what_is_no_certificate_is_refused(tmp_path):
    with pytest.raises(InputError):
        export_coq(b"{}", tmp_path)
