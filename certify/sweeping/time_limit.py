"""A time limit within a job, which leaves the worker and every other job alone.

joblib has a timeout of its own, but one job that passes it ends the whole run, and others' results with it.  Here an
exception is raised in the job itself by the alarm clock of the process, where the job runs in its main thread: in
loky's workers, and in one process alone.  It acts between two steps of the interpreter: a compiled kernel that is at
work returns first.  (Those of this project return within about a second.  For what never does, in a process that is
there for jobs alone, see `end_if_stuck`.)  The exception is no `Exception`, so that nothing on its way takes it for an
error of the job; and it is not raised while a kernel is compiled or a module is loaded, which then ends first: either
would stay behind half made, for the next job to stumble over.

In another thread there is no such clock, and an exception that is sent there by CPython's own way may arrive when the
job has ended and hit whatever runs then: a limit is refused there.  dask's workers run jobs in threads.
"""

from __future__ import annotations

import faulthandler
import os
import signal
import sys
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from types import FrameType

from fpsim.errors import UnsupportedError

__all__ = ["STUCK", "Alarm", "OutOfTimeError", "end_if_stuck", "time_limit"]

STUCK = 30.0  # seconds over the limit after which a worker is ended
_AGAIN = 0.25  # seconds between two rings
_WHOLE = ("numba", "llvmlite", "importlib", "_frozen_importlib", "_frozen_importlib_external")


class OutOfTimeError(BaseException):
    """The time of the job is up."""


class Alarm:
    """Whether the exception has been raised: what a library made of it on its way is then no error of the job."""

    def __init__(self, outside: FrameType | None) -> None:
        self.rang = False
        self._outside = outside

    def __call__(self, _number: int, frame: FrameType | None) -> None:
        """Raise it, but in what has to end first: the alarm rings again."""
        while frame is not None and frame is not self._outside:
            if frame.f_globals.get("__name__", "").partition(".")[0] in _WHOLE:
                return
            frame = frame.f_back
        self.rang = True
        raise OutOfTimeError


@contextmanager
def time_limit(seconds: float | None) -> Iterator[Alarm]:
    """Raise `OutOfTimeError` in what runs inside after that many seconds; None: no limit.

    A limit that is reached just as the work ends may still raise.  Raises `UnsupportedError` in another thread than the
    main one, and where there is no alarm clock.
    """
    alarm = Alarm(sys._getframe(2))  # whoever says "with", under contextlib
    if seconds is None:
        yield alarm
        return
    if threading.current_thread() is not threading.main_thread() or not hasattr(signal, "setitimer"):
        raise UnsupportedError("a time limit needs the main thread of a process, and a system with an alarm clock")
    before = signal.signal(signal.SIGALRM, alarm)
    hook = sys.unraisablehook
    sys.unraisablehook = lambda report: None if isinstance(report.exc_value, OutOfTimeError) else hook(report)
    # The alarm rings again until the work has ended: a destructor, or a callback from C, may swallow what is raised
    # while it runs (Python would print it).  What ends it stands twice: should the exception arrive just as the first
    # begins, the second has its time until the next ring.
    try:
        try:
            signal.setitimer(signal.ITIMER_REAL, seconds, _AGAIN)
            yield alarm
        finally:
            signal.setitimer(signal.ITIMER_REAL, 0)
    finally:
        signal.setitimer(signal.ITIMER_REAL, 0)
        signal.signal(signal.SIGALRM, before)
        sys.unraisablehook = hook


@contextmanager
def end_if_stuck(seconds: float | None) -> Iterator[None]:
    """End this process when what runs inside takes that many seconds and `STUCK` more, also where it never comes back
    from compiled code; None: never.  For workers: all else in the process ends too.

    The clock is a thread of `faulthandler`, which is C and waits for no interpreter.
    """
    if seconds is None:
        yield
        return
    with Path(os.devnull).open("w", encoding="ascii") as nowhere:  # there goes the traceback that comes before the end
        faulthandler.dump_traceback_later(seconds + STUCK, exit=True, file=nowhere)
        try:
            yield
        finally:
            faulthandler.cancel_dump_traceback_later()
