"""Results files that are truncated, damaged, of another kind or on a full disk."""

import json
import os
import random
import shutil
import sqlite3
import warnings
import zlib
from contextlib import closing

import pytest

import certify
from certify.sweeping import blocks, row_reader, verified
from certify.sweeping import store as store_module
from certify.sweeping.database import APPLICATION, SCHEMA
from certify.sweeping.job import Job
from certify.sweeping.plan import Plan
from certify.sweeping.store import Store
from certify.sweeping.work import Row, run_job
from fpsim.errors import FpcertError, InputError

AXES = {"dtype": "fp16,bf16", "g": "1.0,pi/7", "C": "log:10:60000:8", "k": "1,2"}


@pytest.fixture(scope="module")
def alone(tmp_path_factory):
    """A file with 64 rows."""
    file = tmp_path_factory.mktemp("alone") / "results.sqlite"
    certify.sweep("nmax", file=file, jobs=1, **AXES)
    return file


def one_row(C="40"):
    job = next(Plan.of("nmax", {"g": 1, "C": C}).jobs())
    return job, run_job(job)


def test_a_truncated_file_is_refused_and_left_as_it_is(alone, tmp_path):
    whole = alone.read_bytes()
    file = tmp_path / "a.sqlite"
    for length in (1, 50, 99, 100, 1000, 4096, 4097, len(whole) // 2, len(whole) - 4096, len(whole) - 1):
        file.write_bytes(whole[:length])
        for use in (lambda: certify.sweep("nmax", file=file, jobs=1, **AXES), lambda: certify.results(file).count()):
            with pytest.raises(FpcertError, match=r"results file.*(missing|no SQLite)"):
                use()
        assert file.read_bytes() == whole[:length]


def test_damaged_pages_are_reported(alone, tmp_path):
    data = bytearray(alone.read_bytes())
    data[8192:] = b"\xa5" * (len(data) - 8192)
    (tmp_path / "a.sqlite").write_bytes(data)
    with pytest.raises(InputError, match="damaged"):
        certify.sweep("nmax", file=tmp_path / "a.sqlite", jobs=1, **AXES)


def test_other_tables_are_another_version(tmp_path):
    with Store(tmp_path / "a.sqlite") as store:
        query = "SELECT sql FROM sqlite_schema WHERE sql IS NOT NULL ORDER BY name"
        tables = store.connection.execute(query).fetchall()
    # A change of the tables: SCHEMA one more, then the new number.
    assert (SCHEMA, zlib.crc32(repr(tables).encode())) == (5, 2779497915)


def test_an_entry_that_was_changed_is_never_shown(alone, tmp_path):
    file = tmp_path / "a.sqlite"
    for change in ("n_max = n_max + 1", "dtype = 'fp32'", "C_near = 1", "piece = 2", "id = x'00'"):
        shutil.copy(alone, file)
        with closing(sqlite3.connect(file)) as connection, connection:
            connection.execute(f"UPDATE results SET {change} WHERE number = 40")
        with certify.results(file) as answers:
            assert len(list(answers.rows(limit=39))) == 39
            for use in (answers.rows, answers.to_dataframe, lambda a=answers: a.numbers("C", "n_max", "dtype")):
                with pytest.raises(InputError, match="damaged"):
                    list(use())


def test_a_file_with_bytes_changed_at_random_gives_its_rows_or_a_message(alone, tmp_path):
    def contents(file):
        with certify.results(file) as answers:
            return list(
                answers.rows(columns=[column.name for column in answers.columns(all_of_them=True)], details=True)
            )

    whole, right, refused = alone.read_bytes(), contents(alone), 0
    rng = random.Random(1)
    file = tmp_path / "a.sqlite"
    for _ in range(100):
        data = bytearray(whole)
        for _ in range(rng.choice([1, 1, 3, 30])):
            place = rng.randrange(len(data))
            data[place : place + rng.choice([1, 1, 200])] = rng.randbytes(1)
        file.write_bytes(data)
        try:
            assert contents(file) == right
        except FpcertError:
            refused += 1
    assert 20 < refused < 100


@pytest.fixture
def blocks_of_16(monkeypatch):
    for module in (blocks, store_module, row_reader):
        monkeypatch.setattr(module, "SIZE", 16)


def kept_blocks(file):
    with closing(sqlite3.connect(file)) as connection:
        return [block for (block,) in connection.execute("SELECT DISTINCT block FROM blocks ORDER BY block")]


WHERE = (None, "n_max>20", "n_max=null", "dtype=fp16", "dtype!=fp16 and k=1", "status!=ok", "C>1000", "g<1", "g>=pi/7")


@pytest.mark.parametrize("kind", ["results", "results_in_blocks"])
def test_pages_that_changed_places_give_the_right_counts_or_a_message(tmp_path, blocks_of_16, monkeypatch, kind):
    if kind == "results":
        monkeypatch.undo()
    file, damaged = tmp_path / "a.sqlite", tmp_path / "b.sqlite"
    plan = Plan.of("nmax", {"dtype": "fp16,bf16", "g": "1.0,pi/7", "C": "log:10:60000:25", "k": "1,2"})
    rows = [
        Row(("ok", "ok", "error")[place % 3], None, {} if place % 3 == 2 else {"n_max": place % 50}, "{}", 0.0, "", "")
        for place in range(plan.size)
    ]
    with Store(file) as store:
        store.add(zip(plan.jobs(), rows, strict=True))
    assert kept_blocks(file) == ([] if kind == "results" else list(range(12)))

    def counts(path):
        with certify.results(path) as answers:
            return [answers.count(where) for where in WHERE], [column.name for column in answers.columns()]

    right, whole = counts(file), file.read_bytes()
    assert right[0][:4] == [200, sum(row.values.get("n_max", 0) > 20 for row in rows), 66, 100]
    pages = len(whole) // 4096
    rng = random.Random(3)
    jobs = [*plan.jobs(), *Plan.of("nmax", {"g": "1/7", "C": "1:50:50"}).jobs()]
    refused = 0
    for _ in range(150):
        a, b = sorted(rng.sample(range(1, pages), 2))
        data = [whole[place * 4096 :][:4096] for place in range(pages)]
        data[a], data[b] = (data[b], data[a]) if rng.random() < 0.7 else (data[a], data[a])
        damaged.write_bytes(b"".join(data))
        try:
            assert counts(damaged) == right
            with Store(damaged) as store:
                assert len(store.statuses(jobs)) == 200  # no job that is done is done again, and none is left out
        except FpcertError:
            refused += 1
    assert refused > 20
    assert sorted(path.name for path in tmp_path.iterdir()) == ["a.sqlite", "b.sqlite"]


def test_columns_in_blocks_say_what_the_rows_say(tmp_path, blocks_of_16, monkeypatch):
    file = tmp_path / "a.sqlite"
    jobs = list(
        Plan.of("nmax", {"dtype": "fp16,bf16", "g": "1,pi/7,1/3", "C": "1,1e400,1e401,1/3,40", "k": "1,2"}).jobs()
    )

    def row(place, status="ok"):
        return Row(status, None, {"n_max": place % 7} if place % 5 else {}, "{}", place / 8, "", "made")

    with Store(file) as store:
        for begin in range(0, 60, 7):
            store.add([(job, row(begin + place)) for place, job in enumerate(jobs[begin : begin + 7])])
        assert kept_blocks(file) == [0, 1, 2]

    def found(where, sort):
        with certify.results(file) as answers:
            return answers.count(where), [shown["id"] for shown in answers.rows(where, sort=sort, columns="id")]

    questions = [(where, sort) for where in (*WHERE, "C>1e400", "seconds<=3") for sort in (None, "-n_max,C", "g,-C")]
    in_blocks = [found(*question) for question in questions]
    monkeypatch.setattr(verified, "unpack_column", None)  # what was kept is not there any more
    with closing(sqlite3.connect(file)) as connection, connection:
        connection.execute("DELETE FROM blocks")
    assert [found(*question) for question in questions] == in_blocks


def test_a_reader_sees_what_comes_and_one_moment_at_a_time(tmp_path, blocks_of_16):
    jobs = list(Plan.of("nmax", {"g": "1", "C": "1:40:40"}).jobs())
    row = Row("ok", None, {"n_max": 1}, "{}", 0.0, "", "")
    with Store(tmp_path / "a.sqlite") as store, certify.results(tmp_path / "a.sqlite") as answers:
        store.add([(job, row) for job in jobs[:10]])
        assert answers.count() == 10
        reading = answers.rows(columns="n_max")
        next(reading)
        store.add([(job, row) for job in jobs[10:]])
        assert answers.count() == 10  # of the moment at which the rows began to be read
        assert len(list(reading)) == 9
        assert answers.count("n_max=1") == 40
        reading = answers.rows()
        next(reading)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        del reading  # of a file that is closed already


def test_a_name_that_is_no_utf8(tmp_path):
    (tmp_path / "a\udcff.txt").write_text("0\n1\n2\n-1\n")
    name = f"grid:{tmp_path}/a\udcff.txt"
    assert certify.sweep("nmax", file=tmp_path / "a.sqlite", dtype=[name], g=1, C="1,2", jobs=1).done == 2
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert [row["dtype"] for row in answers.rows("dtype~a\udcff")] == [name.replace("\udcff", "\\udcff")] * 2


def test_names_that_are_no_file(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "loop").symlink_to("loop")
    for name in ("loop", "", "."):
        with pytest.raises(FpcertError, match=r"results file|unable to open"):
            certify.sweep("nmax", file=name, g=1, C=1)
    assert [path.name for path in tmp_path.iterdir()] == ["loop"]


def test_files_that_are_no_results_files(tmp_path):
    text, other, newer = tmp_path / "text", tmp_path / "other.sqlite", tmp_path / "newer.sqlite"
    text.write_text("question,dtype\n")
    with closing(sqlite3.connect(other)) as connection:
        connection.execute("CREATE TABLE results (n)")
    (tmp_path / "empty").touch()
    with closing(sqlite3.connect(tmp_path / "unmade.sqlite")) as connection:
        connection.execute("PRAGMA journal_mode = WAL")  # a sweep that had no room for more
    for name in ("empty", "unmade.sqlite"):
        with pytest.raises(InputError, match="this is empty"):
            certify.results(tmp_path / name)
    with Store(newer) as store:
        store.connection.execute(f"PRAGMA user_version = {SCHEMA + 1}")
    for file, named in (
        (text, "no SQLite"),
        (other, "another program"),
        (newer, f"version {SCHEMA + 1}"),
        (tmp_path, "no plain file"),
    ):
        for use in (lambda f=file: certify.sweep("nmax", file=f, g=1, C=1), lambda f=file: certify.results(f)):
            with pytest.raises(InputError, match=named):
                use()
    with pytest.raises(InputError, match="not there"):
        certify.results(tmp_path / "absent.sqlite")
    with pytest.raises(InputError, match="folder that exists"):
        certify.sweep("nmax", file=tmp_path / "absent" / "a.sqlite", g=1, C=1)


def test_a_results_file_without_a_row(tmp_path):
    with Store(tmp_path / "a.sqlite"):
        pass
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert [column.name for column in answers.columns()] == ["question", "status"]
        assert list(answers.rows()) == []


def test_the_details_of_a_row_are_its_own(alone, tmp_path):
    with certify.results(alone) as answers:
        known = {row["id"]: row for row in answers.rows(columns="id,n_max", details=True)}
    assert len(known) == 64
    jobs = {Job.parse(json.dumps(row["job"])).id: row["job"] for row in known.values()}
    assert all(jobs[name] == row["job"] for name, row in known.items())
    assert all(row["answer"]["n_max"] == row["n_max"] for row in known.values())
    # Rows that are written anew have their new details, the others of their piece the old ones.
    names = list(known)
    with Store(tmp_path / "a.sqlite") as store:
        pairs = [(Job.parse(json.dumps(row["job"])), Row("ok", None, {}, "[1]", 0.0, "", "")) for row in known.values()]
        store.add(pairs)
        store.add([(job, Row("ok", None, {}, "[2]", 0.0, "", "")) for job, _ in pairs[::3]])
    with certify.results(tmp_path / "a.sqlite") as answers:
        found = {row["id"]: row["answer"] for row in answers.rows(columns="id", sort="-id", details=True)}
        assert [row["id"] for row in answers.rows(f"id={names[5].upper()}", columns="id")] == [names[5]]
        for condition, right in (("id=xyz", "hexadecimal"), ("id>00", "no order"), ("id~00", "no text")):
            with pytest.raises(InputError, match=right):
                answers.count(condition)
    assert found == {name: [2 if place % 3 == 0 else 1] for place, name in enumerate(names)}


def test_damaged_details_are_reported(alone, tmp_path):
    shutil.copy(alone, tmp_path / "a.sqlite")
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection, connection:
        connection.execute("UPDATE details SET packed = x'00'")
    with certify.results(tmp_path / "a.sqlite") as answers:
        assert answers.count() == 64
        with pytest.raises(InputError, match="damaged"):
            list(answers.rows(details=True))


def test_an_empty_file_becomes_a_results_file(tmp_path):
    (tmp_path / "a.sqlite").touch()
    assert certify.sweep("nmax", file=tmp_path / "a.sqlite", g=1, C=1, jobs=1).done == 1
    with closing(sqlite3.connect(tmp_path / "a.sqlite")) as connection:
        assert connection.execute("PRAGMA application_id").fetchone() == (APPLICATION,)
        assert connection.execute("PRAGMA journal_mode").fetchone() == ("delete",)  # no -wal file is left beside it
    with Store(tmp_path / "a.sqlite") as store:
        assert store.connection.execute("PRAGMA journal_mode").fetchone() == ("wal",)


def test_a_full_disk_leaves_what_was_there(tmp_path):
    file = tmp_path / "a.sqlite"
    with Store(file) as store:
        (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
        store.connection.execute(f"PRAGMA max_page_count = {pages + 8}")
        full = None
        for kept in range(400):
            try:
                store.add([one_row(str(kept + 1))])
            except FpcertError as error:
                full = str(error)
                break
        assert 0 < kept < 399
        assert full is not None
        assert "disk is full" in full
        assert full.endswith("the same command goes on from there")
        store.connection.execute("PRAGMA max_page_count = 100000")
        store.add([one_row("1000")])  # there is room again
    with certify.results(file) as answers:
        assert answers.count() == kept + 1
    with closing(sqlite3.connect(file)) as connection:
        assert connection.execute("PRAGMA integrity_check").fetchone() == ("ok",)


def test_a_sweep_on_a_full_disk_ends_with_its_reason(tmp_path, monkeypatch):
    added = Store.add
    calls = []

    def add(store, rows):
        calls.append(1)
        if len(calls) == 2:
            (pages,) = store.connection.execute("PRAGMA page_count").fetchone()
            store.connection.execute(f"PRAGMA max_page_count = {pages}")
        added(store, rows)

    monkeypatch.setattr(Store, "add", add)
    file = tmp_path / "a.sqlite"
    with pytest.raises(FpcertError, match="database or disk is full"):
        certify.sweep("nmax", file=file, jobs=2, g="0.01:1:200", C="10,20")
    monkeypatch.undo()
    with certify.results(file) as answers:
        kept = answers.count()
    again = certify.sweep("nmax", file=file, jobs=1, g="0.01:1:200", C="10,20")
    assert (again.before, again.done) == (kept, 400 - kept)


def test_a_row_that_cannot_be_written_writes_none_of_its_batch(tmp_path):
    with Store(tmp_path / "a.sqlite") as store:
        job, row = one_row()
        broken = Row(row.status, row.reason, {"n_max": object()}, row.answer, row.seconds, row.finished, row.producer)
        with pytest.raises(InputError):
            store.add([(job, row), (job, broken)])
        assert store.statuses([job]) == {}
        store.add([(job, row)])
        assert store.statuses([job]) == {job.id: "ok"}


def test_the_lock_file_is_gone_after_a_failed_opening(tmp_path):
    (tmp_path / "a.sqlite").write_text("no database")
    with pytest.raises(InputError):
        Store(tmp_path / "a.sqlite")
    assert [path.name for path in tmp_path.iterdir()] == ["a.sqlite"]


@pytest.mark.skipif(os.geteuid() == 0, reason="for root no folder is read-only")
def test_a_folder_that_cannot_be_written(alone, tmp_path):
    file = tmp_path / "a.sqlite"
    file.write_bytes(alone.read_bytes())
    tmp_path.chmod(0o500)
    try:
        with pytest.raises(FpcertError, match="cannot"):
            certify.sweep("nmax", file=file, jobs=1, **AXES)
        with certify.results(file) as answers:
            assert answers.count() == 64
    finally:
        tmp_path.chmod(0o700)


def test_numbers_beyond_64_bits_are_kept_exactly(tmp_path):
    file = tmp_path / "a.sqlite"
    certify.sweep("nmax", file=file, jobs=1, g="1.0", dtype="fp128", C="1e37", k="1", method="bracket")
    expected = certify.nmax(g="1.0", dtype="fp128", C="1e37", k=1, method="bracket")
    assert expected.n_max > 2**53
    job = Job("nmax", {"C": "1/3", "k": 10**40, "g": "1"})
    row = Row("ok", None, {"n_max": 10**50 + 1}, None, 0.0, "", "")
    with Store(file) as store:
        store.add([(job, row)])
    with certify.results(file) as answers:
        assert [r["n_max"] for r in answers.rows(sort="n_max")] == [str(expected.n_max), str(10**50 + 1)]
        assert answers.count(f"n_max={10**50 + 1}") == 1
        assert answers.count(f"n_max>{10**50}") == 1
        assert answers.count(f"n_max>{10**50 + 1}") == 0
        assert answers.count(f"k={10**40}") == 1
