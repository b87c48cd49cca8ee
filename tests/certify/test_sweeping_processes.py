"""Sweeps that are killed, interrupted or begun twice: what they reported is in the file."""

import os
import signal
import sqlite3
import subprocess
import sys
import textwrap
from contextlib import closing

import pytest

import certify
from fpsim.errors import InputError

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
