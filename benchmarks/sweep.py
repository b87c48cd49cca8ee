"""How fast a sweep is with one process and with two, and how fast a large results file is filtered.

    python benchmarks/sweep.py [--rows N]

Run by hand, on an idle machine with 2 cores.  The sweep is 10,000 nmax jobs in fp16 and bf16, each run in a process of
its own, from its start to its end, so that starting the workers counts; the efficiency on 2 cores is T1 / (2 T2).  The
file has 10^6 rows (`--rows`), which are made up; of each filter the rows are counted and the 20 with the greatest n_max
shown, by a whole process of `fpcert results`: once after the file's pages were taken out of memory, once again; beside
the time is that of the CPU, which a busy machine does not lengthen much.  Making that file takes minutes and 0.5 GB in
the temporary folder.
"""

from __future__ import annotations

import argparse
import itertools
import json
import os
import random
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from certify.sweeping.answers import results
from certify.sweeping.plan import Plan
from certify.sweeping.store import Store
from certify.sweeping.work import Row, run_job

AXES = {"dtype": "fp16,bf16", "g": "1.0,0.1,1/100,2/3,pi/7", "C": "log:10:60000:500", "k": "1,2"}
FILTERS = ("dtype=fp16", "n_max>100", "status!=ok", "C=40", "C>1000", "g<pi/7", "reason~memory", "k=1 and C<100")


def seconds_of_sweep(folder: Path, workers: int) -> float:
    """The time of a whole process that does the 10,000 jobs."""
    file = folder / f"{workers}.sqlite"
    options = [part for name, value in AXES.items() for part in (f"--{name}", value)]
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "fpcert", "sweep", "nmax", *options, "--jobs", str(workers), "-o", str(file), "--quiet"],
        check=True,
        stdout=subprocess.DEVNULL,
    )
    return time.perf_counter() - begin


def make_file(file: Path, rows: int) -> None:
    """A results file with made-up answers."""
    points = max(2, rows // 1000)
    plan = Plan.of(
        "nmax",
        {"dtype": "fp16,bf16,e5m10,e4m3,e5m2", "g": f"0.001:3:{points}", "C": "log:10:60000:100", "k": "1,2"},
    )
    rng = random.Random(1)
    shown = json.loads(run_job(next(plan.jobs())).answer or "{}")
    jobs = plan.jobs()
    with Store(file) as store:
        while batch := list(itertools.islice(jobs, 5000)):
            done = []
            for job in batch:
                n = int(rng.expovariate(1 / 30))
                (status,) = rng.choices(["ok", "undecided", "timeout"], [98, 1.5, 0.5])
                values = {"verdict": "exact", "n_max": n, "lower": n, "upper": n, "ideal": n, "usable": n >= 1}
                changed = {name: job.parameters[name] for name in ("dtype", "g", "C", "k")} | {"n_max": n, "lower": n}
                answer = json.dumps(shown | changed, sort_keys=True, separators=(",", ":"))
                done.append((job, Row(status, None, values, answer, 0.004, "2026-01-01T00:00:00.000Z", "made up")))
            store.add(done)


def forget(file: Path) -> None:
    """Take the file's pages out of the system's memory (Linux)."""
    with file.open("rb") as opened:
        os.fsync(opened.fileno())
        os.posix_fadvise(opened.fileno(), 0, 0, os.POSIX_FADV_DONTNEED)


def seconds_of_filter(file: Path, where: str) -> tuple[float, float]:
    """The time, and that of the CPU, of a whole process that counts the rows and shows the first 20 by n_max."""
    options = ["--where", where, "--sort=-n_max", "--limit", "20", "--json"]
    begin, before = time.perf_counter(), resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run([sys.executable, "-m", "fpcert", "results", str(file), *options], check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    used = after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime
    return time.perf_counter() - begin, used


def main() -> None:
    """Print both."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=int, default=10**6)
    rows = parser.parse_args().rows
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        subprocess.run(
            [sys.executable, "-m", "fpcert", "nmax", "--C", "1e4", "--g", "1"], check=True, capture_output=True
        )
        alone, both = seconds_of_sweep(folder, 1), seconds_of_sweep(folder, 2)
        print(f"10,000 nmax jobs: 1 process {alone:.1f} s, 2 processes {both:.1f} s, efficiency {alone / both / 2:.2f}")
        begin = time.perf_counter()
        make_file(folder / "large.sqlite", rows)
        size = (folder / "large.sqlite").stat().st_size
        print(f"{rows:,} rows written in {time.perf_counter() - begin:.0f} s, {size / 1e6:,.0f} MB")
        with results(folder / "large.sqlite") as answers:
            (first,) = answers.rows(columns="id", limit=1)
        for where in (*FILTERS, f"id={first['id']}"):
            forget(folder / "large.sqlite")
            (cold, cold_cpu), (warm, warm_cpu) = (seconds_of_filter(folder / "large.sqlite", where) for _ in range(2))
            times = f"from the disk {cold:.2f} s (CPU {cold_cpu:.2f}), again {warm:.2f} s (CPU {warm_cpu:.2f})"
            print(f"{where[:15]:15} {times}")


if __name__ == "__main__":
    main()
