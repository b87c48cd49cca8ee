"""The bracket holds the exhaustive answer; where its ends meet it is that answer, with its first failing pair."""

import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certify.certified_range.bracket import bracket
from certify.certified_range.error_bound import ErrorBounds, NoBound
from certify.certified_range.exact_arithmetic import exact_arithmetic_range
from certify.certified_range.exhaustive import scan
from certify.certified_range.pigeonhole import counting_bound, keys_at_most
from certify.certified_range.question import Question
from fpsim.angle import Angle
from fpsim.errors import UnsupportedError
from fpsim.realization import realize
from fpsim.regime import Regime
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet


def question(dtype, g, scale, k=1, kind="ideal", criterion="gap", **regime):
    return Question(Angle.parse(g), mpq(scale), k, Regime.of(dtype, **regime), kind, criterion)


@pytest.mark.parametrize(
    ("dtype", "g", "scale", "k", "n_max", "pair"),
    [
        ("fp64", "1", 10**18, 1, 80143856, (80143858, 0)),
        ("fp128", "1", 10**18, 1, 10838701, (10838703, 0)),
        ("fp32", "1", 10**12, 1, 709, (711, 0)),
        ("fp16", "1", 40, 1, 5, (7, 0)),
        ("fp16", "1", 40, 7, 6, (8, 7)),
        ("fp64", "2pi*3/1000003", 10**15, 2, 1000003, (1000005, 0)),
    ],
)
def test_both_ends_meet(dtype, g, scale, k, n_max, pair):
    found = bracket(question(dtype, g, scale, k))
    assert found.exact
    assert (found.lower, found.upper) == (n_max, n_max)
    assert (found.witness.i, found.witness.j) == pair
    assert found.witness.gap < question(dtype, g, scale, k).threshold


@pytest.mark.parametrize("g", ["1", "0.1", "-7.25", "10000^(-1/64)", "355/113"])
@pytest.mark.parametrize("k", [1, 5, 10**30, 10**60])
def test_far_ranges_are_those_of_exact_arithmetic_when_rounding_is_negligible(g, k):
    angle = Angle(mpq(1), "power", mpq(10000), mpq(-1, 64)) if "^" in g else Angle.parse(g)
    asked = Question(angle, mpq(10) ** 70, k, Regime.of("e18m239", softmax="fp32"))
    found = bracket(asked)
    assert found.exact
    assert found.lower == exact_arithmetic_range(angle, asked.scale, k, asked.threshold)
    assert found.lower > 10**30
    assert found.witness is not None


def test_without_probes_the_ends_come_from_the_two_near_returns():
    found = bracket(question("fp32", "0.1", 10**9), probes=0)
    assert (found.lower, found.witness, found.certain) == (found.possible - 1, None, None)
    assert found.upper == counting_bound(question("fp32", "0.1", 10**9))
    assert bracket(question("fp32", "0.1", 10**9)).upper == 7099
    found = bracket(question("fp64", "1", 10**18), probes=0)
    assert found.exact
    assert found.possible == found.certain == 80143857
    assert isinstance(found.bounds, ErrorBounds)


def test_a_head_that_may_overflow_has_no_lower_end_but_an_upper_one():
    found = bracket(question("fp16", "1", 65504, 3))
    assert isinstance(found.bounds, NoBound)
    assert found.lower == 2
    assert found.upper is not None


def test_under_weight_a_competitor_at_minus_infinity_does_not_fail():
    regime = {"rotate": "bf16:away", "score": "fp16:down", "fma": True}
    asked = question("tf32:ftz", "355/113", 9 * 10**34, 2, "phase", "weight", **regime)
    found, answer = bracket(asked), scan(asked, 60)
    assert found.lower <= answer.failure.witness.i - 2 <= found.upper
    assert asked.head.score(3, 0) == float("-inf")
    assert found.upper > 1


def test_no_threshold_no_bracket():
    with pytest.raises(UnsupportedError, match="f_large"):
        bracket(question("fp16", "1", 10, softmax="fp16:up"))


@pytest.mark.parametrize("name", ["e3m2", "e2m3", "e4m3", "fixed:6.4", "e5m2:zero", "fp16:up", "e4m3:ftz", "bf16"])
def test_keys_are_no_more_than_counted(name):
    values = ValueSet.parse(name)
    realization = realize("ideal", Angle.parse("0.0123"), values)
    keys = {realization.block(i) for i in range(4000)}
    assert len(keys) <= keys_at_most(values)
    if name in ("e3m2", "e2m3", "fixed:6.4"):  # all of them are met
        assert keys_at_most(values) <= 3 * len(keys)


@settings(max_examples=150)
@given(
    st.sampled_from(["fp16", "bf16", "tf32", "e5m2", "e4m3", "e4m3:saturate", "e3m2", "fixed:8.3", "fixed:12.6:up", "bf16:ftz"]),
    st.sampled_from([None, "bf16", "fp32", "e5m2"]),
    st.sampled_from(["1", "0.1", "2pi*3/7", "-1.3", "6.2", "355/113", "0.098175", "100", "pi/2"]),
    st.fractions(min_value="1/1000", max_value=1),
    st.sampled_from([1, 2, 3, 7, 20]),
    st.sampled_from(["ideal", "phase", "counter", "recurrence", "table"]),
    st.sampled_from(["gap", "weight"]),
    st.booleans(),
    st.sampled_from([0, 48]),
)  # fmt: skip
def test_the_bracket_holds_the_exhaustive_answer(dtype, score, g, part, k, kind, criterion, fma, probes):
    regime = Regime.of(dtype, score=score, fma=fma)
    scale = regime.values.max * mpq(part.numerator, part.denominator)
    assume(not isinstance(round_exact(regime.values, scale), float))
    assume(kind != "table" or "pi" in g)
    asked = Question(Angle.parse(g), scale, k, regime, kind, criterion)
    assume(asked.threshold is not None)
    found, answer = bracket(asked, probes=probes), scan(asked, k + 70)
    if answer.failure is None:
        assert found.upper is None or found.upper >= answer.reached - 2
        return
    assert found.lower <= answer.failure.witness.i - 2
    assert found.upper is None or answer.failure.witness.i - 2 <= found.upper
    if found.exact and found.witness is not None and criterion == "gap":
        assert found.witness == answer.failure.witness
