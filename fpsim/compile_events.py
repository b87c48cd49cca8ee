"""Who is told when a kernel is being compiled: functions in a list, which whoever shows progress adds to.

Compiling the kernels for a kind of value set takes some ten seconds, once on a machine.  This module imports
nothing: `fpsim.compilation`, which needs numba, calls `tell` where it has been loaded.
"""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["tell", "watchers"]

watchers: list[Callable[[bool], None]] = []
"""Each is called with True when a compilation begins, and with False when it ends; compilations nest."""


def tell(begins: bool) -> None:
    """Call the watchers.

    >>> told = []
    >>> watchers.append(told.append)
    >>> tell(True), told
    (None, [True])
    >>> watchers.remove(told.append)
    """
    for watcher in tuple(watchers):
        watcher(begins)
