"""The certified range: the table of "semantics 1", §5, and a naive program in plain fractions that shares no code."""

from bisect import bisect_right
from fractions import Fraction

import mpmath
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import certify
from certify.certified_range.exhaustive import ReferenceRows
from certify.certified_range.result import CertifiedRange, CertifiedRanges
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.realization import Counter, Recurrence
from fpsim.realization import realize as realized
from fpsim.realization.array_file import ArrayKind
from fpsim.valueset import ValueSet

TABLE = [
    ("fp16", "1", "40", 1, 5, (7, 0)), ("fp16", "1", "10000", 1, 43, (45, 0)), ("fp16", "1", "60000", 1, 44, (46, 1)),
    ("bf16", "1", "10000", 1, 20, (22, 2)), ("e4m3", "1", "256", 1, 5, (7, 0)), ("fixed:8.3", "1", "15", 1, 5, (7, 0)),
    ("fixed:8.4", "1", "7", 1, 0, (2, 0)), ("fp32", "1", "1e12", 1, 709, (711, 0)), ("fp16", "1", "40", 7, 6, (8, 7)),
]  # fmt: skip


@pytest.mark.parametrize(("dtype", "g", "scale", "k", "n_max", "pair"), TABLE)
def test_table(dtype, g, scale, k, n_max, pair):
    result = certify.nmax(g=g, C=scale, dtype=dtype, k=k)
    assert (result.n_max, result.status, (result.witness.i, result.witness.j)) == (n_max, "exact", pair)
    assert result.usable == (n_max >= k)
    assert result.witness.gap < result.f_large


def test_weight_criterion_can_fail_where_gap_holds():
    assert certify.nmax(g=1, C=256, dtype="e4m3").n_max == 5
    assert certify.nmax(g=1, C=256, dtype="e4m3", criterion="weight").n_max == 2


# -- a naive program: fractions, a sorted list of values, mpmath for cosines ---------------------------------------------


class Naive:
    """Nearest-even rounding into a sorted list of fractions that saturates, and the head of §4 on top of it."""

    def __init__(self, values):
        self.values = sorted(values)
        self.zero = self.values.index(0)

    def round(self, x):
        right = bisect_right(self.values, x)
        if right == 0:
            return self.values[0]
        if right == len(self.values):
            return self.values[-1]
        lo, hi = self.values[right - 1], self.values[right]
        if 2 * x == lo + hi:
            return lo if (right - 1 - self.zero) % 2 == 0 else hi
        return lo if 2 * x < lo + hi else hi

    def real(self, x):
        """Rounds an mpmath number, after checking that no boundary is near."""
        sign, mantissa, exponent, _ = x._mpf_
        return self.round((-1 if sign else 1) * int(mantissa) * Fraction(2) ** int(exponent))

    def turned(self, turn, state):
        (a, b), (c, s) = turn, state
        return (
            self.round(self.round(a * c) - self.round(b * s)),
            self.round(self.round(b * c) + self.round(a * s)),
        )

    def f_large(self):
        return next(
            (f for f in self.values if f > 0 and self.real(mpmath.exp(-mpmath.mpf(f.numerator) / f.denominator)) == 0),
            None,
        )

    def nmax(self, g, scale, k, realize, limit):
        with mpmath.workprec(400):
            f_large = self.f_large()
            if f_large is None:
                return None
            exact = mpmath.mpf(g.numerator) / g.denominator
            stored = self.real(exact) if realize in ("phase", "counter") else g
            factor = mpmath.mpf(scale.numerator) / scale.denominator
            angle = mpmath.mpf(stored.numerator) / stored.denominator
            b0, b1 = self.real(factor * mpmath.cos(k * angle)), self.real(-factor * mpmath.sin(k * angle))
            keys, count = [], Fraction(0)
            turn = self.real(mpmath.cos(exact)), self.real(mpmath.sin(exact))
            for i in range(limit + 2):
                phase = exact * i
                if realize in ("phase", "counter"):
                    rounded = self.round(stored * (count if realize == "counter" else self.round(Fraction(i))))
                    phase = mpmath.mpf(rounded.numerator) / rounded.denominator
                    count = self.round(count + 1)
                c, s = self.real(mpmath.cos(phase)), self.real(mpmath.sin(phase))
                if realize == "recurrence":
                    c, s = self.turned(turn, keys[-1]) if keys else (self.round(Fraction(1)), Fraction(0))
                keys.append((c, s))
                q0 = self.round(self.round(c * b0) - self.round(s * b1))
                q1 = self.round(self.round(s * b0) + self.round(c * b1))
                scores = [self.round(self.round(q0 * kc) + self.round(q1 * ks)) for kc, ks in keys[:i]]
                if i >= k + 1:
                    for j in range(i):
                        if j != i - k and scores[i - k] - scores[j] < f_large:
                            return i - 2, (i, j)
        return None


@given(
    positive=st.lists(st.fractions(Fraction(1, 40), 30, max_denominator=40), min_size=3, max_size=25, unique=True),
    negative=st.lists(st.fractions(-30, Fraction(-1, 40), max_denominator=40), max_size=25, unique=True),
    g=st.fractions(Fraction(1, 20), 7, max_denominator=50),
    scale=st.fractions(1, 25, max_denominator=10),
    k=st.integers(1, 4),
    realize=st.sampled_from(["ideal", "phase", "counter", "recurrence"]),
)
@settings(max_examples=200)
def test_small_random_grids_against_the_naive_program(positive, negative, g, scale, k, realize):
    values = [Fraction(0), *positive, *negative]
    right = Naive(values).nmax(g, scale, k, realize, 60)
    got = certify.nmax(g=g, C=scale, k=k, realize=realize, max_length=60,
                       dtype=grid([str(v) for v in values], overflow="saturate"))  # fmt: skip
    if got.status == "undefined":
        assert Naive(values).f_large() is None
    elif right is None:
        assert got.status == "at_least"
    else:
        assert (got.n_max, (got.witness.i, got.witness.j)) == right


@given(
    bits=st.integers(5, 9), fraction=st.integers(1, 5), g=st.fractions(Fraction(1, 9), 9, max_denominator=1000),
    scale=st.fractions(1, 14, max_denominator=10), k=st.integers(1, 5), realize=st.sampled_from(["ideal", "phase", "counter", "recurrence"]),
)  # fmt: skip
@settings(max_examples=100)
def test_fixed_point_against_the_naive_program(bits, fraction, g, scale, k, realize):
    values = ValueSet.parse(f"fixed:{bits}.{fraction}")
    listed = [Fraction(n, 2**fraction) for n in range(values.first, values.last + 1)]
    naive = Naive(listed)
    got = certify.nmax(g=g, C=scale, k=k, realize=realize, dtype=values, max_length=60)
    if naive.f_large() is None:
        assert got.status == "undefined"
    else:
        assert (got.n_max, (got.witness.i, got.witness.j)) == naive.nmax(g, scale, k, realize, 60)


# -- what a result carries -------------------------------------------------------------------------------------------------


def test_several_offsets_take_the_least():
    result = certify.nmax(g=1, C=10000, dtype="fp16", k="1,2,3")
    assert isinstance(result, CertifiedRanges)
    assert result.n_max == min(part.n_max for part in result.results)
    assert [part.k for part in result.results] == [1, 2, 3]
    assert certify.nmax(g=1, C=10000, dtype="fp16", k=[2, 1, 2]).n_max == result.n_max
    assert not certify.nmax(g=1, C=40, dtype="fp16", k="1,7").usable


def test_a_limit_gives_at_least():
    result = certify.nmax(g=1, C=10000, dtype="fp16", max_length=30, method="exhaustive")
    assert (result.status, result.n_max, result.lower, result.upper) == ("at_least", 30, 30, None)
    assert certify.nmax(g=1, C=10000, dtype="fp16", max_length=43, method="exhaustive").status == "at_least"
    assert certify.nmax(g=1, C=10000, dtype="fp16", max_length=44, method="exhaustive").n_max == 43


def test_an_offset_beyond_the_limit_is_vacuous():
    result = certify.nmax(g=1, C=10000, dtype="fp16", k=10**9, max_length=30, method="exhaustive")
    assert (result.status, result.lower, result.usable) == ("at_least", 10**9 - 1, False)


def test_a_value_set_without_f_large_is_an_answer():
    result = certify.nmax(g=1, C=1, dtype=grid([f"{k}/1000" for k in range(-1000, 1001)]))
    assert (result.status, result.n_max, result.usable) == ("undefined", None, False)
    assert "f_large" in result.reason
    assert "is not judged" not in result.reason
    assert "is not judged" in certify.nmax(g="pi", C=3, dtype="e2m5", criterion="weight").reason


def test_an_infinite_score_is_a_failing_pair_with_its_reason():
    result = certify.nmax(g=1, C=60000, dtype="fp16", score_dtype="e5m2", max_length=50)
    assert result.status == "exact"
    assert "infinite" in result.reason


def test_a_position_that_overflows_under_phase_is_a_failing_pair():
    result = certify.nmax(g="2.5", C=400, dtype="e4m3", realize="phase")
    assert result.status == "exact"


def test_records_and_ideal():
    result = certify.nmax(g=1, C=10000, dtype="fp16")
    assert [record.n for record in result.records] == [1, 6, 19, 25, 44]
    assert (result.ideal_lower, result.ideal_upper) == (43, 43)
    assert all(record.i == record.n + 1 and record.j == 0 for record in result.records)
    assert result.records[-1].gap == result.witness.gap


def test_pigeonhole_bounds_the_answer():
    for g in ("2pi/5", "0.5", "2pi/9"):
        result = certify.nmax(g=g, C=200, dtype="e4m3")
        if result.pigeonhole:
            assert result.n_max <= result.pigeonhole.bound


def test_pairs_are_counted():
    result = certify.nmax(g=1, C=40, dtype="fp16", method="exhaustive")
    # Queries 2..6 have 1 + 2 + 3 + 4 + 5 pairs, and (7, 0) is the first of the six of query 7.
    assert (result.pairs_checked, result.pairs_total) == (16, 21)


def test_json_has_the_promised_keys():
    keys = {"n_max", "status", "usable", "lower", "upper", "f_large", "witness", "reason", "method", "pairs_checked", "pairs_total",
            "ideal", "records", "g", "C", "k", "dtype", "realize", "criterion"}  # fmt: skip
    result = certify.nmax(g=1, C=40, cross_check=True)
    shown = result.to_json()
    assert keys | {"cross_check"} <= shown.keys()
    assert shown["witness"] == {"i": 7, "j": 0, "target_score": 40.03125, "competitor_score": 38.4375, "gap": 1.59375}
    assert shown["cross_check"]["disagreements"] == 0


def test_float_arguments_are_their_binary64_values():
    assert certify.nmax(g=0.1, C=40).g == "0.1000000000000000055511151231257827021181583404541015625"
    assert isinstance(certify.nmax(g=0.1, C=40), CertifiedRange)


@pytest.mark.parametrize("arguments", [
    {"g": 0}, {"g": "x"}, {"C": 0}, {"C": -1}, {"C": "x"}, {"C": "nan"}, {"k": 0}, {"k": -1}, {"k": "1,,2"}, {"k": "1.5"}, {"k": 1.5}, {"k": []},
    {"dtype": "fp17"}, {"C": 10**6}, {"C": 1000, "dtype": "e4m3"}, {"realize": "magic"}, {"criterion": "luck"}, {"method": "magic"},
    {"max_length": 0}, {"max_length": 5.5}, {"order": None}, {"realize": [1]}, {"k": b"1"}, {"k": True}, {"g": "1e-1001"}, {"g": "1e1001"},
    {"C": "1e5001", "dtype": "fp16:saturate"}, {"order": "blocked:0"}, {"order": "wide:x"}, {"score_dtype": "x"},
])  # fmt: skip
def test_bad_arguments(arguments):
    with pytest.raises(InputError, match="should be"):
        certify.nmax(**({"g": 1, "C": 40} | arguments))


def test_stochastic_rounding_makes_no_claims():
    for arguments in (
        {"dtype": "fp16:stochastic=1"},
        {"order": "wide:fp16:stochastic=1"},
        {"score_dtype": "nf4:stochastic=1"},
    ):
        with pytest.raises(UnsupportedError, match="stochastic"):
            certify.nmax(**({"g": 1, "C": 40} | arguments))


@pytest.mark.parametrize("k", [np.int64(2), np.array(2), [2], (2,), "2"])
def test_offsets_of_any_integer_type(k):
    result = certify.nmax(g=1, C=40, k=k)
    assert result.n_max == certify.nmax(g=1, C=40, k=2).n_max


def test_weight_by_default_has_the_first_pair_and_its_weights():
    question = {
        "g": "5.412",
        "C": "17.3",
        "dtype": "e6m1",
        "k": 29,
        "realize": "phase",
        "criterion": "weight",
        "order": "reverse",
    }
    assert certify.nmax(**question).witness == certify.nmax(**question, method="exhaustive").witness


@pytest.mark.parametrize("arguments", [
    {"dtype": "fp16", "C": 60000}, {"dtype": "bf16", "C": 10000, "realize": "phase"}, {"dtype": "e4m3", "C": 256}, {"g": "2pi/3", "C": 15, "dtype": "fixed:8.3"},
    {"dtype": "bf16", "score_dtype": "fp32", "fma": True}, {"dtype": "fp128", "C": 10**18, "max_length": 40}, {"dtype": "fp16:ftz:down", "g": "0.1"},
    {"dtype": "fp32", "C": "1e9", "max_length": 100}, {"dtype": "e3m2", "C": 20, "g": "0.7", "realize": "phase"},
])  # fmt: skip
def test_cross_check_agrees(arguments):
    check = certify.nmax(**({"g": 1, "C": 40, "cross_check": True} | arguments)).cross_check
    assert check.disagreements == 0, check.first
    assert check.values > 10


def test_cross_check_finds_a_wrong_value(monkeypatch):
    from fpsim.realization import Ideal

    right = Ideal.block

    def wrong(self, position):
        c, s = right(self, position)
        return (self.values.value(self.values.index(c) - 1), s) if position == 3 else (c, s)

    monkeypatch.setattr(Ideal, "block", wrong)
    monkeypatch.setattr("certify.certified_range.cross_check.Head.key", lambda self, i: right(self.realization, i))
    check = certify.nmax(g=1, C=40, cross_check=True, method="exhaustive").cross_check
    assert check.disagreements >= 1
    assert "position 3" in check.first


# -- realizations ----------------------------------------------------------------------------------------------------------


def test_a_table_is_ideal_at_a_rational_turn():
    one, other = (certify.nmax(g="2pi*5/44", C=60000, dtype="fp16", realize=kind) for kind in ("table", "ideal"))
    assert (one.n_max, one.witness, one.method) == (other.n_max, other.witness, other.method)
    assert (one.realize, one.status) == ("table", "exact")
    with pytest.raises(InputError, match="rational multiple of pi"):
        certify.nmax(g=1, C=40, realize="table")


def test_realizations_of_binary32():
    """A counter is `phase` up to 2^24; the recurrence fails at the same near-return."""
    for kind in ("ideal", "phase", "counter", "recurrence"):
        result = certify.nmax(g=1, C="1e12", dtype="fp32", realize=kind)
        assert (result.n_max, result.status, result.realize) == (709, "exact", kind)
        assert (result.witness.i, result.witness.j) == (711, 0)


def test_upper_bounds_from_positions_that_repeat():
    counter = certify.nmax(g="2pi/97", C=448, dtype="e4m3", realize="counter", method="bracket")
    assert counter.upper <= 16  # positions 16 and 17 are one number
    stays = certify.nmax(g="0.001", C=60000, dtype="fp16", realize="counter", k=3)
    assert stays.status == "exact"
    assert stays.n_max <= 2049 + 3 - 2


def test_a_counter_that_leaves_the_value_set_is_a_failing_pair():
    """e3m2 with overflow to NaN, rounding up: 8, 10, 12, .., 28, NaN."""
    result = certify.nmax(g="1", C=28, dtype="e3m2:nan:up", realize="counter", softmax_dtype="e2m1", score_dtype="fp32")
    assert result.status == "exact"
    question = result.question
    scores = [question.head.score(18, j) for j in range(18)]
    assert any(score != score for score in scores)
    assert result.n_max <= 16


@pytest.mark.parametrize(
    ("dtype", "g", "scale", "k", "softmax", "n_max", "what"),
    [("e4m3", "2pi/7", 20, 1, "e2m1", 132, "NaN"), ("e5m2:up", "2", 200, 1, "e4m3", 100, "infinite"), ("e4m3:away", "2.5", 200, 5, "e2m1", 24, "NaN")],
)  # fmt: skip
def test_a_recurrence_that_leaves_the_value_set_is_a_failing_pair_with_its_reason(
    dtype, g, scale, k, softmax, n_max, what
):
    """Where the norm grows the gap holds until a state, or what is made of it, overflows."""
    wide = {"score_dtype": "fp32", "rotate_dtype": "fp32", "softmax_dtype": softmax}
    for method in ("auto", "exhaustive"):
        result = certify.nmax(g=g, C=scale, dtype=dtype, k=k, realize="recurrence", method=method, **wide)
        assert (result.n_max, result.status) == (n_max, "exact")
        assert f"is {what}" in result.reason
        assert result.cross_check is None
    check = certify.nmax(g=g, C=scale, dtype=dtype, k=k, realize="recurrence", cross_check=True, **wide).cross_check
    assert check.disagreements == 0, check.first


def saved_array(folder, kind, angle, dtype, positions, pairs=1):
    rows = [realized(kind, Angle.parse(angle), ValueSet.parse(dtype)).block(i) for i in range(positions)]
    c, s = (np.array([[float(entry[part])] * pairs for entry in rows]) for part in (0, 1))
    path = folder / "blocks.npz"
    np.savez(path, cos=c, sin=s)
    return path


def test_an_array_of_ideal_blocks_answers_as_ideal_does(tmp_path):
    """But for the bias, which is made of the rounded c_k and s_k, and is taken exactly here: C = 1 times a power of 2."""
    path = saved_array(tmp_path, "phase", "1", "fp16", 400)
    results = [certify.nmax(g=1, C=C, dtype="fp16", k=k, realize=f"array:{path}", method=method) for C in (32, 60000) for k in (1, 2, 7)
               for method in ("auto", "exhaustive", "pruned")]  # fmt: skip
    for one, other, third in zip(*[iter(results)] * 3, strict=True):
        assert one.status == other.status == "exact"
        assert (one.n_max, one.witness) == (other.n_max, other.witness) == (third.n_max, third.witness)
        assert one.realize == f"array:{path}"
        assert one.to_json()["realize"] == one.realize
    question = results[0].question
    c, s = question.head.realization.block(1)
    assert question.head.bias == (32 * c, -32 * s)


def test_the_end_of_an_array_ends_the_search(tmp_path):
    path = saved_array(tmp_path, "ideal", "1", "fp16", 20)
    for method in ("auto", "exhaustive", "pruned"):
        for limit in (None, 18, 10**6):
            result = certify.nmax(g=1, C=60000, dtype="fp16", realize=f"array:{path}", method=method, max_length=limit)
            assert (result.status, result.n_max, result.reason) == ("at_least", 18, "the array ends at position 19")
            assert result.records[-1].i <= 19
        below = certify.nmax(g=1, C=60000, dtype="fp16", realize=f"array:{path}", method=method, max_length=17)
        assert (below.status, below.n_max, below.reason) == ("at_least", 17, "the search ended at the length limit 17")
    assert certify.nmax(g=1, C=60000, dtype="fp16", realize=f"array:{path}", criterion="weight").n_max == 18
    assert certify.nmax(g=1, C=60000, dtype="fp16", realize=f"array:{path}", k=18).lower == 18
    for k in (19, 20, 10**9, "1,19"):
        with pytest.raises(InputError, match="at most 18"):
            certify.nmax(g=1, C=60000, dtype="fp16", realize=f"array:{path}", k=k)
    assert certify.nmax(g=1, C=60000, dtype="fp16", realize=f"array:{path}", method="bracket").status == "at_least"


def test_long_arrays_go_through_buckets(tmp_path):
    path = saved_array(tmp_path, "ideal", "2pi/600", "fp32", 1300)
    results = [
        certify.nmax(g="2pi/600", C="1e9", dtype="fp32", realize=f"array:{path}", method=m)
        for m in ("auto", "exhaustive")
    ]
    assert [(r.n_max, r.status) for r in results] == [(599, "exact")] * 2
    assert results[0].witness == results[1].witness
    assert "buckets" in results[0].method
    assert results[0].pairs_checked < results[1].pairs_checked / 20
    assert results[0].pigeonhole is None or results[0].pigeonhole.bound >= 599


def test_an_array_in_python_and_wrong_ones(tmp_path):
    kind = ArrayKind.of(np.float16([1, 0.5, -0.5, -1, -0.5, 0.5]), np.float16([0, 0.75, 0.75, 0, -0.75, -0.75]))
    result = certify.nmax(g="pi/3", C=64, dtype="fp16", realize=kind)
    assert (result.realize, result.status) == ("array", "at_least")
    with pytest.raises(InputError, match="a value of e2m1"):
        certify.nmax(g=1, C=4, dtype="e2m1", realize=kind)
    with pytest.raises(InputError, match="exists"):
        certify.nmax(g=1, C=40, realize=f"array:{tmp_path / 'missing.npy'}")
    with pytest.raises(InputError, match="realize"):
        certify.nmax(g=1, C=40, realize="array")
    wide = certify.nmax(g="pi/3", C=64, dtype="fp128", softmax_dtype="fp16", realize=kind)  # by the reference alone
    assert (wide.status, wide.reason) == ("at_least", "the array ends at position 5")


@pytest.mark.parametrize("kind", ["table", "counter", "recurrence", "array"])
@pytest.mark.parametrize("dtype", ["fp16", "fp16:up", "bf16:down", "e4m3", "fixed:12.5:odd", "fp16:ftz:zero", "fp128"])
def test_cross_check_of_every_realization(kind, dtype):
    angle, values = Angle.parse("2pi*3/44"), ValueSet.parse(dtype)
    if kind == "array":
        rows = [[float(entry) for entry in realized("ideal", angle, values).block(i)] for i in range(60)]
        kind = ArrayKind.of(rows if dtype != "fp128" else np.round(rows, 1))
    result = certify.nmax(
        g=angle, C=50, dtype=values, realize=kind, cross_check=True, max_length=58, softmax_dtype="fp16"
    )
    assert result.cross_check.disagreements == 0, result.cross_check.first
    assert result.cross_check.values > 10


def test_cross_check_finds_a_wrong_step(monkeypatch):
    right = Recurrence.block

    def wrong(self, position):
        c, s = right(self, position)
        return (c, self.values.value(self.values.index(s) + 1)) if position == 4 else (c, s)

    monkeypatch.setattr(Recurrence, "block", wrong)
    check = certify.nmax(g=1, C=40, realize="recurrence", cross_check=True, method="exhaustive").cross_check
    assert check.disagreements >= 1
    assert "position 4" in check.first
    monkeypatch.setattr(Counter, "position", lambda self, i: mpq(i + (i > 3)))
    check = certify.nmax(g=1, C=40, realize="counter", cross_check=True, method="exhaustive").cross_check
    assert (check.disagreements, check.first) == (1, "x at position 4")


# -- pipelines -------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", ["transformers", "all-bf16", "llama", "vllm", "tf32-product", "gemma-jax", "ggml-cpu"])
@pytest.mark.parametrize("dtype", ["bf16", "fp16"])
def test_pipelines_by_every_road(name: str, dtype: str) -> None:
    """A pipeline's blocks, its keys rounded once more where its tables are wider, by the reference and by kernels."""
    asked = {"C": 30000, "dtype": dtype, "pipeline": name, "score_dtype": "fp32", "softmax_dtype": "e4m3", "k": 2}
    results = [certify.nmax(g="0.7", method=method, **asked) for method in ("auto", "pruned", "exhaustive")]
    assert {(r.n_max, r.witness.i, r.witness.j) for r in results} == {
        (results[0].n_max, results[0].witness.i, results[0].witness.j)
    }
    question = results[0].question
    rows = ReferenceRows(question)
    assert rows.first_failure(3, results[0].n_max + 3) == results[0].n_max + 2
    assert results[0].stages["rotate"] == question.regime.rotate.name


def test_a_pipeline_is_no_realization() -> None:
    with pytest.raises(InputError, match="pipeline"):
        certify.nmax(g="1", C=40, realize="phase", pipeline="vllm")


@pytest.mark.parametrize("name", ["llama", "ggml-cuda", "transformers"])
def test_the_arrays_of_a_pipeline_have_the_keys_and_queries_of_the_reference(name: str) -> None:
    from certify.certified_range.fast_rows import FastRows
    from certify.certified_range.pruned_near_fast import KeyTable

    question = certify.nmax(g="0.7", C=300, dtype="bf16", pipeline=name).question
    rows, table, head = FastRows(question), KeyTable(question), question.head
    for count in (100, 150):
        rows._grow(count)
        table.grow(count)
    q0, q1 = table.queries(0, 150)
    assert head.rounds_keys is (name != "transformers")
    for i in range(150):
        key, query = head.key(i), head.query(i)
        assert (table.c[i], table.s[i]) == (rows._c[i], rows._s[i]) == tuple(map(float, key))
        assert (q0[i], q1[i]) == (rows._q0[i], rows._q1[i]) == tuple(map(float, query))


@pytest.mark.parametrize(("name", "dtype", "criterion"), [
    ("llama", "bf16", "gap"), ("gpt-j", "fp16", "gap"), ("gemma-jax", "e4m3", "gap"), ("ggml-cuda", "bf16", "weight"),
])  # fmt: skip
def test_a_query_is_of_the_realized_block_and_a_key_of_the_stored_one(name, dtype, criterion):
    """Where the table is wider than the data type: every road against `fpsim.head.Head.score`, pair by pair."""
    differ = 0
    for number in range(14):
        g = f"{10 + 3 * number}/37"
        found = certify.nmax(g=g, C=200, dtype=dtype, pipeline=name, criterion=criterion, method="exhaustive")
        head = found.question.head
        i = found.witness.i
        rows = ReferenceRows(found.question)
        for query in range(2, i + 1):
            scores = [head.score(query, j) for j in range(query)]
            assert rows.scores(query) == scores
            if criterion == "gap":
                holds = all(scores[-1] - score >= found.question.threshold for score in scores[:-1])
                assert holds is (query < i)
            differ += head.rotated_bias(head.key(query)) != head.query(query)
        other = certify.nmax(g=g, C=200, dtype=dtype, pipeline=name, criterion=criterion, method="pruned")
        assert (other.n_max, other.witness) == (found.n_max, found.witness)
    assert differ > 10  # or the test shows nothing


def test_a_head_of_many_pairs_has_wide_tables_too():
    found = certify.nmax(base="100", dim=4, C=50, dtype="bf16", pipeline="llama", cross_check=True)
    rows, head = ReferenceRows(found.question), found.question.head
    for i in range(2, 30):
        assert rows.scores(i) == [head.score(i, j) for j in range(i)]
    assert found.cross_check.disagreements == 0
