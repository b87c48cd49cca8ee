"""Pairs of different states that one word keeps: what the classes that look at short factors hang on.

The pairs (p, q), p != q, with an edge to (pa, qa) for each letter a, where that is such a pair, are a graph.  A pair is
*kept* when it lies on a cycle: then some word w, not empty, has pw = p and qw = q, and so has the idempotent e =
w^omega of the transition semigroup.  Conversely, two different states that an idempotent e of the image of Sigma^+
fixes are kept.
"""

from __future__ import annotations

from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from certify.languages.components import Components
from certify.languages.dfa import Dfa, Word
from certify.languages.strong_table import strong_components_of_table
from fpsim.errors import UnsupportedError

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_EDGES", "PairGraph"]

MAX_EDGES = 8_000_000


class PairGraph:
    """The graph of pairs of a minimal DFA.  Raises `UnsupportedError` where it has more than `MAX_EDGES` edges."""

    def __init__(self, dfa: Dfa, components: Components) -> None:
        self.n, self.dfa = len(dfa), dfa
        if self.n * self.n * len(dfa.alphabet) > MAX_EDGES:
            raise UnsupportedError(f"the graph of pairs of {self.n} states has more than {MAX_EDGES} edges")
        self.component = np.array(components.of, dtype=np.int32)
        self.phase = np.array(components.phase, dtype=np.int32)
        self._components = components

    @cached_property
    def table(self) -> NDArray[np.int32]:
        """The successors of the pair (p, q), which has the number p n + q; -1 where the two states become one."""
        delta = self.dfa.table
        first, second = delta[:, None, :], delta[None, :, :]
        after = np.where(first == second, np.int32(-1), first * np.int32(self.n) + second)
        after[np.arange(self.n), np.arange(self.n)] = -1
        return after.reshape(self.n * self.n, -1).astype(np.int32)

    @cached_property
    def strong(self) -> NDArray[np.int32]:
        """The strongly connected component of each pair in the graph of pairs."""
        return strong_components_of_table(self.table)

    @cached_property
    def kept(self) -> tuple[NDArray[np.intp], NDArray[np.intp]]:
        """The kept pairs: the states p, and the states q."""
        numbers = np.arange(self.n * self.n)
        large = np.bincount(self.strong)[self.strong] > 1
        loop = (self.table == numbers[:, None]).any(axis=1)
        kept = np.flatnonzero(large | loop)
        return kept // self.n, kept % self.n

    @cached_property
    def reach(self) -> NDArray[np.bool_]:
        """Whether the component of the first index leads to that of the second one, itself included."""
        count = len(self._components.members)
        found = np.eye(count, dtype=bool)
        for c, members in enumerate(self._components.members):  # edges lead to lower numbers, which are done
            for after in {self._components.of[q] for state in members for q in self.dfa.delta[state]} - {c}:
                found[c] |= found[after]
        return found

    def leads(self, p: NDArray[np.intp], q: NDArray[np.intp]) -> NDArray[np.bool_]:
        """Whether some word leads from p to q."""
        return self.reach[self.component[p], self.component[q]]

    @cached_property
    def swapped(self) -> tuple[int, int] | None:
        """Two states that some word exchanges, if there are any."""
        numbers = np.arange(self.n * self.n)
        p, q = numbers // self.n, numbers % self.n
        exchanged = np.flatnonzero((p < q) & (self.strong == self.strong[q * self.n + p]))
        return None if not len(exchanged) else (int(p[exchanged[0]]), int(q[exchanged[0]]))

    @cached_property
    def swapped_in_step(self) -> bool:
        """Whether two states are exchanged by one word and kept by another one of the same length.

        With n the period of the pair's component, words lead from the pair to itself for all large multiples of n, and
        to the exchanged pair for all large numbers that are its distance modulo n.
        """
        numbers = np.arange(self.n * self.n)
        p, q = numbers // self.n, numbers % self.n
        mirrored = q * self.n + p
        exchanged = np.flatnonzero((p < q) & (self.strong == self.strong[mirrored]))
        seen: set[int] = set()
        for pair in exchanged.tolist():
            group = int(self.strong[pair])
            if group not in seen:
                seen.add(group)
                level, period = self._levels(pair)
                here = exchanged[self.strong[exchanged] == group]
                if ((level[here] - level[mirrored[here]]) % period == 0).any():
                    return True
        return False

    def _levels(self, start: int) -> tuple[NDArray[np.int64], int]:
        """The distance from a pair to those of its component, and the period of that (see `components_of`)."""
        level = np.full(self.n * self.n, -1, dtype=np.int64)
        level[start] = 0
        place = np.zeros(self.n * self.n, dtype=np.int64)
        front, depth = np.array([start]), 0
        inside = self.strong == self.strong[start]
        while len(front):
            depth += 1
            after = self.table[front].ravel()
            after = after[(after >= 0) & inside[after] & (level[after] < 0)]
            level[after] = depth
            place[after] = np.arange(len(after))
            front = after[place[after] == np.arange(len(after))]  # each once
        members = np.flatnonzero(inside)
        after = self.table[members]
        both = (after >= 0) & inside[after]
        return level, int(np.gcd.reduce((level[members][:, None] + 1 - level[after])[both]))

    def exchanging_word(self, p: int, q: int) -> Word:
        """A shortest word with pw = q and qw = p."""
        start, end = p * self.n + q, q * self.n + p
        before: dict[int, tuple[int, int]] = {start: (start, -1)}
        front = [start]
        for pair in front:
            if end in before:
                break
            for a, after in enumerate(self.table[pair].tolist()):
                if after >= 0 and after not in before:
                    before[after] = (pair, a)
                    front.append(after)
        word: list[int] = []
        while end != start:
            end, a = before[end]
            word.append(a)
        return tuple(reversed(word))
