"""The reference rounding: an exact real into F, by its neighbours.  Slow and obvious; every kernel is tested against
it.

The rules are those of "semantics 1" §1.  On each side of 0 let M be the last value and M' the one below it in
magnitude.  A magnitude above M is *beyond range* or becomes M, as the mode says; beyond range the policy decides.
Below M, the two neighbours are consecutive indices and the mode picks one of them.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import TypeAlias

from gmpy2 import mpq

from fpsim.real import Irrational, Real
from fpsim.rounding.stochastic import uniform_bits
from fpsim.valueset import ValueSet

__all__ = ["Element", "element_of", "is_nan", "is_negative", "round_exact"]

# A value of F as the reference holds it: a rational, or one of the floats inf, -inf, nan and -0.0.
Element: TypeAlias = "mpq | float"

_MAX_BITS = 1 << 22
_STOCHASTIC_BITS = 64


def is_nan(x: Real) -> bool:
    """Whether x is NaN."""
    return isinstance(x, float) and x != x


def element_of(x: float) -> Element:
    """A binary64 number as the reference holds it: a rational, but for infinities, NaN and -0.

    >>> element_of(0.5), element_of(-0.0)
    (mpq(1,2), -0.0)
    """
    x = float(x)
    return x if x - x != 0 or (x == 0 and math.copysign(1.0, x) < 0) else mpq(x)


def is_negative(x: Element) -> bool:
    """Whether x is below 0 or -0."""
    return x < 0 or (isinstance(x, float) and str(x) == "-0.0")


def round_exact(values: ValueSet, x: Real, operation: int = 0) -> Element:
    """The exact real x rounded once into F = `values`.

    NaN stays NaN; an infinity is beyond range, whatever the mode; -0.0 stays itself where F keeps -0 and else is 0.
    `operation` numbers the operation for stochastic rounding and means nothing otherwise.

    >>> from fpsim.valueset import ValueSet
    >>> round_exact(ValueSet.parse("fp16"), mpq(2049)), round_exact(ValueSet.parse("e4m3"), mpq(464))
    (mpq(2048,1), mpq(448,1))
    """
    if isinstance(x, Irrational):
        return _round_irrational(values, x, operation)
    if isinstance(x, float):
        if x != x:
            return x
        if x == 0:
            return x if values.signed_zero else mpq(0)
        return _beyond(values, x < 0)
    return _round_rational(values, mpq(x), operation)


def _round_irrational(values: ValueSet, x: Irrational, operation: int) -> Element:
    """Ziv's method: narrow the enclosure until both ends round alike; rounding is monotone, so x does too.

    It ends, since x is irrational and every boundary between two results is rational.
    """
    bits = values.precision + 32
    while bits < _MAX_BITS:
        lo, hi = x.enclose(bits)
        low = _round_rational(values, lo, operation)
        # Both ends beyond range are alike only on one side of 0: between two sides that give NaN there are all of F.
        if _same(low, _round_rational(values, hi, operation)) and (not is_nan(low) or lo * hi > 0):
            return low
        bits *= 2
    raise ArithmeticError(f"undecided at {bits} bits: a real this close to a rounding boundary of {values.name}")


def _same(a: Element, b: Element) -> bool:
    return (a == b and is_negative(a) == is_negative(b)) or (is_nan(a) and is_nan(b))


def _round_rational(values: ValueSet, x: mpq, operation: int) -> Element:
    if x == 0:
        return mpq(0)
    negative = x < 0
    magnitude = abs(x)
    top = -values.first if negative else values.last
    if top == 0:  # a side without values saturates at 0
        return _signed(values, 0, negative)
    last = abs(values.value(-top if negative else top))
    if magnitude > last:
        if _is_beyond(values, magnitude, last, top, negative, operation):
            return _beyond(values, negative)
        return _signed(values, top, negative)
    below = values.floor_index(magnitude, negative)
    lo = abs(values.value(-below if negative else below))
    if lo == magnitude:
        return _signed(values, below, negative)
    hi = abs(values.value(-(below + 1) if negative else below + 1))
    chosen = _pick(values, below, (magnitude - lo) / (hi - lo), negative, operation)
    return _signed(values, chosen, negative)


def _pick(values: ValueSet, below: int, fraction: mpq, negative: bool, operation: int) -> int:
    """The index below or the next, for a magnitude that lies the `fraction` 0 < f < 1 of the way between them."""
    half = mpq(1, 2)
    even = below % 2 == 0
    picks: dict[str, Callable[[], bool]] = {
        "even": lambda: fraction > half or (fraction == half and not even),
        "away": lambda: fraction >= half,
        "zero": lambda: False,
        "up": lambda: not negative,
        "down": lambda: negative,
        "odd": lambda: even,
        "stochastic": lambda: _draw(values, operation) < fraction,
    }
    return below + picks[values.rounding]()


def _is_beyond(values: ValueSet, magnitude: mpq, last: mpq, top: int, negative: bool, operation: int) -> bool:
    """Whether a magnitude above the last value is beyond range (semantics 1, §1, "Overflow")."""
    step = last - abs(values.value(-(top - 1) if negative else top - 1))
    odd = top % 2 == 1
    fraction = (magnitude - last) / step
    half = mpq(1, 2)
    picks: dict[str, Callable[[], bool]] = {
        "even": lambda: fraction > half or (fraction == half and odd),
        "away": lambda: fraction >= half,
        "zero": lambda: False,
        "up": lambda: not negative,
        "down": lambda: negative,
        "odd": lambda: not odd,
        "stochastic": lambda: fraction >= 1 or _draw(values, operation) < fraction,
    }
    return picks[values.rounding]()


def _draw(values: ValueSet, operation: int) -> mpq:
    """A number of {0, ..., 2^64 - 1} / 2^64 that depends on the seed and the operation's number only."""
    return mpq(uniform_bits(values.seed or 0, operation), 1 << _STOCHASTIC_BITS)


def _signed(values: ValueSet, index: int, negative: bool) -> Element:
    if values.ftz and index < values.least_index:
        index = 0
    if index == 0:
        return -0.0 if negative and values.signed_zero else mpq(0)
    return values.value(-index if negative else index)


def _beyond(values: ValueSet, negative: bool) -> Element:
    if (values.first if negative else values.last) == 0:  # a side without values saturates at 0
        return _signed(values, 0, negative)
    if values.overflow == "nan":
        return float("nan")
    if values.overflow == "inf":
        return float("-inf") if negative else float("inf")
    top = -values.first if negative else values.last
    return _signed(values, top, negative)
