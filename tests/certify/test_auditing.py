"""The audit of a model: against the slow references of its parts, published figures, and advice that is tried again."""

from __future__ import annotations

import json
import math
import random
import tracemalloc
from dataclasses import fields, replace

import numpy as np
import pytest
from gmpy2 import mpq

import certify
from certify.auditing import advice as advising
from certify.auditing import compute as auditing
from certify.auditing import differences as by_differences
from certify.auditing import head as heads
from certify.auditing.advice import Attempt, HeadBreak, head_break
from certify.auditing.components import angle_error, turns_within, wavelength
from certify.auditing.differences import DifferenceGaps
from certify.auditing.head import layer_head
from certify.auditing.variants import STAGES, coarse_stages, in_fp32
from certify.head_effects.effects import head_effects
from certify.head_effects.errors import rotation_errors
from certify.head_effects.findings import HeadFindings
from certify.head_effects.gaps import Gaps
from certify.head_effects.table import head_table
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.pipeline import PIPELINES, Chain, Pipeline, Stages
from fpsim.realization import Phase, realize
from fpsim.realization.windowed import Windowed
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet

SMALL = {"rope_theta": 100, "head_dim": 8, "max_position_embeddings": 400, "torch_dtype": "bfloat16"}


def rotations_of(pipeline, dtype, base="1e4", dim=128):
    return Pipeline.named(pipeline, Schedule.conventional(base, dim)).rotations(dtype)


def gaps_of(rotations, length, own=True):
    table = head_table(rotations, length, 1)
    return DifferenceGaps(table, table.kinds(), own=own)


# -- by differences, against every pair ------------------------------------------------------------------------------


@pytest.mark.parametrize("seed", range(6))
def test_differences_find_what_every_pair_does(seed):
    rng = random.Random(seed)
    pipeline = rng.choice(["transformers", "transformers-bf16-buffer", "gpt-j", "mlx", "vllm", "ggml-cpu", "gemma-jax"])
    dtype = rng.choice(["bf16", "fp16", "fp32", "e5m2", "e4m3"])
    rotations = rotations_of(pipeline, dtype, rng.choice(["10", "1e4", "5e5"]), rng.choice([2, 8, 32]))
    offset, own, length = rng.randint(1, 3), rng.random() < 0.7, rng.randint(20, 700)
    table = head_table(rotations, length, offset)
    gaps = DifferenceGaps(table, table.kinds(), own=own)
    thresholds = ((mpq(0), False), (mpq(rng.randint(1, 50), 40), True))
    found = gaps.scan_by_differences(rotations, thresholds)
    assert found is not None
    assert found == Gaps(table, table.kinds(), own=own).scan(thresholds, whole=True, progress=None)


def random_rotations(rng):
    """A few realizations: of a stack with or without an attention factor, of any kinds, or windowed."""
    dtype = rng.choice(["bf16", "fp16", "fp32", "e5m2", "e4m3", "e4m3:saturate", "e2m1", "fixed:8.6", "fp64"])
    schedule = Schedule.conventional(rng.choice(["2", "9", "1e2", "1e8", "1/3"]), rng.choice([2, 8, 16]))
    if rng.random() < 0.4:
        factor = rng.choice([mpq(1, 1000), mpq(100), mpq(10) ** 30, mpq(10) ** 200])
        parameters = {"rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 64}
        schedule = schedule.scaled({**parameters, "attention_factor": factor})
    made = list(Pipeline.named(rng.choice([*PIPELINES]), schedule).rotations(dtype))
    if rng.random() < 0.4:
        kinds, angles = ["ideal", "phase", "counter", "recurrence"], ["1", "2pi/7", "pi", "-1", "0", "1e-9", "100"]
        made = [
            realize(rng.choice(kinds), Angle.parse(rng.choice(angles)), ValueSet.parse(rng.choice([dtype, "fp32"])))
            for _ in range(rng.randint(1, 4))
        ]
    return [Windowed(one, 9) for one in made] if rng.random() < 0.2 else made


@pytest.mark.parametrize("seed", range(40))
def test_differences_of_anything(seed):
    """Many equal blocks, large offsets, few positions, thresholds at the gaps themselves, numbers out of range."""
    rng = random.Random(seed)
    length = rng.choice([2, 3, 4, 5, rng.randint(6, 60), rng.randint(60, 300)])
    table = head_table(rotations := random_rotations(rng), length, rng.choice([1, 2, rng.randint(1, length)]))
    if table.bias is None:
        return
    gaps = DifferenceGaps(table, table.kinds(), own=rng.random() < 0.6)
    thresholds = [(mpq(0), False), (mpq(10) ** rng.choice([-30, 3, 400]), True), (mpq(-3), False)]
    if gaps.first < gaps.stop:
        i = rng.randrange(gaps.first, gaps.stop)
        thresholds += [(gaps._gap(i, 0), True), (gaps._gap(i, 0), False)] if table.offset != i else []
    thresholds = tuple(rng.sample(thresholds, rng.randint(0, len(thresholds))))
    expected = Gaps(table, table.kinds(), own=gaps.own).scan(thresholds, whole=True, progress=None)
    assert gaps.scan_by_differences(rotations, thresholds) in (None, expected)


def test_differences_of_a_constant_table_take_no_memory_to_speak_of():
    rotations = [Phase(Angle.parse("1e-300"), ValueSet.parse("bf16"))]
    gaps, peak = gaps_of(rotations, 1200), 0
    tracemalloc.start()
    try:
        found = gaps.scan_by_differences(rotations, ((mpq(0), False),))
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert (found.least.gap, found.least_within, found.failures[0].i) == (0, 0.0, 2)
    assert peak < 4e6  # its 719400 equal gaps would take 17 MB if they were all remembered
    assert gaps_of(rotations, 9000).scan_by_differences(rotations, ()) is None


def test_differences_with_an_attention_factor():
    schedule = Schedule.conventional("1e4", 32).scaled(
        {"rope_type": "yarn", "factor": 40, "original_max_position_embeddings": 64}
    )
    assert schedule.attention_factor != 1
    rotations = Pipeline.named("transformers", schedule).rotations("fp16")
    gaps = gaps_of(rotations, 500)
    thresholds = ((mpq(0), False), (mpq(2), True))
    assert gaps.scan_by_differences(rotations, thresholds) == gaps.scan(thresholds, whole=True, progress=None)


@pytest.mark.parametrize(
    ("pipeline", "dtype"), [("transformers", "e4m3"), ("all-bf16", "bf16"), ("tf32-product", "bf16")]
)
def test_the_bound_is_one(pipeline, dtype):
    """Every gap is within B_i of that of the model, computed pair by pair in exact arithmetic."""
    rotations = rotations_of(pipeline, dtype, "50", 8)
    gaps = gaps_of(rotations, 330)
    model = gaps._model(rotations)
    greatest = 0.0
    for i in [2, 3, 50, 255, 256, 257, 300, 329]:
        for j in range(i + 1):
            off = abs(float(gaps._gap(i, j)) - float(model.gap[abs(i - 1 - j)]))
            assert off <= model.bound[i]
            greatest = max(greatest, off / model.bound[i])
    assert greatest > 0.1  # a bound, not a formality


def test_too_many_pairs_are_left_alone(monkeypatch):
    rotations = rotations_of("bf16-positions", "fp32", dim=16)
    gaps = gaps_of(rotations, 600)
    monkeypatch.setattr(by_differences, "MOST_PRODUCTS", 10**5)
    assert gaps.scan_by_differences(rotations, ((mpq(0), False),)) is None


def test_no_angle_no_differences():
    given = certify.period(array=np.ones((40, 2)), dtype="fp16").components[0].rotation
    gaps = gaps_of([realize("ideal", Angle.parse("1"), ValueSet.parse("fp16"))], 40)
    assert gaps.scan_by_differences([given], ()) is None


# -- heads -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("pipeline", "dtype", "base", "failing"), [
    ("transformers", "fp32", "1e4", None), ("transformers", "bf16", "1e4", None), ("transformers", "fp16", "1e4", None),
    ("transformers-bf16-buffer", "fp32", "1e4", None), ("bf16-positions", "fp32", "1e4", 257), ("all-bf16", "bf16", "1e4", 257),
    ("all-fp16", "fp16", "1e4", 1643), ("all-fp16", "fp16", "5e5", 2049), ("tf32-product", "fp32", "1e4", 2049),
])  # fmt: skip
def test_published_breaks(pipeline, dtype, base, failing):
    """Of a previous-token head of dimension 128, uniform content."""
    found = head_break(rotations_of(pipeline, dtype, base), 2100)
    assert (found.at, found.covered) == ((None, 2100) if failing is None else (failing, failing))


def test_published_least_gaps():
    """At 8192 positions (the whole scan of 8192 queries that fail is left out here)."""
    least = {
        (pipeline, dtype): round(float(head_break(rotations_of(pipeline, dtype), 8192).least.gap), 3)
        for pipeline, dtype in (("transformers", "fp32"), ("transformers", "bf16"), ("transformers", "fp16"))
    }
    assert list(least.values()) == [1.905, 1.862, 1.9]


@pytest.mark.parametrize(("pipeline", "dtype"), [
    ("transformers", "bf16"), ("all-bf16", "bf16"), ("all-fp16", "fp16"), ("bf16-positions", "e4m3"), ("torchtune-cast", "bf16"),
])  # fmt: skip
@pytest.mark.parametrize("first", [50, 1 << 10])
def test_a_head_is_that_of_the_reference(pipeline, dtype, first, monkeypatch):
    monkeypatch.setattr(heads, "FIRST", first)
    rotations = rotations_of(pipeline, dtype, "1e3", 16)
    got = layer_head(None, rotations, length=900, scale=mpq(3), threshold=mpq(4))
    expected = head_effects(rotations, length=900, scale=3, threshold=4)
    for field in fields(HeadFindings):
        assert getattr(got, field.name) == getattr(expected, field.name), field.name
    assert (got.covered, got.holds) == (900, got.first_failure is None)
    assert head_break(rotations, 900).at == (got.first_failure and got.first_failure.i)


def test_a_head_that_leaves_the_value_set(monkeypatch):
    stages = Stages(Chain("exact"), position="e3m2:nan")  # its largest value is 28
    rotations = Pipeline("mine", stages, Schedule.conventional("9", 4)).rotations("fp32")
    for first in (8, 1 << 10):
        monkeypatch.setattr(heads, "FIRST", first)
        head = layer_head(None, rotations, length=60, scale=mpq(1), threshold=None)
        expected = head_effects(rotations, length=60)
        assert head.leaves_F_at == expected.leaves_F_at == 30
        assert head.first_failure.i == expected.first_failure.i == head_break(rotations, 60).at
        assert head.holds is False
    fine = Pipeline("mine", Stages(Chain("exact"), position="e5m4:nan"), Schedule.conventional("9", 4)).rotations(
        "fp32"
    )
    assert head_effects(fine, length=40).first_failure.i == head_break(fine, 40).at == 33  # 33 is 32
    counts = Pipeline(
        "mine", Stages(Chain("exact"), position="fixed:6.0:nan"), Schedule.conventional("9", 4)
    ).rotations("fp32")
    gone = layer_head(None, counts, length=60, scale=mpq(1), threshold=None)  # 32 is beyond six bits with sign
    assert gone.first_failure.i == head_break(counts, 60).at == head_effects(counts, length=60).first_failure.i == 32
    assert gone.first_failure.j is None
    assert math.isnan(gone.first_failure.gap)


def test_a_head_without_a_finite_bias():
    stages = Stages(Chain("power"), stored="e3m2:nan")  # 1000^(1/2) is beyond it
    rotations = Pipeline("mine", stages, Schedule.conventional("0.001", 4)).rotations("fp32")
    head = layer_head(None, rotations, length=20, scale=mpq(1), threshold=None)
    assert (
        head.first_failure.i == head_break(rotations, 20).at == head_effects(rotations, length=20).first_failure.i == 2
    )


def test_without_a_finite_bias_the_first_query_fails_wherever_the_table_ends():
    """1/1000 is 0 in e3m2, so that no angle is stored; positions beyond 28 are NaN."""
    schedule = Schedule.conventional("9", 4).scaled({"rope_type": "linear", "factor": 1000})
    rotations = Pipeline("mine", Stages(position="e3m2:nan", linear="position-product"), schedule).rotations("fp32")
    table = head_table(rotations, 60, 1)
    assert (table.bias, table.leaves_F_at) == (None, 30)
    head = layer_head(None, rotations, length=60, scale=mpq(1), threshold=None)
    assert head.first_failure.i == head_break(rotations, 60).at == head_effects(rotations, length=60).first_failure.i


def test_where_every_pair_would_take_too_long_the_head_says_so(monkeypatch):
    rotations = rotations_of("transformers", "e5m2", "1e4", 64)
    monkeypatch.setattr(by_differences, "MOST_PRODUCTS", 1)
    monkeypatch.setattr(heads, "FIRST", 100)
    monkeypatch.setattr(heads, "MOST_PRODUCTS", 32 * 300**2)
    head = layer_head(None, rotations, length=500, scale=mpq(1), threshold=None)
    assert head.first_failure is None
    assert (head.covered, head.holds) == (300, None)
    assert "up to 300" in head.reason
    below = layer_head(None, rotations, length=500, scale=mpq(1), threshold=mpq(1000))
    assert (below.first_failure, below.first_below.i, below.covered, below.holds) == (None, 2, 300, None)
    monkeypatch.setattr(heads, "MAX_ENTRIES", 32 * 64)
    head = layer_head(None, rotations, length=500, scale=mpq(1), threshold=None)
    assert (head.covered, head.tabled, head.holds) == (64, 64, None)
    assert "blocks" in head.reason


# -- variants and advice ---------------------------------------------------------------------------------------------


def test_what_is_coarser_than_fp32():
    every = tuple(STAGES)
    for name, dtype, expected in (
        ("transformers", "bf16", ("table",)),
        ("transformers", "fp32", ()),
        ("transformers", "fp64", ()),
        ("gpt-j", "fp16", every[:1]),
        ("all-bf16", "fp32", every),
        ("tf32-product", "fp32", ("product",)),
        ("llama", "bf16", ()),
        ("transformers", "fp32:ftz", ("table",)),
    ):
        assert coarse_stages(Pipeline.named(name), ValueSet.parse(dtype)) == expected
    made = in_fp32(Pipeline.named("tf32-product"), ("product",), ValueSet.parse("fp32"))
    assert made.stages.at(ValueSet.parse("fp32")).operands.name == "fp32"
    kept = in_fp32(Pipeline("mine", Stages(phase="fp64", table="fp64")), ("product", "table"), ValueSet.parse("bf16"))
    assert kept.stages == Stages(phase="fp64", table="fp64")  # what is finer stays


def test_advice_is_what_trying_finds():
    result = certify.audit({"rope_theta": 10**4, "head_dim": 32}, dtype="bf16", pipeline="all-bf16", length=320)
    assert (result.holds, result.breaks_at) == (False, 257)
    advice = result.advice
    assert advice.coarse == tuple(STAGES)
    assert [one.stages for one in advice.enough] == [("position", "product")]
    schedule = Schedule.conventional("1e4", 32)
    bf16 = {
        "stored": "bf16",
        "position": "bf16",
        "phase": "bf16",
        "trig": "bf16",
        "attention": "bf16",
        "table": "bf16",
        "rotate": "bf16",
    }
    kept = {**bf16, "position": "fp32", "phase": "fp32"}
    effects = head_effects(Pipeline("by hand", Stages(**kept), schedule).rotations("bf16"), length=320)
    assert effects.first_failure is None
    assert effects.least == advice.enough[0].breaks[None].least
    names = {
        "inverse frequency": "stored",
        "position": "position",
        "product": "phase",
        "cos and sin": "trig",
        "table": "table",
    }
    singles = {one.stages[0]: one for one in advice.attempts if len(one.stages) == 1}
    assert set(singles) == set(names)
    for stage, name in names.items():
        alone = Pipeline("by hand", Stages(**{**bf16, name: "fp32"}), schedule).rotations("bf16")
        assert singles[stage].breaks[None].at == head_effects(alone, length=320).first_failure.i
    assert "Keep the position and the product in fp32" in str(result)
    assert not result.undecided
    (none, now), *others = advice.errors
    assert none == ()
    errors = rotation_errors(rotations_of("all-bf16", "bf16", dim=32), 320).angle
    assert (now.size, now.position) == (errors.size, errors.position)
    assert [stages for stages, _ in others] == [*((stage,) for stage in STAGES), tuple(STAGES)]
    everything = rotation_errors(rotations_of("transformers", "fp32", dim=32), 320).angle
    assert others[-1][1].size == everything.size


def test_nothing_needs_to_change():
    result = certify.audit(SMALL)
    assert (result.holds, result.breaks_at, result.advice.needed) == (True, None, False)
    assert result.advice.to_json()["keep_in_fp32"] == []
    assert "nothing needs to change: it holds at all 400 positions" in str(result)


def test_nothing_is_enough():
    result = certify.audit({"rope_theta": 1, "head_dim": 4}, dtype="fp32", length=720)
    assert result.breaks_at is not None
    assert (result.advice.coarse, result.advice.enough, result.advice.attempts) == ((), (), ())
    assert result.advice.exact.breaks[None].at is None  # cos 710 is below 1 by 1.8e-9: binary64 tells them apart
    assert result.advice.to_json()["keep_in_fp32"] is None
    text = str(result)
    assert "none is left to change" in text
    assert "With the exact angles" in text
    coarse = certify.audit({"rope_theta": 1, "head_dim": 4}, dtype="bf16", length=720)
    assert coarse.advice.best.stages == ("table",)
    assert "No set of stages in fp32 is enough; the table gets farthest: breaks at" in str(coarse)


def test_no_change_changes_anything():
    scaled = SMALL | {"rope_scaling": {"rope_type": "linear", "factor": mpq(10) ** 300}}
    result = certify.audit(scaled, length=20)
    assert (result.breaks_at, result.advice.best.reach, result.advice.exact.breaks[None].at) == (2, 2, 2)
    assert "No set of stages in fp32 is enough, and none that was tried gets farther." in str(result)


def test_what_was_not_decided_is_said_of_the_sets_too():
    result = certify.audit({"rope_theta": 10**4, "head_dim": 8}, dtype="bf16", pipeline="all-bf16", length=320)
    open_one = Attempt(("table",), 320, {None: HeadBreak(None, None, 300)})
    assert (open_one.undecided, open_one.holds) == (True, False)
    singles = [one for one in result.advice.attempts if len(one.stages) == 1 and one.stages != ("table",)]
    among = replace(result.advice, attempts=(*singles, open_one, *result.advice.enough))
    assert "; of 1 smaller sets that is not decided, of 6 tried." in str(replace(result, advice=among))
    nothing = replace(result.advice, attempts=(*singles, open_one), enough=())
    assert "No set of stages in fp32 is known to be enough; the table gets farthest" in str(
        replace(result, advice=nothing)
    )


def test_kinds_of_layers_are_told_apart():
    data = {
        "head_dim": 64,
        "max_position_embeddings": 300,
        "rope_theta": 10**6,
        "rope_local_base_freq": 10,
        "rope_scaling": {"rope_type": "linear", "factor": 64},
    }
    result = certify.audit(data, dtype="bf16")
    assert [(head.layer, head.holds) for head in result.heads] == [
        ("full_attention", False),
        ("sliding_attention", True),
    ]
    (enough,) = result.advice.enough
    assert enough.stages == ("table",)
    assert set(enough.breaks) == {"full_attention", "sliding_attention"}
    assert len(result.components) == 64
    assert {one.period.layer for one in result.components} == {"full_attention", "sliding_attention"}


# -- components ------------------------------------------------------------------------------------------------------


def test_components_are_those_of_the_other_questions():
    result = certify.audit(SMALL, pipeline="all-bf16")
    decided = certify.period(config=SMALL, pipeline="all-bf16")
    assert [one.period.to_json() for one in result.components] == [c.to_json() for c in decided.components]
    assert result.scale == 2**125  # of bf16, whose largest value is nearly 2^128
    for number, one in enumerate(result.components):
        alone = certify.nmax(g=one.angle, C=result.scale, dtype="bf16", k=1, pipeline=Pipeline.named("all-bf16"))
        if number == 0:  # the first angle has no chain of operations: it is 1
            assert (one.range.n_max, one.range.status) == (alone.n_max, alone.status)
        errors = rotation_errors([one.period.rotation], 400).angle
        assert (one.error.greatest.size, one.error.greatest.position) == (errors.size, errors.position)
    assert [one.used for one in result.components] == [True, True, True, True]
    assert [round(one.wavelength, 3) for one in result.components] == [6.283, 19.869, 62.832, 198.692]
    short = certify.audit(SMALL, length=60)
    assert [one.used for one in short.components] == [True, True, False, False]


def test_ranges_that_are_none():
    result = certify.audit(SMALL, dtype="fixed:8.6", length=50)
    assert {(one.range.n_max, one.range.status) for one in result.components} == {(None, "undefined")}
    assert "f_large" in result.components[0].range.reason
    assert not result.undecided
    unrotated = SMALL | {
        "rope_parameters": {"rope_type": "proportional", "rope_theta": 100, "partial_rotary_factor": 0.5}
    }
    unrotated.pop("rope_theta")
    last = certify.audit(unrotated, length=50).components[-1]
    assert (last.wavelength, last.used, last.range.status) == (None, False, "unsupported")
    assert "unrotated" in last.range.reason


def test_a_range_that_reaches_the_length_is_decided():
    result = certify.audit({"rope_theta": 2, "head_dim": 2}, dtype="fp64", length=30)
    (one,) = result.components
    assert (one.range.status, one.range.n_max >= 30, result.undecided) == ("at_least", True, False)
    assert ">= 30" in str(result)


@pytest.mark.parametrize(
    ("angle", "length", "turns"),
    [("2pi/7", 8, True), ("2pi/7", 7, False), ("1", 8, True), ("1", 7, False), ("0", 99, False), ("-1", 8, True)],
)
def test_turns(angle, length, turns):
    assert turns_within(Angle.parse(angle), length) is turns


def test_wavelengths():
    assert wavelength(Angle.parse("-0.5")) == 4 * math.pi
    assert wavelength(Angle.parse("0")) is None


def test_the_error_at_the_end_and_at_most():
    rotation = Phase(Angle.parse("1"), ValueSet.parse("bf16"))
    error = angle_error(rotation, 258, 258)
    assert (error.greatest.position, round(error.last, 2)) == (257, 1.0)  # 257 is 256 in bf16
    assert angle_error(rotation, 258, 100).greatest.size < 0.01


# -- the question ----------------------------------------------------------------------------------------------------


def test_defaults():
    result = certify.audit("gpt-j-6b", length=8)
    assert (result.dtype, result.pipeline["name"], result.max_length) == ("fp16", "gpt-j", 2048)
    assert any("names no data type" in note for note in result.notes)
    assert certify.audit(SMALL).length == 400
    assert any("more than the 400" in note for note in certify.audit(SMALL, length=500).notes)
    stack = Pipeline("mine", Stages(table="fp32"))
    assert certify.audit(SMALL, pipeline=stack, length=50).pipeline["name"] == "mine"


def test_a_length_is_that_of_the_schedule():
    dynamic = SMALL | {"rope_scaling": {"rope_type": "dynamic", "factor": 2}}
    assert certify.audit(dynamic, length=800).components[3].angle != certify.audit(dynamic).components[3].angle


@pytest.mark.parametrize(("options", "says"), [
    ({"model": "llama-99"}, "llama-2-7b"), ({"model": {"head_dim": 8}}, "rope_theta"), ({"model": {"rope_theta": 100, "head_dim": 8}}, "max_position_embeddings"),
    ({"length": 0}, "length"), ({"length": 2}, "length"), ({"length": 2**24 + 1}, "16777216"), ({"length": "9"}, "length"), ({"length": 9.0}, "length"),
    ({"pipeline": "transfomers"}, "did you mean"), ({"dtype": "fp17"}, "fp17"), ({"model": 5}, "config"), ({"model": "config.json"}, "config.json"),
])  # fmt: skip
def test_wrong_arguments(options, says):
    with pytest.raises(InputError, match=says):
        certify.audit(**{"model": SMALL, **options})


@pytest.mark.parametrize("dtype", ["fp128", "bf16:stochastic=1"])
def test_unsupported_data_types(dtype):
    with pytest.raises(UnsupportedError):
        certify.audit(SMALL, dtype=dtype)


def test_a_long_angle_is_shown_as_a_decimal():
    result = certify.audit("llama-3.2-1b", length=20)
    row = next(line.split() for line in str(result).splitlines() if line.startswith("  15 "))
    (lo, hi), exact = result.components[15].angle.enclose(60), result.components[15].period.theta
    assert exact.startswith("(")
    assert abs(mpq(row[1]) - (lo + hi) / 2) <= mpq(1, 10**8) * hi


def test_json_and_text():
    result = certify.audit(SMALL, pipeline="bf16-positions")
    shown = result.to_json()
    assert json.loads(json.dumps(shown)) == shown
    assert shown["breaks_at"] == result.breaks_at == 257
    assert shown["advice"]["keep_in_fp32"] == ["position"]
    assert set(shown["components"][0]) >= {
        "theta",
        "wavelength",
        "verdict",
        "period",
        "first_collision",
        "angle_error",
        "range",
        "used",
    }
    assert (
        str(result).splitlines()[0]
        == "The previous-token head breaks at position 257: model in bf16 by bf16-positions, 400 positions."
    )


def test_progress_rises_to_the_end():
    seen = []
    certify.audit(SMALL, pipeline="bf16-positions", progress=lambda done, of: seen.append((done, of)))
    assert seen == sorted(seen)
    assert {of for _, of in seen} == {1000}
    assert seen[-1][0] >= 900


# -- Ctrl-C ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("module", "name", "call", "left"), [
    (auditing, "certified_range", 3, "components"), (auditing, "angle_error", 2, "components"), (auditing, "layer_head", 1, "heads"),
    (advising, "head_break", 2, "advice"), (auditing, "period", 1, "nothing"),
])  # fmt: skip
def test_ctrl_c_keeps_what_is_known(module, name, call, left, monkeypatch):
    original, calls = getattr(module, name), []

    def interrupted(*arguments, **options):
        calls.append(1)
        if len(calls) == call:
            raise KeyboardInterrupt
        return original(*arguments, **options)

    if name == "period":
        monkeypatch.setattr(module, name, lambda **options: replace(original(**options), interrupted=True))
    else:
        monkeypatch.setattr(module, name, interrupted)
    result = certify.audit(SMALL, pipeline="bf16-positions")
    assert result.interrupted
    assert result.undecided
    assert len(result.components) == 4
    if left == "components":
        known = [one.range if name == "certified_range" else one.error for one in result.components]
        assert [one is not None for one in known] == [place < call - 1 for place in range(4)]
    assert bool(result.heads) == (left == "advice")
    assert (result.advice is not None) == (left == "advice")
    if left == "advice":
        assert result.breaks_at == 257
        assert not result.advice.complete
    json.dumps(result.to_json())
    assert "interrupted" in str(result)


def test_an_undecided_head(monkeypatch):
    monkeypatch.setattr(by_differences, "MOST_PRODUCTS", 1)
    monkeypatch.setattr(heads, "FIRST", 20)
    monkeypatch.setattr(heads, "MOST_PRODUCTS", 4 * 30**2)
    result = certify.audit(SMALL)
    assert (result.holds, result.breaks_at, result.undecided, result.advice.needed) == (None, None, True, None)
    assert "undecided (within the limits)" in str(result)
    assert "no change was tried" in str(result)
