"""Strongly connected components of a graph, their periods, and the phases of their nodes."""

from __future__ import annotations

from collections import deque
from collections.abc import Sequence
from dataclasses import dataclass
from math import gcd

__all__ = ["Components", "components_of", "strong_components"]

Edges = Sequence[Sequence[int]]  # successors of each node


def strong_components(edges: Edges) -> list[int]:
    """The component of each node; a component has a higher number than every other one that it can reach.

    Tarjan's algorithm (1972), with its own stack: linear in nodes and edges.

    >>> strong_components([[1], [0, 2], [2]])
    [1, 1, 0]
    """
    n = len(edges)
    component, index, low = [-1] * n, [-1] * n, [0] * n
    stack: list[int] = []
    visited = found = 0
    for root in range(n):
        if index[root] >= 0:
            continue
        todo = [(root, -1)]  # -1: not looked at yet
        while todo:
            node, place = todo.pop()
            if place < 0:
                index[node] = low[node] = visited
                visited += 1
                stack.append(node)
                place = 0
            least, targets = low[node], edges[node]
            for place in range(place, len(targets)):  # noqa: B020 - it goes on where it was left
                target = targets[place]
                if index[target] < 0:
                    todo += [(node, place), (target, -1)]  # the edge is looked at again when the target is done
                    break
                if component[target] < 0 and low[target] < least:
                    least = low[target]
            else:
                low[node] = least
                if least == index[node]:
                    while True:
                        member = stack.pop()
                        component[member] = found
                        if member == node:
                            break
                    found += 1
                continue
            low[node] = least
    return component


@dataclass(frozen=True)
class Components:
    """The components of a graph.

    of: that of each node, numbered so that an edge never rises.  members: the nodes of each.  period: of each, the
    greatest common divisor of the lengths of its cycles; 0 where it has none.  phase: for each node its distance from
    a node of its component, modulo the period (0 where that is 0): an edge inside a component adds 1.
    """

    of: tuple[int, ...]
    members: tuple[tuple[int, ...], ...]
    period: tuple[int, ...]
    phase: tuple[int, ...]


def components_of(edges: Edges) -> Components:
    """The components with periods and phases, in linear time.

    The period is the gcd of level(q) + 1 - level(q') over the edges inside, where levels are distances from one node
    (Denardo 1977): these differences generate the same group as the lengths of the cycles.

    >>> components_of([[1], [2], [0]]).period
    (3,)
    """
    component = strong_components(edges)
    members: list[list[int]] = [[] for _ in range(max(component) + 1)]
    for node, c in enumerate(component):
        members[c].append(node)
    level = [-1] * len(edges)
    period = [0] * len(members)
    for c, (first, *_) in enumerate(members):
        level[first] = 0
        todo, common = deque([first]), 0
        while todo:
            node = todo.popleft()
            for target in edges[node]:
                if component[target] != c:
                    continue
                if level[target] < 0:
                    level[target] = level[node] + 1
                    todo.append(target)
                common = gcd(common, level[node] + 1 - level[target])
        period[c] = common
    phase = [level[node] % period[c] if period[c] else 0 for node, c in enumerate(component)]
    return Components(tuple(component), tuple(map(tuple, members)), tuple(period), tuple(phase))
