"""Listing and counting the visits of a rotation to an arc, against brute force and against each other."""

from collections.abc import Iterator
from fractions import Fraction
from itertools import islice, pairwise
from typing import Any

import mpmath
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import assume, given, settings
from hypothesis import strategies as st

from certify.rotation.counting import count_near_returns, sum_of_floors
from certify.rotation.distance import turns_from_identity
from certify.rotation.integer_rotation import first_hit, fixed_point, return_times
from certify.rotation.near_returns import first_gap_below, record_near_returns
from certify.rotation.visits import near_returns_within, visits
from certify.rotation.width import gap_in_turns, radians_in_turns
from fpsim.angle import Angle, conventional_angle
from fpsim.errors import InputError
from fpsim.real import Irrational

BITS = 700
MP = mpmath.MPContext()
MP.prec = BITS + 200
BELOW_THREE_SEVENTHS = "2.6927937030769656329679800428110024721690023423215"  # of 2 pi: within 10^-49
ABOVE_THREE_SEVENTHS = "2.6927937030769656329679800428110024721690023423216"
BELOW_A_SEVENTH = "0.89759790102565521098932668093700082405633411410717"
TEXTS = [
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
    "-12345.678",
    "31415926535897932384626433832795028841971/27182818284590452353602874713526624977572",
    BELOW_THREE_SEVENTHS,
]
EXACT_TURNS = ["3/7", "-3/7", "1/4", "355/1130", "1/2", "0", "5", "1597/2584", "-1/100003"]


def rotation_of(text: str) -> tuple[int, int]:
    """(step, modulus) of the angle's rotation: exact for rational turns, else to BITS bits, by mpmath."""
    if text.endswith(" turns"):
        turns = Fraction(text.removesuffix(" turns"))
        return turns.numerator % turns.denominator, turns.denominator
    value = Fraction(text)
    alpha = MP.mpf(value.numerator) / value.denominator / (2 * MP.pi)
    return int(MP.floor((alpha - MP.floor(alpha)) * 2**BITS)), 2**BITS


def angle_of(text: str) -> Angle:
    return Angle(2 * mpq(text.removesuffix(" turns")), "pi") if text.endswith(" turns") else Angle.parse(text)


ALL = [*TEXTS, *(f"{turns} turns" for turns in EXACT_TURNS)]


def brute_near(rotation: tuple[int, int], width: Fraction, limit: int, start: int = 1) -> list[int]:
    step, modulus = rotation
    least = -(-width.numerator * modulus // width.denominator)  # d < width exactly when d < ceil(width), d an integer
    place, found = (start - 1) * step % modulus, []
    for n in range(start, limit + 1):
        place += step
        if place >= modulus:
            place -= modulus
        if place < least or modulus - place < least:
            found.append(n)
    return found


def brute_visits(rotation: tuple[int, int], lo: Fraction, hi: Fraction, limit: int, start: int = 0) -> list[int]:
    step, modulus = rotation
    found = []
    for n in range(start, limit + 1):
        place = Fraction(n * step, modulus) - lo
        if place - place.numerator // place.denominator < hi - lo:
            found.append(n)
    return found


@pytest.mark.parametrize("text", ALL)
@pytest.mark.parametrize("width", ["1/3", "1/50", "1/2000"])
def test_near_returns_against_brute_force(text: str, width: str) -> None:
    expected = brute_near(rotation_of(text), Fraction(width), 30_000)
    assert list(near_returns_within(angle_of(text), width, 30_000)) == expected
    assert count_near_returns(angle_of(text), width, 30_000) == len(expected)


@pytest.mark.parametrize(("text", "width"), [("1", "1/1000"), ("1", "1/100000"), ("12345.678", "1/300")])
def test_near_returns_to_a_million_against_brute_force(text: str, width: str) -> None:
    expected = brute_near(rotation_of(text), Fraction(width), 10**6)
    assert len(expected) >= 10
    assert list(near_returns_within(angle_of(text), width, 10**6)) == expected


@pytest.mark.parametrize("d", [2, 20, 64])
def test_near_returns_of_the_conventional_schedule(d: int) -> None:
    alpha = MP.mpf(10000) ** (-MP.mpf(d - 1) / 64) / (2 * MP.pi)
    expected = brute_near((int(MP.floor(alpha * 2**BITS)), 2**BITS), Fraction(1, 1000), 10**5)
    assert len(expected) > 10
    assert list(near_returns_within(conventional_angle(10000, d, 128), "1/1000", 10**5)) == expected


fractions = st.fractions(min_value=-30, max_value=30, max_denominator=10**25)
few_turns = st.fractions(min_value=-3, max_value=3, max_denominator=60).map(lambda turns: f"{turns} turns")
texts = st.one_of(st.sampled_from(ALL), fractions.filter(bool).map(str), few_turns)
places = st.fractions(min_value=-2, max_value=2, max_denominator=100)


@given(texts, st.fractions(min_value=0, max_value=1, max_denominator=200), st.integers(0, 300), st.integers(1, 200))
@settings(max_examples=300)
def test_near_returns_of_any_angle_from_anywhere(text: str, width: Fraction, limit: int, start: int) -> None:
    expected = brute_near(rotation_of(text), width, limit, start)
    assert list(near_returns_within(angle_of(text), width, limit, start=start)) == expected
    assert count_near_returns(angle_of(text), width, limit, start=start) == len(expected)


@given(texts, places, places, st.integers(0, 300), st.integers(0, 200))
@settings(max_examples=300)
def test_visits_of_any_arc(text: str, lo: Fraction, hi: Fraction, limit: int, start: int) -> None:
    assume(lo <= hi)
    assert list(visits(angle_of(text), lo, hi, limit, start=start)) == brute_visits(
        rotation_of(text), lo, hi, limit, start
    )


@pytest.mark.parametrize("text", ["1", "0.1", "-7.5", "1e-12", BELOW_THREE_SEVENTHS])
def test_the_edge_of_the_width_is_exact(text: str) -> None:
    """Widths a hair (2^-600) below and above a distance leave it out and take it in."""
    angle = Angle.parse(text)
    for n in (1, 7, 44, 710, 30_001, 10**5 + 3):
        distance = turns_from_identity(angle, n)
        assert isinstance(distance, Irrational)
        below, above = distance.enclose(600)
        assert list(near_returns_within(angle, below, n, start=n)) == []
        assert list(near_returns_within(angle, above, n, start=n)) == [n]
        assert count_near_returns(angle, below, n, start=n) == 0
        assert count_near_returns(angle, above, n, start=n) == 1
        without, taken = (set(near_returns_within(angle, width, 10**5 + 50, start=700)) for width in (below, above))
        assert taken - without == ({n} if n >= 700 else set())


@pytest.mark.parametrize("text", ["1", "-7.5"])
def test_the_ends_of_an_arc_are_exact(text: str) -> None:
    angle = Angle.parse(text)
    for n in (3, 355, 10**5):
        lo, hi = angle.times(n).enclose_turns(500)
        assert n in visits(angle, lo, lo + mpq(1, 9), n)
        assert n not in visits(angle, hi, hi + mpq(1, 9), n)
        assert n in visits(angle, hi - mpq(1, 9), hi, n)
        assert n not in visits(angle, lo - mpq(1, 9), lo, n)


def test_ties_at_rational_turns_are_left_out_at_the_upper_end_only() -> None:
    seventh = Angle.parse("2pi*3/7")
    assert list(near_returns_within(seventh, "1/7", 21)) == [7, 14, 21]
    assert list(near_returns_within(seventh, "1/7", 21, start=8)) == [14, 21]
    assert list(near_returns_within(seventh, "0.142857142857142857142857142858", 9)) == [2, 5, 7, 9]
    assert list(visits(seventh, "1/7", "3/7", 7)) == [3, 5]
    assert list(visits(seventh, "-3/7", "0", 7)) == [2, 4, 6]
    assert list(near_returns_within(Angle.parse("pi"), "1/2", 6)) == [2, 4, 6]
    assert list(near_returns_within(Angle.parse("pi"), "0.51", 4)) == [1, 2, 3, 4]
    assert list(near_returns_within(Angle.parse("0"), "1e-300", 3)) == [1, 2, 3]


@pytest.mark.parametrize("width", ["1/7", "2/7", "3/7", "1/14"])
@pytest.mark.parametrize(
    "text",
    [
        "3/7 turns",
        "1/14 turns",
        BELOW_THREE_SEVENTHS,
        ABOVE_THREE_SEVENTHS,
        BELOW_A_SEVENTH,
    ],
)
def test_near_ties_are_decided_by_more_bits(text: str, width: str) -> None:
    expected = brute_near(rotation_of(text), Fraction(width), 300)
    assert list(near_returns_within(angle_of(text), width, 300)) == expected
    assert count_near_returns(angle_of(text), width, 300) == len(expected)
    assert count_near_returns(angle_of(text), width, 300, start=100) == sum(n >= 100 for n in expected)
    alone = [n for n in range(1, 301) if count_near_returns(angle_of(text), width, n, start=n)]
    assert alone == expected


def test_an_arc_that_leaves_almost_nothing_out() -> None:
    angle = Angle.parse("1")
    lo = angle.enclose_turns(300)[1] + mpq(1, 2**45)  # just ahead of position 1, which is before hi
    assert list(visits(angle, lo, lo + 1 - mpq(1, 2**70), 1000)) == list(range(1001))
    assert list(visits(angle, lo, lo + 1 - mpq(1, 2**44), 1000)) == [n for n in range(1001) if n != 1]
    assert list(near_returns_within(angle, mpq(1, 2) - mpq(1, 2**70), 1000)) == list(range(1, 1001))
    assert count_near_returns(angle, mpq(1, 2) - mpq(1, 2**70), 1000) == 1000


def test_degenerate_arcs() -> None:
    angle = Angle.parse("1")
    assert list(near_returns_within(angle, 0, 100)) == list(near_returns_within(angle, -1, 100)) == []
    assert list(near_returns_within(angle, "1/2", 5)) == [1, 2, 3, 4, 5]
    assert list(near_returns_within(angle, 1, 10, start=11)) == []
    assert list(visits(angle, "1/3", "1/3", 100)) == []
    assert list(visits(angle, "1/3", "4/3", 3)) == [0, 1, 2, 3]
    assert list(visits(angle, 0, 1, 3, start=2)) == [2, 3]
    assert list(visits(angle, 0, "1e-300", 10**6)) == [0]
    assert list(visits(angle, "-1e-300", 0, 10**6)) == []


@pytest.mark.parametrize("text", ["1", "3.883222077450933", "0.1", "1e-30"])
def test_far_lists_have_the_right_number_and_three_gaps(text: str) -> None:
    angle, limit = Angle.parse(text), 10**60
    width = mpq(5000, limit)
    found = list(near_returns_within(angle, width, limit))
    assert len(found) == count_near_returns(angle, width, limit)
    assert abs(len(found) - 10000) < 1000
    gaps = sorted({later - sooner for sooner, later in pairwise(found)})
    assert len(gaps) in (2, 3)
    assert len(gaps) == 2 or gaps[2] == gaps[0] + gaps[1]
    assert all(_is_within(angle, n, width) for n in islice(found, 0, None, 97))
    assert not any(_is_within(angle, n + nudge, width) for n in islice(found, 0, None, 97) for nudge in (-1, 1, 10**30))
    middle = found[len(found) // 2]
    assert list(near_returns_within(angle, width, limit, start=middle)) == found[len(found) // 2 :]
    assert list(near_returns_within(angle, width, limit, start=middle + 1)) == found[len(found) // 2 + 1 :]


def _is_within(angle: Angle, n: int, width: mpq) -> bool:
    distance = turns_from_identity(angle, n)
    return not distance.exceeds(width) if isinstance(distance, Irrational) else bool(distance < width)


def test_the_first_near_return_is_a_record() -> None:
    angle = Angle.parse("1")
    for record in record_near_returns(angle, 10**60)[1:]:
        distance = turns_from_identity(angle, record)
        assert isinstance(distance, Irrational)
        assert next(near_returns_within(angle, distance.enclose(100)[1], 10**60)) == record


def test_counts_far_out_agree_with_those_of_a_rational_alpha_near_by() -> None:
    """A rational alpha within 2^-400 of the irrational one, taken exactly, puts n <= 10^18 on the same side."""
    angle = Angle.parse("1")
    lo, _ = angle.enclose_turns(400)
    close = Angle(2 * lo, "pi")
    assert count_near_returns(angle, "1/7", 10**18) == count_near_returns(close, "1/7", 10**18)
    assert abs(count_near_returns(angle, "1/7", 10**18) - 2 * 10**18 // 7) < 100


@given(st.integers(1, 60), st.integers(-100, 100), st.integers(-100, 100), st.integers(0, 70))
@settings(max_examples=500)
def test_first_hit_against_a_walk(modulus: int, step: int, low: int, length: int) -> None:
    expected = next((t for t in range(modulus) if (t * step - low) % modulus < length), None)
    assert first_hit(step, modulus, low, length) == expected


def test_first_hit_needs_no_deep_recursion() -> None:
    modulus = 2**5000
    step = modulus * 618033988749894848204586834365638117720309179805762862135 // 10**57
    t = first_hit(step, modulus, modulus // 3, 1 << 100)
    assert t is not None
    assert 0 <= t * step % modulus - modulus // 3 < 1 << 100


@given(st.integers(1, 80), st.integers(-200, 200), st.data())
@settings(max_examples=300)
def test_return_times_are_slaters(modulus: int, step: int, data: st.DataObject) -> None:
    length = data.draw(st.integers(1, modulus))
    r, d_r, s, d_s = return_times(step, modulus, length)
    for x in range(length):
        expected = next(n for n in range(1, modulus + 1) if (x + n * step) % modulus < length)
        if x + d_r < length:
            assert (expected, (x + expected * step) % modulus) == (r, x + d_r)
        elif x >= d_s:
            assert (expected, (x + expected * step) % modulus) == (s, x - d_s)
        else:
            assert (expected, (x + expected * step) % modulus) == (r + s, x + d_r - d_s)


@given(st.integers(0, 40), st.integers(1, 60), st.integers(0, 100), st.integers(-200, 200))
@settings(max_examples=300)
def test_sum_of_floors_against_the_sum(number: int, modulus: int, step: int, offset: int) -> None:
    assert sum_of_floors(number, modulus, step, offset) == sum((step * i + offset) // modulus for i in range(number))


@pytest.mark.parametrize("text", TEXTS)
@pytest.mark.parametrize("bits", [1, 16, 64, 333])
def test_fixed_point_against_mpmath(text: str, bits: int) -> None:
    step, modulus = rotation_of(text)
    assert fixed_point(Angle.parse(text), bits) == (step * 2**bits // modulus, 2**bits, 1)


@given(st.fractions(min_value=Fraction(1, 100), max_value=1000), st.fractions(min_value=-1, max_value=2500))
def test_a_gap_in_turns_splits_the_distances(C: Fraction, gap: Fraction) -> None:
    lo, hi = gap_in_turns(C, gap)
    assert 0 <= lo <= hi <= 1
    scale, loss = MP.mpf(C.numerator) / C.denominator, MP.mpf(gap.numerator) / gap.denominator
    if 0 < hi < 1:
        assert hi - lo < mpq(1, 2**120)
        ends = [scale * (1 - MP.cospi(2 * MP.mpf(int(end.numerator)) / int(end.denominator))) for end in (lo, hi)]
        assert ends[0] < loss < ends[1] if lo < hi else ends[0] == loss == ends[1]
    else:
        assert gap <= 0 if hi == 0 else gap > 2 * C


@pytest.mark.parametrize(
    ("C", "gap", "turns"),
    [
        (40, 20, "1/6"),
        (1, 1, "1/4"),
        (2, 3, "1/3"),
        (7, 14, "1/2"),
        (1, "2.1", "1"),
        (1, 0, "0"),
    ],
)
def test_rational_widths_are_exact(C: int, gap: object, turns: str) -> None:
    assert gap_in_turns(C, gap) == (mpq(turns), mpq(turns))


def test_widths_from_gaps_and_radians_list_what_the_cosine_says() -> None:
    angle, C, gap = Angle.parse("1"), 10000, mpq("17.34375")
    lo, hi = gap_in_turns(C, gap)
    listed = list(near_returns_within(angle, hi, 5000))
    assert listed == list(near_returns_within(angle, lo, 5000))
    assert listed == [n for n in range(1, 5001) if C * (1 - MP.cos(n)) < MP.mpf("17.34375")]
    assert listed[0] == first_gap_below(angle, C, gap)
    radians = [n for n in range(1, 5001) if abs(n - 2 * MP.pi * MP.nint(n / (2 * MP.pi))) < MP.mpf(1) / 50]
    assert [list(near_returns_within(angle, end, 5000)) for end in radians_in_turns("1/50")] == [radians, radians]


def test_numpy_integers_do_not_wrap_around() -> None:
    start: Any = np.int64(10**10)
    limit: Any = np.int64(10**11)
    found = near_returns_within(Angle.parse("1"), "1e-9", limit, start=start)
    assert count_near_returns(Angle.parse("1"), "1e-9", limit, start=start) > 100
    assert isinstance(found, Iterator)
    assert list(found) == list(near_returns_within(Angle.parse("1"), "1e-9", 10**11, start=10**10))


def test_what_cannot_be_taken_is_named() -> None:
    angle = Angle.parse("1")
    with pytest.raises(InputError, match="width: cannot take"):
        near_returns_within(angle, "wide", 10)
    with pytest.raises(InputError, match="start: cannot take 0"):
        near_returns_within(angle, "1/9", 10, start=0)
    with pytest.raises(InputError, match="start: cannot take 0"):
        count_near_returns(angle, "1/9", 10, start=0)
    with pytest.raises(InputError, match="limit: cannot take -1"):
        visits(angle, 0, "1/9", -1)
    with pytest.raises(InputError, match="hi: cannot take 0"):
        visits(angle, "1/9", 0, 10)
    with pytest.raises(InputError, match="C: cannot take 0"):
        gap_in_turns(0, 1)


@pytest.mark.parametrize("exponent", [12, 30, 50, 300])
def test_tiny_angles_begin_at_once(exponent: int) -> None:
    """The first visits to an arc far away, whose neighbours are 10^-exponent apart, by rationals enclosing pi."""
    angle, far = Angle.parse(f"1e-{exponent}"), 10 ** (exponent + 3)
    lo, hi = mpq(1, 4), mpq(1, 4) + mpq(1, 10**6)
    found = list(islice(visits(angle, lo, hi, far), 3))
    pi_lo, pi_hi = mpq(314159265358979323846264338327, 10**29), mpq(314159265358979323846264338328, 10**29)
    if exponent <= 12:
        first = -(-(2 * lo * pi_lo * 10**exponent) // 1)
        assert first == -(-(2 * lo * pi_hi * 10**exponent) // 1)
        assert found == [first, first + 1, first + 2]
    assert all(2 * lo * pi_lo * 10**exponent < n < 2 * hi * pi_hi * 10**exponent for n in found)
    assert found == [found[0], found[0] + 1, found[0] + 2]
    turns = near_returns_within(angle, "1/1000000", far, start=10**exponent)
    assert 6 * 10**exponent < next(turns) < 7 * 10**exponent
