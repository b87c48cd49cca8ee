"""`verify`: all words, counterexamples, long words, and the automata of models beside runs of all short words."""

from __future__ import annotations

from dataclasses import replace
from itertools import product
from random import Random

import numpy as np
import pytest

from certify.compiling.compute import compile_formula
from certify.counterexamples import alternating, erasing_clock, flip_flop
from certify.counterexamples.counterexample import in_order
from certify.languages.compute import language
from certify.languages.dfa import Dfa
from certify.languages.formula_text import parse_formula
from certify.languages.formula_truth import accepts
from certify.verifying.compute import verify
from certify.verifying.prefixes import accepted_prefixes
from certify.verifying.running import Comparison
from certify.verifying.target import first_difference, target_of
from certify.verifying.words import accepted_by, adversarial_words, all_words, random_words
from fpsim.errors import InputError, UnsupportedError
from fpsim.transformer import Linear
from fpsim.transformer.forward import run

FORMULA = "P(a & !P true) & MOD(1,2)"


def all_texts(alphabet, longest):
    return ["".join(word) for n in range(longest + 1) for word in product(alphabet, repeat=n)]


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "e4m3", "e5m2"])
@pytest.mark.parametrize("encoding", ["rope", "sipe"])
def test_a_compiled_model_agrees_at_all_lengths(dtype, encoding):
    model = compile_formula(FORMULA, dtype=dtype, encoding=encoding, alphabet="ab").model
    found = verify(model, FORMULA, length=6, random=8, longest=100, seed=3)
    assert (found.agree, found.exhaustive_to, found.all_lengths, found.counterexample) == (True, 6, True, None)
    assert found.words == 127 + 8
    assert 6 < found.longest <= 100
    assert found.reason == ""
    assert not found.undecided
    assert "at all lengths" in str(found)


def test_the_counterexample_is_a_shortest_one():
    """For each of some other formulas, the first word on which the truth of the two differs."""
    model = compile_formula(FORMULA, dtype="fp16", alphabet="ab").model
    for other in ("P(a & !P true)", "true", "MOD(1,2)", "P(a & !P true) & MOD(1,4)", "P b & MOD(1,2)"):
        one, two = parse_formula(FORMULA), parse_formula(other)
        expected = next(word for word in all_texts("ab", 6) if accepts(one, word) != accepts(two, word))
        found = verify(model, other, length=6)
        assert found.dfa.letters(found.counterexample) == expected
        assert found.accepted == accepts(one, expected)
        assert found.exhaustive_to == len(expected) - 1
        assert found.all_lengths is False
        assert f"Counterexample of {len(expected)} letter" in str(found)


def test_a_difference_that_only_a_long_word_shows():
    """The automaton finds it, and the model is run on it."""
    model = compile_formula("MOD(1,12)", dtype="fp16", alphabet="a").model
    found = verify(model, "MOD(1,12) & !P MOD(13,14)", length=3)
    assert found.exhaustive_to == 3
    assert len(found.counterexample) == 24
    assert found.accepted
    assert verify(model, "MOD(1,12) & !P MOD(13,14)", length=3, all_lengths=False).agree
    by_running = verify(model, "MOD(1,12) & !P MOD(13,14)", length=30, all_lengths=False)
    assert (by_running.counterexample, by_running.exhaustive_to) == (found.counterexample, 23)


def test_what_stays_open():
    model = in_order(flip_flop().model, "reverse")
    language_of_reverse = "P(a & !P true)"  # not that of the model
    found = verify(model, "false", length=0)
    assert (found.all_lengths, found.undecided) == (None, False)
    assert "read from left to right" in found.reason
    assert verify(flip_flop().model, "(!a & !b) S a", length=9, max_words=100, all_lengths=False).undecided
    assert verify(flip_flop().model, "(!a & !b) S a", length=9, max_words=100).undecided is False
    assert not verify(model, language_of_reverse, length=4).agree


def test_a_dfa_with_its_letters_in_another_order(tmp_path):
    model = flip_flop().model
    file = tmp_path / "dfa.json"
    file.write_text(
        '{"alphabet": ["c", "b", "a"], "states": 2, "initial": 0, "accepting": [1], "delta": [[0, 0, 1], [1, 0, 1]]}'
    )
    assert verify(model, dfa=file, length=4).all_lengths
    assert verify(model, dfa=language("(a|b|c)*ac*", alphabet="abc"), length=4).all_lengths
    with pytest.raises(InputError, match="that of the model, a b c"):
        verify(model, dfa=language("(a|b)*"), length=2)


def test_ctrl_c_keeps_what_was_done(monkeypatch):
    kept = Comparison.run_all

    def interrupted(self, length, most):
        kept(self, 2, most)
        raise KeyboardInterrupt

    monkeypatch.setattr(Comparison, "run_all", interrupted)
    found = verify(flip_flop().model, "(!a & !b) S a", length=5)
    assert (found.interrupted, found.exhaustive_to, found.words, found.undecided) == (True, 2, 13, True)
    assert found.reason == "interrupted"


def test_words():
    assert np.concatenate(list(all_words(3, 3, 5))).tolist() == [list(w) for w in product(range(3), repeat=3)]
    assert np.concatenate(list(all_words(2, 9, 100))).tolist() == [list(w) for w in product(range(2), repeat=9)]
    assert [part.shape for part in all_words(2, 0, 5)] == [(1, 0)]
    assert sorted({len(w) for w in random_words(2, 300, 3, 40, Random(1))})[0] == 3
    assert all(3 <= len(w) <= 40 for w in random_words(2, 300, 3, 40, Random(1)))
    dfa = language("(ab)*")
    words = adversarial_words(dfa, 10**6, 2, 60, 4, Random(0))
    assert all(2 <= len(word) <= 60 for word in words)
    assert len(set(words)) == len(words)
    verdicts = {dfa.after(0, word) in dfa.accepting for word in words if len(word) > 40}
    assert verdicts == {True, False}
    factors = [w for w in words if len(w) == 2**4 + 3 and len({w[i : i + 4] for i in range(16)}) == 16]
    assert factors  # a de Bruijn word
    few = adversarial_words(dfa, 7, 2, 60, 4, Random(0))
    assert len(few) == 7
    assert set(few) <= set(words)
    table = np.array([[0, 1, 0, 1], [0, 1, 1, 0]])
    assert accepted_by(dfa, table).tolist() == [True, False]


def test_first_difference_against_all_words():
    rng = Random(5)
    for _ in range(60):
        one, two = (_random_dfa(rng) for _ in range(2))
        words = [w for n in range(9) for w in product(range(2), repeat=n)]
        expected = next((w for w in words if _says(one, w) != _says(two, w)), None)
        found = first_difference(one, two)
        assert found == expected or len(found) > 8


def _random_dfa(rng):
    n = rng.randint(1, 4)
    delta = tuple(tuple(rng.randrange(n) for _ in "ab") for _ in range(n))
    return Dfa(("a", "b"), 0, frozenset(q for q in range(n) if rng.random() < 0.5), delta)


def _says(dfa, word):
    return dfa.after(dfa.initial, word) in dfa.accepting


@pytest.mark.parametrize("made", [
    lambda: compile_formula("P(a & MOD(0,2)) | !P b", dtype="e5m2", alphabet="ab").model,
    lambda: compile_formula("P(a & MOD(0,2)) | !P b", dtype="fp16", encoding="sipe", alphabet="ab").model,
    lambda: compile_formula("Y a & P b", dtype="fp16", alphabet="ab").model, lambda: erasing_clock("e4m3").model, lambda: alternating("bf16").model,
])  # fmt: skip
def test_prefixes_in_one_pass_and_one_by_one(made):
    model = made()
    words = np.random.default_rng(2).integers(0, 2, (12, 11))
    found = accepted_prefixes(model, words)
    for n in range(12):
        texts = ["".join("ab"[a] for a in row[:n]) for row in words]
        assert run(model, texts).accepted.tolist() == found[:, n].tolist()
    assert accepted_prefixes(model, np.zeros((0, 3), dtype=np.int64)).shape == (0, 4)


def test_what_is_refused():
    model = flip_flop().model
    with pytest.raises(InputError, match="a formula or a DFA"):
        verify(model, length=2)
    with pytest.raises(InputError, match="a formula or a DFA"):
        verify(model, "P a", dfa=language("a"), length=2)
    with pytest.raises(InputError, match="the letter 'd'"):
        verify(model, "P d", length=2)
    with pytest.raises(InputError, match="length"):
        verify(model, "P a", length=-1)
    with pytest.raises(InputError, match="the name of a file"):
        verify(7, "P a", length=1)
    outside = replace(model, classifier=Linear([[3.0]]))
    with pytest.raises(InputError, match="classifier"):
        verify(outside, "P a", length=1)
    with pytest.raises(UnsupportedError, match="attends to itself"):
        accepted_prefixes(replace(model, mask="causal"), np.array([[0]]))
    assert target_of(("b", "a"), "P a").alphabet == ("b", "a")


@pytest.mark.thorough
def test_a_hundred_thousand_words_of_16_letters():
    """A formula of 15 nodes in fp16: every word of up to 16 letters."""
    formula = "P(b & !P a) | (P(a & MOD(0,2)) & !P(b & MOD(1,2)))"
    model = compile_formula(formula, dtype="fp16", alphabet="ab").model
    found = verify(model, formula, length=16, random=40, longest=10_000)
    assert (found.agree, found.exhaustive_to, found.words) == (True, 16, 2**17 - 1 + 40)
    assert found.all_lengths
