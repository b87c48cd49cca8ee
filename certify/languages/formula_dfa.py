"""The DFA of a formula: one pass from left to right, in which the state is what the truth of the formula still needs.

Before position i that is: i modulo the moduli; for each P whether its part was true; for each Y^k the truth of its part
at the last k positions; for each S its truth at i.  (left S right holds at i + 1 where right holds at i, or left and
left S right do.)  The truth of a node is computed for every letter at once, as a set of letters held in the bits of an
integer; one more bit stands for the position N + 1, which has none.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import lcm
from typing import TypeAlias

from certify.languages.dfa import MAX_STATES, MAX_TRANSITIONS, Dfa
from certify.languages.formula import Formula, subformulas
from certify.languages.letters import alphabet_of
from fpsim.errors import InputError, UnsupportedError

__all__ = ["dfa_of_formula", "formula_pass", "letters_of"]

MAX_WORK, MAX_MEMORY = 30_000_000, 4096
_State: TypeAlias = tuple[int, int]  # i modulo the moduli; the bits of memory


def dfa_of_formula(formula: Formula, alphabet: str | Iterable[str] | None = None) -> Dfa:
    """The minimal complete DFA of the words that the formula accepts.

    alphabet: a text of letters or a list of them; without it, the letters that occur.

    >>> from certify.languages.formula_text import parse_formula
    >>> dfa_of_formula(parse_formula("MOD(1,2)"), "a").delta
    ((1,), (0,))

    Raises `InputError` for a letter that is not in the alphabet, `UnsupportedError` where the pass has more than
    `MAX_STATES` states, or takes too long.
    """
    return formula_pass(formula, alphabet).minimal()


def formula_pass(formula: Formula, alphabet: str | Iterable[str] | None = None, max_states: int = MAX_STATES) -> Dfa:
    """The DFA of the pass itself, not minimal; the arguments and errors of `dfa_of_formula`."""
    nodes = subformulas(formula)
    letters = letters_of(formula, alphabet)
    machine = _Machine(nodes, letters)
    first = (1 % machine.modulus, 0)
    order, number = [first], {first: 0}
    delta, accepting = [], set()
    for state in order:
        if len(order) * (len(nodes) + len(letters)) > MAX_WORK:
            raise UnsupportedError(
                f"the DFA of a formula of {len(nodes)} nodes takes more than {MAX_WORK} steps to build"
            )
        truth = machine.truth(state)
        if truth[-1] >> len(letters):
            accepting.add(number[state])
        row = []
        for after in machine.after(state, truth):
            if after not in number:
                number[after] = len(order)
                order.append(after)
                if len(order) > max_states:
                    raise UnsupportedError(f"one pass for this formula has more than {max_states} states")
                if len(order) * len(letters) > MAX_TRANSITIONS:
                    raise UnsupportedError(f"one pass for this formula has more than {MAX_TRANSITIONS} transitions")
            row.append(number[after])
        delta.append(tuple(row))
    return Dfa(letters, 0, frozenset(accepting), tuple(delta))


def letters_of(formula: Formula, alphabet: str | Iterable[str] | None) -> tuple[str, ...]:
    """The alphabet that was given, with all letters of the formula in it; without one the letters that occur.

    Raises `InputError` where there are none, or one is missing.
    """
    occurring = sorted({node.data[0] for node in subformulas(formula) if node.operator == "letter"})
    if alphabet is None:
        if not occurring:
            raise InputError("alphabet", "none", "given (--alphabet ab) for a formula without letters")
        return alphabet_of(occurring)
    letters = alphabet_of(alphabet)
    for a in occurring:
        if a not in letters:
            raise InputError("formula", f"the letter {a!r}", f"one of the alphabet, {' '.join(letters)}")
    return letters


class _Machine:
    """Truth and memory of a formula."""

    def __init__(self, nodes: list[Formula], letters: tuple[str, ...]) -> None:
        self.nodes = nodes
        self.everywhere = (1 << len(letters) + 1) - 1
        self.letters = {a: 1 << n for n, a in enumerate(letters)}
        self.modulus = lcm(*(node.data[1] for node in nodes if node.operator == "mod"))
        self.place = {node: n for n, node in enumerate(nodes)}
        self.parts = [[self.place[part] for part in node.parts] for node in nodes]
        self.offset: dict[int, int] = {}  # of the bits of a node
        self.bits = 0
        for n, node in enumerate(nodes):
            if node.operator in ("past", "yesterday", "since"):
                self.offset[n] = self.bits
                self.bits += node.data[0] if node.operator == "yesterday" else 1
        if self.bits > MAX_MEMORY:
            raise UnsupportedError(f"one pass for this formula has {self.bits} bits of memory, more than {MAX_MEMORY}")

    def truth(self, state: _State) -> list[int]:
        """For each node the letters, and the end, for which it is true at the position of the state."""
        residue, memory = state
        found: list[int] = []
        for n, node in enumerate(self.nodes):
            parts = [found[part] for part in self.parts[n]]
            found.append(self._truth(n, node, parts, residue, memory))
        return found

    def _truth(self, n: int, node: Formula, parts: list[int], residue: int, memory: int) -> int:
        operator = node.operator
        if operator == "letter":
            return self.letters[node.data[0]]
        if operator == "not":
            return self.everywhere & ~parts[0]
        if operator == "and":
            value = self.everywhere
            for part in parts:
                value &= part
            return value
        if operator == "or":
            value = 0
            for part in parts:
                value |= part
            return value
        if operator == "mod":
            true = residue % node.data[1] == node.data[0]
        elif operator in ("past", "since"):
            true = bool(memory >> self.offset[n] & 1)
        elif operator == "yesterday":
            true = bool(memory >> self.offset[n] + node.data[0] - 1 & 1)
        else:
            true = operator == "true"
        return self.everywhere if true else 0

    def after(self, state: _State, truth: list[int]) -> list[_State]:
        """The state after each letter."""
        residue, memory = (state[0] + 1) % self.modulus, state[1]
        found = [0] * len(self.letters)
        for n, offset in self.offset.items():
            node, parts = self.nodes[n], [truth[part] for part in self.parts[n]]
            if node.operator == "yesterday":  # the oldest bit is the highest
                k = node.data[0]
                kept = (memory >> offset & (1 << k - 1) - 1) << 1
                for a in range(len(found)):
                    found[a] |= (kept | parts[0] >> a & 1) << offset
                continue
            true = truth[n] | parts[0] if node.operator == "past" else parts[1] | (parts[0] & truth[n])
            for a in range(len(found)):
                found[a] |= (true >> a & 1) << offset
        return [(residue, bits) for bits in found]
