"""The k-offset head: one rotary pair whose score is largest k positions back ("semantics 1", §4).

Under exact arithmetic S(i, j) = C cos(g (i - k - j)) (Eq. 9 of arXiv:2608.11909).  Here every operation is rounded:

    b_q = (round(C cos(kg)), round(-C sin(kg)))         stored once-rounded; b_k = (1, 0)
    q_i = ((c_i b0) - (s_i b1), (s_i b0) + (c_i b1))    in `rotate`, the results then rounded into `values`
    k_j = (c_j, s_j)
    S(i, j) = (q_i0 k_j0) + (q_i1 k_j1)                 in `score`; `fma` fuses the second product into the sum
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

from gmpy2 import mpq

from fpsim import reference
from fpsim.real import Irrational, Real
from fpsim.realization import Block, Realization
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, round_exact

__all__ = ["Head"]


@dataclass(frozen=True)
class Head:
    """A k-offset head: exact scale C > 0, offset k >= 1, the realized rotation of its pair, and its regime.

    >>> from fpsim.angle import Angle
    >>> from fpsim.realization import realize
    >>> F = Regime.of("fp16")
    >>> head = Head(mpq(40), 1, realize("ideal", Angle.parse("1.0"), F.values), F)
    >>> float(head.score(7, 6)), float(head.score(7, 0))
    (40.03125, 38.4375)
    """

    scale: mpq
    offset: int
    realization: Realization
    regime: Regime

    @cached_property
    def bias(self) -> Block:
        """b_q, each parameter rounded once into `values`; NaN where the stored angle is not finite."""
        rotation = self.realization.bias_rotation(self.offset)
        if rotation is None:
            return float("nan"), float("nan")
        values = self.regime.values
        return (
            round_exact(values, _scaled(rotation[0], self.scale)),
            round_exact(values, _scaled(rotation[1], -self.scale)),
        )

    def key(self, position: int) -> Block:
        """k_j: the realized block, rounded into `values` where the realization keeps wider tables (some pipelines)."""
        block = self.realization.block(position)
        if not self.rounds_keys:
            return block
        values = self.regime.values
        return round_exact(values, block[0]), round_exact(values, block[1])

    @property
    def rounds_keys(self) -> bool:
        """Whether a block need not be in `values`, so that a key is a block rounded once more."""
        return self.realization.values != self.regime.values

    def query(self, position: int) -> Block:
        """q_i."""
        return self.rotated_bias(self.realization.block(position))

    def query_beside(self, key: Block, position: int) -> Block:
        """q_i, given k_i: the same, without the block once more where the key is the block itself."""
        return self.query(position) if self.rounds_keys else self.rotated_bias(key)

    def rotated_bias(self, block: Block) -> Block:
        """The bias rotated by a realized block, in `rotate`, then rounded into `values`."""
        (c, s), (b0, b1) = block, self.bias
        rotate, values = self.regime.rotate, self.regime.values
        first = reference.sub(rotate, reference.mul(rotate, c, b0), reference.mul(rotate, s, b1))
        second = reference.add(rotate, reference.mul(rotate, s, b0), reference.mul(rotate, c, b1))
        return round_exact(values, first), round_exact(values, second)

    def score(self, i: int, j: int) -> Element:
        """S(i, j), for 0 <= j < i."""
        return self.score_of(self.query(i), self.key(j))

    def score_of(self, query: Block, key: Block) -> Element:
        """The score of a realized query and a realized key."""
        values = self.regime.score
        first = reference.mul(values, query[0], key[0])
        if self.regime.fma:
            return reference.fma(values, query[1], key[1], first)
        return reference.add(values, first, reference.mul(values, query[1], key[1]))


def _scaled(x: Real, factor: mpq) -> Real:
    """factor * x; an exact 0 of cos or sin times the factor is +0 (a real number has no sign of zero)."""
    return x.scaled(factor) if isinstance(x, Irrational) else mpq(x) * factor
