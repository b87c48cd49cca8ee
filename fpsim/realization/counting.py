"""A counter in F: x_0 = 0, x_{i+1} = round(x_i + 1), at any i without i steps.

While the integers up to i are in F, x_i = i.  From the first one that is not, the gap to the next value is looked at:
the map x -> round(x + 1) is monotone, so once it keeps x it keeps it for ever.  Where the gap is at least 1 it keeps x
or moves to the next value, and which of the two depends on the gap and on the parity of the index only (a tie, at a
gap of 2, goes to the even index, or away; `odd` goes to the odd one); so after two moves with the same gap every value
as far as the gap stays the same is passed, one a step.
"""

from __future__ import annotations

from functools import lru_cache
from typing import TYPE_CHECKING, Any

from gmpy2 import mpq

from fpsim.realization.block import is_finite
from fpsim.rounding.reference import Element, round_exact
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    import numpy as np

__all__ = ["count_ends", "counted", "counted_floats", "first_equal_positions", "integers_up_to"]


def counted(values: ValueSet, steps: int) -> Element:
    """x_i after i = `steps` >= 0 steps; an infinity or NaN from where the count leaves F.

    >>> fp16 = ValueSet.parse("fp16")
    >>> [float(counted(fp16, i)) for i in (2047, 2048, 2049, 10**9)]
    [2047.0, 2048.0, 2048.0, 2048.0]
    >>> float(counted(ValueSet.parse("fp16:up"), 2049)), float(counted(ValueSet.parse("fp16:up"), 10**9))
    (2050.0, inf)
    """
    whole = integers_up_to(values)
    if steps <= whole:
        return mpq(steps)
    for first, x, moves in _runs(values):
        if steps <= first + moves:
            return x if steps == first or moves == 0 else values.value(values.index(mpq(x)) + steps - first)
    return _runs(values)[-1][1]


def counted_floats(values: ValueSet, start: int, stop: int) -> np.ndarray[Any, np.dtype[np.float64]]:
    """x_i for start <= i < stop as binary64, which has to hold F.

    A run of moves has one gap, a whole multiple of it lies between any two of its values, and the values are in F, so
    that x + n gap below is exact.

    >>> counted_floats(ValueSet.parse("fp16"), 2046, 2050).tolist()
    [2046.0, 2047.0, 2048.0, 2048.0]
    """
    import numpy as np

    whole = integers_up_to(values)
    x = np.empty(stop - start)
    exact = min(max(whole + 1, start), stop)
    x[: exact - start] = np.arange(start, exact, dtype=np.int64)
    runs = _runs(values)
    ends = [*(first for first, _, _ in runs[1:]), stop]
    for (first, value, moves), after in zip(runs, ends, strict=True):
        begin, end = max(start, first), min(stop, after)
        if begin < end:
            index = values.index(mpq(value)) if moves else 0
            gap = float(values.value(index + 1) - values.value(index)) if moves else 0.0
            steps = np.arange(begin - first, end - first, dtype=np.int64)
            x[begin - start : end - start] = float(value) + (steps * gap if moves else 0.0)
    return x


def first_equal_positions(values: ValueSet) -> tuple[int, int]:
    """The first positions j-1, j that round into F alike, or the least j that rounds to no finite value, and j-1.

    >>> first_equal_positions(ValueSet.parse("fp16")), first_equal_positions(ValueSet.parse("e3m2:nan"))
    ((2048, 2049), (8, 9))
    """
    j = integers_up_to(values)
    before: Element = mpq(j)
    while True:  # the whole numbers beyond the last value round alike, or not to a finite value
        j += 1
        x = round_exact(values, mpq(j))
        if not is_finite(x) or x == before:
            return j - 1, j
        before = x


def count_ends(values: ValueSet) -> tuple[int, Element]:
    """(i, x): the least position from which the count stays at one x for ever (x may be an infinity or NaN).

    >>> count_ends(ValueSet.parse("bf16"))[0], count_ends(ValueSet.parse("fp32"))[0]
    (256, 16777216)
    """
    first, x, moves = _runs(values)[-1]
    assert moves == 0  # the last run stays
    return first, x


@lru_cache(maxsize=64)
def integers_up_to(values: ValueSet) -> int:
    """The greatest n such that 0, 1, .., n are all in F.

    >>> integers_up_to(ValueSet.parse("fp16")), integers_up_to(ValueSet.parse("fixed:8.4"))
    (2048, 7)
    """
    n = 0
    if values.kind == "float" and values.emin <= 0:
        n = min(1 << values.precision, int(values.max))
    elif values.kind == "fixed" and values.quantum_exponent <= 0:
        n = int(values.max)
    while mpq(n + 1) in values:
        n += 1
    return n


@lru_cache(maxsize=64)
def _runs(values: ValueSet) -> tuple[tuple[int, Element, int], ...]:
    """(i, x_i, moves): from position i on, the count passes the next `moves` values one a step; 0: it stays at x_i."""
    i = integers_up_to(values)
    x: Element = mpq(i)
    runs: list[tuple[int, Element, int]] = []
    while True:
        following = round_exact(values, mpq(x) + 1) if is_finite(x) else x
        if not is_finite(x) or following == x:
            return (*runs, (i, x, 0))
        moves = 0
        if is_finite(following):
            index = values.index(mpq(x))
            end = _end_of_gap(values, index)
            if values.index(mpq(following)) == index + 1 and end > index + 2 and _moves_on(values, index + 1):
                moves = end - index
        if moves:
            runs.append((i, x, moves))
            i, x = i + moves, values.value(end)
        else:
            runs.append((i, x, 1) if is_finite(following) and _is_next(values, x, following) else (i, x, 0))
            i, x = i + 1, following


def _is_next(values: ValueSet, x: Element, following: Element) -> bool:
    return values.index(mpq(following)) == values.index(mpq(x)) + 1


def _moves_on(values: ValueSet, index: int) -> bool:
    """Whether the count moves from the value with this index to the next one."""
    if index + 1 > values.last:
        return False
    following = round_exact(values, values.value(index) + 1)
    return is_finite(following) and following == values.value(index + 1)


def _end_of_gap(values: ValueSet, index: int) -> int:
    """The greatest index up to which the values from `index` on lie equally far apart (their common gap >= 1)."""
    if index >= values.last:
        return index
    if values.value(index + 1) - values.value(index) < 1 or values.kind == "grid":
        return index
    if values.kind == "fixed":
        return values.last
    half = 1 << (values.precision - 1)
    return min(values.last, (index // half + 1) * half)  # the next power of two
