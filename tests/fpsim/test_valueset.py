"""Value sets: the table of formats, indices, parsing and its errors."""

import ml_dtypes
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from fpsim.errors import InputError
from fpsim.formats import FORMATS
from fpsim.valueset import ValueSet
from fpsim.valueset_text import fixed_point, float_format

# Each line from the standard or the paper that defines the format, as decimals and powers of two.
LARGEST = {
    "fp64": mpq(2**53 - 1) * 2**971,
    "fp32": mpq(2**24 - 1) * 2**104,
    "tf32": mpq(2**11 - 1) * 2**117,
    "bf16": mpq(2**8 - 1) * 2**120,
    "fp16": 65504,
    "e5m2": 57344,
    "e4m3": 448,
    "e3m2": 28,
    "e2m3": mpq("7.5"),
    "e2m1": 6,
    "e4m3fnuz": 240,
    "e5m2fnuz": 57344,
    "fp128": mpq(2**113 - 1) * mpq(2) ** 16271,
}
ML_DTYPES = {
    "bf16": "bfloat16",
    "e5m2": "float8_e5m2",
    "e4m3": "float8_e4m3fn",
    "e4m3fnuz": "float8_e4m3fnuz",
    "e5m2fnuz": "float8_e5m2fnuz",
    "e3m2": "float6_e3m2fn",
    "e2m3": "float6_e2m3fn",
    "e2m1": "float4_e2m1fn",
}
SMALL = ["e5m2", "e4m3", "e3m2", "e2m3", "e2m1", "e4m3fnuz", "e5m2fnuz", "e2m2", "fixed:8.4", "fixed:2.0", "nf4"]


@pytest.mark.parametrize("name", FORMATS)
def test_largest_value(name):
    assert ValueSet.parse(name).max == LARGEST[name]
    assert ValueSet.parse(name).min == -LARGEST[name]


@pytest.mark.parametrize(("name", "peer"), ML_DTYPES.items())
def test_facts_agree_with_ml_dtypes(name, peer):
    info, values = ml_dtypes.finfo(getattr(ml_dtypes, peer)), ValueSet.parse(name)
    assert (float(values.max), float(values.min_positive), float(values.min_normal)) == (
        float(info.max),
        float(info.smallest_subnormal),
        float(info.smallest_normal),
    )


@pytest.mark.parametrize("name", ["fp16", "fp32", "fp64"])
def test_facts_agree_with_numpy(name):
    info, values = np.finfo({"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}[name]), ValueSet.parse(name)
    assert (float(values.max), float(values.min_positive), float(values.min_normal)) == (
        float(info.max),
        float(info.smallest_subnormal),
        float(info.smallest_normal),
    )


@pytest.mark.parametrize("name", ["fp16", *SMALL])
def test_values_rise_with_their_index(name):
    values = ValueSet.parse(name)
    listed = [values.value(n) for n in range(values.first, values.last + 1)]
    assert listed == sorted(set(listed))
    assert values.value(0) == 0
    assert values.size == len(listed)
    assert [values.index(x) for x in listed] == list(range(values.first, values.last + 1))
    if name == "fp16":
        codes = np.arange(0x7C00, dtype=np.uint16).view(np.float16)
        assert [float(x) for x in listed[values.last :]] == codes.astype(float).tolist()


@given(st.sampled_from(["fp16", "fp64", "fp128", *SMALL]), st.fractions(-(10**6), 10**6))
def test_floor_index_brackets_the_magnitude(name, x):
    values, magnitude, negative = ValueSet.parse(name), abs(mpq(x.numerator, x.denominator)), x < 0
    n = values.floor_index(magnitude, negative)
    sign = -1 if negative else 1
    assert abs(values.value(sign * n)) <= magnitude
    if (negative and -n > values.first) or (not negative and n < values.last):
        assert abs(values.value(sign * (n + 1))) > magnitude


def test_ftz_has_no_subnormal_values():
    values = ValueSet.parse("fp16:ftz")
    assert values.min_positive == mpq(1, 2**14)
    assert mpq(1, 2**15) not in values
    assert values.size == ValueSet.parse("fp16").size - 2 * 1023


def test_equal_by_content_and_hashable():
    assert ValueSet.parse("e5m10") == ValueSet.parse("fp16")
    assert ValueSet.parse("e8m7") == ValueSet.parse("bf16")
    assert ValueSet.parse("e4m3:saturate") != ValueSet.parse("e4m3")
    assert len({ValueSet.parse("fp16"), ValueSet.parse("e5m10"), ValueSet.parse("fp16:up")}) == 2
    with pytest.raises(AttributeError):
        ValueSet.parse("fp16").precision = 3


def test_named_formats_win_over_ieee():
    assert ValueSet.parse("e4m3").max == 448
    assert ValueSet.parse("e4m2").max == 224  # (2 - 2^-2) 2^7: the IEEE reading


def test_options_combine_in_any_order():
    assert ValueSet.parse("e4m3:saturate:zero") == ValueSet.parse("e4m3:zero:saturate")
    assert ValueSet.parse("fp16:stochastic=7").seed == 7


def test_high_precision_formats():
    assert ValueSet.parse("e19m236").precision == 237
    assert ValueSet.parse("e15m112") == ValueSet.parse("fp128")
    assert ValueSet.parse("fp128").carrier == "mpfr"
    assert ValueSet.parse("e12m10").carrier == "mpfr"  # 11 bits, but beyond the exponents of binary64
    assert ValueSet.parse("fp64").carrier == "float64"
    assert ValueSet.parse("fp16").fits_float32
    assert not ValueSet.parse("fp64").fits_float32


@pytest.mark.parametrize("text", [
    "", "fp17", "FP16", "e1m3", "e5m0", "e5m240", "e40m3", "fixed:1.0", "fixed:8", "fixed:999.1", "fp16:sideways", "fp16:up:down",
    "fp16:ftz:ftz", "e4m3:inf", "fixed:8.4:inf", "fixed:8.4:ftz", "nf4:ftz", "fp16:stochastic=", "fp16:stochastic=-1",
    "fp16:stochastic=1:up", "grid:", "grid:/does/not/exist", "٣", "e5m10\x00",
])  # fmt: skip
def test_bad_texts_are_refused_with_the_reason(text):
    with pytest.raises(InputError, match="should be"):
        ValueSet.parse(text)


def test_unknown_format_suggests_near_ones():
    with pytest.raises(InputError, match="did you mean"):
        ValueSet.parse("bfp16")


def test_constructors_check_their_arguments():
    with pytest.raises(InputError):
        float_format(300, -10, 10)
    with pytest.raises(InputError):
        float_format(5, 10, -10)
    with pytest.raises(InputError):
        fixed_point(1, 0)
