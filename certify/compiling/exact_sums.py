"""Facts about rounded sums that hold for every order of summation, and how far others reach."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gmpy2 import mpq

from fpsim import arithmetic, reference
from fpsim.errors import UnsupportedError
from fpsim.operands import Array
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["arranged_sum", "exact_integers", "ones_until_nan"]

MAX_STEPS = 1 << 20


def exact_integers(values: ValueSet, most: int) -> int:
    """The greatest n <= most with all of -n, .., n in F: sums whose parts stay among them are exact in every order.

    >>> exact_integers(ValueSet.parse("e5m2"), 100), exact_integers(ValueSet.parse("fp16"), 100)
    (8, 100)
    """
    n = 0
    while n < most and mpq(n + 1) in values and mpq(-n - 1) in values:
        n += 1
    return n


def arranged_sum(values: ValueSet, terms: Sequence[Array], order: Order) -> Array:
    """`fpsim.sums.ordered_sum` of arrays, place by place."""
    if order.kind == "reverse":
        return _chain(values, terms[::-1])
    if order.kind == "blocked":
        return _chain(values, [_chain(values, terms[i : i + order.block]) for i in range(0, len(terms), order.block)])
    if order.accumulator is not None:
        wide = order.accumulator
        total = _chain(wide, [np.asarray(arithmetic.round(wide, x)) for x in terms])
        return np.asarray(arithmetic.round(values, total))
    if order.kind == "pairwise":
        while len(terms) > 1:
            pairs = [np.asarray(arithmetic.add(values, a, b)) for a, b in zip(terms[::2], terms[1::2], strict=False)]
            terms = [*pairs, *terms[len(terms) - len(terms) % 2 :]]
        return terms[0]
    return _chain(values, terms)


def _chain(values: ValueSet, terms: Sequence[Array]) -> Array:
    total = terms[0]
    for term in terms[1:]:
        total = np.asarray(arithmetic.add(values, total, term))
    return total


def ones_until_nan(regime: Regime) -> int | None:
    """The greatest n such that no sum of at most n exponentials 1 and any number of 0 is NaN; None: no sum ever is.

    A sum of numbers that are not negative is NaN only where going beyond range is, and rounding is monotone, so that
    with n the sum of n ones is the greatest.  Terms that are 0 change nothing but who meets whom: where that counts, in
    blocks and pairs, every partial sum is at most the one of as many ones.

    >>> ones_until_nan(Regime.of("e4m3", order="pairwise")), ones_until_nan(Regime.of("e4m3"))
    (469, None)
    """
    softmax, order = regime.softmax, regime.order
    wide = order.accumulator
    if "nan" not in (softmax.overflow, softmax.overflow if wide is None else wide.overflow):
        return None
    if order.kind == "pairwise":
        return _pairwise(softmax)
    if wide is not None:
        return _counted(wide, mpq(1), softmax)
    if order.kind == "blocked":
        block = _sum_of_ones(softmax, order.block)
        if is_nan(block):
            return _counted(softmax, mpq(1), softmax)
        blocks = _counted(softmax, block, softmax)
        return None if blocks is None else blocks * order.block
    return _counted(softmax, mpq(1), softmax)


def _sum_of_ones(values: ValueSet, n: int) -> Element:
    total: Element = mpq(1)
    for _ in range(n - 1):
        after = reference.add(values, total, mpq(1))
        if is_nan(after) or after == total:
            return after
        total = after
    return total


def _counted(values: ValueSet, term: Element, result: ValueSet) -> int | None:
    """The greatest n with a chain of n equal terms that is not NaN as a value of `result`; None: none is."""
    total, n = term, 1
    while n < MAX_STEPS:
        after = reference.add(values, total, term)
        if is_nan(after) or is_nan(round_exact(result, after)):
            return n
        if after == total:  # it stagnates
            return None
        total, n = after, n + 1
    raise UnsupportedError(f"whether a sum of ones goes beyond range in {values.name}: not known after {n} terms")


def _pairwise(values: ValueSet) -> int | None:
    """Sums of 2^k ones by doubling; below the first that is NaN, a bisection: more terms make no smaller sum."""
    powers: list[Element] = [mpq(1)]
    while True:
        after = reference.add(values, powers[-1], powers[-1])
        if is_nan(after):
            break
        if after == powers[-1]:
            return None
        powers.append(after)
    low, high = 1 << (len(powers) - 1), 1 << len(powers)
    while high - low > 1:
        middle = (low + high) // 2
        if is_nan(_pairwise_ones(values, powers, middle)):
            high = middle
        else:
            low = middle
    return low


def _pairwise_ones(values: ValueSet, powers: list[Element], n: int) -> Element:
    """The pairwise sum of n ones: the set bits of n from the lowest up, as an odd one out waits for the next round."""
    total: Element | None = None
    for k, power in enumerate(powers):
        if n >> k & 1:
            total = power if total is None else reference.add(values, power, total)
    assert total is not None  # n >= 1
    return total
