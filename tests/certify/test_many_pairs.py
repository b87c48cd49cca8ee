"""Heads on several rotary pairs: a naive program in fractions, the one-pair head, and the roads against each other."""

import random
from bisect import bisect_right
from fractions import Fraction
from functools import cache

import mpmath
import numpy as np
import pytest
from gmpy2 import mpq
from hypothesis import given, settings
from hypothesis import strategies as st

import certify
from certify.certified_range.error_bound import ErrorBounds, error_bounds
from certify.certified_range.exact_arithmetic import exact_arithmetic_range
from certify.certified_range.exhaustive import ReferenceRows, scan
from certify.certified_range.many import near_fast, pruned, returns
from certify.certified_range.many.bracket import many_bracket
from certify.certified_range.many.error_bound import many_error_bounds
from certify.certified_range.many.exact_arithmetic import many_exact_range
from certify.certified_range.many.fast_rows import ManyRows, blocks_between, keys_of, many_fast_rows, queries_of
from certify.certified_range.many.pruned import ManyReturns, many_pruned_scan
from certify.certified_range.many.question import ManyQuestion, parse_angles, parse_scales
from certify.certified_range.many.returns import SearchPlan, candidates, first_return, gap_below
from certify.certified_range.many.returns_kernel import kernel_candidates
from certify.certified_range.question import Question
from certify.certified_range.result import CertifiedRanges
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.many_pairs import ManyPairsHead
from fpsim.realization import realize
from fpsim.realization.array_file import ArrayKind
from fpsim.regime import Regime


def many(dtype, angles, scales, k=1, kind="ideal", criterion="gap", **regime):
    found = parse_angles(angles)
    return ManyQuestion(found, parse_scales(scales, len(found)), k, Regime.of(dtype, **regime), kind, criterion)


# -- a naive program: lists of fractions, nearest-even by bisection, mpmath for cosines ------------------------------------


@cache
def listed(name):
    """Every value of a format, from its definition."""
    if name.startswith("fixed"):
        bits, fraction = map(int, name[6:].split("."))
        return tuple(Fraction(n, 2**fraction) for n in range(1 - 2 ** (bits - 1), 2 ** (bits - 1)))
    p, emin, emax = {"fp16": (11, -14, 15), "bf16": (8, -126, 127), "e4m3": (4, -6, 8)}[name]
    positive = [Fraction(n) * Fraction(2) ** (emin - p + 1) for n in range(1, 2 ** (p - 1))]
    positive += [n * Fraction(2) ** (e - p + 1) for e in range(emin, emax + 1) for n in range(2 ** (p - 1), 2**p)]
    if name == "e4m3":
        positive.pop()  # 480 is the code of NaN
    return (*(-x for x in reversed(positive)), Fraction(0), *positive)


def rounded(values, x):
    right = bisect_right(values, x)
    if right in (0, len(values)):
        assert len(values) < 5000, "beyond the range of a format that does not saturate"
        return values[0] if right == 0 else values[-1]
    lo, hi = values[right - 1], values[right]
    if 2 * x == lo + hi:
        return lo if (right - 1 - len(values) // 2) % 2 == 0 else hi
    return lo if 2 * x < lo + hi else hi


def fraction(x):
    sign, mantissa, exponent, _ = x._mpf_
    return (-1 if sign else 1) * int(mantissa) * Fraction(2) ** int(exponent)


@cache
def naive_f_large(name):
    values = listed(name)
    with mpmath.workprec(300):
        lo, hi = 0, len(values) // 2  # exp(-f) rounds to 0 from some index on
        while hi - lo > 1:
            middle = (lo + hi) // 2
            f = values[len(values) // 2 + middle]
            vanishes = f > 1000 or rounded(values, fraction(mpmath.exp(-mpmath.mpf(f.numerator) / f.denominator))) == 0
            lo, hi = (lo, middle) if vanishes else (middle, hi)
    return values[len(values) // 2 + hi]


def naive(name, pairs, k, realize, limit):
    """(N_max, (i, j)) or None, by the definition."""
    values, f_large = listed(name), naive_f_large(name)
    heads = []
    with mpmath.workprec(300):
        for g, scale in pairs:
            stored = rounded(values, g) if realize == "phase" else g
            angle = mpmath.mpf(stored.numerator) / stored.denominator * k
            bias = (
                rounded(values, scale * fraction(mpmath.cos(angle))),
                rounded(values, -scale * fraction(mpmath.sin(angle))),
            )
            keys = []
            for i in range(limit + 2):
                phase = rounded(values, stored * rounded(values, Fraction(i))) if realize == "phase" else g * i
                x = mpmath.mpf(phase.numerator) / phase.denominator
                block = (fraction(mpmath.cos(x)), fraction(mpmath.sin(x)))
                keys.append(tuple(rounded(values, entry) for entry in block) if g else (Fraction(1), Fraction(0)))
            heads.append((bias, keys))

    def score(query, j):
        total = None
        for (q0, q1), (_, keys) in zip(query, heads, strict=True):
            for q, entry in ((q0, keys[j][0]), (q1, keys[j][1])):
                product = rounded(values, q * entry)
                total = product if total is None else rounded(values, total + product)
        return total

    for i in range(k + 1, limit + 2):
        query = []
        for (b0, b1), keys in heads:
            c, s = keys[i]
            q0 = rounded(values, rounded(values, c * b0) - rounded(values, s * b1))
            q1 = rounded(values, rounded(values, s * b0) + rounded(values, c * b1))
            query.append((q0, q1))
        target = score(query, i - k)
        for j in range(i):
            if j != i - k and target - score(query, j) < f_large:
                return i - 2, (i, j)
    return None


@given(
    name=st.sampled_from(["fixed:8.3", "fixed:12.5", "fp16", "bf16", "e4m3"]),
    pairs=st.lists(
        st.tuples(st.one_of(st.just(Fraction(0)), st.fractions(Fraction(1, 20), 3, max_denominator=50)), st.fractions(1, 60, max_denominator=8)),
        min_size=1, max_size=4,
    ),
    k=st.integers(1, 4), realize=st.sampled_from(["ideal", "phase"]), method=st.sampled_from(["auto", "exhaustive", "pruned"]),
)  # fmt: skip
@settings(max_examples=60)
def test_small_random_heads_against_the_naive_program(name, pairs, k, realize, method):
    if not any(g for g, _ in pairs) or (realize == "phase" and name.startswith("fixed:8")):
        pairs = [*pairs, (Fraction(1), Fraction(9))][-4:]
    if name.startswith("fixed:8"):
        pairs = [(g, min(scale, Fraction(15))) for g, scale in pairs]
    if name == "e4m3":
        pairs = [(g, scale) for g, scale in pairs if sum(s for _, s in pairs) < 200] or [(Fraction(1), Fraction(100))]
    right = naive(name, pairs, k, realize, 30)
    got = certify.nmax(
        theta=[g for g, _ in pairs],
        C=[scale for _, scale in pairs],
        dtype=name,
        k=k,
        realize=realize,
        max_length=30,
        method=method,
    )
    if right is None:
        assert (got.status, got.lower) == ("at_least", 30)
    else:
        assert (got.n_max, (got.witness.i, got.witness.j)) == right


# -- one pair is the one-pair head ----------------------------------------------------------------------------------------

SETS = ["fp16", "bf16", "e4m3", "fixed:12.5", "fp32:up", "e5m4:ftz:odd", "tf32:ftz", "fp16:saturate", "e3m2"]


@pytest.mark.parametrize("dtype", SETS)
def test_one_pair_is_the_one_pair_head(dtype):
    source = random.Random(dtype)
    for _ in range(6):
        g, k, kind = (
            source.choice(["1", "0.1", "2pi*3/7", "-1.3"]),
            source.choice([1, 2, 7]),
            source.choice(["ideal", "phase"]),
        )
        scale, fma = mpq(source.randint(1, 16)), source.random() < 0.5
        single = Question(Angle.parse(g), scale, k, Regime.of(dtype, fma=fma), kind)
        both = many(dtype, [g], scale, k, kind, fma=fma)
        for i in (k, k + 1, 20, 333):
            for j in (0, i - k, i - 1):
                assert repr(both.head.score(i, j)) == repr(single.head.score(i, j))
        if single.threshold is None:
            continue
        assert repr(scan(both, 60)) == repr(scan(single, 60))
        mine, theirs = many_error_bounds(both, 10**6), error_bounds(single, 10**6)
        if kind == "ideal" and isinstance(theirs, ErrorBounds):
            assert (mine.score, mine.keys) == (theirs.score, theirs.keys)
            assert theirs.query <= mine.query <= theirs.query * (1 + mpq(1, 2**80))
        exact = exact_arithmetic_range(single.angle, scale, k, single.threshold)
        assert many_exact_range(both, single.threshold) == (exact, exact, ())


def test_one_theta_takes_the_roads_of_one_pair():
    one, listed_ = certify.nmax(g="1", C=10**18, dtype="fp64"), certify.nmax(theta="1", C=[10**18], dtype="fp64")
    assert (one.n_max, one.witness, one.records) == (listed_.n_max, listed_.witness, listed_.records)
    assert (listed_.to_json()["g"], listed_.to_json()["C"]) == (["1"], ["1000000000000000000"])


def test_an_unrotated_pair_adds_its_scale_to_every_score():
    with_it, without = many("fp32", ["1", "0"], [40, 8]), many("fp32", ["1"], [40])
    assert with_it.head.score(9, 3) - without.head.score(9, 3) == pytest.approx(8, abs=1e-5)
    assert [with_it.head.key(j)[1] for j in (0, 5)] == [(1, 0), (1, 0)]


# -- the roads against each other -----------------------------------------------------------------------------------------

ANGLES = ["1", "0.1", "2", "pi/7", "2pi*3/7", "-1.3", "1e-3", "0.098175", "2pi*5/12", "0", "100", "0.01"]
ORDERS = ["sequential", "reverse", "pairwise", "blocked:3", "wide:fp32"]


def random_question(source, kinds=("ideal",), sets=SETS, mixed=0.2):
    while True:
        angles = [source.choice(ANGLES) for _ in range(source.randint(1, 4))]
        other = {stage: source.choice(sets) for stage in ("rotate", "score", "softmax") if source.random() < mixed}
        dtype = source.choice(sets)
        scales = [mpq(source.randint(1, 10 ** source.randint(1, 4)), source.randint(1, 3)) for _ in angles]
        try:
            made = many(
                dtype, angles, scales, source.choice([1, 1, 2, 5, 20]), source.choice(kinds), source.choice(["gap", "gap", "weight"]),
                fma=source.random() < 0.3, order=source.choice(ORDERS), **other,
            )  # fmt: skip
        except InputError:  # a scale that overflows, or all angles 0
            continue
        if made.threshold is not None:
            return made


def same(found, wanted):
    return repr((found.failure, found.reached)) == repr((wanted.failure, wanted.reached))  # NaN equals NaN here


def test_kernels_walk_as_the_reference_does():
    source = random.Random(1)
    for kind in ["ideal", "phase", "counter", "recurrence"] * 3:
        question = random_question(source, (kind,), ["fp16", "bf16", "e4m3", "fixed:12.5"], mixed=0)
        rows, reference = ManyRows(question), ReferenceRows(question)
        assert rows.first_failure(question.offset + 1, 40) == reference.first_failure(question.offset + 1, 40)
        made = blocks_between(question.head, 0, 20)
        keys = keys_of(question.head, made)
        assert [tuple(map(float, entries)) for entries in keys.T] == [
            pytest.approx([float(entry) for block in question.head.key(j) for entry in block], abs=0, nan_ok=True) for j in range(20)
        ]  # fmt: skip
        assert np.array_equal(
            queries_of(question.head, made)[:, 7],
            [float(x) for block in question.head.query(7) for x in block],
            equal_nan=True,
        )


def test_pruned_is_exhaustive_on_random_heads():
    source = random.Random(2)
    roads = []
    for _ in range(40):
        question = random_question(source)
        length = question.offset + 50
        found = many_pruned_scan(question, length)
        assert same(found, scan(question, length)), question
        roads.append(found.road)
    assert roads.count("near-returns") > 18


@pytest.mark.parametrize("criterion", ["gap", "weight"])
def test_compiled_pruned_walk_is_exhaustive(monkeypatch, criterion):
    monkeypatch.setattr(pruned, "FIRST_BY_REFERENCE", 0)
    monkeypatch.setattr(near_fast, "_WINDOW", 128)
    monkeypatch.setattr(near_fast, "_TABLE_ENTRIES", 2000)  # so that windows far out make their own keys
    for dtype, scale, k in (
        ("fp16", 100, 1),
        ("fp16", 30, 3),
        ("bf16", 300, 1),
        ("fixed:16.8", 60, 8),
        ("fp16", 1000, 1),
    ):
        question = many(dtype, ["1", "0.1", "0.01"], scale, k, criterion=criterion)
        found = many_pruned_scan(question, 900)
        assert found.road == "near-returns"
        assert same(found, scan(question, 900, rows=lambda question=question: many_fast_rows(question)))


def test_bracket_holds_the_answer():
    source = random.Random(3)
    for _ in range(60):
        question = random_question(source, ("ideal", "phase", "counter", "recurrence"))
        ends = many_bracket(question, 10**5)
        found = scan(question, question.offset + 40)
        if found.failure:
            assert ends.lower <= found.failure.witness.i - 2
            assert ends.upper is None or found.failure.witness.i - 2 <= ends.upper
            if ends.exact and ends.witness:
                assert (ends.witness.i, ends.witness.j) == (found.failure.witness.i, found.failure.witness.j)
        else:
            assert ends.upper is None or ends.upper >= found.reached - 2


def test_error_bounds_hold():
    source = random.Random(4)
    for _ in range(40):
        question = random_question(source)
        bounds = many_error_bounds(question, 10**6)
        if not isinstance(bounds, ErrorBounds):
            continue
        for _ in range(12):
            i = source.randint(question.offset + 1, 10**5)
            j, goal, head = source.randrange(i), i - question.offset, question.head
            query = head.query(i)
            target, competitor = head.score_of(query, head.key(goal)), head.score_of(query, head.key(j))
            with mpmath.workprec(200):
                exact = [exact_score(question, i - question.offset - place) for place in (goal, j)]
                y = exact[0] - exact[1]
                error = abs(as_mpf(target) - as_mpf(competitor) - y)
                assert abs(as_mpf(competitor) - exact[1]) <= as_mpf(bounds.score)
                assert error <= as_mpf(bounds.query) * mpmath.sqrt(2 * abs(y) / as_mpf(bounds.scale)) + as_mpf(
                    bounds.keys
                )


def as_mpf(x):
    return mpmath.mpf(int(mpq(x).numerator)) / int(mpq(x).denominator)


def exact_score(question, n):
    total = mpmath.mpf(0)
    for angle, scale in zip(question.angles, question.scales, strict=True):
        unit = as_mpf(angle.coefficient) * (mpmath.pi if angle.unit == "pi" else 1)
        total += as_mpf(scale) * mpmath.cos(unit * n)
    return total


# -- simultaneous near-returns --------------------------------------------------------------------------------------------


def brute(pairs, bound, limit):
    return [n for n in range(1, limit + 1) if gap_below(pairs, n, bound)]


@pytest.mark.parametrize("angles", [["1", "0.1"], ["1", "0.1", "0.01"], ["2pi*3/7", "1"], ["pi/5", "2pi/7"], ["-1.3", "pi/7", "100"], ["2pi", "1"]])  # fmt: skip
@pytest.mark.parametrize("share", ["1/2", "1/10", "1/200"])
def test_candidates_are_all_near_returns_and_few_others(monkeypatch, angles, share):
    pairs = tuple((Angle.parse(angle), mpq(10 + 3 * d)) for d, angle in enumerate(angles))
    plan = SearchPlan(pairs, sum(scale for _, scale in pairs) * mpq(share))
    wanted = brute(pairs, plan.bound, 3000)
    assert list(candidates(plan, 3000)) == wanted
    assert list(kernel_candidates(plan, 3000, 1)) == wanted
    assert list(kernel_candidates(plan, 3000, 1000)) == [n for n in wanted if n >= 1000]
    monkeypatch.setattr(returns, "FIRST_BY_REFERENCE", 20)
    monkeypatch.setattr(returns, "_VISITS_BY_REFERENCE", 0)
    assert list(candidates(plan, 3000, 5)) == [n for n in wanted if n >= 5]
    assert first_return(plan, 3000) == (wanted[0] if wanted else None)


def test_a_bound_above_every_gap_lists_every_position():
    plan = SearchPlan(((Angle.parse("1"), mpq(1)), (Angle.parse("0.1"), mpq(2))), mpq(7))
    assert list(candidates(plan, 50)) == list(range(1, 51))
    assert list(candidates(SearchPlan(plan.pairs, mpq(0)), 50)) == []


def test_far_near_returns_of_small_widths():
    plan = SearchPlan(((Angle.parse("1"), mpq(10) ** 30), (Angle.parse("0.1"), mpq(10) ** 30)), mpq(10) ** 10)
    limit = 10**12
    for n in candidates(plan, limit):
        assert gap_below(plan.pairs, n, plan.bound) is not None
    assert first_return(SearchPlan(plan.pairs[:1], mpq(100)), 10**18) is not None


def test_equality_of_rational_multiples_of_pi_is_decided():
    pairs = [(Angle.parse("2pi/5"), mpq(1)), (Angle.parse("4pi/5"), mpq(1))]
    assert gap_below(pairs, 1, mpq(5, 2)) is False
    assert gap_below(pairs, 1, mpq(5, 2) + mpq(1, 10**40)) is True
    assert gap_below(pairs, 5, mpq(1, 10**9)) is True
    large = [(Angle.parse("2pi/100003"), mpq(1)), (Angle.parse("2pi*50001/100003"), mpq(1))]
    assert gap_below(large, 1, mpq(1)) is False


def test_undecided_equality_counts_as_a_near_return():
    # Three cosines whose angles differ by a third of a turn add up to 0, so that y(1) = 3 exactly.
    turns = [mpq(1, 20_011), mpq(1, 20_011) + mpq(1, 3), mpq(1, 20_011) + mpq(2, 3)]
    pairs = tuple((Angle(2 * turn, "pi"), mpq(1)) for turn in turns)
    assert gap_below(pairs, 1, mpq(3)) is None
    assert gap_below(pairs, 1, mpq(3) + mpq(1, 10**30)) is True
    assert first_return(SearchPlan(pairs, mpq(3)), 1) == 1


# -- the public function and the command ----------------------------------------------------------------------------------


@pytest.mark.parametrize(("dtype", "scale", "n_max"), [("fp16", 100, 6282), ("fp32", 1000, 6282), ("bf16", 100, 0)])
def test_conventional_schedule(dtype, scale, n_max):
    result = certify.nmax(base=10000, dim=8, C=scale, dtype=dtype)
    assert (result.status, result.n_max) == ("exact", n_max)
    assert result.to_json()["g"] == ["1", "0.1", "0.01", "0.001"]
    assert result.to_json()["C"] == [str(scale)] * 4
    assert result.records == ()


def test_what_no_search_reaches_is_at_least():
    result = certify.nmax(theta=["1", "0.1", "0.01", "pi/777", "1/77777"], C=10**9, dtype="fp32", max_length=10**5)
    assert (result.status, result.lower) == ("at_least", 10**5)
    assert result.upper > 10**9


def test_several_offsets_and_cross_check():
    result = certify.nmax(theta="1,0.1,0", C="100,50,7", dtype="fp16", k="1,2", cross_check=True, fma=True)
    assert isinstance(result, CertifiedRanges)
    for part in result.results:
        assert part.cross_check.disagreements == 0, part.cross_check.first
        assert part.cross_check.values > 30
    assert (
        certify.nmax(
            theta="1,0.1", C=9, dtype="fixed:8.3", realize="phase", cross_check=True, rotate_dtype="fp16"
        ).cross_check.disagreements
        == 0
    )


def test_cross_check_finds_a_wrong_sum(monkeypatch):
    right = ManyPairsHead.score_of
    monkeypatch.setattr(ManyPairsHead, "score_of", lambda self, query, key: right(self, query, key) + mpq(1, 16))
    assert certify.nmax(theta="1,0.1", C=40, cross_check=True, method="exhaustive").cross_check.disagreements == 2


def test_an_interrupted_search_says_so(monkeypatch):
    def interrupt(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr("certify.certified_range.many.bracket.first_return", interrupt)
    monkeypatch.setattr("certify.certified_range.many.exact_arithmetic.first_return", interrupt)
    result = certify.nmax(theta="1,0.1", C=400)
    assert (result.status, result.lower, result.ideal_upper) == ("at_least", 0, None)
    assert "interrupted" in result.reason


def test_returns_are_listed_from_the_first_on():
    question = many("fp16", ["1", "0.1"], 100)
    found = ManyReturns(question, many_error_bounds(question, 10**5))
    assert found.first == found.at(0)


# -- other realizations ---------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["phase", "counter", "recurrence"])
def test_realizations_that_drift_go_the_exhaustive_road(kind):
    results = [certify.nmax(theta="1,0.1,0", C=300, dtype="fp16", realize=kind, method=method, max_length=300)
               for method in ("auto", "pruned", "exhaustive")]  # fmt: skip
    assert len({(result.n_max, result.status, result.witness) for result in results}) == 1
    assert [result.method for result in results] == ["exhaustive"] * 3
    assert any("need not follow the exact phase" in note for note in results[0].notes)
    assert results[0].realize == kind


def test_tables_are_ideal():
    one, other = (
        certify.nmax(theta="2pi*3/44,2pi/9,0", C=300, dtype="fp16", realize=kind) for kind in ("table", "ideal")
    )
    assert (one.n_max, one.witness, one.method, one.upper) == (other.n_max, other.witness, other.method, other.upper)


def given_array(positions, dtype="fp16"):
    regime = Regime.of(dtype)
    pairs = [
        [realize("ideal", Angle.parse(text), regime.values).block(i) for text in ("1", "0.1")] for i in range(positions)
    ]
    return ArrayKind.of(np.array([[[float(entry) for entry in pair] for pair in row] for row in pairs]))


def test_each_pair_has_its_own_columns():
    kind = given_array(200)
    found = {
        method: certify.nmax(theta="1,0.1", C=256, dtype="fp16", realize=kind, method=method)
        for method in ("auto", "exhaustive")
    }
    assert found["auto"].witness == found["exhaustive"].witness
    assert (found["auto"].status, found["auto"].n_max) == ("exact", 62)
    head = found["auto"].question.head
    assert head.key(7) == tuple((mpq(kind.c[7, pair]), mpq(kind.s[7, pair])) for pair in (0, 1))
    assert head.pairs[1].bias == (256 * mpq(kind.c[1, 1]), -256 * mpq(kind.s[1, 1]))
    unrotated = certify.nmax(theta="1,0", C=256, dtype="fp16", realize=kind).question.head  # what is given counts
    assert unrotated.key(7) == head.key(7)
    checked = certify.nmax(theta="1,0.1", C=256, dtype="fp16", realize=kind, cross_check=True).cross_check
    assert checked.disagreements == 0, checked.first


def test_arrays_that_are_too_small_for_a_head():
    kind = given_array(30)
    with pytest.raises(InputError, match="2 pairs"):
        certify.nmax(theta="1,0.1,0.01", C=256, dtype="fp16", realize=kind)
    with pytest.raises(InputError, match="at most 28"):
        certify.nmax(theta="1,0.1", C=256, dtype="fp16", realize=kind, k=29)
    for method in ("auto", "pruned", "exhaustive"):
        result = certify.nmax(theta="1,0.1", C=256, dtype="fp16", realize=kind, method=method)
        assert (result.status, result.n_max, result.reason) == ("at_least", 28, "the array ends at position 29")
    assert certify.nmax(theta="1,0.1", C=256, dtype="fp16", realize=kind, method="bracket").status == "at_least"
