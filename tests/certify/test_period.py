"""Periodicity: every verdict is compared with a program that walks the positions one by one; bad input; Prop. 2.1, 2.2."""

import itertools
import json
import math
import random
from dataclasses import replace

import numpy as np
import pytest
from gmpy2 import mpq

import certify
from certify.periodicity import collision as collision_module
from certify.periodicity import compute as compute_module
from certify.periodicity import eventually_constant
from certify.periodicity.collision import first_collision
from certify.periodicity.component import decide
from certify.periodicity.first_visit import first_visit
from certify.periodicity.irrational import two_values
from certify.periodicity.least_period import prime_divisors, table_period, window_period, window_period_by_trial
from certify.periodicity.monotone import least
from certify.periodicity.repeated_table import _by_pairs, _by_table
from certify.periodicity.verdict import Verdict
from fpsim.angle import Angle, NamedReal
from fpsim.blocks import blocks
from fpsim.errors import InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.pipeline import Chain, Pipeline, PipelineRotation, Stages
from fpsim.realization import Given, Ideal, realize
from fpsim.realization.windowed import Windowed
from fpsim.rounding.cells import cell
from fpsim.rounding.reference import round_exact
from fpsim.schedule import Schedule
from fpsim.valueset import ValueSet

MODES = ("even", "away", "zero", "up", "down", "odd")
POLICIES = ("inf", "saturate", "nan")

# -- the slow program -------------------------------------------------------------------------------------------------


def walk(rotation, count):
    """The first blocks, -0 as 0; None for a block with a NaN."""
    rows = []
    for i in range(count):
        c, s = rotation.block(i)
        rows.append(None if c != c or s != s else (c + 0 if c else 0, s + 0 if s else 0))
    return rows


def walked_period(rows):
    """The least m with rows[i+m] = rows[i] as far as they go."""
    return next(m for m in range(1, len(rows) + 1) if all(a == b for a, b in zip(rows, rows[m:], strict=False)))


def walked_collision(rows):
    """[i, j] with the least j."""
    for j, row in enumerate(rows):
        if row is not None and row in rows[:j]:
            return rows.index(row), j
    return None


def in_all_modes(values, policies=POLICIES):
    for mode, policy in itertools.product(MODES, policies):
        yield replace(values, rounding=mode, overflow=policy, name=f"{values.name}:{mode}:{policy}")


def coarse_grids(number, seed):
    """Value sets of few values near 1, where cells part at all kinds of cosines."""
    rng = random.Random(seed)
    for _ in range(number):
        entries = {mpq(rng.randrange(-40, 41), rng.choice([4, 7, 16, 20])) for _ in range(rng.randrange(1, 5))}
        values = grid(sorted(entries | {mpq(0), mpq(rng.randrange(1, 60), 8)}))
        yield from in_all_modes(values)


# -- tables -----------------------------------------------------------------------------------------------------------


def check_table(angle, values):
    rotation = realize("table", angle, values)
    m = rotation.entries
    rows, verdict = walk(rotation, 2 * m), decide(rotation)
    assert decide(realize("ideal", angle, values)) == verdict
    if None in rows:
        assert (verdict.verdict, verdict.proof, verdict.leaves_F_at) == ("non-periodic", "left-F", rows.index(None))
        assert verdict.period is verdict.preperiod is verdict.eventual_period is None
        return
    period = walked_period(rows)
    assert (verdict.verdict, verdict.proof, verdict.period) == ("periodic", "finite-table", period)
    assert (verdict.preperiod, verdict.eventual_period) == (0, period)
    if period > 1:
        i, j = verdict.witness
        assert rows[i] != rows[j]
    c, s = (np.array([float(row[k]) for row in rows[:m]]) for k in (0, 1))
    assert table_period(c, s)[0] == period  # the least period, from the entries


@pytest.mark.parametrize("name", ["fp16", "e4m3", "e2m1", "fixed:8.0", "fixed:4.4", "nf4", "e5m2:saturate"])
def test_tables_of_every_small_size(name):
    for values in in_all_modes(ValueSet.parse(name)) if name[:5] in ("e2m1", "fixed") else [ValueSet.parse(name)]:
        for m in range(1, 14):
            for a in {1, m - 1, m // 2 + 1}:
                check_table(Angle(mpq(2 * a, m), "pi"), values)


def test_tables_in_value_sets_of_few_values():
    """The theorem of `table`: a rounded table has the least period m or 1."""
    seen = set()
    for values in coarse_grids(8, "tables"):
        for m in (1, 2, 3, 4, 5, 6, 7, 9, 12):
            check_table(Angle(mpq(2, m), "pi"), values)
            seen.add((m, decide(realize("table", Angle(mpq(2, m), "pi"), values)).period))
    assert {(6, 1), (6, 6), (12, 1), (5, 1), (5, 5)} <= seen


@pytest.mark.parametrize("turns", ["1/4", "5/12", "10/1000", "6/9", "999/1000000", "1/65537", "123456/720720"])
@pytest.mark.parametrize("name", ["fp16", "e4m3", "fp32"])
def test_long_tables_by_their_entries(turns, name):
    values, angle = ValueSet.parse(name), Angle.parse(f"2pi*{turns}")
    m = int(mpq(turns).denominator)
    assert decide(Ideal(angle, values)).period == m == table_period(*blocks(Ideal(angle, values), 0, m))[0]


def test_rational_multiples_whose_rounded_period_is_a_proper_divisor():
    values = grid([-4, 0, 4])
    for m in (2, 3, 7, 1000, 10**85 + 33):
        assert decide(Ideal(Angle(mpq(2, m), "pi"), values)).period == 1
    lopsided = grid([-1, 0, 5])  # -1 below -1/2: the half turn is met by even tables only
    assert decide(Ideal(Angle.parse("2pi/3"), replace(lopsided, rounding="zero"))).period == 1
    assert decide(Ideal(Angle.parse("2pi/6"), replace(lopsided, rounding="zero"))).period == 6


def test_prop_2_2_and_the_acceptance_values():
    for turns, name, period in (
        ("3/4", "fp32", 4),
        ("10/1000", "e5m2", 100),
        ("6/9", "fp16", 3),
        ("1/1", "bf16", 1),
        ("3/7", "e2m1", 7),
    ):
        result = certify.period(theta=f"2pi*{turns}", dtype=name, realize="table")
        assert (result.component_periodic, result.period, result.components[0].verdict.period) == (True, period, period)


def test_a_table_of_any_size():
    m = 10**85 + 33
    result = certify.period(theta=f"2pi*7/{m}", dtype="fp16")
    assert result.period == m
    i, j = result.components[0].verdict.witness
    rotation = Ideal(Angle.parse(f"2pi*7/{m}"), ValueSet.parse("fp16"))
    assert rotation.block(i) != rotation.block(j)
    assert "86 digits" in str(result)


# -- irrational angles ------------------------------------------------------------------------------------------------


def check_irrational(angle, values, count=70):
    rotation = realize("ideal", angle, values)
    rows, verdict = walk(rotation, count), decide(rotation)
    if verdict.proof == "left-F":
        gone = verdict.leaves_F_at
        assert gone >= count or rows.index(None) == gone
        assert walk(rotation, gone + 1)[-1] is None if gone < 5000 else True
        return "left-F"
    assert None not in rows
    if verdict.verdict == "periodic":
        assert set(rows) == {rows[0]}
        assert (verdict.period, verdict.proof) == (1, "eventually-constant")
        return "constant"
    assert (verdict.verdict, verdict.proof, verdict.period) == ("non-periodic", "irrational-angle", None)
    i, j = verdict.witness
    assert rotation.block(i) != rotation.block(j)
    if verdict.preperiod is not None:
        assert (i, verdict.preperiod, verdict.eventual_period) == (0, 1, 1)
        assert len(set(rows[1:])) == 1
        assert rows[0] != rows[1]
        return "from 1"
    assert 1 <= i < j
    return "varies"


def test_irrational_angles_in_value_sets_of_few_values():
    kinds = {check_irrational(Angle.parse("1"), values, 40) for values in coarse_grids(40, "irrational")}
    assert kinds == {"left-F", "constant", "from 1", "varies"}


@pytest.mark.parametrize("theta", ["1", "0.1", "-2/3", "1e-7", "355/113", "100"])
@pytest.mark.parametrize("name", ["fp16", "bf16", "fp64", "fp128", "e2m1", "fixed:8.4", "e4m3:up", "e4m3:nan:down"])
def test_prop_4_1(theta, name):
    values = ValueSet.parse(name)
    assert check_irrational(Angle.parse(theta), values, 12) == "varies"
    assert decide(Ideal(Angle.parse(theta), values)).period is None


def test_conventional_schedules_are_not_periodic():
    result = certify.period(base=10000, dim=16, dtype="fp16")
    assert result.component_periodic is False
    assert result.period is None
    assert {c.verdict.proof for c in result.components} == {"irrational-angle"}
    assert "Lindemann" in result.components[1].verdict.because


@pytest.mark.parametrize("theta", ["1", "1e-300", "1/3"])
@pytest.mark.parametrize("entries", [
    [0, "2" + "0" * 60 + "/" + "1" + "0" * 60 + "1"],  # 0 and a bit less than 2: cells part just below 1
    [-1, 0, "1e-90"], [0, 1], [-1, 0], ["-1.99999999999999999999999999", 0, 3],
])  # fmt: skip
def test_two_positions_where_cells_part_near_1(theta, entries):
    rotation = Ideal(Angle.parse(theta), grid(entries))
    i, j = two_values(rotation, cell(rotation.values, mpq(0)))
    assert 1 <= i < j
    assert rotation.block(i) != rotation.block(j)


@pytest.mark.parametrize("theta", ["1", "1/100", "22/7"])
def test_the_first_position_beyond_range_of_a_lopsided_set(theta):
    for entries, mode in itertools.product((["-9/10", 0, 1], ["-0.99", "-0.98", 0, 2], ["-1/2", 0, 1]), MODES):
        values = replace(grid(entries), overflow="nan", rounding=mode)
        rotation = Ideal(Angle.parse(theta), values)
        verdict = decide(rotation)
        rows = walk(rotation, 700)
        assert verdict.leaves_F_at == (rows.index(None) if None in rows else verdict.leaves_F_at)
        if verdict.leaves_F_at is None:
            assert None not in rows
        for turns in ("2pi*5/12", "2pi*3/101", "2pi/2"):
            check_table(Angle.parse(turns), values)


def test_an_angle_of_which_nothing_is_proved():
    unknown = Angle(mpq(1), "real", real=NamedReal("x", Angle.parse("0.3").enclose))
    assert unknown.turns is None
    assert unknown.irrational_because is None
    verdict = decide(Ideal(unknown, ValueSet.parse("fp16")))
    assert (verdict.verdict, verdict.proof) == ("undecided", None)
    assert "not known" in verdict.because
    assert decide(Ideal(unknown, grid([-4, 0, 4]))).verdict == "periodic"  # whatever the angle is


# -- eventually constant ----------------------------------------------------------------------------------------------


def check_eventually_constant(rotation, count):
    """`count` is beyond where positions settle."""
    rows, verdict = walk(rotation, count), decide(rotation)
    if None in rows:
        assert (verdict.verdict, verdict.proof, verdict.leaves_F_at) == ("non-periodic", "left-F", rows.index(None))
        return
    mu = next(i for i in range(count) if all(row == rows[-1] for row in rows[i:]))
    assert verdict.proof == "eventually-constant"
    assert (verdict.preperiod, verdict.eventual_period) == (mu, 1)
    assert (verdict.verdict, verdict.period) == (("periodic", 1) if mu == 0 else ("non-periodic", None))
    assert verdict.witness == ((0,) if mu == 0 else (mu, mu - 1))


SMALL = ["e2m1", "e2m3", "e3m2", "fixed:6.2", "fixed:4.3", "e3m1", "e2m2:ftz", "fixed:5.0"]


@pytest.mark.parametrize("kind", ["phase", "counter"])
@pytest.mark.parametrize("name", SMALL)
def test_small_formats_in_every_mode(name, kind):
    base = ValueSet.parse(name)
    for values in in_all_modes(base):
        for theta in ("1", "-0.3", "1/100", "2pi/4", "-7"):
            check_eventually_constant(realize(kind, Angle.parse(theta), values), 3 * int(base.max) + 9)


@pytest.mark.parametrize("kind", ["phase", "counter"])
def test_value_sets_of_few_values(kind):
    for values in itertools.islice(coarse_grids(40, "phase"), 0, None, 3):
        for theta in ("1", "-0.2", "5"):
            check_eventually_constant(realize(kind, Angle.parse(theta), values), 3 * int(values.max) + 9)


@pytest.mark.parametrize("name", ["e4m3", "e4m3:saturate", "e4m3:saturate:up", "e4m3fnuz:odd"])
@pytest.mark.parametrize("theta", ["1", "0.1", "0.004", "2.5"])
def test_e4m3(name, theta):
    for kind in ("phase", "counter"):
        check_eventually_constant(realize(kind, Angle.parse(theta), ValueSet.parse(name)), 950)


@pytest.mark.parametrize("table", ["e2m1", "fixed:6.2", "e3m2:nan", "fixed:4.3:nan:down", "fp16", "fixed:8.0:zero"])
@pytest.mark.parametrize("chain", ["exact", "divide", "running-product"])
def test_pipelines_of_small_formats(table, chain):
    for position, phase in (
        ("e3m2", "e4m3:saturate"),
        ("e2m3", "e3m1"),
        ("fixed:6.0", "fixed:7.2"),
        ("fixed:5.0", "e4m3"),
    ):
        stages = Stages(Chain(chain), stored="fp16", position=position, phase=phase, trig="fp16", table=table)
        for theta in ("1", "0.11", "3"):
            if chain != "running-product":
                rotation = Pipeline("mine", stages).rotation(Angle.parse(theta), ValueSet.parse("fp16"))
                check_eventually_constant(rotation, rotation.settled_by + 3)
        schedule = Schedule.conventional("50", 8)
        for rotation in Pipeline("mine", stages).for_schedule(schedule).rotations("fp16"):
            check_eventually_constant(rotation, rotation.settled_by + 3)


@pytest.mark.parametrize("table", ["e2m1", "fixed:3.2:nan", "fixed:4.3:nan:down", "fixed:4.2:nan", "e3m1:up"])
@pytest.mark.parametrize("factor", ["7/5", "1/3", "1/50"])
def test_pipelines_that_multiply_by_an_attention_factor(table, factor):
    stages = Stages(Chain("exact"), "fp16", "e3m2", None, "fp16", "fp16", "fp16", table)
    for theta in ("1", "0.11"):
        rotation = PipelineRotation(
            Angle.parse(theta), ValueSet.parse("fp16"), "mine", stages, attention_factor=mpq(factor)
        )
        check_eventually_constant(rotation, rotation.settled_by + 3)


@pytest.mark.parametrize(
    ("chain", "stored", "linear", "factor"),
    [
        ("exact", grid([-6, -4, 0, 4, 6]), "angle", 1),  # an infinity multiplies
        ("divide", "fixed:4.2", "angle", 1),  # a 0 divides
        ("exact", "fp16", "phase", "1/100"),
        ("exact", "fp16", "position", "1/100"),
    ],
)
@pytest.mark.parametrize("table", ["fixed:6.3", "e2m3", "fixed:2.0:zero"])
def test_a_nan_at_position_0_only(chain, stored, linear, factor, table):
    """0 times an infinity, or over 0, is NaN; at later positions the stages saturate, and the block is finite."""
    stages = Stages(Chain(chain), stored, "fixed:5.1", None, "fixed:5.1", "fp16", "fp16", table, linear=linear)
    rotation = PipelineRotation(Angle.parse("50"), ValueSet.parse("fp16"), "mine", stages, factor=mpq(factor))
    rows = walk(rotation, rotation.settled_by + 3)
    assert rows[0] is None
    assert None not in rows[1:]
    check_eventually_constant(rotation, rotation.settled_by + 3)


@pytest.mark.parametrize(("kind", "name", "theta", "key", "value"), [
    ("phase", "fp16", "1", "leaves_F_at", 65520), ("phase", "fp16", "1e-9", "leaves_F_at", 65520), ("counter", "fp16", "1", "preperiod", 2048),
    ("counter", "bf16", "1", "preperiod", 256), ("counter", "fp32", "1", "preperiod", 2**24), ("phase", "fp64", "1", "leaves_F_at", (1024, 970)),
    ("phase", "fp128", "1", "leaves_F_at", (16384, 16270)), ("phase", "fp64:zero", "0.1", "preperiod", (1024, 971)), ("counter", "fp16:up", "1", "leaves_F_at", 7168),
])  # fmt: skip
def test_positions_of_any_size(kind, name, theta, key, value):
    exact = value if isinstance(value, int) else 2 ** value[0] - 2 ** value[1]
    assert getattr(decide(realize(kind, Angle.parse(theta), ValueSet.parse(name))), key) == exact


@pytest.mark.parametrize(
    ("kind", "name"),
    [("phase", "fp64:saturate"), ("phase", "fp128:saturate"), ("counter", "fp64"), ("phase", "fp32:down")],
)
def test_witnesses_at_great_positions(kind, name):
    for theta in Schedule.conventional("1e4", 128).angles[::9]:
        rotation = realize(kind, theta, ValueSet.parse(name))
        verdict = decide(rotation)
        mu, before = verdict.witness
        assert before == mu - 1 == verdict.preperiod - 1
        assert rotation.block(mu) == rotation.block(mu + 1) == rotation.block(2 * mu + 7) != rotation.block(before)


def test_a_phase_that_underflows_is_constant_where_positions_saturate():
    verdict = decide(realize("phase", Angle.parse("1e-9"), ValueSet.parse("fp16:saturate")))
    assert (verdict.verdict, verdict.period) == ("periodic", 1)


@pytest.mark.parametrize("table", ["fixed:6.2", "fixed:6.1"])
def test_a_block_that_is_the_same_in_very_many_quadrants(monkeypatch, table):
    """Every position is next to a whole number of turns, in a coarse table: no bisection sees a change."""
    places = {"stored": "fp64", "phase": "fp64", "trig": "fp64", "table": table}
    turned = Pipeline("mine", Stages(Chain("exact"), position="fixed:10.0", **places)).rotation(
        Angle.parse("2pi"), ValueSet.parse("fp16")
    )
    assert decide(turned).period == 1
    check_eventually_constant(turned, 520)
    nearly = Pipeline("mine", Stages(Chain("exact"), position="fixed:10.0", **places)).rotation(
        Angle.parse("2pi*2501/2500"), ValueSet.parse("fp16")
    )
    check_eventually_constant(nearly, 520)
    monkeypatch.setattr(eventually_constant, "_MOST_POSITIONS", 300)
    verdict = decide(turned)
    assert (verdict.verdict, verdict.proof) == ("undecided", None)
    assert "the first 300 positions" in verdict.because
    monkeypatch.setattr(eventually_constant, "_MOST_QUADRANTS", 2)
    verdict = decide(nearly)
    assert (verdict.verdict, verdict.preperiod, verdict.eventual_period) == ("non-periodic", None, 1)
    bound, i = verdict.witness
    assert nearly.block(bound) != nearly.block(i)


def test_first_visits_against_a_walk():
    """All arcs of a grid of middles and widths; the walk is by enclosures of 400 bits."""
    for theta in ("1", "-0.3", "22/7", "1/50"):
        angle = Angle.parse(theta)
        lo, _ = angle.enclose_turns(400)
        for middle, w in itertools.product(
            (mpq(0), mpq(1, 2), mpq(3, 4), mpq(1, 7)), (mpq(1, 3), mpq(1, 20), mpq(1, 2), mpq(1, 301))
        ):
            walked = next(n for n in range(1, 9000) if abs((n * lo - middle + mpq(1, 2)) % 1 - mpq(1, 2)) < w)
            assert first_visit(angle, middle, lambda bits, w=w: (w, w)) == walked
            blurred = first_visit(
                angle, middle, lambda bits, w=w: (w * (1 - mpq(1, 2**bits)), w * (1 + mpq(1, 2**bits)))
            )
            assert blurred == walked
    for a, m in ((3, 7), (5, 12), (1, 60), (1, 1)):
        angle = Angle(mpq(2 * a, m), "pi")
        for middle, w, closed in itertools.product(
            (mpq(0), mpq(1, 2), mpq(3, 4)), (mpq(0), mpq(1, 4), mpq(1, 12), mpq(1, 2)), (False, True)
        ):
            distances = [abs((mpq(n * a, m) - middle + mpq(1, 2)) % 1 - mpq(1, 2)) for n in range(1, m + 1)]
            walked = next((n for n, d in enumerate(distances, 1) if d < w or (closed and d == w)), None)
            assert first_visit(angle, middle, lambda bits, w=w: (w, w), closed=closed) == walked


def test_first_visits_of_a_very_small_angle():
    tenth = first_visit(Angle.parse("1e-300"), mpq(1, 2), lambda bits: (mpq(1, 10), mpq(1, 10)))
    assert mpq(tenth) / 10**300 - mpq(8, 10) * mpq(314159265358979, 10**14) < mpq(1, 10**13)


def test_least():
    for high in range(1, 70):
        for begin in range(high + 1):
            assert least(lambda i, begin=begin: i >= begin, 0, high) == begin
    for begin in (2**900, 2**900 + 1, 2**900 + 2**850, 2**900 + 2**850 + 1, 3**500):
        calls = []
        assert least(lambda i, begin=begin, calls=calls: calls.append(i) or i >= begin, 0, 1 << 1024) == begin
        assert len(calls) < 1700 if begin == 3**500 else len(calls) < 200


# -- windows, periodic windows ----------------------------------------------------------------------------------------


def test_windows_against_every_length_tried():
    rng = np.random.default_rng(5)
    for _ in range(400):
        size = int(rng.integers(1, 40))
        c = (
            rng.integers(0, 2, size).astype(float)
            if rng.random() < 0.5
            else np.resize(rng.integers(0, 3, 5), size) * 1.0
        )
        s = np.where(rng.random(size) < 0.5, 0.0, -0.0)
        if rng.random() < 0.3:
            c[-1] = 9.0
        assert window_period(c, s) == window_period_by_trial(c, s)
    assert window_period(np.array([]), np.array([])) is None


def given_of(rows, name="fp64"):
    c, s = np.array(rows, float).T
    return Given(Angle.parse("0"), ValueSet.parse(name), c, s)


def test_an_array_decides_nothing():
    verdict = decide(given_of([(1, 0), (0, 1), (-1, 0), (0, -1)] * 3 + [(1, 0)]))
    assert (verdict.verdict, verdict.proof, verdict.period, verdict.preperiod) == ("window-only", "window", 4, None)
    verdict = decide(given_of([(1, 0)] * 5 + [(0, 1)]))
    assert (verdict.verdict, verdict.period) == ("window-only", None)


@pytest.mark.parametrize("name", ["fp16", "e4m3", "fp128", "e2m1:nan:down", "fixed:4.3:nan:down"])
@pytest.mark.parametrize("window", [1, 2, 6, 12, 30])
def test_positions_modulo_a_window(name, window):
    for kind in ("ideal", "phase", "counter", "recurrence"):
        rotation = Windowed(realize(kind, Angle.parse("2pi/6"), ValueSet.parse(name)), window)
        rows, verdict = walk(rotation, 2 * window), decide(rotation)
        if None in rows:
            assert (verdict.verdict, verdict.leaves_F_at) == ("non-periodic", rows.index(None))
            continue
        assert (verdict.verdict, verdict.period, verdict.proof) == ("periodic", walked_period(rows), "finite-table")
        if verdict.period > 1:
            pairs = list(zip(verdict.witness[::2], verdict.witness[1::2], strict=True))
            assert all(rows[i] != rows[j] for i, j in pairs)
            assert {j - i for i, j in pairs} == {verdict.period // p for p in prime_divisors(verdict.period)}
        assert first_collision(rotation, verdict, 100).pair == walked_collision(walk(rotation, 100))


def test_a_window_too_long_for_a_table():
    inner = Ideal(Angle.parse("1"), ValueSet.parse("fp16"))
    for window in (6006, 7**4):
        assert _by_pairs(Windowed(inner, window), decide).period == _by_table(Windowed(inner, window)).period == window
    assert decide(Windowed(inner, 3 * 2**40)).period == 3 * 2**40
    assert decide(Windowed(realize("phase", Angle.parse("1"), ValueSet.parse("fp16")), 2**40)).leaves_F_at == 65520
    assert (
        decide(Windowed(realize("recurrence", Angle.parse("1"), ValueSet.parse("fp16")), 2**40)).verdict == "undecided"
    )
    constant = Windowed(Ideal(Angle.parse("1"), grid([-4, 0, 4])), 2**40)
    assert decide(constant).verdict == "undecided"  # said honestly, though it is constant


def test_arrays():
    c = np.float16([[1, 1], [0, 0.5], [-1, -0.5]] * 4)
    result = certify.period(array=(c, c))
    assert (result.component_periodic, result.period, result.undecided, result.dtype) == (None, None, False, "fp16")
    assert [component.verdict.period for component in result.components] == [3, 3]
    assert [component.collision.pair for component in result.components] == [(0, 3), (0, 3)]
    assert result.components[0].theta is None
    assert "decides nothing" in str(result)
    assert certify.period(array=(c, c), window=3).period == 3  # by the window, not by what the array shows
    assert certify.period(array=(c, c), dtype="fp32").dtype == "fp32"
    for bad in (
        {"array": (c, c), "realize": "phase"},
        {"array": (c, c), "resonance": True},
        {"array": (c, c), "pipeline": "vllm"},
    ):
        with pytest.raises(InputError):
            certify.period(**bad)


def test_a_window_of_an_array():
    array = given_of([(1, 0), (0, 1)] * 4)
    assert decide(Windowed(array, 6)).verdict == "periodic"  # all of the window is known
    assert decide(Windowed(array, 6)).period == 2
    assert decide(Windowed(array, 9)).verdict == "window-only"


def test_prime_divisors():
    for n in range(1, 500):
        assert prime_divisors(n) == tuple(p for p in range(2, n + 1) if n % p == 0 and all(p % q for q in range(2, p)))
    assert prime_divisors(1000003 * 1000033) is None


# -- the first collision ----------------------------------------------------------------------------------------------


@pytest.mark.parametrize("kind", ["ideal", "phase", "counter", "recurrence"])
@pytest.mark.parametrize("name", ["bf16", "e4m3", "e2m1:up", "fixed:8.4", "tf32:down", "fp128", "e3m2:nan"])
def test_collisions_against_a_walk(kind, name):
    for theta in ("1", "0.1", "-0.003"):
        rotation = realize(kind, Angle.parse(theta), ValueSet.parse(name))
        assert first_collision(rotation, Verdict("undecided", None, ""), 300).pair == walked_collision(
            walk(rotation, 300)
        )


def test_collisions_in_parts(monkeypatch):
    monkeypatch.setattr(collision_module, "_FIRST_PART", 2)
    for theta in ("1", "0.1", "0.004"):
        for name in ("bf16", "e4m3", "e2m1"):
            rotation = realize("ideal", Angle.parse(theta), ValueSet.parse(name))
            assert first_collision(rotation, Verdict("undecided", None, ""), 900).pair == walked_collision(
                walk(rotation, 900)
            )


def test_collisions_of_recurrences_follow_from_the_verdict():
    for theta, name in itertools.product(("1", "0.1"), ("e4m3", "e5m2", "e2m1", "fixed:6.2")):
        rotation = realize("recurrence", Angle.parse(theta), ValueSet.parse(name))
        verdict = decide(rotation)
        found = first_collision(rotation, verdict)
        assert found.pair == walked_collision(walk(rotation, 400))
        if found.pair is None:
            assert "leave F" in found.reason


def test_why_there_is_no_collision():
    fp32 = ValueSet.parse("fp32")
    for rotation, texts in (
        (realize("ideal", Angle.parse("1"), fp32), ["first 500 positions"]),
        (realize("ideal", Angle.parse("2pi/7919"), fp32), ["0 and 7919 are equal"]),
        (realize("phase", Angle.parse("1"), fp32), ["16777216 and 16777217 are equal"]),
        (given_of([(1, 0), (0, 1)]), ["the 2 positions that are known"]),
        (realize("counter", Angle.parse("1e20"), ValueSet.parse("e4m3fnuz:up")), ["first 500 positions"]),  # all NaN
    ):
        found = first_collision(rotation, decide(rotation), 500)
        assert found.pair is None
        assert all(text in found.reason for text in texts)
        assert ("are equal" in found.reason) == ("are equal" in texts[0])
    assert first_collision(
        realize("ideal", Angle.parse("1"), ValueSet.parse("fp128")), Verdict("undecided", None, "")
    ).reason.endswith("first 64 positions")


# -- Prop. 2.1 --------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(("theta", "name"), [
    ("2pi/6, 2pi*3/7, 0", "fp16"), ("2pi/12", "fixed:8.0"), ("2pi/4", "fp128"), ("2pi/5", "e2m1:up"), ("2pi/8", "e5m2:odd"),
])  # fmt: skip
def test_predicates_say_where_an_entry_has_a_value(theta, name):
    result = certify.period(theta=theta, dtype=name)
    assert result.component_periodic
    for component in result.components:
        for place, entry in enumerate("cs"):
            mine = [p for p in result.predicates if (p.component, p.entry) == (component.number, entry)]
            assert [p.value for p in mine] == sorted({p.value for p in mine})
            for i in range(3 * component.verdict.period):
                holding = [p.value for p in mine if i % p.modulus in p.residues]
                assert holding == [component.rotation.block(i)[place]]
    shown = result.to_json(predicates=True)["predicates"]
    assert shown[0].keys() == {"component", "entry", "value", "modulus", "residues"}
    json.dumps(shown)


def test_predicates_of_what_is_not_periodic():
    result = certify.period(theta="2pi/4, 1", dtype="fp16")
    assert {p.component for p in result.predicates} == {0}
    with pytest.raises(UnsupportedError, match="2000006 residues"):
        _ = certify.period(theta="2pi/1000003", dtype="fp16").predicates


# -- whole schedules --------------------------------------------------------------------------------------------------


def test_the_period_of_a_schedule_is_the_lcm():
    result = certify.period(theta="2pi/4, 2pi*5/6, 0, 2pi/9", dtype="fp16")
    assert (result.component_periodic, result.period) == (True, 36)
    result = certify.period(base=10000, dim=128, dtype="fp16", resonance=True)
    assert len(str(result.period)) == 86  # about 10^85.8
    assert result.period == math.lcm(*(c.verdict.period for c in result.components))


def test_every_realization_and_a_pipeline():
    for kind in ("ideal", "phase", "counter", "recurrence"):
        result = certify.period(base=10000, dim=8, dtype="e4m3", realize=kind)
        assert (result.realize, result.dtype, len(result.components)) == (kind, "e4m3", 4)
        assert result.component_periodic is False
    result = certify.period(base=10000, dim=8, dtype="bf16", pipeline="bf16-positions")
    assert result.pipeline["stages"]["position"] == "bf16"
    assert result.components[0].collision.pair == (256, 257)
    assert certify.period(theta="1", dtype="bf16", pipeline=Pipeline("mine", Stages())).realize == "mine"
    assert certify.period(base=10000, dim=8, dtype="bf16", window=4096).component_periodic is True


def test_angle_0_is_periodic_in_every_realization():
    for kind in ("ideal", "table", "phase", "counter", "recurrence"):
        result = certify.period(theta="0", dtype="fp16", realize=kind)
        assert (result.component_periodic, result.period) == (True, 1)
        assert result.components[0].collision.pair == (0, 1)


def test_a_recurrence_that_is_periodic_and_one_that_leaves():
    assert certify.period(theta="1", dtype="e5m2", realize="recurrence").period == 6
    assert certify.period(theta="0.01", dtype="fp16", realize="recurrence").components[0].verdict.leaves_F_at == 221445


def test_undecided_within_the_limits():
    result = certify.period(theta="1", dtype="fp32", realize="recurrence", max_steps=1000)
    assert (result.component_periodic, result.undecided) == (None, True)
    assert "Undecided" in str(result)
    decided = certify.period(theta="1, 0", dtype="fp16", realize="recurrence", max_steps=100)
    assert decided.undecided


def test_a_config():
    config = {"rope_theta": 10000, "head_dim": 8, "max_position_embeddings": 4096, "torch_dtype": "bfloat16"}
    result = certify.period(config=config)
    assert (result.dtype, len(result.components)) == ("bf16", 4)
    dynamic = config | {"rope_scaling": {"rope_type": "dynamic", "factor": 2}}
    long, short = (certify.period(config=dynamic, length=length, dtype="fp16") for length in (16384, 4096))
    assert [c.theta for c in long.components] != [c.theta for c in short.components]


def test_ctrl_c_keeps_what_is_decided(monkeypatch):
    calls = itertools.count()

    def stopping(*arguments, **options):
        if next(calls) == 2:
            raise KeyboardInterrupt
        return decide(*arguments, **options)

    monkeypatch.setattr(compute_module, "decide", stopping)
    result = certify.period(theta="2pi/3, 2pi/4, 2pi/5, 2pi/6", dtype="fp16")
    assert [c.verdict.verdict for c in result.components] == ["periodic"] * 2 + ["undecided"] * 2
    assert result.interrupted
    assert result.undecided
    assert "interrupted" in str(result)


def test_progress_rises_to_the_total():
    seen = []
    certify.period(
        theta="1, 0.1", dtype="fp16", realize="recurrence", progress=lambda done, total: seen.append((done, total))
    )
    assert [done for done, _ in seen] == sorted(done for done, _ in seen)
    assert seen[-1] == (2000, 2000)


@pytest.mark.parametrize(("arguments", "what"), [
    ({}, "schedule"), ({"theta": "1", "base": 10000, "dim": 8}, "one way"), ({"base": 10000}, "dim"), ({"dim": 8}, "base"), ({"base": 10000, "dim": 7}, "dim"),
    ({"base": 10000, "dim": -8}, "dim"), ({"base": -5, "dim": 8}, "base"), ({"theta": "2pi*3/0"}, "theta"), ({"theta": "abc"}, "theta"), ({"theta": []}, "theta"),
    ({"theta": float("nan")}, "theta"), ({"theta": "1", "realize": "table"}, "theta"), ({"theta": "1", "realize": "never"}, "realize"), ({"theta": "1", "dtype": "e4mZ"}, "value set"),
    ({"theta": "1", "realize": "phase", "pipeline": "transformers"}, "realize"), ({"theta": "1", "pipeline": "nonesuch"}, "pipeline"), ({"theta": "1", "max_steps": 0}, "max_steps"),
    ({"theta": "1", "positions": 0}, "positions"), ({"theta": "1", "positions": 2**25}, "positions"), ({"theta": "1", "window": 0}, "window"), ({"theta": "1", "length": 5}, "length"),
    ({"theta": "1e-2000"}, "theta"), ({"config": {"head_dim": 8}}, "rope_theta"), ({"theta": ["1"] * 5000}, "theta"),
])  # fmt: skip
def test_bad_input(arguments, what):
    with pytest.raises(InputError, match=what):
        certify.period(**arguments)


def test_stochastic_rounding_is_not_supported():
    for options in ({"realize": "ideal"}, {"realize": "recurrence"}, {"pipeline": "transformers"}):
        with pytest.raises(UnsupportedError, match="stochastic"):
            certify.period(theta="1", dtype="fp16:stochastic=1", **options)


def test_rounding_is_what_the_proof_says():
    """The three facts that the proof for irrational angles rests on, in the reference rounding."""
    for values in coarse_grids(10, "facts"):
        zero = cell(values, mpq(0))
        for x in (mpq(n, 64) for n in range(-63, 64)):
            rounded = round_exact(values, x)
            assert (rounded == 0) == zero.contains(x, x)


# -- what a caller brings ---------------------------------------------------------------------------------------------


@pytest.mark.parametrize("theta", [np.array([1.0, 2.0]), iter(["1", 2]), range(1, 3), [np.float64(1), "2"], ("1,2",)])
def test_angles_in_any_sequence(theta):
    assert [component.theta for component in certify.period(theta=theta).components] == ["1", "2"]


@pytest.mark.parametrize("arguments", [
    {"theta": np.array(1.0)}, {"theta": np.eye(2)}, {"theta": b"1"}, {"theta": {"1": 2}}, {"theta": "1", "dtype": ""},
    {"theta": "1", "dtype": []}, {"theta": "1", "resonance": "no"}, {"theta": "1", "resonance": 1}, {"theta": "1", "window": 8.0},
    {"base": 10000, "dim": "8"}, {"theta": "1", "max_steps": "5"}, {"config": []}, {"config": 5}, {"config": b"{}"}, {"array": ()},
    {"array": (np.eye(2),) * 3}, {"theta": "1 2"},
])  # fmt: skip
def test_arguments_of_a_wrong_kind_are_bad_input(arguments):
    with pytest.raises(InputError):
        certify.period(**arguments)


def test_whole_numbers_of_numpy():
    few = {"max_steps": np.int32(5000), "positions": np.int64(600), "window": np.uint8(200)}
    assert certify.period(theta="1", realize="recurrence", **few).period == 200
    assert len(certify.period(base=10000, dim=np.int64(8)).components) == 4
    data = {
        "rope_theta": 10000,
        "head_dim": 8,
        "max_position_embeddings": 64,
        "rope_scaling": {"type": "dynamic", "factor": 2},
    }
    assert certify.period(config=data, length=np.int64(128)).schedule.endswith("length 128)")


def test_the_line_of_the_schedule_is_short():
    for arguments in (
        {"theta": "1e400"},
        {"theta": "2pi/" + "9" * 300},
        {"base": "1e300", "dim": 4},
        {"base": "1/3", "dim": 4},
    ):
        result = certify.period(**arguments)
        assert len(str(result).splitlines()[0]) < 240
    assert result.schedule == "(1/3)^(-2d/4)"
    with pytest.raises(InputError, match=r"theta: cannot take 1e\+99999; it should be between"):
        certify.period(theta="1e99999")


@pytest.mark.parametrize("steps", [1, 10, 549, 550, 551, 1000, 1500])
def test_no_equal_states_of_an_undecided_recurrence(steps):
    """The two first equal states, 505 and 549, are the proof: who knows of them has decided."""
    (component,) = certify.period(theta="1", dtype="fp16", realize="recurrence", max_steps=steps).components
    if steps < 550:
        assert (component.verdict.verdict, component.collision.pair) == ("undecided", None)
    else:
        verdict = component.verdict
        assert (verdict.preperiod, verdict.eventual_period, component.collision.pair) == (505, 44, (505, 549))


@pytest.mark.parametrize(("theta", "gone"), [("1", None), ("0.1", 100727)])
def test_long_windows_of_a_recurrence(theta, gone):
    (component,) = certify.period(theta=theta, dtype="fp16", realize="recurrence", window=200_000).components
    assert component.verdict.leaves_F_at == gone
    assert component.verdict.period == (200_000 if gone is None else None)
    assert component.collision.pair == ((505, 549) if gone is None else None)


@pytest.mark.parametrize(
    "arguments", [{}, {"realize": "phase", "dtype": "fp64"}, {"pipeline": "vllm", "dtype": "fp64"}]
)
def test_a_window_of_any_size(arguments):
    window = 10**23 - 1
    result = certify.period(theta="1", window=window, **arguments)
    assert result.period == window
    assert "1.0000000000...e+23" not in str(result)  # it is written in full
    assert "99999999999999999999999" in str(result)


@pytest.mark.parametrize(
    "theta", ["1e-100", "2pi/" + "9" * 300, "1.5707963267948966192313216916397514420985846996875529"]
)
def test_turns_too_small_for_compiled_code_are_not_searched_long(theta):
    """Near a quarter turn the reference decides each block; it would take a minute for 2^16 of them."""
    (component,) = certify.period(theta=theta, dtype="fp64").components
    assert component.collision.pair is not None or "among the first 64 positions" in component.collision.reason
    assert component.verdict.verdict == ("periodic" if "pi" in theta else "non-periodic")
