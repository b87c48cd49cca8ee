"""The corpus: true certificates are verified, false and hostile files are not, each with the verdict that is right."""

import json
import re
import resource
import subprocess
import sys
import time
from pathlib import Path

import pytest

import certify
from certify.checker import EXIT_CODES, check_bytes

CORPUS = Path(__file__).parents[1] / "certificates"
GOOD = sorted(path.stem for path in (CORPUS / "good").glob("*.json"))
BAD = sorted(path.stem for path in (CORPUS / "bad").glob("*.json"))
SLOW = {"period-recurrence-leaves-F-fp16-0.01"}  # 221445 states, one by one
LAST = re.compile(r"verdict=([a-z-]+) file=(\S+) sha256=([0-9a-f]{64}) obligations=([0-9]+)")
MEMORY = 256 << 20
SECONDS = 2


def slow_ones_later(names):
    return [pytest.param(name, marks=pytest.mark.exhaustive) if name in SLOW else name for name in names]


def test_there_are_enough():
    assert len(GOOD) >= 40
    assert len(BAD) >= 80
    assert {name.partition("-")[0] for name in BAD} == {"refuted", "malformed", "undecided", "unsupported"}


@pytest.mark.parametrize("name", slow_ones_later(GOOD))
def test_true_certificates_are_verified(name, corpus):
    data = corpus.good[name]
    report = check_bytes(data, name=name)
    assert report.verdict == "verified", str(report)
    assert report.exit_code == 0
    assert report.obligations >= 1
    assert len(data) < 4096
    last = LAST.fullmatch(report.lines[-1])
    assert last is not None
    assert last.groups() == ("verified", name, report.sha256, str(report.obligations))
    assert report.lines[1].startswith("claim (semantics 1): ")


@pytest.mark.parametrize("name", BAD)
def test_other_files_get_the_verdict_of_their_name(name, corpus):
    report = check_bytes(corpus.bad[name], name=name)
    verdict = name.partition("-")[0]
    assert report.verdict == verdict, str(report)
    assert report.exit_code == EXIT_CODES[verdict]
    assert report.lines[-2].startswith(f"{verdict}: ")
    assert LAST.fullmatch(report.lines[-1])


@pytest.mark.exhaustive
@pytest.mark.parametrize("truth", [True, False])
def test_the_producer_says_the_same(truth, corpus):
    """The words `true` and `false` about the corpus come from the other code too."""
    claims = corpus.good if truth else {name: data for name, data in corpus.bad.items() if name.startswith("refuted")}
    for name, data in claims.items():
        assert corpus.oracle.truth(json.loads(data)["claim"]) is truth, name


def test_bad_files_are_those_of_the_generator(corpus):
    assert corpus.bad_files.bad_files(corpus.good) == corpus.bad


@pytest.mark.parametrize(
    "kind", ["flarge", "language", "period-table", "period-pipeline", pytest.param("", marks=pytest.mark.exhaustive)]
)
def test_good_files_are_those_of_the_generator(kind, corpus):
    made = corpus.good_claims.good_certificates(kind)
    assert made == {name: data for name, data in corpus.good.items() if kind in name}


def test_every_kind_realization_mode_and_policy_is_there(corpus):
    claims = [json.loads(data)["claim"] for data in corpus.good.values()]
    text = json.dumps(claims)
    for word in (
        *("flarge", "language", "nmax", "nmax-range", "period", "LTL[P]", "LTL[P,MOD]", "star_free"),
        *("ideal", "table", "phase", "counter", "recurrence"),
        *("even", "away", "zero", "up", "down", "odd"),
        *("inf", "saturate", "nan", "float", "fixed", "grid", "gap", "weight"),
        *("sequential", "reverse", "pairwise", "periodic", "non-periodic"),
        *("exact", "angle", "inverse", "round", "mul", "div", "pow", "exp", "log"),
    ):
        assert f'"{word}"' in text, word
    reasons = {json.loads(data)["hints"].get("because") for data in corpus.good.values()}
    assert reasons == {"finite-table", "irrational-angle", "eventually-constant", "state-cycle", "left-F", None}


# -- hostile files --------------------------------------------------------------------------------------------------


def check_limited(seconds, *files):
    """The checker alone in a process of its own, with that much memory and time: what a wary reader would do."""

    def limit():
        resource.setrlimit(resource.RLIMIT_AS, (MEMORY, MEMORY))
        resource.setrlimit(resource.RLIMIT_CPU, (seconds, seconds + 1))

    checker = Path(certify.__file__).parent / "checker"
    done = subprocess.run(
        [sys.executable, "-I", checker, *files],
        check=False,
        capture_output=True,
        text=True,
        preexec_fn=limit,
        timeout=600,
    )
    assert done.stderr == "", done.stderr[-500:]
    last = [found for line in done.stdout.splitlines() if (found := LAST.fullmatch(line))]
    assert len(last) == len(files), f"exit code {done.returncode} after {len(last)} files"
    return done.returncode, [found[1] for found in last]


def test_hostile_files_are_refused(corpus, tmp_path):
    """All of them in one process of 256 MB, in the time that a few would be allowed."""
    files, right = [], []
    for n, (_, data, verdicts) in enumerate(corpus.hostile.hostile_files()):
        files.append(tmp_path / f"{n}.json")
        files[-1].write_bytes(data)
        right.append(verdicts)
    assert len(files) > 50
    code, found = check_limited(10 * SECONDS, *files)
    assert [verdict in verdicts for verdict, verdicts in zip(found, right)] == [True] * len(files)
    assert code == EXIT_CODES["refuted"]  # the worst of them


@pytest.mark.exhaustive
def test_each_hostile_file_is_refused_in_2_seconds_and_256_mb(corpus, tmp_path):
    for name, data, verdicts in corpus.hostile.hostile_files():
        (tmp_path / "hostile.json").write_bytes(data)
        code, found = check_limited(SECONDS, tmp_path / "hostile.json")
        assert found[0] in verdicts, name
        assert code == EXIT_CODES[found[0]], name


@pytest.mark.parametrize("name", ["undecided-recurrence-of-10-to-15-steps", "undecided-recurrence-fp64-leaves-far-out"])
def test_work_is_refused_before_it_begins(name, corpus):
    begin = time.process_time()
    assert check_bytes(corpus.bad[name]).verdict == "undecided"
    assert time.process_time() - begin < 0.5


def test_more_work_decides_more(corpus):
    data = corpus.good["nmax-fp16-g1-C1e4"]
    verdicts = [check_bytes(data, work).verdict for work in (1, 10, 100, 1000, 10_000)]
    assert verdicts == sorted(verdicts, key=["undecided", "verified"].index)
    assert verdicts[0] == "undecided"
    assert verdicts[-1] == "verified"
