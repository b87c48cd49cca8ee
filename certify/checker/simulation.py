"""Claims that a model, named by the sha256 of its file, accepts the words of a DFA and no others, up to a length.

The file is given beside the certificate.  Every word of up to that length is run by the checker's own arithmetic, in a
tree of prefixes; a word on which they differ refutes the claim.  Of a claim about all lengths only short words are
run: it can be refuted, and is otherwise undecided here.
"""

from __future__ import annotations

import re
from typing import Any

from .automaton import parse_automaton
from .emulator import Emulator, State
from .exact import Purse, integer
from .limits import Account, Malformed, Refuted, Undecided, Unsupported
from .nmax import parse_order
from .softmax import Order
from .transformer import Transformer, read_transformer

__all__ = ["Simulation"]

_SHORT = 4  # letters of the words that are run for a claim about all lengths
_PLAIN = re.compile(r"[!#-\[\]-~]")


class Simulation:
    """One claim."""

    def __init__(self, claim: dict[str, Any], hints: dict[str, Any], account: Account) -> None:
        self.account, self.sha256 = account, claim["model"]
        if not isinstance(self.sha256, str) or not re.fullmatch(r"[0-9a-f]{64}", self.sha256):
            raise Malformed("model is not a sha256: 64 hexadecimal digits")
        self.dfa = parse_automaton(claim["dfa"])
        self.length = None if claim["length"] == "all" else integer(claim["length"], "length", 0)
        self.order = parse_order(claim["order"], Purse(account))
        integer(hints["words"], "hints.words", 0)
        integer(hints["exhaustive_to"], "hints.exhaustive_to", -1)
        states = hints["states"]
        if states is not None and (not isinstance(states, list) or any(type(n) is not int or n < 1 for n in states)):
            raise Malformed("hints.states is not a list of numbers of states, or null")

    def words(self) -> list[str]:
        """The claim, for a reader."""
        how_long = "every length" if self.length is None else f"up to {self.length} letters"
        return [
            f"the model accepts a word of {how_long} if and only if the DFA does",
            f"model: the file with sha256 {self.sha256}",
            f"DFA: {len(self.dfa.delta)} states, letters {' '.join(self.dfa.alphabet[:20])}",
            f"sums over positions: {_named(self.order)}",
        ]

    def check(self) -> None:
        """Show the claim; `Refuted` if it is false."""
        data = self.account.beside.get(self.sha256)
        if data is None:
            raise Unsupported("the model is not at hand: give the file with this sha256 by --model FILE")
        model = read_transformer(data, self.account)
        if _named(model.order) != _named(self.order):
            raise Refuted(f"the model sums over positions in the order {_named(model.order)}")
        letters = [_plain(letter) for letter in model.alphabet]
        if sorted(letters) != sorted(self.dfa.alphabet):
            raise Refuted("the model has another alphabet than the DFA")
        length = _SHORT if self.length is None else self.length
        count = length + 1 if len(letters) == 1 else sum(len(letters) ** n for n in range(min(length, 64) + 1))
        if self.length is not None:
            self.account.foresee(count * self._least(model), f"{count} words")
        try:
            self._walk(Emulator(model, self.account), [letters.index(letter) for letter in self.dfa.alphabet], length)
        except (IndexError, ValueError):  # shapes that do not fit
            raise Unsupported("the shapes of the model's arrays do not fit each other") from None
        self.account.shown(f"all {count} words of up to {length} letters are run, and agree with the DFA", count)
        if self.length is None:
            raise Undecided(
                f"words of up to {length} letters agree; that all do is not shown: this checker runs words, one by one"
            )

    def _least(self, model: Transformer) -> int:
        """Units of work that a word takes at least: two positions of attention, and nothing remembered."""
        return sum(1 + layer.attention.heads for layer in model.layers if layer.attention is not None) + 1

    def _walk(self, machine: Emulator, places: list[int], length: int) -> None:
        """Words in the order of their lengths, by a stack of levels: each prefix is read once."""
        level: list[tuple[State, int, tuple[int, ...]]] = [(machine.start, self.dfa.initial, ())]
        for n in range(length + 1):
            for state, q, word in level:
                if machine.accepts(state) is not (q in self.dfa.accepting):
                    says = "rejects" if q in self.dfa.accepting else "accepts"
                    raise Refuted(f"the model {says} {self.dfa.text(list(word))}, and the DFA does not")
            if n < length:
                self.account.store(len(level) * len(places) * (n + 2))
                level = [
                    (machine.read(state, place), self.dfa.delta[q][a], (*word, a))
                    for state, q, word in level
                    for a, place in enumerate(places)
                ]


def _named(order: Order) -> str:
    if order.kind == "blocked":
        return f"blocks of {order.block}"
    return f"in {order.wide}" if order.wide is not None else order.kind


def _plain(letter: str) -> str:
    """The letter as a certificate writes it."""
    return "".join(c if _PLAIN.fullmatch(c) else f"U+{ord(c):04X}" for c in letter)
