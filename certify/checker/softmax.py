"""The realized stable softmax of a row ("semantics 1", section 6), from those terms that can differ from 0.

A row is given by the scores of some positions; the other exponentials are known to be 0.  Adding 0 changes no value,
so a sum in any order is the sum of the other terms in that order; only which of them meet depends on their positions.
"""

from __future__ import annotations

from dataclasses import dataclass

from .arithmetic import add, div, exp_of, sub
from .limits import Account
from .valueset import ZERO, Element, ValueSet, is_nan

__all__ = ["Order", "selects"]


@dataclass(frozen=True)
class Order:
    """An order of summation: sequential, reverse, pairwise, blocked (`block` terms each) or wide (in that set)."""

    kind: str
    block: int = 1
    wide: ValueSet | None = None

    def total(self, values: ValueSet, terms: dict[int, Element]) -> Element:
        """The rounded sum of the terms, by position."""
        if self.wide is not None:
            converted = {j: self.wide.convert(x) for j, x in terms.items()}
            return values.convert(_fold(self.wide, sorted(converted.items())))
        if self.kind == "blocked":
            blocks: dict[int, list[tuple[int, Element]]] = {}
            for j, x in sorted(terms.items()):
                blocks.setdefault(j // self.block, []).append((j, x))
            return _fold(values, [(b, _fold(values, block)) for b, block in blocks.items()])
        if self.kind == "pairwise":
            while len(terms) > 1 or any(terms):  # until only position 0 is left
                pairs: dict[int, Element] = {}
                for j in sorted(terms):
                    pairs[j // 2] = add(values, pairs[j // 2], terms[j]) if j // 2 in pairs else terms[j]
                terms = pairs
            return terms.get(0, ZERO)
        return _fold(values, sorted(terms.items(), reverse=self.kind == "reverse"))


def _fold(values: ValueSet, terms: list[tuple[int, Element]]) -> Element:
    total: Element | None = None
    for _, x in terms:
        total = x if total is None else add(values, total, x)
    return ZERO if total is None else total


def selects(
    values: ValueSet, softmax: ValueSet, order: Order, scores: dict[int, Element], target: int, account: Account
) -> bool:
    """Whether the weights are exactly 1 at the target and 0 elsewhere, positions that are not in `scores` included."""
    if any(map(is_nan, scores.values())):
        return False
    greatest = max(scores.values())
    terms: dict[int, Element] = {}
    for j, x in scores.items():
        account.spend(3)  # an exponential takes longer than a score
        terms[j] = exp_of(softmax, sub(softmax, x, greatest), account)
    if any(map(is_nan, terms.values())):
        return False
    total = order.total(softmax, {j: x for j, x in terms.items() if x != 0})
    terms[-1] = ZERO  # stands for the positions that are not given
    weights = {x: values.convert(div(softmax, x, total)) for x in set(terms.values())}
    return all(weights[x] == (1 if j == target else 0) for j, x in terms.items())
