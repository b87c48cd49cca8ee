r"""A proved bound on the error of a realized score of a head on several pairs: |S(i, j) - sum C_d cos(theta_d n)| <= E.

n = i-k-j; the realization is `ideal` or `table`.  Notation and steps are those of
`certify.certified_range.error_bound`, with an index d for the pair; its steps 1-6 and the operands of step 7 concern
each pair alone.

* Rotated pairs.  |Q'_d - Q_d| <= dQ_d and |K'_d - K_d| <= dK_d as there.
* Unrotated pairs.  The block is the exact identity, so the query is the same at every position and is computed: dQ_d is
  its distance from (C_d, 0); and K'_d = K_d = (1, 0), dK_d = 0.  `score` under `ftz` may lose l_T of each operand.

7'. Score.  The magnitudes of the two products of pair d sum to at most P_d = (C_d + dQ_d)(1 + dK_d).  Their roundings:
   at most h_d = pair_T(P_d); with `fma` only the very first product is rounded by itself, h_0 = e_T(P_0), h_d = 0 after
   it.  The sums: let A be the sum of the P of pairs 0 .. d, and L what the roundings so far and h_d have moved the sum
   by.  Before an addition, or a fused one, of pair d is rounded, the exact sum is at most A + L in magnitude (the
   products added so far are some of those in A), so rounding moves it by at most e_T(A + L), which is added to L.  Pair
   0 has one addition, every other has two.  Then S' = sum of Q'_d.K'_d + r with |r| <= D, the last L.
8'. Theorem.  |S' - S| <= E = sum of [dQ_d (1 + dK_d) + C_d dK_d] + D, adding step 8 over the pairs.
9'. Two scores of one query.  With y_d = C_d (1 - cos theta_d n) and y the sum of them, step 9 for each pair gives
       |S'_t - S'_j - y| <= sum of dQ_d sqrt(2 y_d / C_d) + G,    G = sum of 2 (C_d + dQ_d) dK_d + 2D,
   with unrotated pairs, whose key is the same at t and at j, only in D.  By Cauchy and Schwarz the first sum is at most
   sqrt(sum of 2 dQ_d^2 / C_d) sqrt(y).  That is the a sqrt(y) of step 10 for a = dQ sqrt(2/C), C = sum of C_d, with the
   mean dQ = sqrt(C sum of dQ_d^2 / C_d) over rotated pairs: so `ErrorBounds.near` and `sure` hold with this C and dQ.

With one pair every bound is that of the one-pair module.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.certified_range.error_bound import ErrorBounds, NoBound, error_bounds
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.rounding_error import (
    OutOfRangeError,
    lost_operand,
    pair,
    plane,
    round_up,
    rounding_error,
    sqrt_up,
)
from fpsim.head import Head
from fpsim.realization import traits_of
from fpsim.rounding.reference import Element, is_nan

__all__ = ["LAST_QUERY", "many_error_bounds"]

LAST_QUERY = 10**61  # beyond all that is asked; the bounds of `ideal` do not depend on it
_SQRT2 = sqrt_up(mpq(2))


def many_error_bounds(question: ManyQuestion, last_query: int) -> ErrorBounds | NoBound:
    """The bounds for all queries up to `last_query`, or the reason why there are none.

    `scale` is the sum of the C_d of the rotated pairs, and `query` the mean of step 9'.

    >>> from fpsim.angle import Angle
    >>> from fpsim.regime import Regime
    >>> angles, scales = (Angle.parse("1"), Angle.parse("0.1")), (mpq(40), mpq(40))
    >>> bounds = many_error_bounds(ManyQuestion(angles, scales, 1, Regime.of("fp16")), 10**9)
    >>> float(bounds.score) < 80 * 2**-11 * 12
    True
    """
    if any(traits_of(pair.realization).phase != "exact" for pair in question.head.pairs):
        return NoBound(
            f"the realization {question.realize} need not follow the exact phase, and no bound for a sum is known"
        )
    operands = []  # C_d, dQ_d, dK_d of every pair
    try:
        rotated = iter(question.rotated)
        for head in question.head.pairs:
            if not head.realization.angle:
                operands.append((head.scale, *_unrotated(head)))
                continue
            alone = error_bounds(next(rotated), last_query)
            if isinstance(alone, NoBound):
                return alone
            values, score = question.regime.values, question.regime.score
            operands.append(
                (head.scale, alone.query, round_up(plane(values, mpq(1)) + _SQRT2 * lost_operand(score, values)))
            )
        rounding = _rounding(question, operands)
    except OutOfRangeError as problem:
        return NoBound(str(problem))
    turning = [entry for entry, head in zip(operands, question.head.pairs, strict=True) if head.realization.angle]
    total = sum((scale for scale, _, _ in turning), mpq(0))
    return ErrorBounds(
        question.rotated[0].angle,
        total,
        last_query,
        round_up(sum((query * (1 + key) + scale * key for scale, query, key in operands), mpq(0)) + rounding),
        round_up(sqrt_up(total * sum((query * query / scale for scale, query, _ in turning), mpq(0)))),
        round_up(sum((2 * (scale + query) * key for scale, query, key in turning), mpq(0)) + 2 * rounding),
    )


def _unrotated(head: Head) -> tuple[mpq, mpq]:
    """dQ and dK of a pair of angle 0, with what `score` may lose of the operands."""
    regime = head.regime
    lost = _SQRT2 * lost_operand(regime.score, regime.values)
    q0, q1 = (_finite(entry) for entry in head.query(0))
    return round_up(sqrt_up((q0 - head.scale) ** 2 + q1**2) + lost), lost


def _finite(x: Element) -> mpq:
    if isinstance(x, float) and (is_nan(x) or x - x != 0):
        raise OutOfRangeError("a query of an unrotated pair is not finite")
    return mpq(x)


def _rounding(question: ManyQuestion, operands: list[tuple[mpq, mpq, mpq]]) -> mpq:
    """D of step 7'."""
    values, fused = question.regime.score, question.regime.fma
    total, lost = mpq(0), mpq(0)
    for d, (scale, query, key) in enumerate(operands):
        products = round_up((scale + query) * (1 + key))
        total += products
        if not fused:
            lost += pair(values, products)
        elif d == 0:
            lost += rounding_error(values, products)
        for _ in range(1 if d == 0 else 2):
            lost = round_up(lost + rounding_error(values, total + lost))
    return lost
