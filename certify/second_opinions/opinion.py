"""What a second opinion says."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Literal, TypeAlias

from fpsim.errors import UnsupportedError

__all__ = ["MAX_DIGITS", "Opinion", "OutOfWorkError", "Verdict", "Work", "long_integers", "missing"]

MAX_DIGITS = 40_000
"""Of an integer that is read or shown: more than any of a certificate has (docs/certificates.md)."""

Verdict: TypeAlias = Literal["verified", "refuted", "undecided", "unsupported"]


@dataclass(frozen=True)
class Opinion:
    """A verdict on a certificate, in the words of docs/certificates.md.

    text: what was shown, or why nothing was.  obligations: how many things were shown (roundings, pairs, positions).
    """

    verdict: Verdict
    text: str
    obligations: int = 0

    def __str__(self) -> str:
        return f"{self.verdict}: {self.text}"


class OutOfWorkError(Exception):
    """The work limit is reached; the message says at what."""


class Work:
    """How many realized values and scores may be computed yet."""

    def __init__(self, limit: int) -> None:
        self.limit = limit
        self.spent = 0

    @property
    def left(self) -> int:
        """What may still be spent."""
        return self.limit - self.spent

    def spend(self, units: int, on: str) -> None:
        """Raise `OutOfWorkError` when `units` more are too many; they are counted otherwise."""
        if units > self.left:
            raise OutOfWorkError(f"{on} would take {units} units of work, and {self.left} of {self.limit} are left")
        self.spent += units


@contextmanager
def long_integers() -> Iterator[None]:
    """Meanwhile Python reads and writes integers of up to `MAX_DIGITS` digits, as certificates may hold."""
    before = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(MAX_DIGITS)
    try:
        yield
    finally:
        sys.set_int_max_str_digits(before)


def missing(package: str, extra: str) -> UnsupportedError:
    """The error that says what to install."""
    return UnsupportedError(
        f"this second opinion needs the package {package}, which is not installed; `pip install 'fpcert[{extra}]'` "
        "brings it"
    )
