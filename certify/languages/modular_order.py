"""LTL[P] and LTL[P,MOD]: ranks and phases of the states, where there are any (Thm 3.3 of arXiv:2608.11909).

(The second class was decided before by Place and Zeitoun, arXiv:2307.09349.)  A language is in LTL[P] when the strongly
connected components of its minimal DFA are single states (Brzozowski and Ellen 1980; Li and Cotterell 2025).  It is in
LTL[P,MOD] when for some k the k-automaton, which reads k letters at a time, is partially ordered (Thm 3.3 iii).  Let C
be a component with more than one state and d the gcd of its cycle lengths.

* If |C| = d, there is one state for each phase, and k letters inside C lead from a state back to it when d divides k.
* If |C| > d, two different states q, p have the same phase, so for every large multiple n of d, and thus of any k,
  there are words of n letters inside C from q to p and from p to q: no k-automaton is partially ordered.
* A k that is not a multiple of d = |C| moves every state of C to another one, and back after d steps: not partially
  ordered.

So the condition is |C| = d for every such C, and the least k is the lcm of the |C|.

What Lemma B.1 of the paper needs is the transition monoid of the k-automaton on all states of the minimal DFA.  Def.
A.13 says "syntactic monoid of the language of the k-automaton", which can be smaller: the words of odd length that
contain ab, over three letters, have an empty language for k = 2, yet are not in LTL[P,MOD].
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm

from certify.languages.components import Components, components_of
from certify.languages.dfa import Dfa

__all__ = ["ModularOrder", "modular_order"]


@dataclass(frozen=True)
class ModularOrder:
    """Proof that a language is in LTL[P,MOD]: every edge of its DFA raises the rank, or keeps it and adds 1 to the
    phase.

    rank, phase: of each state, different states in one of the two.  modulus: of each rank, above its phases; those of
    one rank are all there.  k: the least k for which the k-automaton is partially ordered, the lcm of the moduli.
    """

    rank: tuple[int, ...]
    phase: tuple[int, ...]
    modulus: tuple[int, ...]
    k: int


def modular_order(dfa: Dfa, components: Components | None = None) -> ModularOrder | None:
    """Ranks and phases of a minimal DFA; None where its language is not in LTL[P,MOD].  Linear in the DFA.

    >>> modular_order(Dfa(("a",), 0, frozenset({0}), ((1,), (0,))))
    ModularOrder(rank=(0, 0), phase=(0, 1), modulus=(2,), k=2)
    """
    found = components or components_of(dfa.delta)
    sizes = [len(members) for members in found.members]
    if any(size > 1 and size != period for size, period in zip(sizes, found.period, strict=True)):
        return None
    last = len(sizes) - 1  # components are numbered against the edges, ranks along them
    rank = tuple(last - c for c in found.of)
    return ModularOrder(rank, found.phase, tuple(reversed(sizes)), lcm(*sizes))
