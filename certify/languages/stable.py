"""The stable semigroup: the image of Sigma^s for the s >= 1 whose image is that of Sigma^2s too.

The images of Sigma^n are periodic in n from some n on; such s are the multiples of the period there, and give one set.
It is found without walking there.  In the graph of products by letters on the right, let D be the lcm of the periods of
the strongly connected components.  An element is the image of words of all large lengths that are r modulo D, exactly
when a path of length r modulo D leads from the identity to it through a cycle: a node of period d lies on closed paths
of all large multiples of d, of which D is one; and paths without a cycle are short.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import lcm
from typing import TYPE_CHECKING

import numpy as np

from certify.languages.monoid import Monoid, Stopped
from certify.languages.strong_table import strong_components_of_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_NODES", "Stable", "stable_semigroup"]

MAX_NODES = 20_000_000


@dataclass(frozen=True)
class Stable:
    """levels[r]: which elements are images of Sigma^n, for all large n that are r modulo the number of levels."""

    levels: tuple[NDArray[np.bool_], ...]

    @property
    def members(self) -> NDArray[np.bool_]:
        """Which elements are in the stable semigroup."""
        return self.levels[0]


def stable_semigroup(monoid: Monoid) -> Stable | Stopped:
    """The stable semigroup; or why it is not known: lengths modulo D take more than `MAX_NODES` nodes.

    >>> from certify.languages.monoid import transition_monoid
    >>> from certify.languages.dfa import Dfa
    >>> even = Dfa(("a",), 0, frozenset({0}), ((1,), (0,)))
    >>> [level.tolist() for level in stable_semigroup(transition_monoid(even)).levels]
    [[True, False], [False, True]]
    """
    n = len(monoid)
    component = strong_components_of_table(monoid.right)
    periods = _periods(monoid.right, component)
    step = lcm(*(int(d) for d in np.unique(periods) if d))
    if step * n * monoid.right.shape[1] > MAX_NODES * 10 or step * n > MAX_NODES:
        return Stopped(f"the stable semigroup of {n} elements takes lengths modulo {step}: more than is looked at")
    reached = np.zeros(n * step, dtype=bool)
    reached[0] = True
    _spread(monoid.right, step, np.array([0]), reached)
    nodes = np.flatnonzero(reached)
    start = nodes[periods[component[nodes // step]] > 0]
    found = np.zeros(n * step, dtype=bool)
    found[start] = True
    _spread(monoid.right, step, start, found)
    levels = found.reshape(n, step).T
    for fewer in range(1, step + 1):  # D may be a multiple of the period
        if step % fewer == 0 and all(np.array_equal(levels[r], levels[r - fewer]) for r in range(fewer, step)):
            return Stable(tuple(np.ascontiguousarray(level) for level in levels[:fewer]))
    raise AssertionError("the number of levels is a period of them")


def _spread(right: NDArray[np.int32], step: int, front: NDArray[np.int64], found: NDArray[np.bool_]) -> None:
    """Add what can be reached from the front; the node of x with a length r modulo `step` has the number x step + r."""
    while len(front):
        after = right[front // step].astype(np.int64) * step + ((front + 1) % step)[:, None]
        after = after[~found[after]]
        found[after] = True
        front = np.unique(after)


def _periods(right: NDArray[np.int32], component: NDArray[np.int32]) -> NDArray[np.int64]:
    """The gcd of the lengths of the cycles of each component, 0 where there are none (see `components_of`)."""
    n = len(right)
    inside = component[right] == component[:, None]
    level = np.full(n, -1, dtype=np.int64)
    _, roots = np.unique(component, return_index=True)
    level[roots] = depth = 0
    front = roots.astype(np.int32)
    while len(front):
        depth += 1
        after = right[front][inside[front]]
        front = np.unique(after[level[after] < 0])
        level[front] = depth
    x, a = np.nonzero(inside)
    differences = level[x] + 1 - level[right[x, a]]
    periods = np.zeros(int(component.max()) + 1, dtype=np.int64)
    np.gcd.at(periods, component[x], differences)
    return periods
