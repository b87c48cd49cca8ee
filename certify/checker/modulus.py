"""The claim `modulus`: the head of Lemma 3.2 decides MOD(r, m) for every residue r, at all lengths.

The head's query is (round(cos(2 pi r/m)), round(-sin(2 pi r/m)), round(1)), its first two coordinates rotated by the
table of 2 pi/m; the key of BOS is (round(C), 0, 0), that of every other position (0, 0, round(C b)), where b is
(1 + cos(2 pi/m)) / 2.  So at position i >= 2 BOS has a score that depends on i modulo m, and all others have one and
the same.

It decides m if for every r: where i = r modulo m, the exponential of the others is 0 and the weight of BOS exactly 1;
elsewhere that of BOS is 0, and its weight too.  Every residue of i occurs, and a sum of the exponentials of the
others, any number of equal terms, must not be NaN.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from .angle import Angle, parse_angle
from .arithmetic import add, exp_of, mul, round_real, sub
from .exact import Purse, integer, number, show
from .kinds import parse_valueset
from .limits import Account, Malformed, Refuted
from .nmax import parse_regime
from .rotation import Block, Rotation, rounded
from .softmax import Order, selects
from .valueset import INF, ZERO, Element, ValueSet, is_nan

__all__ = ["Modulus"]


class Modulus:
    """One claim."""

    def __init__(self, claim: dict[str, Any], hints: dict[str, Any], account: Account) -> None:
        purse = Purse(account)
        self.m = integer(claim["m"], "m", 2)
        self.C = number(claim["C"], "C", purse)
        if self.C <= 0:
            raise Malformed("C is above 0")
        self.regime = parse_regime(claim["regime"], purse)
        parse_valueset(claim["F"], "F", purse)  # to Python {"ftz": 0} is {"ftz": false}
        if claim["F"] != claim["regime"]["values"]:
            raise Malformed("F is the value set `values` of the regime")
        self.account = account

    def words(self) -> list[str]:
        """The claim, for a reader."""
        regime, order = self.regime, self.regime.order
        stages = {stage: getattr(regime, stage) for stage in ("rotate", "score", "softmax")}
        others = [f"{stage}: {values}" for stage, values in stages.items() if values is not regime.values]
        how = {"blocked": f"in blocks of {order.block} terms", "wide": f"in {order.wide}"}
        return [
            f"the head of Lemma 3.2 with C = {show(self.C)} decides MOD(r, {show(self.m)}) for every r, at all lengths",
            "; ".join([f"F: {regime.values}", *others] if others else [f"F, every stage: {regime.values}"]),
            f"softmax summed {how.get(order.kind, order.kind)}",
        ]

    def check(self) -> None:
        """Show the claim; `Refuted` if it is false."""
        regime, m, account = self.regime, self.m, self.account
        sets = (regime.values, regime.rotate, regime.score, regime.softmax, regime.order.wide or regime.values)
        account.unit = 1 + (max(each.bits for each in sets) // 512) ** 2
        account.foresee(m * m + 2 * m, f"the {show(m)} residues at as many positions")
        account.store(2 * m)
        self._check_sums()
        angle = parse_angle("pi" if m == 2 else f"{Fraction(2, m)}*pi", "the angle", Purse(account))
        rotation = Rotation(angle, regime.values, "table", account)
        blocks = [rotation.block(i) for i in range(m)]
        one, key, base = regime.values.round(1), regime.values.convert(self.C), self._baseline(angle)
        if any(isinstance(x, float) for x in (one, key, base)):
            raise Refuted("a parameter of the head is beyond range")
        other = mul(regime.score, one, base)  # the score of every position but BOS
        for r in range(m):
            bias = (
                rounded(regime.values, angle, r, 0, account),
                rounded(regime.values, angle, r, 1, account, Fraction(-1)),
            )
            for i, block in enumerate(blocks):
                self._check_position(r, i, self._score(block, bias, key), other)
        account.shown(f"at each residue of i BOS wins exactly where i = r modulo {m}, for each r", m * m)

    def _score(self, block: Block, bias: Block, key: Element) -> Element:
        """The score of BOS: q_0 C + q_1 0 + 1 0."""
        rotate, values, score = self.regime.rotate, self.regime.values, self.regime.score
        self.account.spend()
        (c, s), (a, b) = block, bias
        first = values.convert(sub(rotate, mul(rotate, c, a), mul(rotate, s, b)))
        second = values.convert(add(rotate, mul(rotate, s, a), mul(rotate, c, b)))
        return add(score, mul(score, first, key), mul(score, second, ZERO))

    def _baseline(self, angle: Angle) -> Element:
        """round(C (1 + cos(2 pi/m)) / 2)."""
        values, known = self.regime.values, angle.known(1, 0)
        if known is not None:
            return values.convert(self.C * (1 + known) / 2)
        n, d = self.C.numerator, 2 * self.C.denominator

        def enclose(bits: int) -> tuple[int, int, int]:
            c, _, error = angle.cos_sin(1, bits)
            middle = n * (c + (1 << bits))
            return middle - n * error, middle + n * error, d << bits

        return round_real(values, enclose, self.account)

    def _check_position(self, r: int, i: int, bos: Element, other: Element) -> None:
        where = f"r = {r}, i = {i} modulo {self.m}: BOS scores {show(bos)}, the others {show(other)}"
        if is_nan(bos) or is_nan(other) or abs(bos) == INF or abs(other) == INF:
            raise Refuted(where)
        winner, loser = (bos, other) if i == r else (other, bos)
        if not loser < winner:
            raise Refuted(f"{where}; {'BOS' if i == r else 'the others'} should win")
        softmax = self.regime.softmax
        if exp_of(softmax, sub(softmax, loser, winner), self.account) != 0:
            raise Refuted(f"{where}; the exponential of the one that loses is not 0")

    def _check_sums(self) -> None:
        """That the winner's weight is 1 if it is BOS, and no sum is NaN if it is the others."""
        regime, account = self.regime, self.account
        if not selects(regime.values, regime.softmax, regime.order, {0: ZERO}, 0, account):
            raise Refuted("the weight of BOS among exponentials that are 0 is not 1")
        account.shown("the weight of BOS among exponentials that are 0 is 1")
        for total in _largest_sums(regime.softmax, regime.order, regime.softmax.round(1), account):
            if is_nan(total):
                raise Refuted("the sum of the exponentials of enough positions is NaN")
        account.shown("no sum of any number of exponentials 1 is NaN")


def _largest_sums(values: ValueSet, order: Order, one: Element, account: Account) -> list[Element]:
    """Sums of equal terms that are at least as great as all others in this order; NaN if one is.

    Terms are not negative, and rounding is monotone: so more terms make no smaller sum, and a chain or a doubling that
    comes to rest has met the greatest.
    """
    wide = order.wide or values
    if "nan" not in (values.overflow, wide.overflow):
        return []
    if order.kind == "pairwise":
        return [_rest(values, one, None, account)]
    if order.kind == "blocked":
        block = _rest(values, one, one, account, order.block)
        return [block, ZERO if is_nan(block) else _rest(values, block, block, account)]
    start = wide.convert(one)
    total = _rest(wide, start, start, account)
    return [total, values.convert(total)]


def _rest(values: ValueSet, start: Element, term: Element | None, account: Account, most: int = 0) -> Element:
    """What start + term + term + .. comes to rest at, or after `most` terms; without a term, start doubled again and
    again."""
    total, terms = start, 1
    while not is_nan(total) and (not most or terms < most):
        account.spend()
        after = add(values, total, total if term is None else term)
        if after == total:
            break
        total, terms = after, terms + 1
    return total
