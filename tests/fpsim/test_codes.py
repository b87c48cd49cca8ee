"""Storage codes: every code of every small set, there and back, and the bits of NumPy's and ml_dtypes' types."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import ml_dtypes
import numpy as np
import pytest

import fpsim
from fpsim.errors import InputError
from fpsim.valueset import ValueSet


@pytest.mark.parametrize(
    ("name", "dtype", "bits"),
    [
        ("fp16", np.float16, 16),
        ("bf16", ml_dtypes.bfloat16, 16),
        ("e4m3", ml_dtypes.float8_e4m3fn, 8),
        ("e5m2", ml_dtypes.float8_e5m2, 8),
        ("e4m3fnuz", ml_dtypes.float8_e4m3fnuz, 8),
        ("e5m2fnuz", ml_dtypes.float8_e5m2fnuz, 8),
        ("e3m4", ml_dtypes.float8_e3m4, 8),
        ("e3m2", ml_dtypes.float6_e3m2fn, 6),
        ("e2m3", ml_dtypes.float6_e2m3fn, 6),
        ("e2m1", ml_dtypes.float4_e2m1fn, 4),
    ],
)
def test_codes_are_the_bits_of_other_libraries(
    name: str, dtype: Any, bits: int, same_bits: Callable[[Any, Any], None]
) -> None:
    codes = np.arange(1 << bits, dtype=np.uint16 if bits > 8 else np.uint8)
    with np.errstate(invalid="ignore"):  # signalling NaN
        numbers = codes.view(dtype).astype(np.float64)
    decoded = fpsim.decode(name, codes)
    same_bits(decoded, numbers)
    same_bits(
        [fpsim.decode(name, int(code)) for code in codes[:: max(1, codes.size // 256)]],
        numbers[:: max(1, codes.size // 256)],
    )
    known = ~np.isnan(numbers)
    encoded = fpsim.encode(name, numbers[known])
    assert encoded.dtype == codes.dtype
    assert encoded.tolist() == codes[known].tolist()
    assert [fpsim.encode(name, float(x)) for x in numbers[known][:300]] == codes[known][:300].tolist()


@pytest.mark.parametrize("name", ["fp16", "e4m3", "e5m2", "e4m3fnuz", "bf16"])
def test_a_nan_has_a_code_that_decodes_to_nan(name: str) -> None:
    assert math.isnan(fpsim.decode(name, fpsim.encode(name, math.nan)))
    assert fpsim.encode(name, np.array([math.nan])).tolist() == [fpsim.encode(name, math.nan)]


@pytest.mark.parametrize(
    "name",
    ["fp32", "fp64", "tf32", "fixed:8.3", "fixed:16.4", "nf4", "e6m1", "fp128", "fixed:80.3", "fp16:up", "e2m1:nan"],
)
def test_there_and_back(name: str) -> None:
    values = ValueSet.parse(name)
    rng = np.random.default_rng(2)
    indices = {values.first, values.last, 0, 1, -1, *(int(values.last * float(t)) for t in rng.uniform(-1, 1, 50))}
    for n in sorted(n for n in indices if values.first <= n <= values.last):
        x = values.value(n)
        assert fpsim.decode(values, fpsim.encode(values, x)) == x
    array = fpsim.round(values, rng.normal(size=40))
    assert fpsim.decode(values, fpsim.encode(values, array)).tolist() == array.tolist()
    if values.carrier == "float64":
        assert [fpsim.encode(values, x) for x in array.tolist()] == fpsim.encode(values, array).tolist()


def test_bits_of_binary32_and_binary64() -> None:
    x = np.random.default_rng(4).normal(size=1000)
    assert fpsim.encode("fp64", x).tolist() == x.view(np.uint64).tolist()
    narrow = x.astype(np.float32)
    assert fpsim.encode("fp32", narrow).tolist() == narrow.view(np.uint32).tolist()
    assert fpsim.encode("fp32", np.float32([1e-45, -0.0, math.inf])).tolist() == [1, 1 << 31, 0x7F800000]


def test_fixed_point_is_twos_complement() -> None:
    assert fpsim.encode("fixed:8.0", [0.0, 1.0, -1.0, 127.0, -127.0]).tolist() == [0, 1, 255, 127, 129]
    with pytest.raises(InputError, match="codes"):
        fpsim.decode("fixed:8.0", 128)  # -128 is no value of the symmetric set


def test_grid_codes_are_ranks_then_specials() -> None:
    assert fpsim.encode("nf4", [-1.0, 0.0, 1.0, math.inf, -math.inf, math.nan]).tolist() == [0, 7, 15, 16, 17, 18]
    assert fpsim.decode("nf4", [16, 17]).tolist() == [math.inf, -math.inf]


@pytest.mark.parametrize(
    ("name", "x", "place"),
    [
        ("fp16", [1.0, 0.1], 1),
        ("e2m1", [math.inf], 0),
        ("e4m3", [1.0, 2.0, math.inf], 2),
        ("e2m1:nan", [math.nan], 0),
        ("fixed:8.3", [0.01], 0),
        ("nf4", [1.0, 0.5], 1),
        ("fp16", [70000.0], 0),
        ("fp16:ftz", [2.0**-20], 0),
        ("fixed:8.3", [math.nan], 0),
    ],
)
def test_the_first_element_without_a_code_is_named(name: str, x: list[float], place: int) -> None:
    with pytest.raises(InputError, match=rf"x\[{place}\]"):
        fpsim.encode(name, x)
    with pytest.raises(InputError, match="x"):
        fpsim.encode(name, x[place])


@pytest.mark.parametrize("codes", [-1, 1 << 16, [0, -3], [1 << 20], 1.5, ["1"], True])
def test_codes_out_of_range_are_refused(codes: Any) -> None:
    with pytest.raises(InputError, match="codes"):
        fpsim.decode("fp16", codes)


def test_ftz_decodes_subnormals_as_zeros() -> None:
    assert fpsim.decode("fp16:ftz", [1, 0x8001, 0x0400]).tolist() == [0.0, 0.0, 2.0**-14]
    assert math.copysign(1, fpsim.decode("fp16:ftz", 0x8001)) == -1
