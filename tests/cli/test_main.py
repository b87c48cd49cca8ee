"""The group: help, version, citation, loading on demand, and how each kind of ending is reported."""

import re
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import click
import pytest

from fpcert.main import COMMANDS
from fpcert.options import common_options
from fpsim.errors import InputError, UnsupportedError

HEAVY = {"gmpy2", "llvmlite", "matplotlib", "mpmath", "numba", "numpy", "rich", "fpsim", "certify"}


def command_that(action):
    """A command with the common options which calls `action`."""

    @click.command()
    @common_options
    def command(as_json, output_file, quiet):
        return action()

    return command


def raiser(error):
    def action():
        raise error

    return action


@pytest.mark.parametrize("option", ["-h", "--help"])
def test_help_lists_every_command(fpcert, option):
    outcome = fpcert(option)
    assert (outcome.code, outcome.err) == (0, "")
    assert "fpcert nmax --g 1.0 --C 40 --dtype fp16 --k 1" in outcome.out
    for name, text in COMMANDS.items():
        assert f"  {name} " in outcome.out
        assert text in outcome.out


@pytest.mark.parametrize("name", sorted(COMMANDS))
def test_help_of_a_command_has_an_example_and_the_common_options(fpcert, name):
    outcome = fpcert(name, "-h")
    assert outcome.code == 0
    assert f"fpcert {name}" in outcome.out.partition("Example")[2]
    for option in ("--json", "-o DIR" if name == "export" else "-o FILE", "--quiet", "--debug", "--help"):
        assert option in outcome.out


@pytest.mark.parametrize("arguments", [["--help"], ["--version"], ["--cite"], ["nonsense"]])
def test_what_needs_no_command_imports_nothing_heavy(process, arguments):
    program = (
        "import sys; from fpcert.main import main; main(sys.argv[1:]);"
        f"print(sorted({HEAVY!r} & sys.modules.keys()), file=sys.stderr)"
    )
    outcome = process(*arguments, code=("-c", program))
    assert outcome.err.splitlines()[-1] == "[]"


def test_version(fpcert):
    assert fpcert("--version").out == f"fpcert {version('fpcert')}\n"


def test_citation_agrees_with_the_file(fpcert):
    printed = fpcert("--cite").out
    file = (Path(__file__).parents[2] / "CITATION.cff").read_text(encoding="utf-8")
    entries = re.findall(r'(?:title|message|family-names|given-names|name|year|license): "?([^"\n]+)', file)
    assert len(entries) > 10
    for entry in entries:
        assert entry in printed.replace("{RoPE}", "RoPE")
    assert "arXiv:2608.11909" in file
    assert "2608.11909" in printed
    assert version("fpcert") in printed


def test_without_arguments_it_shows_the_help_and_fails(fpcert):
    outcome = fpcert()
    assert outcome.code == 2
    assert "Commands:" in outcome.err + outcome.out


def test_unknown_command_names_the_known_ones(fpcert):
    outcome = fpcert("nmx")
    assert (outcome.code, outcome.out) == (2, "")
    assert "'nmx'" in outcome.err
    assert "nmax" in outcome.err


def test_unknown_option(fpcert):
    outcome = fpcert("env", "--jsn")
    assert (outcome.code, outcome.out) == (2, "")
    assert "--jsn" in outcome.err
    assert "--json" in outcome.err


@pytest.mark.parametrize("code", [None, 0, 1, 3])
def test_a_command_returns_its_exit_code(fpcert, add_command, code):
    add_command("answer", command_that(lambda: code))
    assert fpcert("answer").code == (code or 0)


@pytest.mark.parametrize(
    ("error", "code", "text"),
    [
        (InputError("k", 0, "an integer of at least 1"), 2, "Error: k: cannot take 0;"),
        (UnsupportedError("no stochastic claims"), 4, "Error: no stochastic claims\n"),
        (click.FileError("x.json", "gone"), 2, "x.json"),
        (ZeroDivisionError("by zero"), 70, "Internal error: ZeroDivisionError: by zero\n"),
        (EOFError(), 70, "Internal error: EOFError"),
        (MemoryError(), 70, "Internal error: MemoryError"),
        (KeyboardInterrupt(), 130, "Interrupted.\n"),
    ],
)
def test_each_exception_has_its_code_and_no_traceback(fpcert, add_command, error, code, text):
    add_command("boom", command_that(raiser(error)))
    outcome = fpcert("boom")
    assert (outcome.code, outcome.out) == (code, "")
    assert text in outcome.err
    assert "Traceback" not in outcome.err


@pytest.mark.parametrize("arguments", [["boom", "--debug"], ["--debug", "boom"]])
def test_debug_shows_the_traceback(fpcert, add_command, arguments):
    add_command("boom", command_that(raiser(InputError("k", 0, "at least 1"))))
    outcome = fpcert(*arguments)
    assert outcome.code == 2
    assert "Traceback" in outcome.err


def test_a_command_that_cannot_be_imported_is_an_internal_error(fpcert, monkeypatch):
    monkeypatch.setitem(COMMANDS, "absent", "No such module.")
    outcome = fpcert("absent")
    assert outcome.code == 70
    assert "fpcert.commands.absent" in outcome.err


@pytest.mark.parametrize("arguments", ["--help", "env", "env --json", "completions bash"])
def test_a_reader_that_goes_away_is_met_with_silence(arguments):
    with subprocess.Popen(
        [sys.executable, "-m", "fpcert", *arguments.split()], stdout=subprocess.PIPE, stderr=subprocess.PIPE
    ) as child:
        child.stdout.close()
        assert child.stderr.read() == b""
        assert child.wait() == 141


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs the device that is always full")
@pytest.mark.parametrize("arguments", ["env", "completions bash"])
def test_a_full_disk_is_reported(arguments):
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [sys.executable, "-m", "fpcert", *arguments.split()], check=False, stdout=full, stderr=subprocess.PIPE
        )
    assert done.returncode == 2
    assert done.stderr.startswith(b"Error: cannot write standard output: ")
    assert done.stderr.count(b"\n") == 1


@pytest.mark.skipif(shutil.which("sh") is None, reason="needs a shell that can close a file")
def test_a_closed_standard_output_is_no_error():
    done = subprocess.run(
        ["sh", "-c", '"$0" -m fpcert env >&-', sys.executable], check=False, stderr=subprocess.PIPE, text=True
    )
    assert (done.returncode, done.stderr) == (0, "")


def test_module_and_script_are_the_same_command(process):
    script = Path(sys.executable).with_name("fpcert")
    by_script = subprocess.run([script, "--help"], check=True, capture_output=True, text=True)
    assert process("--help").out == by_script.stdout
