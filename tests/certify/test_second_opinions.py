"""Second opinions: their own arithmetic against fpsim's, and their verdicts on true and on changed certificates."""

import json
import random
import subprocess
import sys
from fractions import Fraction

import pytest
from gmpy2 import mpq
from hypothesis import given
from hypothesis import strategies as st

from certify.certificates.document import certificate_bytes
from certify.certificates.forms import angle_form, value_set_form
from certify.certificates.ranges import flarge_certificate, range_certificate
from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Question, parse_scale
from certify.second_opinions.claim import read_claim
from certify.second_opinions.intervals import Intervals
from certify.second_opinions.machine import Head, weights
from certify.second_opinions.near_returns import first_within, near_returns
from certify.second_opinions.opinion import Work
from certify.second_opinions.smt import second_opinion as smt_opinion
from certify.second_opinions.thresholds import threshold_of
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.flarge import f_large
from fpsim.realization import realize
from fpsim.regime import Regime
from fpsim.rounding.reference import round_exact
from fpsim.softmax import softmax
from fpsim.valueset_text import value_set

FORMATS = ("fp16", "bf16", "fp32", "e5m2", "e4m3", "e4m3fnuz", "e3m2", "e2m1", "fixed:8.3", "fixed:6.0", "nf4", "e3m1")
MODES = ("even", "away", "zero", "up", "down", "odd")
SETS = [f"{name}:{mode}" for name in FORMATS for mode in MODES]
SETS += ["fp16:ftz", "e4m3:ftz:up", "e4m3:saturate", "e5m2:ftz:saturate:zero", "e2m3:nan"]


def flint_opinion(data, **options):
    pytest.importorskip("flint")
    from certify.second_opinions.flint import second_opinion

    return second_opinion(data, **options)


def question(g, C, dtype, k=1, kind="ideal", criterion="gap", **regime):
    return Question(Angle.parse(g, "g"), parse_scale(C), k, Regime.of(dtype, **regime), kind, criterion)


def certificate(*arguments, **options):
    asked = question(*arguments, **options)
    return range_certificate(asked, nmax_of(asked))


def changed(data, **claim):
    """The certificate with other fields in its claim."""
    document = json.loads(data)
    document["claim"] |= claim
    return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode()


def same(ours, theirs):
    """Whether two elements are equal, NaN being equal to NaN and -0 to 0."""
    return (ours != ours and theirs != theirs) or ours == theirs


# -- their own arithmetic ------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", SETS)
def test_rounding_agrees_with_the_reference(name):
    theirs = value_set(name)
    ours = read_claim(flarge_certificate(theirs)).values
    rng = random.Random(name)
    top = theirs.last
    for _ in range(300):
        n = rng.randint(-min(top, -theirs.first) - 1, min(top, -theirs.first) + 1) if rng.random() < 0.6 else top
        n = max(min(n, top), theirs.first)
        low = mpq(theirs.value(n))
        high = mpq(theirs.value(min(n + 1, top)))
        part = rng.choice([mpq(0), mpq(1, 2), mpq(rng.random()), mpq(1, 10**9)])
        x = (low + part * (high - low)) * rng.choice([1, -1, mpq(101, 100), mpq(2), mpq(1, 64)])
        assert same(ours.round(x), round_exact(theirs, x)), (name, x)
    step = mpq(theirs.value(top)) - mpq(theirs.value(top - 1))
    for part in (mpq(1, 4), mpq(1, 2), mpq(3, 4), mpq(1), mpq(5)):
        for sign in (1, -1):
            x = sign * (theirs.value(top) + part * step)
            assert same(ours.round(x), round_exact(theirs, x)), (name, x)
    for x in (float("inf"), float("-inf"), float("nan")):
        assert same(ours.round(x), round_exact(theirs, x)), (name, x)


@pytest.mark.parametrize("name", SETS)
def test_f_large_agrees(name):
    values = read_claim(flarge_certificate(name)).values
    assert threshold_of(Intervals(), values) == f_large(name)


@pytest.mark.parametrize("kind", ["ideal", "phase", "counter", "recurrence", "table"])
@pytest.mark.parametrize(
    ("dtype", "regime"),
    [
        ("fp16", {}),
        ("e4m3", {}),
        ("e5m2:ftz:up", {"fma": True}),
        ("bf16:odd", {"rotate": "fp32", "score": "e5m2", "softmax": "fp16"}),
        ("fixed:8.4", {}),
        ("e2m1", {"score": "fp16", "fma": True}),
    ],
)
def test_scores_agree_with_the_reference(kind, dtype, regime):
    asked = question("2pi*3/43" if kind == "table" else "0.7", 5, dtype, 2, kind, **regime)
    claim = read_claim(range_certificate(asked, nmax_of(asked)))
    head = Head(claim, Intervals(), Work(10**6))
    for i in (1, 2, 3, 7, 40, 300):
        for j in {0, 1, i // 2, i - 1}:
            assert same(head.score(i, j), asked.head.score(i, j)), (i, j)


@pytest.mark.parametrize("order", ["sequential", "reverse", "pairwise", "blocked:3", "wide:fp32"])
def test_weights_agree_with_the_reference(order):
    asked = question("1", 100, "e4m3", criterion="weight", order=order, softmax="e5m2")
    claim = read_claim(range_certificate(asked, nmax_of(asked)))
    rng = random.Random(order)
    for size in (1, 2, 3, 8, 13):
        scores = [round_exact(asked.regime.score, mpq(rng.uniform(-3, 3))) for _ in range(size)]
        ours, theirs = weights(claim, Intervals(), scores), softmax(asked.regime, scores).weights
        assert all(map(same, ours, theirs))


@given(st.integers(0, 60), st.integers(1, 60), st.integers(0, 59), st.integers(0, 59))
def test_first_within_is_the_least(a, m, x, y):
    low, high = sorted((x % m, y % m))
    expected = next((n for n in range(m) if low <= a * n % m <= high), None)
    assert first_within(a, m, low, high) == expected


@pytest.mark.parametrize("angle", ["1", "-0.1", "2pi*5/1009", "-2pi/7", "22/7"])
@pytest.mark.parametrize("distance", [mpq(1, 3), mpq(1, 50), mpq(1, 1000)])
def test_near_returns_are_all_of_them(angle, distance):
    exact = Angle.parse(angle, "g")
    claim = read_claim(changed(certificate("1", 40, "fp16"), g=angle_form(exact)))
    found = list(near_returns(Intervals(), claim.angle, distance, 3000))
    lo, hi = exact.enclose(200)
    pi = mpq(Fraction(314159265358979323846264338327950288419716939937510582, 10**53))
    slow = []
    for n in range(1, 3001):
        turns = n * ((lo + hi) / 2) / (2 * pi)
        if abs(turns - round(turns)) <= distance:
            slow.append(n)
    assert found == slow


# -- Arb -------------------------------------------------------------------------------------------------------------------

RANGES = [
    ("1", 40, "fp16", 1),
    ("1", 10000, "bf16", 1),
    ("1", 256, "e4m3", 1),
    ("1", 15, "fixed:8.3", 1),
    ("1", 7, "fixed:8.4", 1),
    ("2pi*3/7", 100, "bf16", 2),
    ("1", "1e12", "fp32", 1),
    ("1", "1e18", "fp64", 1),
    ("1/3", 1000, "fp16:ftz:up", 3),
    ("1", 1000, "fp16", 2, "phase"),
    ("1", 1000, "fp16", 2, "counter"),
    ("1", 1000, "fp16", 2, "recurrence"),
    ("2pi*3/107", 1000, "fp16", 3, "table"),
    ("1", 256, "e4m3", 1, "ideal", "weight"),
    ("1", 1000, "fp16", 5, "ideal", "weight"),
]


@pytest.mark.parametrize("arguments", RANGES, ids=str)
def test_arb_verifies_ranges_and_refutes_their_neighbours(arguments):
    data = certificate(*arguments)
    opinion = flint_opinion(data)
    assert opinion.verdict == "verified", str(opinion)
    assert opinion.obligations > 0
    value, k = json.loads(data)["claim"]["value"], arguments[3]
    for other in (value - 1, value + 1):
        if other >= k - 1:
            assert flint_opinion(changed(data, value=other)).verdict == "refuted", other


@pytest.mark.parametrize("dtype", ["fp16", "bf16", "e4m3", "e5m2", "fixed:8.3", "fp16:ftz", "fp128", "nf4", "fp16:up"])
def test_arb_on_f_large(dtype):
    data = flarge_certificate(dtype)
    assert flint_opinion(data).verdict == "verified"
    values, found = value_set(dtype), f_large(dtype)
    wrong = [None] if found is not None else [1]
    if found is not None:
        index = values.index(found)
        wrong += [str(values.value(n)) for n in (index - 1, index + 1)] + ["1/3", 0, -1]
    for value in wrong:
        form = int(value) if isinstance(value, str) and "/" not in value else value
        assert flint_opinion(changed(data, value=form)).verdict == "refuted", value


def test_arb_on_ranges_of_which_one_end_is_known():
    document = json.loads(certificate("1", 10000, "fp16"))
    del document["claim"]["value"]
    document["claim"] |= {"kind": "nmax-range"}

    def opinion(lower, upper, fails):
        document["claim"] |= {"lower": lower, "upper": upper}
        document["hints"]["fails"] = fails
        return flint_opinion(json.dumps(document).encode()).verdict

    assert opinion(30, 60, [45, 0]) == "verified"
    assert opinion(43, None, None) == "verified"
    assert opinion(44, None, None) == "refuted"
    assert opinion(None, 43, [45, 0]) == "verified"
    assert opinion(None, 42, [45, 0]) == "undecided"  # the hint names a pair that the claim is not about
    assert opinion(50, 40, [45, 0]) == "refuted"
    assert opinion(None, None, None) == "undecided"


def test_arb_says_when_the_work_is_too_much():
    data = certificate("1", 1000, "fp16", 2, "phase")
    assert flint_opinion(data, max_work=200).verdict == "undecided"
    assert flint_opinion(data).verdict == "verified"


def test_near_returns_leave_out_no_pair_that_fails():
    pytest.importorskip("flint")
    from certify.second_opinions.balls import Balls
    from certify.second_opinions.error_bound import widest_return

    for dtype, C in [("fp16", 30000), ("bf16", 10000), ("fixed:16.4", 500), ("fp16:zero", 2000), ("fp16:ftz", 300)]:
        claim = read_claim(certificate("1", C, dtype))
        balls = Balls()
        threshold = threshold_of(balls, claim.softmax)
        near = set(near_returns(balls, claim.angle, widest_return(balls, claim, threshold), 150))
        head = Head(claim, balls, Work(10**6))
        fails = {
            i - 1 - j
            for i in range(2, 152, 7)
            for j in range(i - 1)
            if head.score(i, i - 1) - head.score(i, j) < threshold
        }
        assert fails
        assert fails <= near
        assert len(near) < 150


def period_certificate(theta, dtype, kind, **claim):
    fields = {"verdict": "non-periodic", "period": None, "preperiod": None, "eventual": None, "leaves": None} | claim
    form = value_set_form(value_set(dtype))
    hints = {"because": "finite-table", "positions": []}
    head = {"kind": "period", "F": form, "realize": kind, "theta": angle_form(Angle.parse(theta, "theta"))}
    return certificate_bytes(head | fields, hints)


def slow_period(theta, dtype, kind, length):
    """What the first `length` blocks show: where a NaN comes first, or the least preperiod and period."""
    rotation = realize(kind, Angle.parse(theta, "theta"), value_set(dtype))
    blocks = [rotation.block(i) for i in range(length)]
    leaves = next((i for i, block in enumerate(blocks) if any(x != x for x in block)), None)
    if leaves is not None:
        return {"leaves": leaves}
    for period in range(1, length // 2):
        start = length - period
        while start and blocks[start - 1] == blocks[start - 1 + period]:
            start -= 1
        if start < length // 2:
            claim = {"preperiod": start, "eventual": period}
            return claim | ({"verdict": "periodic", "period": period} if start == 0 else {})
    return {}


@pytest.mark.parametrize(
    ("theta", "dtype", "kind", "length"),
    [
        ("1", "fp16", "ideal", 400),
        ("2pi*3/35", "e2m1", "ideal", 200),
        ("2pi*3/35", "fp16", "table", 200),
        ("2pi/3", "e2m1", "table", 60),
        ("1", "fixed:8.0:zero", "ideal", 60),
        ("1", "e4m3", "phase", 600),
        ("1", "e4m3:saturate", "phase", 920),
        ("0.3", "fixed:8.3", "phase", 100),
        ("1", "e5m2", "counter", 60),
        ("0.01", "e4m3:up", "counter", 600),
        ("1", "e5m2", "recurrence", 300),
        ("0.4", "e4m3", "recurrence", 3000),
        ("0.01", "fixed:8.0", "phase", 280),
    ],
)
def test_arb_on_periods(theta, dtype, kind, length):
    truth = slow_period(theta, dtype, kind, length)
    opinion = flint_opinion(period_certificate(theta, dtype, kind, **truth))
    assert opinion.verdict == "verified", str(opinion)
    for name, value in truth.items():
        if isinstance(value, int):
            wrong = period_certificate(theta, dtype, kind, **(truth | {name: value + 1}))
            assert flint_opinion(wrong).verdict == "refuted", name
    if not truth:
        wrong = period_certificate(theta, dtype, kind, verdict="periodic", period=710, preperiod=0, eventual=710)
        assert flint_opinion(wrong).verdict == "refuted"


# -- bitwuzla --------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    "arguments",
    [("1", 40, "fp16"), ("1", 100, "fp16:zero"), ("1/2", 20, "e5m2"), ("2pi/11", 60, "fp16", 1, "table")],
    ids=str,
)
def test_the_solver_verifies_ranges_and_not_their_neighbours(arguments):
    pytest.importorskip("bitwuzla")
    data = certificate(*arguments)
    opinion = smt_opinion(data)
    assert opinion.verdict == "verified", str(opinion)
    value = json.loads(data)["claim"]["value"]
    assert smt_opinion(changed(data, value=value + 1)).verdict == "refuted"
    if value:
        assert smt_opinion(changed(data, value=value - 1)).verdict == "undecided"  # the pair of the hints is too far


@pytest.mark.exhaustive
@pytest.mark.parametrize("arguments", [("1", 10000, "fp16"), ("1", 10000, "bf16"), ("1", 256, "e4m3")], ids=str)
def test_the_solver_on_longer_ranges(arguments):
    pytest.importorskip("bitwuzla")
    assert smt_opinion(certificate(*arguments)).verdict == "verified"


@pytest.mark.parametrize("dtype", ["bf16", "e4m3", "e5m2", "e3m2:nan", "e5m8"])
def test_a_format_that_the_solver_does_not_have_is_carried_exactly(dtype):
    bitwuzla = pytest.importorskip("bitwuzla")
    from certify.second_opinions.smt_arithmetic import Carried, arithmetic

    values = read_claim(flarge_certificate(dtype)).values
    terms = bitwuzla.TermManager()
    encoded = arithmetic(bitwuzla, terms, values)
    assert isinstance(encoded, Carried)
    rng = random.Random(dtype)
    differ = []
    for _ in range(40):
        top = values.top()
        a, b = (
            mpq(rng.choice([1, -1])) * values.size(rng.choice([rng.randint(0, top), rng.randint(0, 20), top]))
            for _ in "ab"
        )
        for term, exact in ((encoded.times, a * b), (encoded.plus, a + b), (encoded.minus, a - b)):
            result, expected = term(encoded.literal(a), encoded.literal(b)), values.round(exact)
            if isinstance(expected, float):  # an infinity stands for a NaN, too
                right = encoded.term("FP_IS_INF", result)
            else:
                right = encoded.term("FP_EQUAL", result, encoded.literal(expected))
            differ.append(encoded.term("NOT", right))
    solver = bitwuzla.Bitwuzla(terms, bitwuzla.Options())
    solver.assert_formula(encoded.term("OR", *differ), *encoded.sides)
    assert solver.check_sat() == bitwuzla.Result.UNSAT


@pytest.mark.parametrize(
    ("data", "why"),
    [
        (lambda: flarge_certificate("fp16"), "certified ranges only"),
        (lambda: certificate("1", 40, "fp16", 1, "phase"), "not phase"),
        (lambda: certificate("1", 40, "fp16", 1, "ideal", "weight"), "criterion gap"),
        (lambda: certificate("1", 40, "fp16", score="fp32"), "one value set"),
        (lambda: certificate("1", 15, "fixed:8.3"), "formats without ftz"),
        (lambda: certificate("1", 40, "fp16:ftz"), "formats without ftz"),
        (lambda: certificate("1", 10, "e4m3:saturate"), "do not saturate"),
        (lambda: certificate("1", 40, "e4m3", fma=True), "fma"),
    ],
)
def test_what_the_solver_is_not_asked(data, why):
    pytest.importorskip("bitwuzla")
    opinion = smt_opinion(data())
    assert opinion.verdict == "unsupported"
    assert why in opinion.text


def test_the_solver_has_a_time_limit():
    pytest.importorskip("bitwuzla")
    assert smt_opinion(certificate("1", 10000, "fp16"), time_limit=0.01).verdict == "undecided"


def test_nothing_is_computed_by_what_is_to_be_confirmed():
    program = """
import pkgutil, sys
from importlib import import_module
import certify.second_opinions as package
for module in pkgutil.walk_packages(package.__path__, package.__name__ + "."):
    import_module(module.name)
print(*sorted(name for name in sys.modules if name.split(".")[0] in ("certify", "fpsim")))
"""
    done = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True)
    others = [name for name in done.stdout.split() if not name.startswith("certify.second_opinions")]
    assert others == ["certify", "fpsim", "fpsim.errors"]


# -- reading, and what is not installed ------------------------------------------------------------------------------------


@pytest.mark.parametrize("extra", ["flint", "smt"])
def test_what_to_install_is_said(monkeypatch, extra):
    from certify.second_opinions import flint, smt

    monkeypatch.setitem(sys.modules, {"flint": "flint", "smt": "bitwuzla"}[extra], None)
    with pytest.raises(UnsupportedError, match=rf"pip install 'fpcert\[{extra}\]'"):
        {"flint": flint, "smt": smt}[extra].second_opinion(flarge_certificate("fp16"))


@pytest.mark.parametrize(
    "change",
    [
        {"value": -1}, {"value": 2.5}, {"value": "5"}, {"value": True}, {"k": 0}, {"C": -40}, {"C": "40/0"}, {"g": "one"},
        {"g": "--1"}, {"g": 1}, {"regime": {}}, {"criterion": "other"}, {"realize": None}, {"C": "1p99999999"},
        {"C": "1" * 5000}, {"kind": "other"},
    ],
    ids=str,
)  # fmt: skip
def test_what_has_another_form_is_refused(change):
    data = changed(certificate("1", 40, "fp16"), **change)
    with pytest.raises((InputError, UnsupportedError)):
        read_claim(data)


@pytest.mark.parametrize(
    "data",
    [
        b"",
        b"[]",
        b"{}",
        b"\xff",
        b"nonsense",
        b'{"fpcert":1}',
        b'{"fpcert":1,"fpcert":1}',
        b"[" * 100000,
        b" " * 1048577,
    ],
)
def test_what_is_no_certificate_is_refused(data):
    with pytest.raises(InputError):
        read_claim(data)
