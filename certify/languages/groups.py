"""Words that show that a language is not star-free."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from certify.languages.dfa import Dfa, Word
from certify.languages.witness import separating_word, shortest_word

__all__ = ["GroupWitness", "group_witness"]


@dataclass(frozen=True)
class GroupWitness:
    """Words w, x, s and n >= 2: w and w x^n lead to one state, and one of ws, wxs is accepted.

    So x^i and x^(i+1) are told apart by w and s for every multiple i of n: the powers of x are never equal from some
    one on, and the language is not star-free (Schuetzenberger 1965).
    """

    w: Word
    x: Word
    s: Word
    n: int

    def to_json(self, dfa: Dfa) -> dict[str, Any]:
        """The words as texts, or as lists of letters where a letter has several characters."""
        words = {name: dfa.letters(word) for name, word in (("w", self.w), ("x", self.x), ("s", self.s))}
        return words | {"n": self.n}

    def explanation(self, dfa: Dfa) -> str:
        """The words in a sentence."""
        w, x, s = (_text(dfa.letters(word)) for word in (self.w, self.x, self.s))
        return f"x = {x}: w x^i s is accepted for i = 0 or for i = 1 modulo {self.n}, not for both; w = {w}, s = {s}"


def group_witness(dfa: Dfa, x: Word) -> GroupWitness:
    """The witness that a word x with x^n != x^(n+1) for all n gives, for a minimal DFA.

    >>> group_witness(Dfa(("a",), 0, frozenset({0}), ((1,), (0,))), (0,))
    GroupWitness(w=(), x=(0,), s=(), n=2)
    """
    image = [dfa.after(q, x) for q in range(len(dfa))]
    kept = set(range(len(dfa)))
    while (after := {image[q] for q in kept}) != kept:
        kept = after
    q = next(q for q in sorted(kept) if image[q] != q)  # x permutes what is kept, and not as the identity
    n, state = 1, image[q]
    while state != q:
        n, state = n + 1, image[state]
    return GroupWitness(shortest_word(dfa, dfa.initial, q), x, separating_word(dfa, q, image[q]), n)


def _text(word: str | list[str]) -> str:
    text = word if isinstance(word, str) else " ".join(word)
    return (text if len(text) <= 60 else f"{text[:50]}.. ({len(word)} letters)") or "@"
