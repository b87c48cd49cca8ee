"""Formulas that tests compile, and what is compared: a model's answers with the language of the formula."""

from __future__ import annotations

import itertools
import random

from certify.compiling.compute import compile_formula
from certify.languages.formula_dfa import dfa_of_formula
from fpsim.transformer.forward import run

FORMULAS = (
    "P a & !P(b & P a)",
    "P(a & !P true) & MOD(1,2)",
    "MOD(1,3) | P(b & MOD(0,2))",
    "!P(a & MOD(0,2)) & !P(b & MOD(1,2)) & MOD(1,2)",
    "P(a & !P(b | P(a & !P true)))",
    "(a -> b) & !P !(MOD(2,5) | P P true)",
    "P(MOD(3,4) & (P a | !P b)) & !MOD(0,3)",
    "!(P(a & (MOD(1,7) | MOD(4,6))) & !P(b & !MOD(0,2))) | P(b & P(b & P b))",
)
"""The fourth is (ab)*."""


def words(most, letters="ab"):
    """All words up to a length."""
    for n in range(most + 1):
        yield from map("".join, itertools.product(letters, repeat=n))


def random_words(lengths, seed=1, letters="ab"):
    """One word of each length."""
    rng = random.Random(seed)
    return ["".join(rng.choice(letters) for _ in range(n)) for n in lengths]


def accepted_by(dfa, word):
    """Whether a DFA accepts a word."""
    state = dfa.initial
    for letter in word:
        state = dfa.delta[state][dfa.alphabet.index(letter)]
    return state in dfa.accepting


def disagreements(made, tried):
    """The words on which a compiled model and its formula differ, of those that its certificate speaks of."""
    dfa = dfa_of_formula(made.formula, made.model.alphabet)
    known = [w for w in tried if made.certified_length is None or len(w) <= made.certified_length]
    assert known
    answers = run(made.model, known).accepted.tolist()
    return [word for word, answer in zip(known, answers, strict=True) if answer is not accepted_by(dfa, word)]


def compiled(formula, **options):
    """The model of a formula over a and b; every bound holds."""
    made = compile_formula(formula, alphabet="ab", **options)
    assert all(gadget.holds for gadget in made.gadgets)
    return made
