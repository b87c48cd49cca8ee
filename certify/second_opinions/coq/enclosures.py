"""Enclosures that a proof assistant can confirm: as wide as the rounding cell allows, so that they need few bits.

A realized number is v = round(x).  Any lo <= x <= hi whose ends round to v prove it; lo and hi are taken half way from
x to the ends of the cell of v, as multiples of 2^-bits.
"""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from certify.second_opinions.real import Enclosure
from certify.second_opinions.values import Element, Values, floor_log2
from fpsim.errors import UnsupportedError

__all__ = ["Enclosed", "TooCoarseError", "cell", "enclosed"]


class TooCoarseError(Exception):
    """The multiples of 2^-bits are too far apart."""


@dataclass(frozen=True)
class Enclosed:
    """low 2^-bits <= x <= high 2^-bits, both of which round to `rounded` steps of F.

    precision: with how many bits an interval arithmetic should confirm it.
    """

    low: int
    high: int
    rounded: int
    precision: int


def enclosed(values: Values, x: Enclosure, v: Element, bits: int) -> Enclosed:
    """An enclosure of x, which is known far more closely than the cell of v = round(x) is wide.

    Raises `TooCoarseError`, and `UnsupportedError` where v is not finite or x lies on the end of its cell.
    """
    if isinstance(v, float):
        raise UnsupportedError("a realized number is not finite")
    lo, hi = cell(values, v)
    below, above = x[0] - lo, hi - x[1]
    if min(below, above) <= 0:
        raise UnsupportedError("an exact number lies half way between two values of F, where no enclosure decides")
    slack = min(below, above) / 2
    if slack * (1 << bits) < 16:
        raise TooCoarseError
    size = max(floor_log2(max(abs(lo), abs(hi))), 0)
    return Enclosed(
        low=-int((-(lo + x[0]) / 2 * (1 << bits)) // 1),  # upwards, to the side of x
        high=int(((hi + x[1]) / 2 * (1 << bits)) // 1),
        rounded=int(v / values.step),
        precision=max(size - floor_log2(slack), 0),
    )


def cell(values: Values, v: mpq) -> Enclosure:
    """The ends of the cell of v under rounding to nearest, magnitudes going on beyond the last value."""
    size, negative = abs(v), v < 0
    index, top = values.index_below(size), values.top()
    step = values.size(index) - values.size(index - 1) if index else values.size(1)
    after = values.size(index + 1) - size if index < top else step
    ends = size - step / 2, size + after / 2
    return (-ends[1], -ends[0]) if negative else ends
