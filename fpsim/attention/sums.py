"""Rounded sums of many columns at once, in every order of summation (`fpsim.sums`): compiled.

A tile is an array (terms, lanes): lane r has a sum of its own, of its first counts[r] terms, and counts never falls
from lane to lane, as in the causal triangle.  Each lane does its own operations in its own order; the loop over lanes
is innermost, so that many sums advance at once.  A sum of no terms is 0.

An order is given as (kind, block): a chain of additions from the first term or from the last, in the set of the sum or
in a wider one, or a tree (`blocked`, `pairwise`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.compilation import kernel
from fpsim.rounding.kinds import Spec
from fpsim.sums import Order

__all__ = [
    "BLOCKED",
    "PAIRWISE",
    "REVERSE",
    "SEQUENTIAL",
    "WIDE",
    "Counts",
    "Tile",
    "is_chain",
    "order_code",
    "sum_tile",
]

Tile: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Counts: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

SEQUENTIAL, REVERSE, PAIRWISE, BLOCKED, WIDE = range(5)
_CODES = {"sequential": SEQUENTIAL, "reverse": REVERSE, "pairwise": PAIRWISE, "blocked": BLOCKED, "wide": WIDE}

# The compiled doors of `fpsim.scalar`: the compiler inlines them where they are short, so that loops vectorize, and
# leaves the long ones of other kinds out, which would take it seconds each.
_add, _round_to = scalar._add_closed, scalar.round_to


def order_code(order: Order) -> tuple[int, int]:
    """(kind, block) of an order, as kernels take it.

    >>> from fpsim.sums import parse_order
    >>> order_code(parse_order("blocked:8")) == (BLOCKED, 8)
    True
    """
    return _CODES[order.kind], order.block


@kernel(forceinline=True)
def is_chain(kind: int) -> bool:
    """Whether an order adds one term after the other to a single sum."""
    return (kind != PAIRWISE) & (kind != BLOCKED)


@kernel()
def sum_chain(spec: Spec, reverse: bool, terms: Tile, counts: Counts, out: Tile) -> None:
    """out[r] = the sum of terms[:counts[r], r], values of the set of `spec`: from the first to the last or back."""
    # Slices, and ranges from 0: an index that the compiler cannot know to be at least 0 keeps loops from vectorizing.
    lanes = counts.size
    out[:] = 0.0
    most = counts[lanes - 1]
    if reverse:
        first = lanes
        for j in range(most - 1, -1, -1):
            row, total = terms[j, first:], out[first:]
            for r in range(total.size):
                total[r] = _add(spec, np.float64(total[r]), np.float64(row[r]))
            while first > 0 and counts[first - 1] > j:
                first -= 1
                out[first] = terms[j, first]
        return
    first = 0
    for j in range(most):
        while counts[first] <= j:
            first += 1
        row, total = terms[j, first:], out[first:]
        if j == 0:
            total[:] = row
        else:
            for r in range(total.size):
                total[r] = _add(spec, np.float64(total[r]), np.float64(row[r]))


@kernel()
def sum_tree(spec: Spec, kind: int, block: int, terms: Tile, counts: Counts, out: Tile) -> None:
    """out[r] = the sum of terms[:counts[r], r], values of the set of `spec`; blocked or pairwise.  Overwrites terms."""
    lanes = counts.size
    left = counts.copy()
    most = counts[lanes - 1]
    if kind == BLOCKED:
        for start in range(block, most, block):  # every block into its first row, then all into the first
            for j in range(start + 1, min(start + block, most)):
                for r in range(lanes):
                    if j < left[r]:
                        terms[start, r] = _add(spec, np.float64(terms[start, r]), np.float64(terms[j, r]))
        for j in range(1, min(block, most)):
            for r in range(lanes):
                if j < left[r]:
                    terms[0, r] = _add(spec, np.float64(terms[0, r]), np.float64(terms[j, r]))
        for start in range(block, most, block):
            for r in range(lanes):
                if start < left[r]:
                    terms[0, r] = _add(spec, np.float64(terms[0, r]), np.float64(terms[start, r]))
    else:
        while most > 1:
            for t in range((most + 1) // 2):
                for r in range(lanes):
                    if 2 * t + 1 < left[r]:
                        terms[t, r] = _add(spec, np.float64(terms[2 * t, r]), np.float64(terms[2 * t + 1, r]))
                    elif 2 * t < left[r]:
                        terms[t, r] = terms[2 * t, r]
            for r in range(lanes):
                left[r] = (left[r] + 1) // 2
            most = (most + 1) // 2
    for r in range(lanes):
        out[r] = terms[0, r] if counts[r] > 0 else 0.0


@kernel()
def sum_tile(
    total: Spec, result: Spec, kind: int, block: int, terms: Tile, scratch: Tile, counts: Counts, out: Tile
) -> None:
    """out[r] = the sum of terms[:counts[r], r] in any order: `total` is the set of the sum, `result` what it becomes.

    The two are one set but for a wide accumulator.  scratch: as large as terms, for all but plain chains; it may be
    terms itself.
    """
    if kind in (SEQUENTIAL, REVERSE):
        sum_chain(total, kind == REVERSE, terms, counts, out)
        return
    most = counts[counts.size - 1]
    for j in range(most):
        for r in range(counts.size):
            scratch[j, r] = _round_to(total, np.float64(terms[j, r]))
    if kind == WIDE:
        sum_chain(total, False, scratch, counts, out)
    else:
        sum_tree(total, kind, block, scratch, counts, out)
    for r in range(counts.size):
        out[r] = _round_to(result, np.float64(out[r]))
