"""Exact numbers, angles, and the cosines and sines of their multiples."""

from fractions import Fraction

import mpmath
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from fpsim.angle import Angle, conventional_angle, power_angle
from fpsim.errors import InputError
from fpsim.number import decimal_text, exact_text, parse_count, parse_number
from fpsim.real import Irrational
from fpsim.turning import cos_of, sin_of


@pytest.mark.parametrize(("text", "value"), [
    ("0.1", mpq(1, 10)), (".5", mpq(1, 2)), ("5.", mpq(5)), ("-1e-3", mpq(-1, 1000)), ("+2/4", mpq(1, 2)), ("0x1.8p1", mpq(3)),
    ("0X.8", mpq(1, 2)), (" 7 ", mpq(7)), (0.1, mpq(3602879701896397, 36028797018963968)), (Fraction(1, 3), mpq(1, 3)),
    (np.float32(0.1), mpq(13421773, 134217728)), (10**30, mpq(10**30)), (np.int64(3), mpq(3)),
])  # fmt: skip
def test_numbers(text, value):
    assert parse_number(text) == value


@pytest.mark.parametrize(
    "text",
    [
        "",
        "x",
        "1e",
        "1/",
        "1/0",
        "--1",
        "1_000",
        "٣",
        "0x",
        "1e100001",
        "1" * 30000,
        "nan",
        "inf",
        float("nan"),
        float("inf"),
        None,
        True,
        1j,
        [1],
    ],
)
def test_bad_numbers(text):
    with pytest.raises(InputError):
        parse_number(text)


@given(st.fractions())
def test_exact_text_reads_back(x):
    value = mpq(x.numerator, x.denominator)
    assert parse_number(exact_text(value)) == value


@given(st.fractions(-(10**9), 10**9), st.integers(2, 25))
def test_decimal_text_is_near(x, digits):
    value, text = mpq(x.numerator, x.denominator), decimal_text(mpq(x.numerator, x.denominator), digits)
    read = parse_number(text.replace("...", ""))
    assert abs(read - value) <= abs(value) * mpq(1, 10 ** (digits - 1))
    assert ("..." in text) == (read != value)


@pytest.mark.parametrize(("text", "coefficient", "unit"), [
    ("1.0", mpq(1), "one"), ("pi", mpq(1), "pi"), ("-pi/2", mpq(-1, 2), "pi"), ("2pi*3/7", mpq(6, 7), "pi"), ("2*pi/3", mpq(2, 3), "pi"),
    ("3/7*pi", mpq(3, 7), "pi"), ("2/3", mpq(2, 3), "one"), ("1*3/4", mpq(3, 4), "one"), ("0pi", mpq(0), "one"), ("0x1p-1pi", mpq(1, 2), "pi"),
])  # fmt: skip
def test_angles(text, coefficient, unit):
    assert Angle.parse(text) == Angle(coefficient, unit)
    assert Angle.parse(str(Angle.parse(text))) == Angle.parse(text)


@pytest.mark.parametrize(
    "text", ["", "pi pi", "pi*", "pi/0", "pi*1.5", "pipi", "2pi3", "e", "1+1", "nan", "pi/" + "9" * 30000]
)
def test_bad_angles(text):
    with pytest.raises(InputError):
        Angle.parse(text)


@pytest.mark.parametrize(("text", "same"), [
    ("10000^(-2/64)", conventional_angle(10000, 2, 64)), ("(2/3)^(1/2)", power_angle(mpq(2, 3), mpq(1, 2))), ("10^-2", Angle(mpq(1, 100))),
    (" - 3/4 * 0.5^(0.25) / 7 * 2", power_angle(mpq(1, 2), mpq(1, 4)).times(mpq(-3, 14))), ("1e4^(1/2)", Angle(mpq(100))), ("(4/9)^(3/2)", Angle(mpq(8, 27))),
    ("7^(0/5)", Angle(mpq(1))), ("0*7^(1/5)", Angle(mpq(0))), ("1/3*10^2", Angle(mpq(100, 3))), ("10^2*2/3", Angle(mpq(200, 3))), ("7 ^ ( 4 / 6 )", power_angle(mpq(7), mpq(2, 3))),
])  # fmt: skip
def test_powers(text, same):
    assert Angle.parse(text) == same
    assert Angle.parse(str(same)) == same


@pytest.mark.parametrize(("text", "right"), [
    ("2/3^(1/2)", "in parentheses"), ("2*3/4^(1/2)", "in parentheses"), ("0^(1/2)", "greater than 0"), ("(-2)^(1/2)", "such as"), ("2^(1/0)", "denominator"),
    ("2^(1/8193)", "up to 8192"), ("2^(1e9)", "at most 2"), ("2^(1/2)^(1/2)", "such as"), ("pi^(1/2)", "such as"), ("2^1/2^(1/2)", "such as"),
    ("2^(1/2)*pi", "such as"), ("2^(1/2)*1.5", "such as"), ("2^", "such as"), ("2^()", "such as"), ("2^(1/2)/0", "division by 0"),
    ("10000^-2/64", r"\^\(-2/64\), or the factor before it, 1/64\*...\^-2"), ("-3*(1/2)^2/3/5", r"\^\(2/3\)"), ("10^2/3", "in parentheses"),
])  # fmt: skip
def test_bad_powers(text, right):
    with pytest.raises(InputError, match=right):
        Angle.parse(text)


def test_a_float_is_its_binary64_value():
    assert Angle.parse(0.1) != Angle.parse("0.1")
    assert str(Angle.parse("0.1")) == "0.1"


@pytest.mark.parametrize("dim", [2, 64, 96, 128])
@pytest.mark.parametrize("base", ["10000", "500000", "1e6", "2/3", "0.5"])
def test_conventional_schedule_against_mpmath(dim, base):
    for d in range(1, dim // 2 + 1):
        angle = conventional_angle(base, d, dim)
        for bits in (60, 300):
            lo, hi = angle.enclose(bits)
            with mpmath.workprec(bits + 60):
                number = parse_number(base)
                exact = mpmath.mpf(int(number.numerator)) / int(number.denominator)
                value = exact ** (mpmath.mpf(-2 * (d - 1)) / dim)
                low, high = (mpmath.mpf(int(end.numerator)) / int(end.denominator) for end in (lo, hi))
                assert low <= value * (1 + mpmath.mpf(2) ** -(bits + 40))
                assert value * (1 - mpmath.mpf(2) ** -(bits + 40)) <= high
                assert hi - lo <= mpq(1, 2 ** (bits - 4)) * hi


def test_conventional_schedule_bad_arguments():
    for arguments in ((0, 1, 2), (-1, 1, 2), (10, 0, 2), (10, 2, 2), (10, 1, 3), (10, 1, 0), ("x", 1, 2)):
        with pytest.raises(InputError):
            conventional_angle(*arguments)


@pytest.mark.parametrize("text", ["1", "0.1", "-7.5", "2pi/7", "pi/5", "1e-9", "12345.678", "pi"])
@pytest.mark.parametrize("times", [0, 1, 2, 3, 44, 710, 10**6 + 1, 80143857, 10**40 + 3])
def test_multiples_against_mpmath(text, times):
    angle = Angle.parse(text)
    for function, peer in ((cos_of, mpmath.cos), (sin_of, mpmath.sin)):
        exact = function(angle, times)
        with mpmath.workprec(600):
            number = mpmath.mpf(int(angle.coefficient.numerator)) / int(angle.coefficient.denominator)
            value = peer(number * (mpmath.pi if angle.unit == "pi" else 1) * times)
            if isinstance(exact, Irrational):
                for bits in (50, 200):
                    lo, hi = exact.enclose(bits)
                    assert hi - lo <= mpq(1, 2 ** (bits - 2))
                    low, high = (mpmath.mpf(int(end.numerator)) / int(end.denominator) for end in (lo, hi))
                    assert low < value < high
            else:
                assert abs(value - mpmath.mpf(int(exact.numerator)) / int(exact.denominator)) < mpmath.mpf(2) ** -400


def test_rational_cosines_are_exact():
    sixth = Angle.parse("pi/3")
    assert [cos_of(sixth, n) for n in range(6)] == [1, mpq(1, 2), mpq(-1, 2), -1, mpq(-1, 2), mpq(1, 2)]
    assert [sin_of(Angle.parse("pi/6"), n) for n in (0, 1, 3, 5, 6, 7)] == [0, mpq(1, 2), 1, mpq(1, 2), 0, mpq(-1, 2)]


@pytest.mark.parametrize(("text", "same"), [
    (" 2 pi * 3 / 7 ", "2pi*3/7"), ("- 1", "-1"), ("+ pi /2", "pi/2"), ("3 / 4 * pi", "3/4pi"), ("2\tpi", "2pi"), ("1 /3", "1/3"),
])  # fmt: skip
def test_space_around_an_operator(text, same):
    assert Angle.parse(text) == Angle.parse(same)


@pytest.mark.parametrize(
    "text", ["1 2", "1. 5", "1 e5", "0x1 p3", "2 pi 3", "2pi*3 7", "- - 1", "1" + " " * 19_000 + "2"]
)
def test_space_within_a_number_is_refused(text):
    """Two angles with a space between them are not one long number."""
    with pytest.raises(InputError):
        Angle.parse(text)


def test_denominators_of_thousands_of_digits():
    """More than the 4300 that Python itself converts."""
    assert Angle.parse("2pi/" + "9" * 5000).turns == mpq(1, 10**5000 - 1)
    assert Angle.parse("pi*" + "9" * 5000).coefficient == 10**5000 - 1
    with pytest.raises(InputError, match="division by 0"):
        Angle.parse("pi/" + "0" * 5000)


@pytest.mark.parametrize(("text", "brief"), [
    ("0.1", "0.1"), ("1e400", "1e+400"), ("-1e-400", "-1e-400"), ("2pi/" + "7" * 90, "2/77777777777777777777777..."),
])  # fmt: skip
def test_brief_texts(text, brief):
    angle = Angle.parse(text)
    assert angle.brief(28) == brief
    assert angle.brief(10**6) == str(angle)


def test_the_base_of_a_power_is_in_parentheses_where_it_must():
    assert [str(conventional_angle(base, 2, 8)) for base in ("1/3", "10000", "0.5")] == [
        "(1/3)^(-1/4)",
        "0.1",
        "0.5^(-1/4)",
    ]


@pytest.mark.parametrize("value", [1, 5, np.int64(5), np.uint8(3), 10**30])
def test_counts(value):
    assert parse_count(value, "k") == value
    assert type(parse_count(value, "k")) is int


@pytest.mark.parametrize("value", [0, -1, True, 1.0, np.float64(1), "5", None, [1], 11])
def test_bad_counts(value):
    with pytest.raises(InputError, match=r"^k: cannot take .*an integer of at least 1 and at most 10"):
        parse_count(value, "k", most=10)
