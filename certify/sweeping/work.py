"""What a worker does: the jobs of a chunk, one after the other, each to a row, whatever happens to it.

A chunk is as many jobs as the caller likes, and a budget of seconds: when it is used up the worker returns the rows it
has, and the caller hands the rest out again.  So results reach the file at least about twice a second, and one slow job
keeps no finished one waiting, although thousands of fast ones share the cost of a message.
"""

from __future__ import annotations

import json
import os
import signal
import threading
import time
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from typing import Any

from gmpy2 import mpq

from certify.sweeping.job import Job
from certify.sweeping.time_limit import OutOfTimeError, end_if_stuck, time_limit
from fpsim.errors import FpcertError, UnsupportedError
from fpsim.number import json_number

__all__ = ["STATUSES", "Row", "belong_to", "late", "now", "producer", "run_chunk", "run_job"]

STATUSES = ("ok", "undecided", "unsupported", "error", "timeout")
_LONGEST_REASON = 500
_LOOK = 1.0  # seconds between two looks at the parent


@dataclass(frozen=True)
class Row:
    """What became of one job.

    status: one of `STATUSES`.  values: of the columns of the question.  answer: the whole answer as JSON, or None.
    finished: the time, UTC, ISO 8601.  producer: what computed it.
    """

    status: str
    reason: str | None
    values: dict[str, Any]
    answer: str | None
    seconds: float
    finished: str
    producer: str


def run_chunk(
    number: int, jobs: Sequence[str], limit: float | None, budget: float, apart: bool
) -> tuple[int, list[Row]]:
    """(number, the rows of the first jobs): all of them, or as many as the budget in seconds allows, at least one.

    apart: whether this process is there for the jobs alone, and is ended when one of them is stuck.
    """
    begin = time.perf_counter()
    rows = []
    for text in jobs:
        with end_if_stuck(limit if apart else None):
            rows.append(run_job(Job.parse(text), limit))
        if time.perf_counter() - begin > budget:
            break
    return number, rows


def run_job(job: Job, limit: float | None = None) -> Row:
    """The row of one job.  Only Ctrl-C is raised: an error of the job is its row.

    >>> row = run_job(Job("nmax", {"g": "0", "C": "40"}))
    >>> row.status, row.reason.partition(";")[0]
    ('error', 'g: cannot take 0')
    """
    begin = time.perf_counter()
    values: dict[str, Any] = {}
    shown: str | None = None
    alarm = None
    try:
        with time_limit(limit) as alarm:
            answer = job.answer()
            status, reason, values = answer.status, answer.reason, answer.values
            shown = json.dumps(answer.shown, sort_keys=True, separators=(",", ":"), default=_json_form)
    except OutOfTimeError:
        status, reason = late(limit)
    except UnsupportedError as error:
        status, reason = "unsupported", str(error)
    except FpcertError as error:
        status, reason = "error", str(error)
    except (Exception, SystemExit) as error:  # noqa: BLE001 - a fault of the code is a row too: the sweep goes on
        status, reason = "error", f"internal error: {type(error).__name__}: {error}".removesuffix(": ")
    if status != "ok" and alarm is not None and alarm.rang:
        status, reason = late(limit)
    if status not in ("ok", "undecided"):
        values, shown = {}, None
    seconds = round(time.perf_counter() - begin, 6)
    if reason is not None and len(reason) > _LONGEST_REASON:
        reason = f"{reason[: _LONGEST_REASON - 3]}..."
    return Row(status, reason, values, shown, seconds, now(), producer())


def late(limit: float | None) -> tuple[str, str]:
    """The status and the reason of a job that took longer than it may."""
    return "timeout", f"no answer within {limit:g} s"


def now() -> str:
    """The time as a row has it."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def _json_form(value: Any) -> Any:
    """What `json` does not know: exact numbers, and arrays of NumPy."""
    return value.tolist() if hasattr(value, "tolist") else json_number(mpq(value))


def belong_to(parent: int) -> None:
    """How a worker begins: it leaves Ctrl-C to the parent, and ends when that is gone, also before the first job comes,
    as a worker of a killed parent would work or wait for nobody.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)

    def watch() -> None:
        while os.getppid() == parent:
            time.sleep(_LOOK)
        os._exit(1)  # nobody is left to take a result, and an exception would end this thread alone

    threading.Thread(target=watch, name="parent of this worker", daemon=True).start()


@cache
def producer() -> str:
    """What computes here: the version, and a hash of the sources that can change an answer."""
    from fpsim.compilation import source_hash

    try:
        release = version("fpcert")
    except PackageNotFoundError:
        release = "unknown"
    return f"fpcert {release} {source_hash('certify')}"
