"""The exact counterpart of a head: scores and weights from the same queries, keys and values, with no further rounding.

Scores are rationals.  With d = S - m <= 0 exact, a weight is e^d over the sum of such terms, computed by MPFR with
`BITS` bits: the conversion of d costs a relative error of |d| 2^-BITS in e^d, each further operation one of 2^-BITS, so
that a weight is right to a relative (2 max|d| + n + 4) 2^-BITS for n keys, as long as |d| < 2^61 (below e^-2^61 MPFR
has no exponent left, and 0 stands for the weight).
"""

from __future__ import annotations

import math
from collections.abc import Sequence
from dataclasses import dataclass

import gmpy2
import numpy as np
from gmpy2 import mpfr, mpq, mpz

from fpsim.operands import Array, as_element

__all__ = ["BITS", "ExactRow", "exact_rows"]

BITS = 192


@dataclass(frozen=True, eq=False)
class ExactRow:
    """One query without rounding, against the keys that it sees: at least one.

    scores: rationals, one for each key, over one `denominator`: the integers `numerators`.  greatest: the first key
    with the greatest score.  total: the sum of the exponentials.  weights, output: mpfr numbers.
    """

    numerators: tuple[int, ...]
    scale: int
    greatest: int
    total: mpfr
    weights: tuple[mpfr, ...]
    output: tuple[mpfr, ...]

    def score(self, key: int) -> mpq:
        """S(i, key)."""
        return mpq(self.numerators[key], self.scale)


def exact_rows(q: Array, k: Array, v: Array, rows: Sequence[int], own: int) -> list[ExactRow | None]:
    """The rows of some queries; None where the query sees no key, or where it or a key or a value that it sees is not
    finite.  own: 1 where a query also sees its own position.

    >>> one, two = exact_rows(np.array([[0.0], [0.5]]), np.array([[3.0], [0.0]]), np.array([[1.0], [2.0]]), [0, 1], 1)
    >>> one.weights[0], two.score(0), f"{two.output[0]:.15f}"  # (e^1.5 + 2) / (e^1.5 + 1)
    (mpfr('1.0',192), mpq(3,2), '1.182425523806356')
    """
    queries, q_scale, q_good = _integers(q[list(rows)])
    keys, k_scale, k_good = _integers(k)
    values, v_scale, v_good = _integers(v)
    readable = np.logical_and.accumulate(k_good & v_good)  # up to and with this key
    found: list[ExactRow | None] = []
    for n, i in enumerate(rows):
        seen = i + own
        if not seen or not q_good[n] or not readable[seen - 1]:
            found.append(None)
            continue
        numerators = keys[:seen] @ queries[n]
        found.append(_row(numerators, q_scale * k_scale, values[:seen], v_scale))
    return found


def _row(numerators: Array, scale: int, values: Array, value_scale: int) -> ExactRow:
    greatest = int(np.argmax(numerators))
    most = numerators[greatest]
    with gmpy2.context(precision=BITS):
        terms = {d: gmpy2.exp(mpfr(mpq(d, scale))) for d in set((numerators - most).tolist())}
        exponentials = [terms[d] for d in (numerators - most).tolist()]
        total = sum(exponentials, mpfr(0))
        weights = np.array([e / total for e in exponentials], dtype=object)
        output = tuple(x / value_scale for x in (weights @ values).tolist())
    return ExactRow(tuple(numerators.tolist()), scale, greatest, total, tuple(weights.tolist()), output)


def _integers(x: Array) -> tuple[Array, int, Array]:
    """The matrix as integers over one denominator, and which of its rows are finite (the others are 0)."""
    rows = [[as_element(each) for each in row] for row in x]
    good = np.array([all(each - each == 0 for each in row) for row in rows], np.bool_)
    exact = [[mpq(each) if fine else mpq(0) for each in row] for row, fine in zip(rows, good, strict=True)]
    scale = math.lcm(1, *(int(each.denominator) for row in exact for each in row))
    out = np.empty(x.shape, dtype=object)
    for place, each in enumerate(each for row in exact for each in row):
        out.flat[place] = mpz(each * scale)
    return out, scale, good
