"""Exact reals: rationals, and irrationals known by enclosures of any width.

A `Real` is an `mpq`, one of the floats inf, -inf, nan and -0.0 (the results that no rational stands for), or an
`Irrational`.  Because an irrational number never equals a rational one, comparing it with a rational ends: the
enclosure is narrowed until the rational lies outside.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import gmpy2
from gmpy2 import mpfr, mpq

__all__ = ["Irrational", "Real", "exp_of", "mpfr_pair", "sqrt_of"]


@dataclass(frozen=True)
class Irrational:
    """An irrational real x: `enclose(bits)` gives rationals (lo, hi) with lo < x < hi, whose width goes to 0 with bits.

    x may also be made of a `NamedReal` of which it is not known whether it is irrational.  Its bounds are strict too,
    so that what they decide is right, and `enclose` raises `UnsupportedError` where a decision would take too many
    bits.

    >>> lo, hi = sqrt_of(mpq(2)).enclose(100)
    >>> lo * lo < 2 < hi * hi
    True
    """

    enclose: Callable[[int], tuple[mpq, mpq]]

    def scaled(self, factor: mpq) -> Irrational:
        """factor * x, for a rational factor other than 0."""

        def enclose(bits: int) -> tuple[mpq, mpq]:
            lo, hi = self.enclose(bits)
            return (lo * factor, hi * factor) if factor > 0 else (hi * factor, lo * factor)

        return Irrational(enclose)

    def shifted(self, term: mpq) -> Irrational:
        """x + term, for a rational term."""

        def enclose(bits: int) -> tuple[mpq, mpq]:
            lo, hi = self.enclose(bits)
            return lo + term, hi + term

        return Irrational(enclose)

    def exceeds(self, bound: mpq) -> bool:
        """Whether x > bound.

        >>> sqrt_of(mpq(2)).exceeds(mpq(7, 5))
        True
        """
        bits = 64
        while True:
            lo, hi = self.enclose(bits)
            if lo >= bound:
                return True
            if hi <= bound:
                return False
            bits *= 2


Real: TypeAlias = "mpq | float | Irrational"


def mpfr_pair(function: Callable[[mpfr], mpfr], argument: mpq, bits: int, rising: bool = True) -> tuple[mpq, mpq]:
    """Bounds of a monotone MPFR function at a rational argument, each direction rounded outward at `bits` bits."""
    ends = []
    for towards, opposite in ((gmpy2.RoundDown, gmpy2.RoundUp), (gmpy2.RoundUp, gmpy2.RoundDown)):
        with gmpy2.context(precision=bits, round=towards if rising else opposite):
            x = mpfr(argument)
        with gmpy2.context(precision=bits, round=towards):
            ends.append(mpq(function(x)))
    return ends[0], ends[1]


def exp_of(x: mpq) -> mpq | Irrational:
    """e^x: 1 for x = 0, otherwise irrational (Lindemann).  |x| must be below 2^28, so that MPFR holds the result."""
    if x == 0:
        return mpq(1)
    return Irrational(
        lambda bits: mpfr_pair(gmpy2.exp, x, bits + max(0, int(x.numerator.bit_length() - x.denominator.bit_length())))
    )


def sqrt_of(x: mpq) -> mpq | Irrational:
    """The square root of x >= 0: rational when both terms of x are squares, else irrational."""
    if gmpy2.is_square(x.numerator) and gmpy2.is_square(x.denominator):
        return mpq(gmpy2.isqrt(x.numerator), gmpy2.isqrt(x.denominator))
    return Irrational(lambda bits: mpfr_pair(gmpy2.sqrt, x, bits))
