"""Progress of long work: on stderr, on a terminal only, and only once the work has taken two seconds.

with Progress("pairs", total=n, quiet=quiet) as progress:
    for ...:
        progress.advance(count)
"""

from __future__ import annotations

import sys
import time
from types import TracebackType
from typing import TYPE_CHECKING, Self

from fpsim.compile_events import watchers

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress

__all__ = ["Progress"]

DELAY = 2.0  # seconds of silence: shorter work needs no bar


class Progress:
    """A bar that appears late and vanishes at the end; nothing at all with `quiet` or when stderr is no terminal.

    `total` is the number of steps, or None when that is not known.  While a kernel is compiled, which can take half a
    minute, the bar is there at once and says so.
    """

    def __init__(self, description: str, *, total: int | None = None, quiet: bool = False) -> None:
        self._description = description
        self._total = total
        self._enabled = not quiet and sys.stderr.isatty()
        self._begin = time.monotonic()
        self._done = 0.0
        self._bar: RichProgress | None = None
        self._compilations = 0

    def __enter__(self) -> Self:
        if self._enabled:
            watchers.append(self._compiling)
        return self

    def _compiling(self, begins: bool) -> None:
        """A compilation begins within those that are under way, or the last one of them ends."""
        self._compilations += 1 if begins else -1
        if self._bar is None:
            self._bar = self._start()
        shown = "compiling, the first time on this machine" if self._compilations else self._description
        self._bar.update(self._bar.task_ids[0], description=shown)

    def advance(self, steps: float = 1) -> None:
        """That many steps more are done; parts of a step count."""
        self._done += steps
        if not self._enabled:
            return
        if self._bar is None and time.monotonic() - self._begin >= DELAY:
            self._bar = self._start()
        if self._bar is not None:
            self._bar.update(self._bar.task_ids[0], completed=self._done)

    def _start(self) -> RichProgress:
        from rich.console import Console  # rich takes a while to import; short work never needs it
        from rich.progress import Progress as RichProgress

        bar = RichProgress(console=Console(stderr=True), transient=True)  # rich honours NO_COLOR
        bar.add_task(self._description, total=self._total)
        bar.start()
        return bar

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if self._enabled:
            watchers.remove(self._compiling)
        if self._bar is not None:
            self._bar.stop()
