"""Rounded sums of many columns at once, in every order of summation (`fpsim.sums`): compiled.

A tile is an array (terms, lanes): lane r has a sum of its own, of its first counts[r] terms, and counts never falls
from lane to lane, as in the causal triangle.  Each lane does its own operations in its own order; the loop over lanes
is innermost, so that many sums advance at once.  A sum of no terms is 0.

The way of summing is a `Sum`: a chain of additions from the first term or from the last, in the set of the sum or in a
wider one, or a tree (`blocked`, `pairwise`).
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import scalar
from fpsim.attention.dots import Chain, Sum, Tree, Wide
from fpsim.compilation import kernel
from fpsim.rounding.dispatch import implement
from fpsim.rounding.kinds import Spec

__all__ = ["Counts", "Tile", "sum_tile"]

Tile: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"
Counts: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

# The compiled doors of `fpsim.scalar`: the compiler inlines them where they are short, so that loops vectorize, and
# leaves the long ones of other kinds out, which would take it seconds each.
_add, _round_to = scalar._add_closed, scalar.round_to


def sum_tile(dot: Sum, terms: Tile, scratch: Tile, counts: Counts, out: Tile) -> None:
    """out[r] = the sum of terms[:counts[r], r], values of the set of the sum (of any set, for a wide accumulator).

    scratch: as large as terms, for all but plain chains; it may be terms itself.  Inside compiled code only.
    """
    raise NotImplementedError


@kernel()
def _sum_chain(spec: Spec, backwards: bool, terms: Tile, counts: Counts, out: Tile) -> None:
    """out[r] = the sum of terms[:counts[r], r], values of the set of `spec`: from the first to the last or back."""
    # Slices, and ranges from 0: an index that the compiler cannot know to be at least 0 keeps loops from vectorizing.
    # Loops in place of `a[:] = b`: for that numba compiles an error message, whose texts take it seconds.
    lanes = counts.size
    most = counts[lanes - 1]
    for r in range(lanes):
        out[r] = 0.0
    first = lanes if backwards else 0
    for n in range(most):
        j = most - 1 - n if backwards else n
        started = first  # lanes from here on have begun their sums; those from `first` to it begin now
        if backwards:
            while first > 0 and counts[first - 1] > j:
                first -= 1
        else:
            while counts[first] <= j:
                first += 1
            started = lanes if j == 0 else first
        for r in range(first, started):
            out[r] = terms[j, r]
        row, total = terms[j, started:], out[started:]
        for r in range(total.size):
            total[r] = _add(spec, np.float64(total[r]), np.float64(row[r]))


def _chain(dot: Chain, terms: Tile, scratch: Tile, counts: Counts, out: Tile) -> None:
    _sum_chain(dot.total, dot.backwards, terms, counts, out)


def _wide(dot: Wide, terms: Tile, scratch: Tile, counts: Counts, out: Tile) -> None:
    for j in range(counts[counts.size - 1]):
        for r in range(counts.size):
            scratch[j, r] = _round_to(dot.total, np.float64(terms[j, r]))
    backwards = False
    _sum_chain(dot.total, backwards, scratch, counts, out)
    for r in range(counts.size):
        out[r] = _round_to(dot.result, np.float64(out[r]))


def _tree(dot: Tree, terms: Tile, scratch: Tile, counts: Counts, out: Tile) -> None:
    spec, block = dot.total, dot.block
    lanes = counts.size
    left = counts.copy()
    most = counts[lanes - 1]
    for j in range(most):
        for r in range(lanes):
            scratch[j, r] = terms[j, r]
    if block:
        for start in range(block, most, block):  # every block into its first row, then all into the first
            for j in range(start + 1, min(start + block, most)):
                for r in range(lanes):
                    if j < left[r]:
                        scratch[start, r] = _add(spec, np.float64(scratch[start, r]), np.float64(scratch[j, r]))
        for j in range(1, min(block, most)):
            for r in range(lanes):
                if j < left[r]:
                    scratch[0, r] = _add(spec, np.float64(scratch[0, r]), np.float64(scratch[j, r]))
        for start in range(block, most, block):
            for r in range(lanes):
                if start < left[r]:
                    scratch[0, r] = _add(spec, np.float64(scratch[0, r]), np.float64(scratch[start, r]))
    else:
        while most > 1:
            for t in range((most + 1) // 2):
                for r in range(lanes):
                    if 2 * t + 1 < left[r]:
                        scratch[t, r] = _add(spec, np.float64(scratch[2 * t, r]), np.float64(scratch[2 * t + 1, r]))
                    elif 2 * t < left[r]:
                        scratch[t, r] = scratch[2 * t, r]
            for r in range(lanes):
                left[r] = (left[r] + 1) // 2
            most = (most + 1) // 2
    for r in range(lanes):
        out[r] = scratch[0, r] if counts[r] > 0 else 0.0


implement(sum_tile, {Chain: _chain, Wide: _wide, Tree: _tree}, inline=False)
