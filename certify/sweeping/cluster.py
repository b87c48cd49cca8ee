"""Where the jobs of a sweep run: in this process, in workers of this machine (loky), or on a dask cluster.

All three are backends of joblib.  On a cluster every worker needs the same version of fpcert installed; the rows say
which version each came from.
"""

from __future__ import annotations

import logging
import os
from collections.abc import Iterator
from concurrent.futures import CancelledError
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.number import parse_count

__all__ = ["Backend", "backend"]

_CONNECT = 5  # seconds for a scheduler to answer
_FIRST_WORKER = 10  # seconds for a scheduler without workers to get one


@dataclass(frozen=True)
class Backend:
    """How joblib runs the chunks.

    workers: how many at a time.  parent: the process that the workers belong to, or None where they are no children of
    this one.  crashes: what is raised when a worker dies.  alone: the number of workers with which one task alone runs
    in a process other than this one.
    """

    workers: int
    parent: int | None
    crashes: tuple[type[BaseException], ...]
    alone: int


@contextmanager
def backend(workers: int | None, scheduler: str | None) -> Iterator[Backend]:
    """Choose the backend for what runs inside: joblib's `Parallel` takes it from its context.

    workers: processes of this machine, None: one for each core; 1: this process.  scheduler: the address of a dask
    scheduler, such as tcp://host:8786, in their place.  Raises `InputError` for an address at which no scheduler
    answers within 5 seconds, or which has no workers; `UnsupportedError` without dask; `FpcertError` when the scheduler
    is lost while jobs run.
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
    with joblib.parallel_config(backend="loky", n_jobs=count):
        yield Backend(count, os.getpid() if count > 1 else None, (BrokenProcessPool,), 2)


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
        """joblib runs in this process what goes to one worker alone; on a cluster that one is another process."""

        def effective_n_jobs(self, n_jobs: int) -> int:
            return max(2, int(super().effective_n_jobs(n_jobs)))

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
        try:
            with joblib.parallel_config(backend=Cluster(client=client, wait_for_workers_timeout=_FIRST_WORKER)):
                yield Backend(count, None, (KilledWorker,), count)
        except (CancelledError, CommClosedError) as error:
            lost = (
                f"the scheduler at {address} is gone; what was reported is in the file, and the same command, with a "
            )
            raise FpcertError(f"{lost}scheduler that answers, goes on from there") from error


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
