"""`fpcert results`: filters that are exact and cannot be more than filters, and the four formats."""

import csv
import io
import itertools
import json
import operator
import sqlite3
import sys
from contextlib import closing

import pytest
from gmpy2 import mpq
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

import certify
from certify.sweeping.answers import Answers
from certify.sweeping.columns import order
from certify.sweeping.plan import Plan
from certify.sweeping.store import Store
from certify.sweeping.work import Row
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_number

# Neighbours that binary64 does not tell apart, and numbers beyond its range.
SCALES = [
    "1/3",
    "0.3333333333333333148",
    "0.333333333333333314829616256247390992939472198486328125",
    "0.1",
    "40",
    "9007199254740993",
    "9007199254740992",
    "1e400",
    "1e401",
    "1e-400",
]
ANGLES = ["1", "pi/7", "2pi*3/7", "3.14159265358979323846", "pi", "-1"]


@pytest.fixture(scope="module")
def file(tmp_path_factory):
    """Results that nothing computed: what they say is known."""
    path = tmp_path_factory.mktemp("made") / "made.sqlite"
    plan = Plan.of("nmax", {"dtype": "fp16,bf16", "g": ANGLES, "C": SCALES, "k": "1,2"})
    statuses = itertools.cycle(["ok", "ok", "undecided", "error"])
    with Store(path) as store:
        rows = []
        for number, job in enumerate(plan.jobs()):
            status = next(statuses)
            values = (
                {} if status == "error" else {"n_max": number, "lower": number, "upper": number, "usable": number > 9}
            )
            reason = "a'; DROP TABLE results; --" if status == "error" else None
            answer = json.dumps({"n_max": number})
            rows.append((job, Row(status, reason, values, answer, number / 1000, "2026-01-01T00:00:00.000Z", "made")))
        store.add(rows)
    return path


@pytest.fixture(scope="module")
def rows(file):
    with certify.results(file) as answers:
        return list(answers.rows(columns="dtype,g,C,k,status,n_max,usable,reason,seconds"))


OPERATORS = {
    "=": operator.eq,
    "!=": operator.ne,
    "<": operator.lt,
    "<=": operator.le,
    ">": operator.gt,
    ">=": operator.ge,
}


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=150)
@given(
    sign=st.sampled_from(sorted(OPERATORS)),
    value=st.sampled_from([*SCALES, "0.3333333333333333", "1e399", "-1", "0x1p53"]),
)
def test_numbers_are_compared_exactly(file, rows, sign, value):
    expected = [row for row in rows if OPERATORS[sign](parse_number(row["C"]), parse_number(value))]
    with certify.results(file) as answers:
        assert [row["C"] for row in answers.rows(f"C{sign}{value}")] == [row["C"] for row in expected]


@pytest.mark.parametrize("sign", sorted(OPERATORS))
@pytest.mark.parametrize("value", [*ANGLES, "6/7*pi", "3.1415926535897932384626433832795", "0"])
def test_angles_are_compared_exactly(file, rows, sign, value):
    def side(text):  # an oracle of its own: 400 bits tell all of these apart
        return Angle.parse(text).enclose(400)[0]

    expected = [row["g"] for row in rows if OPERATORS[sign](side(row["g"]), side(value))]
    with certify.results(file) as answers:
        assert [row["g"] for row in answers.rows(f"g {sign} {value}")] == expected


@given(a=st.fractions(), b=st.fractions())
def test_the_exact_order(a, b):
    assert order(str(a), str(b)) == (mpq(a) > mpq(b)) - (mpq(a) < mpq(b))


@pytest.mark.parametrize(
    ("where", "keep"),
    [
        ("dtype=fp16", lambda r: r["dtype"] == "fp16"),
        ("status!=ok", lambda r: r["status"] != "ok"),
        ("status=undecided|error", lambda r: r["status"] in ("undecided", "error")),
        ("status!=undecided|error", lambda r: r["status"] == "ok"),
        ("n_max>100", lambda r: r["n_max"] is not None and r["n_max"] > 100),
        ("n_max=null", lambda r: r["n_max"] is None),
        ("n_max!=null", lambda r: r["n_max"] is not None),
        ("n_max!=5", lambda r: r["n_max"] != 5),
        ("n_max=5|null", lambda r: r["n_max"] in (5, None)),
        ("n_max!=5|null", lambda r: r["n_max"] not in (5, None)),
        ("n_max!=5|6", lambda r: r["n_max"] not in (5, 6)),
        ("usable=true", lambda r: r["usable"] is True),
        ("usable != yes", lambda r: r["usable"] is not True),
        ("k==2 AND dtype<>fp16", lambda r: r["k"] == 2 and r["dtype"] != "fp16"),
        ("reason~DROP TABLE", lambda r: r["reason"] is not None),
        ("reason~%", lambda r: False),
        ("status='ok'", lambda r: r["status"] == "ok"),
        ('reason="a\'; DROP TABLE results; --" and k=1', lambda r: r["reason"] is not None and r["k"] == 1),
        ("reason~'a''; DROP'|x", lambda r: False),  # no text is searched for as one of several
        ("reason='x and k=1'|\"a'; DROP TABLE results; --\"", lambda r: r["reason"] is not None),
        ("reason!=' and '", lambda r: True),
        ("reason='null'|'a|b'", lambda r: False),
        ("reason~ '; DROP ' and k=2", lambda r: r["reason"] is not None and r["k"] == 2),
        ("seconds<0.01", lambda r: r["seconds"] < 0.01),
        ("dtype>bf16", lambda r: r["dtype"] > "bf16"),
        (["k=1", "n_max<50"], lambda r: r["k"] == 1 and r["n_max"] is not None and r["n_max"] < 50),
        ([], lambda r: True),
    ],
)
def test_filters(file, rows, where, keep):
    expected = [row for row in rows if keep(row)]
    with certify.results(file) as answers:
        assert list(answers.rows(where, columns="dtype,g,C,k,status,n_max,usable,reason,seconds")) == expected
        assert answers.count(where) == len(expected)


@pytest.mark.parametrize(
    "text",
    [
        "status=ok'; DROP TABLE results; --",
        'status=ok" OR 1=1 --',
        "reason~' OR '1'='1",
        "dtype=fp16|' UNION SELECT job FROM details --",
        "status=\x00",
        "status=ok) OR (1",
    ],
)
def test_values_are_never_statements(file, fpcert, text):
    before = file.read_bytes()
    outcome = fpcert("results", str(file), "--where", text, "--json")
    assert outcome.code == 0
    assert json.loads(outcome.out)["count"] == (120 if "fp16|" in text else 0)
    assert file.read_bytes() == before


@pytest.mark.parametrize(
    "arguments",
    [
        ("--where", "status"),
        ("--where", "1=1"),
        ("--where", "(status)=ok"),
        ("--where", 'status" OR "1=1'),
        ("--where", "number=1"),
        ("--where", "n_max_near=1"),
        ("--where", "n_max>many"),
        ("--where", "n_max>null"),
        ("--where", "n_max~1"),
        ("--where", "usable>true"),
        ("--where", "usable=maybe"),
        ("--where", "seconds<soon"),
        ("--where", "C=1/0"),
        ("--where", ""),
        ("--columns", "dtype,nonsense"),
        ("--columns", "dtype; DROP TABLE results"),
        ("--columns", ""),
        ("--sort", "n_max DESC"),
        ("--sort", "1,(SELECT 1)"),
        ("--limit", "-1"),
        ("--limit", "1; DROP TABLE results"),
        ("--format", "xml"),
        ("--format", "parquet"),
        ("--details",),
    ],
)
def test_what_is_refused(file, fpcert, arguments):
    outcome = fpcert("results", str(file), *arguments)
    assert (outcome.code, outcome.out) == (2, "")
    assert "Traceback" not in outcome.err


def test_sorting_with_absent_values_last(file):
    with certify.results(file) as answers:
        found = [row["n_max"] for row in answers.rows(columns="n_max", sort="-n_max")]
        first = [(row["dtype"], row["C"]) for row in answers.rows(columns="dtype,C", sort=["dtype", "-C"], limit=13)]
    known = [n for n in found if n is not None]
    assert known == sorted(known, reverse=True)
    assert found[len(known) :] == [None] * (len(found) - len(known))
    assert {dtype for dtype, _ in first} == {"bf16"}
    assert {parse_number(C) for _, C in first} == {mpq(10) ** 400, mpq(10) ** 401}


def test_numbers_that_binary64_takes_for_the_same_are_sorted_exactly(file):
    with certify.results(file) as answers:
        for sign in ("", "-"):
            for name, exact in (("C", parse_number), ("g", lambda text: Angle.parse(text).enclose(200)[0])):
                found = [exact(row[name]) for row in answers.rows(columns=name, sort=sign + name, exact=True)]
                assert found == sorted(found, reverse=sign == "-")
        low, high = answers.rows(
            "k=1 and g=1 and dtype=fp16 and C>=9007199254740992 and C<1e30", sort="-C", columns="C"
        )
    assert (low["C"], high["C"]) == ("9007199254740993", 9007199254740992)


def test_the_table(file, fpcert):
    outcome = fpcert("results", str(file), "--where", "dtype=fp16", "--where", "g=pi/7 and k=1 and status=ok")
    assert (outcome.code, outcome.err) == (0, "")
    lines = outcome.out.splitlines()
    assert lines[0].startswith("in every row: question nmax, dtype fp16, g 1/7*pi, k 1, ")
    assert lines[2].split() == ["C", "n_max", "seconds"]
    assert lines[-1] == f"{len(lines) - 5} rows"
    assert fpcert("results", str(file), "--where", "dtype=none").out == "0 rows\n"
    few = fpcert("results", str(file), "--columns", "k,reason", "--where", "status=error", "--limit", "1").out
    assert few.splitlines() == ["k  reason", "2  a'; DROP TABLE results; --", "", "1 of 60 rows"]


def test_csv_is_exact(file, fpcert, rows, tmp_path):
    text = fpcert("results", str(file), "--format", "csv", "--columns", "g,C,n_max,usable,reason").out
    read = list(csv.DictReader(io.StringIO(text)))
    assert len(read) == len(rows)
    for cells, row in zip(read, rows, strict=True):
        assert parse_number(cells["C"]) == parse_number(row["C"])
        assert cells["n_max"] == ("" if row["n_max"] is None else str(row["n_max"]))
        assert cells["usable"] == {True: "true", False: "false", None: ""}[row["usable"]]
        assert cells["reason"] == (row["reason"] or "")
    fpcert(
        "results", str(file), "--format", "csv", "--columns", "g,C,n_max,usable,reason", "-o", str(tmp_path / "a.csv")
    )
    assert (tmp_path / "a.csv").read_text() == text


def test_json_with_details(file, fpcert):
    shown = json.loads(fpcert("results", str(file), "--json", "--where", "n_max<=1", "--details").out)
    assert shown["count"] == 2
    assert [row["answer"] for row in shown["results"]] == [{"n_max": 0}, {"n_max": 1}]
    assert shown["results"][0]["job"]["parameters"]["C"] == "1/3"
    assert shown["results"][0]["C"] == "1/3"  # binary64 does not have it
    limited = json.loads(fpcert("results", str(file), "--json", "--limit", "1").out)
    assert (limited["count"], len(limited["results"])) == (240, 1)


def test_a_dataframe(file):
    pytest.importorskip("pandas")
    with certify.results(file) as answers:
        frame = answers.to_dataframe("dtype=fp16", columns="dtype,C,n_max,usable,seconds", sort="n_max")
        assert list(frame.columns) == ["dtype", "C", "C_exact", "n_max", "usable", "seconds"]
        assert [str(kind) for kind in frame.dtypes][1:] == ["float64", "string", "Int64", "boolean", "float64"]
        assert frame["n_max"].max() == 118
        assert frame["n_max"].isna().sum() == 30
        assert frame["C"][0] == 1 / 3
        assert frame["C_exact"][0] == "1/3"
        assert len(answers.to_dataframe("dtype=none")) == 0
        assert "id" in answers.to_dataframe(limit=3).columns


def test_parquet(file, fpcert, tmp_path):
    pytest.importorskip("pyarrow")
    pandas = pytest.importorskip("pandas")
    outcome = fpcert(
        "results", str(file), "--format", "parquet", "--where", "status=ok", "-o", str(tmp_path / "a.parquet")
    )
    assert (outcome.code, outcome.out) == (0, "")
    assert outcome.err == f"120 rows written to {tmp_path / 'a.parquet'}\n"
    frame = pandas.read_parquet(tmp_path / "a.parquet")
    assert len(frame) == 120
    assert set(frame["status"]) == {"ok"}


@pytest.mark.parametrize("missing", ["pandas"])
def test_what_to_install_without_pandas(file, monkeypatch, missing):
    monkeypatch.setitem(sys.modules, missing, None)
    with certify.results(file) as answers, pytest.raises(UnsupportedError, match=r"fpcert\[data\]"):
        answers.to_dataframe()


def test_whole_numbers_beyond_64_bits(tmp_path):
    pandas = pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    file = tmp_path / "a.sqlite"
    numbers = [7, 2**63, 10**30, 10**400, 2**3000]
    jobs = Plan.of("nmax", {"g": 1, "C": "1:5:5"}).jobs()
    with Store(file) as store:
        store.add((job, Row("ok", None, {"n_max": n}, None, 0.0, "", "")) for job, n in zip(jobs, numbers, strict=True))
    with certify.results(file) as answers:
        assert answers.to_dataframe(sort="n_max")["n_max"].tolist() == sorted(numbers)
        assert [answers.count(f"n_max={n}") for n in numbers] == [1] * 5
        answers.write_parquet(tmp_path / "a.parquet")
    assert pandas.read_parquet(tmp_path / "a.parquet")["n_max"].tolist() == [str(n) for n in numbers]


def test_a_name_in_a_row_cannot_command_a_terminal(tmp_path, fpcert):
    file = tmp_path / "a.sqlite"
    (job,) = Plan.of("nmax", {"g": 1, "C": 1}).jobs()
    with Store(file) as store:
        store.add([(job, Row("error", "\x1b[31mred\nline", {}, None, 0.0, "", ""))])
    out = fpcert("results", str(file), "--columns", "reason").out
    assert out.splitlines()[1] == "\\x1b[31mred\\nline"


def test_reading_changes_nothing(file, fpcert):
    before = sorted(path.name for path in file.parent.iterdir())
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)
    fpcert("results", str(file))
    assert sorted(path.name for path in file.parent.iterdir()) == before


def test_a_limited_table_says_what_it_speaks_of(file, fpcert):
    lines = fpcert("results", str(file), "--limit", "2").out.splitlines()
    assert lines[0].startswith("in the rows shown: question nmax, dtype fp16, ")
    assert lines[-1] == "2 of 240 rows"


def test_a_closed_file_of_another_kind(tmp_path, fpcert):
    (tmp_path / "a.csv").write_text("dtype\n")
    outcome = fpcert("results", str(tmp_path / "a.csv"))
    assert outcome.code == 2
    assert "no SQLite database" in outcome.err
    with pytest.raises(InputError):
        certify.results(tmp_path / "absent")


def test_count_and_rows_are_of_one_moment_also_while_a_sweep_writes(tmp_path, fpcert, monkeypatch):
    path = tmp_path / "a.sqlite"
    jobs = list(Plan.of("nmax", {"g": "1", "C": "1:20:20"}).jobs())
    row = Row("ok", None, {"n_max": 7}, "{}", 0.0, "", "")
    with Store(path) as store:
        store.add((job, row) for job in jobs[:3])
        counted, later = Answers.count, iter(jobs[3:])

        def count(answers, where=None):
            store.add([(next(later), row)])
            return counted(answers, where)

        monkeypatch.setattr(Answers, "count", count)
        shown = json.loads(fpcert("results", str(path), "--json", "--limit", "2").out)
        assert (shown["count"], len(shown["results"])) == (3, 2)
        assert fpcert("results", str(path), "--limit", "3").out.splitlines()[-1] == "3 of 4 rows"
        page = tmp_path / "a.html"
        rows = json.loads(fpcert("report", str(path), "--json", "-o", str(page)).out)["rows"]
        assert f"{rows} rows" in page.read_text()
