"""Heads made to order: what is found is certified, what is called impossible is proved, and the proof is tried out."""

import itertools
import math
import random
from fractions import Fraction

import pytest
from gmpy2 import mpq

import certify
from certify.certified_range.failure import is_finite
from certify.certified_range.pigeonhole import keys_at_most
from certify.designing import search as search_module
from certify.designing.candidates import candidates, denominators, scale_range, van_der_corput
from certify.designing.families import parse_family
from certify.designing.length_limit import length_limit
from certify.designing.search import HeadSearch
from certify.rotation.near_returns import iter_records
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.flarge import f_large
from fpsim.head import Head
from fpsim.realization import realize
from fpsim.realization.array_file import ArrayKind
from fpsim.regime import Regime
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

# -- what is found ----------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "length", "k"),
    [("fp16", 100, 1), ("fp16", 100, "1,2,3"), ("bf16", 50, "1,2,3"), ("e4m3", 15, "1,2,3"), ("fp32", 7000, 1),
     ("fp64", 10**8, "1,2"), ("fp128", 10**16, 1), ("fixed:16.4", 12, 1), ("e2m1", 6, 1), ("fp16", 30, [30])],
)  # fmt: skip
def test_what_is_found_is_what_nmax_answers(dtype, length, k):
    found = certify.design(dtype=dtype, length=length, k=k)
    assert found.found
    assert found.outcome == "found"
    assert found.n_max >= length >= max(found.k)
    assert found.limit.bound >= found.n_max
    if length < 10**6:
        assert certify.nmax(g=found.g, C=found.C, dtype=found.dtype, k=k).n_max == found.n_max


def test_the_other_criterion_and_realization():
    found = certify.design(dtype="e4m3", length=10, criterion="weight")
    assert found.found
    assert certify.nmax(g=found.g, C=found.C, dtype="e4m3", criterion="weight").n_max == found.n_max
    found = certify.design(dtype="fp16", length=20, realize="phase", tries=40)
    assert found.found
    assert certify.nmax(g=found.g, C=found.C, dtype="fp16", realize="phase").n_max == found.n_max
    assert "pigeonhole" in found.limit.reason  # no other limit is proved for it
    assert found.limit.bound == 2048  # 2048 and 2049 are one position


@pytest.mark.parametrize("realize", ["table", "counter", "recurrence"])
def test_every_realization_that_is_made_from_an_angle(realize):
    found = certify.design(dtype="fp16", length=18, k="1,2", realize=realize, tries=60)
    assert found.found
    assert found.realize == realize
    assert certify.nmax(g=found.g, C=found.C, dtype="fp16", k="1,2", realize=realize).n_max == found.n_max
    assert found.limit is None or found.limit.bound >= found.n_max


def test_an_array_leaves_no_angle_to_choose():
    with pytest.raises(InputError, match="made from an angle"):
        certify.design(dtype="fp16", length=18, realize=ArrayKind.of([[1, 0], [0, 1]]))


def test_out_of_reach():
    found = certify.design(dtype="e4m3", length=1000, tries=20)
    assert (found.found, found.outcome) == (False, "impossible")
    assert found.limit.bound < 1000
    assert 9 <= found.n_max <= found.limit.bound  # g = 1 reaches 5, the golden angle 9
    assert certify.nmax(g=found.g, C=found.C, dtype="e4m3").n_max == found.n_max
    assert "proved" in str(found)
    assert found.to_json()["limit"] is not None


def test_not_found_is_not_impossible():
    found = certify.design(dtype="e4m3", length=30, tries=5)
    assert (found.found, found.outcome) == (False, "not found")
    assert "not proved" in str(found)


def test_no_f_large():
    found = certify.design(dtype="fixed:12.11", length=2)
    assert (found.outcome, found.g, found.C, found.n_max, found.tried) == ("impossible", None, None, None, 0)
    assert "f_large" in str(found)


def test_without_f_large_an_overflow_may_still_select_exactly():
    """C = 3, g = pi in e2m5, query 2: the difference -6 becomes -inf, the weights are 0 and 1: not impossible."""
    e2m5 = ValueSet.parse("e2m5")
    head = Head(mpq(3), 1, realize("ideal", Angle.parse("pi"), e2m5), Regime.of(e2m5))
    assert f_large(e2m5) is None
    assert [round_exact(e2m5, head.score(2, j) - head.score(2, 1)) for j in range(2)] == [-math.inf, 0]
    assert certify.design(dtype="e2m5", length=1, criterion="weight").outcome == "not found"
    for dtype, criterion in (("e2m5", "gap"), ("e2m5:saturate", "weight"), ("fixed:12.11", "weight")):
        assert certify.design(dtype=dtype, length=1, criterion=criterion).outcome == "impossible"


def test_interrupted(monkeypatch):
    real, calls = search_module.find, itertools.count()

    def find(*arguments):
        if next(calls) == 8:
            raise KeyboardInterrupt
        return real(*arguments)

    monkeypatch.setattr(search_module, "find", find)
    found = certify.design(dtype="e4m3", length=30)
    assert found.outcome == "interrupted"
    assert not found.found
    assert found.tried == 8
    assert 0 < found.n_max <= certify.nmax(g=found.g, C=found.C, dtype="e4m3").n_max
    assert "Interrupted" in str(found)


def test_what_is_met_on_the_way_down_counts_as_found(monkeypatch):
    """A candidate for a shorter length may reach further than that length; here one of 13 parts of the circle does."""

    def judge(_search, g, _scale, length):
        return min(40 if g.endswith("/13") else 2, length)

    monkeypatch.setattr(HeadSearch, "_judge", judge)
    search = HeadSearch(ValueSet.parse("e4m3"), [1], tries=20)
    assert not search.reach(22)
    search.climb(22)
    assert search.best.g.endswith("/13")
    assert search.best.reached == 22


def test_a_scan_that_ends_early_counts_as_an_interrupt(monkeypatch):
    from certify.certified_range.roads import Answer

    monkeypatch.setattr(search_module, "find", lambda *_: Answer("at_least", 3, None, None, "interrupted", "", 0))
    with pytest.raises(KeyboardInterrupt):
        HeadSearch(ValueSet.parse("e4m3"), [1]).reach(10)


@pytest.mark.parametrize(
    ("arguments", "what"),
    [({"length": 0}, "length"), ({"length": 2.0}, "length"), ({"length": 10**41}, "length"),
     ({"length": 2, "k": "1,3"}, "greatest offset"), ({"length": 2, "k": 0}, "k"), ({"length": 2, "tries": 0}, "tries"),
     ({"length": 2, "dtype": "e4mZ"}, "value set"), ({"length": 2, "dtype": "exmy"}, "eXmY"),
     ({"length": 2, "dtype": "fixed:b.F"}, "fixed:B.F"), ({"length": 2, "realize": "never"}, "realize"),
     ({"length": 2, "criterion": "best"}, "criterion")],
)  # fmt: skip
def test_refused(arguments, what):
    with pytest.raises(InputError, match=what):
        certify.design(**arguments)
    with pytest.raises(UnsupportedError):
        certify.design(dtype="fp16:stochastic=1", length=4)


# -- candidates -------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("offsets", "length"), [([1], 1), ([1], 100), ([3], 3), ([1, 2, 3], 50), ([40], 60), ([5], 9)])
def test_no_angle_stays_further_away_than_the_first_denominator(offsets, length):
    m = denominators(offsets, length)[0]
    farthest = max(max(length + 1 - k, k - 1) for k in offsets)  # the greatest distance that a query meets
    nearest = max(iter_records(Angle.parse(f"2pi*1/{m}"), farthest), default=1)
    assert min(nearest, m - nearest) >= 1
    assert m == farthest + 1  # equally spread positions: the least distance is 1/m turns, Dirichlet's bound


def test_candidates_are_usable_texts():
    values = ValueSet.parse("fp16")
    low, high = scale_range(values, f_large(values))
    seen = list(itertools.islice(candidates(values, [1], 90, f_large(values)), 60))
    assert len(set(seen)) > 50
    for g, scale in seen:
        turns = Angle.parse(g).turns
        assert 0 < turns <= mpq(1, 2)
        assert turns.denominator >= 91
        assert low <= scale <= high
        assert scale in values


def test_van_der_corput_spreads_evenly():
    for t in (1, 2, 5, 16, 100):
        for base in (2, 3):
            points = sorted(van_der_corput(i, base) for i in range(t))
            assert max(b - a for a, b in itertools.pairwise([*points, mpq(1)])) <= mpq(2 * base, t)


# -- the limit --------------------------------------------------------------------------------------------------------

LIMITED = ["e2m3", "e4m3", "e5m2", "e4m3fnuz", "e4m3:saturate", "e4m3:away", "fp16", "bf16", "e3m8",
           "fp32", "fixed:8.3", "fixed:8.4", "fixed:16.8"]  # fmt: skip


@pytest.mark.parametrize("dtype", LIMITED)
@pytest.mark.parametrize("criterion", ["gap", "weight"])
def test_near_enough_to_its_target_a_competitor_is_never_told_apart(dtype, criterion):
    """The theorem's one claim about a head, on random heads: angle n = 1 within 2 pi/(N+1) of 0."""
    values = ValueSet.parse(dtype)
    limit = length_limit(values, 1, criterion=criterion)
    assert "Dirichlet" in limit.reason
    steps = limit.bound + 1
    regime, threshold = Regime.of(values), f_large(values)
    random.seed(f"{dtype} {criterion}")
    for _ in range(80):
        share = random.choice([1, -1]) * random.choice([Fraction(1), Fraction(random.randrange(1, 1000), 1000)])
        angle = Angle(mpq(2 * share) / (steps + 1), "pi")
        scale = values.value(random.randrange(1, values.last + 1))
        scale = random.choice([scale, values.max * mpq(random.randrange(500, 1001), 1000), values.max])
        k = random.choice([1, 2, 3, random.randrange(1, 3 * steps)])
        head = Head(scale, k, realize("ideal", angle, values), regime)
        target, competitor = head.score(k + 1, 1), head.score(k + 1, 0)
        if criterion == "gap":
            held = is_finite(target) and is_finite(competitor) and target - competitor >= threshold
            assert not held, (angle, scale, k)
        elif is_finite(target) and is_finite(competitor):
            difference = target - competitor  # below what rounds to f_large, so that the weight is not 0
            below = values.value(values.index(threshold) - 1)
            assert difference < (threshold + below) / 2, (angle, scale, k)


@pytest.mark.parametrize("dtype", ["e2m1", "e2m3", "e3m2", "fixed:6.2", "fixed:8.4", "e3m4"])
def test_no_head_goes_beyond_the_limit(dtype):
    values = ValueSet.parse(dtype)
    limits = {k: length_limit(values, k).bound for k in (1, 3)}
    random.seed(dtype)
    for _ in range(40):
        g = random.choice([f"2pi*{random.randrange(1, 20)}/{random.randrange(2, 40)}", f"{random.uniform(0, 3.2):.4f}"])
        if Angle.parse(g).turns == 0 or not Angle.parse(g):
            continue
        C = values.max * mpq(random.randrange(1, 1001), 1000)
        for k, bound in limits.items():
            assert certify.nmax(g=g, C=C, dtype=dtype, k=k).n_max <= bound


def test_size_of_the_limit():
    """About 2 pi sqrt(2/u), a little more for the errors of the query; far below the count of the keys."""
    for dtype, bits in (("fp16", 11), ("fp32", 24), ("fp64", 53), ("fp128", 113)):
        bound = length_limit(ValueSet.parse(dtype), 1).bound
        assert 0.999 < bound / (2 * math.pi * math.sqrt(2 ** (bits + 1))) < 1.06
        assert bound < keys_at_most(ValueSet.parse(dtype)) / 100
    assert length_limit(ValueSet.parse("fp16"), 7).bound == length_limit(ValueSet.parse("fp16"), 1).bound + 6


@pytest.mark.parametrize("dtype", ["fp16:zero", "fp16:ftz", "nf4:saturate"])
def test_where_the_theorem_does_not_apply(dtype):
    limit = length_limit(ValueSet.parse(dtype), 1)
    assert limit is None or "Dirichlet" not in limit.reason
    assert length_limit(ValueSet.parse("fp16"), 1, realize="recurrence") is None


# -- families ---------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("family", "length", "k"), [("eXmY", 9, 1), ("e5mY", 14, "1,2"), ("eXm4", 10, 1), ("fixed:B.3", 9, 1),
                                ("fixed:16.F", 10, 1), ("eXmY:saturate", 8, 1)],
)  # fmt: skip
def test_smallest_format(family, length, k):
    found = certify.design(dtype=family, length=length, k=k)
    assert found.found
    assert certify.nmax(g=found.g, C=found.C, dtype=found.dtype, k=k).n_max == found.n_max >= length
    members = list(itertools.takewhile(lambda name: name != found.dtype, parse_family(family).members()))
    assert [smaller.dtype for smaller in found.smaller] == members  # each smaller one is accounted for
    for smaller in found.smaller:
        proved = smaller.bound is not None
        assert (smaller.bound if proved else smaller.n_max) < length
        assert smaller.to_json()["by"] == ("proof" if proved else "search")
    assert found.dtype in str(found)
    assert found.to_json()["family"] == family


def test_family_order():
    names = list(itertools.islice(parse_family("eXmY").members(), 300))
    sizes = [tuple(map(int, name[1:].split("m"))) for name in names]
    assert sizes == sorted(sizes, key=lambda size: (sum(size), size))
    assert list(parse_family("fixed:5.F").members()) == [f"fixed:5.{fraction}" for fraction in range(5)]


def test_family_without_a_member_that_does():
    found = certify.design(dtype="e2mY", length=30, tries=5)
    assert not found.found
    assert {smaller.bound is None for smaller in found.smaller} == {True, False}
    assert certify.design(dtype="fixed:2.F", length=10**6).outcome == "impossible"
    assert certify.design(dtype="fixed:2.F", length=10**6).dtype is None
