"""The minimal DFA of a regular expression, built with automata-lib."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import TYPE_CHECKING, Any, TypeVar

from certify.languages.dfa import Dfa, too_large
from certify.languages.regex import Regex, parse_regex
from certify.languages.subsets import Work, determinize
from fpsim.errors import UnsupportedError

if TYPE_CHECKING:
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

__all__ = ["dfa_of_regex"]

MAX_PRODUCT = 200_000  # states, which take about a KB each
Part = TypeVar("Part", bound=Any)


def dfa_of_regex(text: str, alphabet: str | Iterable[str] | None = None) -> Dfa:
    """The minimal complete DFA of an expression (syntax: `certify.languages.regex`).

    alphabet: a text of letters or a list of them; without it, the letters that occur.

    >>> dfa_of_regex("(ab)*").delta
    ((1, 2), (2, 0), (2, 2))

    Raises `InputError` for what is no expression, `UnsupportedError` for one whose DFA is too large to build.
    """
    from automata.fa.nfa import NFA

    expression, letters = parse_regex(text, alphabet)
    builder = _Builder(letters)
    found = builder.build(expression)
    automaton = builder.deterministic(found) if isinstance(found, NFA) else found
    n, k = len(automaton.states), len(letters)
    if too_large(n, k):
        raise UnsupportedError(
            f"the DFA of this expression has {n} states over {k} letter{'s' * (k > 1)}, more than is taken"
        )
    return Dfa.of_automata_lib(automaton, letters)


class _Builder:
    """Parts stay nondeterministic as long as no complement and no intersection needs a DFA."""

    def __init__(self, letters: tuple[str, ...]) -> None:
        self.letters = set(letters)
        self.work = Work()
        self.atoms: dict[tuple[frozenset[str], bool], NFA] = {}  # they do not change, and most occur again

    def build(self, node: Regex) -> NFA | DFA:
        """The automaton of an expression; its depth is bounded by the parser."""
        if node.operator in ("letters", "empty"):
            key = (node.letters, node.operator == "empty")
            if key not in self.atoms:
                self.atoms[key] = self._letters(*key)
            return self.atoms[key]
        parts = [self.build(part) for part in node.parts]
        if node.operator == "complement":
            return self.deterministic(parts[0]).complement()
        if node.operator == "intersection":
            return self._balanced([self.deterministic(part) for part in parts], self._intersection)
        loose = [self._nondeterministic(part) for part in parts]
        if node.operator == "union":
            return self._balanced(loose, lambda one, other: one.union(other))
        if node.operator == "concatenation":
            return self._balanced(loose, lambda one, other: one.concatenate(other))
        self.work.spend(_copied(loose[0]))
        if node.operator == "option":
            return loose[0].option()
        star = loose[0].kleene_star()
        if node.operator == "star":
            return star
        from automata.fa.nfa import NFA

        return NFA(  # x+ is x* without its new accepting state, which only the empty word reaches
            states=star.states,
            input_symbols=star.input_symbols,
            transitions=star.transitions,
            initial_state=star.initial_state,
            final_states=loose[0].final_states,
        )

    def deterministic(self, automaton: NFA | DFA) -> DFA:
        """The minimal complete DFA."""
        from automata.fa.nfa import NFA

        return determinize(automaton, self.work) if isinstance(automaton, NFA) else automaton

    def _nondeterministic(self, automaton: NFA | DFA) -> NFA:
        from automata.fa.nfa import NFA

        return automaton if isinstance(automaton, NFA) else NFA.from_dfa(automaton)

    def _letters(self, letters: Iterable[str], empty: bool) -> NFA:
        from automata.fa.nfa import NFA

        return NFA(
            states={0, 1},
            input_symbols=self.letters,
            transitions={0: {letter: {1} for letter in letters}, 1: {}},
            initial_state=0,
            final_states={0} if empty else {1},
        )

    def _intersection(self, one: DFA, other: DFA) -> DFA:
        size = len(one.states) * len(other.states)
        if size > MAX_PRODUCT:
            raise UnsupportedError(
                f"an intersection of DFAs with {len(one.states)} and {len(other.states)} states is more than is built"
            )
        self.work.spend(size * len(self.letters))
        return one.intersection(other)

    def _balanced(self, parts: Sequence[Part], join: Callable[[Part, Part], Part]) -> Part:
        """All parts joined, neighbours first: each step copies its operands, so a chain would take quadratic time."""
        while len(parts) > 1:
            self.work.spend(sum(map(_copied, parts)))
            pairs = [join(one, other) for one, other in zip(parts[::2], parts[1::2], strict=False)]
            parts = [*pairs, *parts[len(pairs) * 2 :]]
        return parts[0]


def _copied(automaton: NFA | DFA) -> int:
    """What it costs to copy an automaton with its transitions, as `Work` counts."""
    return 3 * (len(automaton.states) + sum(map(len, automaton.transitions.values())))
