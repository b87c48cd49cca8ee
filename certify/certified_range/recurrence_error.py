r"""How far the state of a recurrence can be from the exact rotation: a proved bound that grows with the position.

Let z_i = (cos gi, sin gi), z'_i the realized state, T' = (C, S) the realized block of one step and T the exact one.
Notation and e_V, pair_V, plane_V are those of `error_bound`.  V has no values that its own `ftz` drops.

1. |T' - T| <= r = plane_V(1), so |T'| <= 1 + r.
2. Suppose |z'_i| <= N.  For either component of the new state the two exact products have magnitudes that sum to at
   most P = (1 + r) N (Cauchy-Schwarz), so the roundings of the products move the vector by at most sqrt2 pair_V(P); the
   exact sums then have norm at most M = P + sqrt2 pair_V(P), and their rounding moves it by at most plane_V(M).
   Together the step rounds by at most d(N) = sqrt2 pair_V(P) + plane_V(M).
3. z'_{i+1} - z_{i+1} = R(T') (z'_i - z_i) + R(T' - T) z_i + (what the step rounds), so with e_i = |z'_i - z_i|
       e_{i+1} <= (1 + r) e_i + r + d(N),    e_0 <= e_V(1).
   As (1 + r)^i <= 1 / (1 - i r) for i r < 1:  e_i <= (e_0 + i (r + d(N))) / (1 - i r), which rises with i.
4. With N = 2: if that is at most 1 at i = L, then by induction it bounds e_i for all i <= L, since |z'_i| <= 1 + e_i
   <= 2 where it is used.  Then |z'_i| <= N = 1 + e_L for i <= L, and the same with this N is a better bound.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.certified_range.rounding_error import (
    OutOfRangeError,
    pair,
    plane,
    round_up,
    rounding_error,
    sqrt_up,
)
from fpsim.valueset import ValueSet

__all__ = ["state_error"]

_SQRT2 = sqrt_up(mpq(2))


def state_error(values: ValueSet, last: int) -> mpq:
    """|z'_i - z_i| is at most this for all i <= last.  Raises `OutOfRangeError` where no bound is known.

    >>> float(state_error(ValueSet.parse("fp64"), 10**6)) < 10**6 * 2**-53 * 6
    True
    """
    error = _error(values, last, mpq(2))
    if error is None or error > 1:
        raise OutOfRangeError(f"the state of a recurrence in {values.name} may be anywhere at position {last}")
    better = _error(values, last, 1 + error)
    return error if better is None else min(error, better)


def _error(values: ValueSet, last: int, norm: mpq) -> mpq | None:
    turn = plane(values, mpq(1))
    if last * turn >= 1:
        return None
    total = round_up((1 + turn) * norm)
    products = _SQRT2 * pair(values, total)
    step = products + plane(values, round_up(total + products))
    return round_up((rounding_error(values, mpq(1)) + last * (turn + step)) / (1 - last * turn))
