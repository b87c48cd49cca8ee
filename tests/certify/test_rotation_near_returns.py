"""Continued fractions, record near-returns and deltas, against brute force on an alpha that mpmath computed."""

from collections.abc import Callable
from fractions import Fraction
from functools import partial
from itertools import islice, pairwise

import mpmath
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from certify.rotation.continued_fraction import _common_quotients, convergents, partial_quotients, semiconvergents
from certify.rotation.distance import one_minus_cosine, turns_from_identity
from certify.rotation.near_returns import (
    delta,
    first_gap_below,
    first_return_below,
    iter_records,
    last_record,
    record_near_returns,
)
from fpsim.angle import Angle, conventional_angle
from fpsim.errors import InputError
from fpsim.real import Irrational

BITS = 700
MP = mpmath.MPContext()
MP.prec = BITS + 100
LONG_P, LONG_Q = 31415926535897932384626433832795028841971, 27182818284590452353602874713526624977572
TWO_PI = "6.28318530717958647692528676655900576839433879875021164194988918461563281257241799725606"


def quotient_of(value: Fraction) -> mpmath.mpf:
    return MP.mpf(value.numerator) / value.denominator


def conventional_value(d: int) -> mpmath.mpf:
    return MP.mpf(10000) ** (-MP.mpf(d - 1) / 64)


# Angles with the value that the oracle takes: by mpmath, not by the Angle.
ANGLES: dict[str, tuple[Angle, Callable[[], mpmath.mpf]]] = {
    text: (Angle.parse(text), partial(quotient_of, Fraction(text)))
    for text in (
        "1",
        "1/10",
        "2.399963229728653",
        "3.883222077450933",
        "710/113",
        "6.283185307179586",
        "6.283185307179587",
        "7.5",
        "100",
        "12345.678",
        "1e-6",
        "1e-12",
        "-1",
        "-7.5",
        "5",
        f"{LONG_P}/{LONG_Q}",
        "9" * 30,
        f"{TWO_PI}5",
        f"{TWO_PI}7",  # on either side of 2 pi, 10^-86 from it
    )
} | {f"10000^(-{d - 1}/64)": (conventional_angle(10000, d, 128), partial(conventional_value, d)) for d in (2, 20, 64)}
unit_fractions = st.fractions(min_value=0, max_value=1, max_denominator=40).filter(lambda x: x < 1)
RATIONAL_TURNS = ["0", "1/2", "1/3", "2/3", "3/7", "-3/7", "1/4", "355/1130", "17/5", "5", "1597/2584", "999/1000"]


def alpha_of(value: mpmath.mpf) -> int:
    """value / 2 pi mod 1 as a fixed-point number with BITS bits."""
    turns = value / (2 * MP.pi)
    return int(MP.floor((turns - MP.floor(turns)) * 2**BITS))


def brute_records(step: int, modulus: int, limit: int) -> list[int]:
    best, place, records = modulus, 0, []
    for n in range(1, limit + 1):
        place += step
        if place >= modulus:
            place -= modulus
        distance = min(place, modulus - place)
        if distance < best:
            best = distance
            records.append(n)
    return records


@pytest.mark.parametrize("name", ANGLES)
def test_records_of_irrational_turns_against_brute_force(name: str) -> None:
    angle, value = ANGLES[name]
    limit = 10**6 if name == "1" else 10**5
    assert record_near_returns(angle, limit) == brute_records(alpha_of(value()), 2**BITS, limit)


@pytest.mark.parametrize("turns", RATIONAL_TURNS)
def test_records_of_rational_turns_against_brute_force(turns: str) -> None:
    exact = Fraction(turns)
    records = record_near_returns(Angle(mpq(2 * exact), "pi"), 10**6)
    assert records == brute_records(exact.numerator % exact.denominator, exact.denominator, 4 * exact.denominator)
    assert records[-1] == exact.denominator


def test_records_of_the_angle_1() -> None:
    # 1 is one because nothing is before it; 2 and 3 are none.
    known = [6, 19, 25, 44, 333, 710, 103993, 312689, 1980127, 2292816, 4272943, 10838702, 80143857]
    assert record_near_returns(Angle.parse("1"), 10**8) == [1, *known]


@pytest.mark.parametrize("name", ANGLES)
def test_quotients_and_records_to_10_to_the_60(name: str) -> None:
    angle, value = ANGLES[name]
    turns = value() / (2 * MP.pi)
    rest, quotients, before, now, denominators = turns - MP.floor(turns), [], 0, 1, [1]
    while now <= 10**60:
        quotient = int(MP.floor(1 / rest))
        rest = 1 / rest - quotient
        quotients.append(quotient)
        before, now = now, quotient * now + before
        denominators.append(now)
    assert list(islice(partial_quotients(angle), len(quotients))) == quotients
    assert record_near_returns(angle, 10**60) == sorted({q for q in denominators if q <= 10**60})


@given(st.fractions(min_value=-50, max_value=50, max_denominator=10**30).filter(bool), st.integers(1, 3000))
@settings(max_examples=60)
def test_records_of_random_rational_angles(angle: Fraction, limit: int) -> None:
    expected = brute_records(alpha_of(quotient_of(angle)), 2**BITS, limit)
    assert record_near_returns(Angle.parse(angle), limit) == expected


@given(st.fractions(min_value=-5, max_value=5, max_denominator=2000))
@settings(max_examples=60)
def test_records_of_random_rational_turns(turns: Fraction) -> None:
    expected = brute_records(turns.numerator % turns.denominator, turns.denominator, turns.denominator + 10)
    assert record_near_returns(Angle(mpq(2 * turns), "pi"), 10**30) == expected


@given(st.fractions(min_value=-3, max_value=3, max_denominator=10**50))
def test_convergents_of_rational_turns_end_at_the_fraction_itself(turns: Fraction) -> None:
    fractions = list(convergents(Angle(mpq(2 * turns), "pi")))
    assert fractions[-1] == (turns.numerator % turns.denominator, turns.denominator)
    for (p, q), (p_next, q_next) in pairwise(fractions):
        assert abs(p * q_next - p_next * q) == 1
    quotients = list(partial_quotients(Angle(mpq(2 * turns), "pi")))
    assert all(a >= 1 for a in quotients)
    assert not quotients or quotients[-1] >= 2


def test_a_convergent_is_nearer_than_one_over_the_next_denominator() -> None:
    angle = Angle.parse("0.1")
    fractions = list(convergents(angle, 10**80))
    lo, hi = angle.enclose_turns(700)
    for (p, q), (_, q_next) in pairwise(fractions):
        assert max(abs(lo * q - p), abs(hi * q - p)) < mpq(1, q_next)


@pytest.mark.parametrize("name", ["1", "7.5", "3.883222077450933", "-1", "5"])
def test_semiconvergents_are_the_records_from_either_side(name: str) -> None:
    angle, value = ANGLES[name]
    step, modulus, limit = alpha_of(value()), 2**BITS, 20000
    forward = backward = modulus
    expected = set()
    for n in range(1, limit + 1):
        place = n * step % modulus
        if place < forward:
            forward = place
            expected.add(n)
        if modulus - place < backward:
            backward = modulus - place
            expected.add(n)
    assert {q for _, q in semiconvergents(angle, limit)} | {1} == expected


@given(unit_fractions, unit_fractions, unit_fractions)
@settings(max_examples=300)
def test_quotients_shared_by_two_ends_are_those_of_all_between(a: Fraction, b: Fraction, c: Fraction) -> None:
    lo, middle, hi = sorted((a, b, c))
    if lo < middle < hi:
        shared = list(_common_quotients(mpq(lo), mpq(hi)))
        assert list(islice(_common_quotients(mpq(middle), mpq(middle)), len(shared))) == shared


def test_an_end_whose_expansion_stops_certifies_no_more() -> None:
    assert list(_common_quotients(mpq(3, 7), mpq(1, 2))) == [2]
    assert list(_common_quotients(mpq(5, 12), mpq(3, 7))) == [2]
    assert list(_common_quotients(mpq(3, 7), mpq(16, 37))) == [2, 3]


def test_denominators_stop_at_the_bound() -> None:
    assert list(convergents(Angle.parse("1"), 0)) == []
    assert list(convergents(Angle.parse("1"), 18)) == [(0, 1), (1, 6)]
    assert [q for _, q in semiconvergents(Angle.parse("1"), 18)] == [1, 2, 3, 4, 5, 6, 7, 13]
    assert list(iter_records(Angle.parse("1"), 5)) == [1]


@pytest.mark.parametrize("name", ANGLES)
@pytest.mark.parametrize("L", [1, 2, 7, 332, 333, 1500])
def test_delta_against_the_greatest_cosine(name: str, L: int) -> None:
    angle, value = ANGLES[name]
    lo, hi = delta(angle, L).enclose(60)
    expected = (
        1 - max(MP.cos(value() * n) for n in range(1, L + 1))
        if L < 10
        else 1 - MP.cos(value() * min(range(1, L + 1), key=_distance(alpha_of(value()))))
    )
    assert 0 < lo < hi
    assert (hi - lo) / lo < mpq(1, 2**55)
    assert MP.mpf(int(lo.numerator)) / int(lo.denominator) < expected < MP.mpf(int(hi.numerator)) / int(hi.denominator)


def _distance(step: int) -> Callable[[int], int]:
    return lambda n: min(n * step % 2**BITS, -n * step % 2**BITS)


@pytest.mark.parametrize(
    ("L", "expected"),
    [
        (332, "1.567e-04"),
        (333, "3.891e-05"),
        (709, "3.891e-05"),
        (710, "1.817e-09"),
    ],
)
def test_known_deltas_of_the_angle_1(L: int, expected: str) -> None:
    lo, hi = delta(Angle.parse("1"), L).enclose(40)
    assert f"{float(lo):.3e}" == f"{float(hi):.3e}" == expected


def test_delta_far_out_is_that_of_the_last_record_and_below_dirichlets_bound() -> None:
    angle, L = Angle.parse("1"), 10**60
    n = last_record(angle, L)
    lo, hi = delta(angle, L).enclose(100)
    expected = 1 - MP.cos(MP.mpf(n))
    assert MP.mpf(int(lo.numerator)) / int(lo.denominator) < expected < MP.mpf(int(hi.numerator)) / int(hi.denominator)
    assert hi < 20 * mpq(1, L + 1) ** 2  # 1 - cos x < x^2 / 2 at x = 2 pi / (L + 1)
    assert delta(angle, n).enclose(100) == (lo, hi)
    assert delta(angle, n - 1).enclose(100)[0] > hi


@pytest.mark.parametrize(
    ("turns", "L", "expected"),
    [
        ("1/6", 5, mpq(1, 2)),
        ("1/6", 6, mpq(0)),
        ("1/4", 3, mpq(1)),
        ("1/2", 1, mpq(2)),
        ("0", 1, mpq(0)),
        ("1/3", 2, mpq(3, 2)),
    ],
)
def test_rational_deltas_are_exact(turns: str, L: int, expected: mpq) -> None:
    assert delta(Angle(2 * mpq(turns), "pi"), L) == expected


@pytest.mark.parametrize("bad", [0, -3])
def test_delta_needs_a_position(bad: int) -> None:
    with pytest.raises(InputError, match="L: cannot take"):
        delta(Angle.parse("1"), bad)
    with pytest.raises(InputError, match="limit: cannot take"):
        last_record(Angle.parse("1"), bad)


@given(
    st.sampled_from(sorted(ANGLES)),
    st.fractions(min_value=Fraction(1, 1000), max_value=10**6, max_denominator=10**6),
    st.fractions(min_value=Fraction(1, 10**6), max_value=100, max_denominator=10**6),
)
@settings(max_examples=80)
def test_first_gap_below_against_a_scan(name: str, C: Fraction, gap: Fraction) -> None:
    angle, value = ANGLES[name]
    found = first_gap_below(angle, C, gap, limit=400)
    mp = mpmath.MPContext()
    mp.prec = 200
    for n in range(1, (found or 400) + 1):
        loss = C.numerator * (1 - mp.cos(+value() * n)) / C.denominator
        margin = loss - mp.mpf(gap.numerator) / gap.denominator
        assert abs(margin) > mp.mpf(10) ** -25  # the scan itself has decided
        assert (margin < 0) == (n == found)


@pytest.mark.parametrize(
    ("angle", "C", "gap", "expected"),
    [
        ("pi/3", 1, "1/2", 6),
        ("pi/3", 1, "500000000000000000000000000000001/1000000000000000000000000000000000", 1),
        ("pi/2", 1, 1, 4),
        ("pi/2", 3, "3", 4),
        ("pi", 1, 2, 2),
        ("pi", 1, "2.000000000000000000000000001", 1),
        ("2pi", 1, "1e-400", 1),
        ("0", 5, "1e-400", 1),
        ("2pi/1000000007", 1, "1e-40", 1000000007),
        ("1", 1, 2, 1),
        ("1", 1, 0, None),
        ("1", 1, -1, None),
        ("pi/3", 1, 0, None),
        ("1", 40, "17.34375", 6),
        ("1", 10000, "17.34375", 44),
        ("1", 60000, "17.34375", 44),
        ("1", "1e9", "103.97", 710),
    ],
)
def test_first_gap_below_at_ties_and_known_values(angle: str, C: object, gap: object, expected: int | None) -> None:
    assert first_gap_below(Angle.parse(angle), C, gap) == expected


def test_first_gap_below_is_decided_at_a_hair_from_the_gap() -> None:
    for text in ("1", "0.1", "2pi*1001/99991"):
        angle = Angle.parse(text)
        for n in record_near_returns(angle, 10**4)[1:]:
            loss = one_minus_cosine(angle, n)
            if isinstance(loss, Irrational):
                lo, hi = loss.enclose(400)
                assert first_gap_below(angle, 1, hi) == n
                next_one = first_gap_below(angle, 1, lo)
                assert next_one is not None
                assert next_one > n


def test_first_gap_below_stops_at_the_limit_and_goes_on_without() -> None:
    angle = Angle.parse("1")
    assert first_gap_below(angle, 1, mpq(1, 10**8), limit=709) is None
    assert first_gap_below(angle, 1, mpq(1, 10**8), limit=710) == 710
    assert first_gap_below(angle, 1, 3, limit=0) is None
    far = first_gap_below(angle, 1, mpq(1, 10**500))
    assert far is not None
    assert far > 10**240
    assert far == last_record(angle, far)
    with pytest.raises(InputError, match="C: cannot take 0"):
        first_gap_below(angle, 0, 1)


@given(st.integers(0, 60), st.sampled_from(["1", "5", "2pi*1597/2584", "2.399963229728653"]))
def test_first_return_below_finds_every_record(index: int, text: str) -> None:
    angle = Angle.parse(text)
    records = list(islice(iter_records(angle), 61))
    target = records[min(index, len(records) - 1)]
    calls = []

    def reached(n: int) -> bool:
        calls.append(n)
        return n >= target

    assert first_return_below(angle, reached) == target
    assert len(calls) <= 14
    assert first_return_below(angle, reached, limit=target) == target
    assert first_return_below(angle, reached, limit=target - 1) is None


@pytest.mark.parametrize(
    ("turns", "n", "expected"),
    [
        ("3/7", 2, "1/7"),
        ("3/7", 0, "0"),
        ("-1/3", 4, "1/3"),
        ("1/2", 1, "1/2"),
    ],
)
def test_exact_distances(turns: str, n: int, expected: str) -> None:
    assert turns_from_identity(Angle(2 * mpq(turns), "pi"), n) == mpq(expected)


@pytest.mark.parametrize("n", [1, 2, 3, 710, 80143857, 10**40 + 7])
@pytest.mark.parametrize("name", ["1", "-7.5", "3.883222077450933", "10000^(-19/64)"])
def test_distances_and_losses_are_enclosed_tightly(name: str, n: int) -> None:
    angle, value = ANGLES[name]
    turns = value() * n / (2 * MP.pi)
    for real, expected in (
        (turns_from_identity(angle, n), abs(turns - MP.nint(turns))),
        (one_minus_cosine(angle, n), 1 - MP.cos(value() * n)),
    ):
        assert isinstance(real, Irrational)
        for bits in (8, 64, 300):
            lo, hi = real.enclose(bits)
            assert MP.mpf(int(lo.numerator)) / int(lo.denominator) < expected
            assert expected < MP.mpf(int(hi.numerator)) / int(hi.denominator)
            assert (hi - lo) / lo < mpq(1, 2 ** (bits - 4))


@pytest.mark.parametrize("sign", [1, -1])
def test_distances_near_half_a_turn_stay_below_it(sign: int) -> None:
    lo_pi, _ = Angle.parse("pi").enclose(400)
    for k in range(20, 80):
        angle = Angle(lo_pi * (1 + sign * mpq(1, 3 * 2**k)))
        distance = turns_from_identity(angle, 1)
        assert isinstance(distance, Irrational)
        expected = mpq(1, 2) - mpq(1, 6 * 2**k)
        lo, hi = distance.enclose(8)
        assert lo - mpq(1, 2**390) < expected < hi + mpq(1, 2**390)
        assert hi <= mpq(1, 2)


def test_a_loss_near_2_is_enclosed() -> None:
    angle = Angle.parse("355/113")  # just above pi
    lo, hi = one_minus_cosine(angle, 1).enclose(200)
    expected = 1 - MP.cos(MP.mpf(355) / 113)
    assert MP.mpf(int(lo.numerator)) / int(lo.denominator) < expected < MP.mpf(int(hi.numerator)) / int(hi.denominator)
    assert 2 - lo < mpq(1, 10**12)
