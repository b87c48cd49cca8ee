"""The certified range of the same head in exact arithmetic (E = 0), which shows what rounding cost.

There S(i, i-k) - S(i, j) = C (1 - cos(g n)) with n = i - k - j, and the competitors of query i have n in -(k-1) .. i-k
without 0.  With n1 the least n >= 1 where C (1 - cos(g n)) < f_large: if n1 <= k-1 the pair exists at the first query
i = k+1 already and N_max = k-1; otherwise it first exists at i = n1 + k, and N_max = n1 + k - 2.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.rotation.near_returns import first_gap_below
from fpsim.angle import Angle

__all__ = ["exact_arithmetic_range", "range_of_first_return"]


def exact_arithmetic_range(angle: Angle, scale: mpq, offset: int, threshold: mpq) -> int:
    """N_max of the k-offset head under exact arithmetic, for a threshold f_large > 0.

    >>> exact_arithmetic_range(Angle.parse("1"), mpq(40), 1, mpq("17.34375"))
    5
    """
    first = first_gap_below(angle, scale, threshold)
    if first is None:  # only for a threshold of at most 0, which f_large is not
        raise ArithmeticError(f"no near-return of {angle} for the threshold {threshold}")
    return range_of_first_return(first, offset)


def range_of_first_return(first: int, offset: int) -> int:
    """N_max when the least distance |i-k-j| that fails is `first`."""
    return offset - 1 if first <= offset - 1 else first + offset - 2
