"""A formula of LTL[P,MOD] as a list of nodes, and whether its language is that of a DFA.

A node names earlier nodes by their places; the last node is the formula.  It is true or false at the positions 1, .., N
+ 1 of a word of N letters, and the word is accepted when it is true at N + 1:

    ["true"]    ["letter", a]: the letter with place a stands here    ["mod", r, m]: the position is r modulo m
    ["not", i]    ["and", i, ..]    ["or", i, ..]    ["past", i]: node i was true at an earlier position
"""

from __future__ import annotations

from math import lcm
from typing import Any

from .automaton import Automaton
from .limits import Account, Malformed, Undecided

__all__ = ["Formula", "parse_formula"]

_MAX_MODULUS = 10**9
_PARTS = {"true": 0, "letter": 1, "mod": 2, "not": 1, "past": 1}


class Formula:
    """nodes: (name, numbers); letters: how many there are."""

    def __init__(self, nodes: list[tuple[str, list[int]]], letters: int) -> None:
        self.nodes, self.letters = nodes, letters
        self.everywhere = (2 << letters) - 1
        self.past = [i for i, (name, _) in enumerate(nodes) if name == "past"]
        self.parts = sum(1 + len(numbers) for _, numbers in nodes)

    def truth(self, residue: int, memory: int) -> list[int]:
        """For each node the letters with which it is true at a position, as bits; one more bit stands for no letter.

        residue: the position modulo all moduli.  memory: for each node "past" a bit, whether it is true here.
        """
        found: list[int] = []
        remembered = 0
        for name, numbers in self.nodes:
            if name == "past":
                value = self.everywhere if memory >> remembered & 1 else 0
                remembered += 1
            elif name == "letter":
                value = 1 << numbers[0]
            elif name == "mod":
                value = self.everywhere if residue % numbers[1] == numbers[0] else 0
            elif name == "not":
                value = self.everywhere ^ found[numbers[0]]
            elif name == "or":
                value = 0
                for i in numbers:
                    value |= found[i]
            else:
                value = self.everywhere
                for i in numbers if name == "and" else ():
                    value &= found[i]
            found.append(value)
        return found

    def agrees(self, dfa: Automaton, account: Account) -> bool:
        """Whether the words that the formula accepts are those of the DFA: both are run, over all words at once."""
        modulus = 1
        for m in {numbers[1] for name, numbers in self.nodes if name == "mod"}:
            modulus = lcm(modulus, m)
            if modulus > _MAX_MODULUS:
                raise Undecided(f"the lcm of the formula's moduli is above {_MAX_MODULUS}")
        start = (dfa.initial, 1 % modulus, 0)
        seen, order = {start}, [start]
        for q, residue, memory in order:
            account.spend(1 + self.parts // 64)
            truth = self.truth(residue, memory)
            if bool(truth[-1] >> self.letters) is not (q in dfa.accepting):
                return False
            became = [
                (truth[self.nodes[i][1][0]], 1 << place)
                for place, i in enumerate(self.past)
                if not memory >> place & 1 and truth[self.nodes[i][1][0]]
            ]
            account.spend(len(self.past) // 16 + len(dfa.delta[q]) * (1 + len(became)) // 2)
            for a, after in enumerate(dfa.delta[q]):
                bits = memory
                for value, bit in became:
                    if value >> a & 1:
                        bits |= bit
                state = (after, (residue + 1) % modulus, bits)
                if state not in seen:
                    seen.add(state)
                    order.append(state)
            account.store(len(order) * (1 + len(became) // 256))
        return True


def parse_formula(thing: Any, letters: int, modular: bool) -> Formula:
    """The formula of a list of nodes.  modular: whether "mod" is allowed."""
    if not isinstance(thing, list) or not thing:
        raise Malformed("hints.formula is not a list of nodes")
    nodes: list[tuple[str, list[int]]] = []
    for node in thing:
        if not isinstance(node, list) or not node or not isinstance(node[0], str):
            raise Malformed("hints.formula: a node is a list that begins with a name")
        name, *numbers = node
        if not all(type(x) is int and x >= 0 for x in numbers):
            raise Malformed("hints.formula: the parts of a node are numbers")
        if name in ("and", "or"):
            right = len(numbers) >= 2
        else:
            right = _PARTS.get(name) == len(numbers) and (modular or name != "mod")
        if name == "mod":
            right = right and numbers[0] < numbers[1]
        elif name == "letter":
            right = right and numbers[0] < letters
        else:
            right = right and all(i < len(nodes) for i in numbers)
        if not right:
            raise Malformed(f"hints.formula: the node {len(nodes)} is none that is known, or names no earlier nodes")
        nodes.append((name, numbers))
    return Formula(nodes, letters)
