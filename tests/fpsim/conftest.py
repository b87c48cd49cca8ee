"""What the tests of the fast arithmetic share: probes that aim at boundaries, and expected results by other ways."""

from __future__ import annotations

import importlib.util
import math
from collections.abc import Callable
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import strategies as st

from fpsim.rounding.reference import Element, round_exact
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    from fpsim.transformer import Transformer

Array = np.ndarray[Any, Any]


def _elements(x: float) -> Element:
    return x if not math.isfinite(x) or (x == 0 and math.copysign(1, x) < 0) else mpq(x)


def _same_bits(got: Array, expected: Array) -> None:
    with np.errstate(invalid="ignore"):  # converting a signalling NaN
        got, expected = np.asarray(got, np.float64), np.asarray(expected, np.float64)
    differs = ~((np.isnan(got) & np.isnan(expected)) | ((got == expected) & (np.signbit(got) == np.signbit(expected))))
    places = np.flatnonzero(differs)
    assert places.size == 0, [(int(i), got.flat[i], expected.flat[i]) for i in places[:5]]


def _rounded(values: ValueSet, reals: Array) -> Array:
    """round_exact of every binary64 number, each distinct one once."""
    distinct, inverse = np.unique(reals, return_inverse=True)
    return np.array([float(round_exact(values, _elements(float(x)))) for x in distinct])[inverse].reshape(reals.shape)


def _members(values: ValueSet) -> Array:
    """All values of F in rising order, as binary64."""
    return np.array([float(values.value(n)) for n in range(values.first, values.last + 1)])


def _operands(values: ValueSet) -> st.SearchStrategy[float]:
    """Values of F, points at and next to midpoints and limits, anything else that binary64 holds."""
    last, first = values.last, values.first
    at_ends = st.sampled_from([last, last - 1, first, min(1, last), 0]).map(lambda n: max(first, n))
    indices = st.one_of(st.integers(first, last), st.integers(max(first, -6), min(last, 6)), at_ends)
    plain = indices.map(lambda n: float(values.value(n)))

    def midpoint(n: int) -> float:
        step = 1 if n < last else -1
        here, there = values.value(n), values.value(n + step)
        tie = here + (here - there) / 2 if n in (first, last) else (here + there) / 2
        return float(tie) if abs(tie) < 2**1024 - 2**970 else math.inf

    ties = indices.map(midpoint)
    beside = st.builds(
        lambda x, up: math.nextafter(x, math.inf if up else -math.inf), st.one_of(ties, plain), st.booleans()
    )
    return st.one_of(plain, plain, ties, beside, st.floats())


@pytest.fixture(scope="session")
def element() -> Callable[[float], Element]:
    """A float as the reference arithmetic takes it."""
    return _elements


@pytest.fixture(scope="session")
def same_bits() -> Callable[[Any, Any], None]:
    """Asserts that two arrays are equal, with the signs of zeros; NaN equals NaN."""
    return _same_bits


@pytest.fixture(scope="session")
def rounded() -> Callable[[ValueSet, Array], Array]:
    """The reference rounding of an array of exact binary64 reals."""
    return _rounded


@pytest.fixture(scope="session")
def members() -> Callable[[ValueSet], Array]:
    """All values of F in rising order."""
    return _members


@pytest.fixture(scope="session")
def operands() -> Callable[[ValueSet], st.SearchStrategy[float]]:
    """The strategy for operands of F."""
    return _operands


@pytest.fixture(scope="session")
def random_model() -> Callable[..., Transformer]:
    """`random_model(seed, precision, ...)` of random_models.py."""
    spec = importlib.util.spec_from_file_location(
        "tests_fpsim_random_models", Path(__file__).parent / "random_models.py"
    )
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    made: Callable[..., Transformer] = module.random_model
    return made
