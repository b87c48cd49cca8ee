"""Which keys can come close to a target: those in an arc around the direction of the query.

With q and k_j the realized query and keys as the score sees them, and D what its operations are off by, S(i, j) <=
q.k_j + D. So a pair can fail only if q.k_j > H = S(i, i-k) - f - D.  If H > 0 then the angle between q and k_j has a
cosine above h = H / (|q| K), K >= |k_j|, and tan(angle / 2) is below t = sqrt((1 - h) / (1 + h)).  Turning q by the
exact rational rotation with that half-angle tangent gives the two ends of the arc.

Directions are compared by a number from 0 to 4 that rises with the angle: y / (|x| + |y|) in the first quarter, and
so on. Only its first 48 bits after the point are kept, which keeps the order, so nothing is lost.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right, insort
from fractions import Fraction

from .errorbound import operations
from .fixedpoint import root_above
from .head import Head
from .rotation import Block
from .valueset import Element

__all__ = ["Keys"]

_SHIFT = 48


def direction(x: Fraction, y: Fraction) -> int:
    """The place of (x, y) != (0, 0) on the circle, from 0 to 4 2^48, rising with its angle."""
    a, b = x.numerator * y.denominator, y.numerator * x.denominator
    quarter = 0
    while a <= 0 or b < 0:  # a quarter of a turn back
        a, b, quarter = b, -a, quarter + 1
    return (quarter << _SHIFT) + (b << _SHIFT) // (a + b)


class Keys:
    """The realized keys of positions 0, 1, .., sorted by direction; more are added as the rows rise."""

    def __init__(self, head: Head) -> None:
        self.head = head
        self._sorted: list[tuple[int, int]] = []
        self._count = 0  # of the keys that were looked at
        self._broken: list[int] = []  # keys that are infinite or NaN are always looked at
        self._longest = Fraction(0)  # of |k_j|^2

    def _operands(self, block: Block) -> tuple[Element, Element]:
        score = self.head.regime.score
        return score.operand(block[0]), score.operand(block[1])

    def _grow(self, count: int) -> None:
        self.head.account.store(count)
        for j in range(self._count, count):
            self.head.account.spend()
            x, y = self._operands(self.head.key(j))
            if isinstance(x, float) or isinstance(y, float):
                self._broken.append(j)
            elif x or y:  # a key (0, 0) scores at most D
                insort(self._sorted, (direction(x, y), j))
                self._longest = max(self._longest, x * x + y * y)
        self._count = max(self._count, count)

    def candidates(self, i: int, f: Fraction) -> list[int] | None:
        """The competitors j < i that can score above S(i, i-k) - f; None when all must be looked at."""
        head = self.head
        head.account.spend()
        self._grow(i)
        x, y = self._operands(head.query(i))
        target = head.score(i, i - head.k)
        if isinstance(target, float) or isinstance(x, float) or isinstance(y, float) or not (x or y):
            return None
        product = root_above((x * x + y * y) * self._longest)
        error = operations(head.regime.score, product, head.regime.fma)
        if error is None:
            return None
        H = target - f - error
        if H <= 0:
            return None
        found = list(self._broken)
        h = H / product
        if h < 1:
            t = root_above((1 - h) / (1 + h), 16)
            u, v = 1 - t * t, 2 * t
            if u <= 0:
                return None
            first = direction(x * u + y * v, y * u - x * v)
            last = direction(x * u - y * v, y * u + x * v)
            ends = [(first, last)] if first <= last else [(first, 4 << _SHIFT), (0, last)]
            for low, high in ends:
                start, stop = bisect_left(self._sorted, (low, -1)), bisect_right(self._sorted, (high, i))
                found += [j for _, j in self._sorted[start:stop]]
        return [j for j in found if j < i and j != i - head.k]
