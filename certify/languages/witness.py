"""Words that show that a language is not in LTL[P], or not in LTL[P,MOD]."""

from __future__ import annotations

from collections import deque
from collections.abc import Container
from dataclasses import dataclass
from typing import Any

from certify.languages.components import Components, components_of
from certify.languages.dfa import Dfa, Word

__all__ = ["Witness", "modular_witness", "order_witness", "separating_word", "shortest_word"]


@dataclass(frozen=True)
class Witness:
    """Words w, u, z, v, s: w leads to a state q; v leads back to q from where u leads from q; one of ws, wus is
    accepted.

    Without z: the language is not in LTL[P], as q and another state of the minimal DFA can reach each other.

    With z, which leads from q to q and is as long as u, which is not empty: it is not in LTL[P,MOD].  For every k, from
    q the word z^(k-1) u leads to another state p, and v (uv)^(k-1) z from p to q; both have a multiple of k letters, so
    no k-automaton is partially ordered (Thm 3.3 iii).
    """

    w: Word
    u: Word
    v: Word
    s: Word
    z: Word | None = None

    def to_json(self, dfa: Dfa) -> dict[str, Any]:
        """The words as texts, or as lists of letters where a letter has several characters."""
        words = {"w": self.w, "u": self.u, "z": self.z, "v": self.v, "s": self.s}
        return {name: None if word is None else dfa.letters(word) for name, word in words.items()}


def order_witness(dfa: Dfa, components: Components | None = None) -> Witness | None:
    """Words against LTL[P] for a minimal DFA; None where its language is in LTL[P].  Linear in the DFA.

    >>> order_witness(Dfa(("a",), 0, frozenset({0}), ((1,), (0,))))
    Witness(w=(), u=(0,), v=(0,), s=(), z=None)
    """
    found = components or components_of(dfa.delta)
    group = next((set(members) for members in found.members if len(members) > 1), None)
    if group is None:
        return None
    q = min(group)
    p = min(group - {q})
    u, v = shortest_word(dfa, q, p, group), shortest_word(dfa, p, q, group)
    return Witness(shortest_word(dfa, dfa.initial, q), u, v, separating_word(dfa, q, p))


def modular_witness(dfa: Dfa, components: Components | None = None) -> Witness | None:
    """Words against LTL[P,MOD] for a minimal DFA; None where its language is in it.  Linear in the DFA.

    A component with more states than its period has a state with two different successors inside, or it would be one
    cycle.  From the first successor a word back to that state, and then one step to either, gives z and u.
    """
    found = components or components_of(dfa.delta)
    sizes = zip(found.members, found.period, strict=True)
    group = next((set(members) for members, period in sizes if len(members) > max(period, 1)), None)
    if group is None:
        return None
    for state in sorted(group):
        first: dict[int, int] = {}  # successor: letter
        for a, after in enumerate(dfa.delta[state]):
            if after in group:
                first.setdefault(after, a)
        if len(first) > 1:
            (q, one), (p, other), *_ = first.items()
            back = shortest_word(dfa, q, state, group)
            z, u = (*back, one), (*back, other)
            v = shortest_word(dfa, p, q, group)
            return Witness(shortest_word(dfa, dfa.initial, q), u, v, separating_word(dfa, q, p), z)
    raise AssertionError("a component that is one cycle has as many states as its period")


def shortest_word(dfa: Dfa, start: int, end: int, within: Container[int] | None = None) -> Word:
    """A shortest word from one state to another that it can reach, through the states `within`."""
    before: dict[int, tuple[int, int]] = {start: (start, -1)}
    todo = deque([start])
    while end not in before:
        state = todo.popleft()
        for a, after in enumerate(dfa.delta[state]):
            if after not in before and (within is None or after in within):
                before[after] = (state, a)
                todo.append(after)
    word: list[int] = []
    while end != start:
        end, a = before[end]
        word.append(a)
    return tuple(reversed(word))


def separating_word(dfa: Dfa, one: int, other: int) -> Word:
    """A word that is accepted from one of two states of a minimal DFA only.

    Hopcroft and Karp (1971): pairs that are equal if the first one is are joined; after fewer joins than there are
    states a pair is met of which one accepts.  Almost linear in the DFA; the word has fewer letters than there are
    states.
    """
    parent = list(range(len(dfa)))

    def root(q: int) -> int:
        while parent[q] != q:
            parent[q] = parent[parent[q]]
            q = parent[q]
        return q

    parent[one] = other
    pairs: list[tuple[int, int, int, int]] = [(one, other, -1, -1)]  # with the pair before, and the letter
    for place, (q, p, _, _) in enumerate(pairs):
        if (q in dfa.accepting) is not (p in dfa.accepting):
            break
        for a, (q_after, p_after) in enumerate(zip(dfa.delta[q], dfa.delta[p], strict=True)):
            left, right = root(q_after), root(p_after)
            if left != right:
                parent[left] = right
                pairs.append((q_after, p_after, place, a))
    else:
        raise AssertionError("two states of a minimal DFA accept the same words")
    word: list[int] = []
    while place > 0:
        _, _, place, a = pairs[place]
        word.append(a)
    return tuple(reversed(word))
