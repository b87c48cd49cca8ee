"""exp, sin, cos and sqrt at every value of every set of up to 16 bits, against MPFR and mpmath; hard arguments
beyond."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import mpmath
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fpsim import arithmetic, array_kernels, reference, scalar
from fpsim.array_kernels import round_array
from fpsim.functions import tables
from fpsim.functions.reference import cos_reference, exp_reference, sin_reference
from fpsim.grid_file import grid
from fpsim.real import sqrt_of
from fpsim.rounding.hard import COSINE, EXPONENTIAL, ROOT, SINE, parts_of, round_hard
from fpsim.rounding.kinds import Grid
from fpsim.rounding.reference import round_exact
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

Array = np.ndarray[Any, Any]
FUNCTIONS = ["exp", "sin", "cos", "sqrt"]
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
    "nf4",
    "e4m3:saturate",
]
SIXTEEN = ["fp16", "bf16", "fixed:16.8", "e6m9"]
MPFR = {"exp": exp_reference, "sin": sin_reference, "cos": cos_reference, "sqrt": math.sqrt}


def rounded_by_mpfr(values: ValueSet, name: str, x: Array, element: Any) -> Array:
    """MPFR's binary64 result is within one unit of the real: where its neighbours round alike, so does the real.

    Elsewhere (next to a boundary, for exact results and specials) the reference arithmetic decides.
    """
    y = np.array(
        [MPFR[name](t) if math.isfinite(t) and not (name == "sqrt" and t < 0) else math.nan for t in x.tolist()]
    )
    low, high = np.empty_like(y), np.empty_like(y)
    with np.errstate(invalid="ignore"):
        round_array(spec_of(values), np.nextafter(y, -np.inf), low)
        round_array(spec_of(values), np.nextafter(y, np.inf), high)
    slow = getattr(reference, name)
    for i in np.flatnonzero((low != high) | (y == 0) | np.isnan(y) | np.isnan(low)):
        low[i] = float(slow(values, element(float(x[i]))))
    return low


def arguments(values: ValueSet) -> Array:
    """Every value of F, -0, inf and NaN."""
    x = tables.all_values(values)
    return np.concatenate((x, [0.0, -0.0, math.inf, -math.inf, math.nan]))


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", SMALL + SIXTEEN)
def test_every_value(name: str, function: str, element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(name)
    x = arguments(values)
    same_bits(getattr(arithmetic, function)(values, x), rounded_by_mpfr(values, function, x, element))


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("name", ["e4m3", "e5m2:ftz", "fixed:8.3", "nf4"])
def test_every_value_in_other_modes(name: str, mode: str, element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(f"{name}:{mode}")
    x = arguments(values)
    for function in FUNCTIONS:
        slow = getattr(reference, function)
        expected = [float(slow(values, element(t))) for t in x.tolist()]
        same_bits(getattr(arithmetic, function)(values, x), expected)


@pytest.mark.exhaustive
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("name", ["fp16", "bf16"])
def test_every_value_of_16_bits_in_other_modes(
    name: str, mode: str, function: str, element: Any, same_bits: Callable[[Any, Any], None]
) -> None:
    values = ValueSet.parse(f"{name}:{mode}")
    x = arguments(values)
    x = x[~((np.abs(x) > 0) & (np.abs(x) < 1e-30))] if function in ("sin", "cos") else x  # slow there
    same_bits(getattr(arithmetic, function)(values, x), rounded_by_mpfr(values, function, x, element))


def by_mpmath(values: ValueSet, function: str, x: float) -> float:
    """mpmath at two precisions, which must agree after rounding."""
    found = []
    for bits in (120, 300):
        with mpmath.workprec(bits):
            sign, mantissa, exponent, _ = getattr(mpmath, function)(mpmath.mpf(x))._mpf_
            exact = mpq(mantissa) * mpq(2) ** exponent
            found.append(float(round_exact(values, -exact if sign else exact)))
    assert found[0] == found[1] or math.isnan(found[0])
    return found[0]


def check_against_mpmath(name: str, function: str, step: int, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(name)
    x = tables.all_values(values)[3::step]
    x = x[(x >= 0) & (x != 0)] if function == "sqrt" else x[x != 0]
    x = x[(np.abs(x) < 1000) & (np.abs(x) > 1e-20)] if function == "exp" else x[np.abs(x) > 1e-20]
    same_bits(getattr(arithmetic, function)(values, x), [by_mpmath(values, function, t) for t in x.tolist()])


@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["fp16", "bf16", "e4m3", "fixed:8.3"])
def test_a_sample_against_mpmath(name: str, function: str, same_bits: Callable[[Any, Any], None]) -> None:
    """Every value of the 8-bit sets, one in 97 of the 16-bit ones."""
    check_against_mpmath(name, function, 97 if name in SIXTEEN else 1, same_bits)


@pytest.mark.exhaustive
@pytest.mark.parametrize("function", FUNCTIONS)
@pytest.mark.parametrize("name", ["fp16", "bf16"])
def test_every_value_of_16_bits_against_mpmath(name: str, function: str, same_bits: Callable[[Any, Any], None]) -> None:
    check_against_mpmath(name, function, 1, same_bits)


# -- wider sets: hard arguments ------------------------------------------------------------------------------------------

# Nearest binary64 numbers to a multiple of pi/2 known (Kahan; Muller, "Elementary Functions"), and other large arguments.
NEAR_HALF_PI = [
    6381956970095103 * 2.0**797,
    5319372648326541 * 2.0**-49,
    1.5707963267948966,
    3.141592653589793,
    1e22,
    1e300,
    2.0**1023,
    22.0,
    355.0,
    103993.0,
    1.7976931348623157e308,
]


@pytest.mark.parametrize("name", ["fp32", "fp16", "bf16:down", "e8m40", "fp32:zero", "nf4", "fp64"])
def test_sine_and_cosine_of_large_arguments(name: str, element: Any) -> None:
    values = ValueSet.parse(name)
    spec = spec_of(values)
    for x in NEAR_HALF_PI:
        for t in (x, -x, float(np.float32(min(x, 3e38)))):
            for function in ("sin", "cos"):
                expected = float(getattr(reference, function)(values, element(t)))
                assert getattr(scalar, function)(spec, t) == expected, (function, t)


def test_the_hardest_arguments_of_binary32() -> None:
    """Inputs of fp32 whose results the rounded binary64 result gets wrong, or nearly."""
    values, spec = ValueSet.parse("fp32"), spec_of("fp32")
    for text in (
        "0x1.5d3ad2p-12",
        "0x1.921fb6p+1",
        "0x1.bdb6d4p+22",
        "0x1.33333p+13",
        "-0x1.1d5f8cp+6",
        "0x1.fffffep+0",
    ):
        x = float.fromhex(text)
        for function in ("exp", "sin", "cos"):
            assert getattr(scalar, function)(spec, x) == float(getattr(reference, function)(values, mpq(x)))


@pytest.mark.parametrize("name", ["fp32", "fp16", "fp16:up", "tf32:odd", "e8m45", "fp64", "fixed:24.16", "nf4:down"])
def test_functions_of_aimed_operands(name: str, operands: Any, element: Any) -> None:
    values = ValueSet.parse(name)
    spec = spec_of(values)
    moderate = st.floats(-800, 800)

    @settings(max_examples=150, database=None)
    @given(st.one_of(operands(values), moderate, moderate))
    def run(x: float) -> None:
        for function in ("exp", "sin", "cos"):
            if 0 < abs(x) < 1e-60 and function != "exp":
                continue  # the reference needs many bits there; see the next test
            got = getattr(scalar, function)(spec, x)
            expected = float(getattr(reference, function)(values, element(x)))
            assert got == expected or (math.isnan(got) and math.isnan(expected)), (function, x)

    run()


def test_functions_next_to_zero() -> None:
    """Where exp and cos are next to 1 and sin(x) next to x, directed modes see the direction, for the least number too."""
    for x in (5e-324, 1e-300, 2.0**-1000, 1e-40, 2.0**-60, 2.0**-28):
        up, down = spec_of("fp16:up"), spec_of("fp16:down")
        assert (scalar.exp(up, x), scalar.exp(down, x)) == (1 + 2.0**-10, 1.0)
        assert (scalar.exp(up, -x), scalar.exp(down, -x)) == (1.0, 1 - 2.0**-11)
        assert (scalar.cos(up, x), scalar.cos(down, x)) == (1.0, 1 - 2.0**-11)
        assert (scalar.sin(up, x), scalar.sin(down, x)) == (2.0**-24, 0.0)
        assert math.copysign(1, scalar.sin(spec_of("fp16"), -x)) == -1
    edge = 2.0**-14  # sin(x) is just below x: the value below it when rounding down
    assert (scalar.sin(spec_of("fp16:up"), edge), scalar.sin(spec_of("fp16:down"), edge)) == (edge, edge - 2.0**-24)


def test_exponentials_beyond_the_range() -> None:
    for name, big, small in (
        ("fp16", math.inf, 0.0),
        ("fp16:zero", 65504.0, 0.0),
        ("fp16:up", math.inf, 2.0**-24),
        ("e2m1", 6.0, 0.0),
    ):
        spec = spec_of(name)
        for x in (695.0, 1e10, 1e308):
            assert (scalar.exp(spec, x), scalar.exp(spec, -x)) == (big, small)
        assert scalar.exp(spec, -math.inf) == 0.0
    assert math.isnan(scalar.exp(spec_of("e4m3"), 1e5))
    assert math.isnan(scalar.exp(spec_of("e4m3:zero"), math.inf))


# -- the last resort -----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fp32", "fp16:up", "nf4", "e8m45:odd"])
def test_the_way_through_mpfr_gives_the_same(name: str) -> None:
    values, spec = ValueSet.parse(name), spec_of(name)
    for x in (0.3, 1.0, 2.75, 7.0):
        for code, function in ((EXPONENTIAL, "exp"), (SINE, "sin"), (COSINE, "cos"), (ROOT, "sqrt")):
            assert round_hard(spec, code, x) == float(getattr(reference, function)(values, mpq(x)))


@pytest.mark.parametrize("function", FUNCTIONS)
def test_a_boundary_that_only_mpfr_can_tell(function: str) -> None:
    """A grid with a threshold that agrees with the real to more than 104 bits, beyond the accurate kernels' bounds."""
    tried = 0
    for x in (1.0, 2.0, 3.0, 5.0, 6.0, 7.0, 8.0):
        with mpmath.workprec(400):
            real = abs(getattr(mpmath, function)(mpmath.mpf(x)))
            high = float(real)
            low = float(real - mpmath.mpf(high))
        if low <= 0:  # 2 low would be no neighbour of 2 high
            continue
        # The midpoint of 2 low and 2 high is high + low, as near to the real as two binary64 numbers come.
        positive = [mpq(2 * low), mpq(2 * high), mpq(4 * high)]
        values = grid([-v for v in reversed(positive)] + [mpq(0), *positive])
        spec = spec_of(values)
        assert isinstance(spec, Grid)
        assert (high, low) in zip(spec.threshold_high.tolist(), spec.threshold_low.tolist(), strict=True)
        assert getattr(scalar, function)(spec, x) == float(getattr(reference, function)(values, mpq(x)))
        tried += 1
    assert tried >= 2


def test_parts_of_reals_have_the_right_order() -> None:
    h, rest, side = parts_of(sqrt_of(mpq(2)))
    assert h == math.sqrt(2)
    assert mpq(h) + mpq(rest) != mpq(h)
    assert side == (1.0 if (mpq(h) + mpq(rest)) ** 2 < 2 else -1.0)
    assert parts_of(mpq(3, 4)) == (0.75, 0.0, 0.0)


# -- tables --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["fp16", "e4m3", "fixed:8.3", "nf4", "e4m3fnuz", "e5m2:ftz", "fixed:2.0", "bf16:up"])
def test_tables_and_single_numbers_agree(name: str, same_bits: Callable[[Any, Any], None]) -> None:
    """An array long enough for a table, with values of F, other numbers, infinities and NaN mixed."""
    values = ValueSet.parse(name)
    rng = np.random.default_rng(3)
    x = rng.choice(arguments(values), 5000)
    x[::7] = rng.normal(size=x[::7].size)
    x[::11] = math.nextafter(float(values.max), 0.0)
    for function in FUNCTIONS:
        fast = getattr(scalar, function)
        same_bits(getattr(arithmetic, function)(values, x), [fast(spec_of(values), t) for t in x.tolist()])


def test_arrays_in_blocks_agree_with_single_numbers(same_bits: Callable[[Any, Any], None]) -> None:
    rng = np.random.default_rng(5)
    x = np.concatenate(
        (
            rng.uniform(-800, 800, 3000),
            rng.normal(size=2000),
            10.0 ** rng.uniform(-300, 300, 500),
            [0.0, -0.0, math.inf, -math.inf, math.nan, 2.0**20, 2.0**20 + 1, 694.0, 695.0],
        )
    )
    for name in ("fp32", "tf32", "e4m3:saturate"):
        spec = spec_of(name)
        for function in ("exp", "sin", "cos"):
            out = np.empty_like(x)
            getattr(array_kernels, f"{function}_blocks")(spec, x, out)
            same_bits(out, [getattr(scalar, function)(spec, t) for t in x.tolist()])
