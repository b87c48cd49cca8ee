"""`fpcert sweep`: axes and plans from the command line, the summary, and how it ends."""

import json
import os
import signal
import subprocess
import sys

import pytest

import certify
from certify.sweeping.plan_file import EXAMPLE

pty = pytest.importorskip("pty", reason="needs a terminal to look at")

GRID = ("nmax", "--dtype", "fp16,bf16", "--g", "1.0,pi/7", "--C", "10:40:4", "--k", "1,2")


def test_a_grid_its_summary_and_what_goes_on(fpcert, tmp_path):
    file = str(tmp_path / "a.sqlite")
    first = fpcert("sweep", *GRID, "--jobs", "1", "-o", file)
    assert (first.code, first.err) == (0, "")
    assert first.out.startswith(f"nmax: 32 jobs, 0 already in {file}, 32 done now in ")
    assert "  ok           32\n" in first.out
    again = fpcert("sweep", *GRID, "--jobs", "1", "-o", file, "--json")
    shown = json.loads(again.out)
    assert again.code == 0
    assert (shown["jobs"], shown["before"], shown["done"], shown["left"]) == (32, 32, 0, 0)
    assert shown["statuses"] == {"ok": 32}
    assert list(shown) == sorted(shown)


def test_it_is_a_thin_layer(fpcert, tmp_path):
    fpcert("sweep", *GRID, "--jobs", "1", "-o", str(tmp_path / "a.sqlite"))
    certify.sweep(
        "nmax", file=tmp_path / "b.sqlite", jobs=1, dtype=["fp16", "bf16"], g="1.0,pi/7", C="10:40:4", k="1,2"
    )
    ids = []
    for name in ("a", "b"):
        with certify.results(tmp_path / f"{name}.sqlite") as answers:
            ids.append(sorted(row["id"] for row in answers.rows(columns="id")))
    assert ids[0] == ids[1]


def test_a_dry_run_does_nothing(fpcert, tmp_path):
    outcome = fpcert("sweep", "--plan", str(EXAMPLE), "-o", str(tmp_path / "a.sqlite"), "--dry-run", "--json")
    shown = json.loads(outcome.out)
    assert (outcome.code, shown["jobs"], shown["axes"]["k"]) == (0, 1200, [1, 2])
    assert list(tmp_path.iterdir()) == []
    text = fpcert("sweep", *GRID, "--dry-run")
    assert "nmax: 32 jobs\n" in text.out
    assert "  C      10, 20, 30, 40\n" in text.out


def test_a_plan_and_its_time_limit(fpcert, tmp_path):
    plan = tmp_path / "plan.toml"
    plan.write_text('question = "period"\ntime_limit = 60\n[axes]\ntheta = ["1", "2pi*3/7, 2pi/5"]\ndtype = "bf16"\n')
    outcome = fpcert("sweep", "period", "--plan", str(plan), "-o", str(tmp_path / "a.sqlite"), "--jobs", "1", "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out)["statuses"] == {"ok": 2}


def test_several_heads_of_many_pairs(fpcert, tmp_path):
    file = str(tmp_path / "a.sqlite")
    fpcert("sweep", "nmax", "--theta", "1.0,0.1", "--theta", "1.0", "--C", "400", "-o", file, "--jobs", "1")
    shown = json.loads(fpcert("results", file, "--json", "--columns", "theta,n_max", "--sort", "theta").out)
    assert shown["results"] == [
        {"theta": "1", "n_max": certify.nmax(theta="1.0", C=400).n_max},
        {"theta": "1, 0.1", "n_max": 62},
    ]


@pytest.mark.parametrize(
    ("arguments", "named"),
    [
        (("-o", "a.sqlite"), "Give a question"),
        ((*GRID,), "-o FILE"),
        (("nmx", "--g", "1", "-o", "a.sqlite"), "nmax, period, modulus"),
        (("nmax", "--g", "1", "-o", "a.sqlite"), "C: cannot take nothing"),
        (("nmax", "--g", "1", "--C", "", "-o", "a.sqlite"), "C: cannot take an empty axis"),
        (("nmax", "--g", "1", "--C", "1:2", "-o", "a.sqlite"), "lo:hi:n"),
        (("period", "--g", "1", "-o", "a.sqlite"), "g"),
        ((*GRID, "-o", "a.sqlite", "--retry", "ok"), "retry"),
        ((*GRID, "-o", "a.sqlite", "--jobs", "0"), "jobs"),
        ((*GRID, "-o", "a.sqlite", "--time-limit", "0"), "time_limit"),
        ((*GRID, "--plan", "plan.toml", "-o", "a.sqlite"), "plan"),
        (("--plan", "absent.toml", "-o", "a.sqlite"), "plan"),
        ((*GRID, "-o", "absent/a.sqlite"), "does not"),
    ],
)
def test_usage_errors_do_nothing(fpcert, tmp_path, monkeypatch, arguments, named):
    monkeypatch.chdir(tmp_path)
    outcome = fpcert("sweep", *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert named in outcome.err
    assert list(tmp_path.iterdir()) == []


def start(tmp_path, **options):
    return subprocess.Popen(
        [
            sys.executable, "-c", "import fpcert.progress as p, sys; p.DELAY = 0.2; from fpcert.main import main; sys.exit(main())",
            "sweep", "nmax", "--g", "0.001:3:3000", "--C", "10,100", "--jobs", "1", "-o", str(tmp_path / "a.sqlite"),
        ],
        stdout=subprocess.PIPE, text=True, **options,
    )  # fmt: skip


def test_a_terminal_shows_progress_and_ctrl_c_keeps_what_is_done(tmp_path):
    ours, theirs = pty.openpty()
    child = start(tmp_path, stderr=theirs, env=os.environ | {"TERM": "xterm-256color", "COLUMNS": "100"})
    os.close(theirs)
    shown = b""
    while b"/s" not in shown or b"0:0" not in shown:  # the rate, and the time that is left
        shown += os.read(ours, 4096)
    child.send_signal(signal.SIGINT)
    out, _ = child.communicate(timeout=60)
    os.close(ours)
    assert b"/6000" in shown
    assert child.returncode == 130
    assert "left: interrupted; the same command goes on from here" in out
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert f"{answers.count():,} done now" in out


def test_no_terminal_no_progress(tmp_path):
    child = start(tmp_path, stderr=subprocess.PIPE)
    with pytest.raises(subprocess.TimeoutExpired):
        child.wait(timeout=1.2)
    child.send_signal(signal.SIGINT)
    assert child.communicate(timeout=60)[1] == ""
