"""`fpcert export`: the files, what is said about them, and what cannot be written."""

import io
import json

import pytest

from certify.certificates.ranges import flarge_certificate, range_certificate
from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Question, parse_scale
from certify.second_opinions.coq.export import COMMANDS
from fpsim.angle import Angle
from fpsim.regime import Regime

NAMES = ["Semantics.v", "Computation.v", "Enclosures.v", "Claim.v", "Assumptions.v", "_CoqProject"]


@pytest.fixture(scope="module")
def certificate():
    asked = Question(Angle.parse("1", "g"), parse_scale(40), 1, Regime.of("fp16"))
    return range_certificate(asked, nmax_of(asked))


def test_export_coq_writes_files_and_says_how_to_compile_them(fpcert, certificate, tmp_path):
    (tmp_path / "c.json").write_bytes(certificate)
    outcome = fpcert("export", "coq", str(tmp_path / "c.json"), "-o", str(tmp_path / "proof"))
    assert (outcome.code, outcome.err) == (0, "")
    for name in NAMES:
        assert (tmp_path / "proof" / name).exists()
        assert f"wrote {tmp_path / 'proof' / name}" in outcome.out
    for line in COMMANDS:
        assert line in outcome.out
    quiet = fpcert("export", "coq", str(tmp_path / "c.json"), "-o", str(tmp_path / "proof"), "--quiet")
    assert "coqc" not in quiet.out


def test_export_reads_standard_input_and_writes_json(fpcert, certificate, tmp_path, monkeypatch):
    monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(certificate)))
    outcome = fpcert("export", "coq", "-", "-o", str(tmp_path), "--json")
    assert outcome.code == 0, outcome.err
    shown = json.loads(outcome.out)
    assert shown["target"] == "coq"
    assert shown["files"] == [str(tmp_path / name) for name in NAMES]
    assert shown["commands"] == list(COMMANDS)


def test_what_export_cannot_write(fpcert, tmp_path):
    file = tmp_path / "c.json"
    file.write_bytes(flarge_certificate("fp16"))
    outcome = fpcert("export", "coq", str(file), "-o", str(tmp_path / "proof"))
    assert outcome.code == 4
    assert "kind nmax only" in outcome.err
    file.write_bytes(b"{}\n")
    assert fpcert("export", "coq", str(file), "-o", str(tmp_path / "proof")).code == 2
    file.write_bytes(b" " * (1 << 21))
    assert "more than 1048576 bytes" in fpcert("export", "coq", str(file), "-o", str(tmp_path / "proof")).err
    assert not (tmp_path / "proof").exists()


@pytest.mark.parametrize("arguments", [["coq"], ["coq", "missing.json", "-o", "x"], ["lean", "c.json", "-o", "x"], []])
def test_export_is_told_what_it_needs(fpcert, arguments):
    outcome = fpcert("export", *arguments)
    assert outcome.code == 2
    assert "Error" in outcome.err


def test_a_folder_that_cannot_be_made_is_reported(fpcert, certificate, tmp_path):
    (tmp_path / "c.json").write_bytes(certificate)
    outcome = fpcert("export", "coq", str(tmp_path / "c.json"), "-o", str(tmp_path / "c.json" / "proof"))
    assert outcome.code == 2
    assert "cannot write to" in outcome.err
