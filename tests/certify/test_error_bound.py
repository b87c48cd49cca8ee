"""No realized score, gap or rounding ever exceeds its proved bound; and the bounds are not idle."""

from __future__ import annotations

from typing import Any

import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certify.certified_range.error_bound import ErrorBounds, NoBound, error_bound, error_bounds
from certify.certified_range.question import Question
from certify.certified_range.recurrence_error import state_error
from certify.certified_range.rounding_error import OutOfRangeError, pair, plane, rounding_error, sqrt_up
from fpsim.angle import Angle
from fpsim.real import Irrational
from fpsim.realization import Recurrence
from fpsim.regime import Regime
from fpsim.rounding.reference import round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

NAMES = [
    "fp16",
    "bf16",
    "fp32",
    "fp64",
    "fp128",
    "tf32",
    "e5m2",
    "e4m3",
    "e4m3:saturate",
    "e3m2",
    "e2m1",
    "fp16:zero",
    "fp16:up",
    "bf16:down",
    "fp32:odd",
    "bf16:away",
    "fp16:ftz",
    "e4m3:ftz:up",
    "fp16:saturate",
    "fixed:8.3",
    "fixed:12.5",
    "fixed:16.10:zero",
    "nf4",
    "e4m3fnuz",
    "e6m3:ftz:odd",
]
SMALL = [
    "e5m2",
    "e4m3",
    "e4m3:saturate:up",
    "e3m2:ftz",
    "e2m3:odd",
    "fixed:6.2:away",
    "nf4",
    "e3m2:zero",
    "fixed:7.3:down",
]
ANGLES = ["1", "0.1", "2", "pi/7", "2pi*3/7", "-1.3", "1e-4", "6.2", "7.5", "355/113", "0.098175"]


def interval(angle: Angle, n: int, bits: int) -> tuple[mpq, mpq]:
    cosine = cos_of(angle, n)
    return (cosine, cosine) if isinstance(cosine, type(mpq(0))) else cosine.enclose(bits)


def exceeds(score: mpq, bounds: ErrorBounds, n: int, bound: mpq) -> bool:
    """Whether |score - C cos(g n)| > bound for certain, by MPFR."""
    lo, hi = (bounds.scale * x for x in interval(bounds.angle, n, 300))
    return bool(score - hi > bound or lo - score > bound)


@pytest.mark.parametrize("name", SMALL)
def test_rounding_errors_are_the_greatest_ones(name: str) -> None:
    values = ValueSet.parse(name)
    ticks = sorted({abs(values.value(n)) for n in range(values.first, values.last + 1)})
    points = sorted(
        {x for a, b in zip(ticks, ticks[1:], strict=False) for x in (a, (7 * a + b) / 8, (a + b) / 2, (a + 7 * b) / 8)}
    )
    greatest = mpq(0)
    for x in points:
        greatest = max([greatest, *(abs(mpq(round_exact(values, y)) - y) for y in (x, -x))])
        bound = rounding_error(values, x)
        assert greatest <= bound
    assert bound <= 8 * greatest / 7 + mpq(1, 10**9)


@pytest.mark.parametrize("name", SMALL)
def test_bounds_of_two_reals_hold_at_all_pairs(name: str) -> None:
    values = ValueSet.parse(name)
    top = abs(values.max)
    points = [top * n / 60 for n in range(61)]
    errors = [rounding_error(values, x) for x in points]
    for n, x in enumerate(points):
        for m, y in enumerate(points):
            if x + y <= top:
                assert errors[n] + errors[m] <= pair(values, x + y)
            norm = sqrt_up(x * x + y * y)
            if norm <= top:
                assert errors[n] ** 2 + errors[m] ** 2 <= plane(values, norm) ** 2


def test_what_may_overflow_has_no_bound() -> None:
    fp16 = ValueSet.parse("fp16")
    assert rounding_error(fp16, mpq(65519)) == 16
    with pytest.raises(OutOfRangeError):
        rounding_error(fp16, mpq(65520))
    assert rounding_error(ValueSet.parse("fp16:saturate"), mpq(70000)) == 70000 - 65504
    assert rounding_error(ValueSet.parse("fp16:zero"), mpq(70000)) == 70000 - 65504
    assert rounding_error(ValueSet.parse("e4m3"), mpq(464)) == 16
    with pytest.raises(OutOfRangeError):
        rounding_error(ValueSet.parse("fp16:up"), mpq(65505))


def test_a_missing_bound_has_a_reason() -> None:
    question = Question(Angle.parse("1"), mpq(65504), 1, Regime.of("fp16"))
    bounds = error_bounds(question, 10)
    assert isinstance(bounds, NoBound)
    assert "range of fp16" in bounds.reason
    assert error_bound(question, 10) is None


@settings(max_examples=400)
@given(
    st.sampled_from(NAMES),
    st.sampled_from([None, *NAMES]),
    st.sampled_from([None, *NAMES]),
    st.booleans(),
    st.sampled_from(ANGLES),
    st.sampled_from(["ideal", "phase", "counter", "recurrence"]),
    st.integers(1, 40),
    st.data(),
)
def test_no_score_exceeds_its_bound(
    values: str,
    rotate: str | None,
    score: str | None,
    fma: bool,
    angle: str,
    realize: str,
    offset: int,
    data: st.DataObject,
) -> None:
    regime = Regime.of(values, rotate=rotate, score=score, fma=fma)
    room = min(regime.values.max, regime.rotate.max, regime.score.max)
    scale = (
        room / data.draw(st.sampled_from([mpq(9, 8), 2, 7, 100, 12345, 10**9])) * mpq(data.draw(st.integers(1, 64)), 64)
    )
    assume(not isinstance(round_exact(regime.values, scale), float))
    question = Question(Angle.parse(angle), scale, offset, regime, realize)
    lasts = [50, 300] if realize == "recurrence" else [50, 3000, 10**6, 10**18]
    last = data.draw(st.sampled_from(lasts)) + offset
    bounds = error_bounds(question, last)
    if isinstance(bounds, NoBound):
        return
    i = data.draw(st.integers(offset + 1, last))
    query = question.head.query(i)
    goal = i - offset
    target = question.head.score_of(query, question.head.key(goal))
    for j in {data.draw(st.integers(0, i - 1)), max(goal - 6, 0), i - 1, 0, goal}:
        competitor = question.head.score_of(query, question.head.key(j))
        assert not isinstance(competitor, float) or competitor == 0
        assert not exceeds(mpq(competitor), bounds, goal - j, bounds.score)
        gap = mpq(target) - mpq(competitor)
        lo, hi = interval(bounds.angle, goal - j, 400)
        exact = bounds.scale * (1 - hi), bounds.scale * (1 - lo)
        slack = bounds.query * sqrt_up(2 * max(exact[1], mpq(0)) / bounds.scale) + bounds.keys
        assert exact[0] - slack <= gap <= exact[1] + slack
        for threshold in (gap + mpq(1, 10**6), mpq(5)):
            if threshold > 0 and gap < threshold:
                assert exact[0] < bounds.near(threshold)
            sure = bounds.sure(threshold) if threshold > 0 else None
            if sure is not None and exact[1] < sure:
                assert gap < threshold


@pytest.mark.parametrize("name", ["fp16", "bf16", "fixed:12.5", "e4m3", "fp16:up", "tf32:ftz", "e5m2:odd"])
def test_the_bound_is_met_within_a_small_factor(name: str) -> None:
    question = Question(Angle.parse("1"), mpq(40), 1, Regime.of(name))
    bounds = error_bounds(question, 120)
    assert isinstance(bounds, ErrorBounds)
    greatest = mpq(0)
    keys = [question.head.key(j) for j in range(120)]
    for i in range(2, 120):
        query = question.head.rotated_bias(keys[i])
        for j in range(i):
            score = mpq(question.head.score_of(query, keys[j]))
            lo, hi = (40 * x for x in interval(bounds.angle, i - 1 - j, 80))
            greatest = max(greatest, score - lo, hi - score)
    assert greatest <= bounds.score + mpq(1, 2**60) <= 5 * greatest


def test_the_bound_of_the_paper_model_is_first_order() -> None:
    for name, bits in (("fp32", 24), ("fp64", 53), ("fp128", 113)):
        for scale in (3, 40, 1000, 12345678):
            for offset in (1, 2, 3, 50):
                bounds = error_bounds(Question(Angle.parse("1"), mpq(scale), offset, Regime.of(name)), 10**60)
                assert isinstance(bounds, ErrorBounds)
                unit = mpq(scale, 1 << bits)
                assert bounds.score <= (4 + 2 * sqrt_up(mpq(2))) * unit * (1 + mpq(1, 10**5))
                assert bounds.keys <= (4 + sqrt_up(mpq(2))) * unit * (1 + mpq(1, 10**5))


def test_square_roots_are_upper_bounds() -> None:
    for x in (mpq(2), mpq(1, 3), mpq(10) ** 40 + 1, mpq(1, 10**50), mpq(4)):
        root = sqrt_up(x)
        assert x < root * root < x * (1 + mpq(1, 2**80))


def test_phase_bounds_grow_with_the_position() -> None:
    question = Question(Angle.parse("0.3"), mpq(40), 1, Regime.of("fp32"), "phase")
    near, far = (error_bound(question, last) for last in (100, 10**5))
    assert near is not None
    assert far is not None
    assert near * 50 < far


def test_a_counter_has_bounds_while_it_counts() -> None:
    question, phase = (
        Question(Angle.parse("0.3"), mpq(40), 1, Regime.of("fp16"), kind) for kind in ("counter", "phase")
    )
    assert error_bound(question, 2048) == error_bound(phase, 2048)
    beyond = error_bounds(question, 2049)
    assert isinstance(beyond, NoBound)
    assert "after position 2048" in beyond.reason


def test_exact_multiples_do_not_drift() -> None:
    """t x is in F for every position where t has few bits: then `phase` has the bounds of `ideal`."""
    for g, last, exact in (("1", 2048, True), ("3/4", 682, True), ("3/4", 683, False), ("0.3", 10, False)):
        bounds = [
            error_bound(Question(Angle.parse(g), mpq(40), 1, Regime.of("fp16"), kind), last)
            for kind in ("ideal", "phase")
        ]
        assert bounds[0] is not None
        assert bounds[1] is not None
        assert bounds[0] == bounds[1] if exact else bounds[0] < bounds[1]


@pytest.mark.parametrize(
    "name", ["fp16", "bf16", "fixed:12.9", "fixed:16.14:up", "fp16:up", "tf32:ftz", "fp32:zero", "e5m20:odd", "fp128"]
)
def test_the_state_of_a_recurrence_is_where_it_should_be(name: str) -> None:
    values = ValueSet.parse(name)
    for text in ("1", "0.1", "pi/7"):
        angle = Angle.parse(text)
        states = Recurrence(angle, values)
        for i in (0, 1, 2, 10, 40, 150):
            try:
                bound = state_error(values, i)
            except OutOfRangeError:
                assert i >= 10
                break
            state = states.block(i)
            ends = [
                [abs(mpq(entry) - end) for end in enclosed(function(angle, i))]
                for entry, function in zip(state, (cos_of, sin_of), strict=True)
            ]
            assert min(ends[0]) ** 2 + min(ends[1]) ** 2 <= bound**2


def test_a_state_without_a_bound() -> None:
    with pytest.raises(OutOfRangeError, match="anywhere"):
        state_error(ValueSet.parse("fp16"), 10**4)
    bounds = error_bounds(Question(Angle.parse("1"), mpq(40), 1, Regime.of("fp16"), "recurrence"), 10**9)
    assert isinstance(bounds, NoBound)


def enclosed(x: Any) -> tuple[mpq, mpq]:
    return x.enclose(200) if isinstance(x, Irrational) else (x, x)
