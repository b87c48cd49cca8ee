"""Compiled rounding of binary64 and binary32 numbers, at and beside every boundary of every small value set."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import ml_dtypes
import numpy as np
import pytest
from gmpy2 import mpq

from fpsim.arithmetic import round as round_public
from fpsim.array_kernels import round_array
from fpsim.grid_file import grid
from fpsim.rounding.dispatch import round_interval
from fpsim.rounding.float32 import Added, Shifted, spec32_of
from fpsim.rounding.reference import round_exact
from fpsim.rounding.specs import AnyFloat, Binary32, Binary64, Grid, NearestFloat, spec_of
from fpsim.valueset import ValueSet
from fpsim.valueset_text import float_format

Array = np.ndarray[Any, Any]
MODES = ["even", "away", "zero", "up", "down", "odd"]
SMALL = [
    "e4m3",
    "e5m2",
    "e3m2",
    "e2m3",
    "e2m1",
    "e4m3fnuz",
    "e5m2fnuz",
    "e3m4",
    "e6m1",
    "fixed:8.3",
    "fixed:6.0",
    "nf4",
]
SIXTEEN = ["fp16", "bf16", "fixed:16.8", "e6m9"]


@lru_cache(maxsize=4)
def probes(values: ValueSet) -> tuple[Array, Array, Array]:
    """(x, n, kind): every boundary between the indices n and n + 1, and points around it; kind tells which point x is.

    0: the value of n; 1: just above it; 2: just below the midpoint; 3: the midpoint; 4: just above it; 5: just below
    the value of n + 1.
    """
    n = np.arange(values.first, values.last)
    exact = [values.value(int(k)) for k in range(values.first, values.last + 1)]
    low, high = np.array([float(x) for x in exact[:-1]]), np.array([float(x) for x in exact[1:]])
    middle = np.array([float((a + b) / 2) for a, b in zip(exact, exact[1:], strict=False)])
    assert all(mpq(m) == (a + b) / 2 for m, a, b in zip(middle.tolist(), exact, exact[1:], strict=False))
    points = [
        low,
        np.nextafter(low, np.inf),
        np.nextafter(middle, -np.inf),
        middle,
        np.nextafter(middle, np.inf),
        np.nextafter(high, -np.inf),
    ]
    return np.concatenate(points), np.tile(n, 6), np.repeat(np.arange(6), n.size)


def expected_index(mode: str, n: Array, kind: Array) -> Array:
    """The index that a probe rounds to: from the definition of each mode, without any arithmetic on values."""
    positive = n >= 0
    to_upper = {
        "even": (kind >= 4) | ((kind == 3) & (n % 2 != 0)),
        "away": (kind >= 4) | ((kind == 3) & positive),
        "zero": (kind >= 1) & ~positive,
        "up": kind >= 1,
        "down": np.zeros(n.shape, bool),
        "odd": (kind >= 1) & (n % 2 == 0),
    }[mode]
    return n + to_upper


def check_boundaries(values: ValueSet, same_bits: Callable[[Any, Any], None]) -> None:
    spec = spec_of(values)
    assert spec is not None
    x, n, kind = probes(replace(values, rounding="even", overflow="inf", ftz=False))
    index = expected_index(values.rounding, n, kind)
    if values.ftz:
        index = np.where(np.abs(index) < values.least_index, 0, index)
    table = np.array([float(values.value(int(k))) for k in range(values.first, values.last + 1)])
    expected = table[index - values.first]
    if values.signed_zero:
        expected = np.where(expected == 0, np.copysign(0.0, x), expected)
    out = np.empty_like(x)
    round_array(spec, x, out)
    same_bits(out, expected)


def beyond(values: ValueSet) -> list[float]:
    """Numbers at and around the ends of the range, specials, tiny and huge ones."""
    found = [
        0.0,
        -0.0,
        math.inf,
        -math.inf,
        math.nan,
        5e-324,
        -5e-324,
        1e-300,
        -1e-300,
        1e300,
        -1e300,
        1.7e308,
        -1.7e308,
    ]
    for top, inner in ((values.last, values.last - 1), (values.first, values.first + 1)):
        if top:
            last, before = values.value(top), values.value(inner)
            for x in (last, last + (last - before) / 2, last + (last - before), 2 * last):
                found += [float(x), math.nextafter(float(x), math.inf), math.nextafter(float(x), -math.inf)]
    return found


@pytest.mark.parametrize(("name", "mode"), [(name, mode) for name in SMALL + SIXTEEN for mode in MODES])
def test_every_boundary_of_small_sets(name: str, mode: str, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(f"{name}:{mode}")
    if name == "nf4":  # midpoints of its values need more than 53 bits
        x = np.array([float(v) for v in values.grid])
        x = np.concatenate((x, (x[1:] + x[:-1]) / 2))
        x = np.concatenate((x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)))
        out = np.empty_like(x)
        round_array(spec_of(values), x, out)
        same_bits(out, [float(round_exact(values, mpq(t))) for t in x])
    else:
        check_boundaries(values, same_bits)
        if values.kind == "float":
            check_boundaries(replace(values, ftz=True), same_bits)


@pytest.mark.parametrize("policy", ["inf", "saturate", "nan"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", [*SMALL, *SIXTEEN, "tf32", "fp32", "e5m25", "e8m40"])
def test_ends_of_the_range_and_specials(
    name: str, mode: str, policy: str, element: Any, same_bits: Callable[[Any, Any], None]
) -> None:
    values = replace(ValueSet.parse(f"{name}:{mode}"), overflow=policy)
    x = np.array(beyond(values))
    out = np.empty_like(x)
    round_array(spec_of(values), x, out)
    same_bits(out, [float(round_exact(values, element(t))) for t in x.tolist()])


GRIDS = {
    "positive": grid([0, 1, 2, "7/2", 100]),
    "negative": grid([-3, "-1/4", 0]),
    "lopsided": grid(["-0x1.fffffffffffffp-1", 0, "0x1p-40", 1, "0x1.0000000000001p0", 3]),
    "dense": grid([f"{k}/1024" for k in range(-300, 400)] + ["1000"]),
    "two": grid([0, 5]),
    "tiny": grid([0, "0x1p-889", "0x1.8p-889", 1]),
}


@pytest.mark.parametrize("policy", ["inf", "saturate", "nan"])
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", GRIDS)
def test_grids(name: str, mode: str, policy: str, element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = replace(GRIDS[name], rounding=mode, overflow=policy)
    spec = spec_of(values)
    assert isinstance(spec, Grid)
    v = np.array([float(t) for t in values.grid])
    x = np.concatenate((v, (v[1:] + v[:-1]) / 2, beyond(values)))
    x = np.concatenate((x, np.nextafter(x, np.inf), np.nextafter(x, -np.inf)))
    out = np.empty_like(x)
    round_array(spec, x, out)
    same_bits(out, [float(round_exact(values, element(t))) for t in x.tolist()])


def test_midpoints_that_are_no_binary64_numbers() -> None:
    step = mpq(1, 1 << 52)
    values = grid([0, 1, 1 + step, 1 + 3 * step, 2])
    spec = spec_of(values)
    assert isinstance(spec, Grid)
    assert np.count_nonzero(spec.threshold_low) >= 1
    assert float(1 + 2 * step) == round_public(values, 1 + 2 * step) or round_public(values, 1 + 2 * step) in (
        float(1 + step),
        float(1 + 3 * step),
    )
    for x in (1 + step / 2, 1 + step / 2 - mpq(1, 1 << 200), 1 + step / 2 + mpq(1, 1 << 200)):
        assert round_public(values, x) == float(round_exact(values, x))


# -- binary32 carriers --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "name",
    [
        "fp16",
        "bf16",
        "tf32",
        "e4m3",
        "e4m3:saturate",
        "e5m2",
        "e3m2",
        "e2m1",
        "e4m3fnuz",
        "e5m2fnuz",
        "fixed:8.3",
        "e5m16",
        "e8m20",
        "e8m22",
        "nf4",
        "fp32",
        "fp16:up",
        "bf16:ftz",
    ],
)
def test_binary32_arrays_round_like_binary64_ones(name: str, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(name)
    rng = np.random.default_rng(7)
    bits = rng.integers(0, 1 << 32, 200_000, dtype=np.uint64).astype(np.uint32)
    ends = np.array(beyond(values))
    with np.errstate(all="ignore"):
        near = np.array([float(values.value(int(n))) for n in rng.integers(values.first, values.last, 2000)])
        x = np.concatenate((bits.view(np.float32), ends.astype(np.float32), near.astype(np.float32)))
        x = np.concatenate((x, np.nextafter(x, np.float32(np.inf)), np.nextafter(x, np.float32(-np.inf))))
    got = round_public(values, x)
    assert got.dtype == np.float32
    with np.errstate(invalid="ignore"):  # signalling NaN
        wide = x.astype(np.float64)
    same_bits(got, round_public(values, wide))


def test_each_binary32_method_is_used() -> None:
    kinds = {name: type(spec32_of(ValueSet.parse(name))) for name in ("fp16", "bf16", "tf32", "fp32", "nf4", "e8m22")}
    assert kinds == {
        "fp16": Added,
        "bf16": Shifted,
        "tf32": Shifted,
        "fp32": type(None),
        "nf4": type(None),
        "e8m22": type(None),
    }


@pytest.mark.parametrize(
    ("name", "dtype"),
    [
        ("fp16", np.float16),
        ("bf16", ml_dtypes.bfloat16),
        ("e4m3", ml_dtypes.float8_e4m3fn),
        ("e5m2", ml_dtypes.float8_e5m2),
        ("e4m3fnuz", ml_dtypes.float8_e4m3fnuz),
        ("e5m2fnuz", ml_dtypes.float8_e5m2fnuz),
        ("e3m4", ml_dtypes.float8_e3m4),
        ("e3m2", ml_dtypes.float6_e3m2fn),
        ("e2m3", ml_dtypes.float6_e2m3fn),
        ("e2m1", ml_dtypes.float4_e2m1fn),
    ],
)
def test_casts_of_ml_dtypes(name: str, dtype: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(name)
    rng = np.random.default_rng(1)
    bits = rng.integers(0, 1 << 32, 300_000, dtype=np.uint64).astype(np.uint32).view(np.float32)
    with np.errstate(all="ignore"):
        middle = (rng.uniform(-1.5, 1.5, 50_000) * float(values.max)).astype(np.float32)
        x = np.concatenate((bits[np.isfinite(bits)], middle, middle / 1024, np.float32([0.0, -0.0])))
        x = x[np.isfinite(x)]
        expected = x.astype(dtype).astype(np.float64)
    got = round_public(values, x)
    same_bits(got, expected)


# -- which kernel serves which set ---------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("name", "kind"),
    [
        ("fp64", Binary64),
        ("fp32", Binary32),
        ("fp32:saturate", NearestFloat),
        ("fp16", NearestFloat),
        ("fp16:ftz", AnyFloat),
        ("e4m3:saturate", NearestFloat),
        ("fixed:25.4", NearestFloat),
        ("fixed:26.4", AnyFloat),
        ("e5m25", AnyFloat),
        ("bf16:odd", AnyFloat),
        ("nf4:up", Grid),
        ("e9m6", NearestFloat),
        ("e10m5", AnyFloat),
        ("fixed:2.0", Grid),
        ("e8m50", AnyFloat),
    ],
)
def test_kinds(name: str, kind: type) -> None:
    assert type(spec_of(name)) is kind


@pytest.mark.parametrize(
    "name",
    [
        "fp64:up",
        "fp64:saturate",
        "fp64:ftz",
        "fp128",
        "e11m10",
        "e8m51",
        "fp16:stochastic=1",
        "fixed:60.0",
        "fixed:8.1000",
    ],
)
def test_sets_left_to_the_reference(name: str) -> None:
    assert spec_of(name) is None


def test_grids_left_to_the_reference() -> None:
    assert spec_of(grid([0, "1/3"])) is None  # not binary64
    assert spec_of(grid([0, "0x1p-891"])) is None  # a product would underflow
    assert spec_of(grid([0, "0x1.8p-800", "0x1.fffffffffffffp0"])) is None  # the limit needs three numbers
    assert spec_of(float_format(1, -3, 3)) is None  # p = 1 with -0


def test_a_hidden_tie_in_a_conversion_through_binary32() -> None:
    """binary64 -> binary32 -> fp16 rounds twice (as several libraries do); once is right."""
    x = 1 + 2.0**-11 + 2.0**-40
    assert float(np.float16(np.float32(x))) == 1.0
    assert round_public("fp16", x) == 1 + 2.0**-10


def test_an_interval_that_is_beyond_range_on_both_sides_is_not_decided() -> None:
    for values in (replace(GRIDS["lopsided"], overflow="nan"), ValueSet.parse("e4m3")):
        y, decided = round_interval(spec_of(values), 0.0, 0.0, 1e9)
        assert math.isnan(y)
        assert not decided
        y, decided = round_interval(spec_of(values), 2e9, 0.0, 1e9)
        assert math.isnan(y)
        assert decided
