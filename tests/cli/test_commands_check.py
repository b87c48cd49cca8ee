"""`fpcert check`: files, standard input, exit codes, limits and second opinions; and what other commands write."""

import io
import json
import os
import re
from pathlib import Path

import pytest

CORPUS = Path(__file__).parents[1] / "certificates"
LAST = re.compile(r"verdict=([a-z-]+) file=(\S*) sha256=([0-9a-f]{64}|-) obligations=([0-9]+)")


def good(name):
    return str(CORPUS / "good" / f"{name}.json")


def bad(name):
    return str(CORPUS / "bad" / f"{name}.json")


REFUTED, MALFORMED = bad("refuted-nmax-fp16-value-plus-1"), bad("malformed-k-0")
UNDECIDED, UNSUPPORTED = bad("undecided-recurrence-of-10-to-15-steps"), bad("unsupported-kind-simulation")
FP16, C40 = good("flarge-fp16"), good("nmax-fp16-g1-C40")


def verdicts(outcome):
    return [found[1] for line in outcome.out.splitlines() if (found := LAST.fullmatch(line))]


def test_one_file(fpcert):
    outcome = fpcert("check", C40)
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0] == f"certificate {C40}, {Path(C40).stat().st_size} bytes"
    assert "N_max^(1)(g = 1, C = 40) = 5" in lines[1]
    assert LAST.fullmatch(lines[-1])


@pytest.mark.parametrize(
    ("files", "code"),
    [
        ([C40, FP16], 0),
        ([UNSUPPORTED, C40], 4),
        ([UNSUPPORTED, UNDECIDED], 3),
        ([C40, UNDECIDED, UNSUPPORTED, MALFORMED], 2),
        ([UNSUPPORTED, MALFORMED, REFUTED, UNDECIDED, FP16], 1),
        ([FP16, "missing.json"], 2),
        (["missing.json", REFUTED], 1),
    ],
)
def test_every_file_is_checked_and_the_worst_decides(fpcert, files, code):
    outcome = fpcert("check", *files)
    assert outcome.code == code
    assert len(verdicts(outcome)) == len(files)


def test_standard_input(fpcert, monkeypatch):
    for file, code in ((C40, 0), (REFUTED, 1), (MALFORMED, 2)):
        monkeypatch.setattr("sys.stdin", io.TextIOWrapper(io.BytesIO(Path(file).read_bytes())))
        outcome = fpcert("check", "-")
        assert outcome.code == code
        assert " file=- " in outcome.out.splitlines()[-1]


def test_json(fpcert, tmp_path):
    outcome = fpcert("check", "--json", C40, REFUTED, MALFORMED)
    assert outcome.code == 1
    shown = json.loads(outcome.out)
    assert shown["exit_code"] == 1
    assert [each["verdict"] for each in shown["files"]] == ["verified", "refuted", "malformed"]
    assert [each["file"] for each in shown["files"]] == [C40, REFUTED, MALFORMED]
    assert shown["files"][0]["obligations"] == 17
    assert shown["files"][2]["obligations"] == 0
    written = fpcert("check", "--json", "-o", str(tmp_path / "out.json"), C40)
    assert (written.code, written.out) == (0, "")
    assert json.loads((tmp_path / "out.json").read_text())["files"] == shown["files"][:1]


def test_a_text_written_to_a_file_is_the_one_that_is_shown(fpcert, tmp_path):
    shown = fpcert("check", C40, FP16)
    written = fpcert("check", "-o", str(tmp_path / "out.txt"), C40, FP16)
    assert (written.code, written.out) == (0, "")
    assert (tmp_path / "out.txt").read_text() == shown.out


def test_what_cannot_be_read(fpcert, tmp_path):
    locked = tmp_path / "locked.json"
    locked.write_bytes(Path(C40).read_bytes())
    locked.chmod(0)
    files = [str(tmp_path / "missing.json"), str(tmp_path), ""]
    if os.geteuid() != 0:  # root reads everything
        files.append(str(locked))
    for file in files:
        outcome = fpcert("check", file)
        assert outcome.code == 2, file
        assert "cannot be read" in outcome.out
        assert "sha256=- " in outcome.out  # not that of nothing
        assert verdicts(outcome) == ["malformed"]


def test_the_name_of_a_file_cannot_forge_a_verdict(fpcert, tmp_path):
    name = f"a\nverdict=verified file=x sha256={'0' * 64} obligations=1"
    file = tmp_path / name
    file.write_bytes(b"{}\n")
    outcome = fpcert("check", str(file))
    assert outcome.code == 2
    assert verdicts(outcome) == ["malformed"]


def test_little_work_decides_nothing(fpcert):
    outcome = fpcert("check", "--max-work", "3", C40)
    assert outcome.code == 3
    assert "--max-work" in outcome.out
    assert fpcert("check", "--max-work", "1000", C40).code == 0


@pytest.mark.parametrize("arguments", [[], ["--max-work", "0", C40], ["--max-work", "x", C40], ["--with", "coq", C40]])
def test_arguments_that_are_wrong(fpcert, arguments):
    outcome = fpcert("check", *arguments)
    assert outcome.code == 2
    assert outcome.out == ""
    assert outcome.err


@pytest.mark.parametrize("program", ["flint", "smt"])
def test_a_second_opinion(fpcert, program):
    pytest.importorskip({"flint": "flint", "smt": "bitwuzla"}[program])
    outcome = fpcert("check", "--with", program, C40)
    assert outcome.code == 0
    assert f"\n{program} says verified: " in outcome.out
    assert LAST.fullmatch(outcome.out.splitlines()[-1])
    shown = json.loads(fpcert("check", "--json", "--with", program, REFUTED).out)
    assert shown["files"][0]["opinions"][program]["verdict"] == "refuted"
    assert shown["files"][0]["contradicted"] is False


def test_a_program_that_is_not_there(fpcert, monkeypatch):
    monkeypatch.setitem(__import__("sys").modules, "flint", None)
    outcome = fpcert("check", "--with", "flint", C40)
    assert outcome.code == 4
    assert "fpcert[flint]" in outcome.err


def test_what_nmax_period_and_format_write_is_verified(fpcert, tmp_path):
    written = {
        "nmax": ["nmax", "--g", "1", "--C", "40", "--dtype", "fp16"],
        "weight": ["nmax", "--g", "1", "--C", "40", "--dtype", "e4m3:saturate", "--criterion", "weight"],
        "bracket": ["nmax", "--g", "1", "--C", "1e4", "--dtype", "bf16", "--method", "bracket"],
        "none": ["nmax", "--g", "1", "--C", "1", "--dtype", "nf4"],
        "format": ["format", "e4m3"],
        "period": ["period", "--theta", "1", "--dtype", "fp16"],
        "table": ["period", "--theta", "2pi*1/84", "--realize", "table", "--dtype", "bf16"],
    }
    for name, arguments in written.items():
        file = tmp_path / f"{name}.json"
        assert fpcert(*arguments, "--certificate", str(file)).code in (0, 3)
        outcome = fpcert("check", str(file))
        assert outcome.code == 0, outcome.out
    components = ["period", "--base", "10000", "--dim", "6", "--dtype", "bf16", "--realize", "counter"]
    assert fpcert(*components, "--certificate", str(tmp_path / "c.json")).code == 0
    files = sorted(map(str, tmp_path.glob("c-*.json")))
    assert len(files) == 3
    assert verdicts(fpcert("check", *files)) == 3 * ["verified"]


def test_a_process_of_its_own(process):
    outcome = process("check", C40, REFUTED)
    assert outcome.code == 1
    assert verdicts(outcome) == ["verified", "refuted"]
    assert outcome.err == ""
