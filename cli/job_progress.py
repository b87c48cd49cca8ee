"""The bar of a sweep: `Progress` with how many are done, how many a second, and the time that is left."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fpcert.progress import Progress

if TYPE_CHECKING:
    from rich.progress import Progress as RichProgress
    from rich.progress import Task
    from rich.text import Text

__all__ = ["JobProgress"]


class JobProgress(Progress):
    """A bar with a rate; like `Progress` it appears late, on a terminal only, and vanishes at the end."""

    def _start(self) -> RichProgress:
        from rich.console import Console
        from rich.progress import BarColumn, MofNCompleteColumn, ProgressColumn, TextColumn, TimeRemainingColumn
        from rich.progress import Progress as RichProgress
        from rich.text import Text

        from certify.sweeping.compute import shown_rate

        class RateColumn(ProgressColumn):
            """Jobs a second, as rich measures it over the last ones."""

            def render(self, task: Task) -> Text:
                return Text("" if task.speed is None else f"{shown_rate(task.speed)}/s")

        bar = RichProgress(
            TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), RateColumn(), TimeRemainingColumn(),
            console=Console(stderr=True), transient=True,
        )  # fmt: skip
        bar.add_task(self._description, total=self._total)
        bar.start()
        return bar
