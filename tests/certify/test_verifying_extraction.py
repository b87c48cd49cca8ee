"""The exact automata of models, beside runs of all short words and of long ones."""

from __future__ import annotations

import importlib.util
from itertools import product
from pathlib import Path
from random import Random

import numpy as np
import pytest

from certify.compiling.compute import compile_formula
from certify.counterexamples import alternating, erasing_clock, flip_flop, uniform_head
from certify.counterexamples.counterexample import in_order
from certify.languages.compute import language
from certify.verifying.denominators import sums_from
from certify.verifying.extraction import extract
from certify.verifying.interned import Interned
from certify.verifying.limits import Limits
from certify.verifying.mealy import Mealy
from certify.verifying.positions import Positions
from certify.verifying.words import accepted_by
from fpsim import arithmetic
from fpsim.precision import Precision
from fpsim.transformer import Attention, Layer, Linear, Rotary, Transformer
from fpsim.transformer.forward import run
from fpsim.valueset_text import value_set


def random_model(*arguments, **options):
    path = Path(__file__).parents[1] / "fpsim" / "random_models.py"
    spec = importlib.util.spec_from_file_location("tests_random_models", path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module.random_model(*arguments, **options)


def differences(model, dfa, longest, seed=0, long_words=20, length=300):
    letters = range(len(model.alphabet))
    rng = Random(seed)
    words = [word for n in range(longest + 1) for word in product(letters, repeat=n)]
    words += [tuple(rng.choices(letters, k=rng.randint(20, length))) for _ in range(long_words)]
    accepted = run(model, [[model.alphabet[a] for a in word] for word in words]).accepted
    return [w for w, yes in zip(words, accepted, strict=True) if yes != (dfa.after(dfa.initial, w) in dfa.accepting)]


def test_the_flip_flop():
    """Its language at all lengths is Sigma* a c*, which is not in LTL[P]: the proof that the counterexample is one."""
    found = extract(flip_flop().model)
    assert found.dfa == language("(a|b|c)*ac*", alphabet="abc").minimal()
    assert found.states == (1, 2)


@pytest.mark.parametrize("dtype", ["e4m3", "e5m2"])
def test_the_erasing_clock(dtype):
    found = extract(erasing_clock(dtype).model)
    assert found.dfa == language(".*a", alphabet="ab").minimal()
    assert found.period == 3


@pytest.mark.parametrize("dtype", ["e4m3", "e5m2", "bf16"])
def test_the_rounded_counter(dtype):
    """More states the more precision; and (ab)^K is told from (ab)^K a for every K, as they lead to different states."""
    model = alternating(dtype).model
    dfa = extract(model).dfa
    assert differences(model, dfa, 9) == []
    state, seen = dfa.initial, set()
    while state not in seen:
        seen.add(state)
        assert state not in dfa.accepting
        assert dfa.delta[state][0] in dfa.accepting
        state = dfa.after(state, (0, 1))


@pytest.mark.parametrize(("dtype", "states"), [("e5m2", 45), ("e4m3", 153)])
def test_the_uniform_head(dtype, states):
    """n and the number of ones, each up to where a sum of ones stagnates (8 and 16): (s + 1)(s + 2)/2 pairs."""
    numbers = {"a": 1, "b": 0}
    for threshold in ("1/2", "1/4", "1/16"):
        model = uniform_head(dtype, numbers, threshold=threshold)
        found = extract(model)
        assert differences(model, found.dfa, 9) == []
        assert len(found.dfa) <= found.states[-1] <= states


CASES = [
    {"layers": 1, "heads": 1, "kind": "none"}, {"layers": 2, "heads": 1, "kind": "none", "mask": "causal"},
    {"layers": 1, "heads": 1, "kind": "none", "norm_at": "pre", "sinusoidal": True},
    {"layers": 1, "heads": 1, "kind": "table", "angles": ("2pi/2", "0")},
    {"layers": 2, "heads": 1, "kind": "none", "norm_at": "pre"},
]  # fmt: skip


@pytest.mark.parametrize("options", CASES)
def test_random_models_of_few_values(options):
    """Soft heads, every part of a model; most have their automaton within a small limit, and those are compared."""
    found = 0
    for seed in range(4):
        how = [{}, {"order": "wide:fp16"}, {"fma": True}][seed % 3]
        model = random_model(seed, Precision.of(["e2m1", "e3m2"][seed % 2], **how), dim=3, scale=1.0, **options)
        extraction = extract(model, Limits(states=4000, sums=60_000))
        if extraction.dfa is not None:
            found += 1
            assert differences(model, extraction.dfa, 7, seed) == [], seed
        else:
            assert "more than" in extraction.reason
    assert found >= 1


@pytest.mark.parametrize("dtype", ["fp16", "e5m2"])
@pytest.mark.parametrize("formula", ["P(a & P b) | MOD(2,3)", "!P(b & MOD(0,4)) & P a", "P(b & !P(a & !P b))"])
def test_compiled_models_have_the_automaton_of_the_formula(dtype, formula):
    model = compile_formula(formula, dtype=dtype, alphabet="ab").model
    found = extract(model)
    assert found.dfa == language(ltl=formula, alphabet="ab")


def test_positions_that_settle():
    """A recurrence and a phase have a pre-period: the first positions are told apart, then they repeat."""
    one = Linear(np.ones((1, 1)))
    query = Linear(np.zeros((2, 1)), [4.0, 0.0])
    key = Linear([[0.0], [0.0]], [1.0, 0.0])
    lasting = set()
    for kind, angle in (("recurrence", "1"), ("recurrence", "0.3"), ("counter", "1")):
        attention = Attention(query, key, one, one, rotary=Rotary.of([[angle]], kind))
        model = Transformer(("a", "b"), [[0.0], [0.0], [1.0], [-1.0]], (Layer(attention),), one, Precision.of("e3m2"))
        found = extract(model, Limits(sums=300_000))
        positions = Positions.of(model, Limits())
        assert (found.preperiod, found.period) == (positions.preperiod, positions.period) or found.dfa is None
        lasting.add(positions.preperiod > 0)
        if found.dfa is not None:
            assert differences(model, found.dfa, 8, length=60) == []
    assert True in lasting


def test_what_is_not_found():
    model = alternating("fp16").model
    assert "100 states" in extract(model, Limits(states=100)).reason
    assert "running sums" in extract(model, Limits(sums=100)).reason
    assert "one denominator takes more than" in extract(uniform_head("fp16", {"a": 1}), Limits(denominators=99)).reason
    assert "its denominator" in extract(uniform_head("fp16", {"a": 1}), Limits(sums=1000)).reason
    for order in ("reverse", "pairwise", "blocked:4"):
        assert (
            extract(in_order(model, order)).reason
            == f"sums run in the order {order}; an automaton is read from left to right"
        )
    offsets = compile_formula("Y a", dtype="fp16", alphabet="ab", length=5).model
    assert "not known to repeat" in extract(offsets).reason
    assert "compiled arithmetic" in extract(uniform_head("fp128", {"a": 1})).reason
    many = random_model(0, Precision.of("fp16"), layers=1, kind="table", angles=("2pi/50021", "0"))
    assert "positions before they repeat" in extract(many).reason


def test_wide_sums_go_further():
    """In fp32 sums of fp16 values the denominator counts on where fp16 stops; the automaton is another one."""
    narrow = extract(uniform_head(Precision.of("e5m2"), {"a": 1, "b": 0}, threshold="1/16"))
    wide = uniform_head(Precision.of("e5m2", order="wide:e4m3"), {"a": 1, "b": 0}, threshold="1/16")
    found = extract(wide)
    assert differences(wide, found.dfa, 9) == []
    assert found.dfa != narrow.dfa


def test_minimal_machines():
    """States that write the same for ever are one; the start is followed."""
    machine = Mealy(
        7,
        2,
        np.array([[1, 0], [0, 1], [3, 2], [2, 3]], dtype=np.int32),
        np.array([[5, 5, 1], [5, 5, 1], [5, 5, 1], [5, 5, 2]], dtype=np.int32),
    )
    least = machine.minimal()
    assert len(least) == 3
    for word in product(range(2), repeat=5):
        states = machine.start, least.start
        for a in word:
            assert machine.writes[states[0]].tolist() == least.writes[states[1]].tolist()
            states = machine.after[states[0], a], least.after[states[1], a]


def test_sums_and_vectors():
    values = value_set("e4m3")
    sums, after = sums_from(values, 0.5, np.array([1.0, 0.25]), 1000)
    for z, row in enumerate(after):
        for addend, place in zip((1.0, 0.25), row, strict=True):
            assert sums[place] == arithmetic.add(values, sums[z], addend)
    seen = Interned()
    assert [seen.number(v) for v in ([1.0, -0.0], [1.0, 0.0], [float("nan"), 1.0], [float("nan"), 1.0])] == [0, 1, 2, 2]
    assert accepted_by(language("a*", alphabet="ab"), np.array([[0, 0], [0, 1]])).tolist() == [True, False]


@pytest.mark.thorough
def test_the_counter_in_fp16_and_the_mean_in_bf16():
    model = alternating("fp16").model
    dfa = extract(model).dfa
    assert differences(model, dfa, 11, length=6000) == []
    mean = uniform_head("bf16", {"a": 1, "b": 0}, threshold="1/2")
    found = extract(mean, Limits(sums=10_000_000))
    assert differences(mean, found.dfa, 11, length=800) == []
    assert found.states[-1] <= 33_153


@pytest.mark.thorough
@pytest.mark.parametrize("options", CASES)
@pytest.mark.parametrize("dtype", ["e2m1", "e3m2", "e4m3", "e5m2", "fixed:5.2"])
def test_more_random_models(dtype, options):
    for seed in range(4):
        model = random_model(seed, Precision.of(dtype), dim=4, scale=1.0, **options)
        extraction = extract(model, Limits(states=20_000, sums=400_000))
        if extraction.dfa is not None:
            assert differences(model, extraction.dfa, 8, seed) == [], seed


def test_the_tables_of_all_denominators_together_have_a_limit():
    """Each is within its own limit, and there are many: one for each score of each query of each head."""
    model = uniform_head("e5m2", {"a": 1, "b": -1})
    assert extract(model, Limits(entries=10_000)).dfa is not None
    assert extract(model, Limits(entries=10_000)).dfa is not None  # what one extraction spends is no other's
    found = extract(model, Limits(entries=3))
    assert found.dfa is None
    assert "tables of more than 3 entries" in found.reason
