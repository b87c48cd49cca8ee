"""What the pages say of commands and options exists, and every command has its place in the reference."""

import re
import shlex
import tomllib

import click
import pytest

from fpcert.main import COMMANDS, program

PARENT = click.Context(program, info_name="fpcert")
OPTION = re.compile(r"--?[A-Za-z][A-Za-z-]*")


def options_of(name):
    """The spellings of the options of a command."""
    command = program if name is None else program.get_command(PARENT, name)
    context = click.Context(command, info_name=name, parent=PARENT, help_option_names=["-h", "--help"])
    return {text for parameter in command.get_params(context) for text in (*parameter.opts, *parameter.secondary_opts)}


OPTIONS = {name: options_of(name) for name in (None, *COMMANDS)}
EVERY_OPTION = set().union(*OPTIONS.values())


def words_of(text):
    """The words of a command line; a placeholder such as `...` is a word too."""
    try:
        return shlex.split(text, comments=True)
    except ValueError:  # half a command: a quote is not closed
        return text.split()


def faults(call):
    """What is wrong with `fpcert ...`: no such command, or options that it has not."""
    words = words_of(call)[1:]
    name = next((word for word in words if not word.startswith("-")), None)
    if name is None:
        return [word for word in words if word not in OPTIONS[None]]
    if name not in COMMANDS:
        return [name]
    if "--" in words:
        words = words[: words.index("--")]
    given = [word.split("=")[0] for word in words if OPTION.fullmatch(word.split("=")[0])]
    return [word for word in given if word not in OPTIONS[name] and not word[2:].isdigit()]


def test_calls_in_blocks_and_in_the_text_have_commands_and_options_that_exist(page, blocks, phrases):
    lines = [line for block in blocks(page) for line in block.text.splitlines()]
    calls = [line.removeprefix("$ ") for line in lines] + phrases(page)
    wrong = {call: faults(call) for call in calls if re.match(r"fpcert [a-z-]", call) and faults(call)}
    assert not wrong


def test_options_named_in_the_text_exist(page, phrases):
    named = {words_of(phrase)[0].split("=")[0] for phrase in phrases(page) if OPTION.match(phrase)}
    unknown = {name for name in named if name not in EVERY_OPTION}
    assert not unknown


@pytest.mark.parametrize(
    ("call", "wrong"),
    [
        ("fpcert nmax --g 1.0 --C 40 -o x", []),
        ("fpcert nmax --frobnicate 3", ["--frobnicate"]),
        ("fpcert frobnicate", ["frobnicate"]),
        ("fpcert check FILE --g 1", ["--g"]),
        ("fpcert results r.sqlite --sort=-n_max", []),
        ("fpcert --version", []),
    ],
)
def test_faults_are_found(call, wrong):
    assert faults(call) == wrong


def test_the_exit_codes_of_the_reference_are_those_of_the_code(root):
    from certify.checker.report import EXIT_CODES
    from fpcert.main import BROKEN_PIPE, INTERNAL, INTERRUPTED, UNSUPPORTED, USAGE

    lines = (root / "docs/reference/exit-codes.md").read_text(encoding="utf-8").splitlines()
    told = {int(line.split("|")[1]) for line in lines if re.match(r"\| \d", line)}
    assert told == {0, 1, 3, USAGE, UNSUPPORTED, INTERNAL, INTERRUPTED, BROKEN_PIPE}
    assert set(EXIT_CODES.values()) <= told


def test_the_readme_says_how_long_the_checker_is(root):
    told = re.search(r"It has ([\d,]+) lines", (root / "README.md").read_text(encoding="utf-8"))
    lines = sum(len(file.read_text(encoding="utf-8").splitlines()) for file in (root / "certify/checker").glob("*.py"))
    assert told is not None
    assert abs(int(told[1].replace(",", "")) - lines) <= 250  # it says hundreds


def test_the_extras_of_the_reference_are_those_of_the_package(root):
    lines = (root / "docs/reference/extras.md").read_text(encoding="utf-8").splitlines()
    told = {found[1] for line in lines if (found := re.match(r"\| `([a-z]+)` \|", line))}
    assert told == set(
        tomllib.loads((root / "pyproject.toml").read_text(encoding="utf-8"))["project"]["optional-dependencies"]
    )
