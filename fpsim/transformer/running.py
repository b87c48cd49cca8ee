"""Running a model on words, in its own precision or in another one: what the command `fpcert run` shows."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from fpsim.errors import InputError, printable
from fpsim.number import decimal_text, json_number
from fpsim.operands import as_element
from fpsim.precision import Precision
from fpsim.rounding.reference import Element
from fpsim.transformer.model import Transformer
from fpsim.transformer.representable import representable
from fpsim.transformer.words import Word, word_text

__all__ = ["RunResult", "RunWord", "run_model"]


@dataclass(frozen=True)
class RunWord:
    """A word as it is printed, the classifier's value at EOS, exact, and whether that is above 0 (NaN is not)."""

    word: str
    value: Element
    accepted: bool

    def to_json(self) -> dict[str, Any]:
        """The keys of cli.md, and `value`."""
        return {"word": self.word, "accepted": self.accepted, "value": json_number(self.value)}


@dataclass(frozen=True)
class RunResult:
    """What a model says of words, in the order in which they were given, and in which precision it said so."""

    words: tuple[RunWord, ...]
    precision: Precision

    def to_json(self) -> dict[str, Any]:
        """One object: `words`, `precision`."""
        return {"words": [each.to_json() for each in self.words], "precision": str(self.precision)}

    def __str__(self) -> str:
        rows = [("word", "accepted", "value"), *map(_row, self.words)]
        widths = [max(len(row[column]) for row in rows) for column in (0, 1)]
        lines = [f"{word:{widths[0]}}  {accepted:{widths[1]}}  {value}" for word, accepted, value in rows]
        return "\n".join([f"precision: {self.precision}", "", *lines])


def _row(each: RunWord) -> tuple[str, str, str]:
    value = each.value
    text = str(value) if isinstance(value, float) else decimal_text(value)
    return printable(each.word) or '""', "yes" if each.accepted else "no", text


def run_model(
    model: Transformer | str | Path,
    words: Sequence[Word],
    *,
    strict: bool = False,
    threads: int | None = None,
    progress: Callable[[float, int], None] | None = None,
    **changes: Any,
) -> RunResult:
    """What the model, or that of the file of this name, says of each word; every operation is rounded.

    changes: arguments of `Precision.changed`, such as dtype="bf16", score_dtype="fp32": the model's weights in another
    precision.  Parameters that are no values of F then are rounded with a `RoundedWarning`, or refused with `strict`.
    threads, progress: as of `fpsim.transformer.forward.run`.
    Raises `InputError` for a file that is no model, for a letter that is not in the alphabet, and for what no value set
    or order is; `UnsupportedError` for a precision that has no meaning.

    >>> from fpsim.transformer import Linear
    >>> model = Transformer(("a",), [[0.0], [0.1], [0.0]], (), Linear([[1.0]]), Precision.of("fp64"))
    >>> print(run_model(model, ["", "a"]))
    precision: fp64
    <BLANKLINE>
    word  accepted  value
    ""    yes       0.10000000000000001...
    a     yes       0.10000000000000001...
    """
    from fpsim.transformer.files.model_file import load_model
    from fpsim.transformer.forward import run

    if not isinstance(model, Transformer | str | Path):
        raise InputError("model", model, "a Transformer or the name of a file")
    if isinstance(words, str) or not isinstance(words, Iterable):
        raise InputError("words", words, "a list of words")
    loaded = model if isinstance(model, Transformer) else load_model(model, strict=strict)
    words = tuple(words)
    _check_words(loaded, words)
    asked = loaded.precision.changed(**changes)
    fitting = representable(replace(loaded, precision=asked), strict=strict)
    outcome = run(fitting, words, threads=threads, progress=progress)
    said = zip(outcome.words, outcome.values, outcome.accepted, strict=True)
    return RunResult(tuple(RunWord(word_text(w), as_element(value), bool(yes)) for w, value, yes in said), asked)


def _check_words(model: Transformer, words: Sequence[Word]) -> None:
    """Refuse letters outside the alphabet before any word has run, and say in which word they are."""
    alphabet = set(model.alphabet)
    for n, word in enumerate(words, start=1):
        if not isinstance(word, str | tuple | list) or not all(isinstance(letter, str) for letter in word):
            raise InputError(f"word {n}", word, "a text, or a list of letters")
        for place, letter in enumerate(word, start=1):
            if letter not in alphabet:
                known = ", ".join(model.alphabet[:20]) + (", ..." if len(model.alphabet) > 20 else "")
                raise InputError(f"word {n}, letter {place}", letter, f"one of {known}")
