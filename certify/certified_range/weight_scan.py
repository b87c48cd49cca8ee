"""The compiled twin of the exhaustive walk under the criterion `weight`: the realized softmax of whole rows.

The same operations as `fpsim.softmax`, in the same order of summation; `failing_weight` is the reference.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from certify.certified_range.pair_scan import Floats, scores_of_row
from fpsim.compilation import kernel
from fpsim.scalar import add, div, exp, round_to, sub
from fpsim.sums import Order

__all__ = ["ORDERS", "first_failing_softmax", "order_number", "selects"]

SEQUENTIAL, REVERSE, PAIRWISE, BLOCKED, WIDE = range(5)
ORDERS = {"sequential": SEQUENTIAL, "reverse": REVERSE, "pairwise": PAIRWISE, "blocked": BLOCKED, "wide": WIDE}


def order_number(order: Order) -> tuple[int, int]:
    """The order as the kernel takes it: its number and the length of a block."""
    return ORDERS[order.kind], max(order.block, 1)


@kernel()
def _fold(spec: Any, terms: Floats) -> float:
    total: float = terms[0]
    for n in range(1, terms.size):
        total = add(spec, total, terms[n])
    return total


@kernel()
def _ordered_sum(spec: Any, wide: Any, order: int, block: int, terms: Floats) -> float:
    """`fpsim.sums.ordered_sum` of at least one term; the terms are overwritten."""
    size = terms.size
    if order == SEQUENTIAL:
        return _fold(spec, terms)
    if order == REVERSE:
        return _fold(spec, terms[::-1].copy())
    if order == BLOCKED:
        blocks = (size + block - 1) // block
        for n in range(blocks):
            terms[n] = _fold(spec, terms[n * block : min(size, (n + 1) * block)])
        return _fold(spec, terms[:blocks])
    if order == WIDE:
        total = round_to(wide, terms[0])
        for n in range(1, size):
            total = add(wide, total, round_to(wide, terms[n]))
        return round_to(spec, total)
    while size > 1:
        half = size // 2
        for n in range(half):
            terms[n] = add(spec, terms[2 * n], terms[2 * n + 1])
        if size % 2:
            terms[half] = terms[size - 1]
        size = half + size % 2
    last: float = terms[0]
    return last


@kernel()
def selects(
    values: Any, softmax: Any, wide: Any, order: int, block: int, row: Floats, goal: int, scratch: Floats
) -> bool:
    """Whether the softmax of `row` has weight exactly 1 at `goal` and exactly 0 elsewhere."""
    greatest = row[0]
    for j in range(row.size):
        if np.isnan(row[j]):
            return False
        greatest = max(greatest, row[j])
    exponentials = np.empty(row.size)
    for j in range(row.size):
        exponentials[j] = exp(softmax, sub(softmax, row[j], greatest))
        scratch[j] = exponentials[j]
    total = _ordered_sum(softmax, wide, order, block, scratch[: row.size])
    for j in range(row.size):
        weight = round_to(values, div(softmax, exponentials[j], total))
        if weight != (1.0 if j == goal else 0.0):
            return False
    return True


@kernel()
def first_failing_softmax(
    score: Any,
    values: Any,
    softmax: Any,
    wide: Any,
    how: int,
    order: int,
    block: int,
    q0: Floats,
    q1: Floats,
    c: Floats,
    s: Floats,
    offset: int,
    start: int,
    stop: int,
) -> int:
    """The least i with start <= i < stop whose softmax does not select i - offset exactly, or -1."""
    row, scratch = np.empty(stop), np.empty(stop)
    for i in range(start, stop):
        scores_of_row(score, how, q0[i], q1[i], c, s, row[:i])
        if not selects(values, softmax, wide, order, block, row[:i], i - offset, scratch):
            return i
    return -1
