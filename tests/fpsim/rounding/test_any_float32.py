"""Rounding binary32 arrays in the other modes: against the binary64 kernels on many numbers, the reference on some."""

import numpy as np
import pytest
from gmpy2 import mpq

import fpsim
from fpsim.errors import InputError
from fpsim.rounding.any_float32 import AddedAny, ShiftedAny, any_spec32_of
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

SETS = [
    "fp16",
    "bf16",
    "tf32",
    "e4m3",
    "e5m2",
    "e3m2",
    "e2m1",
    "e4m3fnuz",
    "fixed:8.4",
    "fixed:12.11",
    "e6m13",
    "e8m10",
    "fixed:20.2",
]
OPTIONS = [
    ":up",
    ":down",
    ":zero",
    ":away",
    ":odd",
    ":ftz",
    ":up:saturate",
    ":zero:nan",
    ":away:nan",
    ":ftz:odd",
    ":saturate:down",
    ":ftz:zero",
]


def numbers(values):
    """Bit patterns at random, numbers around F's range and least value, values of F with their neighbours and midpoints."""
    random = np.random.default_rng(values.last)
    largest, least = float(values.max), float(values.min_positive)
    listed = np.array(
        [float(values.value(int(n))) for n in random.integers(values.first, values.last + 1, 400)], np.float32
    )
    middles = ((listed[1:].astype(float) + listed[:-1]) / 2).astype(np.float32)
    with np.errstate(over="ignore"):
        parts = [
            random.integers(0, 2**32, 4000, dtype=np.uint32).view(np.float32), random.normal(0, 1.2, 3000) * largest, random.normal(0, 6, 3000) * least,
            listed, np.nextafter(listed, np.float32(np.inf)), np.nextafter(listed, np.float32(-np.inf)), middles,
            [0.0, -0.0, np.inf, -np.inf, np.nan, largest, -largest],
        ]  # fmt: skip
        return np.concatenate([np.asarray(part).astype(np.float32) for part in parts])


def same_bits(a, b):
    a, b = np.asarray(a, np.float64), np.asarray(b, np.float64)
    np.testing.assert_array_equal(a, b)
    np.testing.assert_array_equal(np.signbit(a[~np.isnan(a)]), np.signbit(b[~np.isnan(b)]))


@pytest.mark.filterwarnings("ignore:invalid value encountered in cast")  # a signalling NaN among the bit patterns
@pytest.mark.parametrize("name", SETS)
def test_against_binary64_and_the_reference(name):
    for option in OPTIONS:
        try:
            values = ValueSet.parse(name + option)
        except InputError:  # ftz of a fixed-point set
            continue
        assert isinstance(any_spec32_of(values), AddedAny | ShiftedAny)
        x = numbers(values)
        rounded = fpsim.round(values, x)
        assert rounded.dtype == np.float32
        same_bits(rounded, fpsim.round(values, x.astype(np.float64)))
        some = slice(None, None, 97)
        exact = [round_exact(values, mpq(float(v)) if np.isfinite(v) and v != 0 else float(v)) for v in x[some]]
        same_bits(rounded[some], [float(v) for v in exact])


def test_where_binary32_does_not_serve():
    for name in ("fp16", "fp32:up", "e8m22:up", "e3m2:stochastic=1", "fp64:up", "fixed:24.140:up"):
        assert any_spec32_of(ValueSet.parse(name)) is None
