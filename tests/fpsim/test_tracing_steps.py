"""The step by step sums of a trace are those of the attention, bit for bit, and what is found lost is lost."""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import pytest
from gmpy2 import mpq

from fpsim import reference
from fpsim.attention.rows import attention_rows
from fpsim.operands import as_element
from fpsim.rounding.reference import is_nan, round_exact
from fpsim.sums import parse_order
from fpsim.tracing.findings import Findings, exact_of
from fpsim.tracing.steps import Step, sum_of_products, sum_of_terms
from fpsim.transformer import Precision
from fpsim.valueset import ValueSet

ORDERS = ["sequential", "reverse", "pairwise", "blocked:3", "wide:fp32"]
REGIMES = [
    {"dtype": "fp16"},
    {"dtype": "e4m3"},
    {"dtype": "e5m2:saturate"},
    {"dtype": "bf16", "score": "fp32", "softmax": "fp32", "output": "fp16"},
]


def streams(precision: Precision, length: int, size: int, width: int, seed: int):
    rng = np.random.default_rng(seed)
    scale = 2.0 ** rng.integers(-2, 3)
    from fpsim import arithmetic

    return [arithmetic.round(precision.values, rng.normal(size=(length, n)) * scale) for n in (size, size, width)]


def same(got, expected):
    """Equal numbers, NaN equal to NaN; -0 equals 0."""
    assert len(got) == len(expected)
    for x, y in zip(map(as_element, got), map(as_element, expected), strict=True):
        assert x == y or (is_nan(x) and is_nan(y)), (x, y)


def check(precision: Precision, mask: str, length: int, seed: int):
    q, k, v = streams(precision, length, 3, 2, seed)
    rows = attention_rows(precision, q, k, v, mask=mask)
    regime, own = precision.regime, int(mask == "causal")
    counts = np.arange(length) + own
    row, key = np.nonzero(np.arange(length) < counts[:, None])
    nothing = lambda step: None  # noqa: E731
    scores = sum_of_products(
        regime.score, q[row], k[key], np.full(row.size, 3), precision.dot, regime.fma, nothing
    )  # fmt: skip
    same(scores, rows.scores[row, key])
    terms = np.where(np.arange(length) < counts[:, None], rows.exponentials, 0.0)
    same(sum_of_terms(regime.softmax, terms, counts, regime.order, nothing), rows.denominators)
    a, b = np.repeat(rows.weights, 2, axis=0), np.tile(v.T, (length, 1))
    sums = sum_of_products(regime.output, a, b, np.repeat(counts, 2), regime.order, regime.fma, nothing)
    same([round_exact(regime.values, as_element(x)) for x in sums], rows.outputs.ravel())


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("regime", REGIMES, ids=str)
def test_the_steps_are_those_of_the_attention(regime, order):
    for seed, mask in enumerate(["strict", "causal"]):
        check(Precision.of(**regime, order=order, dot=order), mask, 9, seed)


@pytest.mark.parametrize(("dtype", "order"), [("fixed:8.3", "reverse"), ("nf4", "pairwise"), ("fp16:up", "blocked:2")])
def test_other_kinds_of_sets(dtype, order):
    check(Precision.of(dtype, order=order, dot=order), "strict", 9, 4)


@pytest.mark.parametrize("order", ["sequential", "reverse", "wide:fp32"])
@pytest.mark.parametrize("dtype", ["fp16", "e4m3", "bf16"])
def test_fused_steps_are_those_of_the_attention(dtype, order):
    check(Precision.of(dtype, order=order, dot=order, fma=True), "strict", 9, 5)


def test_numbers_that_binary64_does_not_hold():
    check(Precision.of("fp128", order="pairwise"), "strict", 5, 1)
    check(Precision.of("fp16", softmax="fp128", order="reverse"), "strict", 5, 2)


def test_every_step_is_shown_and_is_the_reference_operation():
    values, seen = ValueSet.parse("e4m3"), []
    rng = np.random.default_rng(3)
    terms = np.array([[float(round_exact(values, mpq(x))) for x in row] for row in rng.normal(size=(4, 7)) * 9])
    counts = np.array([1, 4, 6, 7])
    for order in ORDERS[:4]:
        seen.clear()
        sum_of_terms(values, terms, counts, parse_order(order), seen.append)
        assert sum(step.sums.size for step in seen) == (counts - 1).sum()
        for step in seen:
            for left, right, result in zip(step.left, step.right, step.result, strict=True):
                assert reference.add(values, mpq(left), mpq(right)) == result
    firsts = [step.terms[0][0] for step in seen]  # of blocks of three
    assert firsts == [1, 2, 4, 5, 3, 6]


def step(operation, values, left, right, result):
    places = np.arange(len(left))
    right = None if right is None else np.array(right)
    return Step(operation, ValueSet.parse(values), places, (places, places), np.array(left), right, np.array(result))


def found(one: Step) -> dict[str, list[int]]:
    findings = Findings(one.sums.size)
    findings(one)
    return {kind: np.flatnonzero(each.counts).tolist() for kind, each in findings.found.items()}


INF, NAN = float("inf"), float("nan")


@pytest.mark.parametrize(("one", "expected"), [
    (step("sum", "fp16", [2048.0, 2048.0, 1.0, 0.0, 3.0], [1.0, 0.0, 4096.0, 1.0, 1.0], [2048.0, 2048.0, 4096.0, 1.0, 4.0]), {"stagnation": [0], "absorption": [2]}),
    (step("sum", "fp16", [65504.0, INF, INF, NAN, -65504.0], [65504.0, 1.0, -INF, 1.0, -1.0], [INF, INF, NAN, NAN, -65504.0]), {"overflow": [0], "nan": [2], "stagnation": [4]}),
    (step("sum", "e4m3", [448.0, 448.0, NAN], [448.0, 16.0, 1.0], [NAN, 448.0, NAN]), {"nan": [0], "overflow": [0], "stagnation": [1]}),
    (step("sum", "e2m1", [6.0, 4.0, 6.0], [6.0, 1.0, 0.0], [6.0, 4.0, 6.0]), {"overflow": [0], "stagnation": [1]}),
    (step("product", "fp16", [300.0, 2.0**-14, 0.0, INF, INF], [300.0, 2.0**-14, 5.0, 0.0, 2.0], [INF, 0.0, 0.0, NAN, INF]), {"overflow": [0], "underflow": [1], "nan": [3]}),
    (step("quotient", "fp16", [2.0**-20, 0.0, 1.0, 0.0], [2048.0, 0.0, INF, 7.0], [0.0, NAN, 0.0, 0.0]), {"underflow": [0, 2], "nan": [1]}),
    (step("difference", "e4m3", [-448.0, 1.0], [448.0, 1.0], [NAN, 0.0]), {"nan": [0], "overflow": [0]}),
    (step("exponential", "fp16", [-18.0, -17.0, -INF], None, [0.0, 2.0**-24, 0.0]), {"underflow": [0]}),
    (step("store", "e5m2", [1e6, 1e-9, 0.0], None, [INF, 0.0, 0.0]), {"overflow": [0], "underflow": [1]}),
], ids=lambda x: x.operation if isinstance(x, Step) else "")  # fmt: skip
def test_what_is_lost(one, expected):
    assert found(one) == expected


def test_a_fused_product_that_alone_would_be_lost_is_not():
    fused = step("fused", "fp16", [1.0, 2048.0, 0.0], [0.0, 1.0, 0.0], [1.0, 2048.0, 0.0])
    factors = (np.array([2.0**-14, 1.0, 0.0]), np.array([2.0**-14, 1.0, 1.0]))
    fused = Step(fused.operation, fused.values, fused.sums, fused.terms, fused.left, fused.right, fused.result, factors)
    assert found(fused) == {"stagnation": [0, 1]}  # 1 + 2^-28 stays 1 though 2^-28 rounds to 0
    assert exact_of(fused, 0) == 1 + mpq(1, 2**28)


@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e2m1", "e3m2:up", "fixed:4.1"])
def test_all_sums_of_a_small_set(name):
    """What is found of a + b, for all values of F, is what the exact sum says."""
    values = ValueSet.parse(name)
    numbers = [values.value(n) for n in range(values.first, values.last + 1)]
    pairs = [(a, b) for a in numbers[:: max(1, len(numbers) // 40)] for b in numbers]
    result = [reference.add(values, a, b) for a, b in pairs]
    left, right = ([float(x) for x in side] for side in zip(*pairs, strict=True))
    told = found(step("sum", name, left, right, [float(x) for x in result]))
    beyond = {
        n
        for n, ((a, b), r) in enumerate(zip(pairs, result, strict=True))
        if not values.min <= a + b <= values.max and (r - r != 0 or values.overflow == "saturate")
    }
    assert set(told.get("overflow", [])) == beyond
    still = {n for n, ((a, b), r) in enumerate(zip(pairs, result, strict=True)) if b != 0 and r == a} - beyond
    assert set(told.get("stagnation", [])) == still
    swallowed = {n for n, ((a, b), r) in enumerate(zip(pairs, result, strict=True)) if a != 0 and b != 0 and r == b}
    assert set(told.get("absorption", [])) == swallowed - beyond - still
    assert set(told.get("nan", [])) == {n for n, r in enumerate(result) if is_nan(r)}


def test_the_first_step_of_each_sum_is_kept():
    findings, values = Findings(2), ValueSet.parse("e5m2")
    sum_of_terms(values, np.ones((2, 12)), np.array([12, 10]), parse_order("sequential"), findings)
    kept = findings.found["stagnation"]
    assert kept.counts.tolist() == [4, 2]
    assert [int(one.terms[0][at]) for one, at in kept.steps.values()] == [8, 8]
    assert all(a <= b for a, b in pairwise(sorted(kept.steps)))


def test_a_narrow_accumulator_loses_terms():
    """e2m1 holds neither 1/8, a tie that goes to 0, nor 7, beyond 6."""
    findings = Findings(2)
    terms = np.array([[1.0, 0.125, 7.0], [1.0, 0.125, 7.0]])
    sums = sum_of_terms(ValueSet.parse("fp16"), terms, np.array([3, 2]), parse_order("wide:e2m1"), findings)
    assert sums.tolist() == [6.0, 1.0]
    assert findings.found["underflow"].counts.tolist() == [1, 1]
    assert findings.found["overflow"].counts.tolist() == [2, 0]  # 7 itself, and 1 + 6
