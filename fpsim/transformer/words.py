"""Words as positions: BOS, the letters, EOS."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, TypeAlias

import numpy as np

from fpsim.errors import InputError
from fpsim.transformer.model import Transformer

__all__ = ["BOS", "EOS", "Word", "letter_rows", "tokens", "word_text"]

BOS, EOS = 0, 1
Word: TypeAlias = "str | Sequence[str]"
"""A text whose characters are letters, or a sequence of letters."""


def letter_rows(model: Transformer) -> dict[str, int]:
    """The row of the embedding of each letter."""
    return {letter: n + 2 for n, letter in enumerate(model.alphabet)}


def tokens(model: Transformer, word: Word, rows: dict[str, int] | None = None) -> np.ndarray[Any, np.dtype[np.int64]]:
    """The rows of the embedding that BOS w EOS takes.  Raises `InputError` for a letter that is not in the alphabet.

    rows: `letter_rows(model)`, made once for many words.

    >>> from fpsim.transformer import Linear, Precision
    >>> model = Transformer(("a", "b"), np.zeros((4, 1)), (), Linear([[1.0]]), Precision.of("fp16"))
    >>> tokens(model, "ab").tolist()
    [0, 2, 3, 1]
    """
    rows = letter_rows(model) if rows is None else rows
    if not isinstance(word, str | tuple | list):
        raise InputError("word", word, "a text, or a list of letters")
    try:
        return np.array([BOS, *(rows[letter] for letter in word), EOS], dtype=np.int64)
    except (KeyError, TypeError) as error:  # TypeError: what cannot be looked up, as a list
        place = next(n for n, letter in enumerate(word) if not isinstance(letter, str) or letter not in rows)
        known = ", ".join(model.alphabet[:20]) + (", ..." if len(model.alphabet) > 20 else "")
        raise InputError(f"letter {place + 1} of the word", word[place], f"one of {known}") from error


def word_text(word: Word) -> str:
    """The word as it is printed: letters of more than one character are separated by spaces."""
    return word if isinstance(word, str) else ("" if all(len(a) == 1 for a in word) else " ").join(word)
