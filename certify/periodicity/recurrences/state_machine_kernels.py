"""The state machine of `recurrence` in compiled code: steps, searches and walks on pairs of binary64 numbers.

A step is that of `fpsim.realization.recurrence`, by the operations of `fpsim.scalar` for every kind of value set.  fp32
in hardware is computed in real binary32 numbers: the four products do not depend on each other, so a step takes the
time of one product and one sum.  Nothing is contracted to a fused operation: numba without `fastmath` does not allow
it.

`seek` looks at every state, so its test is one comparison of significands; what passes is compared in full.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from fpsim.compilation import kernel
from fpsim.functions.bits import bits32_of, bits_of
from fpsim.rounding.dispatch import implement
from fpsim.rounding.kinds import AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec
from fpsim.scalar import add_closed, mul_closed, sub_closed

__all__ = ["advance", "first_nan", "meet", "seek", "walk_inside"]

_FRACTION = np.uint64((1 << 52) - 1)
_FRACTION32 = np.uint32((1 << 23) - 1)
_LEAST_NORMAL = 2.0**-1022


def carried(spec: Spec, x: float) -> float:
    """x in the type in which this kind of value set is computed; inside compiled code only."""
    raise NotImplementedError


def fraction(spec: Spec, x: float) -> int:
    """The bits of x behind the leading one: equal for equal numbers, and for x and 2^e x; inside compiled code only."""
    raise NotImplementedError


def difference(spec: Spec, a: float, b: float) -> float:
    """a - b, rounded once, of values of F; inside compiled code only."""
    raise NotImplementedError


def total(spec: Spec, a: float, b: float) -> float:
    """a + b, rounded once, of values of F; inside compiled code only."""
    raise NotImplementedError


def product(spec: Spec, a: float, b: float) -> float:
    """a * b, rounded once, of values of F; inside compiled code only."""
    raise NotImplementedError


def _carried_as_it_is(spec: Spec, x: float) -> float:
    return x


def _carried_in_binary32(spec: Binary32, x: float) -> Any:
    return np.float32(x)


def _fraction_of_binary64(spec: Spec, x: float) -> Any:
    return bits_of(x) & _FRACTION


def _fraction_of_binary32(spec: Binary32, x: Any) -> Any:
    return np.uint32(bits32_of(x) & _FRACTION32)


def _difference_in_binary32(spec: Binary32, a: Any, b: Any) -> Any:
    return np.float32(a - b)


def _total_in_binary32(spec: Binary32, a: Any, b: Any) -> Any:
    return np.float32(a + b)


def _product_in_binary32(spec: Binary32, a: Any, b: Any) -> Any:
    return np.float32(a * b)


def _difference(spec: Spec, a: float, b: float) -> float:
    return sub_closed(spec, a, b)


def _total(spec: Spec, a: float, b: float) -> float:
    return add_closed(spec, a, b)


def _product(spec: Spec, a: float, b: float) -> float:
    return mul_closed(spec, a, b)


def _kinds(in_binary32: Any, other: Any) -> dict[type, Any]:
    return {Binary32: in_binary32} | dict.fromkeys((Binary64, NearestFloat, AnyFloat, Grid), other)


implement(carried, _kinds(_carried_in_binary32, _carried_as_it_is))
implement(fraction, _kinds(_fraction_of_binary32, _fraction_of_binary64))
implement(difference, _kinds(_difference_in_binary32, _difference))
implement(total, _kinds(_total_in_binary32, _total))
implement(product, _kinds(_product_in_binary32, _product))


@kernel(forceinline=True)
def _step(spec: Any, turn_c: float, turn_s: float, c: float, s: float) -> tuple[float, float]:
    """The state after (c, s)."""
    return (
        difference(spec, product(spec, turn_c, c), product(spec, turn_s, s)),
        total(spec, product(spec, turn_s, c), product(spec, turn_c, s)),
    )


@kernel()
def advance(spec: Any, turn_c: float, turn_s: float, c: float, s: float, steps: int) -> tuple[float, float]:
    """The state `steps` steps after (c, s)."""
    C, S, x, y = carried(spec, turn_c), carried(spec, turn_s), carried(spec, c), carried(spec, s)
    for _ in range(steps):
        x, y = _step(spec, C, S, x, y)
    return np.float64(x), np.float64(y)


@kernel()
def first_nan(spec: Any, turn_c: float, turn_s: float, c: float, s: float, steps: int) -> int:
    """The least n <= `steps` such that the n-th state after (c, s) has a NaN; `steps` + 1 when there is none."""
    C, S, x, y = carried(spec, turn_c), carried(spec, turn_s), carried(spec, c), carried(spec, s)
    for n in range(steps + 1):
        if x != x or y != y:
            return n
        x, y = _step(spec, C, S, x, y)
    return steps + 1


@kernel(forceinline=True)
def _quotient(a: float, b: float) -> tuple[int, bool]:
    """(e, True) when b = 2^e a for normal numbers a and b of one sign."""
    if not (_LEAST_NORMAL <= abs(a) < np.inf and _LEAST_NORMAL <= abs(b) < np.inf) or (a < 0.0) != (b < 0.0):
        return 0, False
    apart: int = np.int64(bits_of(b)) - np.int64(bits_of(a))  # type: ignore[assignment]
    return apart >> 52, (apart & np.int64(_FRACTION)) == 0


@kernel()
def _exponent_between(tc: float, ts: float, c: float, s: float) -> tuple[int, bool]:
    """(e, True) when (c, s) = 2^e (tc, ts); e = 0 when they are equal as values, whatever the signs of zeros."""
    if c == tc and s == ts:
        return 0, True
    if c == 0.0 and tc == 0.0:
        return _quotient(ts, s)
    e, found = _quotient(tc, c)
    if not found or (s == 0.0 and ts == 0.0):
        return e, found
    other, found = _quotient(ts, s)
    return e, found and other == e


@kernel()
def seek(
    spec: Any, turn_c: float, turn_s: float, tc: float, ts: float, c: float, s: float, steps: int, scaled: bool
) -> tuple[int, float, float, int, bool]:
    """Walk from (c, s) to a state that equals (tc, ts), or with `scaled` 2^e times it: (n, c, s, e, found) after n
    steps.
    """
    C, S, x, y = carried(spec, turn_c), carried(spec, turn_s), carried(spec, c), carried(spec, s)
    goal = fraction(spec, carried(spec, tc))
    for n in range(steps):
        x, y = _step(spec, C, S, x, y)
        if fraction(spec, x) == goal:
            e, found = _exponent_between(tc, ts, np.float64(x), np.float64(y))
            if found and (scaled or e == 0):
                return n + 1, np.float64(x), np.float64(y), e, True
    return steps, np.float64(x), np.float64(y), 0, False


@kernel()
def meet(
    spec: Any,
    turn_c: float,
    turn_s: float,
    first: tuple[float, float],
    second: tuple[float, float],
    exponent: int,
    steps: int,
) -> tuple[int, tuple[float, float], tuple[float, float], bool]:
    """Walk two states at once until the second is 2^exponent times the first: (n, first, second, met) after n steps."""
    C, S = carried(spec, turn_c), carried(spec, turn_s)
    c, s, x, y = (
        carried(spec, first[0]),
        carried(spec, first[1]),
        carried(spec, second[0]),
        carried(spec, second[1]),
    )
    for n in range(steps):
        if fraction(spec, c) == fraction(spec, x):
            e, found = _exponent_between(np.float64(c), np.float64(s), np.float64(x), np.float64(y))
            if found and e == exponent:
                return n, (np.float64(c), np.float64(s)), (np.float64(x), np.float64(y)), True
        c, s = _step(spec, C, S, c, s)
        x, y = _step(spec, C, S, x, y)
    return steps, (np.float64(c), np.float64(s)), (np.float64(x), np.float64(y)), False


@kernel(forceinline=True)
def _stretched(endless: float, least: float, greatest: float, result: float, is_zero: bool) -> tuple[float, float]:
    """The least magnitude, and the greatest, with those of one more result, which `is_zero` when it is exactly 0.

    A result that is not 0 but rounds to 0 makes the least one 0; NaN changes nothing.
    """
    a = abs(result)
    b = endless if is_zero else a
    return (b if b < least else least), (a if a > greatest else greatest)


@kernel()
def walk_inside(
    spec: Any, turn_c: float, turn_s: float, c: float, s: float, steps: int, low: float, high: float
) -> tuple[int, float, float, float, float]:
    """Walk from (c, s) while every product and sum that is not 0 rounds to a magnitude of [low, high].

    Returns (n, c, s, least, greatest): the number of such steps, the state after them, and the least magnitude and the
    greatest that occurred, exact zeros left out; the first state counts (n = 0 when it is outside).  A NaN counts as
    inside, and with low = 0 what rounds to 0 too.
    """
    C, S, x, y = carried(spec, turn_c), carried(spec, turn_s), carried(spec, c), carried(spec, s)
    zero, endless = carried(spec, 0.0), carried(spec, np.inf)
    below, above = carried(spec, low), carried(spec, high)
    no_c, no_s = zero == C, zero == S
    least, greatest = _stretched(endless, endless, zero, x, x == zero)
    least, greatest = _stretched(endless, least, greatest, y, y == zero)
    n = 0
    while n < steps and not (least < below or greatest > above):
        no_x, no_y = x == zero, y == zero
        cc, ss, sc, cs = product(spec, C, x), product(spec, S, y), product(spec, S, x), product(spec, C, y)
        u, v = difference(spec, cc, ss), total(spec, sc, cs)
        lo, hi = _stretched(endless, least, greatest, cc, no_c or no_x)
        lo, hi = _stretched(endless, lo, hi, ss, no_s or no_y)
        lo, hi = _stretched(endless, lo, hi, sc, no_s or no_x)
        lo, hi = _stretched(endless, lo, hi, cs, no_c or no_y)
        lo, hi = _stretched(endless, lo, hi, u, cc == ss)
        lo, hi = _stretched(endless, lo, hi, v, sc == -cs)
        if lo < below or hi > above:
            break
        least, greatest, x, y = lo, hi, u, v
        n += 1
    return n, np.float64(x), np.float64(y), np.float64(least), np.float64(greatest)
