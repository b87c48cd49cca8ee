"""The bound on the error of a score, step by step as docs/certificates.md derives it ("The error bound"), in balls.

It says which pairs of `ideal` and `table` can fail at all: those whose exact gap C (1 - cos gn) is below a limit.
"""

from __future__ import annotations

from itertools import pairwise
from typing import Any

from gmpy2 import mpq

from certify.second_opinions.balls import Balls
from certify.second_opinions.claim import Range
from certify.second_opinions.values import Values, floor_log2, power_of_two

__all__ = ["NoBoundError", "widest_return"]

_BITS = 128


class NoBoundError(Exception):
    """Why there is no bound."""


def widest_return(balls: Balls, claim: Range, threshold: mpq) -> mpq:
    """A number of turns: only pairs whose n = i-k-j times the angle is that near to a whole number of turns can have a
    gap below `threshold`.  Raises `NoBoundError`.
    """
    if claim.realize not in ("ideal", "table"):
        raise NoBoundError(f"the realization {claim.realize} has no ideal phase")
    with balls.flint.ctx.workprec(_BITS):
        return _widest_return(balls, claim, threshold)


def _widest_return(balls: Balls, claim: Range, threshold: mpq) -> mpq:
    arb, exact = balls.flint.arb, balls.exact
    root2, scale, f = arb(2).sqrt(), exact(claim.scale), exact(threshold)

    def error(values: Values, at_most: Any) -> Any:
        return exact(_rounding_error(values, _upper(at_most)))

    def lost(values: Values) -> Any:
        return exact(power_of_two(values.emin)) if values.ftz else arb(0)

    V, R, T = claim.values, claim.rotate, claim.score
    key0 = root2 * error(V, arb(1))  # 1: dK0
    bias0 = root2 * error(V, scale)  # 2: b0
    r, b = key0 + root2 * lost(R), bias0 + root2 * lost(R)  # 3
    product = (1 + r) * (scale + b)  # 3: P
    moved = error(R, product)
    eta = 2 * moved + error(R, product + 2 * moved)  # 4
    stored = arb(0) if R == V else error(V, product + eta)  # 5
    query0 = r * scale + r * b + b + root2 * (eta + stored)  # 6: dQ0
    query, key = query0 + root2 * lost(T), key0 + root2 * lost(T)  # 7: dQ, dK
    total = (scale + query) * (1 + key)  # 7: P3
    first = error(T, total) if claim.fma else 2 * error(T, total)
    own = first + error(T, total + first)  # 8: D
    bound = query * (1 + key) + scale * key + own  # 9: E
    rest = 2 * (scale + query) * key + 2 * own  # 10: G
    # 10: a pair can fail only if y - a sqrt(y) < f + G, a = dQ sqrt(2/C); and only if y < f + 2E.
    a = query * (2 / scale).sqrt()
    root = (a + (a * a + 4 * (f + rest)).sqrt()) / 2
    limit = min(_upper(root * root), _upper(f + 2 * bound))
    if limit >= 2 * claim.scale:
        raise NoBoundError("the error of a score may be as large as the scale")
    # y = 2C sin^2(gn/2) < limit: the distance of gn to a multiple of 2 pi is below 2 arcsin(sqrt(limit / 2C)).
    return _upper((exact(limit) / (2 * scale)).sqrt().asin() / arb.pi())


def _upper(ball: Any) -> mpq:
    mantissa, exponent = ball.upper().man_exp()
    return mpq(int(mantissa)) * mpq(2) ** int(exponent)


def _rounding_error(values: Values, at_most: mpq) -> mpq:
    """The most that rounding moves a real of magnitude up to `at_most`.  Raises `NoBoundError` beyond the values."""
    sides = (False, True) if values.kind == "grid" else (False,)
    if any(at_most > values.size(values.top(side), side) for side in sides):
        raise NoBoundError(f"a result may be as large as {float(at_most):.6g}, beyond the values")
    if values.kind == "float":
        exponent = max(floor_log2(at_most), values.emin) if at_most else values.emin
        gap = power_of_two(exponent - values.precision + 1)
    elif values.kind == "fixed":
        gap = values.step
    else:
        gap = max(b - a for a, b in pairwise(values.grid))
    moved = gap / 2 if values.rounding in ("even", "away") else gap
    return max(moved, power_of_two(values.emin)) if values.ftz else moved
