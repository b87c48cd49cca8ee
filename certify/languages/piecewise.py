"""Piecewise testable languages: the transition monoid is J-trivial (Simon 1975)."""

from __future__ import annotations

import numpy as np

from certify.languages.components import Components
from certify.languages.dfa import Dfa

__all__ = ["is_piecewise_testable"]


def is_piecewise_testable(dfa: Dfa, components: Components) -> bool:
    """Klima and Polak (2013): the minimal DFA has no cycle but loops, and is confluent.

    Confluent: for every state q and letters a, b there is a word w of these two with qaw = qbw.  In a DFA without
    cycles but loops, (ab)^n leads to a state that a and b keep when n is at least the number of states; so one may take
    w = (ab)^n: by Newman's lemma a state leads to one such state only, if the condition holds.

    >>> even = Dfa(("a",), 0, frozenset({0}), ((1,), (0,)))
    >>> from certify.languages.components import components_of
    >>> is_piecewise_testable(even, components_of(even.delta))
    False
    """
    if any(len(members) > 1 for members in components.members):
        return False
    columns = dfa.table.T
    steps = len(dfa).bit_length()
    for a in range(len(columns)):
        for b in range(a):
            end = columns[b][columns[a]]
            for _ in range(steps):
                end = end[end]
            if not np.array_equal(end[columns[a]], end[columns[b]]):
                return False
    return True
