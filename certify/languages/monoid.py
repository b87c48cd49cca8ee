"""The transition monoid of a DFA: every map of its states that a word makes, with the products by letters.

For a minimal DFA it is the syntactic monoid of the language.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING

import numpy as np

from certify.languages.dfa import Dfa, Word

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["MAX_BYTES", "MAX_ELEMENTS", "MAX_PRODUCTS", "Monoid", "Stopped", "transition_monoid"]

MAX_ELEMENTS, MAX_BYTES, MAX_PRODUCTS = 1_000_000, 128_000_000, 30_000_000


@dataclass(frozen=True)
class Monoid:
    """Elements 0, 1, .. in the order of their shortest words; 0 is the identity, the image of the empty word.

    maps[x, q] is the state after x in state q.  right[x, a] is the element xa.  parent[x], last[x]: the word of x is
    that of its parent and one letter more; -1 for the identity.  Shapes (elements, states), (elements, letters),
    (elements,).
    """

    maps: NDArray[np.unsignedinteger]
    right: NDArray[np.int32]
    parent: NDArray[np.int32]
    last: NDArray[np.int32]

    def __len__(self) -> int:
        return len(self.maps)

    @cached_property
    def left(self) -> NDArray[np.int32]:
        """left[x, a] is the element ax, by ax = (ay)b for x = yb: one length of words after another."""
        found = np.empty_like(self.right)
        found[0] = self.right[0]
        begin, end = 1, 1
        while begin < len(self):
            # those whose parents are done: parents rise with the elements
            end = int(np.searchsorted(self.parent, begin, side="left"))
            block = slice(begin, end)
            found[block] = self.right[found[self.parent[block]], self.last[block][:, None]]
            begin = end
        return found

    @cached_property
    def idempotent(self) -> NDArray[np.bool_]:
        """Whether ee = e."""
        return np.concatenate([(_compose(part, part) == part).all(axis=1) for part in self._parts()])

    @cached_property
    def aperiodic(self) -> NDArray[np.bool_]:
        """Whether x^n = x^(n+1) for some n."""
        return np.concatenate([aperiodic_rows(part) for part in self._parts()])

    def beginning(self, count: int) -> Monoid:
        """The first elements only, to look at; their products may lie outside."""
        return Monoid(self.maps[:count], self.right[:count], self.parent[:count], self.last[:count])

    def word(self, x: int) -> Word:
        """A shortest word of the element."""
        letters: list[int] = []
        while x:
            letters.append(int(self.last[x]))
            x = int(self.parent[x])
        return tuple(reversed(letters))

    def _parts(self) -> list[NDArray[np.unsignedinteger]]:
        """The maps in pieces that fit a cache."""
        rows = max(1, (1 << 20) // self.maps.shape[1])
        return [self.maps[i : i + rows] for i in range(0, len(self), rows)]


@dataclass(frozen=True)
class Stopped:
    """Why something is not known.

    Where it is the monoid: `part` has the elements that were met, `group` a map of the last of them that is not
    aperiodic.
    """

    reason: str
    part: Monoid | None = None
    group: int | None = None


def transition_monoid(
    dfa: Dfa,
    max_elements: int = MAX_ELEMENTS,
    *,
    until_group: bool = False,
    progress: Callable[[int], None] | None = None,
) -> Monoid | Stopped:
    """All elements, found by length of their words; or why not: more elements, bytes or products than the limits.

    until_group: end the search as well when an element x is met with x^n != x^(n+1) for all n.  progress: called with
    the number of elements found so far.

    >>> len(transition_monoid(Dfa(("a",), 0, frozenset({0}), ((1,), (0,)))))
    2
    """
    n, letters = len(dfa), len(dfa.alphabet)
    kind: type[np.unsignedinteger] = np.uint8 if n <= 1 << 8 else np.uint16 if n <= 1 << 16 else np.uint32
    table = dfa.table.astype(kind)
    front: NDArray[np.unsignedinteger] = np.arange(n, dtype=kind)[None, :]
    found, maps = {front.tobytes(): 0}, [front]
    right, parent, last = [], [np.array([-1], np.int32)], [np.array([-1], np.int32)]
    width, reason, group = n * front.itemsize, "", None
    while len(front) and not reason:
        first = len(found) - len(front)
        products = np.stack([table[front, a] for a in range(letters)], axis=1).reshape(-1, n)
        numbers, new = _numbered(products.tobytes(), width, found)
        right.append(np.array(numbers, dtype=np.int32).reshape(-1, letters))
        places = np.array(new, dtype=np.int64)
        parent.append((first + places // letters).astype(np.int32))
        last.append((places % letters).astype(np.int32))
        front = products[places]
        maps.append(front)
        if progress is not None:
            progress(len(found))
        reason = _beyond(len(found), n, width, letters, max_elements)
        if until_group and not (aperiodic := aperiodic_rows(front)).all():
            reason, group = (
                "an element that is not aperiodic was met",
                len(found) - len(front) + int(np.argmin(aperiodic)),
            )
    monoid = Monoid(np.concatenate(maps), np.concatenate(right), np.concatenate(parent), np.concatenate(last))
    return Stopped(reason, monoid, group) if reason else monoid


def _numbered(rows: bytes, width: int, found: dict[bytes, int]) -> tuple[list[int], list[int]]:
    """The numbers of the maps whose bytes stand in a row, those that are new added; and the places of the new ones."""
    numbers, new = [], []
    for place in range(len(rows) // width):
        count = len(found)
        number = found.setdefault(rows[place * width : (place + 1) * width], count)
        if number == count:
            new.append(place)
        numbers.append(number)
    return numbers, new


def _beyond(count: int, n: int, width: int, letters: int, max_elements: int) -> str:
    if count > max_elements:
        return f"the transition monoid has more than {max_elements} elements"
    if count * width > MAX_BYTES:
        return f"the transition monoid has more than {count} elements, maps of {n} states each: more than is kept"
    if count * letters > MAX_PRODUCTS:
        return f"the transition monoid has more than {count} elements, and {letters} letters: more than is multiplied"
    return ""


def _compose(first: NDArray[np.unsignedinteger], then: NDArray[np.unsignedinteger]) -> NDArray[np.unsignedinteger]:
    """Row by row, the map `then` after the map `first`."""
    return np.take_along_axis(then, first.astype(np.intp), axis=1)


def aperiodic_rows(maps: NDArray[np.unsignedinteger]) -> NDArray[np.bool_]:
    """For each map x whether x^m = x^(m+1), m at least the number of states: then it holds for some m, or for none."""
    power = maps
    for _ in range(maps.shape[1].bit_length()):
        power = _compose(power, power)
    equal: NDArray[np.bool_] = (_compose(maps, power) == power).all(axis=1)
    return equal
