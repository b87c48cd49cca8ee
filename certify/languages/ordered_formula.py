"""A formula of LTL[P,MOD] from ranks and phases; for a language of LTL[P] it has no modular predicates (Thm 3.3).

Take the states of one rank, of modulus m.  While the run stays there, the phase before position i is i + c modulo m,
where the offset c is fixed by the position at which the run entered.  For each rank R and offset c, in the order of
ranks:

    entered(R,c)  true for the initial rank and its offset; else P of the or of all edges into R with that offset,
                  an edge being in(R',c') at its state, the residue of the position, and the letter
    leaving(R,c)  entered(R,c) and, for some phase, the residue i = phase - c modulo m and a letter that leads out
    in(R,c)       entered(R,c) and not P leaving(R,c)

A rank is never entered twice, so `in` is right: after entering with the offset c, leaving(R,c) is first true where the
run does leave, and P of it from then on.  The letters that lead out may be written as `not` the others: every position
under P has a letter.
"""

from __future__ import annotations

from collections.abc import Iterable
from math import gcd

from certify.languages.dfa import Dfa
from certify.languages.formula import FALSE, TRUE, Formula, both, either, letter, mod, negation, past, subformulas
from certify.languages.modular_order import ModularOrder
from fpsim.errors import UnsupportedError

__all__ = ["MAX_EDGES", "ordered_formula"]

MAX_EDGES = 200_000


def ordered_formula(dfa: Dfa, order: ModularOrder) -> Formula:
    """A formula whose language over the alphabet of the DFA is that of the DFA.

    >>> from certify.languages.modular_order import modular_order
    >>> even = Dfa(("a",), 0, frozenset({0}), ((1,), (0,)))
    >>> str(ordered_formula(even, modular_order(even)))
    'MOD(1,2)'

    Raises `UnsupportedError` where it would have more than `MAX_EDGES` edges of the DFA with offsets.
    """
    builder = _Builder(dfa, order)
    accepted, rejected = builder.build()
    positive, negative = either(*accepted), negation(either(*rejected))
    return min((positive, negative), key=lambda formula: len(subformulas(formula)))


class _Builder:
    """The formulas of one rank after another."""

    def __init__(self, dfa: Dfa, order: ModularOrder) -> None:
        self.dfa, self.order = dfa, order
        self.states: list[dict[int, int]] = [{} for _ in order.modulus]  # of each rank, by phase
        for q, rank in enumerate(order.rank):
            self.states[rank][order.phase[q]] = q
        self.entering: list[dict[int, list[Formula]]] = [{} for _ in order.modulus]  # by offset
        self.edges = 0

    def build(self) -> tuple[list[Formula], list[Formula]]:
        """The formulas that are true at N + 1 in the accepting states, and in the others."""
        first = self.order.rank[self.dfa.initial]
        offset = (self.order.phase[self.dfa.initial] - 1) % self.order.modulus[first]
        self.entering[first][offset] = [TRUE]
        accepted: list[Formula] = []
        rejected: list[Formula] = []
        for rank in range(len(self.states)):
            for c, edges in sorted(self.entering[rank].items()):
                entered = TRUE if edges == [TRUE] else past(either(*edges))
                inside = self._inside(rank, c, entered)
                for found, accepting in ((accepted, True), (rejected, False)):
                    found.append(both(inside, self._ending(rank, c, accepting)))
                self._leave(rank, c, inside)
        return accepted, rejected

    def _residue(self, rank: int, c: int, phase: int) -> Formula:
        """True at the positions with this phase before them."""
        m = self.order.modulus[rank]
        return mod((phase - c) % m, m) if m > 1 else TRUE

    def _inside(self, rank: int, c: int, entered: Formula) -> Formula:
        ways = []
        for phase, q in sorted(self.states[rank].items()):
            out = [a for a, after in enumerate(self.dfa.delta[q]) if self.order.rank[after] != rank]
            ways.append(both(self._residue(rank, c, phase), self._letters(out)))
        leaving = both(entered, either(*ways))
        return entered if leaving is FALSE else both(entered, negation(past(leaving)))

    def _ending(self, rank: int, c: int, accepting: bool) -> Formula:
        """The residues of N + 1 at which the run ends in an accepting state of the rank, or in another."""
        phases = [f for f, q in sorted(self.states[rank].items()) if (q in self.dfa.accepting) is accepting]
        if len(phases) == len(self.states[rank]):
            return TRUE
        return either(*(self._residue(rank, c, phase) for phase in phases))

    def _leave(self, rank: int, c: int, inside: Formula) -> None:
        """Add the edges from this rank to the ranks that they enter."""
        m = self.order.modulus[rank]
        for phase, q in sorted(self.states[rank].items()):
            targets: dict[int, list[int]] = {}
            for a, after in enumerate(self.dfa.delta[q]):
                if self.order.rank[after] != rank:
                    targets.setdefault(after, []).append(a)
            for after, letters in targets.items():
                entered, m_after = self.order.rank[after], self.order.modulus[self.order.rank[after]]
                common = gcd(m, m_after)
                for residue in range((phase - c) % common, m_after, common):  # of the position of the letter
                    self.edges += 1
                    if self.edges > MAX_EDGES:
                        raise UnsupportedError(f"the formula has more than {MAX_EDGES} edges with offsets")
                    offset = (self.order.phase[after] - 1 - residue) % m_after
                    here = both(inside, self._residue(rank, c, phase), self._letters(letters))
                    if common < m_after:
                        here = both(here, mod(residue, m_after))
                    self.entering[entered].setdefault(offset, []).append(here)

    def _letters(self, letters: Iterable[int]) -> Formula:
        """One of these letters, at a position that has one."""
        chosen = set(letters)
        names = self.dfa.alphabet
        if 2 * len(chosen) > len(names):
            return negation(either(*(letter(names[a]) for a in range(len(names)) if a not in chosen)))
        return either(*(letter(names[a]) for a in sorted(chosen)))
