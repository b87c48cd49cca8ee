"""FO2[<] and FO2[<,MOD]: monoids in DA.

A language is in FO2[<] when its syntactic monoid is in DA (Therien and Wilke 1998), that is when every element that is
J-equivalent to an idempotent is idempotent itself (Tesson and Therien 2002).  With modular predicates the same is asked
of the stable semigroup with an identity added (Dartois and Paperman 2013); an identity is a J-class of its own, and
idempotent.  In a finite monoid J is the join of R and L, whose classes are strongly connected components: of the
products by a letter on the right, and on the left.

In the stable semigroup T, x and y are R-equivalent when words whose lengths are multiples of the number d of levels of
`Stable` lead from one to the other: with x = xw, such a word may be lengthened by powers of w until it is the image of
an element of T. So R there is strong connection in the graph whose nodes are elements with a length modulo d; and so is
L.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from certify.languages.monoid import Monoid, Stopped
from certify.languages.stable import Stable
from certify.languages.strong_table import strong_components_of_table

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["is_in_da", "is_stable_in_da"]

MAX_EDGES = 30_000_000


def is_in_da(monoid: Monoid) -> bool:
    """Whether every element that is J-equivalent to an idempotent is one."""
    classes = strong_components_of_table(np.concatenate([monoid.right, monoid.left], axis=1))
    return _regular_are_idempotent(classes, monoid.idempotent)


def is_stable_in_da(monoid: Monoid, stable: Stable) -> bool | Stopped:
    """The same for the stable semigroup."""
    if len(stable.levels) == 1 and len(monoid) == int(stable.members.sum()):
        return is_in_da(monoid)
    nodes = sum(int(level.sum()) for level in stable.levels)
    if nodes * monoid.right.shape[1] > MAX_EDGES:
        return Stopped(f"the stable semigroup takes a graph of {nodes} nodes, with more than {MAX_EDGES} edges")
    members = np.flatnonzero(stable.members)
    classes = [
        strong_components_of_table(_graph(products, stable))[: len(members)] for products in (monoid.right, monoid.left)
    ]
    joined = _join(*classes)
    return _regular_are_idempotent(joined, monoid.idempotent[members])


def _graph(products: NDArray[np.int32], stable: Stable) -> NDArray[np.int32]:
    """The products by a letter between elements with their level; the nodes of level 0 come first.

    Levels are closed on both sides: the image of Sigma^n times that of Sigma, in either order, is that of Sigma^(n+1).
    """
    number, count = [], 0
    for level in stable.levels:
        numbers = np.full(len(level), -1, dtype=np.int32)
        numbers[level] = np.arange(count, count + int(level.sum()))
        number.append(numbers)
        count += int(level.sum())
    d = len(stable.levels)
    return np.concatenate([number[(r + 1) % d][products[level]] for r, level in enumerate(stable.levels)])


def _join(one: NDArray[np.int32], other: NDArray[np.int32]) -> NDArray[np.int32]:
    """The join of two equivalence relations, given by the class of each element: rings of the members of a class are
    connected."""
    return strong_components_of_table(np.stack([_ring(one), _ring(other)], axis=1).astype(np.int32))


def _ring(classes: NDArray[np.int32]) -> NDArray[np.intp]:
    """For each element the next one of its class, and for the last one the first."""
    order = np.argsort(classes, kind="stable")
    after = np.empty_like(order)
    after[order] = np.roll(order, -1)
    ends = np.flatnonzero(np.diff(np.append(classes[order], classes.max(initial=0) + 1)))
    starts = np.concatenate([[0], ends[:-1] + 1])
    after[order[ends]] = order[starts]
    return after


def _regular_are_idempotent(classes: NDArray[np.int32], idempotent: NDArray[np.bool_]) -> bool:
    size, found = np.bincount(classes), np.bincount(classes[idempotent], minlength=int(classes.max()) + 1)
    return bool(((found == 0) | (found == size)).all())
