"""Tarjan's algorithm as in `certify.languages.components.strong_components`, its reference, compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from fpsim.compilation import kernel

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["tarjan"]


@kernel()
def tarjan(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """The component of each node; the rows of `table` are its successors, -1 stands for no edge."""
    n, width = table.shape
    component, index, low = np.full(n, -1, np.int32), np.full(n, -1, np.int32), np.zeros(n, np.int32)
    place = np.zeros(n, np.int32)  # the next edge of each node
    stack, path = np.empty(n, np.int32), np.empty(n, np.int32)
    stacked = visited = found = 0
    for root in range(n):
        if index[root] >= 0:
            continue
        length = 1
        path[0] = root
        while length:
            node = path[length - 1]
            if index[node] < 0:
                index[node] = low[node] = visited
                visited += 1
                stack[stacked] = node
                stacked += 1
            deeper = False
            while place[node] < width:
                target = table[node, place[node]]
                if target >= 0 and index[target] < 0:
                    path[length] = target
                    length += 1
                    deeper = True
                    break  # the edge is looked at again when the target is done
                if target >= 0 and component[target] < 0 and low[target] < low[node]:
                    low[node] = low[target]
                place[node] += 1
            if deeper:
                continue
            length -= 1
            if low[node] == index[node]:
                member = -1
                while member != node:
                    stacked -= 1
                    member = stack[stacked]
                    component[member] = found
                found += 1
    return component
