"""Realized blocks in arrays against `Realization.block`, to the bit."""

import math

import numpy as np
import pytest
from gmpy2 import mpq

from fpsim import realized_recurrence
from fpsim.angle import Angle, conventional_angle
from fpsim.blocks import blocks, turn_words
from fpsim.grid_file import grid
from fpsim.realization import IDENTITY, Given, realize
from fpsim.realization import recurrence as recurrence_module
from fpsim.valueset import ValueSet

FORMATS = [
    "fp16",
    "fp32",
    "fp64",
    "bf16",
    "e4m3",
    "fixed:6.2",
    "fixed:4.1",
    "nf4",
    "fp16:up",
    "fp16:ftz:down",
    "e5m2:odd",
    "e8m30",
]
MORE_FORMATS = ["e4m3:saturate", "e4m3fnuz", "e3m2:nan", "e5m2:up", "e5m2:away", "fp32:ftz", "fp32:up", "fixed:12.9:zero", "e8m3:odd", "fp16:nan",
                "fp64:up", "fp128", "e11m40", "e2m1"]  # fmt: skip
UNEVEN = grid(["0", "1", "5/2", "3", "4", "11/2", "9", "-1/2", "-7"], overflow="inf", name="uneven")
ANGLES = ["1", "0.1", "2pi/8", "2pi*3/7", "-7.5", "1e-6", "pi", "0", "1e10", "2pi/12"]
PLACES = ((0, 60), (1000, 1020), (2**31, 2**31 + 5), (2**53 - 2, 2**53 + 3), (2**62 - 5, 2**62))


def value_set(name):
    return name if isinstance(name, ValueSet) else ValueSet.parse(name)


def same(fast, exact):
    assert [str(float(x)) for x in fast] == [str(float(x)) for x in exact]


def compare(realization, start, stop):
    c, s = blocks(realization, start, stop)
    exact = [realization.block(i) for i in range(start, stop)]
    same(c, [block[0] for block in exact])
    same(s, [block[1] for block in exact])


@pytest.mark.parametrize("kind", ["ideal", "phase", "table", "counter"])
@pytest.mark.parametrize("name", [*FORMATS, UNEVEN])
def test_blocks(name, kind):
    for text in ANGLES:
        angle = Angle.parse(text)
        if kind == "table" and angle.turns is None:
            continue
        realization = realize(kind, angle, value_set(name))
        for start, stop in PLACES:
            compare(realization, start, stop)


@pytest.mark.parametrize("kind", ["phase", "counter"])
@pytest.mark.parametrize("name", MORE_FORMATS)
def test_where_positions_stop_being_whole_numbers(name, kind):
    for text in ("1", "0.3"):
        realization = realize(kind, Angle.parse(text), value_set(name))
        for start, stop in ((0, 40), (250, 275), (2**53 - 2, 2**53 + 2)):
            compare(realization, start, stop)


def test_a_rational_turn_comes_back():
    for kind in ("ideal", "table"):
        realization = realize(kind, Angle.parse("2pi*5/12"), ValueSet.parse("fp32"))
        compare(realization, 5, 90)
        c, _ = blocks(realization, 10**15 + 7, 10**15 + 200_007)
        assert float(realization.block(10**15 + 100_007)[0]) == c[100_000]


# -- recurrences -----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize("name", [*FORMATS, *MORE_FORMATS, UNEVEN])
def test_recurrences(name):
    for text, steps in (("1", 150), ("0.3", 60), ("2pi*3/7", 40), ("0", 5), ("1e-6", 20)):
        compare(realize("recurrence", Angle.parse(text), value_set(name)), 0, steps)


def test_a_recurrence_that_leaves_the_value_set():
    """fp16, theta = 0.01: NaN from position 221445 on ("semantics 1", §7)."""
    realization = realize("recurrence", Angle.parse("0.01"), ValueSet.parse("fp16"))
    entries = blocks(realization, 221440, 221450)
    assert [bool(np.isnan(c) or np.isnan(s)) for c, s in zip(*entries, strict=True)] == [False] * 5 + [True] * 5
    assert [any(map(math.isnan, map(float, realization.block(i)))) for i in (221444, 221445)] == [False, True]


@pytest.mark.parametrize("name", ["fp16", "fp32", "fp64", "e5m2:odd"])
def test_pieces_of_a_recurrence_in_any_order(name, monkeypatch):
    monkeypatch.setattr(realized_recurrence, "_STRIDE", 64)
    realized_recurrence._walk.cache_clear()  # walks that other tests have left have other strides
    try:
        realization = realize("recurrence", Angle.parse("0.7"), ValueSet.parse(name))
        whole = blocks(realize("recurrence", Angle.parse("0.7"), ValueSet.parse(name)), 0, 2000)
        compare(realization, 0, 100)
        for start, stop in (
            (300, 301),
            (301, 303),
            (0, 70),
            (1500, 1777),
            (1777, 1777),
            (64, 128),
            (63, 65),
            (1990, 2000),
            (303, 640),
        ):
            for part, all_of_it in zip(blocks(realization, start, stop), whole, strict=True):
                same(part, all_of_it[start:stop])
    finally:
        realized_recurrence._walk.cache_clear()


def test_a_far_state_goes_by_compiled_code_and_one_step(monkeypatch):
    monkeypatch.setattr(recurrence_module, "_BY_REFERENCE", 50)
    fast = realize("recurrence", Angle.parse("0.3"), ValueSet.parse("bf16"))
    far, near = fast.block(333), fast.block(340)
    monkeypatch.setattr(recurrence_module, "_BY_REFERENCE", 10**9)
    slow = realize("recurrence", Angle.parse("0.3"), ValueSet.parse("bf16"))
    assert (slow.block(340), slow.block(333)) == (near, far)


def test_a_recurrence_remembers_few_of_its_states(monkeypatch):
    monkeypatch.setattr(recurrence_module, "_EVERY_STATE", 16)
    monkeypatch.setattr(recurrence_module, "_STRIDE", 8)
    realization = realize("recurrence", Angle.parse("0.3"), ValueSet.parse("fp128"))
    plain = realize("recurrence", Angle.parse("0.3"), ValueSet.parse("fp128"))
    state, states = plain.start, []
    for _ in range(90):
        states.append(state)
        state = plain.step(state)
    for position in (30, 31, 60, 5, 33, 89, 32, 0, 88, 16, 17, 61):
        assert realization.block(position) == states[position]
    assert len(realization._marks) < 30


# -- arrays and others -----------------------------------------------------------------------------------------------------


def test_given_blocks_are_slices_and_end():
    c, s = np.array([1.0, 0.5, -0.0, 0.25]), np.array([0.0, 0.75, 1.0, -0.5])
    for name in ("fp16", "fp128", "fixed:8.4"):
        given = Given(Angle.parse("0"), ValueSet.parse(name), c, s)
        compare(given, 0, 4)
        compare(given, 1, 3)
        for start, stop in ((0, 5), (4, 5), (5, 5)):
            with pytest.raises(ValueError, match="the length of the realization"):
                blocks(given, start, stop)
        for position in (-1, 4):
            with pytest.raises(IndexError, match="of an array of 4"):
                given.block(position)
    part, _ = blocks(given, 0, 4)
    part[0] = 7.0
    assert c[0] == 1.0


def test_a_realization_with_a_twin_of_its_own():
    class Constant:
        angle, values, name, length = Angle.parse("1"), ValueSet.parse("fp16"), "constant", None

        def block(self, position):
            return mpq(1), mpq(0)

        def bias_angle(self):
            return None

        def bias_rotation(self, offset):
            return mpq(1), mpq(0)

    class Fast(Constant):
        def blocks(self, start, stop):
            return np.full(stop - start, 1.0), np.zeros(stop - start)

    compare(Constant(), 3, 6)
    compare(Fast(), 3, 6)


def test_symbolic_angle():
    realization = realize("ideal", conventional_angle(10000, 3, 128), ValueSet.parse("bf16"))
    compare(realization, 0, 300)


def test_an_angle_of_0_is_the_identity():
    for kind in ("ideal", "phase", "table", "recurrence", "counter"):
        realization = realize(kind, Angle.parse("0"), ValueSet.parse("fp16:up"))
        assert realization.block(10**20) == IDENTITY
        compare(realization, 2**40, 2**40 + 2)


@pytest.mark.parametrize("text", ["1", "2pi/3", "-1", "1e-30", "100", "2pi/1024"])
def test_turn_words_are_the_floor(text):
    words = [int(word) for word in turn_words(Angle.parse(text))]
    fraction = mpq((words[0] << 128) + (words[1] << 64) + words[2], 1 << 192)
    lo, hi = Angle.parse(text).enclose_turns(400)
    lo, hi = lo - lo.numerator // lo.denominator, hi - lo.numerator // lo.denominator
    assert fraction <= lo
    assert hi <= fraction + mpq(1, 1 << 192)


def test_positions_are_checked():
    realization = realize("ideal", Angle.parse("1"), ValueSet.parse("fp16"))
    for start, stop in ((-1, 2), (3, 2), (0, 2**63)):
        with pytest.raises(ValueError, match="positions"):
            blocks(realization, start, stop)
