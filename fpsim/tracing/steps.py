"""The sums of a head, step by step: each rounded operation is shown to a watcher.

Many sums advance at once.  Sum n has the first counts[n] terms of its row; the order is any of `fpsim.sums`, and what
comes out is bit for bit what `fpsim.attention` computes (a test compares them).
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import numpy as np

from fpsim import arithmetic
from fpsim.operands import Array
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["Counts", "Step", "Watcher", "sum_of_products", "sum_of_terms"]

Counts: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"


@dataclass(frozen=True, eq=False)
class Step:
    """One operation of some sums, rounded once into `values`.

    operation: `product` left * right; `sum` left + right; `fused` left + a * b, where (a, b) are `factors` and `right`
    is their rounded product; `store` left, rounded into another set; `quotient`, `difference`, `exponential`.  sums:
    numbers of the sums.  terms: first and last number of the terms that go in by `right`, for each sum.
    """

    operation: Literal["product", "sum", "fused", "store", "quotient", "difference", "exponential"]
    values: ValueSet
    sums: Counts
    terms: tuple[Counts, Counts]
    left: Array
    right: Array | None
    result: Array
    factors: tuple[Array, Array] | None = None


Watcher: TypeAlias = Callable[[Step], None]


@dataclass(frozen=True, eq=False)
class _Part:
    """A part of each sum: numbers, which sums have it at all, and the terms first .. last that are in it."""

    numbers: Array
    there: Array
    first: int
    last: int


class _Sums:
    """Additions of parts in one set, shown to a watcher."""

    def __init__(self, values: ValueSet, counts: Counts, watch: Watcher) -> None:
        self.values, self.counts, self.watch = values, counts, watch

    def join(self, left: _Part, right: _Part) -> _Part:
        """left + right where both are there; the one that is, elsewhere."""
        both = np.flatnonzero(left.there & right.there)
        numbers = np.where(left.there, left.numbers, right.numbers)
        if both.size:
            operands = left.numbers[both], right.numbers[both]
            result = arithmetic.add(self.values, *operands)
            numbers[both] = result
            last = np.minimum(right.last, self.counts[both] - 1)
            terms = (np.full(both.size, right.first), last)
            self.watch(Step("sum", self.values, both, terms, *operands, result))
        there = left.there | right.there
        return _Part(numbers, there, min(left.first, right.first), max(left.last, right.last))

    def fold(self, parts: Sequence[_Part]) -> _Part:
        """((p0 + p1) + p2) + ..."""
        total = parts[0]
        for part in parts[1:]:
            total = self.join(total, part)
        return total

    def store(self, total: _Part, values: ValueSet) -> _Part:
        """The sum rounded into another set."""
        return _Part(
            _stored(values, total.numbers, total.there, self.counts, self.watch), total.there, total.first, total.last
        )


def _widened(inner: ValueSet, terms: Array, counts: Counts, watch: Watcher) -> Array:
    """The terms rounded into the accumulator, which changes nothing where that holds all of them."""
    result = arithmetic.round(inner, terms)
    sums, places = np.nonzero(np.arange(terms.shape[1]) < counts[:, None])
    there = (sums, places)
    watch(Step("store", inner, sums, (places, places), terms[there], None, result[there]))
    return np.asarray(result)


def _stored(values: ValueSet, numbers: Array, there: Array, counts: Counts, watch: Watcher) -> Array:
    places = np.flatnonzero(there)
    result = arithmetic.round(values, numbers[places])
    last = counts[places] - 1
    watch(Step("store", values, places, (np.zeros_like(last), last), numbers[places], None, result))
    out = np.zeros(numbers.shape, result.dtype)
    out[places] = result
    return out


def sum_of_terms(values: ValueSet, terms: Array, counts: Counts, order: Order, watch: Watcher) -> Array:
    """The sums of terms[n, :counts[n]], numbers of shape (sums, terms), as `fpsim.sums.ordered_sum` has them.

    >>> from fpsim.sums import parse_order
    >>> from fpsim.valueset import ValueSet
    >>> seen = []
    >>> terms, counts = np.array([[2048.0, 1.0, 1.0]] * 2), np.array([3, 2])
    >>> sum_of_terms(ValueSet.parse("fp16"), terms, counts, parse_order("reverse"), seen.append).tolist()
    [2050.0, 2048.0]
    >>> [(step.sums.tolist(), step.left.tolist(), step.right.tolist()) for step in seen]
    [([0], [1.0], [1.0]), ([0, 1], [2.0, 1.0], [2048.0, 2048.0])]
    """
    if terms.shape[1] == 0 or terms.shape[0] == 0:
        return np.zeros(terms.shape[0])
    inner = values if order.accumulator is None else order.accumulator
    sums = _Sums(inner, counts, watch)
    if inner != values:
        terms = _widened(inner, terms, counts, watch)
    parts = [_Part(terms[:, j], counts > j, j, j) for j in range(terms.shape[1])]
    if order.kind == "blocked":
        total = sums.fold([sums.fold(parts[n : n + order.block]) for n in range(0, len(parts), order.block)])
    elif order.kind == "pairwise":
        while len(parts) > 1:
            pairs = [sums.join(parts[n], parts[n + 1]) for n in range(0, len(parts) - 1, 2)]
            parts = pairs + parts[len(parts) - len(parts) % 2 :]
        total = parts[0]
    else:
        total = sums.fold(parts[::-1] if order.kind == "reverse" else parts)
    if inner != values:
        total = sums.store(total, values)
    return np.where(total.there, total.numbers, 0.0)


def sum_of_products(
    values: ValueSet, a: Array, b: Array, counts: Counts, order: Order, fused: bool, watch: Watcher
) -> Array:
    """The sums over the terms of a * b, both of shape (sums, terms), as `fpsim.attention.reference.dot` has them."""
    if a.shape[1] == 0 or a.shape[0] == 0:
        return np.zeros(a.shape[0])
    there = np.arange(a.shape[1]) < counts[:, None]
    if not fused:
        sums, terms = np.nonzero(there)
        left, right = a[there], b[there]
        result = arithmetic.mul(values, left, right)
        watch(Step("product", values, sums, (terms, terms), left, right, result))
        products = np.zeros(a.shape, result.dtype)
        products[there] = result
        return sum_of_terms(values, products, counts, order, watch)
    inner = values if order.accumulator is None else order.accumulator
    places = range(a.shape[1])
    total, begun = np.zeros(a.shape[0], a.dtype), np.zeros(a.shape[0], np.bool_)
    for j in reversed(places) if order.kind == "reverse" else places:
        for which, first in ((there[:, j] & ~begun, True), (there[:, j] & begun, False)):
            chosen = np.flatnonzero(which)
            if not chosen.size:
                continue
            x, y, terms = a[chosen, j], b[chosen, j], np.full(chosen.size, j)
            product = arithmetic.mul(inner, x, y)
            if first:
                step = Step("product", inner, chosen, (terms, terms), x, y, product)
            else:
                before = total[chosen]
                result = arithmetic.fma(inner, x, y, before)
                step = Step("fused", inner, chosen, (terms, terms), before, product, result, (x, y))
            if total.dtype != step.result.dtype:
                total = total.astype(object)
            total[chosen] = step.result
            watch(step)
        begun |= there[:, j]
    return total if inner == values else _stored(values, total, begun, counts, watch)
