"""Compiled +, -, *, /, fma, sqrt against the reference: every pair of the small formats, aimed operands for the
others."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import replace
from functools import lru_cache
from typing import Any

import numba
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

from fpsim import array_kernels, reference, scalar
from fpsim.grid_file import grid
from fpsim.rounding.reference import round_exact
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

Array = np.ndarray[Any, Any]
MODES = ["even", "away", "zero", "up", "down", "odd"]
POLICIES = ["inf", "saturate", "nan"]
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
LOOPS = {
    "add": array_kernels.add_arrays,
    "sub": array_kernels.sub_arrays,
    "mul": array_kernels.mul_arrays,
    "div": array_kernels.div_arrays,
}


@numba.njit
def all_closed(spec, a, b, out):  # type: ignore[no-untyped-def]  # compiled as a user would compile it
    for i in range(a.size):
        out[0, i] = scalar.add_closed(spec, a[i], b[i])
        out[1, i] = scalar.sub_closed(spec, a[i], b[i])
        out[2, i] = scalar.mul_closed(spec, a[i], b[i])
        out[3, i] = scalar.div_closed(spec, a[i], b[i])


@lru_cache(maxsize=1)
def exact_pairs(base: ValueSet) -> tuple[Array, Array, dict[str, tuple[Array, list[Any]]]]:
    """All pairs of values of F, -0 included, and for each operation the distinct exact results and which pair has
    which.
    """
    values = [base.value(n) for n in range(base.first, base.last + 1)]
    results: dict[str, tuple[Array, list[Any]]] = {}
    for name, operate in (
        ("add", lambda x, y: x + y),
        ("sub", lambda x, y: x - y),
        ("mul", lambda x, y: x * y),
        ("div", lambda x, y: x / y if y else mpq(0)),
    ):
        known: dict[Any, int] = {}
        index = [known.setdefault(operate(x, y), len(known)) for x in values for y in values]
        results[name] = np.array(index), list(known)
    floats = np.array([float(v) for v in values])
    a, b = np.repeat(floats, floats.size), np.tile(floats, floats.size)
    return a, b, results


def check_pairs(values: ValueSet, same_bits: Callable[[Any, Any], None], element: Any) -> None:
    base = replace(values, rounding="even", overflow="inf", ftz=False)
    a, b, results = exact_pairs(base)
    spec = spec_of(values)
    closed = np.empty((4, a.size))
    all_closed(spec, a, b, closed)
    for row, (name, loop) in enumerate(LOOPS.items()):
        index, exact = results[name]
        expected = np.array([float(round_exact(values, x)) for x in exact])[index]
        # Zeros, as operands or results, have signs that a rational does not have; under ftz more operands are zeros.
        small = float(values.min_normal) if values.ftz else 0.0
        special = (np.abs(a) < small) | (np.abs(b) < small) | (a == 0) | (b == 0) | (expected == 0)
        slow = getattr(reference, name)
        for i in np.flatnonzero(special):
            expected[i] = float(slow(values, element(float(a[i])), element(float(b[i]))))
        out = np.empty_like(a)
        loop(spec, a, b, out)
        same_bits(out, expected)
        same_bits(closed[row], expected)


def small_sets() -> list[tuple[str, str, str]]:
    return [(name, mode, policy) for name in SMALL for mode in MODES for policy in POLICIES]


@pytest.mark.parametrize("name", [n for n in SMALL if n != "e5m2fnuz"])
def test_every_pair_of_small_formats(name: str, same_bits: Callable[[Any, Any], None], element: Any) -> None:
    check_pairs(ValueSet.parse(name), same_bits, element)


@pytest.mark.parametrize("mode", MODES[1:])
@pytest.mark.parametrize("name", ["e3m2", "fixed:6.0", "nf4", "e2m3:ftz"])
def test_every_pair_in_other_modes(name: str, mode: str, same_bits: Callable[[Any, Any], None], element: Any) -> None:
    check_pairs(ValueSet.parse(f"{name}:{mode}"), same_bits, element)


@pytest.mark.exhaustive
@pytest.mark.parametrize(("name", "mode", "policy"), small_sets())
def test_every_pair_in_every_mode_and_policy(
    name: str, mode: str, policy: str, same_bits: Callable[[Any, Any], None], element: Any
) -> None:
    check_pairs(replace(ValueSet.parse(name), rounding=mode, overflow=policy), same_bits, element)


@pytest.mark.exhaustive
@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize("name", ["e4m3", "e5m2", "e3m2", "e3m4"])
def test_every_pair_with_ftz(name: str, mode: str, same_bits: Callable[[Any, Any], None], element: Any) -> None:
    check_pairs(ValueSet.parse(f"{name}:ftz:{mode}"), same_bits, element)


# -- special operands ----------------------------------------------------------------------------------------------------

SPECIAL = [0.0, -0.0, 1.0, -1.0, math.inf, -math.inf, math.nan, 5e-324, -5e-324, 1e-200, 1.7e308, -1.7e308, 2.0**-1000]


@pytest.mark.parametrize("mode", MODES)
@pytest.mark.parametrize(
    "name", ["fp16", "e4m3", "e4m3:saturate", "e4m3fnuz", "fixed:8.3", "nf4", "fp32", "bf16:ftz", "e5m25"]
)
def test_special_operands(name: str, mode: str, element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(f"{name}:{mode}")
    spec = spec_of(values)
    operands = [*SPECIAL, float(values.max), float(values.min_positive or 1)]
    for name_of in ("add", "sub", "mul", "div"):
        fast, slow = getattr(scalar, name_of), getattr(reference, name_of)
        pairs = [(a, b) for a in operands for b in operands]
        same_bits([fast(spec, a, b) for a, b in pairs], [float(slow(values, element(a), element(b))) for a, b in pairs])
    few = [0.0, -0.0, 1.0, math.inf, math.nan, 1e-200, -1.7e308]
    triples = [(a, b, c) for a in few for b in few for c in (*few, -1.0, -math.inf)]
    same_bits(
        [scalar.fma(spec, *t) for t in triples], [float(reference.fma(values, *map(element, t))) for t in triples]
    )
    for name_of in ("sqrt", "exp", "sin", "cos"):
        fast, slow = getattr(scalar, name_of), getattr(reference, name_of)
        args = [x for x in operands if not 0 < abs(x) < 1e-290]  # the reference needs thousands of bits next to 0
        same_bits([fast(spec, x) for x in args], [float(slow(values, element(x))) for x in args])


def test_special_operands_of_binary64(element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse("fp64")
    pairs = [(a, b) for a in SPECIAL for b in SPECIAL]
    for name in ("add", "sub", "mul", "div"):
        same_bits(
            [getattr(scalar, name)(spec_of(values), a, b) for a, b in pairs],
            [float(getattr(reference, name)(values, element(a), element(b))) for a, b in pairs],
        )


# -- aimed operands ------------------------------------------------------------------------------------------------------

GRIDS = {
    "one-sided": grid([0, 1, 2, "7/2", 100]),
    "ties": grid([f"{k}/64" for k in range(-100, 140)]),
    "wide": grid(
        [0, "0x1p-700", "-0x1.23456789abcdep-30", 1, "0x1.0000000000001p0", 3, "0x1p800"], overflow="saturate"
    ),
}
AIMED = [
    "fp16",
    "bf16",
    "fp32",
    "tf32",
    "fp32:saturate",
    "fixed:16.8",
    "fp16:up",
    "bf16:down",
    "fp32:odd",
    "tf32:zero",
    "fp16:away:ftz",
    "e5m25",
    "e8m40",
    "e8m50:down",
    "e9m6",
    "e10m5",
    *GRIDS,
]


def aimed_set(name: str) -> ValueSet:
    return GRIDS[name] if name in GRIDS else ValueSet.parse(name)


def check(values: ValueSet, name: str, operands: tuple[float, ...], element: Any) -> None:
    got = getattr(scalar, name)(spec_of(values), *operands)
    expected = float(getattr(reference, name)(values, *map(element, operands)))
    assert (math.isnan(got) and math.isnan(expected)) or (
        got == expected and math.copysign(1, got) == math.copysign(1, expected)
    ), (name, operands, got, expected)


@pytest.mark.parametrize("name", AIMED)
def test_aimed_operands(name: str, operands: Any, element: Any) -> None:
    values = aimed_set(name)
    one = operands(values)

    @settings(max_examples=120, database=None)
    @given(one, one, one)
    def run(a: float, b: float, target: float) -> None:
        for operation in ("add", "sub", "mul", "div"):
            check(values, operation, (a, b), element)
        # a second operand that brings the exact result next to `target`, a value or a tie
        for operation, second in (
            ("add", target - a),
            ("mul", target / a if a else b),
            ("div", a / target if target else b),
        ):
            if math.isfinite(second):
                check(values, operation, (a, second), element)
        check(values, "fma", (a, b, target), element)
        product = a * b
        if math.isfinite(product):
            check(values, "fma", (a, b, -product), element)
            check(values, "fma", (a, b, target - product), element)
            check(values, "fma", (a, b, math.nextafter(-product, 0.0)), element)
        check(values, "sqrt", (abs(a),), element)
        if abs(target) < 1e150:
            check(values, "sqrt", (target * target,), element)

    run()


@pytest.mark.parametrize("name", ["fp16", "fp32", "bf16", "fixed:24.12", "e9m6", "e10m5", "e4m3:up", "ties"])
def test_closed_operations_on_aimed_values(name: str, operands: Any, element: Any) -> None:
    values = aimed_set(name)
    spec = spec_of(values)
    near = st.one_of(
        st.integers(values.first, values.last),
        st.integers(max(values.first, -3), min(values.last, 3)),
        st.integers(values.last - 3, values.last),
    )

    @settings(max_examples=300, database=None)
    @given(near, near, operands(values))
    def run(m: int, n: int, target: float) -> None:
        a, b = float(values.value(m)), float(values.value(n))
        for c in (target, float(values.value(m)), target - a * b, -a * b):
            expected = float(reference.fma(values, element(a), element(b), element(c)))
            got = scalar.fma_closed(spec, a, b, c)
            assert got == expected or (math.isnan(got) and math.isnan(expected)), ("fma", a, b, c)
        for operation in ("add", "sub", "mul", "div"):
            expected = float(getattr(reference, operation)(values, element(a), element(b)))
            got = getattr(scalar, f"{operation}_closed")(spec, a, b)
            assert got == expected or (math.isnan(got) and math.isnan(expected)), (operation, a, b)
        if a >= 0:
            assert scalar.sqrt_closed(spec, a) == float(reference.sqrt(values, element(a)))

    run()


@pytest.mark.parametrize("name", ["fp16", "fp16:up", "e4m3:down", "ties", "fp32"])
def test_products_and_sums_that_underflow_in_binary64(name: str, element: Any) -> None:
    values = aimed_set(name)
    tiny = [5e-324, -5e-324, 2.0**-540, -(2.0**-540), 2.0**-1022, 3e-320, 2.0**-535, 1e-300]
    for a in tiny:
        for b in [*tiny, 2.0**500, 1e300]:
            check(values, "mul", (a, b), element)
            check(values, "div", (a, b), element)
            for c in (0.0, -0.0, 5e-324, -5e-324, -a * b, 1e-310, -(2.0**-1074), float(values.value(1))):
                check(values, "fma", (a, b, c), element)


# -- traps ---------------------------------------------------------------------------------------------------------------


def test_a_sum_rounded_to_binary64_first_would_be_wrong() -> None:
    """1 + 2^-11 is a tie of fp16; 2^-60 is lost in binary64."""
    a, b = 1 + 2.0**-11, 2.0**-60
    assert np.float16(a + b) == 1.0
    assert scalar.add(spec_of("fp16"), a, b) == 1 + 2.0**-10
    assert scalar.add(spec_of("fp16"), a, -b) == 1.0


def test_a_fused_multiply_add_rounded_to_binary64_first_would_be_wrong() -> None:
    """p = 24: the product is a tie of fp32 and the third operand, far below it, decides."""
    a, b, c = 1 + 2.0**-12, 1 + 2.0**-12, 2.0**-100  # 1 + 2^-11 + 2^-24
    assert float(np.float32(a * b + c)) == 1 + 2.0**-11
    assert scalar.fma(spec_of("fp32"), a, b, c) == 1 + 2.0**-11 + 2.0**-23
    assert scalar.fma(spec_of("fp32"), a, b, -c) == 1 + 2.0**-11


def test_operands_of_another_set() -> None:
    """fp32 values multiplied into fp16: 48 bits, one rounding."""
    a = float(np.float32(1 + 2.0**-11))
    b = float(np.float32(1 + 2.0**-23))
    assert scalar.mul(spec_of("fp16"), a, 1.0) == 1.0  # a tie, to even
    assert scalar.mul(spec_of("fp16"), a, b) == 1 + 2.0**-10
    assert scalar.mul_closed(spec_of("fp16"), a, b) == 1 + 2.0**-10


def test_inside_compiled_code_of_a_user() -> None:
    @numba.njit
    def horner(spec, coefficients, x):  # type: ignore[no-untyped-def]
        total = coefficients[0]
        for c in coefficients[1:]:
            total = scalar.fma(spec, total, x, c)
        return scalar.exp(spec, scalar.round_to(spec, total))

    coefficients = np.array([0.5, -0.25, 1.0])
    for name in ("fp16", "fp16:up", "nf4", "fp64", "fp32"):
        values = ValueSet.parse(name)
        total: Any = mpq(1, 2)
        for c in coefficients[1:]:
            total = reference.fma(values, total, mpq("0.375"), mpq(float(c)))
        expected = float(reference.exp(values, round_exact(values, total)))
        assert horner(spec_of(values), coefficients, 0.375) == expected
