"""A complete DFA as a claim spells it out, and what is decided of its language: its components, and LTL[P] or
LTL[P,MOD]."""

from __future__ import annotations

import re
from math import gcd
from typing import Any

from .exact import integer
from .limits import Account, Malformed

__all__ = ["Automaton", "parse_automaton", "word_of"]

_LETTER = re.compile(r"[!#-\[\]-~]{1,100}")  # printable ASCII without blanks, quotes and backslashes


class Automaton:
    """States 0, .., n-1; delta[q][a] is the state after letter number a in state q."""

    def __init__(self, alphabet: list[str], initial: int, accepting: set[int], delta: list[list[int]]) -> None:
        self.alphabet, self.initial, self.accepting, self.delta = alphabet, initial, accepting, delta

    def after(self, state: int, word: list[int]) -> int:
        """The state after the word."""
        for a in word:
            state = self.delta[state][a]
        return state

    def text(self, word: list[int]) -> str:
        """The word for a reader."""
        gap = "" if all(len(letter) == 1 for letter in self.alphabet) else " "
        shown = gap.join(self.alphabet[a] for a in word[:40])
        return f"{shown}.. ({len(word)} letters)" if len(word) > 40 else shown or "the empty word"

    def minimal(self, account: Account) -> Automaton:
        """The minimal DFA of the language: states that can be reached, those with the same future joined (Moore)."""
        order, seen = [self.initial], {self.initial}
        for state in order:
            account.spend(1 + len(self.alphabet) // 8)
            new = [after for after in dict.fromkeys(self.delta[state]) if after not in seen]
            seen.update(new)
            order += new
        kind = {state: int(state in self.accepting) for state in order}
        count = len(set(kind.values()))
        while True:
            account.spend(len(order) * (5 + len(self.alphabet) // 4))
            futures: dict[tuple[int, ...], int] = {}
            kind = {
                state: futures.setdefault((kind[state], *(kind[after] for after in self.delta[state])), len(futures))
                for state in order
            }
            if len(futures) == count:
                break
            count = len(futures)
        delta: list[list[int]] = [[]] * count
        for state in order:
            delta[kind[state]] = [kind[after] for after in self.delta[state]]
        return Automaton(self.alphabet, kind[self.initial], {kind[q] for q in order if q in self.accepting}, delta)

    def is_ordered(self, modular: bool, account: Account) -> bool:
        """For a minimal DFA whether its language is in LTL[P], or in LTL[P,MOD].

        LTL[P]: every strongly connected component is one state.  LTL[P,MOD]: it has as many states as the gcd of the
        lengths of its cycles, or one; for else two of its states have the same phase, and for every k words whose
        lengths are multiples of k lead from each to the other; if so, k = the lcm of the numbers of states gives a
        partial order.
        """
        for members in self._components(account):
            if len(members) > 1 and not (modular and self._period(members) == len(members)):
                return False
        return True

    def _components(self, account: Account) -> list[set[int]]:
        """The strongly connected components (Kosaraju): backwards from the states that are left last."""
        n = len(self.delta)
        account.spend(2 * n * (1 + len(self.alphabet) // 8))
        before: list[list[int]] = [[] for _ in range(n)]
        for state, row in enumerate(self.delta):
            for after in set(row):
                before[after].append(state)
        left, seen = [], [False] * n
        for root in range(n):
            todo = [] if seen[root] else [(root, iter(self.delta[root]))]
            seen[root] = True
            while todo:
                state, row_left = todo[-1]
                after = next((q for q in row_left if not seen[q]), -1)
                if after < 0:
                    left.append(state)
                    todo.pop()
                else:
                    seen[after] = True
                    todo.append((after, iter(self.delta[after])))
        found: list[set[int]] = []
        free = [True] * n
        for root in reversed(left):
            if free[root]:
                members, free[root] = [root], False
                for state in members:
                    new = [q for q in before[state] if free[q]]
                    for q in new:
                        free[q] = False
                    members += new
                found.append(set(members))
        return found

    def _period(self, members: set[int]) -> int:
        """The gcd of the lengths of the cycles: of level + 1 - level over the edges inside, levels being distances."""
        start = min(members)
        level, order, common = {start: 0}, [start], 0
        for state in order:
            for after in self.delta[state]:
                if after in members:
                    if after not in level:
                        level[after] = level[state] + 1
                        order.append(after)
                    common = gcd(common, level[state] + 1 - level[after])
        return common


def parse_automaton(thing: Any) -> Automaton:
    """The DFA of a claim: deterministic by its form, complete when every state has a row with every letter."""
    if not isinstance(thing, dict) or set(thing) != {"accepting", "alphabet", "delta", "initial"}:
        raise Malformed("dfa has the fields accepting, alphabet, delta, initial, and no others")
    alphabet, delta, accepting = thing["alphabet"], thing["delta"], thing["accepting"]
    if not isinstance(alphabet, list) or not 1 <= len(alphabet) <= 1000:
        raise Malformed("dfa.alphabet is not a list of 1 to 1000 letters")
    if not all(isinstance(a, str) and _LETTER.fullmatch(a) for a in alphabet) or len(set(alphabet)) < len(alphabet):
        raise Malformed("dfa.alphabet: letters are different texts of 1 to 100 printable characters without blanks")
    if not isinstance(delta, list) or not delta:
        raise Malformed("dfa.delta is not a list with a row for each state")
    n = len(delta)
    for row in delta:
        if not isinstance(row, list) or len(row) != len(alphabet):
            raise Malformed("dfa.delta: a row does not have one state for each letter")
        if not all(type(state) is int and 0 <= state < n for state in row):
            raise Malformed(f"dfa.delta: states are integers from 0 to {n - 1}")
    if not isinstance(accepting, list) or not all(type(q) is int and 0 <= q < n for q in accepting):
        raise Malformed("dfa.accepting is not a list of states")
    if any(q >= p for q, p in zip(accepting, accepting[1:])):  # noqa: B905, RUF007 - one is shorter
        raise Malformed("dfa.accepting: the states do not rise")
    initial = integer(thing["initial"], "dfa.initial", 0)
    if initial >= n:
        raise Malformed(f"dfa.initial: states are integers from 0 to {n - 1}")
    return Automaton(alphabet, initial, set(accepting), delta)


def word_of(thing: Any, what: str, automaton: Automaton) -> list[int]:
    """A word, its letters by their places in the alphabet."""
    size = len(automaton.alphabet)
    if not isinstance(thing, list) or not all(type(a) is int and 0 <= a < size for a in thing):
        raise Malformed(f"{what} is not a word: a list of places of letters, from 0 to {size - 1}")
    return thing
