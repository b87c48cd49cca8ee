"""Enclosures: rationals lo <= x <= hi around a real that is made of pi, logarithms and roots, and their arithmetic.

Sums, products and quotients of enclosures are exact interval arithmetic on rationals; only pi, log and sqrt are
rounded, outward, by MPFR.  `narrowed` asks again with more bits until an enclosure is narrow relative to its size,
which bits lost to cancellation can make necessary.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import TypeAlias

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.errors import UnsupportedError
from fpsim.real import mpfr_pair

__all__ = [
    "MAX_BITS",
    "Enclosure",
    "log_bounds",
    "narrowed",
    "over",
    "pi_bounds",
    "plus",
    "point",
    "product",
    "sqrt_bounds",
]

Enclosure: TypeAlias = "tuple[mpq, mpq]"

MAX_BITS = 1 << 18
"""No enclosure of a real that might be rational is asked for with more bits: see `angle.NamedReal`."""


def point(x: mpq | int) -> Enclosure:
    """A rational, enclosed by itself."""
    return mpq(x), mpq(x)


def plus(*terms: Enclosure) -> Enclosure:
    """The sum of the terms."""
    return sum((lo for lo, _ in terms), mpq(0)), sum((hi for _, hi in terms), mpq(0))


def product(a: Enclosure, b: Enclosure) -> Enclosure:
    """a * b.

    >>> product((mpq(-1), mpq(2)), (mpq(3), mpq(5)))
    (mpq(-5,1), mpq(10,1))
    """
    corners = [x * y for x in a for y in b]
    return min(corners), max(corners)


def over(a: Enclosure, b: Enclosure) -> Enclosure | None:
    """a / b; None where b is not yet known to differ from 0."""
    lo, hi = b
    return None if lo <= 0 <= hi else product(a, (1 / hi, 1 / lo))


def pi_bounds(bits: int) -> Enclosure:
    """pi, to this many bits."""
    ends = []
    for towards in (gmpy2.RoundDown, gmpy2.RoundUp):
        with gmpy2.context(precision=bits, round=towards):
            ends.append(mpq(gmpy2.const_pi()))
    return ends[0], ends[1]


def log_bounds(x: mpq, bits: int) -> Enclosure:
    """The natural logarithm of x > 0; exactly 0 for x = 1.

    >>> lo, hi = log_bounds(mpq(2), 64)
    >>> print(f"{float(lo):.6f}", 0 < hi - lo < mpq(1, 2**60))
    0.693147 True
    """
    return point(0) if x == 1 else mpfr_pair(gmpy2.log, x, bits)


def sqrt_bounds(a: Enclosure, bits: int) -> Enclosure:
    """The square root of what a encloses, a >= 0."""
    return mpfr_pair(gmpy2.sqrt, a[0], bits)[0], mpfr_pair(gmpy2.sqrt, a[1], bits)[1]


def narrowed(compute: Callable[[int], Enclosure | None], bits: int, what: str) -> Enclosure:
    """compute(n) for a number n of bits at which it is at most 2^-bits wide relative to its size, rounded outward.

    Raises `UnsupportedError` when 2^18 bits more do not suffice, as for a real that is 0 and not known to be.
    """
    working = bits + 32
    while working <= bits + MAX_BITS:
        ends = compute(working)
        if ends is not None and (ends[1] - ends[0]) * (1 << (bits + 1)) <= min(map(abs, ends)):
            return _outward(ends, bits + 8)
        working *= 2
    raise UnsupportedError(f"{what} is 0, or so near to 0 that {working // 2} bits do not tell it from 0")


def _outward(ends: Enclosure, bits: int) -> Enclosure:
    """Binary ends just outside the given ones: exact quotients grow long in further arithmetic."""
    if ends[0] == ends[1]:
        return ends
    with gmpy2.context(precision=bits, round=gmpy2.RoundDown):
        lo = mpq(mpfr(ends[0]))
    with gmpy2.context(precision=bits, round=gmpy2.RoundUp):
        return lo, mpq(mpfr(ends[1]))
