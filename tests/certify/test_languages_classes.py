"""The classes of languages: against their definitions on the transition monoid, the table of known languages, and themselves."""

import itertools
import random
import time

import numpy as np
import pytest

from certify.languages import monoid as monoids
from certify.languages.classes import class_verdicts
from certify.languages.components import components_of, strong_components
from certify.languages.dfa import Dfa
from certify.languages.implications import CLASSES, Known
from certify.languages.monoid import Monoid, Stopped, transition_monoid
from certify.languages.regex_dfa import dfa_of_regex
from certify.languages.stable import stable_semigroup
from certify.languages.strong_kernel import tarjan
from certify.languages.strong_table import strong_components_of_table


def verdicts(dfa, max_monoid=10**6):
    return class_verdicts(dfa, components_of(dfa.delta), max_monoid)


def random_dfa(rng, states, letters):
    n, k = rng.randint(1, states), rng.randint(1, letters)
    delta = tuple(tuple(rng.randrange(n) for _ in range(k)) for _ in range(n))
    return Dfa(tuple("abc"[:k]), 0, frozenset(q for q in range(n) if rng.random() < 0.5), delta).minimal()


def structured_dfa(rng):
    """A random expression: random tables alone hardly ever give a language of the smaller classes."""
    letters = "ab" if rng.random() < 0.7 else "abc"

    def expression(depth):
        kind = rng.randrange(9 if depth else 2)
        if kind < 2:
            return rng.choice([*letters, ".", "@", ".*", f"[{letters}]*", "a*"])
        if kind < 5:
            return expression(depth - 1) + expression(depth - 1)
        if kind == 5:
            return f"({expression(depth - 1)})*"
        if kind == 6:
            return f"!({expression(depth - 1)})"
        return f"({expression(depth - 1)}{rng.choice('|&')}{expression(depth - 1)})"

    return dfa_of_regex(expression(4), letters)


# -- the definitions, on all elements of the monoid -----------------------------------------------------------------


class Naive:
    """The transition monoid as a set of tuples, and the classes by their definitions."""

    def __init__(self, dfa):
        self.dfa = dfa
        self.letters = [tuple(row[a] for row in dfa.delta) for a in range(len(dfa.alphabet))]
        self.one = tuple(range(len(dfa)))
        self.semigroup = self.generated(self.letters)
        self.stable = self.stable_semigroup()

    @staticmethod
    def times(x, y):
        return tuple(y[q] for q in x)

    def generated(self, letters):
        found, todo = set(letters), list(letters)
        while todo:
            x = todo.pop()
            for a in letters:
                if (y := self.times(x, a)) not in found:
                    found.add(y)
                    todo.append(y)
        return found

    def stable_semigroup(self):
        images = [None, frozenset(self.letters)]
        for s in itertools.count(1):
            while len(images) <= 2 * s:
                images.append(frozenset(self.times(x, a) for x in images[-1] for a in self.letters))
            if images[s] == images[2 * s]:
                self.index = s
                return images[s]
        raise AssertionError

    def omega(self, x):
        power = x
        while self.times(power, power) != power:
            power = self.times(power, x)
        return power

    def aperiodic(self, semigroup):
        return all(self.times(self.omega(x), x) == self.omega(x) for x in semigroup)

    def idempotents(self, semigroup):
        return [e for e in semigroup if self.times(e, e) == e]

    def local(self, e, semigroup):
        return {self.times(self.times(e, x), e) for x in semigroup}

    def r_trivial(self, monoid):
        right = {x: {self.times(x, y) for y in monoid} for x in monoid}
        return not any(y in right[x] and x in right[y] for x in monoid for y in monoid if x < y)

    def l_trivial(self, monoid):
        left = {x: {self.times(y, x) for y in monoid} for x in monoid}
        return not any(y in left[x] and x in left[y] for x in monoid for y in monoid if x < y)

    def da(self, monoid):
        """(xyz)^w y (xyz)^w = (xyz)^w."""
        for x, y in itertools.product(monoid, repeat=2):
            xy = self.times(x, y)
            for z in monoid:
                e = self.omega(self.times(xy, z))
                if self.times(self.times(e, y), e) != e:
                    return False
        return True

    def classes(self):
        s, t, one, times = self.semigroup, self.stable, self.one, self.times
        whole, stable = s | {one}, t | {one}
        es, et = self.idempotents(s), self.idempotents(t)
        locals_ = [self.local(e, s) for e in es]
        return {
            "LTL[P]": self.r_trivial(whole),
            "LTL[P,Y]": all(self.r_trivial(part) for part in locals_),
            "LTL[P,Y,MOD]": all(self.r_trivial(self.local(e, t)) for e in et),
            "LTL[P,MOD]": self.r_trivial(stable),
            "star_free": self.aperiodic(s),
            "FO[<,MOD]": self.aperiodic(t),
            "FO2[<]": self.da(whole),
            "FO2[<,MOD]": self.da(stable),
            "piecewise_testable": self.r_trivial(whole) and self.l_trivial(whole),
            "locally_testable": all(
                times(x, x) == x and times(x, y) == times(y, x) for part in locals_ for x in part for y in part
            ),
            "definite": all(times(x, e) == e for e in es for x in s),
            "reverse_definite": all(times(e, x) == e for e in es for x in s),
            "generalized_definite": all(times(times(e, x), e) == e for e in es for x in s),
        }


@pytest.mark.parametrize("seed", range(4))
def test_against_the_definitions(seed):
    rng = random.Random(seed)
    met = {name: set() for name in CLASSES}
    done = 0
    while done < 60:
        dfa = random_dfa(rng, 4, 3) if done % 3 == 0 else structured_dfa(rng)
        if len(dfa) > 8 or isinstance(transition_monoid(dfa, 40), Stopped):
            continue
        done += 1
        found, expected = verdicts(dfa).classes, Naive(dfa).classes()
        assert found == expected, dfa
        for name, member in expected.items():
            met[name].add(member)
    assert all(both == {True, False} for both in met.values()), met


def k_automaton_is_partially_ordered(dfa, k):
    maps = {tuple(range(len(dfa)))}
    for _ in range(k):
        maps = {tuple(row[q] for q in x) for x in maps for row in zip(*dfa.delta)}
    component = strong_components([[x[q] for x in maps] for q in range(len(dfa))])
    return len(set(component)) == len(dfa)


def test_least_k_against_explicit_k_automata():
    from certify.languages.modular_order import modular_order

    rng = random.Random(7)
    seen = set()
    for _ in range(300):
        dfa = random_dfa(rng, 5, 2)
        order = modular_order(dfa)
        least = next((k for k in range(1, 13) if k_automaton_is_partially_ordered(dfa, k)), None)
        assert least == (order and order.k)
        seen.add(least)
    assert {None, 1, 2, 3} <= seen


# -- known languages ------------------------------------------------------------------------------------------------

TABLE = [  # expression, letters, LTL[P], LTL[P,MOD], k, star-free
    ("(aa)*", "a", False, True, 2, False),
    ("(ab)*", "ab", False, True, 2, True),
    ("a.*", "ab", True, True, 1, True),
    (".*a", "ab", False, False, None, True),
    (".*a", "a", True, True, 1, True),
    (".*ab.*", "ab", True, True, 1, True),
    (".*ab.*", "abc", False, False, None, True),
    ("(b*ab*a)*b*", "ab", False, False, None, False),
    ("(abc)*", "abc", False, True, 3, True),
    ("(aabb)*", "ab", False, True, 4, True),
    ("(aab|b)*", "ab", False, False, None, True),
    ("(a(ab)*b)*", "ab", False, False, None, True),
    # odd length and ab inside, over three letters: the language of its 2-automaton is empty (see modular_order)
    (".(..)*&.*ab.*", "abc", False, False, None, False),
]


@pytest.mark.parametrize(("text", "letters", "ltl_p", "ltl_p_mod", "k", "star_free"), TABLE)
def test_known_languages(text, letters, ltl_p, ltl_p_mod, k, star_free):
    from certify.languages.modular_order import modular_order

    dfa = dfa_of_regex(text, letters)
    found = verdicts(dfa).classes
    assert (found["LTL[P]"], found["LTL[P,MOD]"], found["star_free"]) == (ltl_p, ltl_p_mod, star_free)
    order = modular_order(dfa)
    assert (order and order.k) == k


# -- metamorphic ----------------------------------------------------------------------------------------------------


def complement(dfa):
    return Dfa(dfa.alphabet, dfa.initial, frozenset(range(len(dfa))) - dfa.accepting, dfa.delta)


def reverse(dfa):
    from automata.fa.dfa import DFA
    from automata.fa.nfa import NFA

    return Dfa.of_automata_lib(DFA.from_nfa(NFA.from_dfa(dfa.to_automata_lib()).reverse())).minimal()


SYMMETRIC = (
    "star_free", "FO[<,MOD]", "FO2[<]", "FO2[<,MOD]", "piecewise_testable", "locally_testable", "generalized_definite",
)  # fmt: skip


def test_complement_and_reversal():
    rng = random.Random(3)
    for _ in range(60):
        dfa = structured_dfa(rng)
        found = verdicts(dfa).classes
        assert verdicts(complement(dfa)).classes == found
        backwards = verdicts(reverse(dfa)).classes
        assert {name: backwards[name] for name in SYMMETRIC} == {name: found[name] for name in SYMMETRIC}
        assert backwards["definite"] == found["reverse_definite"]
        assert backwards["reverse_definite"] == found["definite"]


def test_what_is_known_agrees_with_itself():
    known = Known()
    known.add("locally_testable", True)
    assert [name for name in CLASSES if known.of(name)] == [
        "LTL[P,Y]", "LTL[P,Y,MOD]", "star_free", "FO[<,MOD]", "locally_testable",
    ]  # fmt: skip
    with pytest.raises(AssertionError):
        known.add("FO[<,MOD]", False)
    known = Known()
    known.add("FO[<,MOD]", False)
    assert all(known.of(name) is False for name in CLASSES)


# -- the monoid -----------------------------------------------------------------------------------------------------


def test_the_monoid_against_its_definition():
    rng = random.Random(5)
    for _ in range(60):
        dfa = random_dfa(rng, 5, 3)
        naive = Naive(dfa)
        monoid = transition_monoid(dfa, 2000)
        if isinstance(monoid, Stopped):
            continue
        elements = [tuple(row) for row in monoid.maps.tolist()]
        assert set(elements) == naive.semigroup | {naive.one}
        assert len(set(elements)) == len(elements)
        assert elements[0] == naive.one
        for x, element in enumerate(elements):
            assert tuple(dfa.after(q, monoid.word(x)) for q in range(len(dfa))) == element
            assert [elements[y] for y in monoid.right[x]] == [naive.times(element, a) for a in naive.letters]
            assert [elements[y] for y in monoid.left[x]] == [naive.times(a, element) for a in naive.letters]
            assert monoid.idempotent[x] == (naive.times(element, element) == element)
            assert monoid.aperiodic[x] == naive.aperiodic([element])
        stable = stable_semigroup(monoid)
        assert {elements[x] for x in np.flatnonzero(stable.members)} == naive.stable
        for r, level in enumerate(stable.levels):  # products of a stable element and r letters
            image = naive.stable
            for _ in range(r):
                image = {naive.times(x, a) for x in image for a in naive.letters}
            assert {elements[x] for x in np.flatnonzero(level)} == image
        assert naive.index % len(stable.levels) == 0


def test_lengths_of_words_never_fall():
    monoid = transition_monoid(dfa_of_regex("(a(ab)*b)*&!(.*abab.*)"))
    assert isinstance(monoid, Monoid)
    lengths = [len(monoid.word(x)) for x in range(len(monoid))]
    assert lengths == sorted(lengths)


def full_transformations(n):
    """Three letters that make every map of n states: n^n elements."""
    cycle, swap, join = [*range(1, n), 0], [1, 0, *range(2, n)], [0, 0, *range(2, n)]
    return Dfa(("a", "b", "c"), 0, frozenset({0}), tuple(zip(cycle, swap, join)))


def test_a_monoid_beyond_the_limit_is_undecided_with_its_reason():
    assert len(transition_monoid(full_transformations(5))) == 5**5
    stopped = transition_monoid(full_transformations(5), 1000)
    assert isinstance(stopped, Stopped)
    assert "more than 1000 elements" in stopped.reason
    found = verdicts(full_transformations(9))
    assert set(found.classes.values()) == {False}  # all of them by a pair that is exchanged: no monoid is needed
    dfa = big_aperiodic(12)
    found = verdicts(dfa, 100)
    assert found.classes["star_free"] is None
    assert "more than 100 elements" in found.reasons["star_free"]
    assert found.classes["LTL[P]"] is False
    assert found.reasons.keys() == {name for name, member in found.classes.items() if member is None}


def big_aperiodic(n):
    """All maps of 0 .. n-1 that keep the order: aperiodic, with (2n-1 choose n) elements."""
    up = [[q + (q == i) for q in range(n)] for i in range(n - 1)]
    down = [[q - (q == i) for q in range(n)] for i in range(1, n)]
    return Dfa(tuple(map(chr, range(97, 97 + 2 * n - 2))), 0, frozenset({0}), tuple(zip(*up, *down))).minimal()


def test_order_preserving_maps():
    dfa = big_aperiodic(6)
    monoid = transition_monoid(dfa)
    assert len(monoid) == 462
    found = verdicts(dfa).classes
    assert found["star_free"] is True
    assert found["FO2[<]"] is False


def test_memory_and_products_are_bounded(monkeypatch):
    monkeypatch.setattr(monoids, "MAX_BYTES", 1000)
    assert "than is kept" in transition_monoid(full_transformations(5)).reason
    monkeypatch.undo()
    monkeypatch.setattr(monoids, "MAX_PRODUCTS", 1000)
    assert "than is multiplied" in transition_monoid(full_transformations(5)).reason


def test_a_group_without_exchanged_states():
    found = verdicts(dfa_of_regex("(aaa)*", "a"))  # a cycle of three: no word exchanges two states
    assert found.classes["star_free"] is False
    assert len(found.group_word) % 3


# -- graphs ---------------------------------------------------------------------------------------------------------


def test_compiled_components_against_the_reference():
    rng = np.random.default_rng(1)
    for n in (1, 2, 5, 30, 200):
        for width in (1, 2, 3):
            table = rng.integers(-1, n, (n, width), dtype=np.int32)
            edges = [[q for q in row if q >= 0] for row in table.tolist()]
            assert tarjan(table).tolist() == strong_components(edges) == strong_components_of_table(table).tolist()


def test_components_against_reachability():
    rng = random.Random(2)
    for _ in range(200):
        n = rng.randint(1, 7)
        edges = [[rng.randrange(n) for _ in range(rng.randint(0, 2))] for _ in range(n)]
        reach = [{q} for q in range(n)]
        for _ in range(n):
            reach = [set.union(seen, *(reach[p] for q in seen for p in edges[q])) for seen in reach]
        found = components_of(edges)
        for q in range(n):
            for p in range(n):
                assert (found.of[q] == found.of[p]) == (p in reach[q] and q in reach[p])
                if p in reach[q] and found.of[p] != found.of[q]:
                    assert found.of[p] < found.of[q]
            lengths = [k for k in range(1, 3 * n * n) if q in walk(edges, q, k)]
            assert found.period[found.of[q]] == np.gcd.reduce(lengths or [0])
            for p in edges[q]:
                if found.of[p] == found.of[q]:
                    assert (found.phase[p] - found.phase[q] - 1) % found.period[found.of[q]] == 0


def walk(edges, start, length):
    found = {start}
    for _ in range(length):
        found = {p for q in found for p in edges[q]}
    return found


def test_linear_classes_of_10000_states_take_under_a_second():
    from certify.languages.modular_order import modular_order

    rng = random.Random(1)
    n = 10_000
    for delta in (
        [(rng.randrange(n), rng.randrange(n)) for _ in range(n)],
        [((q + 1) % n, (q + 1) % n) for q in range(n)],
        [(min(q + 1, n - 1), q) for q in range(n)],
    ):
        dfa = Dfa(("a", "b"), 0, frozenset({n - 1}), tuple(delta))
        begin = time.process_time()
        modular_order(dfa)
        assert time.process_time() - begin < 1
