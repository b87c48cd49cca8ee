"""The pruned road gives exactly the exhaustive answer, by each of its walks, and looks at few pairs."""

import random
from dataclasses import replace

import numpy as np
import pytest
from gmpy2 import mpq

from certify.certified_range import long_scan, pruned, pruned_near_fast
from certify.certified_range.buckets import BucketWalk, longest_so_far
from certify.certified_range.buckets_kernel import STRETCH, bucket_of
from certify.certified_range.compute import nmax_of
from certify.certified_range.error_bound import ErrorBounds, error_bounds
from certify.certified_range.exhaustive import scan
from certify.certified_range.fast_rows import fast_rows, has_fast_rows
from certify.certified_range.pruned import PrunedScan, pruned_scan
from certify.certified_range.pruned_near import NearReturns, ReferenceNear
from certify.certified_range.pruned_near_fast import FastNear
from certify.certified_range.question import Question
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.realization import realize
from fpsim.realization.array_file import ArrayKind
from fpsim.realization.membership import members
from fpsim.regime import Regime
from fpsim.rounding.specs import spec_of

MAGNITUDES = ["1/8", "1/4", "1/2", "3/4", "1", "3/2", "5/2", "4", "6", "9", "14"]
LIKE_NF4 = grid([0, *MAGNITUDES, *(f"-{x}" for x in MAGNITUDES)], name="like-nf4")
THIRDS = grid([f"{n}/3" for n in range(-40, 41)], overflow="saturate", name="thirds")  # which binary64 does not hold


def question(dtype, g, scale, k=1, kind="ideal", criterion="gap", **regime):
    return Question(Angle.parse(g), mpq(scale), k, Regime.of(dtype, **regime), kind, criterion)


@pytest.mark.parametrize(
    ("dtype", "g", "scale", "k", "n_max", "pair"),
    [
        ("fp64", "1", 10**18, 1, 80143856, (80143858, 0)),
        ("fp128", "1", 10**18, 1, 10838701, (10838703, 0)),
        ("fp128", "1", 10**37, 1, 30246273033735920, (30246273033735922, 0)),
        ("fp32", "1", 10**12, 1, 709, (711, 0)),
        ("fp32", "1/10", 10**9, 1, 7099, (7101, 0)),
        ("fp16", "1", 60000, 1, 44, (46, 1)),
        ("bf16", "1", 10000, 1, 20, (22, 2)),
        ("fp16", "1", 40, 7, 6, (8, 7)),
        ("bf16", "0.098175", 58257290, 56, 118, (120, 0)),
        ("fixed:8.4", "1", 7, 1, 0, (2, 0)),
        ("e4m3", "1", 256, 1, 5, (7, 0)),
    ],
)
def test_values_that_must_come_out(dtype, g, scale, k, n_max, pair):
    found = pruned_scan(question(dtype, g, scale, k), 10**18)
    assert (found.failure.witness.i, found.failure.witness.j) == pair
    assert found.reached - 2 == n_max
    assert found.pairs_checked < 500
    assert (found.road, found.note) == ("near-returns", None)


# -- against the exhaustive road, on random heads -------------------------------------------------------------------------

SETS = [
    "fp16", "bf16", "fp32", "tf32", "e5m2", "e4m3", "e4m3:saturate", "e3m2", "e2m3", "e2m1", "fixed:8.3", "fixed:8.4", "fixed:12.5",
    "fixed:16.8:zero", "fixed:10.4:up", "fp16:zero", "fp16:up", "fp16:down", "bf16:away", "bf16:odd", "fp16:ftz", "e4m3fnuz",
    "e5m2fnuz", "e5m4:ftz:odd", "fp32:up", "tf32:ftz", "fp16:saturate", "fp16:nan", LIKE_NF4, THIRDS,
]  # fmt: skip
ANGLES = ["1", "0.1", "2", "pi/7", "2pi*3/7", "-1.3", "1e-3", "6.2", "7.5", "355/113", "0.098175", "pi/2", "2pi*5/12", "-0.01", "100"]  # fmt: skip
KINDS = ["ideal", "phase", "table", "recurrence", "counter", "array"]
ORDERS = ["sequential", "reverse", "pairwise", "blocked:3", "wide:tf32"]


def random_array(source, values, angle):
    """The blocks of another realization, with some entries that are repeated, negated or anything; or any values."""
    length = source.choice([5, 12, 60, 150, 400])
    other = realize(source.choice(["ideal", "recurrence"]), angle, values)
    rows = np.array([[float(entry) for entry in other.block(i)] for i in range(min(length, 70))])
    rows = rows[np.arange(length) % len(rows)]
    if source.random() < 0.2:
        near = [values.value(n) for n in range(max(values.first, -60), min(values.last, 60) + 1)]
        rows = np.array([[float(source.choice(near)) for _ in range(2)] for _ in range(length)])
    for _ in range(source.choice([0, 0, 1, 5])):
        rows[source.randrange(length)] = rows[source.randrange(length)] * [1, source.choice([1, -1])]
    return ArrayKind.of(np.where(members(values, rows), rows, 0.0))


def random_question(source, sets=SETS, kinds=KINDS):
    """A head with a threshold; scales up to the largest value, so that some overflow."""
    while True:
        values, criterion = source.choice(sets), source.choice(["gap", "gap", "weight"])
        # The softmax kernel is compiled anew for every mixture of kinds of specs: there the stages are of one kind.
        mixed = [one for one in sets if criterion == "gap" or type(spec_of(one)) is type(spec_of(values))]
        other = {stage: source.choice(mixed) for stage in ("rotate", "score", "softmax") if source.random() < 0.3}
        regime = Regime.of(values, fma=source.random() < 0.3, order=source.choice(ORDERS), **other)
        scale = float(regime.values.max) * source.choice([1, 0.99, 0.5, 0.1, 0.01, 1e-3]) * source.random()
        if source.random() < 0.5:
            scale = min(scale, 10 ** source.uniform(0, 5))
        angle, kind = Angle.parse(source.choice(ANGLES)), source.choice(kinds)
        if kind == "table" and angle.turns is None:
            angle = Angle.parse(source.choice(["2pi*3/44", "pi/7", "2pi/97", "-2pi*5/12", "pi"]))
        if kind == "array":
            kind = random_array(source, regime.values, angle)
        try:
            made = Question(
                angle, mpq(scale), source.choice([1, 1, 1, 2, 3, 5, 8, 20, 60]), regime, kind, criterion,
            )  # fmt: skip
        except InputError:  # a scale that overflows, or none; an array that is too short
            continue
        if made.threshold is not None:
            return made


def same(found, wanted):
    return repr((found.failure, found.reached)) == repr((wanted.failure, wanted.reached))  # NaN equals NaN here


def compare(source, number, limits, seen):
    """Exhaustive in compiled code against pruned, `auto` and the bracket; some by the reference in full as well."""
    for place in range(number):
        asked, limit = random_question(source), source.choice(limits)
        if not has_fast_rows(asked):
            limit = min(limit, 50)
        wanted = scan(asked, limit, rows=lambda asked=asked: fast_rows(asked))
        found = pruned_scan(asked, limit)
        assert same(found, wanted), asked
        if place % 12 == 0:
            assert same(
                scan(asked, min(limit, 60)), scan(asked, min(limit, 60), rows=lambda asked=asked: fast_rows(asked))
            )
        agrees_with_auto_and_bracket(asked, limit, wanted)
        seen.add((found.road, asked.realize, asked.criterion))


def agrees_with_auto_and_bracket(asked, limit, wanted):
    auto, ends = nmax_of(asked, max_length=limit), nmax_of(asked, method="bracket")
    if wanted.failure is None:
        held = wanted.reached - 2
        assert (auto.status, auto.lower) == ("at_least", held) or (auto.status == "exact" and auto.lower >= limit), (
            asked
        )
        assert all(result.upper is None or result.upper >= max(held, 0) for result in (auto, ends)), asked
        if asked.last_query is not None and wanted.reached > asked.last_query:
            assert auto.reason == f"the array ends at position {asked.last_query}"
    else:
        n_max = wanted.failure.witness.i - 2
        assert (auto.status, auto.n_max) == ("exact", n_max), asked
        assert auto.witness is None or repr(auto.witness) == repr(wanted.failure.witness), asked
        assert auto.witness is not None or asked.criterion == "weight"
        assert ends.lower <= n_max, asked
        assert ends.upper is None or n_max <= ends.upper, asked


@pytest.fixture(params=["reference first", "compiled"])
def beginning(request, monkeypatch):
    """Whether a scan begins with a few pairs by the reference, as it does, or with compiled code at once."""
    if request.param == "compiled":
        monkeypatch.setattr(pruned, "FIRST_BY_REFERENCE", 0)
        monkeypatch.setattr(pruned, "FIRST_ROWS_BY_REFERENCE", 0)


@pytest.mark.usefixtures("beginning")
def test_random_heads_as_exhaustively():
    seen = set()
    compare(random.Random(20240), 160, [60, 300], seen)
    wanted = {("near-returns", "ideal"), ("near-returns", "table")}
    if not pruned.FIRST_BY_REFERENCE:
        wanted |= {("buckets", kind) for kind in ("phase", "counter", "recurrence", "array")}
    assert {(road, kind, criterion) for road, kind in wanted for criterion in ("gap", "weight")} <= seen


def test_random_heads_by_the_reference_alone(monkeypatch):
    monkeypatch.setattr(pruned, "has_kernels", lambda asked: False)
    source = random.Random(7)
    for _ in range(60):
        asked = random_question(source)
        assert same(pruned_scan(asked, 60), scan(asked, 60)), asked


@pytest.mark.usefixtures("beginning")
@pytest.mark.parametrize(
    ("seed", "heads"),
    [pytest.param(1, 600, marks=pytest.mark.exhaustive), pytest.param(2, 4000, marks=pytest.mark.thorough)],
)
def test_many_random_heads_as_exhaustively(seed, heads):
    compare(random.Random(seed), heads, [60, 300, 1500], set())


LONG = [
    ("fp32", "0.1", "1e9", 1), ("fp32", "0.01", "1e12", 1), ("fp32", "0.001", "1e20", 1), ("fp32", "0.7", "1e30", 3), ("tf32", "0.1", "1e20", 1),
    ("fp32:zero", "0.3", "1e8", 5), ("fp32", "2pi*1/7001", "1e10", 1), ("bf16", "0.098175", "58257290", 56), ("fp32:down", "-0.2", "1e15", 40),
]  # fmt: skip


@pytest.mark.parametrize("criterion", ["gap", "weight"])
@pytest.mark.parametrize("kind", ["ideal", "phase", "counter", "recurrence"])
@pytest.mark.parametrize("case", LONG[::3])
def test_longer_ranges_as_exhaustively(case, kind, criterion):
    asked = question(*case, kind, criterion)
    limit = 20000 if criterion == "gap" else 500
    found = pruned_scan(asked, limit)
    assert same(found, scan(asked, limit, rows=lambda: fast_rows(asked)))
    assert found.pairs_checked < 60 * found.reached


@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["ideal", "phase", "counter", "recurrence"])
@pytest.mark.parametrize("case", LONG)
@pytest.mark.parametrize("fma", [False, True])
def test_all_longer_ranges_as_exhaustively(case, kind, fma):
    asked = question(*case, kind, fma=fma)
    assert same(pruned_scan(asked, 20000), scan(asked, 20000, rows=lambda: fast_rows(asked)))


# -- each walk by itself ---------------------------------------------------------------------------------------------------


def walked(asked, walk, stop):
    """The first failing pair of the queries up to stop by this walk, a few queries at a time."""
    start = asked.offset + 1
    while start < stop:
        end = min(stop, start + 37)
        found = walk.first_failure(start, end)
        if found is not None:
            return found
        start = end
    return None


WALKS = [
    ("fp16", "1", 60000, 1), ("fp16", "1", 40, 7), ("bf16", "1", 10000, 1), ("bf16", "0.098175", 58257290, 56), ("tf32", "0.1", "1e20", 4),
    ("fp32", "1", "1e12", 1), ("fp16:ftz", "2pi*3/44", 1000, 50), ("fixed:12.5", "0.3", 60, 3), (LIKE_NF4, "1", 3, 2),
]  # fmt: skip


@pytest.mark.parametrize("case", WALKS)
def test_every_walk_finds_the_same_pair(case, monkeypatch):
    asked, stop = question(*case), 760
    wanted = scan(asked, stop - 2, rows=lambda: fast_rows(asked)).failure
    pair = (wanted.witness.i, wanted.witness.j)
    bounds = error_bounds(asked, stop)
    assert isinstance(bounds, ErrorBounds)
    for looser in (0, 3, 10):  # a wider margin lists more near-returns and changes nothing else
        wide = replace(bounds, keys=bounds.keys * (1 + looser), score=bounds.score * (1 + looser))
        returns = NearReturns(wide, asked.threshold, asked.offset)
        assert walked(asked, ReferenceNear(asked, returns), stop) == pair
        table = FastNear(asked, returns)
        assert walked(asked, table, stop) == pair
        with monkeypatch.context() as patch:
            patch.setattr(pruned_near_fast, "_MOST_POSITIONS", 0)
            patch.setattr(long_scan, "WINDOW", 29)
            windows = FastNear(asked, returns)
            assert walked(asked, windows, stop) == pair
        assert windows.near_scores(pair[0]) == table.near_scores(pair[0])
    assert walked(asked, BucketWalk(asked), stop) == pair


def test_windows_far_out_agree_with_the_reference():
    asked = question("fp64", "1", 10**18)
    bounds = error_bounds(asked, 10**9)
    wide = replace(bounds, keys=mpq(160000), score=mpq(10**6))
    returns = NearReturns(wide, asked.threshold, 1)
    assert returns.first_query() == 4272944
    windows = FastNear(asked, returns)
    assert windows.first_failure(80143858 - 70000, 80143858 + 5) == (80143858, 0)
    assert windows.pairs > 70000
    slow = ReferenceNear(asked, returns)
    assert slow.first_failure(80143858 - 20, 80143858 + 5) == (80143858, 0)


def test_the_first_query_is_the_first_that_has_a_near_return():
    source = random.Random(3)
    for _ in range(40):
        asked = random_question(source, ["fp16", "bf16", "fixed:12.5", "tf32"])
        bounds = error_bounds(asked, 300)
        if not isinstance(bounds, ErrorBounds):
            continue
        returns = NearReturns(bounds, asked.threshold, asked.offset)
        meets = [i for i in range(asked.offset + 1, 301) if list(returns.competitors(i))]
        assert returns.first_query() == (meets[0] if meets else returns.first_query())
        for i in meets[:20]:
            places = list(returns.competitors(i))
            assert places == sorted(set(places))
            assert all(0 <= j < i and j != i - asked.offset for j in places)
            assert len(places) == sum(abs(i - asked.offset - j) in returns.listed for j in range(i))


def test_buckets_hold_exact_directions():
    source = np.random.default_rng(5)
    vectors = source.standard_normal((4000, 2)) * 10.0 ** source.integers(-300, 290, (4000, 1))
    vectors = np.concatenate(
        [vectors, [[1, 0], [0, 1], [-1, 0], [0, -1], [0.0, -0.0], [1e308, 1e308], [5e-324, -5e-324]]]
    )
    size = 1 << 12
    for x, y in vectors.tolist():
        bucket = bucket_of(x, y, float(size))
        a, b = mpq(x), mpq(y)
        if a == b == 0:
            continue
        exact = b / (abs(a) + abs(b)) if a >= 0 else 2 - b / (abs(a) + abs(b))
        exact = exact % 4 * size
        assert any((bucket - low) % (4 * size) in (0, 4 * size - 1) for low in (int(exact), int(exact - mpq(1, 2**30))))
        assert min((bucket - int(exact)) % (4 * size), (int(exact) - bucket) % (4 * size)) <= 1
    assert bucket_of(np.inf, 1.0, float(size)) == bucket_of(1.0, np.nan, float(size)) == 0


def test_bounds_of_lengths_rise_and_hold():
    source = np.random.default_rng(6)
    c, s = source.standard_normal((2, 100)) * 10.0 ** source.integers(-200, 200, 100)
    c[[3, 50]], s[70] = np.nan, np.inf
    bounds = longest_so_far(c, s)
    assert bounds.size == -(-100 // 2**STRETCH)
    assert bounds.tolist() == sorted(bounds.tolist())
    for j in range(100):
        if np.isfinite(c[j]) and np.isfinite(s[j]):
            assert (
                not np.isfinite(bounds[j >> STRETCH])
                or mpq(bounds[j >> STRETCH]) ** 2 >= mpq(c[j]) ** 2 + mpq(s[j]) ** 2
            )


def test_keys_that_grow_are_told_apart_by_their_lengths():
    """In this recurrence the norm rises by about 1.2e-8 a step, so that nothing but the last few keys competes."""
    asked = question("fp32", "0.1", "1e9", 1, "recurrence")
    found = pruned_scan(asked, 60_000)
    assert (found.failure, found.reached, found.road) == (None, 60_002, "buckets")
    assert found.pairs_checked < 100 * found.reached
    assert same(pruned_scan(asked, 5000), scan(asked, 5000, rows=lambda: fast_rows(asked)))


# -- what else can happen --------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ideal", "phase"])
def test_a_score_that_overflows_is_a_failing_pair_with_its_reason(kind):
    asked = question("fp16", "1e-3", 60000, 2, kind, score="e5m10:nan")
    asked = replace(asked, scale=mpq(65504))
    found = pruned_scan(asked, 50)
    assert same(found, scan(asked, 50))
    assert found.road == "exhaustive"  # among the first rows
    overflowing = question("fp32", "1", 70000, 2, kind, score="fp16", softmax="fp16")
    found = pruned_scan(overflowing, 50)
    assert same(found, scan(overflowing, 50))
    assert "infinite" in found.failure.reason
    not_a_number = question("fp32", "1", 70000, 2, kind, score="fp16:nan", softmax="fp16")
    assert "NaN" in pruned_scan(not_a_number, 50).failure.reason


def test_positions_beyond_the_range_of_the_format():
    asked = question("e3m2:nan", "1/4", 28, 1, "phase", softmax="e2m1", score="fp32")
    assert same(pruned_scan(asked, 60), scan(asked, 60))


def test_under_weight_a_small_gap_may_still_hold():
    source, passed = random.Random(11), 0
    for _ in range(100):
        g, scale, kind = source.choice(ANGLES), source.randint(20, 4000), source.choice(["ideal", "phase"])
        regime = {"score": "fp32", "softmax": source.choice(["bf16", "e5m2", "fp16"])}  # S - m may round up to f_large
        by_weight = question("fp16", g, scale, source.choice([1, 2, 5]), kind, "weight", **regime)
        found, by_gap = pruned_scan(by_weight, 200), pruned_scan(replace(by_weight, criterion="gap"), 200)
        assert found.reached >= by_gap.reached
        if found.reached > by_gap.reached:
            passed += 1
            assert same(found, scan(by_weight, 200))
    assert passed >= 3


@pytest.mark.parametrize("kind", ["ideal", "phase"])
def test_ctrl_c_keeps_what_is_certified(kind):
    asked = question("fp32", "0.7", "1e30", 3, kind)

    def interrupt(done, total):
        assert 0 < done <= total
        raise KeyboardInterrupt

    found = pruned_scan(asked, 20000, interrupt)
    assert found.interrupted
    assert found.failure is None
    assert asked.offset + 1 < found.reached <= 7107


def test_limits_and_refusals():
    asked = question("fp32", "0.1", 10**9)
    assert pruned_scan(asked, 7098) == PrunedScan(None, 7100, pairs_checked=pruned_scan(asked, 7098).pairs_checked)
    assert pruned_scan(asked, 100) == PrunedScan(None, 102, pairs_checked=0)
    assert pruned_scan(question("fp32", "0.1", 10**9, 50), 20).reached == 51
    with pytest.raises(UnsupportedError, match="f_large"):
        pruned_scan(question("fp16", "1", 10, softmax="fp16:up"), 10)


def test_a_state_far_out_is_not_computed_by_the_reference():
    """binary128 has no kernels: the bounds certify a range, and a step takes long."""
    found = nmax_of(question("fp128", "1", 10**37, 1, "recurrence"))
    assert (found.status, found.upper) == ("at_least", None)
    assert found.lower > 10**9
    assert "not computed" in found.reason
    assert found.records[-1].i <= 20_000
    decided = nmax_of(question("fp128", "1", 10**18, 1, "recurrence"))  # by the bounds alone
    assert (decided.n_max, decided.status, decided.witness) == (10838701, "exact", None)
    assert "not computed" in decided.notes[0]


def test_beyond_the_table_only_what_can_be_done(monkeypatch):
    monkeypatch.setattr(BucketWalk, "farthest", 3000)
    monkeypatch.setattr(pruned, "PAIRS_BY_KERNEL", 1000)
    asked = question("fp64", "0.1", "1e18", 1, "recurrence")
    found = pruned_scan(asked, None)
    assert found.failure is None
    assert 3000 <= found.reached < 10**6
    assert "near-returns for each query" in found.ended
    wider = pruned_scan(asked, 9000)  # a limit of the user's is taken at his word
    assert (wider.reached, wider.ended) == (9002, None)


def test_phase_is_ideal_where_its_products_are_exact():
    for kind in ("phase", "counter"):
        for dtype, scale in (("fp64", 10**18), ("fp128", 10**37)):
            one, other = question(dtype, "1", scale, 1, kind), question(dtype, "1", scale)
            assert error_bounds(one, 10**15).score == error_bounds(other, 10**15).score
            assert nmax_of(one).n_max == nmax_of(other).n_max
    assert (
        error_bounds(question("fp32", "0.3", 10**6, 1, "phase"), 100).score
        > error_bounds(question("fp32", "0.3", 10**6), 100).score
    )


def test_wide_formats_by_phase_look_ahead_with_growing_bounds():
    asked = question("fp128", "1", 10**8, 1, "phase")
    found = pruned_scan(asked, 10**12)
    assert (found.failure.witness.i, found.failure.witness.j, found.road) == (334, 0, "near-returns")
