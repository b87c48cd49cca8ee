"""A time limit within a job, which leaves the worker and every other job alone.

joblib has a timeout of its own, but one job that passes it ends the whole run, and others' results with it.  Here an
exception is raised in the job itself by the alarm clock of the process, where the job runs in its main thread: in
loky's workers, and in one process alone.  It acts between two steps of the interpreter: a compiled kernel that is at
work returns first.  The exception is no `Exception`, so that nothing on its way takes it for an error of the job.

In another thread there is no such clock, and an exception that is sent there by CPython's own way may arrive when the
job has ended and hit whatever runs then: a limit is refused there.  dask's workers run jobs in threads.
"""

from __future__ import annotations

import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

from fpsim.errors import UnsupportedError

__all__ = ["OutOfTimeError", "time_limit"]


_AGAIN = 1.0  # seconds


class OutOfTimeError(BaseException):
    """The time of the job is up."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTimeError` in what runs inside after that many seconds; None: no limit.

    A limit that is reached just as the work ends may still raise.  Raises `UnsupportedError` in another thread than the
    main one, and where there is no alarm clock.
    """
    if seconds is None:
        yield
        return
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        raise UnsupportedError("a time limit needs the main thread of a process, and a system with an alarm clock")
    before = signal.signal(signal.SIGALRM, _on_alarm)
    # The alarm rings again every second until the work has ended: a destructor, or a callback from C, may swallow what
    # is raised while it runs.  What ends it stands twice: should the exception arrive just as the first begins, the
    # second has a second's time.
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            yield
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)


def _on_alarm(_number: int, _frame: FrameType | None) -> None:
    raise OutOfTimeError
