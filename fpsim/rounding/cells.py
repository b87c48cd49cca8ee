"""Rounding cells: which reals round to a value of F.

Rounding is monotone, so the reals that round to one value are an interval, its *cell*; the cells cover the line.  A
claim that c = round(x) is then two comparisons of x with rationals, which is how an independent program confirms it.
"""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from fpsim.errors import InputError, UnsupportedError
from fpsim.rounding.reference import Element, is_nan
from fpsim.valueset import ValueSet

__all__ = ["Cell", "boundary", "cell"]


@dataclass(frozen=True)
class Cell:
    """The interval from `lo` to `hi` (None: unbounded); the flags say whether the ends belong to it."""

    lo: mpq | None
    lo_closed: bool
    hi: mpq | None
    hi_closed: bool

    def contains(self, lo: mpq, hi: mpq) -> bool:
        """Whether all of [lo, hi] lies in the cell."""
        above = self.lo is None or lo > self.lo or (self.lo_closed and lo == self.lo)
        below = self.hi is None or hi < self.hi or (self.hi_closed and hi == self.hi)
        return above and below

    def mirrored(self) -> Cell:
        """The cell of the negated values."""
        return Cell(
            None if self.hi is None else -self.hi, self.hi_closed, None if self.lo is None else -self.lo, self.lo_closed
        )


def boundary(values: ValueSet, n: int, negative: bool) -> tuple[mpq | None, bool]:
    """The magnitude that parts index n-1 from index n >= 1 on one side, and whether it belongs to n.

    For n one above the last index it parts the last value from what is beyond range; None: nothing finite is beyond.
    Index n-1 = last stands for M + (M - M'), the value that would come next ("semantics 1", §1, "Overflow").
    """
    last = -values.first if negative else values.last
    mode = values.rounding
    if mode == "stochastic":
        raise UnsupportedError(f"{values.name} rounds stochastically: no real has one result, so there are no cells")
    if last == 0 or n > last + 1:
        return None, False

    def magnitude(index: int) -> mpq:
        if index <= last:
            return abs(values.value(-index if negative else index))
        return 2 * magnitude(last) - magnitude(last - 1)

    if mode == "even":
        return (magnitude(n - 1) + magnitude(n)) / 2, n % 2 == 0
    if mode == "away":
        return (magnitude(n - 1) + magnitude(n)) / 2, True
    outward = mode == ("down" if negative else "up") or (mode == "odd" and n % 2 == 1)
    if outward:  # everything above n-1 goes to n
        return magnitude(n - 1), False
    return (None, False) if n > last else (magnitude(n), True)


def cell(values: ValueSet, element: Element) -> Cell:
    """The cell of a value of F, or of an infinity that overflow gives; NaN has none here (`InputError`).

    >>> c = cell(ValueSet.parse("fp16"), mpq(2048))
    >>> str(c.lo), str(c.hi), c.hi_closed
    ('4095/2', '2049', True)
    """
    if is_nan(element):
        raise InputError("element", element, "a value of F")
    if element < 0:
        return _side(values, -element, negative=True).mirrored()
    if element > 0:
        return _side(values, element, negative=False)
    up, down = (_zero_end(values, negative) for negative in (False, True))
    return Cell(None if down[0] is None else -down[0], down[1], up[0], up[1])


def _zero_end(values: ValueSet, negative: bool) -> tuple[mpq | None, bool]:
    """Up to where magnitudes of one side round to 0; under `ftz` that reaches the least normal's cell."""
    point, belongs_above = boundary(values, values.least_index, negative)
    return point, not belongs_above


def _side(values: ValueSet, magnitude: Element, negative: bool) -> Cell:
    last = -values.first if negative else values.last
    if magnitude == float("inf"):
        point, belongs_above = boundary(values, last + 1, negative)
        if values.overflow != "inf" or point is None:
            raise InputError("element", "an infinity", f"a value that finite numbers round to in {values.name}")
        return Cell(point, belongs_above, None, False)
    n = abs(values.index(-mpq(magnitude) if negative else mpq(magnitude)))
    lo, lo_closed = boundary(values, n, negative)
    hi, belongs_above = boundary(values, n + 1, negative)
    if n == last and values.overflow == "saturate":
        hi, belongs_above = None, True
    return Cell(lo, lo_closed, hi, hi is not None and not belongs_above)
