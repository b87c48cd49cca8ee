"""Axes are exact, plans refuse what they cannot mean, and a job has one name."""

import json
import sys
from fractions import Fraction
from itertools import pairwise

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from certify.sweeping.axis import Axis
from certify.sweeping.job import Job
from certify.sweeping.plan import Plan
from certify.sweeping.plan_file import EXAMPLE, read_plan
from fpsim.angle import Angle
from fpsim.errors import FpcertError, InputError, UnsupportedError
from fpsim.number import exact_text, parse_number

NUMBER, WHOLE, ANGLE = Axis("C", "number"), Axis("k", "integer", 1), Axis("g", "angle")
FRACTIONS = st.fractions(min_value=Fraction(1, 10**6), max_value=10**6)


@given(low=FRACTIONS, high=FRACTIONS, count=st.integers(2, 40))
def test_a_range_has_its_ends_and_exactly_equal_steps(low, high, count):
    values = [parse_number(text) for text in NUMBER.values(f"{low}:{high}:{count}")]
    if low == high:
        assert values == [mpq(low)]
        return
    assert (values[0], values[-1], len(values)) == (mpq(low), mpq(high), count)
    assert len({b - a for a, b in pairwise(values)}) == 1


@given(low=FRACTIONS, ratio=st.fractions(min_value=2, max_value=1000), count=st.integers(3, 30))
def test_a_log_range_has_its_ends_and_points_within_half_a_unit_of_six_digits(low, ratio, count):
    values = [parse_number(text) for text in NUMBER.values(f"log:{low}:{low * ratio}:{count}")]
    assert (values[0], values[-1], len(values)) == (mpq(low), mpq(low * ratio), count)
    for number, value in enumerate(values[1:-1], 1):
        # value^(n-1) / (low^(n-1) ratio^number) is (1 + e)^(n-1) with |e| <= 5e-6: compared without a root.
        power = (value / mpq(low)) ** (count - 1) / mpq(ratio) ** number
        assert (1 - mpq(5, 10**6)) ** (count - 1) <= power <= (1 + mpq(5, 10**6)) ** (count - 1)
        digits = exact_text(value).replace(".", "").strip("0")
        assert len(digits) <= 6


def test_a_log_range_finds_the_powers_of_ten_exactly():
    assert NUMBER.values("log:1e-3:1e3:7") == ("0.001", "0.01", "0.1", "1", "10", "100", "1000")
    assert NUMBER.values("log:1000:1:4") == ("1000", "100", "10", "1")


@pytest.mark.parametrize(
    ("axis", "given_", "expected"),
    [
        (NUMBER, "40, 1/3,0x1.8p1", ("40", "1/3", "3")),
        (NUMBER, [40, 0.1, mpq(1, 3)], ("40", exact_text(mpq(0.1)), "1/3")),
        (NUMBER, "1,1.0,10/10,2", ("1", "2")),
        (NUMBER, 7, ("7",)),
        (WHOLE, "1:9:5", (1, 3, 5, 7, 9)),
        (WHOLE, "9:1:3", (9, 5, 1)),
        (WHOLE, "log:1:10:4", (1, 2, 5, 10)),
        (WHOLE, "log:1:3:9", (1, 2, 3)),
        (WHOLE, ["1:2:2", 3.0, "3"], (1, 2, 3)),
        (ANGLE, "1.0,2pi*3/7", ("1", "6/7*pi")),
        (ANGLE, "pi/4:pi/2:3", ("0.25*pi", "0.375*pi", "0.5*pi")),
        (ANGLE, "0:pi:2", ("0", "pi")),
        (Axis("theta", "angles"), ["1, 0.10", "0.5:1:2"], ("1, 0.1", "0.5", "1")),
        (Axis("theta", "angles"), "1,0.1", ("1, 0.1",)),
        (Axis("fma", "flag", default=False), "true,no", (True, False)),
        (Axis("fma", "flag", default=False), True, (True,)),
    ],
)
def test_values_of_an_axis(axis, given_, expected):
    values = axis.values(given_)
    assert values == expected
    assert [type(value) for value in values] == [type(value) for value in expected]


@pytest.mark.parametrize(
    ("axis", "given_", "named"),
    [
        (NUMBER, "", "empty"),
        (NUMBER, [], "empty"),
        (NUMBER, " , ", "empty"),
        (NUMBER, "1,,2", "empty"),
        (NUMBER, "1:2", "lo:hi:n"),
        (NUMBER, "1:2:3:4", "lo:hi:n"),
        (NUMBER, "1:2:1", "between 2 and"),
        (NUMBER, "1:2:2.5", "whole number n"),
        (NUMBER, "1:2:10000000000", "between 2 and"),
        (NUMBER, "log:0:2:3", "greater than 0"),
        (NUMBER, "log:-1:2:3", "greater than 0"),
        (NUMBER, "pi:2pi:3", "not multiples of pi"),
        (NUMBER, "nan", "finite number"),
        (NUMBER, "1e999999999", "exponent"),
        (NUMBER, f"1.{'1' * 19_000}", "exact text has at most"),  # every job would be refused when it is read again
        (NUMBER, "1:1e100000:3", "exact text has at most"),
        (ANGLE, f"1.{'1' * 19_000}", "exact text has at most"),
        (WHOLE, "1e1000", "at most 1000 digits"),
        (WHOLE, "log:1:1e1000:3", "at most 1000 digits"),
        (NUMBER, [None], "finite number"),
        (WHOLE, "1.5", "whole number"),
        (WHOLE, "1:2:3", "n - 1 divides hi - lo"),
        (ANGLE, "1:pi:3", "both multiples of pi"),
        (ANGLE, "two", "angle"),
        (Axis("fma", "flag"), "maybe", "true or false"),
        (Axis("dtype", "text"), 16, "text"),
    ],
)
def test_what_an_axis_refuses(axis, given_, named):
    with pytest.raises(InputError, match=named) as caught:
        axis.values(given_)
    assert str(caught.value).startswith(f"{axis.name}: ")


def test_the_jobs_of_a_plan_are_its_grid_and_all_different():
    plan = Plan.of("nmax", {"dtype": "fp16,bf16", "g": "1.0,pi/7", "C": "10:40:4", "k": [1, 2]})
    jobs = list(plan.jobs())
    assert len(jobs) == plan.size == 32 == len({job.id for job in jobs})
    grid = {(j.parameters["dtype"], j.parameters["g"], j.parameters["C"], j.parameters["k"]) for j in jobs}
    assert grid == {
        (f, g, C, k)
        for f in ("fp16", "bf16")
        for g in ("1", "1/7*pi")
        for C in ("10", "20", "30", "40")
        for k in (1, 2)
    }
    assert {job.parameters["order"] for job in jobs} == {"sequential"}


def test_a_job_has_one_name_however_it_is_written():
    ways = [
        {"g": "1.0", "C": "40"},
        {"g": 1, "C": [40], "k": 1, "dtype": "fp16", "criterion": "gap", "fma": False},
        {"g": "2/2", "C": "4e1", "order": "sequential", "realize": "ideal", "theta": None},
    ]
    jobs = [job for way in ways for job in Plan.of("nmax", way).jobs()]
    assert len(jobs) == 3
    assert len({job.id for job in jobs}) == 1
    assert Job.parse(jobs[0].text) == jobs[0]
    assert json.loads(jobs[0].text)["parameters"]["C"] == "40"
    others = [{"g": "1.0", "C": "40.1"}, {"g": "1.0", "C": "40", "k": 2}, {"g": "1.0", "C": "40", "fma": True}]
    assert len({jobs[0].id} | {job.id for way in others for job in Plan.of("nmax", way).jobs()}) == 4


def test_a_changed_file_is_another_job(tmp_path):
    grid, names = tmp_path / "values.txt", []
    for values in ("-1 0 1", "-2 0 2", "-1 0 1"):
        grid.write_text(values.replace(" ", "\n"))
        (job,) = Plan.of("nmax", {"g": 1, "C": 1, "dtype": f"grid:{grid}"}).jobs()
        names.append(job.id)
    assert names[0] == names[2] != names[1]


@pytest.mark.parametrize(
    ("question", "axes", "named"),
    [
        ("nmx", {}, "nmax, period, modulus"),
        (None, {}, "nmax, period, modulus"),
        ("nmax", {"g": 1, "C": 1, "dtyp": "fp16"}, "did you mean dtype"),
        ("nmax", {"g": 1}, "C: cannot take nothing"),
        ("nmax", {"C": 1}, "g or theta or base with dim"),
        ("nmax", {"C": 1, "g": 1, "theta": "1"}, "g together with theta"),
        ("nmax", {"C": 1, "base": 10000}, "base with dim"),
        ("nmax", {"C": 1, "g": 1, "dtype": "fp17"}, "fp17"),
        ("nmax", {"C": 1, "g": 1, "dtype": []}, "dtype: cannot take an empty axis"),
        ("nmax", {"C": 1, "g": 1, "realize": "magic"}, "realize"),
        ("nmax", {"C": 1, "g": 1, "pipeline": "vlm"}, "vllm"),
        ("nmax", {"C": 1, "g": 1, "pipeline": "vllm", "realize": "phase"}, "without realize"),
        ("nmax", {"C": 1, "g": 1, "order": "upwards"}, "order"),
        ("nmax", {"C": 1, "g": 1, "criterion": "gaps"}, "gap, weight"),
        ("nmax", {"C": "1:2:10000", "g": "1:2:100000"}, "at most"),
        ("period", {"g": 1}, "one of dtype, theta"),
        ("period", {}, "theta or base with dim"),
    ],
)
def test_what_a_plan_refuses(question, axes, named):
    with pytest.raises(InputError, match=named):
        Plan.of(question, axes)


def test_the_example_is_a_plan():
    plan, limit = read_plan(EXAMPLE)
    assert (plan.question, plan.size, limit) == ("nmax", 1200, 10)


def test_toml_and_yaml_mean_the_same_exactly(tmp_path):
    toml, yaml = tmp_path / "a.toml", tmp_path / "a.yaml"
    toml.write_text(
        'question = "nmax"\ntime_limit = 0.5\n[axes]\nC = [0.1, "1/3", 1e3]\ng = "1.0"\nfma = [true, false]\n'
    )
    yaml.write_text("question: nmax\ntime_limit: 0.5\naxes:\n  C: [0.1, 1/3, 1e3]\n  g: 1.0\n  fma: [true, false]\n")
    pytest.importorskip("yaml")
    (first, limit), (second, same) = read_plan(toml), read_plan(yaml)
    assert first == second
    assert limit == same == mpq(1, 2)
    assert first.axes["C"] == ("0.1", "1/3", "1000")


@pytest.mark.parametrize(
    ("name", "text", "named"),
    [
        ("a.toml", 'question = "nmax"\ndtype = "fp16"\n', "an axis stands in the table axes"),
        ("a.toml", 'question = "nmax"\n[axes]\ndtyp = "fp16"\n', "did you mean dtype"),
        ("a.toml", 'question = "nmax"\n[axes]\nC = []\ng = 1\n', "C: cannot take an empty axis"),
        ("a.toml", 'question = "nmax"\n[axes]\nC = {a = 1}\ng = 1\n', "C"),
        ("a.toml", 'question = "nmax"\n[axes]\nC = 1\nC = 2\n', "does not parse"),
        ("a.toml", 'question = "nmax"\n[axes]\nC = nan\ng = 1\n', "nan"),
        ("a.toml", 'question = "nmax"\naxes = 3\n', "table"),
        ("a.toml", 'question = ["nmax"]\n', "question"),
        ("a.toml", "[axes]\nC = 1\n", "without a question"),
        ("a.toml", 'question = "nmax"\ntime_limit = 0\n[axes]\nC = 1\ng = 1\n', "time_limit"),
        ("a.toml", "question = \n", "does not parse"),
        ("a.json", "{}", "ends in .toml"),
        ("a.yaml", "question: nmax\naxes: {C: 1, C: 2, g: 1}\n", "given once"),
        ("a.yaml", "question: nmax\naxes: {C: [[[1]]], g: 1}\n", "nested deeper"),
        ("a.yaml", "question: nmax\naxes: &a {C: *a, g: 1}\n", "nested deeper"),
        ("a.yaml", f"b: &b [{'1,' * 2000}]\nc: [{'*b, ' * 2000}]\n", "more than 1048576 values"),
        ("a.yaml", "? [a]\n: 1\n", "a key that is no text"),
        ("a.toml", 'question = "nmax"\naxes = {C = inf, g = 1}\n', "plan: cannot take inf"),
        ("a.yaml", "question: !!python/object:os.system nmax\nnonsense: 1\n", "nonsense"),
        ("a.yaml", "a: &a [x, x]\nb: &b [*a, *a]\nc: &c [*b, *b]\nd: [*c, *c]\n", "nested deeper"),
        ("a.yaml", "- nmax\n", "a table with the keys"),
        ("a.yaml", "question: [\n", "does not parse"),
        ("a.yaml", "", "a table with the keys"),
    ],
)
def test_what_a_plan_file_refuses(tmp_path, name, text, named):
    if name.endswith("yaml"):
        pytest.importorskip("yaml")
    (tmp_path / name).write_text(text)
    with pytest.raises(InputError, match=named):
        read_plan(tmp_path / name)


def test_a_plan_file_that_is_no_text_or_not_there(tmp_path):
    (tmp_path / "a.toml").write_bytes(b"\xff\xfe\x00")
    for name in ("a.toml", "b.toml"):
        with pytest.raises(FpcertError, match="plan"):
            read_plan(tmp_path / name)


def test_heads_of_many_pairs_in_a_plan(tmp_path):
    pytest.importorskip("yaml")
    (tmp_path / "a.toml").write_text('question = "period"\n[axes]\ntheta = [["1", "0.1"], "pi/7", 0.5]\n')
    (tmp_path / "a.yaml").write_text("question: period\naxes: {theta: [[1, 0.1], pi/7, 0.5]}\n")
    for name in ("a.toml", "a.yaml"):
        plan, _ = read_plan(tmp_path / name)
        assert plan.axes["theta"] == ("1, 0.1", "1/7*pi", "0.5")
        assert "  theta  1, 0.1; 1/7*pi; 0.5" in str(plan)


def test_yaml_without_pyyaml_says_what_to_install(tmp_path, monkeypatch):
    monkeypatch.setitem(sys.modules, "yaml", None)
    (tmp_path / "a.yaml").write_text("question: nmax\n")
    with pytest.raises(UnsupportedError, match=r"fpcert\[yaml\]"):
        read_plan(tmp_path / "a.yaml")


def test_angles_of_a_range_are_evenly_spaced():
    values = [Angle.parse(text).turns for text in ANGLE.values("pi/9:2pi:18")]
    assert values == [mpq(n, 18) for n in range(1, 19)]


def test_a_model_is_a_job_by_its_name_or_by_what_its_file_says(tmp_path):
    file = tmp_path / "config.json"
    config = {"hidden_size": 64, "num_attention_heads": 8, "max_position_embeddings": 128}
    found = set()
    for base in (10000, 20000):
        file.write_text(json.dumps(config | {"rope_theta": base}))
        (job,) = Plan.of("period", {"config": str(file)}).jobs()
        assert job.answer().shown["dtype"] == "fp16"
        found.add(job.id)
    assert len(found) == 2
    plan = Plan.of("period", {"config": "llama-3.1-8b,qwen3-8b", "dtype": "bf16,fp16"})
    assert (plan.size, plan.contents) == (4, {})
    for config in ("no-such-model", str(tmp_path / "absent.json"), ""):
        with pytest.raises(InputError):
            Plan.of("period", {"config": config})


def test_a_pipeline_takes_the_place_of_the_realization():
    parameters = next(Plan.of("period", {"base": 100, "dim": 4, "pipeline": "vllm"}).jobs()).parameters
    assert (parameters["pipeline"], parameters["realize"]) == ("vllm", None)
    assert next(Plan.of("period", {"base": 100, "dim": 4}).jobs()).parameters["realize"] == "ideal"
