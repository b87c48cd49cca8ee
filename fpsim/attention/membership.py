"""Whether the numbers of an array are values of F."""

from __future__ import annotations

import numpy as np

from fpsim import arithmetic
from fpsim.errors import InputError
from fpsim.operands import Array
from fpsim.valueset import ValueSet

__all__ = ["members", "require_members"]


def members(values: ValueSet, x: Array) -> Array:
    """For each number, whether it is a value of F, an infinity where F has them, or NaN.

    >>> members(ValueSet.parse("fp16"), np.array([1.0, 0.1])).tolist()
    [True, False]
    """
    stored = arithmetic.round(values, x)
    with np.errstate(invalid="ignore"):  # an mpfr NaN that is compared says so
        return np.asarray((stored == x) | ((stored != stored) & (x != x)))


def require_members(values: ValueSet, x: Array, what: str) -> None:
    """Raise `InputError` that names the first number of x that is not a value of F."""
    wrong = np.flatnonzero(~members(values, x))
    if wrong.size:
        place = ", ".join(str(int(n)) for n in np.unravel_index(int(wrong[0]), x.shape))
        raise InputError(f"{what}[{place}]", x.flat[wrong[0]], f"a value of {values.name}; round it first")
