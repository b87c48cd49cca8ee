"""From bytes to a report: the claim in words, what was shown, and the verdict."""

from __future__ import annotations

import hashlib
import re
import sys
from collections.abc import Iterable
from dataclasses import dataclass

from .canonical import read
from .claims import claim_of
from .limits import Account, Stop

__all__ = ["EXIT_CODES", "MAX_WORK", "Report", "check_bytes"]

MAX_WORK = 1_000_000
_DIGITS = 40_000  # that Python converts meanwhile: more than any integer of a certificate has
EXIT_CODES = {"verified": 0, "refuted": 1, "malformed": 2, "undecided": 3, "unsupported": 4, "internal-error": 70}


@dataclass(frozen=True)
class Report:
    """The verdict on one file; `lines` ends with the machine-readable one.  sha256: "-" of one that was not read."""

    verdict: str
    lines: tuple[str, ...]
    obligations: int
    sha256: str

    @property
    def exit_code(self) -> int:
        """0 verified, 1 refuted, 2 malformed, 3 undecided, 4 unsupported."""
        return EXIT_CODES[self.verdict]

    def __str__(self) -> str:
        return "\n".join(self.lines)


def check_bytes(data: bytes, max_work: int = MAX_WORK, name: str = "-", beside: Iterable[bytes] = ()) -> Report:
    """Check one certificate.

    max_work: units of one realized value or score that may be spent.  name: the file, as the report shows it.  beside:
    the bytes of files, for claims that name one by its sha256.  Never raises for what the bytes hold.
    """
    account = Account(max_work, beside={hashlib.sha256(each).hexdigest(): each for each in beside})
    told: list[str] = []
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(_DIGITS)
    try:
        claim = claim_of(read(data), account)
        words = claim.words()
        told += [f"claim (semantics 1): {words[0]}", *(f"  {line}" for line in words[1:])]
        claim.check()
        verdict, reason = "verified", ""
        if account.obligations < 1:
            verdict, reason = "internal-error", "nothing was shown"
    except Stop as stop:
        verdict, reason = stop.verdict, str(stop)
    finally:
        sys.set_int_max_str_digits(limit)
    told += [f"shown: {note}" for note in account.notes]
    return _report(verdict, reason, told, account.obligations, data, name)


def unchecked(verdict: str, reason: str, name: str) -> Report:
    """The report on a file that could not be checked at all."""
    return _report(verdict, reason, [], 0, None, name)


def _report(verdict: str, reason: str, told: list[str], obligations: int, data: bytes | None, name: str) -> Report:
    sha256 = "-" if data is None else hashlib.sha256(data).hexdigest()
    file = re.sub(r"[^!-~]", "?", name) or "''"
    lines = [f"certificate {file}, {'not read' if data is None else f'{len(data)} bytes'}", *told]
    lines += [f"{verdict}: {reason}"] if reason else []
    lines.append(f"verdict={verdict} file={file} sha256={sha256} obligations={obligations}")
    return Report(verdict, tuple(lines), obligations, sha256)
