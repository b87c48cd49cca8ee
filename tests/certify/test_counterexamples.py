"""The counterexamples: their languages over all short words and many long ones, and where other orders differ."""

from __future__ import annotations

import random
from itertools import product

import numpy as np
import pytest
from gmpy2 import mpq

from certify.counterexamples import alternating, erasing_clock, flip_flop, uniform_head
from certify.counterexamples.counterexample import in_order
from certify.counterexamples.unequal import DISTANCES
from fpsim import reference
from fpsim.errors import InputError, UnsupportedError
from fpsim.transformer import Precision, outside
from fpsim.transformer.forward import run
from fpsim.transformer.forward_reference import classify
from fpsim.valueset_text import value_set

FORMATS = ["fp16", "bf16", "e4m3", "e5m2", "fp32"]


def all_words(alphabet, longest):
    return ["".join(word) for n in range(longest + 1) for word in product(alphabet, repeat=n)]


def long_words(alphabet, seed, count=60, longest=400):
    rng = random.Random(seed)
    return ["".join(rng.choices(alphabet, k=rng.randint(20, longest))) for _ in range(count)]


def disagreements(model, words, language):
    accepted = run(model, words).accepted
    return [word for word, yes in zip(words, accepted, strict=True) if yes != language(word)]


def last_letter(word):
    rest = [letter for letter in word if letter != "c"]
    return bool(rest) and rest[-1] == "a"


def test_the_flip_flop():
    found = flip_flop()
    assert outside(found.model) == {}
    words = (
        all_words("abc", 7)
        + long_words("abc", 1)
        + ["a" + "c" * 2000, "b" + "c" * 2000, "ab" * 900 + "a", "ba" * 900 + "b"]
    )
    assert disagreements(found.model, words, last_letter) == []
    assert all(found.language(word) == last_letter(word) for word in words)


@pytest.mark.parametrize(("order", "word"), [("reverse", "ba"), ("pairwise", "aab"), ("blocked:4", "aaaab")])
def test_the_flip_flop_in_other_orders(order, word):
    """The first word, by length and then by letters, on which the order gives another answer."""
    model = in_order(flip_flop().model, order)
    assert disagreements(model, all_words("abc", 5), last_letter)[0] == word


def test_the_flip_flop_by_the_reference():
    model = flip_flop().model
    for word in all_words("abc", 3):
        assert (classify(model, word) > 0) == last_letter(word)


@pytest.mark.parametrize("name", FORMATS)
def test_words_that_ltl_p_cannot_tell_apart(name):
    """(ab)^K is rejected and (ab)^K a accepted, also where K is large; all other words as the rounded counter says."""
    found = alternating(name)
    assert outside(found.model) == {}
    powers = [*range(60), 100, 255, 256, 257, 500, 1000]
    accepted = run(found.model, ["ab" * k for k in powers] + ["ab" * k + "a" for k in powers]).accepted
    assert accepted.tolist() == [False] * len(powers) + [True] * len(powers)
    words = all_words("ab", 9) + long_words("ab", 2) + ["a" * n + "b" * n for n in range(2, 40)]
    assert disagreements(found.model, words, found.language) == []
    assert float(DISTANCES[name]) > -np.log(2.0 ** -Precision.of(name).values.precision)


@pytest.mark.parametrize(("name", "order", "word"), [
    ("fp16", "reverse", "bbbaaa"), ("fp16", "pairwise", "bbbaaa"), ("fp16", "wide:fp32", "bbbaaa"),
    ("e4m3", "reverse", "aaabbb"), ("e4m3", "pairwise", "aaabbb"), ("e4m3", "wide:fp32", "aaabbb"),
    ("e5m2", "reverse", "aaaaabbbbb"), ("e5m2", "pairwise", "aaabbb"), ("e5m2", "wide:fp32", "aaabbb"),
    ("fp32", "reverse", "aaaabbbb"), ("fp32", "pairwise", "aaabbb"),
])  # fmt: skip
def test_the_counter_in_other_orders(name, order, word):
    found = alternating(name)
    assert disagreements(in_order(found.model, order), all_words("ab", 10), found.language)[0] == word


@pytest.mark.parametrize(("order", "first"), [("pairwise", 475), ("wide:fp32", 482)])
def test_where_weights_vanish_the_words_are_no_longer_told_apart(order, first):
    """In e4m3 a denominator that grows with the length sends the weights of the letters to 0."""
    model = in_order(alternating("e4m3").model, order)
    powers = [*range(first - 4, first + 4), 600, 1000]
    accepted = run(model, ["ab" * k + "a" for k in powers]).accepted
    assert accepted.tolist() == [k < first for k in powers]
    assert not run(model, ["ab" * k for k in powers]).accepted.any()


@pytest.mark.parametrize("name", [*FORMATS, "tf32", "e4m3:saturate"])
def test_the_erasing_clock(name):
    found = erasing_clock(name)
    assert outside(found.model) == {}
    longest = 9 if name in FORMATS else 6
    words = (
        all_words("ab", longest)
        + long_words("ab", 3)
        + [letter * n + last for n in (2046, 2047, 2048) for letter, last in ("ab", "ba")]
    )
    assert disagreements(found.model, words, lambda word: word.endswith("a")) == []
    assert all(found.language(word) == word.endswith("a") for word in words)


@pytest.mark.parametrize("name", FORMATS[:4])
@pytest.mark.parametrize(
    ("order", "word"), [("reverse", "aa"), ("pairwise", "aaa"), ("blocked:4", "aaaaa"), ("wide:fp32", "baaa")]
)
def test_the_clock_in_other_orders(name, order, word):
    model = in_order(erasing_clock(name).model, order)
    assert disagreements(model, all_words("ab", 6), lambda word: word.endswith("a"))[0] == word


def test_the_mean():
    """Weights round(1 / n) times the numbers, summed from left to right, minus the threshold."""
    values, numbers = value_set("fp16"), {"a": mpq(1, 2), "b": mpq(-1)}
    model = uniform_head("fp16", {"a": "1/2", "b": -1}, threshold="1/8")
    for word in all_words("ab", 4):
        weight = reference.div(values, mpq(1), mpq(len(word) + 1))
        total = mpq(0)
        for letter in word:
            total = reference.add(values, total, reference.mul(values, weight, numbers[letter]))
        assert run(model, [word]).values[0] == reference.sub(values, total, mpq(1, 8))


def test_what_does_not_fit():
    with pytest.raises(InputError, match="there is a default only for fp16"):
        alternating("e3m2")
    with pytest.raises(InputError, match="stays 1 in fp16"):
        alternating("fp16", 2)
    with pytest.raises(InputError, match="0 < round"):
        alternating("fp16", 100)
    with pytest.raises(InputError, match="a value of e4m3"):
        alternating("e4m3", "3.1")
    with pytest.raises(UnsupportedError, match="no scale of this construction fits"):
        erasing_clock("e3m2")
    for name in ("fp16:up", "fixed:8.3", "fp16:ftz"):
        with pytest.raises(UnsupportedError, match="round to nearest even"):
            erasing_clock(name)
    with pytest.raises(InputError, match="at least one letter"):
        uniform_head("fp16", {})
    assert alternating("fp64", 37).language("aba")
