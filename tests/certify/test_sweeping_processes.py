"""Sweeps that are killed, interrupted or begun twice: what they reported is in the file."""

import json
import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
import time
from contextlib import ExitStack, closing, suppress
from pathlib import Path

import pytest

import certify
from certify.sweeping.cluster import backend
from fpsim.errors import FpcertError, InputError

SWEEP = textwrap.dedent(
    """
    import sys
    import certify

    if __name__ == "__main__":
        def report(done, total):
            print(done, flush=True)
        result = certify.sweep(
            "nmax", file=sys.argv[1], dtype="fp16,bf16", g="0.001:3:150", C="log:10:60000:40", jobs=int(sys.argv[2]),
            progress=report,
        )
        print("interrupted" if result.interrupted else "complete")
    """
)


def start(tmp_path, jobs):
    script = tmp_path / "run.py"
    script.write_text(SWEEP)
    return subprocess.Popen(
        [sys.executable, str(script), str(tmp_path / "a.sqlite"), str(jobs)],
        stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, start_new_session=True,
    )  # fmt: skip


def last_report(child, least):
    for line in child.stdout:
        if int(line) >= least:
            return int(line)
    raise AssertionError(child.stderr.read())


def rest_of(child):
    out, err = child.communicate(timeout=60)
    return out, err


@pytest.mark.parametrize("jobs", [1, 2])
def test_a_killed_sweep_loses_nothing_that_it_reported(tmp_path, jobs):
    child = start(tmp_path, jobs)
    last_report(child, 30)
    child.send_signal(signal.SIGKILL)
    out, _ = rest_of(child)
    reported = max([30, *(int(line) for line in out.split() if line.isdigit())])
    with certify.results(tmp_path / "a.sqlite") as answers:
        kept = answers.count()
    assert kept >= reported
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)
        assert connection.execute("SELECT count(*) FROM results JOIN details USING (piece)").fetchone() == (kept,)
    # The lock has ended with its process; the same jobs are known.
    again = certify.sweep("nmax", file=tmp_path / "a.sqlite", dtype="fp16", g="0.001:3:150", C="10", jobs=1)
    assert again.before + again.done == 150
    assert again.before > 0


@pytest.mark.skipif(not Path("/proc/self/stat").exists(), reason="looks for processes in /proc")
def test_workers_end_with_their_sweep_also_those_that_never_had_a_job():
    code = (
        "import os, time\nfrom joblib import Parallel, delayed\nfrom certify.sweeping.cluster import backend\n"
        "with backend(2, None): Parallel()([delayed(os.getpid)()])\n"
        "print('ready', flush=True)\ntime.sleep(60)"
    )
    child = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    workers = {pid for pid, parent in processes() if parent == child.pid}
    child.kill()
    child.communicate()
    assert len(workers) >= 3
    end = time.monotonic() + 30
    while left := workers & {pid for pid, _ in processes()}:
        assert time.monotonic() < end, left
        time.sleep(0.1)


def processes():
    """(Number, number of the parent) of every process that is no zombie."""
    for file in Path("/proc").glob("[0-9]*/stat"):
        with suppress(OSError):
            state, parent = file.read_text().rpartition(")")[2].split()[:2]
            if state != "Z":
                yield int(file.parent.name), int(parent)


@pytest.mark.parametrize("jobs", [1, 2])
def test_ctrl_c_ends_a_sweep_and_keeps_all(tmp_path, jobs):
    child = start(tmp_path, jobs)
    last_report(child, 20)
    os.killpg(child.pid, signal.SIGINT)  # as a terminal does, the workers included
    out, err = rest_of(child)
    assert out.split()[-1] == "interrupted"
    assert (child.returncode, err) == (0, "")
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert answers.count() >= max([20, *(int(line) for line in out.split() if line.isdigit())])
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sqlite", "run.py"]


def test_a_second_process_is_refused_with_the_number_of_the_first(tmp_path):
    child = start(tmp_path, 1)
    try:
        last_report(child, 1)
        (tmp_path / "link.sqlite").symlink_to(tmp_path / "a.sqlite")
        for name in ("a.sqlite", "link.sqlite"):
            with pytest.raises(InputError, match=f"process {child.pid} is writing"):
                certify.sweep("nmax", file=tmp_path / name, g=1, C=1, jobs=1)
        with certify.results(tmp_path / "a.sqlite") as answers:  # reading is no writing
            assert answers.count() > 0
    finally:
        child.kill()
        rest_of(child)
    assert certify.sweep("nmax", file=tmp_path / "a.sqlite", g=1, C=7, jobs=1).done == 1


@pytest.fixture
def small_cluster(tmp_path):
    """(The address, the processes of the scheduler and of the worker) of a cluster with one worker of one thread."""
    pytest.importorskip("distributed")
    file = tmp_path / "scheduler.json"
    options = {
        "dask_scheduler": ["--host", "127.0.0.1", "--port", "0", "--no-dashboard", "--scheduler-file", str(file)],
        "dask_worker": ["--scheduler-file", str(file), "--nthreads", "1", "--no-dashboard", "--no-nanny"],
    }
    with ExitStack() as stack:
        children = []
        for name, given in options.items():
            child = subprocess.Popen(
                [sys.executable, "-m", f"distributed.cli.{name}", *given],
                stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, cwd=tmp_path,
            )  # fmt: skip
            children.append(child)
            stack.callback(child.wait)
            stack.callback(child.kill)
            while not file.exists():
                assert child.poll() is None
                time.sleep(0.05)
        yield json.loads(file.read_text())["address"], children


@pytest.mark.parametrize(("victim", "said"), [(0, "is gone"), (1, "has had no workers for 1 s")])
def test_a_cluster_that_dies_leaves_what_was_reported(tmp_path, monkeypatch, small_cluster, victim, said):
    from joblib import Parallel, delayed

    if victim == 1:
        monkeypatch.setattr("certify.sweeping.cluster._NEXT_WORKER", 1)
    monkeypatch.setattr("certify.sweeping.cluster._LOOK", 0.2)
    address, children = small_cluster
    with backend(None, address) as chosen:
        assert chosen.workers == 1
        assert Parallel(n_jobs=chosen.alone)([delayed(os.getpid)()]) != [os.getpid()]  # one worker is no local process
    reported = []

    def report(done, _total):
        reported.append(done)
        if done >= 30:
            children[victim].kill()

    axes = {"dtype": "fp16,bf16", "g": "0.001:3:150", "C": "log:10:60000:40"}
    with pytest.raises(FpcertError, match=f"{said}; what was reported is in the file, and the same command"):
        certify.sweep("nmax", file=tmp_path / "a.sqlite", scheduler=address, progress=report, **axes)
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert answers.count() == reported[-1] < 12_000
    again = certify.sweep("nmax", file=tmp_path / "a.sqlite", jobs=1, **axes | {"g": "0.001", "C": "10"})
    assert (again.before, again.jobs) == (1, 2)
