"""Which classes a language belongs to, from its minimal DFA: first what is linear, then pairs of states, then the
monoid."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np

from certify.languages.components import Components
from certify.languages.dfa import Dfa, Word
from certify.languages.factor_classes import (
    is_definite,
    is_generalized_definite,
    is_locally_r_trivial,
    is_locally_r_trivial_in_step,
    is_locally_testable,
    is_reverse_definite,
)
from certify.languages.implications import CLASSES, Known
from certify.languages.modular_order import modular_order
from certify.languages.monoid import Monoid, Stopped, transition_monoid
from certify.languages.pair_graph import PairGraph
from certify.languages.piecewise import is_piecewise_testable
from certify.languages.stable import stable_semigroup
from certify.languages.two_variables import is_in_da, is_stable_in_da
from fpsim.errors import UnsupportedError

__all__ = ["Verdicts", "class_verdicts"]

_LOOKED_AT = 2_000_000  # states times elements of a monoid that is not known, for an element that is not aperiodic
_QUICK = 5_000_000  # states times elements
_FROM_MONOID = ("star_free", "FO[<,MOD]", "FO2[<]", "FO2[<,MOD]")


@dataclass
class Verdicts:
    """classes: each class True, False or None (undecided, with its reason in `reasons`).

    group_word: a word x with x^n != x^(n+1) for all n, where one was met: the language is not star-free.  monoid: the
    size of the transition monoid, where it was enumerated.
    """

    classes: dict[str, bool | None] = field(default_factory=dict)
    reasons: dict[str, str] = field(default_factory=dict)
    group_word: Word | None = None
    monoid: int | None = None


def class_verdicts(
    dfa: Dfa, components: Components, max_monoid: int, progress: Callable[[int], None] | None = None
) -> Verdicts:
    """All classes of the language of a minimal DFA.

    max_monoid: how many elements of the transition monoid are looked at; beyond, and beyond the limits of
    `certify.languages.monoid`, `.stable` and `.pair_graph`, what hangs on them is undecided.  progress: called with the
    number of elements met so far.
    """
    found, known = Verdicts(), Known()
    known.add("LTL[P]", all(len(members) == 1 for members in components.members))
    known.add("LTL[P,MOD]", modular_order(dfa, components) is not None)
    known.add("reverse_definite", is_reverse_definite(dfa, components))
    known.add("piecewise_testable", is_piecewise_testable(dfa, components))
    if not _by_pairs(dfa, components, known, found):  # then a monoid is tried only as far as takes no second
        max_monoid = min(max_monoid, 1 + _QUICK // len(dfa))
    if known.lacks(*_FROM_MONOID):
        _by_monoid(dfa, known, found, max_monoid, progress)
    found.classes = {name: known.of(name) for name in CLASSES}
    found.reasons = {name: reason for name, reason in found.reasons.items() if found.classes[name] is None}
    return found


def _by_pairs(dfa: Dfa, components: Components, known: Known, found: Verdicts) -> bool:
    """What pairs of states decide; whether they are few enough to look at."""
    try:
        graph = PairGraph(dfa, components)
    except UnsupportedError as error:
        found.reasons |= dict.fromkeys(CLASSES, str(error))
        return False
    known.add("definite", is_definite(graph))
    known.add("generalized_definite", is_generalized_definite(graph))
    known.add("LTL[P,Y]", is_locally_r_trivial(graph))
    known.add("LTL[P,Y,MOD]", is_locally_r_trivial_in_step(graph))
    known.add("locally_testable", is_locally_testable(graph))
    if known.of("star_free") is not True and graph.swapped is not None:
        known.add("star_free", False)  # a word that exchanges two states is a group element
        found.group_word = graph.exchanging_word(*graph.swapped)
        if known.of("FO[<,MOD]") is None and graph.swapped_in_step:
            # With the words u, v of `swapped_in_step`, the images of v^(s-1) u and v^s are in that of Sigma^(s|u|), the
            # stable semigroup for the right s.
            known.add("FO[<,MOD]", False)
    return True


def _by_monoid(
    dfa: Dfa, known: Known, found: Verdicts, max_monoid: int, progress: Callable[[int], None] | None
) -> None:
    """What needs the transition monoid; the search ends early where a group element settles all that is open."""
    settled = not known.lacks("FO[<,MOD]", "FO2[<,MOD]")
    monoid = transition_monoid(dfa, max_monoid, until_group=settled, progress=progress)
    if isinstance(monoid, Stopped):
        found.reasons |= dict.fromkeys(_FROM_MONOID, monoid.reason)
        if monoid.part is not None and known.lacks("star_free"):
            _group_among(monoid.part, monoid.group, known, found)
        return
    found.monoid = len(monoid)
    if known.lacks("star_free"):
        known.add("star_free", bool(monoid.aperiodic.all()))
        if not monoid.aperiodic.all():
            found.group_word = monoid.word(int(np.argmin(monoid.aperiodic)))
    if known.lacks("FO2[<]"):
        known.add("FO2[<]", is_in_da(monoid))
    if known.lacks("FO[<,MOD]", "FO2[<,MOD]"):
        _stable_classes(monoid, known, found)


def _group_among(part: Monoid, group: int | None, known: Known, found: Verdicts) -> None:
    """Schuetzenberger (1965): star-free is aperiodic, x^n = x^(n+1) for some n for every x; here one x against it."""
    first = part.beginning(1 + _LOOKED_AT // part.maps.shape[1]).aperiodic
    if group is None and not first.all():
        group = int(np.argmin(first))
    if group is not None:
        known.add("star_free", False)
        found.group_word = part.word(group)


def _stable_classes(monoid: Monoid, known: Known, found: Verdicts) -> None:
    """FO[<,MOD]: the stable semigroup is aperiodic (Barrington, Compton, Straubing and Therien 1992)."""
    stable = stable_semigroup(monoid)
    if isinstance(stable, Stopped):
        found.reasons |= dict.fromkeys(("FO[<,MOD]", "FO2[<,MOD]"), stable.reason)
        return
    if known.lacks("FO[<,MOD]"):
        known.add("FO[<,MOD]", bool(monoid.aperiodic[stable.members].all()))
    if known.lacks("FO2[<,MOD]"):
        member = is_stable_in_da(monoid, stable)
        if isinstance(member, Stopped):
            found.reasons["FO2[<,MOD]"] = member.reason
        else:
            known.add("FO2[<,MOD]", member)
