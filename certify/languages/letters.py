"""Alphabets: which texts are letters, and how a list of them is given."""

from __future__ import annotations

from collections.abc import Iterable

from fpsim.errors import InputError

__all__ = ["MAX_LETTERS", "alphabet_of"]

MAX_LETTERS, MAX_LENGTH = 1000, 100


def alphabet_of(letters: str | Iterable[str], name: str = "alphabet") -> tuple[str, ...]:
    """The alphabet that a text of single characters, or a list of letters, gives: the letters in that order.

    A letter is a text of 1 to `MAX_LENGTH` printable characters, none of them blank.

    >>> alphabet_of("ab")
    ('a', 'b')

    Raises `InputError` when there is none, more than `MAX_LETTERS`, or one twice.
    """
    found = tuple(letters) if isinstance(letters, (str, tuple, list)) else None
    if found is None:
        raise InputError(name, letters, "a text of letters, or a list of them")
    if not found:
        raise InputError(name, letters, "at least one letter")
    if len(found) > MAX_LETTERS:
        raise InputError(name, f"{len(found)} letters", f"at most {MAX_LETTERS}")
    for letter in found:
        if not isinstance(letter, str) or not 1 <= len(letter) <= MAX_LENGTH or not letter.isprintable():
            raise InputError(name, letter, f"letters of 1 to {MAX_LENGTH} printable characters")
        if any(c.isspace() for c in letter):
            raise InputError(name, letter, "letters without blanks")
    if len(set(found)) < len(found):
        twice = next(letter for letter in found if found.count(letter) > 1)
        raise InputError(name, twice, "different letters; this one is given twice")
    return found
