"""Test words, by a seed: words of one length whose prefixes are the words of every shorter one.

The paper says how many words there are of each length (512, App. E.2) and not how they are drawn.  Here as many long
words are drawn, and the test words of length n are their first n letters, so that a model reads each long word once:

* a quarter are words of the language, each with the same probability;
* half are such words with a letter put in, changed or left out at a random place: near-misses from there on;
* a quarter have random letters.

A word of the language has the greatest length up to that asked for at which there is one, and then random letters.
"""

from __future__ import annotations

from random import Random

from certify.languages.dfa import Dfa, Word

__all__ = ["Sampler"]


class Sampler:
    """The words of a language by length.

    >>> alternating = Dfa(("a", "b"), 0, frozenset({0}), ((1, 2), (2, 0), (2, 2)))
    >>> Sampler(alternating, 6).words(1, Random(0))
    [(0, 1, 0, 1, 0, 1)]
    """

    def __init__(self, dfa: Dfa, length: int) -> None:
        self.dfa, self.letters, self.length = dfa, len(dfa.alphabet), length
        self._counts = [[int(q in dfa.accepting) for q in range(len(dfa))]]  # by length and state: accepted words
        for _ in range(length):
            last = self._counts[-1]
            self._counts.append([sum(last[after] for after in row) for row in dfa.delta])

    def words(self, count: int, random: Random) -> list[Word]:
        """So many words of `length` letters; the same for the same state of `random`."""
        found = []
        for n in range(count):
            if n % 4 == 3:
                found.append(self._any(self.length, random))
                continue
            word = self._member(random)
            if n % 4:
                place, letter = random.randrange(self.length + 1), random.randrange(self.letters)
                step = random.choice((0, 1, 2))  # put in, change, leave out
                word = (*word[:place], *((letter,) if step < 2 else ()), *word[place + (step > 0) :])
            found.append((word + self._any(self.length, random))[: self.length])
        return found

    def _any(self, length: int, random: Random) -> Word:
        return tuple(random.choices(range(self.letters), k=length))

    def _member(self, random: Random) -> Word:
        """A word of the language, or no letters where it has none."""
        state, word = self.dfa.initial, []
        length = next((n for n in range(self.length, 0, -1) if self._counts[n][state]), 0)
        for left in range(length, 0, -1):
            ways = [self._counts[left - 1][after] for after in self.dfa.delta[state]]
            choice, letter = random.randrange(sum(ways)), 0
            while choice >= ways[letter]:
                choice -= ways[letter]
                letter += 1
            word.append(letter)
            state = self.dfa.delta[state][letter]
        return tuple(word)
