"""What the pictures of a language show: its minimal DFA, the k-automaton, and the order of what can be reached."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, TypeAlias

from certify.languages.classification import Classification
from certify.languages.components import components_of
from certify.languages.dfa import Dfa
from fpsim.errors import UnsupportedError

__all__ = ["MAX_STATES", "Arrows", "LanguageDiagram", "language_diagram", "ordered_groups"]

MAX_STATES = 40
_MOST_K = 1000
_SHOWN = 3  # words beside an arrow

Arrows: TypeAlias = "dict[tuple[int, int], tuple[int, tuple[str, ...]]]"
"""(from, to): how many words lead there, and the first of them."""

_Groups: TypeAlias = tuple[tuple[int, ...], ...]


@dataclass(frozen=True)
class LanguageDiagram:
    """dfa: the minimal one.  arrows: by letters.  power_arrows: by k letters; None where no k-automaton is partially
    ordered, or where k is too large to draw.

    groups: the sets of states that reach each other, in the k-automaton where there is one and else in the DFA.
    covers: pairs of groups, the second reached from the first and none between them: the Hasse diagram.  ranks: of each
    group, the steps of the longest way up to it.
    """

    dfa: Dfa
    k: int | None
    arrows: Arrows
    power_arrows: Arrows | None
    groups: tuple[tuple[int, ...], ...]
    covers: tuple[tuple[int, int], ...]
    ranks: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        """The data, as a dictionary."""

        def listed(arrows: Arrows) -> list[dict[str, Any]]:
            return [{"from": p, "to": q, "count": n, "words": list(words)} for (p, q), (n, words) in arrows.items()]

        return {
            "k": self.k,
            "arrows": listed(self.arrows),
            "power_arrows": None if self.power_arrows is None else listed(self.power_arrows),
            "groups": [list(group) for group in self.groups],
            "covers": [list(pair) for pair in self.covers],
        }


def language_diagram(found: Classification) -> LanguageDiagram:
    """The diagram of a language.  Raises `UnsupportedError` for more than `MAX_STATES` states.

    >>> from certify.languages.compute import classify
    >>> shown = language_diagram(classify("(ab)*"))
    >>> shown.power_arrows[0, 0], shown.groups, shown.covers
    ((1, ('ab',)), ((1,), (0,), (2,)), ((0, 2), (1, 2)))
    """
    dfa = found.dfa
    if len(dfa) > MAX_STATES:
        raise UnsupportedError(f"no picture of {len(dfa)} states: at most {MAX_STATES} are drawn")
    arrows = _arrows(dfa, 1)
    power = _arrows(dfa, found.k) if found.k is not None and found.k <= _MOST_K else None
    used = arrows if power is None else power
    groups, covers, ranks = _hasse(used, len(dfa))
    return LanguageDiagram(dfa, found.k, arrows, power, groups, covers, ranks)


def _arrows(dfa: Dfa, k: int) -> Arrows:
    """Words of k letters from state to state: how many, and the first few by letters."""
    found: Arrows = {(q, q): (1, ("",)) for q in range(len(dfa))}
    plain = all(len(letter) == 1 for letter in dfa.alphabet)
    for _ in range(k):
        longer: dict[tuple[int, int], tuple[int, list[str]]] = {}
        for (p, q), (count, words) in found.items():
            for letter, after in zip(dfa.alphabet, dfa.delta[q], strict=True):
                n, listed = longer.get((p, after), (0, []))
                more = [word + letter if plain or not word else f"{word} {letter}" for word in words]
                longer[p, after] = (n + count, listed + more)
        found = {pair: (n, tuple(sorted(words)[:_SHOWN])) for pair, (n, words) in longer.items()}
    return dict(sorted(found.items()))


def ordered_groups(arrows: Arrows, states: int) -> tuple[tuple[tuple[int, ...], ...], tuple[int, ...]]:
    """(the sets of states that reach each other, their ranks)."""
    groups, _, ranks = _hasse(arrows, states)
    return groups, ranks


def _hasse(arrows: Arrows, states: int) -> tuple[_Groups, tuple[tuple[int, int], ...], tuple[int, ...]]:
    """(groups in an order in which none reaches one before it, covers, ranks)."""
    edges = [sorted({q for p, q in arrows if p == state}) for state in range(states)]
    components = components_of(edges)
    count = len(components.members)
    place = {c: count - 1 - c for c in range(count)}  # components are numbered against the edges
    groups = tuple(tuple(sorted(components.members[c])) for c in range(count - 1, -1, -1))
    above: list[set[int]] = [set() for _ in range(count)]
    reached: list[set[int]] = [set() for _ in range(count)]
    ranks = [0] * count
    for p, after in enumerate(edges):
        above[place[components.of[p]]] |= {place[components.of[q]] for q in after} - {place[components.of[p]]}
    covers = []
    for g in range(count - 1, -1, -1):
        further = set().union(*(reached[h] for h in above[g]))
        covers += [(g, h) for h in above[g] if h not in further]
        reached[g] = above[g] | further
    for g, h in sorted(covers):
        ranks[h] = max(ranks[h], ranks[g] + 1)
    return groups, tuple(sorted(covers)), tuple(ranks)
