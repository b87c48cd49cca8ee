"""Where the jobs of a sweep run: in this process, in workers of this machine (loky), or on a dask cluster.

All three are backends of joblib.  On a cluster every worker needs the same version of fpcert installed; the rows say
which version each came from.
"""

from __future__ import annotations

import logging
import os
import threading
import time
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from certify.sweeping.work import belong_to
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.number import parse_count

__all__ = ["Backend", "backend"]

_CONNECT = 5  # seconds for a scheduler to answer
_FIRST_WORKER = 10  # seconds for a scheduler without workers to get one
_NEXT_WORKER = 60  # the same while jobs run, when the last one is gone
_LOOK = 2  # seconds between two looks at the workers


@dataclass(frozen=True)
class Backend:
    """How joblib runs the chunks.

    workers: how many at a time.  apart: whether they are processes of this machine for the jobs alone.  crashes: what
    is raised when a worker dies.  alone: the number of workers with which one task alone runs in a process other than
    this one.
    """

    workers: int
    apart: bool
    crashes: tuple[type[BaseException], ...]
    alone: int


@contextmanager
def backend(workers: int | None, scheduler: str | None) -> Iterator[Backend]:
    """Choose the backend for what runs inside: joblib's `Parallel` takes it from its context.

    workers: processes of this machine, None: one for each core; 1: this process.  scheduler: the address of a dask
    scheduler, such as tcp://host:8786, in their place.  Raises `InputError` for an address at which no scheduler
    answers within 5 seconds, or which has no workers; `UnsupportedError` without dask; `FpcertError` when, while jobs
    run, the scheduler is lost, does not answer for a minute, or has no workers for a minute.
    """
    if scheduler is not None:
        if workers is not None:
            raise InputError("jobs", workers, "left out with a scheduler, whose cluster has workers of its own")
        with _dask(scheduler) as chosen:
            yield chosen
        return
    import joblib
    from joblib.externals.loky.process_executor import BrokenProcessPool

    count = int(joblib.cpu_count()) if workers is None else parse_count(workers, "jobs", most=4096)
    with joblib.parallel_config(backend="loky", n_jobs=count, initializer=belong_to, initargs=(os.getpid(),)):
        yield Backend(count, count > 1, (BrokenProcessPool,), 2)


@dataclass(frozen=True)
class _Failure:
    """What becomes of a task that dask has given up."""

    error: BaseException


@contextmanager
def _dask(address: str) -> Iterator[Backend]:
    try:
        from distributed import Client
        from distributed.comm import CommClosedError, get_address_host_port
        from distributed.scheduler import KilledWorker
    except ImportError as error:
        raise UnsupportedError("a scheduler needs dask: pip install 'fpcert[dask]'") from error
    import joblib
    from joblib._dask import DaskDistributedBackend

    class Cluster(DaskDistributedBackend):  # type: ignore[misc]
        """joblib runs in this process what goes to one worker alone: here that one is another process.  And it waits
        for ever for a task whose future has failed, as when it has killed its worker: here the failure is passed on.
        """

        def effective_n_jobs(self, n_jobs: int) -> int:
            del n_jobs  # all, also where there are none just now: `_watched` sees to that
            return max(2, int(sum(self.client.ncores().values())))

        def submit(self, func: Any, callback: Any = None) -> Any:
            future = super().submit(func, callback)
            future.add_done_callback(lambda done: done.exception() is None or callback(_Failure(done.exception())))
            return future

        def retrieve_result_callback(self, out: Any) -> Any:
            if isinstance(out, _Failure):
                raise out.error
            return super().retrieve_result_callback(out)

    try:
        if not address.startswith("inproc:"):  # a scheduler of this process, which has no port
            get_address_host_port(address)  # a client made for what is no address leaves a traceback behind
        client: Any = Client(address, timeout=_CONNECT, set_as_default=False)
    except (OSError, TimeoutError, ValueError, TypeError) as error:
        reason = " ".join(str(error).split()) or type(error).__name__
        right = f"the address of a dask scheduler that answers within {_CONNECT} s, such as tcp://localhost:8786"
        raise InputError("scheduler", f"{address} ({reason})", right) from error
    with _in_silence(), client:
        try:
            client.wait_for_workers(1, timeout=_FIRST_WORKER)
        except TimeoutError as error:
            raise InputError("scheduler", f"{address}, which has no workers", "one with workers") from error
        count = sum(client.ncores().values())
        left: list[str] = []
        try:
            with (
                joblib.parallel_config(backend=Cluster(client=client, wait_for_workers_timeout=_FIRST_WORKER)),
                _watched(client, left),
            ):
                yield Backend(count, False, (KilledWorker,), count)
        except (CancelledError, CommClosedError) as error:
            lost = f"the scheduler at {address} {left[0] if left else 'is gone'}; what was reported is in the file, and"
            raise FpcertError(f"{lost} the same command, with a scheduler that answers, goes on from there") from error


@contextmanager
def _watched(client: Any, left: list[str]) -> Iterator[None]:
    """End what the client waits for when it has waited for workers for too long, and say why in `left`.

    dask itself waits for ever: for a scheduler that is alive without workers, and, which may be hours, for one whose
    machine no longer answers.
    """
    ended = threading.Event()

    def watch() -> None:
        seen = time.monotonic()
        while not ended.wait(_LOOK):
            reason = f"has had no workers for {_NEXT_WORKER} s"
            try:
                if client.sync(client.scheduler.ncores, callback_timeout=_CONNECT):
                    seen = time.monotonic()
            except (OSError, CancelledError, AttributeError):  # TimeoutError too; without a connection it is None
                reason = f"has not answered for {_NEXT_WORKER} s"
            if time.monotonic() - seen > _NEXT_WORKER:
                left.append(reason)
                client.close(timeout=_CONNECT)
                return

    thread = threading.Thread(target=watch, name="workers of the cluster", daemon=True)
    thread.start()
    try:
        yield
    finally:
        ended.set()
        thread.join()


@contextmanager
def _in_silence() -> Iterator[None]:
    """The client logs the loss of its scheduler as tracebacks: here it is one error of ours."""
    log = logging.getLogger("distributed.client")
    before = log.level
    log.setLevel(logging.CRITICAL)
    try:
        yield
    finally:
        log.setLevel(before)
