"""Hands out the jobs of a sweep to workers and yields their rows as they come, whatever becomes of a worker.

Jobs go out in chunks, whose size is a guess: a worker that uses up its budget of seconds returns early, and what it has
left goes out again (`certify.sweeping.work`).  So neither 10,000 jobs of a millisecond nor a few of a minute need to be
known in advance; joblib's own batches, sized by how long the last ones took, would keep finished rows waiting behind a
slow job.

A worker that dies (killed, or out of memory) takes the whole pool with it.  The chunks that were out then are run
again one at a time, so that it is known which one does it; its jobs then one by one; and the job that ends its worker
when it alone is running is a row with that reason.
"""

from __future__ import annotations

import threading
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime
from itertools import count, islice
from typing import Any, TypeAlias

from certify.sweeping.cluster import Backend
from certify.sweeping.job import Job
from certify.sweeping.work import Row, producer, run_chunk

__all__ = ["Dispatch"]

Rows: TypeAlias = list[tuple[Job, Row]]

BUDGET = 0.5  # seconds after which a worker returns what it has
LARGEST = 256  # jobs in a chunk
AHEAD = 20_000  # jobs kept ready: joblib asks for chunks from threads of its own, which must find some
_DIED = "the process that did it died: it was killed, perhaps for want of memory"


class Dispatch:
    """The jobs that wait and those that are out.

    work: what a worker calls, `run_chunk` but for tests.
    """

    def __init__(
        self, jobs: Iterable[Job], backend: Backend, limit: float | None, work: Callable[..., Any] = run_chunk
    ) -> None:
        self._source = iter(jobs)
        self._backend = backend
        self._limit = limit
        self._work = work
        self._waiting: deque[Job] = deque()
        self._out: dict[int, list[Job]] = {}
        self._numbers = count()

    def rows(self) -> Generator[Rows]:
        """The rows, in batches, in the order in which they are ready; every job once."""
        self._fill()
        while self._waiting:
            try:
                yield from self._round()
            except self._backend.crashes:
                lost, self._out = list(self._out.values()), {}
                for jobs in lost:
                    yield from self._isolated(jobs)
            self._fill()

    def _fill(self) -> None:
        """Take jobs from the source.  Only the caller's thread does: where they come from may not like others."""
        self._waiting.extend(islice(self._source, max(0, AHEAD - len(self._waiting))))

    def _round(self) -> Iterator[Rows]:
        """Run until nothing waits; what comes back undone may wait again at the end."""
        from joblib import Parallel

        # Each chunk is one task; three for each worker are out at a time, so that none waits for this process.
        parallel = Parallel(return_as="generator_unordered", batch_size=1, pre_dispatch=f"3 * {self._backend.workers}")
        results = parallel(self._task(jobs) for jobs in iter(self._chunk, []))
        try:
            for number, rows in results:
                jobs = self._out.pop(number)
                self._waiting.extendleft(reversed(jobs[len(rows) :]))
                self._fill()
                yield list(zip(jobs, rows, strict=False))
        finally:
            with _in_silence():
                results.close()

    def _chunk(self) -> list[Job]:
        """The next jobs that go out together: fewer when few are left, so that all workers end at about one time."""
        size = max(1, min(LARGEST, len(self._waiting) // (4 * self._backend.workers)))
        found: list[Job] = []
        while self._waiting and len(found) < size:
            found.append(self._waiting.popleft())
        return found

    def _task(self, jobs: list[Job]) -> Any:
        from joblib import delayed

        number = next(self._numbers)
        self._out[number] = jobs
        return delayed(self._work)(number, [job.text for job in jobs], self._limit, BUDGET, self._backend.parent)

    def _isolated(self, jobs: list[Job]) -> Iterator[Rows]:
        """Run these with nothing else at the same time."""
        from joblib import Parallel

        while jobs:
            try:
                ((number, rows),) = Parallel(n_jobs=self._backend.alone)([self._task(jobs)])
            except self._backend.crashes:
                self._out.clear()
                if len(jobs) == 1:
                    yield [(jobs[0], _died())]
                    return
                for job in jobs:
                    yield from self._isolated([job])
                return
            yield list(zip(self._out.pop(number), rows, strict=False))
            jobs = jobs[len(rows) :]


@contextmanager
def _in_silence() -> Iterator[None]:
    """For ending workers that are at work, which is what is wanted: joblib warns of it, and the thread that hands out
    loky's tasks may meet one that has just been taken away and print a traceback.
    """
    hook = threading.excepthook

    def ignore(arguments: threading.ExceptHookArgs) -> None:
        if getattr(arguments.thread, "name", "") != "ExecutorManagerThread":
            hook(arguments)

    threading.excepthook = ignore
    try:
        with warnings.catch_warnings():
            warnings.simplefilter("ignore", UserWarning)
            yield
    finally:
        threading.excepthook = hook


def _died() -> Row:
    now = datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    return Row("error", _DIED, {}, None, 0.0, now, producer())
