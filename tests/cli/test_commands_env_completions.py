"""`fpcert env` and `fpcert completions`."""

import json
import os
import platform
import shutil
import subprocess
import sys
from importlib.metadata import version
from pathlib import Path

import gmpy2
import pytest

from fpcert.commands.env import DISTRIBUTIONS
from fpcert.main import COMMANDS

KEYS = sorted([*DISTRIBUTIONS, "cores", "cpu", "implementation", "llvm_cpu", "mpfr", "platform", "python"])


def test_env_as_json(fpcert):
    outcome = fpcert("env", "--json")
    assert (outcome.code, outcome.err) == (0, "")
    found = json.loads(outcome.out)
    assert list(found) == KEYS
    assert found["python"] == platform.python_version()
    assert found["numpy"] == version("numpy")
    assert found["mpfr"] == gmpy2.mpfr_version()
    assert found["cores"] >= 1


def test_env_as_text(fpcert):
    outcome = fpcert("env", "--quiet")
    lines = dict(line.split(maxsplit=1) for line in outcome.out.splitlines())
    assert sorted(lines) == KEYS
    assert lines["numba"] == version("numba")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completions_print_a_script(fpcert, shell):
    outcome = fpcert("completions", shell)
    assert outcome.code == 0
    assert f"_FPCERT_COMPLETE={shell}_complete" in outcome.out
    assert json.loads(fpcert("completions", shell, "--json").out) == {"script": outcome.out, "shell": shell}


def test_completions_of_an_unknown_shell(fpcert):
    outcome = fpcert("completions", "tcsh")
    assert outcome.code == 2
    assert "'tcsh'" in outcome.err
    assert "fish" in outcome.err


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        ("fpcert ", sorted(COMMANDS)),
        ("fpcert n", ["nmax"]),
        ("fpcert --ci", ["--cite"]),
        ("fpcert completions z", ["zsh"]),
    ],
)
def test_completion_answers(process, words, expected):
    outcome = process(_FPCERT_COMPLETE="bash_complete", COMP_WORDS=words, COMP_CWORD=str(len(words.split(" ")) - 1))
    assert sorted(line.split(",")[1] for line in outcome.out.splitlines()) == expected
    assert (outcome.code, outcome.err) == (0, "")


@pytest.mark.skipif(shutil.which("bash") is None, reason="needs bash")
def test_bash_takes_the_script():
    script = """
        eval "$(fpcert completions bash)"
        COMP_WORDS=(fpcert nm) COMP_CWORD=1
        _fpcert_completion fpcert
        echo "${COMPREPLY[@]}"
    """
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    done = subprocess.run(
        ["bash", "-c", script], check=True, capture_output=True, text=True, env=os.environ | {"PATH": path}
    )
    assert done.stdout == "nmax\n"
