"""The exceptions of this project: each says what is wrong, with which value, and what would be right."""

from __future__ import annotations

__all__ = ["FpcertError", "InputError", "UnsupportedError", "printable"]


class FpcertError(ValueError):
    """Base of every error that this project raises on purpose; its message is meant for the user."""


class InputError(FpcertError):
    """An argument or a file cannot be taken: the message names it, its value and what would be right.

    >>> raise InputError("k", 0, "an integer of at least 1")
    Traceback (most recent call last):
    ...
    fpsim.errors.InputError: k: cannot take 0; it should be an integer of at least 1
    """

    def __init__(self, what: str, value: object, right: str) -> None:
        text = value if isinstance(value, str) and value.strip() == value != "" else repr(value)
        if hasattr(value, "numerator") and not isinstance(value, (int, float)):
            text = str(value)  # an exact rational: p/q
        if len(text) > 120:
            text = text[:100] + f"... ({len(text)} characters)"
        super().__init__(printable(f"{what}: cannot take {text}; it should be {right}"))


class UnsupportedError(FpcertError):
    """The question is well posed but outside what is implemented; the message says which part."""


def printable(text: str) -> str:
    r"""The text with escapes in place of what a terminal obeys or cannot show, tabs excepted; whatever a user or a file
    brings may have it.

    >>> printable("a\x1b[31mb\ud800"), printable("pi = \u03c0")
    ('a\\x1b[31mb\\ud800', 'pi = π')
    """
    if text.isprintable():
        return text
    kept = (c if c.isprintable() or c == "\t" else c.encode("unicode_escape").decode("ascii") for c in text)
    return "".join(kept)
