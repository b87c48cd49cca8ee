"""Hands out the jobs of a sweep to workers and yields their rows as they come, whatever becomes of a worker.

Jobs go out in chunks, whose size is a guess: a worker that uses up its budget of seconds returns early, and what it has
left goes out again (`certify.sweeping.work`).  So neither 10,000 jobs of a millisecond nor a few of a minute need to be
known in advance; joblib's own batches, sized by how long the last ones took, would keep finished rows waiting behind a
slow job.

A worker that dies (killed, or out of memory) takes the whole pool with it.  The chunks that were out then are run
again one at a time, so that it is known which one does it; its jobs then one by one; and the job that ends its worker
when it alone is running is a row with that reason.  So is one that is stuck beyond its time limit in compiled code,
whose worker ends itself (`certify.sweeping.time_limit`).
"""

from __future__ import annotations

import signal
import threading
import time
import warnings
from collections import deque
from collections.abc import Callable, Generator, Iterable, Iterator
from contextlib import contextmanager
from itertools import count, islice
from typing import Any, TypeAlias

from certify.sweeping.cluster import Backend
from certify.sweeping.job import Job
from certify.sweeping.time_limit import STUCK
from certify.sweeping.work import Row, late, now, producer, run_chunk

__all__ = ["Dispatch"]

Rows: TypeAlias = list[tuple[Job, Row]]

BUDGET = 0.5  # seconds after which a worker returns what it has
LARGEST = 256  # jobs in a chunk
AHEAD = 20_000  # jobs kept ready: joblib asks for chunks from threads of its own, which must find some
_DIED = "the process that did it died: it was killed, perhaps for want of memory"
_STUCK = "compiled code did not come back, and its process was ended"


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
        results = None
        try:
            with self._starting():
                results = parallel(self._task(jobs) for jobs in iter(self._chunk, []))
            for number, rows in results:
                jobs = self._out.pop(number)
                self._waiting.extendleft(reversed(jobs[len(rows) :]))
                self._fill()
                yield list(zip(jobs, rows, strict=False))
        finally:
            if results is not None:
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
        return delayed(self._work)(number, [job.text for job in jobs], self._limit, BUDGET, self._backend.apart)

    def _isolated(self, jobs: list[Job]) -> Iterator[Rows]:
        """Run these with nothing else at the same time."""
        from joblib import Parallel

        while jobs:
            begin = time.monotonic()
            try:
                with self._starting():
                    results = Parallel(n_jobs=self._backend.alone, return_as="generator")([self._task(jobs)])
                ((number, rows),) = results
            except self._backend.crashes as error:
                self._out.clear()
                if len(jobs) == 1:
                    itself = self._backend.apart and "EXIT(1)" in str(error)
                    yield [(jobs[0], self._died(time.monotonic() - begin, itself=itself))]
                    return
                for job in jobs:
                    yield from self._isolated([job])
                return
            yield list(zip(self._out.pop(number), rows, strict=False))
            jobs = jobs[len(rows) :]

    @contextmanager
    def _starting(self) -> Iterator[None]:
        """For starting workers: one that Ctrl-C reaches before it has begun prints a traceback.  What a process has
        blocked its children have too.  Here Ctrl-C is not lost, it is raised at the end.
        """
        if not (self._backend.apart and hasattr(signal, "pthread_sigmask")):
            yield
            return
        from multiprocessing import resource_tracker as of_python

        from joblib.externals.loky.backend import resource_tracker

        for tracker in (of_python, resource_tracker):
            tracker.ensure_running()  # each of them unblocks the signal when it starts
        before = signal.pthread_sigmask(signal.SIG_BLOCK, {signal.SIGINT})
        try:
            yield
        finally:
            signal.pthread_sigmask(signal.SIG_SETMASK, before)

    def _died(self, seconds: float, *, itself: bool) -> Row:
        """The row of a job whose worker has died after so many seconds, or has ended itself."""
        stuck = itself and self._limit is not None and seconds > self._limit + STUCK
        status, reason = late(self._limit) if stuck else ("error", _DIED)
        return Row(status, f"{reason}: {_STUCK}" if stuck else reason, {}, None, round(seconds, 6), now(), producer())


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
