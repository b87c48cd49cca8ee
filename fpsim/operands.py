"""What the public operations accept: numbers of many types, and arrays of them, each taken exactly.

A number is a Python or NumPy int or float, a Fraction, an mpq, an mpfr, or a text ("0.1" is one tenth; "inf", "-inf",
"nan" and "-0" mean what they say).  An array is anything that NumPy makes an array of, of these or of ml_dtypes' types.
Nothing is rounded on the way in: what binary64 does not hold stays exact and is computed by the reference arithmetic.
"""

from __future__ import annotations

import math
from typing import Any, TypeAlias

import gmpy2
import numpy as np
from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.rounding.reference import Element
from fpsim.valueset import ValueSet

__all__ = [
    "Array",
    "as_array",
    "as_binary64",
    "as_element",
    "element_result",
    "elements_of",
    "is_array",
    "result_array",
    "to_binary64",
]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"

_SPECIAL_TEXTS = {"inf": math.inf, "+inf": math.inf, "-inf": -math.inf, "nan": math.nan}
_MPFR = type(gmpy2.mpfr(0))


def is_array(x: object) -> bool:
    """Whether x is taken element by element: an array of at least one dimension, a list or a tuple."""
    return isinstance(x, list | tuple) or (isinstance(x, np.ndarray) and x.ndim > 0)


def as_element(x: Any, what: str = "operand") -> Element:
    """The exact number x: an mpq, or one of the floats inf, -inf, nan, -0.0.  Raises `InputError` naming `what`.

    >>> as_element("0.1"), as_element(-0.0), as_element(float("inf"))
    (mpq(1,10), -0.0, inf)
    """
    if isinstance(x, np.ndarray) and x.ndim == 0:
        x = x[()]
    if isinstance(x, str):
        special = _SPECIAL_TEXTS.get(x.strip().lower())
        if special is not None:
            return special
        number = parse_number(x, what)
        return -0.0 if number == 0 and x.strip().startswith("-") else number
    if isinstance(x, _MPFR):
        if x.is_finite() and x != 0:
            return mpq(x)
        return float(x) if not (x == 0 and not x.is_signed()) else mpq(0)
    if isinstance(x, float | np.floating) or _is_small_float(x):
        if not np.isfinite(x):
            return float(x)
        if x == 0:
            return -0.0 if np.signbit(x) else mpq(0)
        if not isinstance(x, float) and isinstance(x, np.longdouble):
            return mpq(*x.as_integer_ratio())
        return mpq(float(x))
    return parse_number(x, what)


def _is_small_float(x: object) -> bool:
    """Whether x is a scalar of ml_dtypes: a generic of NumPy that converts to a float exactly."""
    return isinstance(x, np.generic) and x.dtype.kind == "V" and x.dtype.names is None and hasattr(x, "__float__")


def as_binary64(element: Element) -> float | None:
    """The element as a binary64 number, or None when that is not exact."""
    if isinstance(element, float):
        return element
    try:
        number = float(element)
    except OverflowError:
        return None
    return number if math.isfinite(number) and mpq(number) == element else None


def as_array(x: Any, what: str = "operand") -> Array:
    """x as a binary64 or binary32 array of the same numbers, or as an object array of elements where that is not exact.

    Raises `InputError` for arrays of booleans, complex numbers or other things that are no real numbers.
    """
    array = x if isinstance(x, np.ndarray) else _from_sequence(x, what)
    kind = array.dtype.kind
    if array.dtype in (np.dtype(np.float64), np.dtype(np.float32)):
        return array.astype(array.dtype.newbyteorder("="), copy=False)
    if kind in "iu" or (kind == "f" and array.dtype.itemsize <= 2) or (kind == "V" and array.dtype.names is None):
        try:
            numbers = to_binary64(array)
        except (TypeError, ValueError):
            raise InputError(what, f"an array of {array.dtype}", "an array of real numbers") from None
        if kind in "iu" and array.dtype.itemsize == 8 and np.any(np.abs(numbers) >= 2.0**53):
            return elements_of(array, what)  # an integer of 64 bits need not be a binary64 number
        return numbers
    if kind in "fOUT":
        return elements_of(array, what)
    raise InputError(what, f"an array of {array.dtype}", "an array of real numbers")


def to_binary64(array: Array) -> Array:
    """The same numbers in binary64, without a copy where they are; a signalling NaN becomes quiet without a warning."""
    with np.errstate(invalid="ignore"):
        return array.astype(np.float64, copy=False)


def _from_sequence(x: Any, what: str) -> Array:
    try:
        array = np.asarray(x)
        # NumPy turns a list of texts and numbers into texts, and numbers of many digits into the nearest binary64
        exact = array.dtype.kind in "iu" or all(type(item) is float for item in np.asarray(x, dtype=object).flat)
        return array if exact else np.asarray(x, dtype=object)
    except ValueError:
        raise InputError(what, x, "a list of numbers, or of lists of one length") from None


def elements_of(array: Array, what: str = "operand") -> Array:
    """The object array of the exact elements of an array."""
    out = np.empty(array.shape, dtype=object)
    for place, item in enumerate(array.flat):
        out.flat[place] = as_element(item, f"{what}[{place}]")
    return out


def element_result(values: ValueSet, element: Element) -> Any:
    """A value of F as the user gets it: a float, an mpfr of F's precision, or an mpq (a float for inf, nan)."""
    if values.carrier == "float64":
        return float(element)
    if values.carrier == "mpfr":
        return gmpy2.mpfr(element, max(values.precision, 2))
    return element


def result_array(values: ValueSet, elements: list[Element], shape: tuple[int, ...]) -> Array:
    """Values of F as an array: binary64 where that carries F, otherwise of objects."""
    if values.carrier == "float64":
        return np.array([float(element) for element in elements]).reshape(shape)
    out = np.empty(len(elements), dtype=object)
    for place, element in enumerate(elements):
        out[place] = element_result(values, element)
    return out.reshape(shape)
