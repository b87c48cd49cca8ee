"""Ways to run the command: in this process, or as a process of its own."""

import os
import subprocess
import sys
import types
from collections.abc import Callable, Sequence
from dataclasses import dataclass

import click
import pytest

from fpcert.main import COMMANDS, main


@dataclass(frozen=True)
class Outcome:
    """How a run of the command ended."""

    code: int
    out: str
    err: str


@pytest.fixture
def fpcert(capsys: pytest.CaptureFixture[str]) -> Callable[..., Outcome]:
    """`fpcert("env", "--json")` runs the command in this process."""

    def run(*arguments: str) -> Outcome:
        code = main(arguments)
        captured = capsys.readouterr()
        return Outcome(code, captured.out, captured.err)

    return run


@pytest.fixture
def process() -> Callable[..., Outcome]:
    """`process("env", NO_COLOR="1")` runs `python -m fpcert` with that addition to the environment."""

    def run(*arguments: str, code: Sequence[str] = ("-m", "fpcert"), **environment: str) -> Outcome:
        done = subprocess.run(
            [sys.executable, *code, *arguments],
            check=False,
            capture_output=True,
            text=True,
            timeout=120,
            env=os.environ | environment,
        )
        return Outcome(done.returncode, done.stdout, done.stderr)

    return run


@pytest.fixture
def add_command(monkeypatch: pytest.MonkeyPatch) -> Callable[[str, click.Command], None]:
    """`add_command("boom", command)` makes `fpcert boom` exist for one test."""

    def add(name: str, command: click.Command) -> None:
        module = types.ModuleType(f"fpcert.commands.{name}")
        module.command = command  # type: ignore[attr-defined]
        monkeypatch.setitem(sys.modules, module.__name__, module)
        monkeypatch.setitem(COMMANDS, name, "A command of this test.")

    return add
