"""Words to run a model on: all of one length, random ones, and those on which a model is likely to fail.

A word is a row of letter numbers.
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product
from random import Random
from typing import TYPE_CHECKING

import numpy as np

from certify.languages.dfa import Dfa, Word
from certify.languages.witness import separating_word, shortest_word

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["accepted_by", "adversarial_words", "all_words", "random_words"]

_PAIRS = 400  # of states that are told apart
_LOOPS = 3  # letters of a word that is repeated


def all_words(letters: int, length: int, chunk: int) -> Iterator[NDArray[np.int64]]:
    """All words of this length in the order of their letters, at most `chunk` of them at once.

    >>> [part.tolist() for part in all_words(2, 2, 3)]
    [[[0, 0], [0, 1], [1, 0]], [[1, 1]]]
    """
    count = letters**length
    powers = np.array([letters**e for e in range(length - 1, -1, -1)], dtype=np.int64)
    for start in range(0, count, chunk):
        numbers = np.arange(start, min(start + chunk, count), dtype=np.int64)
        yield numbers[:, None] // powers % letters


def accepted_by(dfa: Dfa, words: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Whether the DFA accepts each row."""
    states = np.full(len(words), dfa.initial)
    for column in words.T:
        states = dfa.table[states, column]
    accepting = np.zeros(len(dfa), dtype=np.bool_)
    accepting[list(dfa.accepting)] = True
    found: NDArray[np.bool_] = accepting[states]
    return found


def random_words(letters: int, count: int, shortest: int, longest: int, random: Random) -> list[Word]:
    """Words of independent letters, their lengths spread evenly over a logarithmic scale."""
    ratio = (longest + 1) / max(shortest, 1)
    lengths = [min(longest, max(shortest, int(max(shortest, 1) * ratio ** random.random()))) for _ in range(count)]
    return [tuple(random.choices(range(letters), k=length)) for length in lengths]


def adversarial_words(dfa: Dfa, count: int, shortest: int, longest: int, precision: int, random: Random) -> list[Word]:
    """Different words of these lengths on which sums stagnate, or which are close to a word on the other side.

    Runs and powers of short words, with a letter changed at an end, of lengths around powers of two up to 2^(precision
    + 1), where counts stop; words in which every short word occurs (de Bruijn); for states p and q of the minimal DFA,
    a word to each of them and one that tells them apart, with a loop repeated in between.  Where there are more than
    `count`, some of them, chosen at random.
    """
    found = dict.fromkeys(
        word
        for word in (*_powers(dfa, longest, precision), *_near_misses(dfa, longest), *_every_factor(dfa, longest))
        if shortest <= len(word) <= longest
    )
    listed = list(found)
    return listed if len(listed) <= count else random.sample(listed, count)


def _powers(dfa: Dfa, longest: int, precision: int) -> Iterator[Word]:
    letters = range(len(dfa.alphabet))
    steps = [1 << e for e in range(3, precision + 2)] + [longest]
    lengths = sorted({n + d for n in steps for d in (-1, 0, 1) if 0 < n + d <= longest})
    for size in range(1, _LOOPS + 1):
        for loop in product(letters, repeat=size):
            if size > 1 and len(set(loop)) == 1:
                continue
            for length in lengths:
                run = (loop * (length // size + 1))[:length]
                yield run
                for a in letters:
                    yield (*run[:-1], a)
                    yield (a, *run[1:])


def _near_misses(dfa: Dfa, longest: int) -> Iterator[Word]:
    """Words to p and to q, and a word that one of p, q accepts."""
    count = len(dfa)
    pairs = [(p, q) for p in range(count) for q in range(p)]
    for p, q in pairs[:_PAIRS]:
        ending = separating_word(dfa, p, q)
        for state in (p, q):
            access = shortest_word(dfa, dfa.initial, state)
            yield (*access, *ending)
            for a, after in enumerate(dfa.delta[state]):
                back = _way(dfa, after, state)
                if back is not None:
                    loop = (a, *back)
                    for times in (longest // 2 // len(loop), (longest - len(access) - len(ending)) // len(loop)):
                        yield (*access, *loop * max(times, 0), *ending)


def _way(dfa: Dfa, start: int, end: int) -> Word | None:
    reached, order = {start}, [start]
    for state in order:
        order += [after for after in dict.fromkeys(dfa.delta[state]) if after not in reached]
        reached.update(order)
    return shortest_word(dfa, start, end) if end in reached else None


def _every_factor(dfa: Dfa, longest: int) -> Iterator[Word]:
    """De Bruijn words: every word of n letters once, by the least unused continuation (the prefer-largest rule)."""
    letters = len(dfa.alphabet)
    n = 2
    while letters**n + n - 1 <= min(longest, 4096):
        word = [0] * n
        seen = {tuple(word)}
        while True:
            for a in range(letters - 1, -1, -1):
                factor = (*word[len(word) - n + 1 :], a)
                if factor not in seen:
                    seen.add(factor)
                    word.append(a)
                    break
            else:
                break
        yield tuple(word)
        yield tuple(reversed(word))
        n += 1
