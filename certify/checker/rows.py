"""The failing pairs of a range of rows: every pair is computed, or those that a theorem leaves.

A row i holds if no competitor j comes within f_large of the target i - k (`gap`), or if the realized softmax selects
the target exactly (`weight`).  Three ways, the cheapest first; each can also be impossible or dearer than what is
left:

pairs    every pair is computed; nothing is assumed
returns  `ideal` and `table`: the error bound leaves the pairs whose n = i - k - j is a near-return
buckets  every realization: for each row the keys within an arc around its query

The last two speak of the gap.  A competitor with a gap of at least f_large has an exponential of exactly 0 where
`_silent` holds, and the target alone a weight of 1 where `alone` does, so under `weight` too only the others are
computed; elsewhere all are.
"""

from __future__ import annotations

from fractions import Fraction

from .buckets import Keys
from .errorbound import bound
from .flarge import f_large
from .head import Head
from .limits import Account
from .returns import arc, near_returns
from .softmax import selects
from .valueset import ZERO, Element, is_nan

__all__ = ["Rows"]

_FEW = 3_000  # pairs that are computed without looking for something better


class Rows:
    """The rows of a head under a criterion."""

    def __init__(self, head: Head, criterion: str, account: Account) -> None:
        self.head, self.weight, self.account = head, criterion == "weight", account
        self.f = f_large(head.regime.softmax, account)
        self.keys = Keys(head)
        regime = head.regime
        self.alone = selects(regime.values, regime.softmax, regime.order, {0: ZERO}, 0, account)

    def failing(self, i: int, given: list[int] | None = None) -> int | None:
        """A competitor for which row i fails, or None; only those given can come within f_large (None: any can)."""
        if given == []:
            return None
        target = self.head.score(i, i - self.head.k)
        row = [j for j in range(i) if j != i - self.head.k] if given is None else given
        if not self.weight:
            return next((j for j in row if self._close(target, self.head.score(i, j))), None)
        self.account.store(len(row))
        scores = {j: self.head.score(i, j) for j in row}
        close = [j for j, x in scores.items() if self._close(target, x)]
        if not close and self.alone and self._silent(Fraction(target) - Fraction(min(scores.values()))):
            return None
        scores[i - self.head.k] = target
        regime = self.head.regime
        if selects(regime.values, regime.softmax, regime.order, scores, i - self.head.k, self.account):
            return None
        return (close or row)[0]

    def _close(self, target: Element, other: Element) -> bool:
        if isinstance(target, float) or isinstance(other, float) or self.f is None:
            return True
        return target - other < self.f

    def _silent(self, widest: Fraction) -> bool:
        """Whether gaps from f_large to `widest` give exponentials of 0: S - m rounds to <= -f_large, and to no NaN."""
        regime = self.head.regime
        far = regime.softmax.round(-widest.numerator, widest.denominator)
        unflushed = not regime.softmax.ftz or regime.score is regime.softmax
        return self.f is not None and -self.f in regime.softmax and unflushed and not is_nan(far)

    def failure(self, low: int, high: int) -> tuple[int, int] | None:
        """A failing pair with its i in low..high, or None if there is none, which is then shown."""
        low = max(low, self.head.k + 1)
        if low > high:
            return None
        pairs = (high * (high - 1) - (low - 1) * (low - 2)) // 2
        within = f"{low} <= i <= {high}" if low < high else f"i = {high}"
        if pairs > _FEW and self.f is not None and not (self.weight and not self.alone):
            near = self._near(low, high) if self.head.rotation.exact else None
            if near is not None:
                return self._returns(near, low, high, f"of the {pairs} pairs with {within}")
            if not self.weight or (self.head.regime.softmax.overflow != "nan" and self._silent(ZERO)):
                return self._buckets(low, high, f"of the {pairs} pairs with {within}")
        self.account.foresee(pairs, f"all pairs with {within}")
        for i in range(low, high + 1):
            j = self.failing(i)
            if j is not None:
                return i, j
        self.account.shown(f"all {pairs} pairs with {within} are computed and hold", pairs)
        return None

    def _near(self, low: int, high: int) -> list[tuple[int, int]] | None:
        """(first row, n) for the near-returns n that the error bound leaves; None where there is no bound."""
        head, k = self.head, self.head.k
        limits = bound(head.regime, head.C)
        if limits is None or self.f is None:
            return None
        if self.weight and not self._silent(2 * (head.C + limits.score)):
            return None
        delta = arc(limits.limit(self.f) / (2 * head.C))
        if delta is None:
            return None
        starts: list[tuple[int, int]] = []
        pairs = 0
        for most, sign in ((high - k, 1), (k - 1, -1)):
            for n in near_returns(head.rotation.angle, most, delta, self.account):
                start = max(low, n + k) if sign > 0 else low  # j = i - k - n is from 0 to i - 1
                pairs += high - start + 1
                self.account.foresee(pairs, "the pairs at near-returns")
                self.account.store(len(starts))
                starts.append((start, sign * n))
        return sorted(starts)

    def _returns(self, near: list[tuple[int, int]], low: int, high: int, where: str) -> tuple[int, int] | None:
        active: list[int] = []
        computed = 0
        for i in range(near[0][0] if near else high + 1, high + 1):
            while len(active) < len(near) and near[len(active)][0] <= i:
                active.append(near[len(active)][1])
            j = self.failing(i, [i - self.head.k - n for n in active])
            if j is not None:
                return i, j
            computed += len(active)
        note = f"{computed} {where}, those at {len(near)} near-returns, are computed and hold"
        self.account.shown(f"{note}; the error bound excludes the rest", 1 + computed)
        return None

    def _buckets(self, low: int, high: int, where: str) -> tuple[int, int] | None:
        self.account.foresee(3 * (high - low) + 2, "the rows")  # each has a query, its arc and its target's score
        computed = 0
        for i in range(low, high + 1):
            given = self.keys.candidates(i, self.f or ZERO)
            j = self.failing(i, given)
            if j is not None:
                return i, j
            computed += i - 1 if given is None else len(given)
        note = f"{computed} {where}, those near the direction of a query, are computed and hold"
        self.account.shown(f"{note}; keys in other directions cannot fail", high - low + 1 + computed)
        return None
