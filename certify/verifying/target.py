"""The language that a model should recognize, over the model's alphabet; and where two languages differ first."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING

from certify.languages.compute import language
from certify.languages.dfa import Dfa, Word
from certify.languages.formula import Formula
from fpsim.errors import InputError

if TYPE_CHECKING:
    from automata.fa.dfa import DFA

__all__ = ["first_difference", "target_of"]


def target_of(
    alphabet: tuple[str, ...], formula: Formula | str | None = None, dfa: Dfa | DFA | str | Path | None = None
) -> Dfa:
    """The minimal complete DFA of the language, its letters in the order of `alphabet`.

    Raises `InputError` unless one of the two is given, for what is no formula or DFA, and for other letters.
    """
    if (formula is None) == (dfa is None):
        raise InputError("the language", "nothing" if dfa is None else "a formula and a DFA", "a formula or a DFA")
    if formula is not None:
        return language(ltl=formula, alphabet=alphabet)
    found = language(dfa=dfa)
    if set(found.alphabet) != set(alphabet):
        raise InputError(
            "the alphabet of the DFA", " ".join(found.alphabet), f"that of the model, {' '.join(alphabet)}"
        )
    columns = [found.alphabet.index(letter) for letter in alphabet]
    moved = tuple(tuple(row[a] for a in columns) for row in found.delta)
    return replace(found, alphabet=alphabet, delta=moved).minimal()


def first_difference(one: Dfa, other: Dfa) -> Word | None:
    """A shortest word that only one of two DFAs over one alphabet accepts, the first of them by letters; None when
    their languages are equal.

    Breadth-first search over pairs of states: words are met shortest first, and each pair once.

    >>> even, all_words = Dfa(("a",), 0, frozenset({0}), ((1,), (0,))), Dfa(("a",), 0, frozenset({0}), ((0,),))
    >>> first_difference(even, all_words), first_difference(even, even)
    ((0,), None)
    """
    start = (one.initial, other.initial)
    order = [start]
    before: dict[tuple[int, int], tuple[tuple[int, int], int] | None] = {start: None}
    for pair in order:
        q, p = pair
        if (q in one.accepting) is not (p in other.accepting):
            return _back(before, pair)
        for a, after in enumerate(zip(one.delta[q], other.delta[p], strict=True)):
            if after not in before:
                before[after] = (pair, a)
                order.append(after)
    return None


def _back(before: dict[tuple[int, int], tuple[tuple[int, int], int] | None], pair: tuple[int, int]) -> Word:
    word: list[int] = []
    while (step := before[pair]) is not None:
        pair, a = step
        word.append(a)
    return tuple(reversed(word))
