"""Strongly connected components of a graph in an array: small ones in Python, great ones compiled."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from certify.languages.components import strong_components

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["SMALL", "strong_components_of_table"]

SMALL = 1 << 17  # edges: below about a tenth of a second, which is less than the compiler's own start


def strong_components_of_table(table: NDArray[np.int32]) -> NDArray[np.int32]:
    """The component of each node of a graph whose successors are the rows of `table`; -1 stands for no edge.

    >>> strong_components_of_table(np.array([[1], [0], [-1]], dtype=np.int32)).tolist()
    [0, 0, 1]
    """
    if table.size <= SMALL:
        edges = [[target for target in row if target >= 0] for row in table.tolist()]
        return np.array(strong_components(edges), dtype=np.int32)
    from certify.languages.strong_kernel import tarjan

    return tarjan(np.ascontiguousarray(table))
