"""A time limit within a job, which leaves the worker and every other job alone.

joblib has a timeout of its own, but one job that passes it ends the whole run, and others' results with it.  Here an
exception is raised in the job itself: by the alarm clock of the process where the job runs in its main thread (loky's
workers, and one process alone), else by `PyThreadState_SetAsyncExc`, CPython's way to raise in another thread (dask's
workers run jobs in threads).  Both act between two steps of the interpreter: a compiled kernel that is at work returns
first.  The exception is no `Exception`, so that nothing on its way takes it for an error of the job.
"""

from __future__ import annotations

import ctypes
import signal
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from types import FrameType

__all__ = ["OutOfTimeError", "time_limit"]


_AGAIN = 1.0  # seconds


class OutOfTimeError(BaseException):
    """The time of the job is up."""


@contextmanager
def time_limit(seconds: float | None) -> Iterator[None]:
    """Raise `OutOfTimeError` in what runs inside after that many seconds; None: no limit.

    A limit that is reached just as the work ends may still raise.
    """
    if seconds is None:
        yield
    elif threading.current_thread() is threading.main_thread() and hasattr(signal, "setitimer"):
        yield from _by_alarm(seconds)
    else:
        yield from _by_thread(seconds)


# Both ways raise again every second until the work has ended: a destructor, or a callback from C, may swallow what is
# raised while it runs.  Nothing may be left that raises later, in what this thread does next or in another one that is
# given its number; so what ends them stands twice: should the exception arrive just as the first begins, the second has
# a second's time.


def _by_alarm(seconds: float) -> Iterator[None]:
    before = signal.signal(signal.SIGALRM, _on_alarm)
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


def _by_thread(seconds: float) -> Iterator[None]:
    worker, over = ctypes.c_ulong(threading.get_ident()), threading.Event()

    def watch() -> None:
        wait = seconds
        while not over.wait(wait):
            ctypes.pythonapi.PyThreadState_SetAsyncExc(worker, ctypes.py_object(OutOfTimeError))
            wait = _AGAIN

    watcher = threading.Thread(target=watch, name="time limit of a job", daemon=True)
    watcher.start()
    try:
        try:
            yield
        finally:
            over.set()
    finally:
        over.set()
        try:
            watcher.join()
        finally:
            watcher.join()  # it raises no more: what it has set and not yet raised is taken back
            ctypes.pythonapi.PyThreadState_SetAsyncExc(worker, None)
