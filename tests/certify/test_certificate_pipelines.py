"""Certificates of pipelines: every named stack has them, and the checker's blocks are those of the producer."""

import json
import math
import random
import time
from dataclasses import replace
from fractions import Fraction

import pytest
from gmpy2 import mpq

from certify.certificates.checking import check
from certify.certificates.forms import value_set_form
from certify.certificates.periods import period_certificates, uncertified
from certify.certificates.pipelines import pipeline_form
from certify.certificates.ranges import range_certificate, range_certificates
from certify.certified_range.compute import nmax, nmax_of
from certify.certified_range.question import Question
from certify.checker import check_bytes
from certify.checker.exact import Purse
from certify.checker.kinds import parse_valueset
from certify.checker.limits import Account
from certify.checker.pipeline import Pipeline as Checked
from certify.checker.power import power_of
from certify.periodicity.collision import Collision
from certify.periodicity.component import decide
from certify.periodicity.compute import period
from certify.periodicity.result import Component, PeriodResult
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.pipeline import Chain, Pipeline, Stages, pipeline_names
from fpsim.real import Irrational
from fpsim.regime import Regime
from fpsim.schedule import Schedule
from fpsim.valueset_text import value_set

SCHEDULE = Schedule.conventional(10_000, 16)
SETS = (
    *("fp32", "bf16", "fp16", "tf32", "e4m3", "e5m2", "e3m2:saturate", "bf16:saturate", "fp16:saturate:zero"),
    *("fp16:ftz", "fixed:8.4", "fixed:10.6:nan", "e5m2:up", "e4m3:odd:saturate", "fp16:down", "bf16:away"),
)
KINDS = ("exact", "power", "scale-power", "running-product", "exp-log", "divide")
PLACES = ("angle", "position", "position-product", "phase", "phase-product")


def claimed(rotation):
    """The certificate of what is decided of one rotation."""
    component = Component(0, None, None, decide(rotation), Collision(None), rotation)
    (data,) = period_certificates(PeriodResult((component,), "", rotation.model.name, rotation.name))
    return data


def checked_rotation(rotation):
    """The checker's rotation, read from the producer's form."""
    angle, form = pipeline_form(rotation, rotation.values)
    purse = Purse(Account(10**9))
    return Checked(form["pipeline"], angle, "theta", parse_valueset(value_set_form(rotation.values), "F", purse), purse)


def random_rotation(rng):
    """A pair of a random pipeline."""
    stages = {
        name: rng.choice(SETS) for name in ("stored", "position", "phase", "trig", "attention", "table", "rotate")
    }
    chain = Chain(rng.choice(KINDS), *(rng.choice(SETS) for _ in range(3)))
    linear = rng.choice(PLACES[1:] if chain.kind == "running-product" else PLACES)
    operands = rng.choice((None, None, *SETS))
    pipeline = Pipeline("random", Stages(chain, operands=operands, linear=linear, **stages))
    schedule = Schedule.conventional(rng.choice((10_000, 500_000, "1/3", 7, "1e9")), 16)
    if rng.random() < 0.4:
        schedule = schedule.scaled({"rope_type": "linear", "factor": rng.choice((2, 8, mpq(5, 2), mpq(1, 3)))})
    if rng.random() < 0.4:
        schedule = replace(schedule, attention_factor=rng.choice((mpq(5, 4), mpq(1, 3), mpq(300))))
    return pipeline.for_schedule(schedule).rotations("fp16")[rng.randrange(8)]


def same(x, y):
    return x == y or (x != x and y != y)


def compared(rotation, positions):
    made = checked_rotation(rotation)
    for i in positions:
        assert same(made.phase(i), rotation.phase(i)), i
        assert all(map(same, made.block(i), rotation.block(i))), i


@pytest.mark.parametrize("name", pipeline_names())
def test_the_blocks_of_a_stack_are_those_of_the_checker(name):
    rng = random.Random(name)
    pipeline = Pipeline.named(name)
    for pair in (0, 3, 7):
        for dtype in ("bf16", "fp16"):
            rotation = pipeline.for_schedule(SCHEDULE).rotations(dtype)[pair]
            compared(rotation, [0, 1, 2, *(rng.randrange(1 << rng.randrange(1, 20)) for _ in range(6))])
    compared(pipeline.rotation(Angle.parse("pi/7"), value_set("fp16")), range(5))


def test_the_blocks_of_random_pipelines_are_those_of_the_checker():
    rng = random.Random(5)
    for _ in range(60):
        compared(random_rotation(rng), [0, 1, rng.randrange(100), rng.randrange(10**5), rng.randrange(10**9)])


@pytest.mark.parametrize("name", pipeline_names())
def test_every_stack_has_certificates(name):
    result = period(base=10_000, dim=4, dtype="bf16", pipeline=name, positions=1)
    assert uncertified(result) == {}
    for data in period_certificates(result):
        assert check(data).report.verdict == "verified"
        assert name.encode() not in data  # a claim defines itself
        document = json.loads(data)
        document["claim"]["leaves"] += 1
        assert check_bytes(json.dumps(document, sort_keys=True, separators=(",", ":")).encode() + b"\n").exit_code == 1


def test_random_pipelines_have_the_verdict_of_the_producer():
    """Verdicts of every kind are verified, and refuted where the numbers are others."""
    rng = random.Random(11)
    seen = set()
    for _ in range(80):
        rotation = random_rotation(rng)
        try:
            data = claimed(rotation)
        except UnsupportedError:
            continue
        report = check_bytes(data)
        assert report.verdict in ("verified", "unsupported"), str(report)
        if report.verdict == "unsupported":
            assert "reaches to 1 but not to -1" in str(report)
            continue
        claim = json.loads(data)
        seen.add((claim["hints"]["because"], claim["claim"]["verdict"], claim["claim"]["leaves"] == 0))
        for name in ("leaves", "preperiod"):
            if claim["claim"][name] is not None and claim["claim"]["verdict"] == "non-periodic":
                wrong = json.loads(data)
                wrong["claim"][name] += 1
                raw = json.dumps(wrong, sort_keys=True, separators=(",", ":")).encode() + b"\n"
                assert check_bytes(raw).verdict == "refuted"
    assert len(seen) >= 4


def test_heads_of_stacks_are_verified_and_others_refuted():
    """Also where tables are wider than the model's type: a query is made of the block, a key is the block rounded."""
    rng = random.Random(3)
    for _ in range(60):
        options = {
            "pipeline": rng.choice(
                ("llama", "vllm", "gpt-j", "transformers-bf16-buffer", "ggml-cpu", "gemma-jax", "all-bf16")
            ),
            "g": rng.choice(("1", "1/10", "2", "3/7", "pi/5")),
            "C": rng.choice((100, 1000, 10_000)),
            "k": rng.choice((1, 2, 3)),
            "dtype": rng.choice(("fp16", "bf16", "e5m2", "e4m3:saturate", "e3m2")),
            "criterion": rng.choice(("gap", "weight")),
        }
        try:
            (data,) = range_certificates(nmax(**options, max_length=40))
        except InputError:  # C is beyond the range of a small format
            continue
        report = check_bytes(data)
        assert report.verdict == "verified", str(report)
        document = json.loads(data)
        if document["claim"]["kind"] == "nmax":
            document["claim"]["value"] += 1
            raw = json.dumps(document, sort_keys=True, separators=(",", ":")).encode() + b"\n"
            assert check_bytes(raw).verdict == "refuted"


def test_a_pipeline_may_have_the_name_of_a_realization():
    """What is claimed is what it does, not what its name says."""
    rotation = Pipeline("ideal", Stages()).rotation(Angle.parse("1"), value_set("fp16"))
    claim = json.loads(claimed(rotation))["claim"]
    assert claim["realize"] != "ideal"
    assert check(claimed(rotation)).report.verdict == "verified"
    question = Question(Angle.parse("1"), mpq(40), 1, Regime.of("fp16"), Pipeline("ideal", Stages()))
    made = range_certificate(question, nmax_of(question, max_length=3))
    assert "pipeline" in json.loads(made)["claim"]["realize"]


def test_an_irrational_attention_factor_is_claimed_as_it_is_held():
    """That of YaRN, 0.1 ln(factor) + 1."""
    schedule = SCHEDULE.scaled({"rope_type": "yarn", "factor": 4, "original_max_position_embeddings": 4096})
    assert isinstance(schedule.attention_factor, Irrational)
    rotation = Pipeline.named("transformers", schedule).rotations("fp16")[5]
    form = pipeline_form(rotation, rotation.values)[1]["pipeline"]
    assert len(form["table"]) == 3
    assert check(claimed(rotation)).report.verdict == "verified"
    compared(rotation, range(4))


@pytest.mark.parametrize(
    ("stages", "schedule", "what"),
    [
        (Stages(attention="e4m3"), replace(SCHEDULE, attention_factor=mpq(10**6)), "beyond the range"),
        (Stages(trig="fp32:stochastic=1"), SCHEDULE, "stochastically"),
        (Stages(Chain("running-product")), Schedule.conventional(10_000, 1 << 13), None),
    ],
)
def test_what_a_claim_cannot_say(stages, schedule, what):
    rotation = Pipeline("mine", stages, schedule).rotations("fp16")[-1]
    if what is None:  # 4095 factors, one after another
        assert len(pipeline_form(rotation, rotation.values)[1]["pipeline"]["phase"]) == 4096
        return
    with pytest.raises(UnsupportedError, match=what):
        pipeline_form(rotation, rotation.values)


def test_the_time_scale_of_an_angle_below_0_is_no_claim():
    rotation = Pipeline.named("maxtext").rotation(Angle.parse("-1"), value_set("fp16"))
    with pytest.raises(UnsupportedError, match="not above 0"):
        pipeline_form(rotation, rotation.values)


def test_a_head_of_a_pipeline_that_stores_no_angle_has_no_certificate():
    pipeline = Pipeline("mine", Stages(stored="fixed:8.1"))
    question = Question(Angle.parse("1/100"), mpq(40), 1, Regime.of("fp16"), pipeline)
    with pytest.raises(UnsupportedError, match="stored angle is 0"):
        range_certificate(question, nmax_of(question, max_length=3))


def test_long_numbers_are_paid_for(corpus):
    """Phases of 8000 bits in 16 sets, and all blocks equal: work is bounded in time as it is for short numbers."""
    hostile = corpus.hostile
    long = [
        hostile.FP16 | {"emin": -8000, "largest": "1p8000", "precision": n, "overflow": "saturate"}
        for n in range(16, 32)
    ]
    steps = [["mul", 1, 0], *(["mul", n, 1] for n in range(2, 17))]
    claim, hints = hostile.pipeline(long, [["exact", "1p7900"], ["exact", "1/3"]], steps, cycle=(0, 1))
    data = hostile.certificate(claim | {"F": hostile.grid([0])}, hints)
    begin = time.process_time()
    assert check_bytes(data, 100_000).verdict == "undecided"
    assert time.process_time() - begin < 5  # 20, were they not


def test_the_caches_of_a_pipeline_fit_into_the_memory_of_a_hostile_file(corpus):
    purse = Purse(Account(10**6))
    for bits in (200, 4000, 30_000):
        form = corpus.hostile.FP16 | {"emin": -bits, "largest": f"1p{bits}", "overflow": "saturate"}
        shown = {"sets": [form] * 16, "numbers": [], "phase": [["round", 1]], "table": [["round", 0]]}
        made = Checked(shown, None, "theta", parse_valueset(form, "F", purse), purse)
        beside = 500  # bytes of a number in a cache without its digits, or of a pair of them
        kept = sum(values._value.cache_info().maxsize * (values.extent / 8 + beside) for values in made.sets)
        blocks = made.block.cache_info().maxsize * (2 * made.values.extent / 8 + 2 * beside)
        assert kept + blocks < 200_000_000


def test_powers_far_beyond_the_range_need_no_enclosure():
    """(12/25)^10000 in 8 bits of range: below all values, whatever their product would be."""
    values = parse_valueset(value_set_form(value_set("fp16")), "F", Purse(Account(10**6)))
    account = Account(100)
    for x, y, right in (
        (Fraction(12, 25), 10_000, 0),
        (Fraction(12, 25), -10_000, math.inf),
        (Fraction(3, 2), 10**9, math.inf),
    ):
        assert power_of(values, x, Fraction(y), account) == right


def check_soon(data):
    return check_bytes(data, 100_000)


def test_random_claims_have_the_verdict_that_the_producer_says(corpus, disagreements):
    found, counts = disagreements(corpus.random_claims.random_pipeline_claim, check_soon, range(250))
    assert found == []
    assert counts[True, "verified"] > 180
    assert counts[False, "refuted"] > 150


@pytest.mark.exhaustive
def test_many_random_claims(corpus, disagreements):
    found, counts = disagreements(corpus.random_claims.random_pipeline_claim, check_soon, range(1000, 4000))
    assert found == []
    for known, verdict in ((True, "verified"), (False, "refuted")):
        assert counts[known, verdict] > 0.95 * sum(n for (truth, _), n in counts.items() if truth is known)
