"""Table 3 of arXiv:2608.11909: the columns of a row are computed apart from each other, and should say the same of
every language.

| column | LTL[P] | LTL[P, MOD] |
|---|---|---|
| automata | the minimal DFA is partially ordered | for some k its k-automaton, all words of k letters, is |
| monoid | the transition monoid is R-trivial | for some k that of the k-automaton is, on all states of the DFA |
| expression | left-deterministic monomials whose union is the language | modular ones |
| LTL | a formula without MOD whose DFA is the minimal one | any formula |

That a language is in no such k is tried for k up to `MOST_K`; expressions and formulas are made where there are any.

Of the row FO2[<, MOD] (Dartois and Paperman 2013) only the monoid is computed, by the identity of DA, (xy)^w x (xy)^w =
(xy)^w, on the monoids of k-automata, and compared with what `classify` finds on the stable monoid.  Its other columns,
two-way automata, unambiguous expressions and formulas with the future, have no decision but that one.
"""

from __future__ import annotations

from itertools import product
from math import lcm
from random import Random

from certify.languages.classification import Classification
from certify.languages.components import components_of
from certify.languages.compute import classify
from certify.languages.dfa import Dfa
from certify.languages.formula import subformulas
from certify.languages.formula_dfa import dfa_of_formula
from certify.languages.monoid import Monoid, transition_monoid
from certify.languages.strong_table import strong_components_of_table
from certify.reproducing.reproduction import Reproduction, Row

__all__ = ["LANGUAGES", "MOST_K", "k_automaton", "table3"]

MOST_K = 6
_LONGEST = 8  # letters of the words on which monomials are tried
_WORDS = 3_000
LANGUAGES = (
    ("(..)*", "ab"), ("(ab)*", "ab"), ("a.*", "ab"), (".*a", "ab"), (".*a", "a"), (".*ab.*", "ab"), (".*ab.*", "abc"),
    ("(0*10*1)*0*", "01"), ("(abc)*", "abc"), ("(aabb)*", "ab"), ("(aab|b)*", "ab"), ("(a(ab)*b)*", "ab"),
    ("(..)*.&.*ab.*", "abc"),
)  # fmt: skip


def k_automaton(dfa: Dfa, k: int) -> Dfa:
    """The k-automaton of a DFA (Def. A.8), with one letter for each map of the states that some k letters make.

    >>> even = Dfa(("a",), 0, frozenset({0}), ((1,), (0,)))
    >>> k_automaton(even, 2).delta
    ((0,), (1,))
    """
    maps = {tuple(range(len(dfa)))}
    for _ in range(k):
        maps = {tuple(row[q] for q in x) for x in maps for row in zip(*dfa.delta, strict=True)}
    rows = list(zip(*sorted(maps), strict=True))
    letters = tuple(f"w{n}" for n in range(len(maps)))
    return Dfa(letters, dfa.initial, dfa.accepting, tuple(rows))


def table3(random: int = 200, seed: int = 0) -> Reproduction:
    """The languages of Table 1 and others, and so many random DFAs of up to 5 states over two letters."""
    rows = []
    for regex, alphabet in LANGUAGES:
        found = classify(regex, alphabet=alphabet)
        rows += [_row(regex, alphabet, found, modular) for modular in (False, True)]
        rows.append(_two_variables(regex, alphabet, found))
    chosen = Random(seed)
    drawn = [classify(dfa=_random_dfa(chosen)) for _ in range(random)]
    for modular in (False, True):
        if drawn:
            each = [_row("", "ab", found, modular) for found in drawn]
            members = sum(bool(row.cells["automata"]) for row in each)
            agreeing = sum(bool(row.agrees) for row in each)
            cells = {"language": f"{random} random", "over": "ab", "row": each[0].cells["row"],
                     "automata": f"{members} in"}  # fmt: skip
            rows.append(Row(cells, "all columns the same", agreeing == random, f"the columns agree on {agreeing}"))
    rows.append(_definition())
    notes = (
        f"k is tried up to {MOST_K}. Expressions are tried on words of up to {_LONGEST} letters.",
        (
            "Of the row FO2[<, MOD] the monoid is computed in two ways. Its two-way automata, unambiguous expressions "
            "and formulas with the future are not built: the monoid is how they are decided."
        ),
    )
    return Reproduction("table3", "Table 3", tuple(rows), notes)


def _two_variables(regex: str, alphabet: str, found: Classification) -> Row:
    """The row FO2[<, MOD]: for some k the transition monoid of the k-automaton is in DA."""
    monoid = any(_is_in_da(k_automaton(found.dfa, k)) for k in range(1, MOST_K + 1))
    cells = {"language": regex, "over": alphabet, "row": "FO2[<, MOD]", "monoid": monoid}
    return Row(cells, "quasi-DA, as classify decides it", monoid is found.classes["FO2[<,MOD]"])


def _is_in_da(dfa: Dfa) -> bool:
    """(xy)^n x (xy)^n = (xy)^n for all maps x, y of the states that words make; n makes every map idempotent."""
    monoid = transition_monoid(dfa)
    assert isinstance(monoid, Monoid)  # of few states
    maps = [tuple(int(q) for q in x) for x in monoid.maps]
    n = lcm(*range(1, len(dfa) + 1)) * len(dfa)
    powers = {x: _power(x, n) for x in maps}
    return all(_then(_then(e, x), e) == e for x, y in product(maps, repeat=2) for e in (powers[_then(x, y)],))


def _then(x: tuple[int, ...], y: tuple[int, ...]) -> tuple[int, ...]:
    """First the map x, then y."""
    return tuple(y[q] for q in x)


def _power(x: tuple[int, ...], n: int) -> tuple[int, ...]:
    found = tuple(range(len(x)))
    for bit in f"{n:b}":
        found = _then(found, found)
        found = _then(found, x) if bit == "1" else found
    return found


def _row(regex: str, alphabet: str, found: Classification, modular: bool) -> Row:
    ks = range(1, MOST_K + 1) if modular else (1,)
    powers = [k_automaton(found.dfa, k) for k in ks]
    automata = any(_is_partially_ordered(each) for each in powers)
    monoid = any(_is_r_trivial(each) for each in powers)
    expression, formula = _expression(found, modular), _formula(found, modular)
    cells = {
        "language": regex,
        "over": alphabet,
        "row": "LTL[P, MOD]" if modular else "LTL[P]",
        "automata": automata,
        "monoid": monoid,
        "expression": expression,
        "LTL": formula,
    }
    return Row(cells, "all columns the same", len({automata, monoid, expression, formula}) == 1)


def _is_partially_ordered(dfa: Dfa) -> bool:
    return all(len(members) == 1 for members in components_of(dfa.delta).members)


def _is_r_trivial(dfa: Dfa) -> bool:
    """Of the transition monoid: different elements do not reach each other by products on the right (Def. A.10)."""
    monoid = transition_monoid(dfa)
    assert isinstance(monoid, Monoid)  # of few states
    classes = strong_components_of_table(monoid.right)
    return len(set(classes.tolist())) == len(monoid)


def _expression(found: Classification, modular: bool) -> bool:
    monomials = found.monomials
    if monomials is None or not (modular or found.k == 1):
        return False
    words = [word for n in range(_LONGEST + 1) for word in product(found.dfa.alphabet, repeat=n)][:_WORDS]
    same = all(any(one.accepts(word) for one in monomials) is found.dfa.accepts(word) for word in words)
    return same and all(one.is_left_deterministic for one in monomials)


def _formula(found: Classification, modular: bool) -> bool:
    formula = found.formula
    if formula is None:
        return False
    counts = any(node.operator == "mod" for node in subformulas(formula))
    return (modular or not counts) and dfa_of_formula(formula, found.dfa.alphabet) == found.dfa


def _definition() -> Row:
    """Def. A.13 as printed, for the words of odd length with ab in them: the language of the 2-automaton is empty."""
    found = classify("(..)*.&.*ab.*", alphabet="abc")
    language = k_automaton(found.dfa, 2).minimal()
    in_r = _is_r_trivial(language)
    cells = {
        "language": "(..)*.&.*ab.*",
        "over": "abc",
        "row": "Def. A.13",
        "automata": any(_is_partially_ordered(k_automaton(found.dfa, k)) for k in range(1, MOST_K + 1)),
        "monoid": in_r,
    }
    note = (
        "Def. A.13 asks for the syntactic monoid of the language of the k-automaton. For k = 2 that language is empty, "
        f"its minimal DFA has {len(language)} state, and its monoid is in R; but no k-automaton of the language is "
        "partially ordered. Lemma B.1 needs the transition monoid on all states of the minimal DFA."
    )
    return Row(cells, "M_k in R iff A_k in PODFA", in_r is cells["automata"], note)


def _random_dfa(chosen: Random) -> Dfa:
    n = chosen.randint(1, 5)
    delta = tuple(tuple(chosen.randrange(n) for _ in "ab") for _ in range(n))
    return Dfa(("a", "b"), 0, frozenset(q for q in range(n) if chosen.random() < 0.5), delta)
