"""Table 2 of arXiv:2608.11909, its construction side: compiled models in place of trained ones.

The table has RoPE_P at accuracy 1.00 on (aa)* and (ab)*, on lengths 41-500, and SiPE_P at 0.50 although Thm 3.2
guarantees weights that do it.  Here are such weights, compiled from a formula (Lemma 3.2 and Thm 3.2), run on the same
number of words of the same lengths; and whether their exact automaton is that of the language, which says it of every
length.  NoPE, and what training finds, are not done again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from random import Random
from typing import Literal

import numpy as np

from certify.compiling.compute import compile_formula
from certify.languages.compute import language
from certify.languages.dfa import Dfa
from certify.reproducing.reproduction import Reproduction, Row
from certify.reproducing.sampling import Sampler
from certify.verifying.extraction import extract
from certify.verifying.prefixes import accepted_prefixes
from certify.verifying.words import accepted_by
from fpsim.errors import InputError
from fpsim.number import parse_count
from fpsim.transformer.model import Transformer

__all__ = ["FORMATS", "table2"]

FORMATS = ("fp16", "bf16", "fp32")
_FIRST, _LAST, _WORDS, _BATCH = 41, 500, 512, 128
_LANGUAGES = (
    ("(aa)*", "(..)*", "MOD(1,2)"),  # even length, over more than one letter
    ("(ab)*", "(ab)*", "MOD(1,2) & !P(a & MOD(0,2) | b & MOD(1,2))"),
)
_ENCODINGS: tuple[tuple[str, Literal["rope", "sipe"], str], ...] = (
    ("RoPE_P", "rope", "accuracy 1.00, N* 500"),
    ("SiPE_P", "sipe", "expressible (Thm 3.2); trained 0.50"),
)

Progress = Callable[[int, int], None]


def table2(
    *,
    words: int = _WORDS,
    first: int = _FIRST,
    last: int = _LAST,
    formats: tuple[str, ...] = FORMATS,
    seed: int = 0,
    threads: int | None = None,
    progress: Progress | None = None,
) -> Reproduction:
    """The compiled models on so many words of each length from `first` to `last`.

    Words are drawn as `certify.reproducing.sampling` says.  progress: called with (words read, all).  Ctrl-C keeps the
    models that are done.  Raises `InputError` for numbers out of range.
    """
    words = parse_count(words, "words", least=1, most=1_000_000)
    first, last = parse_count(first, "first length", least=0), parse_count(last, "last length", least=0, most=10_000)
    if first > last:
        raise InputError("lengths", f"{first}-{last}", "a first one that is not above the last, such as 41-500")
    models = [(kind, spoken, each) for spoken in _LANGUAGES for kind in _ENCODINGS for each in formats]
    rows: list[Row] = []
    interrupted = False
    try:
        for n, ((name, encoding, printed), (shown, regex, formula), dtype) in enumerate(models):
            compiled = compile_formula(formula, dtype=dtype, alphabet="ab", encoding=encoding)
            target = language(regex, alphabet="ab")
            test = _Test(compiled.model, target, words, first, last, seed, threads)
            right, inside, perfect = test.run(None if progress is None else _shifted(progress, n, len(models), words))
            total = words * (last - first + 1)
            proof = extract(compiled.model)
            cells = {
                "language": shown, "encoding": name, "dtype": dtype, "layers": len(compiled.model.layers),
                "words": total, "in it": inside, "errors": total - right, "accuracy": _accuracy(right, total),
                "N*": perfect, "all lengths": None if proof.dfa is None else proof.dfa == target,
            }  # fmt: skip
            rows.append(Row(cells, printed, right == total and proof.dfa in (None, target), proof.reason))
    except KeyboardInterrupt:
        interrupted = True
    notes = (
        (
            f"{words} words of each length {first}-{last}, the first letters of {words} words of {last} letters: a "
            f"quarter of these are in the language, half are so up to a random place, a quarter random (seed {seed})."
        ),
        "The paper does not say how its words are drawn. N* is the longest perfect length.",
        "all lengths: the exact automaton of the model is that of the language.",
        "Compiled weights, not trained ones: what training finds, and NoPE, are not done again.",
    )
    return Reproduction("table2", "Table 2, the construction side", tuple(rows), notes, interrupted)


def _accuracy(right: int, total: int) -> str:
    """Rounded down, so that 1.00 means that nothing is wrong."""
    return f"{10_000 * right // total / 10_000:.4f}" if right < total else "1.00"


@dataclass(frozen=True, eq=False)
class _Test:
    model: Transformer
    dfa: Dfa
    words: int
    first: int
    last: int
    seed: int
    threads: int | None

    def run(self, progress: Callable[[int], None] | None) -> tuple[int, int, int | None]:
        """(right answers, words of the language, the greatest length up to which all are right; None: not even the
        first)."""
        drawn = np.array(Sampler(self.dfa, self.last).words(self.words, Random(self.seed)), dtype=np.int64)
        drawn = drawn.reshape(self.words, self.last)
        expected = np.stack([accepted_by(self.dfa, drawn[:, :n]) for n in range(self.last + 1)], axis=1)
        right = np.zeros(self.last + 1, dtype=np.int64)
        for start in range(0, self.words, _BATCH):
            part = slice(start, start + _BATCH)
            right += (accepted_prefixes(self.model, drawn[part], self.threads) == expected[part]).sum(axis=0)
            if progress is not None:
                progress(min(start + _BATCH, self.words))
        wrong = np.flatnonzero(right[self.first :] < self.words)
        perfect = self.last if not wrong.size else self.first + int(wrong[0]) - 1
        inside = int(expected[:, self.first :].sum())
        return int(right[self.first :].sum()), inside, perfect if perfect >= self.first else None


def _shifted(progress: Progress, done: int, models: int, words: int) -> Callable[[int], None]:
    return lambda more: progress(done * words + more, models * words)
