"""Schedules: every scaling against mpmath at 60 digits, what is known of each angle, Resonance RoPE and P-RoPE."""

import math
from fractions import Fraction

import mpmath
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from fpsim.angle import Angle, NamedReal, power_angle, product_of_powers
from fpsim.blocks import blocks, turn_words
from fpsim.enclosure import MAX_BITS, log_bounds, narrowed, over, pi_bounds, plus, point, product
from fpsim.errors import InputError, UnsupportedError
from fpsim.realization import realize, round_angle
from fpsim.realization.windowed import Windowed, windowed
from fpsim.rounding.reference import round_exact
from fpsim.scaling import KINDS, scaled
from fpsim.scaling.longrope import log_ratio
from fpsim.schedule import MAX_DIM, Scaling, Schedule
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

DIGITS = 60


def fraction(text):
    return Fraction(str(text))


def mp(text):
    number = fraction(text)
    return mpmath.mpf(number.numerator) / number.denominator


# The definitions once more, in mpmath: (base, dim, parameters) -> the angles as mpf.


def plain_angles(base, dim):
    return [mp(base) ** (-mpmath.mpf(2 * j) / dim) for j in range(dim // 2)]


def linear_angles(base, dim, p):
    return [theta / mp(p["factor"]) for theta in plain_angles(base, dim)]


def dynamic_angles(base, dim, p):
    stretched = mp(p["factor"]) * max(p["length"], p["most"]) / p["most"] - (mp(p["factor"]) - 1)
    return [
        (mp(base) * stretched ** (mpmath.mpf(dim) / (dim - 2))) ** (-mpmath.mpf(2 * j) / dim) for j in range(dim // 2)
    ]


def yarn_angles(base, dim, p):
    def index(beta):
        return (
            dim
            * mpmath.log(p["original_max_position_embeddings"] / (mp(beta) * 2 * mpmath.pi))
            / (2 * mpmath.log(mp(base)))
        )

    lo, hi = index(p.get("beta_fast", 32)), index(p.get("beta_slow", 1))
    if p.get("truncate", True):
        lo, hi = mpmath.floor(lo), mpmath.ceil(hi)
    lo, hi = max(lo, 0), min(hi, dim - 1)
    if lo == hi:
        hi += mp("0.001")
    angles = []
    for j, theta in enumerate(plain_angles(base, dim)):
        ramp = min(max((j - lo) / (hi - lo), 0), 1)
        angles.append(theta / mp(p["factor"]) * ramp + theta * (1 - ramp))
    return angles


def llama3_angles(base, dim, p):
    low, high, factor = mp(p["low_freq_factor"]), mp(p["high_freq_factor"]), mp(p["factor"])
    original = p["original_max_position_embeddings"]
    angles = []
    for theta in plain_angles(base, dim):
        wavelength = 2 * mpmath.pi / theta
        if wavelength < original / high:
            angles.append(theta)
        elif wavelength > original / low:
            angles.append(theta / factor)
        else:
            smooth = (original / wavelength - low) / (high - low)
            angles.append((1 - smooth) * theta / factor + smooth * theta)
    return angles


def assert_near(angle, value, bits=180):
    """The enclosure of the angle holds mpmath's value but for the error of 60 digits, and is narrow."""
    lo, hi = angle.enclose(bits)
    error = mpq(1, 10 ** (DIGITS - 5))
    sign, mantissa, exponent, _ = mpmath.mpf(value)._mpf_
    exact = mpq(int(mantissa)) * mpq(2) ** int(exponent) * (-1 if sign else 1)
    assert lo * (1 - error) <= exact <= hi * (1 + error)
    assert hi - lo <= abs(lo) * mpq(1, 1 << (bits - 4))


def assert_schedule(schedule, values):
    assert len(schedule.angles) == len(values)
    for angle, value in zip(schedule.angles, values, strict=True):
        assert_near(angle, value)


BASES = [("10000", 64), ("500000", 128), ("150000", 64), ("1e6", 128), ("2/3", 32)]


@pytest.mark.parametrize(("base", "dim"), BASES)
@pytest.mark.parametrize("factor", ["8", "0.1", "2.5"])
def test_linear(base, dim, factor):
    with mpmath.workdps(DIGITS):
        schedule = scaled(Schedule.conventional(base, dim), {"rope_type": "linear", "factor": factor})
        assert_schedule(schedule, linear_angles(base, dim, {"factor": factor}))
    assert schedule.scaling == Scaling.of("linear", factor=mpq(factor))
    assert all(angle.irrational_because for angle in schedule.angles)


@pytest.mark.parametrize(("base", "dim"), BASES)
@pytest.mark.parametrize(("factor", "length"), [("2", 4096), ("2", 100), ("2", 4097), ("4.5", 32768), ("1", 9999)])
def test_dynamic(base, dim, factor, length):
    plain = Schedule.conventional(base, dim)
    with mpmath.workdps(DIGITS):
        schedule = scaled(plain, {"type": "dynamic", "factor": factor}, length=length, max_length=4096)
        assert_schedule(schedule, dynamic_angles(base, dim, {"factor": factor, "length": length, "most": 4096}))
    assert (schedule.angles == plain.angles) == (length <= 4096)
    assert all("Lindemann" in angle.irrational_because for angle in schedule.angles)
    assert schedule.scaling["length"] == max(length, 4096)


def test_dynamic_without_a_length_is_unscaled():
    plain = Schedule.conventional("1e4", 64)
    assert scaled(plain, {"type": "dynamic", "factor": 4}, max_length=2048).angles == plain.angles


def test_dynamic_with_alpha():
    schedule = scaled(Schedule.conventional("1e4", 128), {"type": "dynamic", "alpha": 1000, "factor": 1})
    with mpmath.workdps(DIGITS):
        changed = mpmath.mpf(10000) * mpmath.mpf(1000) ** (mpmath.mpf(128) / 126)
        assert_schedule(schedule, [changed ** (-mpmath.mpf(j) / 64) for j in range(64)])
    assert schedule.scaling.unused == ("factor",)


@pytest.mark.parametrize(("base", "dim"), BASES)
@pytest.mark.parametrize("truncate", [True, False])
@pytest.mark.parametrize("more", [
    {"factor": 32}, {"factor": "4.0", "beta_fast": "20", "beta_slow": "0.5"}, {"factor": 1}, {"factor": 8, "beta_fast": 10000},
    {"factor": 8, "beta_fast": "1e9", "beta_slow": "1e8"}, {"factor": 40, "original_max_position_embeddings": 7},
])  # fmt: skip
def test_yarn(base, dim, truncate, more):
    p = {"rope_type": "yarn", "original_max_position_embeddings": 4096, "truncate": truncate, **more}
    with mpmath.workdps(DIGITS):
        schedule = scaled(Schedule.conventional(base, dim), p)
        assert_schedule(schedule, yarn_angles(base, dim, p))
    unproved = [angle for angle in schedule.angles if angle.irrational_because is None]
    assert all(angle.unit == "real" for angle in unproved)
    assert not (truncate and unproved)


def test_what_is_proved_of_yarn():
    """gpt-oss: the pairs on the ramp have no proof without truncation, all others are multiples of theta."""
    p = {"rope_type": "yarn", "factor": 32, "original_max_position_embeddings": 4096, "truncate": False}
    angles = scaled(Schedule.conventional(150000, 64), p).angles
    assert [j for j, angle in enumerate(angles) if angle.irrational_because is None] == list(range(9, 18))
    p["truncate"] = True
    ramp = scaled(Schedule.conventional(150000, 64), p).angles
    assert {angle.unit for angle in ramp} == {"one", "power"}
    assert ramp[8] == angles[8]
    assert ramp[18] == angles[18]


@pytest.mark.parametrize(("base", "dim"), BASES)
@pytest.mark.parametrize(
    ("factor", "low", "high", "original"),
    [("8", 1, 4, 8192), ("32.0", 1, 4, 8192), ("1", 1, 4, 8192), ("3", "0.5", "1.5", 500), ("0.5", 1, 4, 8192)],
)
def test_llama3(base, dim, factor, low, high, original):
    p = {
        "rope_type": "llama3", "factor": factor, "low_freq_factor": low, "high_freq_factor": high,
        "original_max_position_embeddings": original,
    }  # fmt: skip
    with mpmath.workdps(DIGITS):
        schedule = scaled(Schedule.conventional(base, dim), p)
        assert_schedule(schedule, llama3_angles(base, dim, p))
    assert all(angle.irrational_because for angle in schedule.angles)


def test_the_middle_band_of_llama3():
    p = {
        "rope_type": "llama3", "factor": 8, "low_freq_factor": 1, "high_freq_factor": 4, "original_max_position_embeddings": 8192,
    }  # fmt: skip
    angles = scaled(Schedule.conventional("5e5", 128), p).angles
    middle = [j for j, angle in enumerate(angles) if angle.unit == "real"]
    assert middle == list(range(29, 35))
    for j in middle:
        assert "polynomial in 1/pi" in angles[j].irrational_because
        assert angles[j].turns is None
        assert angles[j].rational is None
    assert angles[28].unit == angles[35].unit == "power"


EXT = ["1.05", "1", "2.5", "64.25"]


@pytest.mark.parametrize("length", [4096, 4097, None])
def test_longrope(length):
    p = {
        "type": "longrope",
        "short_factor": ["1", "1", "1", "1.01"],
        "long_factor": EXT,
        "original_max_position_embeddings": 4096,
    }
    schedule = scaled(Schedule.conventional("1e4", 8), p, length=length, max_length=131072)
    chosen = p["short_factor"] if length == 4096 else EXT
    with mpmath.workdps(DIGITS):
        assert_schedule(
            schedule, [1 / (mp(ext) * mpmath.mpf(10000) ** (mpmath.mpf(j) / 4)) for j, ext in enumerate(chosen)]
        )
    assert schedule.scaling["factors"] == ("short" if length == 4096 else "long")
    lo, hi = schedule.attention_factor.enclose(100)  # sqrt(1 + 5/12)
    assert lo * lo < mpq(17, 12) < hi * hi


def attention(kind, **more):
    p = {"rope_type": kind, "original_max_position_embeddings": 4096, **more}
    if kind == "longrope":
        p |= {"short_factor": [1], "long_factor": [2]}
    return scaled(Schedule.conventional("1e4", 2), p, max_length=131072).attention_factor


@pytest.mark.parametrize(("kind", "more", "exact"), [
    ("yarn", {"factor": 40}, lambda: 1 + mpmath.log(40) / 10),
    ("yarn", {}, lambda: 1 + mpmath.log(32) / 10),
    ("yarn", {"factor": 40, "mscale": "0.707", "mscale_all_dim": "1.2"}, lambda: (1 + mp("0.0707") * mpmath.log(40)) / (1 + mp("0.12") * mpmath.log(40))),
    ("yarn", {"factor": 40, "mscale": "0.707"}, lambda: 1 + mpmath.log(40) / 10),
    ("longrope", {"factor": 12}, lambda: mpmath.sqrt(1 + mpmath.log(12) / mpmath.log(4096))),
    ("longrope", {}, lambda: mpmath.sqrt(mpmath.mpf(17) / 12)),
])  # fmt: skip
def test_irrational_attention_factors(kind, more, exact):
    with mpmath.workdps(DIGITS):
        value = exact()
        lo, hi = attention(kind, **more).enclose(100)
        assert (
            mpmath.mpf(int(lo.numerator)) / int(lo.denominator)
            < value
            < mpmath.mpf(int(hi.numerator)) / int(hi.denominator)
        )
        assert hi - lo < mpq(1, 1 << 95)


@pytest.mark.parametrize(("kind", "more", "exact"), [
    ("yarn", {"factor": 40, "mscale": "0.707", "mscale_all_dim": "0.707"}, 1), ("yarn", {"factor": 1}, 1), ("yarn", {"factor": "0.5"}, 1),
    ("yarn", {"factor": 40, "attention_factor": "1.1"}, mpq(11, 10)), ("longrope", {"attention_factor": "1.19"}, mpq(119, 100)),
    ("longrope", {"factor": 1}, 1), ("longrope", {"factor": 512, "original_max_position_embeddings": 1 << 16}, mpq(5, 4)),
    ("longrope", {"long_mscale": "1.25", "short_mscale": "1.5"}, mpq(5, 4)),
])  # fmt: skip
def test_rational_attention_factors(kind, more, exact):
    assert attention(kind, **more) == exact


@given(st.integers(2, 40), st.integers(2, 40), st.integers(-6, 6), st.integers(1, 6))
def test_ratio_of_logarithms(a, b, p, q):
    x, y = mpq(a, b), mpq(a, b)
    if a != b:
        assert log_ratio(x**p, y**q) == mpq(p, q)
    found = log_ratio(mpq(a), mpq(b))
    with mpmath.workdps(40):
        ratio = mpmath.log(a) / mpmath.log(b)
        near = [
            Fraction(round(ratio * n), n)
            for n in range(1, 7)
            if abs(ratio * n - round(ratio * n)) < mpmath.mpf(10) ** -30
        ]
    assert (found is None) == (not near)
    assert found is None or found == mpq(near[0].numerator, near[0].denominator)


def test_proportional():
    """Gemma 4: exponents over the whole head, a tail of zero angles."""
    schedule = scaled(
        Schedule.conventional("1e6", 512), {"rope_type": "proportional", "partial_rotary_factor": "0.25", "factor": 2}
    )
    assert [bool(angle) for angle in schedule.angles] == [True] * 64 + [False] * 192
    assert schedule.angles[:64] == tuple(
        angle.times(mpq(1, 2)) for angle in Schedule.conventional("1e6", 512).angles[:64]
    )
    assert schedule.exponents[63:65] == (mpq(126, 512), None)


@pytest.mark.parametrize("more", [{"partial_rotary_factor": "0.4"}, {"rotary_dim": 32}])
def test_partial(more):
    """phi-2: the schedule has the rotated pairs alone."""
    whole = Schedule.conventional("1e4", 80)
    schedule = scaled(whole, {"rope_type": "default", **more})
    assert schedule.angles == Schedule.conventional("1e4", 32).angles
    assert (schedule.dim, str(schedule.scaling)) == (32, "partial (rotary_dim 32, head_dim 80)")
    both = scaled(whole, {"rope_type": "linear", "factor": 2, **more})
    assert str(both.scaling) == "linear (rotary_dim 32, head_dim 80, factor 2)"
    assert both.angles[3] == schedule.angles[3].times(mpq(1, 2))


def test_sections_change_nothing_in_text():
    plain = Schedule.conventional("1e6", 128)
    for kind in ("mrope", "default"):
        schedule = scaled(plain, {"type": kind, "mrope_section": [16, 24, 24]})
        assert schedule.angles == plain.angles
        assert schedule.scaling["mrope_section"] == (16, 24, 24)


def test_default_and_unused_keys():
    plain = Schedule.conventional("1e6", 128)
    assert scaled(plain, {"rope_type": "default", "rope_theta": 1e6}) == plain
    assert scaled(plain, {}) == plain
    assert scaled(plain, {"type": "default", "factor": 8}).scaling == Scaling("default", (), ("factor",))
    assert plain.scaled({"type": "linear", "factor": 2, "finetuned": True, "x": None}).scaling.unused == ("finetuned",)
    assert hash(plain) == hash(Schedule.conventional("1000000", 128))


LLAMA3 = {
    "rope_type": "llama3",
    "factor": 8,
    "low_freq_factor": 1,
    "high_freq_factor": 4,
    "original_max_position_embeddings": 8192,
}
LONG = {
    "type": "longrope",
    "short_factor": [1, 1],
    "long_factor": [1, 2],
    "original_max_position_embeddings": 8,
    "factor": 2,
}


@pytest.mark.parametrize(("p", "named"), [
    ([], "rope_scaling"), ({"rope_type": "ntk"}, "rope_type"), ({"type": 3}, "type"), ({"factor": 2}, "rope_type"),
    ({"type": "linear"}, "factor"), ({"type": "linear", "factor": 0}, "factor"), ({"type": "linear", "factor": float("nan")}, "factor"),
    ({"type": "linear", "factor": -1}, "factor"), ({"type": "linear", "factor": True}, "factor"), ({"type": "linear", "factor": [2]}, "factor"),
    ({"type": "linear", "factor": "1e400"}, "factor"), ({"type": "linear", "factor": 2, "rope_theta": 5}, "rope_theta"),
    ({"type": "dynamic", "factor": 2}, "max_position_embeddings"), ({"type": "yarn", "original_max_position_embeddings": 8}, "factor"),
    ({"type": "yarn", "factor": 2}, "original_max_position_embeddings"), ({"type": "yarn", "factor": 2, "original_max_position_embeddings": 8.5}, "original_max_position_embeddings"),
    ({"type": "yarn", "factor": 2, "original_max_position_embeddings": 8, "truncate": 1}, "truncate"),
    ({"type": "yarn", "factor": 2, "original_max_position_embeddings": 8, "beta_fast": 1}, "beta_fast"),
    ({"type": "yarn", "factor": 2, "original_max_position_embeddings": 8, "mscale": -1}, "mscale"),
    ({"type": "yarn", "factor": 2, "original_max_position_embeddings": 8, "attention_factor": 0}, "attention_factor"),
    *[({key: value for key, value in LLAMA3.items() if key != gone}, gone) for gone in LLAMA3],
    ({**LLAMA3, "high_freq_factor": 0.5}, "high_freq_factor"), ({**LLAMA3, "original_max_position_embeddings": 0}, "original_max_position_embeddings"),
    ({**LONG, "short_factor": [1]}, "short_factor"), ({**LONG, "long_factor": [1, 0]}, r"long_factor\[1\]"), ({**LONG, "long_factor": [1, "x"]}, r"long_factor\[1\]"),
    ({**LONG, "long_factor": 3}, "long_factor"), ({**LONG, "short_factor": None}, "short_factor"), ({**LONG, "original_max_position_embeddings": 1}, "original_max_position_embeddings"),
    (LONG, "max_position_embeddings"), ({"type": "mrope"}, "mrope_section"), ({"type": "mrope", "mrope_section": [1, 2]}, "mrope_section"),
    ({"type": "mrope", "mrope_section": [0.5, 1.5]}, "mrope_section"), ({"partial_rotary_factor": 2}, "partial_rotary_factor"),
    ({"partial_rotary_factor": "0.75"}, "partial_rotary_factor"), ({"partial_rotary_factor": "0.25"}, "partial_rotary_factor"), ({"rotary_dim": 6}, "rotary_dim"),
    ({"rotary_dim": 3}, "rotary_dim"), ({"type": "proportional", "partial_rotary_factor": "1.5"}, "partial_rotary_factor"),
])  # fmt: skip
def test_bad_parameters_are_named(p, named):
    with pytest.raises(InputError, match=f"^{named}: "):
        scaled(Schedule.conventional("1e4", 4), p)


def test_bad_schedules():
    plain = Schedule.conventional("1e4", 4)
    for dim in (0, -2, 3, True, 2.0, MAX_DIM + 2):
        with pytest.raises(InputError, match=r"^dim: "):
            Schedule.conventional("1e4", dim)
    for base in (0, -1, "x", float("inf"), None):
        with pytest.raises(InputError, match=r"^base: "):
            Schedule.conventional(base, 4)
    for unfit in (Schedule.of([1]), plain.resonance(), scaled(plain, {"type": "linear", "factor": 2})):
        with pytest.raises(InputError, match=r"^schedule: "):
            scaled(unfit, {"type": "linear", "factor": 2})
    for length in (0, True, 2.5):
        with pytest.raises(InputError, match=r"^length: "):
            scaled(plain, {"type": "linear", "factor": 2}, length=length)
    with pytest.raises(InputError, match=r"^dim: "):
        scaled(Schedule.conventional("1e4", 2), {"type": "dynamic", "factor": 2}, max_length=8)
    with pytest.raises(InputError, match=r"^rope_theta: "):
        scaled(Schedule.conventional(1, 4), {"type": "yarn", "factor": 2, "original_max_position_embeddings": 8})
    with pytest.raises(InputError, match=r"^theta: "):
        Schedule.of([])


def test_a_part_that_binary64_rounds_otherwise_is_refused():
    part = "0.58"  # 58 of 100 dims, but 0.58 * 100 = 57.99999999999999 in binary64
    with pytest.raises(UnsupportedError, match="58 dims, but 57"):
        scaled(Schedule.conventional("1e4", 100), {"rope_type": "default", "partial_rotary_factor": part})


# Angles that are reals of another kind.


def middle_angle():
    return scaled(Schedule.conventional("5e5", 128), LLAMA3).angles[31]


@pytest.mark.parametrize("i", [0, 1, 7, 4096, 10**12 + 7])
@pytest.mark.parametrize("which", ["llama3", "yarn", "dynamic"])
def test_turning_by_other_reals(which, i):
    with mpmath.workdps(DIGITS + 20):
        if which == "llama3":
            angle, value = middle_angle(), llama3_angles("5e5", 128, LLAMA3)[31]
        elif which == "yarn":
            p = {"rope_type": "yarn", "factor": 32, "original_max_position_embeddings": 4096, "truncate": False}
            angle, value = scaled(Schedule.conventional(150000, 64), p).angles[12], yarn_angles(150000, 64, p)[12]
        else:
            angle = scaled(
                Schedule.conventional("1e4", 64), {"type": "dynamic", "factor": 2}, length=8192, max_length=4096
            ).angles[5]
            value = dynamic_angles("1e4", 64, {"factor": 2, "length": 8192, "most": 4096})[5]
        assert angle.unit == "real"
        for function, peer in ((cos_of, mpmath.cos), (sin_of, mpmath.sin)):
            exact, expected = function(angle, i), peer(value * i)
            if i == 0:
                assert exact == expected
                continue
            lo, hi = exact.enclose(150)
            assert hi - lo < mpq(1, 1 << 145)
            assert (
                mpmath.mpf(int(lo.numerator)) / int(lo.denominator)
                < expected
                < mpmath.mpf(int(hi.numerator)) / int(hi.denominator)
            )
        words = turn_words(angle)
        held = sum(int(word) << shift for word, shift in zip(words, (128, 64, 0), strict=True))
        turns = value / (2 * mpmath.pi)
        assert abs(mpmath.mpf(held) / 2**192 - (turns - mpmath.floor(turns))) < mpmath.mpf(2) ** -190


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "fp32"])
def test_the_fast_blocks_of_another_real(dtype, same_bits):
    realization = realize("ideal", middle_angle(), ValueSet.parse(dtype))
    c, s = blocks(realization, 1000, 1200)
    expected = [realization.block(i) for i in range(1000, 1200)]
    same_bits(c, [float(block[0]) for block in expected])
    same_bits(s, [float(block[1]) for block in expected])


def test_equality_and_texts_of_other_reals():
    angle = middle_angle()
    assert angle == middle_angle()
    assert hash(angle) == hash(middle_angle())
    assert angle != scaled(Schedule.conventional("5e5", 128), LLAMA3).angles[32]
    assert str(angle.times(3)) == f"3*{angle}"
    assert angle.times(mpq(1, 3)).times(3) == angle
    assert angle.times(0) == Angle(mpq(0))
    assert angle.times(-1).enclose(80) == tuple(-end for end in reversed(angle.enclose(80)))
    lo, hi = angle.times(-5).enclose_turns(90)
    assert lo < hi < 0
    assert hi - lo <= -lo * mpq(1, 1 << 88)


def test_a_comparison_that_would_not_end_is_given_up():
    """A third of pi, said to be unknown: its cosine is 1/2, which no number of bits tells from 1/2."""
    calls = []

    def bounds(bits):
        calls.append(bits)
        return tuple(end / 3 for end in pi_bounds(bits + 8))

    secret = Angle(mpq(1), "real", real=NamedReal("x", bounds))
    assert secret.irrational_because is None
    with pytest.raises(UnsupportedError, match="not proved"):
        cos_of(secret).exceeds(mpq(1, 2))
    with pytest.raises(UnsupportedError, match="not proved"):
        round_exact(ValueSet.parse("fp16:up"), cos_of(secret))
    assert round_exact(ValueSet.parse("fp16"), cos_of(secret)) == mpq(1, 2)  # well inside a cell
    with pytest.raises(UnsupportedError, match="not proved"):
        turn_words(secret.times(mpq(3, 4) / (1 << 10)))
    assert max(calls) <= MAX_BITS


def test_narrowing_gives_up_at_zero():
    with pytest.raises(UnsupportedError, match="is 0, or so near to 0"):
        narrowed(lambda bits: plus(log_bounds(mpq(2), bits), product(point(-1), log_bounds(mpq(2), bits))), 64, "x")
    assert over(point(1), (mpq(-1), mpq(1))) is None


def test_products_of_powers():
    assert product_of_powers(mpq(16), mpq(-1, 4), mpq(9), mpq(1, 2)) == Angle(mpq(3, 2))
    assert product_of_powers(mpq(12), mpq(1, 2), mpq(3), mpq(1, 2)) == Angle(mpq(6))  # neither is rational
    assert product_of_powers(mpq(12), mpq(1, 2), mpq(1), mpq(1, 3)) == power_angle(mpq(12), mpq(1, 2))
    assert product_of_powers(mpq(12), mpq(1, 2), mpq(3), mpq(0)) == power_angle(mpq(12), mpq(1, 2))
    assert product_of_powers(mpq(12), mpq(1, 2), mpq(3), mpq(1, 3)).unit == "real"


# Resonance RoPE and P-RoPE.


@pytest.mark.parametrize(("base", "dim"), [("10000", 32), ("10000", 128), ("5e5", 128), ("2/3", 16)])
def test_resonance(base, dim):
    schedule = Schedule.conventional(base, dim).resonance()
    with mpmath.workdps(DIGITS):
        wavelengths = [int(mpmath.nint(2 * mpmath.pi / theta)) for theta in plain_angles(base, dim)]
    assert [angle.turns for angle in schedule.angles] == [mpq(1, m) for m in wavelengths]
    assert schedule.scaling["wavelengths"] == tuple(wavelengths)
    assert (schedule.base, schedule.dim) == (mpq(base), dim)


@pytest.mark.parametrize(("dim", "decimals"), [(32, 37.9), (128, 85.8)])
def test_joint_period_of_resonance(dim, decimals):
    period = math.lcm(*(int(angle.turns.denominator) for angle in Schedule.conventional("1e4", dim).resonance().angles))
    assert round(math.log10(period), 1) == decimals


def test_resonance_of_other_schedules():
    angles = Schedule.of(["0", "2pi/5", "4pi/5", "4pi/7", "-2pi/5"]).resonance().angles  # wavelengths 5, 2.5 and 3.5
    assert [str(angle) for angle in angles] == ["0", "0.4*pi", "pi", "0.5*pi", "-0.4*pi"]
    llama3 = scaled(Schedule.conventional("5e5", 128), LLAMA3)
    with mpmath.workdps(DIGITS):
        wavelengths = [int(mpmath.nint(2 * mpmath.pi / theta)) for theta in llama3_angles("5e5", 128, LLAMA3)]
    assert llama3.resonance().scaling["wavelengths"] == tuple(wavelengths)
    assert llama3.resonance().scaling["of"] == llama3.scaling
    with pytest.raises(InputError, match=r"^theta: "):
        Schedule.of(["13"]).resonance()


@pytest.mark.parametrize("kind", ["ideal", "phase", "counter", "recurrence"])
def test_windowed(kind):
    angle, values = Angle.parse("0.1"), ValueSet.parse("fp16")
    inner, outer = realize(kind, angle, values), windowed(kind, 7).rotation(angle, values)
    assert [outer.block(i) for i in range(30)] == [inner.block(i % 7) for i in range(30)]
    assert (outer.name, outer.length, outer.angle, outer.values) == (f"{kind} mod 7", None, angle, values)
    assert outer.bias_angle() == inner.bias_angle()
    assert realize(windowed(kind, 7), angle, values).block(12) == inner.block(5)
    c, s = blocks(outer, 5, 25)
    assert [(float(a), float(b)) for a, b in (outer.block(i) for i in range(5, 25))] == list(zip(c, s, strict=True))


def test_a_window_over_a_finite_array():
    class Short:
        """Five known positions."""

        length = 5
        name = "array"

        def block(self, position):
            return mpq(position), mpq(0)

    assert Windowed(Short(), 5).length is None
    assert Windowed(Short(), 5).block(13) == (3, 0)
    assert Windowed(Short(), 6).length == 5
    with pytest.raises(IndexError):
        Windowed(Short(), 6).block(6)


@pytest.mark.parametrize("window", [0, -1, True, 2.0, None])
def test_bad_windows(window):
    with pytest.raises(InputError, match=r"^window: "):
        windowed("phase", window)
    with pytest.raises(InputError, match=r"^window: "):
        Windowed(realize("phase", Angle.parse("1"), ValueSet.parse("fp16")), window)


# Inverse frequencies in fp16: figures that users meet.


@pytest.mark.parametrize(("base", "subnormals", "zeros"), [("1e4", 0, 0), ("1e6", 19, 0), ("1e8", None, 3)])
def test_inverse_frequencies_in_fp16(base, subnormals, zeros):
    fp16 = ValueSet.parse("fp16")
    stored = [round_angle(fp16, angle) for angle in Schedule.conventional(base, 128).angles]
    assert sum(value == 0 for value in stored) == zeros
    if subnormals is not None:
        assert sum(0 < value < fp16.min_normal for value in stored) == subnormals


def test_every_kind_is_tested_here():
    assert set(KINDS) == {"default", "mrope", "linear", "dynamic", "yarn", "longrope", "su", "llama3", "proportional"}
