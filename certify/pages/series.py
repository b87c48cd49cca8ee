"""A column of a page: numbers with their exact texts, or words."""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property
from numbers import Integral
from typing import Any

from gmpy2 import mpq

from fpsim.number import exact_text

__all__ = ["Series"]

_LARGEST = 2**53  # beyond it binary64 has gaps between whole numbers


@dataclass(frozen=True)
class Series:
    """A named column; None is an absent value.

    values: binary64 numbers, by which the column is sorted and drawn, or texts.  texts: what is shown for a number,
    where its own shortest decimal does not say it exactly.
    """

    name: str
    values: Sequence[float | str | None]
    texts: Sequence[str | None] | None = None

    @staticmethod
    def of(name: str, values: Sequence[Any]) -> Series:
        """The column of these values: whole numbers, exact rationals and floats, or else texts and truth values.

        A number stands beside its nearest binary64 (an infinity beyond its range) with its exact text.

        >>> Series.of("C", [mpq(1, 3), 2**53 + 1, None])
        Series(name='C', values=(0.3333333333333333, 9007199254740992.0, None), texts=('1/3', '9007199254740993', None))
        >>> Series.of("exact", [True, None]).values
        ('true', None)
        """
        known = [value for value in values if value is not None]
        if not known or not all(_is_number(value) for value in known):
            return Series(name, tuple(None if value is None else _word(value) for value in values))
        near = tuple(None if value is None else _nearest(value) for value in values)
        texts = tuple(None if value is None else _text(value) for value in values)
        return Series(name, near, texts)

    @cached_property
    def numeric(self) -> bool:
        """Whether the values are numbers; of a column without any, no."""
        return any(isinstance(value, int | float) for value in self.values)

    @property
    def varies(self) -> bool:
        """Whether two values differ."""
        return len(set(self.values)) > 1

    def packed(self) -> dict[str, Any]:
        """The column as the page takes it: {"name", "near", "exact"}, or {"name", "words", "codes"} with the code -1
        for an absent word.

        `near` are numbers of JSON, which lacks the infinities and NaN: they are the texts that JavaScript's Number
        takes.  `exact` are the texts, null where `near` says the same, and left out where it always does.
        """
        if not self.numeric:
            words = sorted({str(value) for value in self.values if value is not None})
            codes = {word: code for code, word in enumerate(words)}
            placed = [-1 if value is None else codes[str(value)] for value in self.values]
            return {"name": self.name, "words": words, "codes": placed}
        near = [None if value is None else _json_number(float(value)) for value in self.values]
        packed: dict[str, Any] = {"name": self.name, "near": near}
        if self.texts is not None:
            exact = [None if text == str(number) else text for text, number in zip(self.texts, near, strict=True)]
            if any(text is not None for text in exact):
                packed["exact"] = exact
        return packed

    def longest(self) -> int:
        """The characters of the longest cell, the name included."""
        shown = self.values if self.texts is None else self.texts
        return max(len(self.name), max((len(str(text)) for text in shown if text is not None), default=0))


def _is_number(value: Any) -> bool:
    return isinstance(value, Integral | float | type(mpq())) and not isinstance(value, bool)


def _word(value: Any) -> str:
    return str(value).lower() if isinstance(value, bool) else str(value)


def _nearest(value: Any) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def _text(value: Any) -> str:
    if isinstance(value, Integral):
        return str(int(value))
    return repr(float(value)) if isinstance(value, float) else exact_text(value)


def _json_number(number: float) -> float | int | str:
    if not math.isfinite(number):
        return {math.inf: "Infinity", -math.inf: "-Infinity"}.get(number, "NaN")
    return int(number) if number.is_integer() and abs(number) <= _LARGEST else number
