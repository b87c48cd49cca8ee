"""Running a model on many words beside a DFA, and the first word on which they differ."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence

import numpy as np

from certify.languages.dfa import Dfa, Word
from certify.verifying.words import accepted_by, all_words
from fpsim.transformer.forward import run
from fpsim.transformer.model import Transformer

__all__ = ["Comparison"]

_CHUNK = 4096


class Comparison:
    """What was run so far.

    words: how many.  exhaustive_to: the greatest length up to which every word was run; -1: none.  difference: the
    first word on which model and DFA differ, None as long as there is none.
    """

    def __init__(
        self, model: Transformer, dfa: Dfa, threads: int | None = None, progress: Callable[[int], None] | None = None
    ) -> None:
        self.model, self.dfa, self.threads, self.progress = model, dfa, threads, progress
        self.words = 0
        self.exhaustive_to = -1
        self.difference: Word | None = None

    def run_all(self, length: int, most: int) -> None:
        """All words, shortest first, of lengths up to `length`, as long as no more than `most` are run in all."""
        letters = len(self.dfa.alphabet)
        for n in range(self.exhaustive_to + 1, length + 1):
            if self.words + letters**n > most:
                return
            for part in all_words(letters, n, _CHUNK):
                self._run(part)
                if self.difference is not None:
                    return
            self.exhaustive_to = n

    def run_some(self, words: Iterable[Word]) -> None:
        """These words, shortest first."""
        by_length: dict[int, list[Word]] = {}
        for word in words:
            by_length.setdefault(len(word), []).append(word)
        for n in sorted(by_length):
            part = sorted(by_length[n])
            for start in range(0, len(part), _CHUNK):
                self._run(np.array(part[start : start + _CHUNK], dtype=np.int64).reshape(-1, n))
                if self.difference is not None:
                    return

    def _run(self, words: np.ndarray[tuple[int, int], np.dtype[np.int64]]) -> None:
        alphabet: Sequence[str] = self.dfa.alphabet
        texts = [[alphabet[a] for a in row] for row in words.tolist()]
        accepted = run(self.model, texts, threads=self.threads).accepted
        wrong = np.flatnonzero(accepted != accepted_by(self.dfa, words))
        if wrong.size:
            self.difference = tuple(words[wrong[0]].tolist())
        self.words += len(words)
        if self.progress is not None:
            self.progress(self.words)
