"""The effects of a realized schedule on a head, against exact rational arithmetic and published figures."""

from __future__ import annotations

import json
import math
import random
from dataclasses import dataclass
from types import SimpleNamespace

import mpmath
import numpy as np
import pytest
from gmpy2 import mpq

from certify.head_effects import gaps as effects_gaps
from certify.head_effects import table as tables
from certify.head_effects.effects import default_scale, head_effects
from certify.head_effects.errors import angle_errors, block_errors, phase_errors, rotation_errors
from certify.head_effects.exact import ExactScores
from certify.head_effects.gaps import Gaps
from certify.head_effects.schedules import schedule_effects
from certify.head_effects.stored import stored_numbers
from certify.head_effects.table import HeadTable, head_table
from certify.periodicity.compute import period
from fpsim.angle import Angle
from fpsim.blocks import blocks, phases
from fpsim.errors import InputError, UnsupportedError
from fpsim.flarge import f_large
from fpsim.pipeline.pipeline import Pipeline
from fpsim.pipeline.stages import Chain, Stages
from fpsim.realization import Given, Ideal, Phase, realize
from fpsim.realization.block import is_finite
from fpsim.realization.windowed import Windowed
from fpsim.rounding.reference import round_exact
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet

FP64 = ValueSet.parse("fp64")


def parse(name):
    return ValueSet.parse(name)


def made(kind, angle, name):
    return realize(kind, Angle.parse(angle), parse(name))


def rotations_of(stages, base, model="fp32", dim=128):
    return Pipeline("mine", stages, Schedule.conventional(base, dim)).rotations(model)


def all_in(name):
    return Stages(Chain("power"), stored=name, position=name, phase=name, trig=name, table=name)


class Naive:
    """Every gap of a small head by its definition, in rationals."""

    def __init__(self, rotations, length, k, own):
        self.k, self.own = k, own
        self.blocks = [[rotation.block(i) for rotation in rotations] for i in range(length)]
        self.finite = length
        for i, row in enumerate(self.blocks):
            if not all(is_finite(x) for block in row for x in block):
                self.finite = i
                break
        turns = [rotation.bias_rotation(k) for rotation in rotations]
        self.bias = None
        if all(turn is not None for turn in turns):
            self.bias = [(mpq(round_exact(FP64, c)), -mpq(round_exact(FP64, s))) for c, s in turns]

    def score(self, i, j):
        total = mpq(0)
        for (c, s), (b0, b1), (c_j, s_j) in zip(self.key(i), self.bias, self.key(j), strict=True):
            total += (c * b0 - s * b1) * c_j + (s * b0 + c * b1) * s_j
        return total

    def gaps(self):
        for i in range(self.k + 1, self.finite):
            target = self.score(i, i - self.k)
            for j in range(i + self.own):
                if j != i - self.k:
                    yield i, j, target - self.score(i, j)

    def key(self, i):
        return [tuple(mpq(x) for x in block) for block in self.blocks[i]]


KINDS = ("ideal", "phase", "counter", "recurrence", "table")


@pytest.mark.parametrize("name", ["bf16", "fp16", "e4m3", "e5m2", "e3m2", "fixed:8.5", "fp32", "nf4"])
@pytest.mark.parametrize("seed", range(3))
def test_everything_against_the_definition(name, seed):
    rng = random.Random(f"{name} {seed}")
    values = parse(name)
    kinds = [kind for kind in KINDS if values.is_binary or kind in ("ideal", "table")]
    kind = rng.choice(kinds)
    base = rng.choice(["1", "5", "100"])
    angles = ["2pi*3/7", "pi/5", "2pi/64"] if kind == "table" else [*Schedule.conventional(base, 6).angles]
    rotations = [realize(kind, Angle.parse(angle), values) for angle in angles[: rng.randint(1, 3)]]
    length, k, own = rng.randint(8, 40), rng.randint(1, 3), rng.random() < 0.5
    scale, threshold = mpq(rng.randint(1, 40), 7), mpq(rng.randint(1, 40), 9)
    got = head_effects(rotations, length=length, scale=scale, threshold=threshold, offset=k, own=own)
    naive = Naive(rotations, length, k, own)
    assert got.leaves_F_at == (naive.finite if naive.finite < length else None)
    gaps = list(naive.gaps()) if naive.bias else []
    not_finite = (max(naive.finite, k + 1) if naive.bias else k + 1, None)
    if not_finite[0] >= length:
        not_finite = None
    for found, failing in (
        (got.first_failure, lambda gap: gap <= 0),
        (got.first_below, lambda gap: scale * gap < threshold),
    ):
        first = next(((i, j, gap) for i, j, gap in gaps if failing(gap)), None)
        if first is None:
            assert (found and (found.i, found.j)) == not_finite
            assert found is None or math.isnan(found.gap)
        else:
            assert (found.i, found.j, found.gap) == first
    least = min(gaps, key=lambda one: (one[2], one[0], one[1]), default=None)
    assert (got.least and (got.least.i, got.least.j, got.least.gap)) == least
    assert got.least_within == 0
    keys = [naive.key(i) for i in range(naive.finite)]
    same = [i for i in range(naive.finite - 1) if keys[i] == keys[i + 1]]
    assert (got.equal_neighbours, got.first_equal) == (len(same), same[0] if same else None)
    assert got.distinct == len({tuple(key) for key in keys})


def test_small_tiles_and_no_trust_in_binary64_change_nothing(monkeypatch):
    rotations = [made("phase", angle, "bf16") for angle in Schedule.conventional("1e2", 8).angles]
    expected = head_effects(rotations, length=300, scale=5)
    assert expected.first_failure.i == 257
    monkeypatch.setattr(effects_gaps, "_ROWS", 7)
    monkeypatch.setattr(effects_gaps, "_COLUMNS", 5)
    assert head_effects(rotations, length=300, scale=5) == expected
    original = Gaps.__init__

    def doubtful(self, *arguments, **options):
        original(self, *arguments, **options)
        self.errors = self.errors * 0 + 0.7

    monkeypatch.setattr(effects_gaps.Gaps, "__init__", doubtful)
    assert head_effects(rotations, length=300, scale=5) == expected

    def without_bound(self, *arguments, **options):
        original(self, *arguments, **options)
        self.errors = self.errors * np.inf

    monkeypatch.setattr(effects_gaps.Gaps, "__init__", without_bound)
    short = head_effects(rotations[:2], length=60)
    monkeypatch.setattr(effects_gaps.Gaps, "__init__", original)
    assert short == head_effects(rotations[:2], length=60)


@pytest.mark.parametrize("columns", [1, 3, 4096])
def test_the_first_of_many_equal_gaps_is_reported(monkeypatch, columns):
    monkeypatch.setattr(effects_gaps, "_COLUMNS", columns)
    for turn, k in (("2pi/4", 3), ("2pi/6", 3), ("2pi*5/12", 3), ("2pi/2", 4)):
        rotations = [made("table", turn, "e5m2")]
        got = head_effects(rotations, length=40, offset=k, own=False)
        least = min(Naive(rotations, 40, k, False).gaps(), key=lambda one: (one[2], one[0], one[1]))
        assert (got.least.i, got.least.j, got.least.gap) == least


@pytest.mark.parametrize("size", [1.0, 1e-3, 1e200, 1e-200, 5e-324])
def test_the_bound_holds(size):
    rng = np.random.default_rng(7)
    pairs, length, k = 5, 40, 2
    with np.errstate(under="ignore"):
        arrays = rng.standard_normal((pairs, 2, length)) * size * 10.0 ** rng.integers(-3, 3, (pairs, 2, length))
    rotations = [Given(Angle.parse("1"), FP64, c, s) for c, s in arrays]
    table = head_table(rotations, length, k)
    gaps = Gaps(table, table.kinds(), own=True)
    exact = ExactScores(table)
    looked = 0
    for i in range(k + 1, length):
        error = gaps.errors[i]
        if not math.isfinite(error):
            continue
        for left, row in gaps._tiles(i, i + 1):
            for j, gap in enumerate(row[0].tolist(), left):
                if math.isfinite(gap):
                    looked += 1
                    assert abs(mpq(gap) - exact.gap(i, j)) <= mpq(error)
    assert looked > 500 or size == 1e200


def test_scores_beyond_binary64_are_decided_exactly():
    """Products of 10^200 overflow: nothing is left to binary64, and the answers are those of rationals."""
    rng = np.random.default_rng(3)
    arrays = rng.standard_normal((2, 2, 30)) * 1e200
    rotations = [Given(Angle.parse("1"), FP64, c, s) for c, s in arrays]
    got = head_effects(rotations, length=30)
    gaps = list(Naive(rotations, 30, 1, True).gaps())
    assert (got.first_failure.i, got.first_failure.j, got.first_failure.gap) == next(one for one in gaps if one[2] <= 0)
    least = min(gaps, key=lambda one: (one[2], one[0], one[1]))
    assert (got.least.i, got.least.j, got.least.gap) == least


def test_too_many_near_ties_give_an_honest_bound(monkeypatch):
    rotations = [Ideal(angle, FP64) for angle in Schedule.conventional("1e4", 16).angles]
    exact = head_effects(rotations, length=400)
    assert exact.least_within == 0
    monkeypatch.setattr(effects_gaps, "MAX_TIES", 3)
    rough = head_effects(rotations, length=400)
    assert 0 < rough.least_within < 1e-9
    assert rough.least.gap - mpq(rough.least_within) <= exact.least.gap <= rough.least.gap


# The previous-token head of dimension 128 over 8192 positions: first failing query, least gap to a thousandth (or as
# far as it was published), equal neighbours and the first of them.
BF16_BUFFER = Stages(stored="bf16", table="bf16")
BF16_IDS = Stages(position="bf16", table="fp32")
TF32_PRODUCT = Stages(operands="tf32", table="fp32")
PUBLISHED = [
    ("fp32", Stages(table="fp32"), "1e4", None, 1.905, 0, None),
    ("bf16 output", Stages(table="bf16"), "1e4", None, 1.862, 0, None),
    ("fp16 output", Stages(table="fp16"), "1e4", None, 1.900, 0, None),
    ("bf16 inverse frequency", BF16_BUFFER, "1e4", None, 1.865, 0, None),
    ("bf16 ids", BF16_IDS, "1e4", 257, -25.8, 7295, 256),
    ("all bf16", all_in("bf16"), "1e4", 257, -36.4, 7295, 256),
    ("all fp16", all_in("fp16"), "1e4", 1643, -15.4, 4095, 2048),
    ("all fp16", all_in("fp16"), "5e5", 2049, None, 4095, 2048),
    ("tf32 product", TF32_PRODUCT, "1e4", 2049, -9.9, 4095, 2048),
]


@pytest.mark.parametrize(
    ("name", "stages", "base", "fails", "least", "equal", "first"),
    PUBLISHED,
    ids=lambda x: str(x)[:24] if isinstance(x, str) else "",
)
def test_published_figures(name, stages, base, fails, least, equal, first):
    del name
    effects = head_effects(rotations_of(stages, base), length=8192)
    assert (effects.first_failure and effects.first_failure.i) == fails
    assert (effects.equal_neighbours, effects.first_equal) == (equal, first)
    assert effects.complete
    assert effects.least_within == 0
    if least is not None:
        assert float(effects.least.gap) == pytest.approx(least, abs=0.0006 if least > 0 else 0.06)


def test_the_ideal_head():
    rotations = [Ideal(angle, FP64) for angle in Schedule.conventional("1e4", 128).angles]
    effects = head_effects(rotations, length=2048)
    exact = sum(1 - mpmath.cos(mpmath.mpf(10000) ** (-mpmath.mpf(d) / 64)) for d in range(64))  # neighbours
    assert float(effects.least.gap) == pytest.approx(float(exact), abs=1e-12)
    assert f"{float(effects.least.gap):.3f}" == "1.906"
    assert effects.first_failure is None
    assert effects.distinct == 2048


def test_bf16_ids_collide_at_256():
    effects = head_effects(rotations_of(BF16_IDS, "1e4"), length=4096)
    assert (effects.first_equal, effects.distinct, effects.equal_neighbours) == (256, 769, 3327)


@pytest.mark.parametrize(("base", "position"), [("1e4", 2568), ("5e5", 1756)])
def test_phase_error_of_a_bf16_inverse_frequency(base, position):
    """The error per position makes pi in 2568.4 (1756.04) positions, so the first whole one that reaches it is the next."""
    errors = rotation_errors(rotations_of(Stages(stored="bf16", table="fp32"), base), 4096)
    assert errors.reaches_pi == (position + 1, 1)
    rotation = rotations_of(Stages(stored="bf16", phase="fp64", table="fp32"), base)[1]
    with mpmath.workdps(30):
        theta = mpmath.mpf(int(float(base))) ** (-mpmath.mpf(1) / 64)
        each = abs(mpmath.mpf(float(rotation.stored)) - theta)
        assert position < mpmath.pi / each < position + 1
        got = phase_errors(rotation, 0, 4096)
        assert abs(float(each * 4095) - got[-1]) <= 1e-13 * got[-1]


@pytest.mark.parametrize("name", ["fp64", "fp32", "fp64:up"])
@pytest.mark.parametrize("theta", ["0.1", "2/3", "2pi*5/7", "-1e-4"])
def test_phase_errors_of_wide_formats_at_great_positions(name, theta):
    """Of fp64 they are below the last bit of a product with theta rounded to binary64."""
    rotation = realize("phase", Angle.parse(theta), parse(name))
    lo, hi = rotation.angle.enclose(300)
    for start in (1000, 10**6, (1 << 24) - 64):
        got = phase_errors(rotation, start, start + 64)
        for at, i in enumerate(range(start, start + 64)):
            exact = abs(mpq(rotation.phase(i)) - i * (lo + hi) / 2)
            assert abs(mpq(float(got[at])) - exact) <= exact * mpq(1, 10**15) + i * max(abs(lo), abs(hi)) / 2**100


@pytest.mark.parametrize(("dtype", "error"), [("fp16", 0.763), ("bf16", 0.864)])
def test_entries_of_a_gpt_j_in_half_precision(dtype, error):
    """Rotary dimension 64, 2048 positions."""
    stages = Stages(Chain("power", dtype, dtype, dtype), stored=dtype, table="fp32")
    errors = rotation_errors(rotations_of(stages, "1e4", dim=64), 2048)
    assert f"{max(errors.cos.size, errors.sin.size):.3f}" == str(error)


def test_cosines_of_a_llama_with_a_bf16_buffer():
    rotations = rotations_of(BF16_BUFFER, "5e5")
    assert f"{rotation_errors(rotations, 256).cos.size:.2f}" == "0.43"
    assert f"{rotation_errors(rotations, 8192).cos.size:.1f}" == "2.0"


@pytest.mark.parametrize("kind", ["phase", "counter"])
@pytest.mark.parametrize("name", ["bf16", "fp16", "e5m2", "fixed:12.6"])
def test_errors_against_mpmath(kind, name):
    values = parse(name)
    for angle in ("1", "0.3", "2pi/17", "-0.01"):
        rotation = realize(kind, Angle.parse(angle), values)
        phases, (angles, cosines, sines) = phase_errors(rotation, 250, 290), block_errors(rotation, 250, 290)
        with mpmath.workdps(40):
            lo, hi = rotation.angle.enclose(200)
            theta = mpmath.mpf(int((lo + hi).numerator)) / (2 * int((lo + hi).denominator))
            for at, i in enumerate(range(250, 290)):
                phi = rotation.phase(i)
                c, s = rotation.block(i)
                if is_finite(phi):
                    expected = abs(mpmath.mpf(float(phi)) - theta * i)
                    assert abs(phases[at] - expected) <= 1e-15 * (1 + expected)
                else:
                    assert math.isnan(phases[at])
                if is_finite(c) and is_finite(s):
                    assert abs(cosines[at] - abs(float(c) - mpmath.cos(theta * i))) < 1e-15
                    assert abs(sines[at] - abs(float(s) - mpmath.sin(theta * i))) < 1e-15
                    if c or s:
                        turned = mpmath.atan2(float(s), float(c)) - theta * i
                        wrapped = abs(turned - 2 * mpmath.pi * mpmath.nint(turned / (2 * mpmath.pi)))
                        assert abs(angles[at] - wrapped) < 2e-15
                    else:
                        assert math.isnan(angles[at])
                else:
                    assert math.isnan(cosines[at])
                    assert math.isnan(sines[at])


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("name", ["bf16", "e4m3"])
def test_many_positions_are_the_single_ones(kind, name):
    rotation = made(kind, "2pi/7", name)
    for one in (rotation, Windowed(rotation, 23)):
        c, s = blocks(one, 245, 275)
        assert [repr((float(a), float(b))) for a, b in map(one.block, range(245, 275))] == [
            repr(both) for both in zip(c.tolist(), s.tolist(), strict=True)
        ]
    turned = phases(rotation, 245, 275)
    if kind in ("phase", "counter"):
        assert [repr(float(rotation.phase(i))) for i in range(245, 275)] == [repr(x) for x in turned.tolist()]
    else:
        assert turned is None


def test_the_greatest_errors_are_the_first_of_their_size():
    rotations = [made("phase", angle, "bf16") for angle in ("0.5", "1", "1")]
    errors = rotation_errors(rotations, 1000)
    assert (errors.phase.size, errors.phase.position, errors.phase.pair) == (2.0, 514, 1)
    assert rotation_errors([Ideal(Angle.parse("1"), parse("bf16"))], 100).phase is None
    assert rotation_errors([made("phase", "0", "bf16")], 10).angle.size == 0


def test_a_phase_error_of_exactly_pi():
    """pi/1000 is stored as 0, so that the error is pi i/1000, which is pi itself at 1000, not before."""
    rotation = Phase(Angle.parse("pi/1000"), parse("fixed:16.2:saturate"))
    assert float(rotation.stored) == 0
    assert rotation_errors([rotation], 1001).reaches_pi == (1000, 0)
    assert rotation_errors([rotation], 1000).reaches_pi is None


def test_close_to_pi_is_decided_exactly():
    """After 1000 positions the error is pi cut to 20 decimals, or that and one more unit: 3 10^-21 below pi, 7 above."""
    digits = 314159265358979323846  # pi = 3.14159265358979323846(26..)
    for last, reached in ((digits, False), (digits + 1, True)):
        rotation = SimpleNamespace(
            angle=Angle(mpq(last, 10**20) / 1000), length=None, phase=lambda _i: mpq(0), values=FP64,
            fast_blocks=lambda a, b: (np.ones(b - a), np.zeros(b - a)), fast_phases=lambda a, b: np.zeros(b - a),
        )  # fmt: skip
        assert (rotation_errors([rotation], 1001).reaches_pi is not None) == reached


@dataclass(frozen=True)
class Scaled(Ideal):
    """Every entry twice as large."""

    attention_factor: mpq = mpq(2)

    def block(self, position):
        c, s = super().block(position)
        return 2 * c, 2 * s

    def fast_blocks(self, start, stop):
        entries = [self.block(i) for i in range(start, stop)]
        return np.array([float(c) for c, _ in entries]), np.array([float(s) for _, s in entries])


def test_an_attention_factor_is_no_error():
    errors = rotation_errors([Scaled(Angle.parse("1"), parse("fp32"))], 50)
    assert errors.cos.size < 1e-7
    assert errors.angle.size < 1e-7


def test_angle_errors_alone_are_those_beside_the_others():
    """Also where a block is (0, 0), infinite or NaN: of those none has an angle."""
    for rotation in (made("phase", "1000", "e4m3"), made("recurrence", "0.1", "e2m1"), made("phase", "3", "fp16")):
        angles, _, _ = block_errors(rotation, 0, 70)
        assert np.array_equal(angle_errors(rotation, 0, 70), angles, equal_nan=True)
    assert np.isnan(angle_errors(made("phase", "1000", "e4m3"), 0, 70)).all()  # the stored angle is NaN


def test_what_leaves_the_value_set():
    """fp16 positions are infinite from 65520 on; e4m3 ones are NaN from 465 on."""
    rotations = [made("phase", "1", "fp16")]
    effects = head_effects(rotations, length=65530, whole=False, scale=1)
    assert effects.leaves_F_at == 65520
    small = head_effects([made("phase", "1", "e4m3")], length=480, scale=1)
    assert small.leaves_F_at == 465
    assert not small.complete or small.queries == 465
    assert "leaves F" in str(small)
    few = head_effects([made("phase", "1e9", "e4m3")], length=5)
    assert (few.leaves_F_at, few.distinct, few.first_failure.i, few.first_failure.j) == (0, 0, 2, None)
    assert few.errors.angle is None
    assert few.to_json()["first_failure"] == {"i": 2, "j": None, "gap": "nan", "gap_exact": None}


def test_ends_early_only_when_allowed():
    rotations = [made("phase", angle, "bf16") for angle in Schedule.conventional("1e4", 16).angles]
    seen = []
    early = head_effects(rotations, length=3000, whole=False, progress=lambda done, total: seen.append((done, total)))
    assert early.first_failure.i == 257
    assert early.queries < 3000
    assert not early.complete
    assert seen[-1] == (early.queries - 2, 2998)
    assert f"of the queries before {early.queries}" in str(early)
    assert head_effects(rotations, length=3000).queries == 3000
    fine = head_effects(rotations, length=200, whole=False)
    assert fine.first_failure is None
    assert fine.complete


def test_scale_and_threshold():
    fp16 = parse("fp16")
    rotations = [realize("ideal", angle, fp16) for angle in Schedule.conventional("1e4", 128).angles]
    assert default_scale(rotations) == 128
    effects = head_effects(rotations, length=500)
    assert (effects.scale, effects.threshold) == (128, f_large("fp16"))
    assert effects.first_below is None
    least = effects.least
    exactly = head_effects(rotations, length=500, scale=1, threshold=least.gap)
    assert exactly.first_below is None  # below means below
    above = head_effects(rotations, length=500, scale=1, threshold=least.gap + mpq(1, 2**200))
    assert (above.first_below.i, above.first_below.j, above.first_below.gap) == (least.i, least.j, least.gap)
    nothing = head_effects([made("ideal", "1", "fixed:12.11")], length=20)
    assert nothing.threshold is None
    assert "no f_large" in str(nothing)
    assert default_scale([made("ideal", "1", "fixed:8.4")]) == 1
    huge = head_effects(rotations[:2], length=20, threshold="1e400", scale="1e-400")
    assert huge.first_below.i == 2


def test_text_and_json():
    effects = head_effects([made("phase", "1", "bf16")], length=300, scale=40)
    shown = json.loads(json.dumps(effects.to_json(), sort_keys=True))
    assert shown["first_failure"]["i"] == effects.first_failure.i
    assert shown["distinct_blocks"] == 257 + 22
    assert shown["phase_error"] == {"size": 1.0, "position": 257, "pair": 0}
    assert shown["C"] == "40"
    assert shown["competitors"] == "j <= i"
    assert mpq(shown["least_gap"]["gap_exact"]) == effects.least.gap
    text = str(effects)
    for part in (
        "Head that looks 1 back: 1 pair, phase in bf16, 300 positions",
        "equal neighbours",
        "phase error",
        "angle error",
    ):
        assert part in text
    assert "j < i" in str(head_effects([made("ideal", "1", "bf16")], length=9, own=False))


def test_bad_input():
    rotation = made("ideal", "1", "bf16")
    with pytest.raises(InputError, match="rotations"):
        head_effects([], length=10)
    with pytest.raises(InputError, match="length"):
        head_effects([rotation], length=0)
    with pytest.raises(InputError, match="offset"):
        head_effects([rotation], length=10, offset=True)
    with pytest.raises(InputError, match="scale"):
        head_effects([rotation], length=10, scale=-1)
    with pytest.raises(InputError, match="threshold"):
        head_effects([rotation], length=10, threshold="x")
    with pytest.raises(InputError, match="at most 4, the positions that the array has"):
        head_effects([Given(Angle.parse("1"), FP64, np.ones(4), np.zeros(4))], length=5)
    with pytest.raises(UnsupportedError, match="more than"):
        head_effects([rotation] * 64, length=10**6)
    with pytest.raises(UnsupportedError, match="binary64"):
        head_effects([made("ideal", "1", "fp128")], length=5)
    with pytest.raises(UnsupportedError, match="stochastic"):
        head_effects([made("ideal", "1", "bf16:stochastic=7")], length=5)


def test_a_head_with_no_queries():
    effects = head_effects([made("ideal", "1", "bf16")], length=2)
    assert (effects.first_failure, effects.least, effects.complete) == (None, None, True)
    assert "first failing query none" in str(effects)


def test_an_array_has_no_angles_to_compare_with():
    blocks_ = np.float16(np.stack([np.cos(np.arange(64)), np.sin(np.arange(64))], 1))
    (effects,) = schedule_effects(period(array=blocks_), length=64).values()
    shown = effects.to_json()
    assert [shown[key] for key in ("phase_error", "angle_error", "cos_error", "sin_error")] == [None] * 4
    assert "error" not in str(effects)
    known = [Given(Angle.parse("1"), parse("fp16"), *np.float64(blocks_.T))]
    assert 0 < head_effects(known, length=64).errors.angle.size < 1e-3


@pytest.mark.parametrize(("arguments", "what"), [
    ({"length": 2}, "length"), ({"length": 3.0}, "length"), ({"length": "9"}, "length"), ({"length": 9, "k": 8}, "k"), ({"length": 9, "k": 0}, "k"),
    ({"length": 9, "k": True}, "k"), ({"length": 9, "k": 10**30}, "k"), ({"length": 9, "C": 0}, "C"),
])  # fmt: skip
def test_a_head_of_a_schedule_has_a_query(arguments, what):
    with pytest.raises(InputError, match=f"^{what}: "):
        schedule_effects(period(theta="1"), **arguments)
    assert schedule_effects(period(theta="1"), length=np.int64(9), k=7)[None].queries == 9


@pytest.mark.parametrize(("base", "pipeline", "subnormal", "zero"), [
    ("1e4", "all-fp16", 0, 0), ("1e6", "all-fp16", 19, 0), ("1e8", "all-fp16", 27, 3), ("1e8", "transformers", 0, 0), ("1e6", "ggml-cpu", None, None),
])  # fmt: skip
def test_stored_frequencies_that_are_subnormal_or_zero(base, pipeline, subnormal, zero):
    dim = 4 if subnormal is None else 128
    result = period(base=base, dim=dim, dtype="fp16", pipeline=pipeline, positions=10)
    (effects,) = schedule_effects(result, length=3).values()
    shown = effects.to_json()
    if subnormal is None:  # of a running product the first pair has no number, the second one has
        assert (shown["stored_subnormal"], shown["stored_zero"]) == (0, 0)
        assert stored_numbers([result.components[0].rotation]) is None
    else:
        assert (shown["stored_subnormal"], shown["stored_zero"]) == (subnormal, zero)
        assert ("stored angles" in str(effects)) == (subnormal + zero > 0)
    assert stored_numbers([made("ideal", "1", "fp16")]) is None
    assert stored_numbers([Windowed(made("phase", "1e-7", "fp16"), 9)]).subnormal == 1


@pytest.mark.parametrize("alike", [False, True])
def test_rows_are_of_one_kind_exactly_if_they_are_equal(alike, monkeypatch):
    """By bits that are mixed, and by sorting where different rows have these in common."""
    rng = np.random.default_rng(5)
    if alike:
        monkeypatch.setattr(tables, "_mixed", lambda keys: np.zeros(keys.shape[0], np.uint64))
    for columns, rows in ((2, 1), (2, 900), (8, 3000), (4, 1)):
        keys = rng.integers(-1, 2, (rows, columns)) / 3 + 0.0
        kinds = HeadTable(keys, None, 1, rows, None).kinds()
        found = dict.fromkeys(zip(map(tuple, keys.tolist()), kinds.tolist(), strict=True))
        assert len(found) == len({row for row, _ in found}) == len({kind for _, kind in found}) == kinds.max() + 1
