"""The k-offset head on several rotary pairs: the sum of the scores of its pairs, in one rounded dot product.

Under exact arithmetic S(i, j) = sum over d of C_d cos(theta_d (i - k - j)).  Each pair has its own bias, realized block
and query, those of `fpsim.head`; queries and keys are concatenated pair by pair, and the score is the dot product of
2 D terms, in `score`:

    p_0 = q_0 k_0,  p_1 = q_1 k_1 (both of pair 0),  p_2, p_3 (of pair 1), ...        each product rounded
    S = (...((p_0 + p_1) + p_2) + ...) + p_{2D-1}                                      each sum rounded, left to right

With `fma` every product after the first is fused into the running sum.  One pair is exactly `Head`.  A pair of angle 0
is unrotated, the identity at every position: its terms are the same for every key.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

from fpsim import reference
from fpsim.head import Head
from fpsim.realization import Block
from fpsim.rounding.reference import Element

__all__ = ["Blocks", "ManyPairsHead"]

Blocks: TypeAlias = tuple[Block, ...]
"""One block, query or key for each pair, in the order of the pairs."""


@dataclass(frozen=True)
class ManyPairsHead:
    """A k-offset head made of one head for each pair, all with the same offset and regime.

    >>> from fpsim.angle import Angle
    >>> from fpsim.realization import realize
    >>> from fpsim.regime import Regime
    >>> from gmpy2 import mpq
    >>> F = Regime.of("fp16")
    >>> angles = [Angle.parse("1"), Angle.parse("0.1")]
    >>> head = ManyPairsHead(tuple(Head(mpq(40), 1, realize("ideal", angle, F.values), F) for angle in angles))
    >>> float(head.score(7, 6)), float(head.score(7, 0))
    (80.0, 71.4375)
    """

    pairs: tuple[Head, ...]

    def key(self, position: int) -> Blocks:
        """k_j: the realized blocks."""
        return tuple(pair.key(position) for pair in self.pairs)

    def query(self, position: int) -> Blocks:
        """q_i."""
        return tuple(pair.query(position) for pair in self.pairs)

    def query_beside(self, key: Blocks, position: int) -> Blocks:
        """q_i, given k_i."""
        return tuple(pair.query_beside(block, position) for pair, block in zip(self.pairs, key, strict=True))

    def rotated_bias(self, blocks: Blocks) -> Blocks:
        """The bias of each pair, rotated by its realized block."""
        return tuple(pair.rotated_bias(block) for pair, block in zip(self.pairs, blocks, strict=True))

    def score(self, i: int, j: int) -> Element:
        """S(i, j), for 0 <= j < i."""
        return self.score_of(self.query(i), self.key(j))

    def score_of(self, query: Blocks, key: Blocks) -> Element:
        """The score of a realized query and a realized key."""
        regime = self.pairs[0].regime
        values, fused = regime.score, regime.fma
        terms = [(q, k) for block, other in zip(query, key, strict=True) for q, k in zip(block, other, strict=True)]
        total = reference.mul(values, *terms[0])
        for q, k in terms[1:]:
            if fused:
                total = reference.fma(values, q, k, total)
            else:
                total = reference.add(values, total, reference.mul(values, q, k))
        return total
