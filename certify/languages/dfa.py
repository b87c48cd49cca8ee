"""Deterministic finite automata, complete, with states 0, .., n-1: what every question about a language is asked of."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any, TypeAlias

from certify.languages.letters import alphabet_of
from fpsim.errors import InputError

if TYPE_CHECKING:
    import numpy as np
    from automata.fa.dfa import DFA
    from numpy.typing import NDArray

__all__ = ["MAX_STATES", "MAX_TRANSITIONS", "Dfa", "Word"]

Word: TypeAlias = tuple[int, ...]  # letters by their place in the alphabet

MAX_STATES, MAX_TRANSITIONS = 100_000, 2_000_000


@dataclass(frozen=True)
class Dfa:
    """A complete DFA.

    alphabet: its letters, all different, at least one.  delta[q][a] is the state after letter number a in state q.

    >>> even = Dfa(("a",), 0, frozenset({0}), ((1,), (0,)))
    >>> even.accepts("aa"), even.accepts("aaa"), len(even)
    (True, False, 2)

    Raises `InputError` when it is none, or has more than `MAX_STATES` states or `MAX_TRANSITIONS` transitions.
    """

    alphabet: tuple[str, ...]
    initial: int
    accepting: frozenset[int]
    delta: tuple[tuple[int, ...], ...]

    def __post_init__(self) -> None:
        alphabet_of(self.alphabet)
        n = len(self.delta)
        check_size(n, len(self.alphabet))
        for what, state in (("initial", self.initial), *(("accepting", q) for q in self.accepting)):
            _check_state(what, state, n)
        for q, row in enumerate(self.delta):
            if len(row) != len(self.alphabet):
                right = f"one state for each of the {len(self.alphabet)} letters: the DFA has to be complete"
                raise InputError(f"delta[{q}]", list(row), right)
            for state in row:
                if type(state) is not int or not 0 <= state < n:
                    _check_state(f"delta[{q}]", state, n)

    def __len__(self) -> int:
        return len(self.delta)

    @cached_property
    def table(self) -> NDArray[np.int32]:
        """delta as an array of shape (states, letters)."""
        import numpy as np

        return np.array(self.delta, dtype=np.int32)

    def word(self, letters: Iterable[str]) -> Word:
        """The word of these letters.  Raises `InputError` for one that is not in the alphabet."""
        numbers = {letter: a for a, letter in enumerate(self.alphabet)}
        try:
            return tuple([numbers[letter] for letter in letters])
        except KeyError as error:
            raise InputError("letter", error.args[0], f"one of the alphabet, {' '.join(self.alphabet)}") from None

    def letters(self, word: Word) -> str | list[str]:
        """The word as text where every letter of the alphabet is one character, else as a list of letters."""
        if all(len(letter) == 1 for letter in self.alphabet):
            return "".join(self.alphabet[a] for a in word)
        return [self.alphabet[a] for a in word]

    def after(self, state: int, word: Iterable[int]) -> int:
        """The state after reading the word in `state`."""
        for a in word:
            state = self.delta[state][a]
        return state

    def accepts(self, letters: Iterable[str]) -> bool:
        """Whether the word of these letters is in the language."""
        return self.after(self.initial, self.word(letters)) in self.accepting

    @classmethod
    def of_automata_lib(cls, automaton: DFA, alphabet: tuple[str, ...] | None = None) -> Dfa:
        """The same language as an automaton of automata-lib; where its transitions are partial, a sink completes them.

        alphabet: the order of its letters (default: sorted).  States are numbered in the order in which words reach
        them, shortest words first.
        """
        if automaton.allow_partial:
            check_size(len(automaton.states) + 1, len(automaton.input_symbols))
            automaton = automaton.to_complete()
        alphabet = alphabet or tuple(sorted(automaton.input_symbols))
        states = list(automaton.states)
        rows = [[automaton.transitions[q][letter] for letter in alphabet] for q in states]
        return cls.explore(alphabet, automaton.initial_state, rows, automaton.final_states, states)

    @classmethod
    def explore(
        cls,
        alphabet: Sequence[str],
        initial: Any,
        rows: Sequence[Sequence[Any]],
        accepting: Iterable[Any],
        states: Sequence[Any],
    ) -> Dfa:
        """The part that can be reached, numbered in the order in which words reach it, shortest words first.

        states: the names of the states; rows[i] are those that the letters lead to from states[i].
        """
        place = {state: i for i, state in enumerate(states)}
        order, number = [initial], {initial: 0}
        for state in order:
            for after in rows[place[state]]:
                if after not in number:
                    number[after] = len(order)
                    order.append(after)
        delta = tuple(tuple([number[after] for after in rows[place[state]]]) for state in order)
        return cls(tuple(alphabet), 0, frozenset(number[q] for q in accepting if q in number), delta)

    def to_automata_lib(self) -> DFA:
        """The same as an automaton of automata-lib, whose letters are single characters or any other texts."""
        from automata.fa.dfa import DFA

        return DFA(
            states=set(range(len(self))),
            input_symbols=set(self.alphabet),
            transitions={q: dict(zip(self.alphabet, row, strict=True)) for q, row in enumerate(self.delta)},
            initial_state=self.initial,
            final_states=set(self.accepting),
        )

    def minimal(self) -> Dfa:
        """The minimal complete DFA of the language, its letters in the same order; equal for equal languages.

        >>> Dfa(("a",), 0, frozenset({0, 2}), ((1,), (2,), (3,), (0,))).minimal()
        Dfa(alphabet=('a',), initial=0, accepting=frozenset({0}), delta=((1,), (0,)))
        """
        return Dfa.of_automata_lib(self.to_automata_lib().minify(), self.alphabet)


def too_large(states: int, letters: int) -> bool:
    """Whether a DFA has more than `MAX_STATES` states or `MAX_TRANSITIONS` transitions."""
    return states > MAX_STATES or states * letters > MAX_TRANSITIONS


def check_size(states: int, letters: int) -> None:
    """Raises `InputError` for more states or transitions than are taken."""
    if not 1 <= states <= MAX_STATES:
        raise InputError("states", states, f"from 1 to {MAX_STATES}")
    if states * letters > MAX_TRANSITIONS:
        raise InputError("delta", f"{states * letters} transitions", f"at most {MAX_TRANSITIONS}")


def _check_state(what: str, state: object, n: int) -> None:
    if type(state) is not int or not 0 <= state < n:
        raise InputError(what, state, f"a state, an integer from 0 to {n - 1}")
