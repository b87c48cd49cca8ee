"""Every block of the pages is run, in order, in an empty folder, and what it prints is compared with what the page shows.

A block of Python with `>>>` is run as a doctest, any other is executed; a page has one namespace.  A block `console` has commands
after `$ `, each followed by its output, standard output and standard error as they come; `...` stands for anything, as in doctests.
A command ends with exit code 0, or the next one is `echo $?`.  A `{code-block}` with a caption is a file of that name.

`fpcert` runs in this process; any other command is given to bash, with the repository as ~/fpcert.  What is not run says so on the line
before, `<!-- not run: why -->`, and is rare.
"""

import contextlib
import doctest
import io
import os
import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest

from fpcert.main import main

COMPARE = doctest.ELLIPSIS
BLOCKS_NOT_RUN = 8  # of all pages together


class Page:
    """What the blocks of one page have in common: a folder, a namespace, the last exit code."""

    def __init__(self, folder: Path, root: Path) -> None:
        self.names: dict[str, object] = {"__name__": "page"}
        self.code = 0
        home = folder / "home"
        home.mkdir()
        (home / "fpcert").symlink_to(root)
        scripts = str(Path(sys.executable).parent)
        self.environment = os.environ | {"HOME": str(home), "PATH": scripts + os.pathsep + os.environ["PATH"]}

    def python(self, text: str, where: str) -> None:
        if ">>> " not in text:
            exec(compile(text, where, "exec"), self.names)
            return
        examples = doctest.DocTestParser().get_doctest(text, self.names, where, where, 0)
        report: list[str] = []
        failed = doctest.DocTestRunner(optionflags=COMPARE).run(examples, out=report.append, clear_globs=False).failed
        self.names.update(examples.globs)
        assert not failed, "".join(report)

    def console(self, text: str, where: str) -> None:
        exchanges = list(exchanges_of(text))
        for place, (command, shown) in enumerate(exchanges):
            printed = self.run(command)
            followed = place + 1 < len(exchanges) and exchanges[place + 1][0] == "echo $?"
            assert self.code == 0 or followed or command == "echo $?", (
                f"{where}: {command}: exit code {self.code}\n{printed}"
            )
            want, got = clean(shown), clean(printed)
            assert doctest.OutputChecker().check_output(want, got, COMPARE), (
                f"{where}: {command}\n--- the page shows\n{want}--- but it prints\n{got}"
            )

    def run(self, command: str) -> str:
        if command == "echo $?":
            return f"{self.code}\n"
        words = shlex.split(command, comments=True)
        if words[0] == "fpcert":
            both = io.StringIO()
            with contextlib.redirect_stdout(both), contextlib.redirect_stderr(both):
                self.code = main(words[1:])
            return both.getvalue()
        done = subprocess.run(
            ["bash", "-c", command], env=self.environment, check=False, timeout=60, text=True,
            stdout=subprocess.PIPE, stderr=subprocess.STDOUT,
        )  # fmt: skip
        self.code = done.returncode
        return done.stdout


def exchanges_of(text: str) -> Iterator[tuple[str, str]]:
    """Each command of a block, with what is shown after it; a backslash ends a line that goes on."""
    lines = iter(text.splitlines(keepends=True))
    command, shown = "", ""
    for line in lines:
        if not line.startswith("$ "):
            assert command, f"a console block begins with a command: {line!r}"
            shown += line
            continue
        if command:
            yield command, shown
        command, shown = line[2:].strip(), ""
        while command.endswith("\\"):
            command = command[:-1] + next(lines).strip()
    yield command, shown


def clean(text: str) -> str:
    """Without blanks at the ends of lines, and without empty lines at the end."""
    lines = [line.rstrip() for line in text.splitlines()]
    while lines and not lines[-1]:
        lines.pop()
    return "".join(line + "\n" for line in lines)


@pytest.mark.worked_example
def test_the_blocks_of_a_page_run_and_print_what_it_shows(page, blocks, root, tmp_path, monkeypatch):
    folder = tmp_path / "empty"
    folder.mkdir()
    monkeypatch.chdir(folder)
    state = Page(tmp_path, root)
    for block in blocks(page):
        where = f"{page.name}:{block.line}"
        if block.not_run:
            continue
        if block.file is not None:
            Path(block.file).write_text(block.text, encoding="utf-8")
        elif block.language == "python":
            state.python(block.text, where)
        elif block.language == "console":
            state.console(block.text, where)


def test_a_command_of_a_page_is_shown_with_its_output_or_says_why_it_is_not_run(page, blocks):
    for block in blocks(page):
        if block.language not in ("console", "python") and block.file is None and not block.not_run:
            calls = [line for line in block.text.splitlines() if line.startswith(("fpcert ", "$ "))]
            assert not calls, f"{page.name}:{block.line}: in a block `console` this would be run: {calls[0]}"


def test_few_blocks_are_not_run_and_each_has_its_reason(root, blocks):
    pages = [root / "README.md", *(root / "docs").glob("**/*.md")]
    reasons = [block.not_run for page in pages for block in blocks(page) if block.not_run is not None]
    assert len(reasons) <= BLOCKS_NOT_RUN
    assert all(len(reason.split()) >= 3 for reason in reasons)


@pytest.mark.parametrize(
    ("text", "right"),
    [
        ("$ fpcert --version\nfpcert ...\n", True),
        ("$ fpcert --version\nfpcert 99\n", False),
        ("$ fpcert --version\n", False),
        ("$ fpcert nmax\n...\n", False),  # exit code 2
        ("$ fpcert nmax\n...\n$ echo $?\n2\n", True),
        ("$ cat missing\n...\n", False),
        ("$ echo one \\\n  two\none two\n", True),
    ],
)
def test_what_is_not_as_shown_is_found(text, right, root, tmp_path):
    with contextlib.nullcontext() if right else pytest.raises(AssertionError):
        Page(tmp_path, root).console(text, "here")
