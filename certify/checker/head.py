"""The k-offset head on one rotary pair ("semantics 1", section 4): bias, query, key and score."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import cached_property, lru_cache

from .arithmetic import add, fma, mul, sub
from .given import Given
from .limits import Account
from .rotation import Block, Rotation, rounded
from .softmax import Order
from .valueset import NAN, Element, ValueSet

__all__ = ["Head", "Regime"]


@dataclass(frozen=True)
class Regime:
    """The value set of each stage; stages that have one value set share the object."""

    values: ValueSet
    rotate: ValueSet
    score: ValueSet
    softmax: ValueSet
    fma: bool
    order: Order


class Head:
    """Scores S(i, j); i and j are positions, k the offset."""

    def __init__(self, rotation: Rotation, C: Fraction, k: int, regime: Regime, account: Account) -> None:
        self.rotation, self.C, self.k, self.regime, self.account = rotation, C, k, regime, account
        self.query = lru_cache(maxsize=1 << 10)(self._query)

    @cached_property
    def bias(self) -> Block:
        """(round(C cos kg), round(-C sin kg)) of the angle that the realization stores; of a given block (c_k, s_k)."""
        if isinstance(self.rotation, Given):
            c, s = self.rotation.block(self.k)
            return self.regime.values.convert(self.C * c), self.regime.values.convert(-self.C * s)
        angle = self.rotation.bias_angle()
        if angle is None:
            return NAN, NAN
        values, account = self.regime.values, self.account
        return rounded(values, angle, self.k, 0, account, self.C), rounded(values, angle, self.k, 1, account, -self.C)

    def key(self, j: int) -> Block:
        """k_j: the block, converted where the tables of a pipeline are of another value set."""
        block, store = self.rotation.block(j), self.regime.values
        return block if self.rotation.values is store else (store.convert(block[0]), store.convert(block[1]))

    def _query(self, i: int) -> Block:
        """q_i, rounded into the value set of the parameters."""
        self.account.spend()
        rotate, store = self.regime.rotate, self.regime.values
        (c, s), (x, y) = self.rotation.block(i), self.bias
        first = sub(rotate, mul(rotate, c, x), mul(rotate, s, y))
        second = add(rotate, mul(rotate, s, x), mul(rotate, c, y))
        return (first, second) if store is rotate else (store.convert(first), store.convert(second))

    def score(self, i: int, j: int) -> Element:
        """S(i, j)."""
        self.account.spend()
        score = self.regime.score
        (a, b), (c, s) = self.query(i), self.key(j)
        first = mul(score, a, c)
        return fma(score, b, s, first) if self.regime.fma else add(score, first, mul(score, b, s))
