"""Proofs about languages: ranks and phases, formulas, monomials, words; and their certificates through the checker."""

import itertools
import json
import random
import subprocess
import sys
import time
from math import lcm
from pathlib import Path

import pytest

import certify
from certify.certificates.document import certificate_bytes
from certify.certificates.languages import CERTIFIED_CLASSES, dfa_form, language_certificates
from certify.checker import check_bytes
from certify.languages.compute import classify, language
from certify.languages.dfa import Dfa
from certify.languages.formula import subformulas
from certify.languages.formula_dfa import dfa_of_formula
from certify.languages.formula_text import parse_formula
from certify.languages.modular_order import modular_order
from certify.languages.monomials import modular_monomials
from certify.languages.ordered_formula import ordered_formula
from certify.languages.regex_dfa import dfa_of_regex
from certify.languages.witness import modular_witness, order_witness, separating_word
from fpsim.errors import InputError, UnsupportedError

ORDERED = [
    ("(aa)*", "a"), ("(ab)*", "ab"), ("a.*", "ab"), (".*ab.*", "ab"), ("(abc)*", "abc"), ("(aabb)*", "ab"), ("@", "a"),
    ("b*a(..)*", "ab"), ("c*(a(ab)*|b(aab)*c)", "abc"), (".*", "a"), ("!(.*)", "ab"), ("a(aa)*b(aaa)*", "ab"), ("(a.)*", "ab"),
]  # fmt: skip


def random_dfas(count, states=6, letters=3, seed=1):
    rng = random.Random(seed)
    for _ in range(count):
        n, k = rng.randint(1, states), rng.randint(1, letters)
        delta = tuple(tuple(rng.randrange(n) for _ in range(k)) for _ in range(n))
        yield Dfa(tuple("abc"[:k]), 0, frozenset(q for q in range(n) if rng.random() < 0.5), delta).minimal()


def ordered_dfas():
    yield from (dfa_of_regex(*given) for given in ORDERED)
    yield from (dfa for dfa in random_dfas(400) if modular_order(dfa))


# -- in LTL[P,MOD] --------------------------------------------------------------------------------------------------


def test_ranks_and_phases():
    for dfa in ordered_dfas():
        order = modular_order(dfa)
        assert len(set(zip(order.rank, order.phase))) == len(dfa)
        for q, row in enumerate(dfa.delta):
            for p in row:
                stays = order.rank[p] == order.rank[q]
                step = (order.phase[p] - order.phase[q] - 1) % order.modulus[order.rank[q]] == 0
                assert order.rank[p] > order.rank[q] or (stays and step)
        assert order.k == lcm(*order.modulus)
        assert order.rank[dfa.initial] == 0


def test_formulas_go_back_to_the_dfa():
    for dfa in ordered_dfas():
        order = modular_order(dfa)
        formula = ordered_formula(dfa, order)
        assert dfa_of_formula(formula, dfa.alphabet) == dfa
        operators = {node.operator for node in subformulas(formula)}
        assert operators <= {"true", "false", "letter", "mod", "not", "and", "or", "past"}
        assert order.k > 1 or "mod" not in operators  # a language of LTL[P] gets a formula of LTL[P]
        if len(str(formula)) < 5000:
            assert parse_formula(str(formula)) is formula


def test_known_formulas():
    assert str(classify("(aa)*").formula) == "MOD(1,2)"
    assert str(classify("a.*", alphabet="ab").formula) == "P(!P true & a)"
    assert str(classify("@", alphabet="a").formula) == "!P true"
    assert classify(".*a", alphabet="ab").formula is None


def test_monomials_are_disjoint_left_deterministic_and_make_the_language():
    for dfa in ordered_dfas():
        monomials = modular_monomials(dfa, modular_order(dfa))
        assert all(one.is_left_deterministic for one in monomials)
        for n in range(6):
            for word in itertools.product(dfa.alphabet, repeat=n):
                assert sum(one.accepts(word) for one in monomials) == dfa.accepts(word)


def long_chain(n):
    """A chain of cycles of 2 and 3: the monomials are exponential in its length."""
    return language(regex="".join(f"({'b' * (2 + i % 2)})*{'a'}" for i in range(n)), alphabet="ab")


def test_what_is_too_large_to_show_says_so():
    found = classify(dfa=long_chain(12))
    shown = found.to_json()
    assert shown["k"] == 6
    assert shown["formula"] is None
    assert shown["monomials"] is None
    assert "characters, more than" in shown["reasons"]["formula"]
    assert "sets of letters" in shown["reasons"]["monomials"]
    assert dfa_of_formula(classify(dfa=long_chain(4)).formula, "ab") == long_chain(4)
    primes = [p for p in range(2, 60) if all(p % d for d in range(2, p))]
    clocks = language(
        regex="|".join(f"a({'b' * p})*" if p == 2 else f"a{'a' * i}c({'b' * p})*" for i, p in enumerate(primes))
    )
    begin = time.process_time()
    found = classify(dfa=clocks)
    assert found.k == lcm(*primes) > 2**53
    assert found.to_json()["monomials"] is None
    assert time.process_time() - begin < 5


# -- not in LTL[P,MOD], not in LTL[P] -------------------------------------------------------------------------------


def test_words_against_a_class():
    outside = 0
    for dfa in [
        *random_dfas(600),
        *(dfa_of_regex(*given) for given in ((".*a", "ab"), (".*ab.*", "abc"), ("(aab|b)*", "ab"))),
    ]:
        found = modular_witness(dfa)
        assert (found is None) == (modular_order(dfa) is not None)
        for words in (found, order_witness(dfa)):
            if words is None:
                continue
            q = dfa.after(dfa.initial, words.w)
            p = dfa.after(q, words.u)
            assert dfa.after(p, words.v) == q
            assert (dfa.after(q, words.s) in dfa.accepting) is not (dfa.after(p, words.s) in dfa.accepting)
        if found is not None:
            outside += 1
            assert len(found.u) == len(found.z) > 0
            q = dfa.after(dfa.initial, found.w)
            assert dfa.after(q, found.z) == q
            for k in (1, 2, 3, 5):  # the argument of the docstring, for some k
                there, back = found.z * (k - 1) + found.u, found.v + (found.u + found.v) * (k - 1) + found.z
                assert len(there) % k == len(back) % k == 0
                assert dfa.after(dfa.after(q, there), back) == q != dfa.after(q, there)
    assert outside > 100


def test_separating_words():
    for dfa in random_dfas(200, states=7, letters=2):
        for q, p in itertools.combinations(range(len(dfa)), 2):
            word = separating_word(dfa, q, p)
            assert len(word) < len(dfa)
            assert (dfa.after(q, word) in dfa.accepting) is not (dfa.after(p, word) in dfa.accepting)


def test_words_against_star_free_languages():
    met = 0
    for dfa in [*random_dfas(150, states=5), dfa_of_regex("(aaa)*"), dfa_of_regex("(b*ab*ab*ab*ab*a)*b*")]:
        found = classify(dfa=dfa, max_monoid=5000).group
        if found is not None:
            met += 1
            q = dfa.after(dfa.initial, found.w)
            assert dfa.after(q, found.x * found.n) == q
            for i in range(3):
                one, more = found.x * (found.n * i), found.x * (found.n * i + 1)
                accepted = [dfa.after(dfa.after(q, word), found.s) in dfa.accepting for word in (one, more)]
                assert accepted[0] is not accepted[1]
    assert met > 30


# -- certificates ---------------------------------------------------------------------------------------------------

LANGUAGES = [
    *ORDERED, (".*a", "ab"), (".*ab.*", "abc"), ("(b*ab*a)*b*", "ab"), ("(aab|b)*", "ab"), ("(a(ab)*b)*", "ab"), ("(aaa)*", "a"),
    (".(..)*&.*ab.*", "abc"),
]  # fmt: skip


def certificates():
    found = [classify(text, alphabet=letters) for text, letters in LANGUAGES]
    found += [classify(dfa=dfa, max_monoid=3000) for dfa in random_dfas(150)]
    for one in found:
        for name in CERTIFIED_CLASSES:
            if one.classes[name] is not None:
                yield one, name, *language_certificates(one, [name])


def test_every_certificate_is_verified_and_its_negation_is_not():
    count = {(name, member): 0 for name in CERTIFIED_CLASSES for member in (True, False)}
    for one, name, data in certificates():
        report = check_bytes(data)
        assert report.verdict == "verified", str(report)
        document = json.loads(data)
        assert document["claim"]["member"] is one.classes[name]
        assert document["claim"]["dfa"] == dfa_form(one.dfa)
        count[name, one.classes[name]] += 1
        other = document["claim"] | {"member": not one.classes[name]}
        hints = {
            "ranks": [*range(len(one.dfa))],
            "phases": [0] * len(one.dfa),
            "moduli": [1] * len(one.dfa),
            "k": 1,
            "formula": None,
        }
        if one.classes[name]:
            hints = {
                letter: [] for letter in ("wxs" if name == "star_free" else "wuzvs" if name == "LTL[P,MOD]" else "wuvs")
            }
            hints |= {"n": 2} if name == "star_free" else {}
        elif name == "star_free":
            hints = {}
        assert check_bytes(certificate_bytes(other, hints)).verdict == "refuted"
    assert min(count.values()) > 5


def test_formulas_in_certificates():
    (data,) = language_certificates(classify("(ab)*"))
    assert json.loads(data)["hints"]["formula"][-1] == ["and", 8, 0]
    assert any("the formula of 10 nodes has the language" in line for line in check_bytes(data).lines)
    for one, name, data in certificates():
        if name != "star_free" and one.classes[name]:
            document = json.loads(data)
            assert document["hints"]["formula"] is not None
            denied = document["hints"]["formula"] + [["not", len(document["hints"]["formula"]) - 1]]
            wrong = certificate_bytes(document["claim"], document["hints"] | {"formula": denied})
            report = check_bytes(wrong)
            assert report.verdict == "undecided"
            assert "the formula is not that of the language" in str(report)


def test_other_dfas_of_a_language_are_checked_as_well():
    """States that cannot be reached, and states with the same future."""
    doubled = {"accepting": [0, 2, 5], "alphabet": ["a"], "delta": [[1], [2], [3], [0], [5], [4]], "initial": 0}
    claim = {"class": "LTL[P,MOD]", "dfa": doubled, "kind": "language", "member": True}
    hints = {"formula": None, "k": 4, "moduli": [4, 2], "phases": [0, 1, 2, 3, 0, 1], "ranks": [0, 0, 0, 0, 1, 1]}
    assert check_bytes(certificate_bytes(claim, hints)).verdict == "verified"
    assert check_bytes(certificate_bytes(claim | {"class": "star_free"}, {})).verdict == "refuted"
    wrong = claim | {"class": "LTL[P]"}
    assert check_bytes(certificate_bytes(wrong, hints)).verdict == "refuted"
    loops = {"accepting": [0, 1], "alphabet": ["a", "b"], "delta": [[1, 0], [0, 1]], "initial": 0}  # all words
    for kind in ("LTL[P]", "LTL[P,MOD]"):
        claim = {"class": kind, "dfa": loops, "kind": "language", "member": True}
        hints = {"formula": None, "k": 1, "moduli": [1, 1], "phases": [0, 0], "ranks": [0, 1]}
        assert check_bytes(certificate_bytes(claim, hints)).verdict == "undecided"  # true, but not shown
    assert check_bytes(certificate_bytes(claim | {"class": "star_free"}, {})).verdict == "verified"


def test_certificates_that_cannot_be_written():
    found = classify("(ab)*")
    with pytest.raises(InputError, match="certificate class"):
        language_certificates(found, ["FO2[<]"])
    big = classify(dfa=Dfa(("a", "b"), 0, frozenset({69_999}), tuple((min(q + 1, 69_999), q) for q in range(70_000))))
    with pytest.raises(UnsupportedError, match="at most 65536 states"):
        language_certificates(big)
    up = [[q + (q == i) for q in range(9)] for i in range(8)]
    down = [[q - (q == i) for q in range(9)] for i in range(1, 9)]
    unknown = classify(dfa=Dfa(tuple("abcdefghijklmnop"), 0, frozenset({0}), tuple(zip(*up, *down))), max_monoid=100)
    assert unknown.undecided
    with pytest.raises(UnsupportedError, match="star_free is undecided"):
        language_certificates(unknown, ["star_free"])
    two = Dfa(("U+00E9", "é"), 0, frozenset({0}), ((0, 1), (1, 0)))
    with pytest.raises(UnsupportedError, match="the same form"):
        language_certificates(classify(dfa=two))


def test_letters_of_a_certificate_are_ascii():
    found = classify(dfa=Dfa(("é", '"', "\\", "a'b"), 0, frozenset({0}), ((0, 1, 0, 0), (1, 1, 1, 1))))
    (data,) = language_certificates(found)
    assert json.loads(data)["claim"]["dfa"]["alphabet"] == ["U+00E9", "U+0022", "U+005C", "a'b"]
    assert check_bytes(data).verdict == "verified"


def test_the_checker_alone_verifies_them(tmp_path):
    files = []
    for n, (_, _, data) in enumerate(itertools.islice(certificates(), 60)):
        files.append(tmp_path / f"{n}.json")
        files[-1].write_bytes(data)
    checker = Path(certify.__file__).parent / "checker"
    done = subprocess.run([sys.executable, "-I", "-S", checker, *files], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")
    assert done.stdout.count("\nverdict=verified") == 60


def test_a_certificate_of_10000_states_takes_a_moment():
    n = 10_000
    for delta in ([((q + 1) % n, (q + 1) % n) for q in range(n)], [(min(q + 1, n - 1), q) for q in range(n)]):
        (data,) = language_certificates(classify(dfa=Dfa(("a", "b"), 0, frozenset({n - 1}), tuple(delta))))
        begin = time.process_time()
        assert check_bytes(data).verdict == "verified"
        assert time.process_time() - begin < 2


def test_the_answer_prints():
    text = str(classify("(ab)*"))
    assert "LTL[P,MOD]" in text
    assert "MOD(1,2) & b" in text
    text = str(classify(".*ab.*", alphabet="abc"))
    assert "w = a, u = cb, z = ca, v = a, s = b" in text
    assert "not star-free" in str(classify("(aa)*"))
    assert "a0 a1" in str(classify(dfa=Dfa(("a0", "a1"), 0, frozenset(), ((0, 0),))))
