"""`sweep`: do the jobs of a plan that are not yet in the results file, and keep each answer as it comes."""

from __future__ import annotations

import time
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field
from itertools import islice
from pathlib import Path
from typing import Any

from certify.sweeping.cluster import backend
from certify.sweeping.dispatch import Dispatch
from certify.sweeping.job import Job
from certify.sweeping.plan import Plan
from certify.sweeping.plan_file import read_plan, read_time_limit
from certify.sweeping.questions import find_question
from certify.sweeping.store import Store
from certify.sweeping.work import STATUSES
from fpsim.errors import InputError, UnsupportedError

__all__ = ["Sweep", "plan_of", "shown_rate", "sweep", "sweep_plan"]

_LOOKED_UP = 2000  # jobs at a time

Progress = Callable[[int, int], None]


@dataclass(frozen=True)
class Sweep:
    """What a sweep has done; prints as a summary.

    jobs: all of the plan.  before: those that were in the file already.  done: those that this run added.  statuses:
    how many of both have each status.  seconds: of this run.  interrupted: whether Ctrl-C ended it.
    """

    file: str
    question: str
    jobs: int
    before: int
    done: int
    statuses: dict[str, int] = field(hash=False)
    seconds: float
    interrupted: bool = False

    def to_json(self) -> dict[str, Any]:
        """The fields."""
        return {
            "file": self.file,
            "question": self.question,
            "jobs": self.jobs,
            "before": self.before,
            "done": self.done,
            "left": self.jobs - self.before - self.done,
            "statuses": dict(self.statuses),
            "seconds": round(self.seconds, 3),
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        rate = f", {shown_rate(self.done / self.seconds)} a second" if self.done and self.seconds > 0 else ""
        left = self.jobs - self.before - self.done
        counts = (
            f"{self.jobs:,} job{'s' * (self.jobs != 1)}, {self.before:,} already in {self.file}, {self.done:,} done now"
        )
        lines = [f"{self.question}: {counts} in {self.seconds:.1f} s{rate}"]
        lines += [f"  {name:11}  {self.statuses[name]:,}" for name in STATUSES if self.statuses.get(name)]
        if left:
            why = "interrupted; " if self.interrupted else ""
            lines.append(f"  {left:,} left: {why}the same command goes on from here")
        return "\n".join(lines)


def shown_rate(rate: float) -> str:
    """Jobs a second as they are printed: few have two digits.

    >>> shown_rate(1234.5), shown_rate(0.0312)
    ('1,234', '0.031')
    """
    return f"{rate:,.0f}" if rate >= 10 else f"{rate:.2g}"


def sweep(
    question: str | None = None,
    *,
    file: str | Path,
    plan: str | Path | Plan | None = None,
    jobs: int | None = None,
    scheduler: str | None = None,
    time_limit: Any = None,
    retry: Sequence[str] = (),
    progress: Progress | None = None,
    **axes: Any,
) -> Sweep:
    """Ask `question` ("nmax", "period" or "modulus") at every point of a grid, and keep the answers in `file`.

    axes: the parameters of that function, each a text (`certify.sweeping.axis`), a value or a list; or plan: the same
    in a TOML or YAML file, or a `Plan`.  The file is made, or gone on with: a job that it has is not done again,
    whatever its status, but for those of a status in `retry` ("error", "timeout", "undecided", "unsupported").  A job
    that cannot be answered is a row with its reason.  time_limit: seconds for each job, in which kernels that are
    needed for the first time on a machine are compiled too.  jobs: processes, default one
    for each core.  scheduler: the address of a dask scheduler, in their place.  progress(done, all of the plan) is
    called after each batch of rows, which is then in the file.

    Ctrl-C ends the work and keeps what is done.  Raises `InputError` for arguments that cannot be taken, for a file
    that another process writes and for one that is no results file; `FpcertError` for a full disk.

    >>> import tempfile
    >>> folder = tempfile.TemporaryDirectory()
    >>> done = sweep("nmax", file=f"{folder.name}/a.sqlite", g="1.0", C="10,40", dtype="fp16,bf16", jobs=1)
    >>> done.jobs, done.done, done.statuses
    (4, 4, {'ok': 4})
    >>> sweep("nmax", file=f"{folder.name}/a.sqlite", g=1, C=[40, 10], dtype=["fp16"], jobs=1).done
    0
    >>> folder.cleanup()
    """
    chosen, limit = plan_of(question, plan, axes)
    limit = limit if time_limit is None else read_time_limit(time_limit)
    return sweep_plan(chosen, file, jobs=jobs, scheduler=scheduler, time_limit=limit, retry=retry, progress=progress)


def plan_of(question: str | None, plan: str | Path | Plan | None, axes: dict[str, Any]) -> tuple[Plan, Any]:
    """The plan that was given in one of its ways, and the time limit that stands in its file."""
    if plan is None:
        return Plan.of(question, axes), None
    given = [name for name, value in axes.items() if value is not None]
    if given:
        raise InputError("plan", f"a plan together with {', '.join(given)}", "given alone: the axes stand in the plan")
    chosen, limit = (plan, None) if isinstance(plan, Plan) else read_plan(plan)
    if question not in (None, chosen.question):
        raise InputError("question", question, f"left out, or {chosen.question}, as the plan says")
    return chosen, limit


def sweep_plan(
    plan: Plan,
    file: str | Path,
    *,
    jobs: int | None = None,
    scheduler: str | None = None,
    time_limit: Any = None,
    retry: Sequence[str] = (),
    progress: Progress | None = None,
) -> Sweep:
    """Do the jobs of the plan, as `sweep` does."""
    for status in retry:
        if status not in STATUSES[1:]:
            raise InputError("retry", status, f"one of {', '.join(STATUSES[1:])}")
    find_question(plan.question).check_available()
    if scheduler is not None and time_limit is not None:
        raise UnsupportedError("a time limit with a scheduler: its workers run jobs in threads, where none can be set")
    begin = time.monotonic()
    statuses: Counter[str] = Counter()
    before = done = 0
    interrupted = False

    def waiting(store: Store) -> Iterator[Job]:
        """The jobs that are to be done; those that are in the file are counted."""
        nonlocal before
        source = plan.jobs()
        while batch := list(islice(source, _LOOKED_UP)):
            known = store.statuses(batch)
            for job in batch:
                status = known.get(job.id)
                if status is None or status in retry:
                    yield job
                else:
                    before += 1
                    statuses[status] += 1

    seconds = None if time_limit is None else float(time_limit)
    with backend(jobs, scheduler) as chosen, Store(file) as store:
        try:
            with closing(Dispatch(waiting(store), chosen, seconds).rows()) as batches:
                for rows in batches:
                    store.add(rows)
                    done += len(rows)
                    statuses.update(row.status for _, row in rows)
                    if progress is not None:
                        progress(before + done, plan.size)
        except KeyboardInterrupt:
            interrupted = True
    return Sweep(
        str(file), plan.question, plan.size, before, done, dict(statuses), time.monotonic() - begin, interrupted
    )
