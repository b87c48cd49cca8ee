"""The tables of the paper: what agrees, what differs, and that a wrong model or statement would be noticed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from certify.compiling.compute import compile_formula
from certify.languages.compute import language
from certify.reproducing import classes_table, constructions, equivalences, published
from certify.reproducing.compute import reproduce
from certify.reproducing.sampling import Sampler
from fpsim.errors import InputError


def test_table_1():
    found = reproduce("table1")
    assert [row.cells["source"] for row in found.rows].count("Table 1") == 7
    assert all(row.agrees for row in found.rows)
    assert found.to_json()["differences"] == 0
    assert not found.undecided


def test_a_false_statement_would_be_named(monkeypatch):
    wrong = [replace(each, classes={"LTL[P]": True}) for each in published.STATEMENTS]
    monkeypatch.setattr(classes_table, "STATEMENTS", wrong)
    found = classes_table.table1()
    expected = [
        each.name for each in wrong if each.regex not in ("a.*",) and (each.regex, each.alphabet) != (".*ab.*", "ab")
    ]
    assert [row.cells["language"] for row in found.differences] == expected
    assert "DIFFERS" in str(found)


def test_table_3():
    found = reproduce("table3", random=40, seed=2)
    assert [row.cells["row"] for row in found.differences] == ["Def. A.13"]
    in_two_variables = {
        row.cells["language"] for row in found.rows if row.cells["row"] == "FO2[<, MOD]" and row.cells["monoid"]
    }
    assert {".*a", "(ab)*", "(aabb)*"} <= in_two_variables
    assert "(aab|b)*" not in in_two_variables
    inside = {
        (row.cells["language"], row.cells["over"])
        for row in found.rows
        if row.cells["row"] == "LTL[P, MOD]" and row.cells["automata"] is True
    }
    assert inside == {
        ("(..)*", "ab"),
        ("(ab)*", "ab"),
        ("a.*", "ab"),
        (".*a", "a"),
        (".*ab.*", "ab"),
        ("(abc)*", "abc"),
        ("(aabb)*", "ab"),
    }


def test_the_k_automaton():
    dfa = language("(abc)*")
    for k in (1, 2, 3):
        power = equivalences.k_automaton(dfa, k)
        assert len(power) == len(dfa)
        assert {row[0] for row in power.delta} <= set(range(len(dfa)))
        assert equivalences._is_partially_ordered(power) == (k == 3)


def test_table_2_on_short_words():
    found = reproduce("table2", words=16, first=5, last=12, formats=("fp16", "e5m2"))
    assert len(found.rows) == 8
    for row in found.rows:
        assert row.agrees
        assert (row.cells["accuracy"], row.cells["N*"], row.cells["errors"], row.cells["all lengths"]) == (
            "1.00",
            12,
            0,
            True,
        )
        assert row.cells["words"] == 16 * 8
        assert 0 < row.cells["in it"] < row.cells["words"]
    assert [row.cells["encoding"] for row in found.rows[:4]] == ["RoPE_P", "RoPE_P", "SiPE_P", "SiPE_P"]


def test_a_wrong_model_would_be_noticed(monkeypatch):
    """A model of another formula: the errors, the longest perfect length, and its automaton."""
    monkeypatch.setattr(
        constructions, "compile_formula", lambda _, **options: compile_formula("MOD(1,2) & !P MOD(8,9)", **options)
    )
    found = reproduce("table2", words=8, first=5, last=12, formats=("e5m2",))
    row = found.rows[0]
    assert (row.agrees, row.cells["N*"], row.cells["all lengths"]) == (False, 7, False)
    assert row.cells["errors"] == 8 * len([n for n in range(5, 13) if n % 2 == 0 and n >= 8])
    assert row.cells["accuracy"].startswith("0.")


def test_samples():
    """A quarter are in the language; on lengths where it has words and others, both occur among the prefixes."""
    for regex, both in (("(ab)*", (12, 20)), ("(..)*", ()), ("a*b", (20,))):
        dfa = language(regex, alphabet="ab")
        words = Sampler(dfa, 20).words(64, Random(1))
        assert words == Sampler(dfa, 20).words(64, Random(1))
        assert {len(word) for word in words} == {20}
        assert all(dfa.after(0, word) in dfa.accepting for word in words[::4])
        for n in both:
            assert {dfa.after(0, word[:n]) in dfa.accepting for word in words} == {True, False}
    assert len(Sampler(language("!(.*)", alphabet="ab"), 5).words(3, Random(0))[0]) == 5


def test_ctrl_c_keeps_the_models_that_are_done(monkeypatch):
    kept, done = constructions.extract, []

    def interrupted(model):
        if len(done) == 2:
            raise KeyboardInterrupt
        done.append(model)
        return kept(model)

    monkeypatch.setattr(constructions, "extract", interrupted)
    found = reproduce("table2", words=4, first=5, last=6, formats=("e5m2",))
    assert (len(found.rows), found.interrupted, found.undecided) == (2, True, True)
    assert "the last rows are missing" in str(found)


def test_what_is_refused():
    with pytest.raises(InputError, match="table1, table2, table3"):
        reproduce("table4")
    with pytest.raises(InputError, match="a first one that is not above the last"):
        reproduce("table2", first=9, last=3)
    with pytest.raises(InputError, match="words"):
        reproduce("table2", words=0)


@pytest.mark.thorough
def test_table_2():
    found = reproduce("table2")
    assert all(row.agrees and row.cells["N*"] == 500 and row.cells["all lengths"] for row in found.rows)
    assert len(found.rows) == 12
