"""The claims `nmax` and `nmax-range` ("semantics 1", section 5).

    N_max = sup { L : every pair k+1 <= i <= L+1, 0 <= j < i, j != i-k, holds }

So L <= N_max means that no pair with i <= L + 1 fails, and N_max <= L that some pair with i <= L + 2 does.  N_max >=
k - 1 always, since for L < k there are no such pairs.
"""

from __future__ import annotations

from typing import Any

from .exact import Purse, integer, number, show, size
from .head import Head, Regime
from .kinds import parse_valueset
from .limits import Account, Malformed, Refuted
from .realization import parse_rotation
from .rows import Rows
from .softmax import Order
from .valueset import ValueSet

__all__ = ["Nmax", "parse_order", "parse_regime"]

_STAGES = ("values", "rotate", "score", "softmax")


def parse_regime(thing: Any, purse: Purse) -> Regime:
    """A regime; a stage that is the same as `values` is that object."""
    if not isinstance(thing, dict) or set(thing) != {*_STAGES, "fma", "order"} or not isinstance(thing["fma"], bool):
        raise Malformed("regime is an object with fma, order, rotate, score, softmax and values")
    values = parse_valueset(thing["values"], "values", purse)
    stages: dict[str, ValueSet] = {"values": values}
    for name in _STAGES[1:]:
        if thing[name] == thing["values"]:
            raise Malformed(f'{name}: a stage with the value set of `values` is written "values"')
        if thing[name] == "values":
            stages[name] = values
            continue
        stages[name] = parse_valueset(thing[name], name, purse)  # each is read: to Python {"ftz": 0} is {"ftz": false}
        stages[name] = next(stages[other] for other in stages if thing[other] == thing[name])
    return Regime(**stages, fma=thing["fma"], order=parse_order(thing["order"], purse))


def parse_order(thing: Any, purse: Purse) -> Order:
    """An order of sums over positions."""
    if thing in ("sequential", "reverse", "pairwise"):
        return Order(thing)
    if isinstance(thing, dict) and set(thing) == {"blocked"}:
        return Order("blocked", integer(thing["blocked"], "blocked", 1))
    if isinstance(thing, dict) and set(thing) == {"wide"}:
        return Order("wide", 1, parse_valueset(thing["wide"], "wide", purse))
    raise Malformed("order is none that is known")


class Nmax:
    """One claim; `value` in it stands for both ends."""

    def __init__(self, claim: dict[str, Any], hints: dict[str, Any], account: Account) -> None:
        purse = Purse(account)
        self.kind = claim["kind"]
        self.k = integer(claim["k"], "k", 1)
        names = ("value", "value") if self.kind == "nmax" else ("lower", "upper")
        ends = [
            None if claim[name] is None and self.kind != "nmax" else integer(claim[name], name, self.k - 1)
            for name in names
        ]
        self.lower, self.upper = ends
        if ends == [None, None] or (self.lower is not None and self.upper is not None and self.lower > self.upper):
            raise Malformed("lower is at most upper, and one of them is a number")
        self.criterion = claim["criterion"]
        if self.criterion not in ("gap", "weight"):
            raise Malformed("criterion is none that is known")
        self.C = number(claim["C"], "C", purse)
        if self.C <= 0:
            raise Malformed("C is above 0")
        self.regime = parse_regime(claim["regime"], purse)
        self.rotation = parse_rotation(claim["realize"], claim["g"], "g", self.regime.values, purse, arrays=True)
        self.fails = self._parse_hints(hints, purse)
        self.account = account
        self.head = Head(self.rotation, self.C, self.k, self.regime, account)

    def _parse_hints(self, hints: dict[str, Any], purse: Purse) -> tuple[int, int] | None:
        fails = hints["fails"]
        if hints["road"] not in ("pairs", "returns", "buckets"):
            raise Malformed("hints.road is none that is known")
        if hints["E"] is not None and number(hints["E"], "hints.E", purse) < 0:
            raise Malformed("hints.E is below 0")
        if (fails is None) != (self.upper is None):
            raise Malformed("hints.fails is a pair, or null where there is no upper end")
        if fails is None:
            return None
        if not isinstance(fails, list) or len(fails) != 2:
            raise Malformed("hints.fails is not a pair")
        return integer(fails[0], "hints.fails", 0), integer(fails[1], "hints.fails", 0)

    def words(self) -> list[str]:
        """The claim, for a reader."""
        text = self.rotation.angle.text
        text = text if len(text) <= 60 else f"an angle of {len(text)} characters"
        claim = f"N_max^({self.k})(g = {text}, C = {show(self.C)})"
        if self.kind == "nmax":
            claim = f"{claim} = {self.lower}"
        else:
            claim = f"{'' if self.lower is None else f'{self.lower} <= '}{claim}"
            claim = f"{claim}{'' if self.upper is None else f' <= {self.upper}'}"
        regime, order = self.regime, self.regime.order
        stages = {stage: getattr(regime, stage) for stage in _STAGES}
        others = [f"{stage}: {values}" for stage, values in stages.items() if values is not regime.values]
        how = {"blocked": f"in blocks of {order.block} terms", "wide": f"in {order.wide}"}
        return [
            f"{claim}, criterion {self.criterion}, rotation realized as {self.rotation.realize}",
            "; ".join([f"values: {regime.values}", *others] if others else [f"every stage: {regime.values}"]),
            f"score's sum {'fused' if regime.fma else 'not fused'}; softmax summed {how.get(order.kind, order.kind)}",
            *self.rotation.words(),
        ]

    def check(self) -> None:
        """Show the claim; `Refuted` if it is false."""
        self.account.unit = self._unit()
        rows = Rows(self.head, self.criterion, self.account)
        if self.criterion == "gap":
            if rows.f is None:
                raise Refuted("f_large does not exist in the softmax value set, so N_max is not defined")
            self.account.shown(f"f_large of the softmax value set is {show(rows.f)}")
        if self.upper is not None:
            self._check_upper(rows, self.upper)
        if self.lower is not None:
            pair = rows.failure(self.k + 1, self.lower + 1)
            if pair is not None:
                raise Refuted(f"{self._failing(pair)}, so N_max <= {pair[0] - 2}")
            if self.lower < self.k:
                self.account.shown(f"N_max >= {self.k - 1}: for smaller lengths there are no pairs")

    def _check_upper(self, rows: Rows, upper: int) -> None:
        i, j = self.fails or (0, 0)
        if self.k < i <= upper + 2 and j < i and j != i - self.k and (self.kind != "nmax" or i == upper + 2):
            if self.criterion == "weight":
                pair = rows.failure(i, i)
            else:
                pair = (i, j) if rows.failing(i, [j]) is not None else None
            if pair is not None:
                self.account.shown(f"{self._failing(pair)}, so N_max <= {i - 2}")
                return
        low = upper + 2 if self.kind == "nmax" else self.k + 1  # the hint does not show it
        pair = rows.failure(low, upper + 2)
        if pair is None:
            where = f"i = {upper + 2}, so N_max is not {upper}"
            raise Refuted(
                f"no pair fails with {where if self.kind == 'nmax' else where.replace('i =', 'i <=') + ' or less'}"
            )
        self.account.shown(f"{self._failing(pair)}, so N_max <= {pair[0] - 2}")

    def _failing(self, pair: tuple[int, int]) -> str:
        i, j = pair
        if self.criterion == "weight":
            return f"the softmax of row {i} does not select position {i - self.k} exactly"
        target, other = self.head.score(i, i - self.k), self.head.score(i, j)
        return f"pair ({i}, {j}) fails: target score {show(target)}, competitor {show(other)}"

    def _unit(self) -> int:
        """What one value or score costs, in those of small numbers: about the square of their length."""
        regime = self.regime
        sets = (regime.values, regime.rotate, regime.score, regime.softmax, regime.order.wide or regime.values)
        bits = max(self.rotation.bits, *(each.bits for each in sets))
        return 1 + (max(bits, size(self.C)) // 512) ** 2
