"""How far a realized score can be from the exact one, where the entries are roundings of the exact cos and sin.

e_F(A) is at least |round_F(x) - x| for all |x| <= A; it exists where no such x is beyond range.  l_F is what flushing
can take from an operand.  V, R, T are the value sets of parameters, rotation and score; |.| is the length of a vector
of the plane.  Exactly: block (cos gi, sin gi), bias C (cos kg, -sin kg), query Q = C (cos g(i-k), sin g(i-k)), key
K_j = (cos gj, sin gj), score Q.K_j = C cos gn with n = i-k-j.  Primes mark what is realized.

  1. key       each entry is off by at most e_V(1):          |K' - K| <= dK0 = sqrt2 e_V(1)
  2. bias      each entry is at most C in magnitude:         |b' - b| <= b0 = sqrt2 e_V(C)
  3. operands  flushing moves a vector by at most sqrt2 l_R: the block is off by r = dK0 + sqrt2 l_R, the bias by
               b = b0 + sqrt2 l_R; with B = C + b, P = (1 + r) B bounds each product and, by Cauchy-Schwarz, each sum
  4. rotation  two products and their sum:                   eta = 2 e_R(P) + e_R(P + 2 e_R(P))
  5. storing   an entry of the query is at most P + eta:     s = e_V(P + eta), or 0 where V is R
  6. query     R(c',s')b' - R(c,s)b = R((c',s') - (c,s)) b' + R(c,s)(b' - b), and |R(v)w| = |v||w|:
                                                             |Q' - Q| <= dQ0 = r B + b + sqrt2 (eta + s)
  7. operands  of the score: dQ = dQ0 + sqrt2 l_T, dK = dK0 + sqrt2 l_T; (C + dQ)(1 + dK) = P3 bounds products and sums
  8. score     its own operations:                           D = 2 e_T(P3) + e_T(P3 + 2 e_T(P3)),
               with fma                                      D = e_T(P3) + e_T(P3 + e_T(P3))
  9. together  Q'.K' - Q.K = (Q' - Q).K' + Q.(K' - K):       |S' - C cos gn| <= E = dQ (1 + dK) + C dK + D
 10. two scores of one query, y = C (1 - cos gn) their exact difference: the error of the query meets K_t - K_j only,
     which is 2 |sin(gn/2)| = sqrt(2y/C) long; the errors of the keys meet Q':
               |S'(i,t) - S'(i,j) - y| <= dQ sqrt(2y/C) + G, G = 2 (C + dQ) dK + 2 D

A pair whose realized difference is below f has y < f + 2E, and y - dQ sqrt(2y/C) < f + G; solved for the root of y, the
latter is y < ((a + sqrt(a^2 + 4 (f + G))) / 2)^2 with a = dQ sqrt(2/C).  `limit` is the smaller of the two.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from .fixedpoint import root_above
from .head import Regime
from .valueset import ZERO, ValueSet

__all__ = ["Bound", "bound", "moved", "operations"]

_SQRT2 = root_above(Fraction(2))


def moved(values: ValueSet, magnitude: Fraction) -> Fraction | None:
    """e_F(A), or None where a number of magnitude at most A can be beyond range."""
    if magnitude > min(values.largest(False), values.largest(True)):
        return None
    error = values.spacing(magnitude) / (2 if values.nearest else 1)
    return max(error, values.least_normal) if values.ftz else error


def operations(values: ValueSet, product: Fraction, fused: bool) -> Fraction | None:
    """What two products of at most `product` and their sum, of which the same is true, are off by together."""
    once = moved(values, product)
    if once is None:
        return None
    products = once if fused else 2 * once
    total = moved(values, product + products)
    return None if total is None else products + total


def _lost(values: ValueSet) -> Fraction:
    return _SQRT2 * values.least_normal if values.ftz else ZERO


@dataclass(frozen=True)
class Bound:
    """E, dQ and G of the derivation, and C."""

    scale: Fraction
    score: Fraction
    query: Fraction
    common: Fraction

    def limit(self, f: Fraction) -> Fraction:
        """An exact difference from which on no pair of realized scores is closer than f."""
        a = self.query * root_above(2 / self.scale)
        root = (a + root_above(a * a + 4 * (f + self.common))) / 2
        return min(f + 2 * self.score, root * root)


def bound(regime: Regime, C: Fraction) -> Bound | None:
    """The bound for a scale C, or None where something can be beyond range."""
    V, R, T = regime.values, regime.rotate, regime.score
    key, bias = moved(V, Fraction(1)), moved(V, C)
    if key is None or bias is None:
        return None
    dk0, r = _SQRT2 * key, _SQRT2 * key + _lost(R)
    b = _SQRT2 * bias + _lost(R)
    B = C + b
    P = (1 + r) * B
    eta = operations(R, P, False)
    stored = ZERO if V is R or eta is None else moved(V, P + eta)
    if eta is None or stored is None:
        return None
    dQ = r * B + b + _SQRT2 * (eta + stored) + _lost(T)
    dK = dk0 + _lost(T)
    D = operations(T, (C + dQ) * (1 + dK), regime.fma)
    if D is None:
        return None
    return Bound(C, dQ * (1 + dK) + C * dK + D, dQ, 2 * (C + dQ) * dK + 2 * D)
