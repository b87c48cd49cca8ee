"""Sweeps: nothing reported is lost, no job is done twice, a failing job is a row, one process writes a file."""

import logging
import os
import signal
import sys
import threading
import time
from pathlib import Path

import pytest
from joblib.externals.loky.process_executor import TerminatedWorkerError

import certify
from certify.sweeping import questions
from certify.sweeping import time_limit as stuck
from certify.sweeping.cluster import backend
from certify.sweeping.dispatch import Dispatch
from certify.sweeping.job import Job
from certify.sweeping.plan import Plan
from certify.sweeping.time_limit import OutOfTimeError, time_limit
from certify.sweeping.work import run_chunk, run_job
from fpsim.errors import InputError, UnsupportedError

AXES = {"dtype": "fp16,bf16", "g": "1.0,pi/7", "C": "log:10:60000:8", "k": "1,2"}
SLOW = {"g": "1.0", "C": "1e15", "dtype": "fp64", "method": "exhaustive", "max_length": 10**7}  # many minutes


def without_times(file):
    """The rows of the file by their id, without what differs from run to run."""
    with certify.results(file) as answers:
        rows = list(
            answers.rows(columns="id,dtype,g,C,k,status,reason,verdict,n_max,lower,upper,ideal,usable", details=True)
        )
    return {row["id"]: row for row in rows}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A file that one process has made, and its summary."""
    file = tmp_path_factory.mktemp("alone") / "results.sqlite"
    return file, certify.sweep("nmax", file=file, jobs=1, **AXES)


def test_each_row_is_what_nmax_answers(alone):
    file, summary = alone
    rows = without_times(file)
    assert (summary.jobs, summary.done, summary.statuses) == (64, 64, {"ok": 64})
    assert len(rows) == 64
    for row in list(rows.values())[::7]:
        result = certify.nmax(g=row["g"], C=row["C"], dtype=row["dtype"], k=row["k"])
        assert (row["n_max"], row["verdict"], row["usable"]) == (result.n_max, result.status, result.usable)
        assert row["answer"] == result.to_json()


def test_two_processes_find_the_same(alone, tmp_path):
    file, _ = alone
    done = certify.sweep("nmax", file=tmp_path / "two.sqlite", jobs=2, **AXES)
    assert done.done == 64
    assert without_times(tmp_path / "two.sqlite") == without_times(file)


def test_a_job_that_is_there_is_not_done_again(tmp_path, monkeypatch):
    file, asked = tmp_path / "a.sqlite", []
    monkeypatch.setattr(certify, "nmax", lambda **given: asked.append(given) or real(**given), raising=False)
    from certify.certified_range.compute import nmax as real

    assert certify.sweep("nmax", file=file, jobs=1, g=1, C="10,20").done == 2
    more = certify.sweep("nmax", file=file, jobs=1, g="1.0", C=[20, 30, 10])
    assert (more.before, more.done, more.statuses) == (2, 1, {"ok": 3})
    assert [given["C"] for given in asked] == ["10", "20", "30"]


def test_failures_are_rows_and_are_retried_on_request_only(tmp_path, monkeypatch):
    def moody(**given):
        C = given["C"]
        if C == "1":
            raise UnsupportedError("not yet")
        if C == "2":
            raise ZeroDivisionError("by zero")
        if C == "3":
            raise InputError("C", C, "another one")
        if C == "4":
            raise SystemExit(3)
        if C == "5":
            raise MemoryError
        return real(**given)

    from certify.certified_range.compute import nmax as real

    monkeypatch.setattr(certify, "nmax", moody, raising=False)
    file = tmp_path / "a.sqlite"
    done = certify.sweep("nmax", file=file, jobs=1, g=1, C="1,2,3,4,5,40")
    assert done.statuses == {"ok": 1, "unsupported": 1, "error": 4}
    with certify.results(file) as answers:
        reasons = {row["C"]: row["reason"] for row in answers.rows("status!=ok")}
    assert reasons[1] == "not yet"
    assert reasons[2] == "internal error: ZeroDivisionError: by zero"
    assert reasons[3].startswith("C: cannot take 3")
    assert (reasons[4], reasons[5]) == ("internal error: SystemExit: 3", "internal error: MemoryError")
    assert certify.sweep("nmax", file=file, jobs=1, g=1, C="1,2,3,4,5,40").done == 0
    monkeypatch.setattr(certify, "nmax", real)
    again = certify.sweep("nmax", file=file, jobs=1, g=1, C="1,2,3,4,5,40", retry=["error"])
    assert (again.before, again.done, again.statuses) == (2, 4, {"ok": 5, "unsupported": 1})
    with certify.results(file) as answers:
        assert answers.count() == 6  # a row that is done again takes the place of the old one
        assert [row["C"] for row in answers.rows("status!=ok", details=True)] == [1]


def test_an_undecided_job_is_one(tmp_path):
    axes = {"g": "1.0", "C": 40, "dtype": "fp16", "realize": "recurrence", "max_length": 3, "method": "exhaustive"}
    done = certify.sweep("nmax", file=tmp_path / "a.sqlite", jobs=1, **axes)
    assert done.statuses == {"undecided": 1}
    assert certify.nmax(**axes).status == "at_least"


def test_periods(tmp_path):
    file = tmp_path / "a.sqlite"
    done = certify.sweep("period", file=file, jobs=1, theta=["2pi*3/7,2pi*5/12", "1"], dtype="fp16,bf16")
    assert done.statuses == {"ok": 4}
    with certify.results(file) as answers:
        rows = list(answers.rows(columns="theta,verdict,period,components", sort="theta,dtype"))
    assert rows[0] == {"theta": "1", "verdict": "non-periodic", "period": None, "components": 1}
    assert rows[-1] == {"theta": "6/7*pi, 5/6*pi", "verdict": "periodic", "period": 84, "components": 2}


def test_a_question_that_is_not_there_is_refused_before_the_work(tmp_path, monkeypatch):
    monkeypatch.setitem(questions.QUESTIONS, "nonsense", questions.Question("nonsense", (), lambda: None))
    with pytest.raises(UnsupportedError, match=r"certify\.nonsense"):
        certify.sweep("nonsense", file=tmp_path / "a.sqlite")
    assert list(tmp_path.iterdir()) == []


def test_moduli(tmp_path):
    certify.sweep("modulus", file=tmp_path / "a.sqlite", jobs=1, dtype="e4m3,fp16:down", max="12")
    with certify.results(tmp_path / "a.sqlite") as answers:
        rows = {
            row["dtype"]: row for row in answers.rows(columns="dtype,max,single_pair,harmonic,reason", details=True)
        }
    assert (rows["e4m3"]["single_pair"], rows["e4m3"]["harmonic"], rows["e4m3"]["max"]) == ("2-10, 12", "2-12", 12)
    for dtype, row in rows.items():
        found = certify.modulus(dtype=dtype, max=12)
        assert (row["answer"]["single_pair"], row["reason"]) == (list(found.single), found.reason)


# Time limits.


def spin(seconds):
    end = time.perf_counter() + seconds
    while time.perf_counter() < end:
        pass


def test_a_time_limit_ends_what_runs_inside_and_nothing_else():
    outcome = []

    def work():
        try:
            with time_limit(0.05):
                try:
                    spin(20)
                except Exception:  # noqa: BLE001 - what is to be shown is that it does not catch
                    outcome.append("taken for an error")
        except OutOfTimeError:
            outcome.append("out of time")
        with time_limit(5):
            outcome.append("in time")
        spin(0.6)  # nothing arrives later
        outcome.append("done")

    before = signal.getsignal(signal.SIGALRM)
    work()
    assert signal.getsignal(signal.SIGALRM) is before
    assert signal.getitimer(signal.ITIMER_REAL) == (0, 0)
    assert outcome == ["out of time", "in time", "done"]


def test_a_time_limit_that_is_swallowed_comes_again():
    outcome = []

    class Swallows:
        def __del__(self):  # Python goes on when a destructor raises, and prints it, which here is a failure
            try:
                spin(20)
            finally:
                outcome.append("swallowed")

    def work():
        try:
            with time_limit(0.05):
                Swallows()
                spin(20)
        except OutOfTimeError:
            outcome.append("out of time")

    work()
    assert outcome == ["swallowed", "out of time"]


@pytest.mark.parametrize("module", ["numba.core.compiler", "importlib._bootstrap", "elsewhere"])
def test_a_time_limit_lets_what_must_not_stay_half_made_end_first(module):
    there = {"__name__": module, "spin": spin, "outcome": []}
    exec("def make():\n    spin(0.5)\n    outcome.append('made')", there)

    def work():
        with time_limit(0.05):
            there["make"]()
            spin(20)

    with pytest.raises(OutOfTimeError):
        work()
    assert there["outcome"] == ([] if module == "elsewhere" else ["made"])


def test_what_a_library_makes_of_the_alarm_is_no_error_of_the_job(monkeypatch):
    def fragile(**_given):
        try:
            spin(20)
        except OutOfTimeError:
            raise RuntimeError("no compiled object yet") from None

    monkeypatch.setattr(certify, "nmax", fragile, raising=False)
    row = run_job(Job("nmax", {"g": "1", "C": "40"}), 0.05)
    assert (row.status, row.reason) == ("timeout", "no answer within 0.05 s")


def test_a_time_limit_in_another_thread_is_refused():
    found = []

    def work():
        try:
            with time_limit(1):
                found.append("taken")
        except UnsupportedError as error:
            found.append(str(error))

    thread = threading.Thread(target=work)
    thread.start()
    thread.join()
    assert "main thread" in found[0]


def test_a_job_that_takes_too_long_is_a_row(tmp_path):
    begin = time.monotonic()
    done = certify.sweep("nmax", file=tmp_path / "a.sqlite", jobs=1, time_limit="0.3", **SLOW)
    assert done.statuses == {"timeout": 1}
    assert time.monotonic() - begin < 20
    with certify.results(tmp_path / "a.sqlite") as answers:
        (row,) = answers.rows()
    assert row["reason"] == "no answer within 0.3 s"


@pytest.mark.parametrize("limit", [0, -1, "soon", "1e9", True])
def test_time_limits_that_are_refused(tmp_path, limit):
    with pytest.raises(InputError, match="time_limit"):
        certify.sweep("nmax", file=tmp_path / "a.sqlite", time_limit=limit, g=1, C=1)


def test_a_worker_returns_when_its_budget_is_used_up():
    jobs = [job.text for job in Plan.of("nmax", {"g": 1, "C": "1:20:20"}).jobs()]
    number, rows = run_chunk(7, jobs, None, 0.0, False)
    assert (number, len(rows)) == (7, 1)
    assert len(run_chunk(7, jobs, None, 60.0, False)[1]) == 20


# Workers that die.


def test_the_jobs_that_end_their_workers_are_rows_and_every_other_is_done(monkeypatch):
    parent = os.getpid()

    def deadly(number, jobs, limit, budget, apart):
        assert os.getpid() != parent
        assert signal.SIGINT in signal.pthread_sigmask(signal.SIG_BLOCK, ())  # from the first instruction on
        if any('"C":"13"' in text for text in jobs):
            os.kill(os.getpid(), signal.SIGKILL)
        if any('"C":"14"' in text for text in jobs):
            stuck.STUCK = 0.2
            with stuck.end_if_stuck(limit if apart else None):
                sum(range(10**12))  # C, which looks at no signal
        return run_chunk(number, jobs, limit, budget, apart)

    monkeypatch.setattr("certify.sweeping.dispatch.STUCK", 0.2)
    jobs = list(Plan.of("nmax", {"g": 1, "C": "13:24:12"}).jobs())
    with backend(2, None) as chosen:
        rows = [pair for batch in Dispatch(jobs, chosen, 0.3, deadly).rows() for pair in batch]
    assert sorted(job.id for job, _ in rows) == sorted(job.id for job in jobs)
    failed = {job.parameters["C"]: row for job, row in rows if row.status != "ok"}
    assert {C: row.status for C, row in failed.items()} == {"13": "error", "14": "timeout"}
    assert "died" in failed["13"].reason
    assert failed["14"].reason.startswith("no answer within 0.3 s: compiled code did not come back")
    assert issubclass(TerminatedWorkerError, chosen.crashes)


def test_a_scheduler_that_is_not_there(tmp_path, monkeypatch):
    pytest.importorskip("distributed")
    monkeypatch.setattr("certify.sweeping.cluster._CONNECT", 0.5)
    begin = time.monotonic()
    for address in ("tcp://127.0.0.1:9", "nonsense", "ftp://127.0.0.1:9", ""):
        with pytest.raises(InputError, match="scheduler"):
            certify.sweep("nmax", file=tmp_path / "a.sqlite", g=1, C=1, scheduler=address)
    assert time.monotonic() - begin < 20
    with pytest.raises(InputError, match="jobs"):
        certify.sweep("nmax", file=tmp_path / "a.sqlite", g=1, C=1, jobs=2, scheduler="tcp://127.0.0.1:9")


def test_a_scheduler_without_dask(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "distributed", None)
    with pytest.raises(UnsupportedError, match=r"fpcert\[dask\]"):
        certify.sweep("nmax", file=tmp_path / "a.sqlite", g=1, C=1, scheduler="tcp://127.0.0.1:9")


@pytest.mark.parametrize("jobs", [0, -1, 1.5, "two"])
def test_numbers_of_jobs_that_are_refused(tmp_path, jobs):
    with pytest.raises(InputError, match="jobs"):
        certify.sweep("nmax", file=tmp_path / "a.sqlite", g=1, C=1, jobs=jobs)


def test_other_arguments_that_are_refused(tmp_path):
    file = tmp_path / "a.sqlite"
    plan = Plan.of("nmax", {"g": 1, "C": 1})
    with pytest.raises(InputError, match="retry"):
        certify.sweep("nmax", file=file, g=1, C=1, retry=["ok"])
    with pytest.raises(InputError, match="plan"):
        certify.sweep(plan=plan, file=file, g=1)
    with pytest.raises(InputError, match="question"):
        certify.sweep("period", plan=plan, file=file)
    assert not Path(file).exists()


def test_a_real_cluster_finds_the_same(alone, tmp_path):
    distributed = pytest.importorskip("distributed")
    import dask

    def deadly(number, jobs, *given):
        if any('"C":"2"' in text for text in jobs):
            os.kill(os.getpid(), signal.SIGKILL)
        return run_chunk(number, jobs, *given)

    file, _ = alone
    with (
        dask.config.set({"distributed.scheduler.allowed-failures": 0}),
        distributed.LocalCluster(
            n_workers=2,
            threads_per_worker=1,
            host="127.0.0.1",
            silence_logs=logging.CRITICAL,
            dashboard_address=":0",
            scheduler_kwargs={"dashboard": False},
        ) as cluster,
    ):
        address = cluster.scheduler_address
        done = certify.sweep("nmax", file=tmp_path / "a.sqlite", scheduler=address, **AXES)
        assert (done.done, done.statuses) == (64, {"ok": 64})
        with pytest.raises(UnsupportedError, match="threads"):
            certify.sweep("nmax", file=tmp_path / "b.sqlite", scheduler=address, time_limit="0.5", **SLOW)
        jobs = list(Plan.of("nmax", {"g": 1, "C": "1:4:4"}).jobs())
        with backend(None, address) as chosen:
            rows = [pair for batch in Dispatch(jobs, chosen, None, deadly).rows() for pair in batch]
    assert sorted((job.parameters["C"], row.status) for job, row in rows) == [
        ("1", "ok"), ("2", "error"), ("3", "ok"), ("4", "ok")
    ]  # fmt: skip
    assert without_times(tmp_path / "a.sqlite") == without_times(file)


def test_a_row_of_period_names_the_first_collision_and_where_it_leaves(tmp_path):
    file = tmp_path / "a.sqlite"
    certify.sweep("period", file=file, theta=["1", "0.01"], dtype="fp16", realize="recurrence", jobs=1)
    certify.sweep("period", file=file, base="1e4", dim=128, dtype="bf16", pipeline="all-bf16", jobs=1)
    with certify.results(file) as answers:
        rows = list(answers.rows(columns="first_collision,leaves_F_at,realize"))
    asked = [
        {"theta": "1", "dtype": "fp16", "realize": "recurrence"},
        {"theta": "0.01", "dtype": "fp16", "realize": "recurrence"},
        {"base": "1e4", "dim": 128, "dtype": "bf16", "pipeline": "all-bf16"},
    ]
    for row, parameters in zip(rows, asked, strict=True):
        parts = certify.period(**parameters).to_json()["components"]
        collisions = [part["first_collision"][1] for part in parts if part["first_collision"] is not None]
        leaving = [part["leaves_F_at"] for part in parts if part["leaves_F_at"] is not None]
        assert row["first_collision"] == min(collisions, default=None)
        assert row["leaves_F_at"] == (str(min(leaving)) if parameters.get("pipeline") else min(leaving, default=None))
        assert row["realize"] == parameters.get("realize")
