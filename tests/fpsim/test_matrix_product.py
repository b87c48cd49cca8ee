"""Matrix products with every operation rounded, against the reference operations in the same order."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

import fpsim
from fpsim import reference
from fpsim.errors import InputError, UnsupportedError
from fpsim.sums import ordered_sum, parse_order
from fpsim.valueset import ValueSet

ORDERS = ["sequential", "reverse", "pairwise", "blocked:3", "wide:fp32"]


def slow_product(values: ValueSet, a: Any, b: Any, order: str, fused: bool, element: Any) -> Any:
    out = np.empty((a.shape[0], b.shape[1]))
    for i in range(a.shape[0]):
        for j in range(b.shape[1]):
            pairs = [(element(float(x)), element(float(y))) for x, y in zip(a[i], b[:, j], strict=True)]
            if fused:
                pairs = pairs[::-1] if order == "reverse" else pairs
                total = reference.mul(values, *pairs[0])
                for x, y in pairs[1:]:
                    total = reference.fma(values, x, y, total)
            else:
                total = ordered_sum(values, [reference.mul(values, x, y) for x, y in pairs], parse_order(order))
            out[i, j] = float(total)
    return out


@pytest.mark.parametrize("order", ORDERS)
@pytest.mark.parametrize("name", ["fp16", "e4m3", "fp32", "fp16:up", "nf4", "fixed:8.3", "fp64:zero"])
def test_every_order(name: str, order: str, element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(name)
    rng = np.random.default_rng(8)
    a, b = rng.normal(size=(3, 7)), rng.normal(size=(7, 4))
    for x, y in ((a, b), (fpsim.round(values, a), fpsim.round(values, b))):
        same_bits(fpsim.matmul(values, x, y, order=order), slow_product(values, x, y, order, False, element))


@pytest.mark.parametrize("order", ["sequential", "reverse"])
@pytest.mark.parametrize("name", ["fp16", "fp32", "fp16:up", "nf4", "fp64:zero"])
def test_fused(name: str, order: str, element: Any, same_bits: Callable[[Any, Any], None]) -> None:
    values = ValueSet.parse(name)
    rng = np.random.default_rng(9)
    a, b = rng.normal(size=(3, 7)), rng.normal(size=(7, 4))
    for x, y in ((a, b), (fpsim.round(values, a), fpsim.round(values, b))):
        same_bits(fpsim.matmul(values, x, y, order=order, fma=True), slow_product(values, x, y, order, True, element))


def test_specials_and_signed_zeros(same_bits: Callable[[Any, Any], None]) -> None:
    a = np.array([[math.inf, 1.0], [60000.0, 60000.0], [-0.0, -0.0], [math.nan, 1.0]])
    b = np.array([[1.0, 0.0], [1.0, -1.0]])
    same_bits(
        fpsim.matmul("fp16", a, b), [[math.inf, math.nan], [math.inf, -60000.0], [-0.0, 0.0], [math.nan, math.nan]]
    )


def test_shapes_and_types() -> None:
    a, b = np.ones((2, 3), np.float32), np.ones((3, 4), np.float32)
    assert fpsim.matmul("fp16", a, b).dtype == np.float32
    assert fpsim.matmul("fp16", a, b.astype(np.float64)).dtype == np.float64
    assert fpsim.matmul("fp16", a, [1, 1, 1]).tolist() == [3.0, 3.0]
    assert fpsim.matmul("fp16", [1, 1, 1], b).shape == (4,)
    assert fpsim.matmul("fp16", np.ones((2, 0)), np.ones((0, 3))).tolist() == [[0.0] * 3] * 2
    assert fpsim.matmul("fp128", [[1, "0.1"]], [[1], [1]])[0, 0] == fpsim.add("fp128", 1, fpsim.round("fp128", "0.1"))
    for shapes in (((2, 3), (2, 3)), ((2,), (3,)), ((1, 2, 3), (3, 1))):
        with pytest.raises(InputError, match="shapes"):
            fpsim.matmul("fp16", np.ones(shapes[0]), np.ones(shapes[1]))


def test_dot() -> None:
    assert fpsim.dot("fp16", [2048, 1, 1], [1, 1, 1]) == 2048.0
    assert fpsim.dot("fp16", [2048, 1, 1], [1, 1, 1], order="reverse") == 2050.0
    assert type(fpsim.dot("fp16", [1.0], [2.0])) is float
    with pytest.raises(InputError, match="vectors"):
        fpsim.dot("fp16", [[1.0]], [[2.0]])


def test_what_has_no_single_chain_is_refused() -> None:
    with pytest.raises(UnsupportedError, match="pairwise"):
        fpsim.matmul("fp16", [[1.0]], [[1.0]], order="pairwise", fma=True)
    with pytest.raises(UnsupportedError, match="stochastic"):
        fpsim.matmul("fp16:stochastic=1", [[1.0]], [[1.0]])
