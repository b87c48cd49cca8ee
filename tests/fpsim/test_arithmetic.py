"""The public operations: every way in (types of operands), every way out (types of results), errors, stochastic
rounding."""

from __future__ import annotations

import math
from collections.abc import Callable
from fractions import Fraction
from typing import Any

import gmpy2
import ml_dtypes
import numpy as np
import pytest
from gmpy2 import mpq

import fpsim
from fpsim import reference
from fpsim.errors import InputError
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

SETS = ["fp16", "fp32", "fp64", "e4m3", "fp16:up", "nf4", "fixed:8.3", "fp64:down", "e11m10", "fp16:stochastic=5"]
ARITIES = {"add": 2, "sub": 2, "mul": 2, "div": 2, "fma": 3, "sqrt": 1, "exp": 1, "sin": 1, "cos": 1}


@pytest.mark.parametrize("operation", ARITIES)
@pytest.mark.parametrize("name", SETS)
def test_arrays_and_numbers_agree_with_the_reference(
    name: str, operation: str, element: Any, same_bits: Callable[[Any, Any], None]
) -> None:
    values = ValueSet.parse(name)
    rng = np.random.default_rng(11)
    operands = [
        np.concatenate((rng.normal(size=20), [0.0, -0.0, math.inf, math.nan, 1e5])) for _ in range(ARITIES[operation])
    ]
    fast, slow = getattr(fpsim, operation), getattr(reference, operation)
    got = fast(values, *operands, operation=40)
    rows = list(zip(*(x.tolist() for x in operands), strict=True))
    expected = [float(slow(values, *map(element, row), operation=40 + i)) for i, row in enumerate(rows)]
    same_bits(got, expected)
    assert got.dtype == np.float64
    same_bits([fast(values, *row, operation=40 + i) for i, row in enumerate(rows)], expected)


def test_operands_are_taken_exactly() -> None:
    third = Fraction(1, 3)
    assert fpsim.round("fp16", third) == float(np.float16(1 / 3))
    assert fpsim.add("fp64", "0.1", "0.2") == 0.3  # the exact decimals, not their binary64 neighbours
    assert fpsim.add("fp64", 0.1, 0.2) == 0.30000000000000004
    assert fpsim.sub("fp16", third, mpq(1, 3)) == 0.0
    assert fpsim.mul("fp32", gmpy2.mpfr("0.1", 200), 10**30) == float(np.float32(1e29))
    assert fpsim.round("fp16", np.float32(0.1)) == fpsim.round("fp16", float(np.float32(0.1)))
    assert fpsim.round("fp32", np.int64(2**53 + 1)) == 2.0**53
    assert math.copysign(1, fpsim.round("fp16", "-0")) == -1
    assert fpsim.round("fp16", "inf") == math.inf
    assert math.isnan(fpsim.add("fp16", "inf", "-inf"))
    assert fpsim.round("fp16", ml_dtypes.bfloat16(1.5)) == 1.5
    assert fpsim.round("fp16", np.longdouble(1) / 3) == float(np.float16(1 / 3))


@pytest.mark.parametrize(
    "dtype",
    [
        np.float16,
        np.float32,
        np.float64,
        np.int8,
        np.uint16,
        np.int64,
        np.longdouble,
        ml_dtypes.bfloat16,
        ml_dtypes.float8_e4m3fn,
        ml_dtypes.float4_e2m1fn,
        object,
        ">f8",
    ],
)
def test_arrays_of_any_real_type(dtype: Any) -> None:
    x = np.array([0, 1, 2, 3, 6]).astype(dtype)
    assert fpsim.add("fp16", x, 1).tolist() == [1, 2, 3, 4, 7]
    assert fpsim.round("e2m1", x).tolist() == [0, 1, 2, 3, 6]


def test_integers_and_texts_beyond_binary64_stay_exact() -> None:
    assert fpsim.round("fp64:up", np.array([2**53 + 1, 2**53])).tolist() == [2.0**53 + 2, 2.0**53]
    assert fpsim.round("fp16", ["0.1", "1/3"]).tolist() == [0.0999755859375, 0.333251953125]
    assert fpsim.round("fp32", [2**53 + 1, 0.5]).tolist() == [2.0**53, 0.5]


def test_broadcasting_and_shapes() -> None:
    a, b = np.arange(3.0)[:, None], np.arange(4.0)
    assert fpsim.mul("fp16", a, b).tolist() == (a * b).tolist()
    assert fpsim.add("fp16", np.zeros((0, 3)), 1.0).shape == (0, 3)
    strided = np.arange(10.0)[::-2]
    assert fpsim.round("fp16", strided).tolist() == strided.tolist()
    assert fpsim.exp("fp16", np.array(1.0)) == 2.71875  # an array without dimensions is a number
    with pytest.raises(InputError, match="broadcast"):
        fpsim.add("fp16", np.zeros(2), np.zeros(3))


def test_types_of_results() -> None:
    x = np.array([0.1, 0.2], np.float32)
    assert fpsim.add("fp16", x, 1).dtype == np.float32
    assert fpsim.add("fp16", x, np.ones(2)).dtype == np.float64
    assert fpsim.add("e5m25", x, x).dtype == np.float64  # 26 bits: not part of binary32
    assert fpsim.sin("fp16", np.repeat(x, 2000)).dtype == np.float32
    assert type(fpsim.add("fp16", 1, 2)) is float
    wide = fpsim.exp("fp128", 1)
    assert isinstance(wide, type(gmpy2.mpfr(0)))
    assert wide.precision == 113
    assert fpsim.round("fp128", [1, "0.1"]).dtype == object
    thirds = fpsim.grid([0, "1/3", "2/3"])
    assert fpsim.round(thirds, 0.4) == mpq(1, 3)
    assert fpsim.round(thirds, [0.4, 5]).tolist() == [mpq(1, 3), math.inf]


def test_wide_formats_agree_with_mpfr() -> None:
    """fp128 against gmpy2 at 113 bits: the same operation, rounded once by another program."""
    with gmpy2.context(precision=113):
        a, b = gmpy2.mpfr("0.1"), gmpy2.mpfr("1e20")
        expected = {
            "add": a + b,
            "sub": a - b,
            "mul": a * b,
            "div": a / b,
            "sqrt": gmpy2.sqrt(a),
            "exp": gmpy2.exp(a),
            "sin": gmpy2.sin(b),
            "cos": gmpy2.cos(b),
        }
    for name, result in expected.items():
        operands = (a, b)[: ARITIES[name]] if name not in ("sin", "cos") else (b,)
        assert getattr(fpsim, name)("fp128", *operands) == result


@pytest.mark.parametrize("name", ["fp16", "nf4", "fp16:up", "fp16:stochastic=2", "fp64"])
def test_out(name: str, same_bits: Callable[[Any, Any], None]) -> None:
    x = np.array([[0.1, 2049.0], [-3.3, 7.7]])
    expected = fpsim.round(name, x)
    out = np.empty_like(x)
    assert fpsim.round(name, x, out=out) is out
    same_bits(out, expected)
    columns = np.empty((2, 4))[:, ::2]  # not contiguous
    same_bits(fpsim.round(name, x, out=columns), expected)
    same = x.copy()
    same_bits(fpsim.round(name, same, out=same), expected)


def test_out_of_another_type_is_refused() -> None:
    x = np.zeros(3)
    for values, out in (
        ("fp16", np.empty(4)),
        ("fp16", np.empty(3, np.float16)),
        ("fp64", np.empty(3, np.float32)),
        ("fp128", np.empty(3)),
        ("fp16", [0.0] * 3),
    ):
        with pytest.raises(InputError, match="out"):
            fpsim.round(values, x, out=out)
    with pytest.raises(InputError, match="out"):
        fpsim.round("fp16", 1.0, out=np.empty(1))
    narrow = np.empty(3, np.float32)
    assert fpsim.round("fp16", x, out=narrow) is narrow


@pytest.mark.parametrize(
    "bad",
    [
        np.array([True]),
        np.array([1j]),
        np.array(["a"]),
        [None],
        np.zeros(2, "M8[s]"),
        [[1], [1, 2]],
        "one",
        None,
        1j,
        True,
        np.zeros(2, [("a", "f8")]),
    ],
)
def test_what_is_no_real_number_is_refused(bad: Any) -> None:
    with pytest.raises(InputError):
        fpsim.add("fp16", bad, 1.0)


def test_signalling_nan_raises_no_warning() -> None:
    x = np.array([0x7F800001, 0x3F800000], np.uint32).view(np.float32)
    assert np.isnan(fpsim.add("fp16", x, 1)[0])
    assert np.isnan(fpsim.round("fp64", x)[0])


def test_stochastic_rounding_depends_on_seed_and_operation_only() -> None:
    values = ValueSet.parse("fp16:stochastic=9")
    x = np.full(50, 1 + 2.0**-12)
    first = fpsim.round(values, x, operation=7)
    assert first.tolist() == [float(round_exact(values, mpq(x[0]), 7 + i)) for i in range(50)]
    assert set(first) == {1.0, 1 + 2.0**-10}
    assert fpsim.round(values, x[10:20], operation=17).tolist() == first[10:20].tolist()
    assert fpsim.round("fp16:stochastic=10", x, operation=7).tolist() != first.tolist()


@pytest.mark.parametrize("dtype", [np.float64, np.float32])
def test_an_out_that_overlaps_the_input_gets_the_right_values(dtype: Any) -> None:
    base = np.linspace(0.1, 900.1, 1001).astype(dtype)
    for source, target in (
        (slice(None, -1), slice(1, None)),
        (slice(1, None), slice(None, -1)),
        (slice(None), slice(None)),
    ):
        x = base.copy()
        expected = fpsim.round("fp16", x[source].copy())
        fpsim.round("fp16", x[source], out=x[target])
        np.testing.assert_array_equal(x[target], expected)
