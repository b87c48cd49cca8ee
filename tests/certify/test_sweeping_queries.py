"""Questions to results files: against a plain evaluation of all their rows, by id, and while a sweep writes."""

import itertools
import random
import sqlite3
from contextlib import closing
from fractions import Fraction

import mpmath
import pytest

import certify
from certify.sweeping import blocks, row_reader
from certify.sweeping import store as store_module
from certify.sweeping.columns import nearest, order
from certify.sweeping.job import Job
from certify.sweeping.plan import Plan
from certify.sweeping.store import Store
from certify.sweeping.work import Row
from fpsim.angle import Angle
from fpsim.enclosure import pi_bounds
from fpsim.errors import InputError

SIZE = 16


def fraction(number):
    """The exact value of a number of mpmath."""
    return Fraction(int(number.man)) * Fraction(2) ** int(number.exp)


with mpmath.workprec(500):
    PI, POWER = fraction(+mpmath.pi), fraction(mpmath.root(mpmath.mpf(10) ** -1, 8))
RATIONALS = (
    "1",
    "1/3",
    "0.3333333333333333",
    "-1",
    "1e-400",
    "2e-400",
    "1e400",
    "3.14159265358979323846264338327950288",
)
POWERS = ("10000^(-2/64)", "100^(-1/16)", "10^(-1/8)", "(1/10)^(1/8)")  # one number
VALUES = {text: Fraction(text) for text in RATIONALS} | dict.fromkeys(POWERS, POWER)
VALUES |= {"pi": PI, "1/7*pi": PI / 7, "-2*pi": -2 * PI, "pi/7": PI / 7}
WHOLE = (0, 1, 5, -3, 2**53, 2**53 + 1, 2**63 - 1, 2**63, 10**400, 10**400 + 1)


@pytest.fixture(autouse=True)
def small_blocks(monkeypatch):
    for module in (blocks, store_module, row_reader):
        monkeypatch.setattr(module, "SIZE", SIZE)


def kept_blocks(file):
    with closing(sqlite3.connect(file)) as connection:
        return [block for (block,) in connection.execute("SELECT DISTINCT block FROM blocks ORDER BY block")]


@pytest.mark.parametrize("count", [0, 1, SIZE - 1, SIZE, SIZE + 1, 5 * SIZE + 3])
def test_answers_are_those_of_all_rows_also_after_rows_were_done_again(tmp_path, count):
    rng = random.Random(count)
    texts = ("a|b", "null", " x ", "a and b", "it's", 'q"q', "line\nend", "", "\0", "\udcff")
    jobs = [
        Job("nmax", {"g": rng.choice(list(VALUES)), "k": rng.choice(WHOLE), "C": "1", "order": str(place)})
        for place in range(count)
    ]
    last = {}

    def row(job):
        values = {"n_max": rng.choice(WHOLE)} if rng.random() < 0.7 else {}
        values |= {"usable": rng.random() < 0.5} if rng.random() < 0.5 else {}
        last[job.id] = {
            "g": job.parameters["g"], "k": job.parameters["k"], "reason": rng.choice([*texts, None]),
            "seconds": rng.choice([0.0, 1.5, 1e-300, 1e300]), "n_max": None, "usable": None, **values,
        }  # fmt: skip
        return Row("ok", last[job.id]["reason"], values, "{}", last[job.id]["seconds"], "", "")

    file = tmp_path / "a.sqlite"
    with Store(file) as store:
        for begin in range(0, count, 7):
            batch = [*rng.sample(jobs[:begin], min(begin, 3)), *jobs[begin : begin + 7]]
            store.add([(job, row(job)) for job in batch])
            assert kept_blocks(file) == list(range(min(begin + 7, count) // SIZE))  # at every moment

    def angle_is(relation, *others):
        return lambda found: any(relation(VALUES[found], VALUES[other]) for other in others)

    conditions = [("id!=null", "n_max", lambda _: True)]
    for relation in ("__lt__", "__le__", "__gt__", "__ge__", "__eq__", "__ne__"):
        sign = {"lt": "<", "le": "<=", "gt": ">", "ge": ">=", "eq": "=", "ne": "!="}[relation.strip("_")]
        of_fraction, of_number = getattr(Fraction, relation), getattr(int, relation)
        conditions += [(f"g{sign}{text}", "g", angle_is(of_fraction, text)) for text in VALUES]
        conditions += [
            (f"n_max{sign}{n}", "n_max", lambda x, n=n, f=of_number, s=sign: s == "!=" if x is None else f(x, n))
            for n in WHOLE
        ]
    conditions += [("g=100^(-1/16)|pi", "g", angle_is(Fraction.__eq__, "100^(-1/16)", "pi"))]
    conditions += [("n_max!=5|null", "n_max", lambda x: x not in (5, None)), ("k=1|5", "k", lambda x: x in (1, 5))]
    conditions += [("usable!=true", "usable", lambda x: x is not True), ("seconds<=1.5", "seconds", lambda x: x <= 1.5)]
    for text in texts:
        quoted = '"' + text.replace('"', '""') + '"'
        stored = text.replace("\udcff", "\\udcff")
        shown = lambda x: None if x is None else x.replace("\udcff", "\\udcff")  # noqa: E731
        conditions += [
            (f"reason={quoted}|null", "reason", lambda x, s=stored, f=shown: f(x) in (s, None)),
            (f"reason~{quoted}", "reason", lambda x, s=stored, f=shown: x is not None and s in f(x)),
            (f"reason>{quoted}", "reason", lambda x, s=stored, f=shown: x is not None and f(x) > s),
        ]
    with certify.results(file) as answers:
        ids = [found["id"] for found in answers.rows(columns="id")]
        assert ids == [job.id for job in jobs]
        chosen = [[one] for one in conditions] + [rng.sample(conditions, 2) for _ in range(100)]
        for some in chosen:
            where = [text for text, *_ in some]
            right = [name for name in ids if all(met(last[name][column]) for _, column, met in some)]
            assert answers.count(where) == len(right), where
            falling = rng.random() < 0.5
            right.sort(key=lambda name: VALUES[last[name]["g"]], reverse=falling)
            found = answers.rows(where, sort="-g" if falling else "g", columns="id", limit=9)
            assert [one["id"] for one in found] == right[:9], where


def test_order_and_nearest_of_angles():
    same = [*POWERS, "1*10000^(-1/32)", "1/10*10^(7/8)", "10*10^(-9/8)"]
    assert {order(a, b) for a, b in itertools.product(same, same)} == {0}
    above = "7498942093324558270/10000000000000000000"
    assert (order("10^(-1/8)", above), order("-1*10^(-1/8)", f"-{above}"), order(above, "10^(-1/8)")) == (1, -1, -1)
    assert order("2^(1/8191)", "2^(1/8190)") == -1
    # Just above the middle of two binary64 numbers, by less than 2^-300.
    middle = Fraction(1) + Fraction(1, 2**53)
    lo, hi = pi_bounds(700)
    for end, right in ((lo, 1 + 2**-52), (hi, 1.0)):
        angle = Angle.parse("pi").times(middle.numerator / (end * middle.denominator))
        assert nearest(angle) == right


def made(count, file):
    jobs = list(Plan.of("nmax", {"g": "1", "C": f"1:{count}:{count}"}).jobs())
    with Store(file) as store:
        store.add([(job, Row("ok", None, {"n_max": place}, "{}", 0.0, "", "")) for place, job in enumerate(jobs)])
    return jobs


def test_rows_are_found_by_id_without_reading_all(tmp_path, monkeypatch):
    file = tmp_path / "a.sqlite"
    ids = [job.id for job in made(50, file)]
    with certify.results(file) as answers:
        monkeypatch.setattr(row_reader, "kept_column", None)
        monkeypatch.setattr(row_reader, "columns_of", None)
        assert [row["n_max"] for row in answers.rows(f"id={ids[40]}|{ids[3].upper()}", columns="n_max")] == [3, 40]
        assert answers.count([f"id={ids[40]}|{ids[3]}", "n_max>3", "n_max!=null"]) == 1
        assert [row["n_max"] for row in answers.rows(limit=2)] == [0, 1]
        monkeypatch.undo()
    small = (blocks, store_module, row_reader)
    for module in small:
        monkeypatch.setattr(module, "SIZE", SIZE)
    with certify.results(file) as answers:
        for where, right in ((f"id={ids[40]}|{'0' * 64}", 1), (f"id={'0' * 64}", 0), (f"id={ids[40]}|null", 1)):
            assert answers.count(where) == right
        assert answers.count(f"id!={ids[40]}") == 49


def test_an_index_that_is_damaged_hides_no_row(tmp_path):
    file = tmp_path / "a.sqlite"
    ids = [job.id for job in made(50, file)]
    whole, name = file.read_bytes(), bytes.fromhex(ids[20])
    changed = bytes([*name[:-1], name[-1] ^ 1])
    messages = 0
    for place in [at for at in range(len(whole)) if whole.startswith(name, at)]:
        file.write_bytes(whole[:place] + changed + whole[place + len(name) :])
        for one, right in ((ids[20], 1), (changed.hex(), 0)):
            try:
                with certify.results(file) as answers:
                    assert answers.count(f"id={one}") == right
            except InputError as error:
                messages += "damaged" in str(error)
    assert messages


def test_columns_are_of_one_moment(tmp_path):
    file = tmp_path / "a.sqlite"
    made(3, file)
    more = list(Plan.of("period", {"base": "10", "dim": "2:8:4", "window": "9"}).jobs())
    row = Row("ok", None, {"period": 1}, "{}", 0.0, "", "")
    with Store(file) as store, certify.results(file) as answers:
        answers.columns()

        def write(statement):  # between two statements of the reader
            if "max(number)" in statement and more:
                store.add([(more.pop(), row)])

        answers._reader._connection.set_trace_callback(write)
        for _ in range(4):
            assert "n_max" in [column.name for column in answers.columns()]
        assert not more
        with answers.snapshot():
            before = answers.count()
            store.add([(Job("nmax", {"g": "1/7", "C": "1", "k": 1}), row)])
            assert answers.count("id!=null") == before == len(list(answers.rows()))
        assert answers.count() == before + 1
