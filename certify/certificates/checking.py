"""Checking certificate files: the checker's verdict, with second opinions by other programs beside it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from certify.checker.command import read_file
from certify.checker.modelfile import MAX_BYTES as MODEL_BYTES
from certify.checker.report import EXIT_CODES, MAX_WORK, Report, check_bytes, unchecked
from fpsim.errors import InputError, UnsupportedError
from fpsim.plain_file import read_plain_file

__all__ = ["OPINIONS", "Checked", "check", "worst_exit_code"]

OPINIONS = ("flint", "smt")
_WORST_FIRST = (70, 1, 2, 3, 4, 0)


@dataclass(frozen=True)
class Checked:
    """The verdict of the checker on one file, and what others say of the same bytes.

    opinions: program to (verdict, text).  A second opinion counts where it contradicts: then `exit_code` is 70.
    """

    file: str
    report: Report
    opinions: dict[str, tuple[str, str]] = field(default_factory=dict, hash=False)

    @property
    def contradicted(self) -> bool:
        """Whether one says verified and another refuted."""
        verdicts = {self.report.verdict, *(verdict for verdict, _ in self.opinions.values())}
        return {"verified", "refuted"} <= verdicts

    @property
    def exit_code(self) -> int:
        """That of the checker's verdict; 70 for a contradiction."""
        return EXIT_CODES["internal-error"] if self.contradicted else self.report.exit_code

    def to_json(self) -> dict[str, Any]:
        """The keys of one entry of `files`."""
        return {
            "file": self.file,
            "verdict": self.report.verdict,
            "sha256": self.report.sha256,
            "obligations": self.report.obligations,
            "text": list(self.report.lines[:-1]),
            "opinions": {name: {"verdict": verdict, "text": text} for name, (verdict, text) in self.opinions.items()},
            "contradicted": self.contradicted,
        }

    def __str__(self) -> str:
        *lines, last = self.report.lines
        lines += [f"{name} says {verdict}: {text}" for name, (verdict, text) in self.opinions.items()]
        if self.contradicted:
            lines.append("the opinions contradict each other: one of the programs is wrong; please report this file")
        return "\n".join([*lines, last])


def check(
    file: str | Path | bytes,
    *,
    max_work: int = MAX_WORK,
    opinions: Sequence[str] = (),
    name: str | None = None,
    beside: Sequence[str | Path] = (),
) -> Checked:
    """Check one certificate: a file, `-` for standard input, or its bytes.

    max_work: units of one realized value or score that may be spent.  opinions: which others are asked as well, of
    "flint" (Arb) and "smt" (bitwuzla).  beside: files of models or of realized blocks, for claims that name one by its
    sha256.  A certificate that cannot be read is "malformed".  Raises `InputError` for arguments that cannot be taken
    and `UnsupportedError` where a program that was asked for is not installed.

    >>> from certify.certificates.ranges import flarge_certificate
    >>> check(flarge_certificate("fp16")).report.verdict
    'verified'
    """
    if type(max_work) is not int or max_work < 1:
        raise InputError("max_work", max_work, "an integer of at least 1")
    for other in opinions:
        if other not in OPINIONS:
            raise InputError("with", other, " or ".join(OPINIONS))
    shown = name or ("-" if isinstance(file, bytes) else str(file))
    try:
        data = file if isinstance(file, bytes) else read_file(str(file))
    except (OSError, ValueError) as error:
        return Checked(shown, unchecked("malformed", f"the file cannot be read: {error}", shown))
    given = [
        read_plain_file(each, "file beside", MODEL_BYTES, "a readable file of a model or blocks") for each in beside
    ]
    report = check_bytes(data, max_work, shown, given)
    if report.verdict == "malformed":
        return Checked(shown, report)
    return Checked(shown, report, {other: _opinion(other, data, max_work) for other in opinions})


def worst_exit_code(checked: Iterable[Checked]) -> int:
    """The exit code that decides for several files."""
    codes = {each.exit_code for each in checked}
    return next((code for code in _WORST_FIRST if code in codes), 0)


def _opinion(name: str, data: bytes, max_work: int) -> tuple[str, str]:
    if name == "flint":
        from certify.second_opinions.flint import second_opinion

        opinion = second_opinion(data, max_work)
    else:
        from certify.second_opinions.smt import second_opinion as by_solver

        try:
            opinion = by_solver(data)
        except UnsupportedError as error:
            if "not installed" in str(error):
                raise
            return "unsupported", str(error)
    return opinion.verdict, opinion.text
