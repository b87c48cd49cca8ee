"""The syntactic monoid of a small language: every map of the states of its minimal DFA that a word makes.

A language is star-free exactly when no word x has x^n != x^(n+1) for all n, in its syntactic monoid (Schuetzenberger).
"""

from __future__ import annotations

from .automaton import Automaton
from .limits import Account, Undecided

__all__ = ["is_aperiodic"]

_MAX_BYTES = 40_000_000  # of maps kept at once


def is_aperiodic(automaton: Automaton, account: Account) -> tuple[bool, int]:
    """Whether every element is aperiodic, for a minimal DFA; and how many elements were looked at."""
    n = len(automaton.delta)
    if n > 256:
        raise Undecided(f"the syntactic monoid of a DFA of {n} states, where this checker goes to 256")
    # A map is a string of bytes; x then a is x.translate(a), for which a has 256 bytes.
    rest = bytes(256 - n)
    letters = {bytes(row[a] for row in automaton.delta) + rest for a in range(len(automaton.alphabet))}
    identity = bytes(range(n))
    seen, order = {identity}, [identity]
    for x in order:
        account.spend(1 + n // 64)
        if not _aperiodic(x, rest):
            return False, len(order)
        for letter in letters:
            y = x.translate(letter)
            if y not in seen:
                seen.add(y)
                order.append(y)
        account.spend(len(letters) // 4)
        if len(order) * (n + 120) > _MAX_BYTES:
            raise Undecided(f"the syntactic monoid has more than {len(order)} elements: more than is kept")
    return True, len(order)


def _aperiodic(x: bytes, rest: bytes) -> bool:
    """x^m = x^(m+1) for an m that is at least the number of states."""
    power = x
    for _ in range(len(x).bit_length()):
        power = power.translate(power + rest)
    return power.translate(x + rest) == power
