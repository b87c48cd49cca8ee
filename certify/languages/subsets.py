"""From a nondeterministic automaton to a DFA, within a limit: the states are sets of states.

`DFA.from_nfa` of automata-lib does the same, but has no limit: `.*a` followed by thirty dots would fill the memory.
This and the sizes of copies and products, which are known beforehand, are what bounds the reading of an expression.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fpsim.errors import UnsupportedError

if TYPE_CHECKING:
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

__all__ = ["MAX_SUBSETS", "MAX_WORK", "Work", "determinize"]

MAX_SUBSETS, MAX_WORK = 100_000, 10_000_000


@dataclass
class Work:
    """What is left of the work that one expression may take, in transitions looked at or copied: seconds in all."""

    left: int = MAX_WORK

    def spend(self, units: int) -> None:
        """Raises `UnsupportedError` when nothing is left."""
        self.left -= units
        if self.left < 0:
            raise UnsupportedError(f"the DFA of this expression takes more than {MAX_WORK} steps to build")


def determinize(automaton: NFA, work: Work) -> DFA:
    """The minimal complete DFA of an NFA.  Raises `UnsupportedError` beyond `MAX_SUBSETS` states or the work that is
    left."""
    from automata.fa.dfa import DFA

    closures: dict[object, frozenset[object]] = {}
    letters = sorted(automaton.input_symbols)
    first = _closure(automaton, [automaton.initial_state], work)
    number, order = {first: 0}, [first]
    transitions: dict[int, dict[str, int]] = {}
    for subset in order:
        row = transitions[number[subset]] = {}
        after: dict[str, set[object]] = {}
        for state in subset:
            moves = automaton.transitions.get(state, {})
            work.spend(1 + len(moves))
            for letter, targets in moves.items():
                if letter:
                    after.setdefault(letter, set()).update(targets)
        work.spend(len(letters))
        for letter in letters:
            targets = frozenset(after.get(letter, ()))
            if targets not in closures:
                closures[targets] = _closure(automaton, targets, work)
            target = closures[targets]
            if target not in number:
                number[target] = len(order)
                order.append(target)
                if len(order) > MAX_SUBSETS:
                    raise UnsupportedError(
                        f"a DFA of this expression, or of a part of it, has more than {MAX_SUBSETS} states"
                    )
            row[letter] = number[target]
    work.spend(4 * len(order) * len(letters))
    final = {n for subset, n in number.items() if not automaton.final_states.isdisjoint(subset)}
    return DFA(
        states=set(range(len(order))),
        input_symbols=set(letters),
        transitions=transitions,
        initial_state=0,
        final_states=final,
    ).minify()


def _closure(automaton: NFA, states: object, work: Work) -> frozenset[object]:
    """The states that the empty word leads to."""
    found = set(states)  # type: ignore[call-overload]
    todo = list(found)
    while todo:
        for after in automaton.transitions.get(todo.pop(), {}).get("", ()):
            if after not in found:
                found.add(after)
                todo.append(after)
    work.spend(2 * len(found))
    return frozenset(found)
