"""Recurrences are decided for all positions as a dictionary of exact states decides them, with jumps and without."""

import math
import random
import re
from dataclasses import replace

import numba
import numpy as np
import pytest
from gmpy2 import mpq

from certify.periodicity.recurrences import state_machine_kernels as kernels
from certify.periodicity.recurrences.brent import Brent, Loss, Meter, least_meeting
from certify.periodicity.recurrences.compiled_machine import CompiledMachine, compiled_machine
from certify.periodicity.recurrences.exponent_window import exponent_window
from certify.periodicity.recurrences.orbit import state_at
from certify.periodicity.recurrences.state_cycle import _Search, decide_recurrence, default_max_steps
from certify.periodicity.recurrences.state_machine import ReferenceMachine, has_nan
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.grid_file import grid
from fpsim.realization.recurrence import Recurrence
from fpsim.rounding.reference import is_negative, round_exact
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet
from fpsim.valueset_text import float_format, value_set

THIRDS = grid([f"{n}/3" for n in range(-6, 7)], overflow="saturate", name="thirds")  # which binary64 does not hold
SMALL = grid([f"{n}/8" for n in range(-7, 8)], overflow="inf", name="below 1")  # 1 is not in it
SMALL_NAN = grid([f"{n}/8" for n in range(-6, 7)], overflow="nan", name="below 1, NaN beyond")


def recurrence(values, theta):
    return Recurrence(Angle.parse(theta), value_set(values))


def outcome(verdict):
    """(mu, lambda), or the position where the recurrence leaves F."""
    assert verdict.verdict != "undecided", verdict
    return (verdict.preperiod, verdict.eventual_period) if verdict.leaves_F_at is None else verdict.leaves_F_at


def by_dictionary(of, limit):
    """(mu, lambda), or the first position with a NaN: every state is kept.  Slow and obvious."""
    state, seen = of.start, {}
    for position in range(limit):
        if any(isinstance(x, float) and math.isnan(x) for x in state):
            return position
        key = tuple(mpq(0) if x == 0 else x for x in state)  # -0 equals 0
        if key in seen:
            return seen[key], position - seen[key]
        seen[key] = position
        state = of.step(state)
    return None


def by_plain_brent(machine, state, limit=10**8):
    """The same without jumps, step by step."""
    found = Brent(machine, state, scaled=False).search(Meter(limit))
    if isinstance(found, Loss):
        return found.position
    return least_meeting(machine, state, found.period, 0)[0], found.period


# -- figures of the specification ------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("dtype", "theta", "mu", "period"),
    [
        ("fp16", "1", 505, 44),
        ("fp16", "0.001", 2792, 6084),
        ("tf32", "1", 505, 44),
        ("bf16", "0.1", 39, 63),
        ("bf16", "2", 126, 22),
        ("e5m2", "1", 0, 6),
        ("e5m2", "0.1", 4, 68),
        ("e4m3", "0.5", 162, 92),
        ("e4m3", "0.1", 3, 68),
    ],
)
def test_figures_that_must_come_out(dtype, theta, mu, period):
    found = decide_recurrence(recurrence(dtype, theta))
    assert (found.preperiod, found.eventual_period) == (mu, period)
    assert found.verdict == ("periodic" if mu == 0 else "non-periodic")
    assert found.period == (period if mu == 0 else None)
    assert (found.proof, found.witness) == ("state-cycle", (mu, mu + period))


def test_fp16_leaves_f_at_the_first_nan_not_at_the_infinity_before_it():
    of = recurrence("fp16", "0.01")
    found = decide_recurrence(of)
    assert (found.verdict, found.proof, found.leaves_F_at) == ("non-periodic", "left-F", 221445)
    assert (found.witness, found.preperiod, found.eventual_period) == ((221445,), None, None)
    # Another program: numpy's binary16.
    turn_c, turn_s = (np.float16(float(x)) for x in of.turn)
    c, s, infinite, position = np.float16(1), np.float16(0), None, 0
    with np.errstate(all="ignore"):
        while not (np.isnan(c) or np.isnan(s)):
            if infinite is None and (np.isinf(c) or np.isinf(s)):
                infinite = position
            c, s = turn_c * c - turn_s * s, turn_s * c + turn_c * s
            position += 1
    assert (infinite, position) == (221443, 221445)


def test_fp32_grows_along_a_cycle_up_to_two():
    """theta = 1/10: (103613522, 59677068, +1); where it leaves F follows."""
    found = decide_recurrence(recurrence("fp32", "1/10"))
    assert found.leaves_F_at == 7638607906
    assert "from position 103613522 to 7563247022 the states repeat times 2^1 every 59677068 steps" in found.because


@pytest.mark.exhaustive
def test_fp32_step_by_step_without_jumps():
    of = recurrence("fp32", "1/10")
    machine = compiled_machine(of, exponent_window(of.values, 0))
    before = machine.advance(machine.enter(of.start), 7638607905)
    assert not has_nan(before)
    assert has_nan(machine.advance(before, 1))
    of = recurrence("fp32", "1")
    found = decide_recurrence(of)
    assert outcome(found) == (2280890513, 710)
    assert "from position 41945506 to 1734653506 the states repeat times 2^-3 every 52897125 steps" in found.because
    machine = compiled_machine(of, exponent_window(of.values, 0))
    before = machine.advance(machine.enter(of.start), 2280890512)
    assert machine.advance(before, 710) != before
    assert machine.advance(before, 711) == machine.advance(before, 1)


# -- against the dictionary of exact states --------------------------------------------------------------------------

SETS = [
    *("e5m2", "e5m2:up", "e5m2:odd:ftz", "e5m2:saturate", "e4m3", "e4m3:saturate:zero", "e4m3:down", "e4m3fnuz"),
    *("e5m2fnuz:away", "e3m2", "e2m3:up", "e2m1", "e2m1:odd", "e4m5", "e4m5:ftz", "e3m4:nan", "e8m2:zero"),
    *("fp16:zero", "bf16", "bf16:down", "bf16:ftz:up", "fixed:8.6", "fixed:6.3:up", "fixed:8.4:odd", "fixed:5.5"),
    *("fixed:6.2:away", "nf4", "nf4:up"),
    *(THIRDS, SMALL, SMALL_NAN, replace(THIRDS, rounding="up"), replace(SMALL, rounding="odd")),
    float_format(1, -4, 3, name="powers of two"),
    *("e11m1", "e11m2:zero", "e12m1:ftz:down"),
]
THETAS = ["1", "0.5", "-3/10", "2pi*1/3", "pi/2", "2pi*3/8", "4pi", "2.5", "1e-9"]


@pytest.mark.parametrize("values", SETS, ids=str)
def test_against_a_dictionary_of_exact_states(values):
    compared = 0
    for theta in THETAS:
        of = recurrence(values, theta)
        expected = by_dictionary(of, 600)
        if expected is not None:
            compared += 1
            assert outcome(decide_recurrence(of)) == expected, theta
    assert compared >= 2


def test_random_formats_against_a_dictionary():
    rng = random.Random(4)
    compared = set()
    for _ in range(45):
        emin, precision = rng.randint(-9, 0), rng.randint(2, 6)
        plain = float_format(precision, emin, emin + rng.randint(2, 18), layout="ieee", top=rng.randint(0, 1))
        values = replace(
            plain,
            rounding=rng.choice(["even", "away", "zero", "up", "down", "odd"]),
            overflow=rng.choice(["inf", "saturate", "nan"]),
            ftz=rng.random() < 0.3,
        )
        of = recurrence(values, f"{rng.uniform(-7, 7):.2f}")
        expected = by_dictionary(of, 500)
        if expected is not None:
            found = decide_recurrence(of)
            assert outcome(found) == expected, (values, of.angle)
            compared.add((found.verdict, found.proof))
    assert compared >= {("periodic", "state-cycle"), ("non-periodic", "state-cycle"), ("non-periodic", "left-F")}


def test_signs_of_zeros_do_not_matter_to_later_values():
    """The values of the next state depend on the values of this one only, in every mode and with infinities."""
    zeros, others = [mpq(0), -0.0], [mpq(1), mpq(-3, 8), float("inf"), float("-inf")]

    def alike(x, y):
        return x == y or (x != x and y != y)

    for text in ("e5m2", "e5m2:up", "e5m2:down", "e5m2:ftz:odd", "e4m3fnuz", "e2m3"):
        for theta in ("1", "pi/2", "pi", "3"):
            machine = recurrence(text, theta)
            for x in [*zeros, *others]:
                for pair in ([(z, x) for z in zeros], [(x, z) for z in zeros]):
                    states = [machine.step(state) for state in pair]
                    assert all(alike(a, b) for a, b in zip(*states, strict=True)), (text, theta, pair)


# -- jumps -----------------------------------------------------------------------------------------------------------

SCALED = [
    *("e8m6", "e8m6:up", "e8m6:zero", "e8m6:odd", "e8m6:away", "e8m6:ftz", "e8m6:up:saturate", "e8m6:up:nan"),
    *("e6m8:zero", "e6m7", "e6m7:odd", "e7m5:ftz:zero", "tf32:zero", "tf32:up", "bf16:zero", "fp16:up"),
    "e10m4:away",
]


@pytest.mark.parametrize("dtype", SCALED)
def test_jumps_against_plain_steps(dtype):
    jumps = 0
    for theta in ("1", "0.3", "2", "0.0123", "2pi*2/7", "5/4"):
        of = recurrence(dtype, theta)
        search = _Search(of, Meter(10**7))
        found = search.verdict()
        machine = compiled_machine(of, exponent_window(of.values, 0))
        start = machine.enter(of.start)
        assert outcome(found) == by_plain_brent(machine, start), theta
        if len(search.pieces) > 1:
            jumps += 1
            jump = search.pieces[0].jump
            assert jump.exponent != 0
            assert f"repeat times 2^{jump.exponent} every {jump.period} steps" in found.because
            places = [jump.start, jump.start + 1, jump.start + 5 * jump.period // 4, jump.stop - 1, jump.stop + 3]
            for position in places:  # states within a jump are those of plain steps
                assert state_at(search.pieces, position) == machine.exact(machine.advance(start, position))
    assert jumps


def test_the_condition_is_checked():
    """In fp16 the states at first return up to a power of two while a product is subnormal: no jump starts there."""
    search = _Search(recurrence("fp16", "0.01"), Meter(10**7))
    found = search.verdict()
    jump, machine = search.pieces[0].jump, search.pieces[0].machine
    earliest, state = least_meeting(machine, search.pieces[0].state, jump.period, jump.exponent)
    assert earliest < jump.start
    assert machine.walk_inside(state, jump.period, 2.0**-13, 2.0**14)[0] < jump.period
    assert found.leaves_F_at == 221445


@pytest.mark.parametrize("reached", [505, 506, 600, 10**6])
def test_a_search_that_begins_on_the_cycle_looks_back(reached):
    """The case mu' = 0 of the last piece: the first state on the cycle is before it, and is found by bisection."""
    of = recurrence("fp16", "1")
    search = _Search(of, Meter(10**6))
    search._begin_piece(reached, state_at(search.pieces, reached))
    assert outcome(search.verdict()) == (505, 44)


def test_a_look_back_finds_a_periodic_recurrence():
    search = _Search(recurrence("e5m2", "1"), Meter(10**6))
    search._begin_piece(20, state_at(search.pieces, 20))
    found = search.verdict()
    assert (found.verdict, found.period, found.preperiod) == ("periodic", 6, 0)


# -- windows of formats with more exponents than binary64 -------------------------------------------------------------


@pytest.mark.parametrize("text", ["e11m3", "e12m4:up:nan", "e11m2:odd:saturate", "e15m4:ftz:zero", "e20m3"])
def test_a_window_rounds_as_the_format_times_a_power_of_two(text):
    values = ValueSet.parse(text)
    rng = random.Random(7)
    for exponent in (0, values.emin + 3, values.emax - 2, values.emin + 500, 37):
        window = exponent_window(values, exponent)
        scale = mpq(2) ** abs(window.shift)
        scale = scale if window.shift >= 0 else 1 / scale
        low, high = max(window.low, 0.0), window.high
        # at an end of F itself also what is subnormal, or beyond range
        centre = exponent + window.shift
        for _ in range(40):
            y = mpq(rng.randint(-(2**30), 2**30), 2**29) * mpq(2) ** (centre + rng.randint(-8, 6))
            rounded = round_exact(window.values, y)
            if y and low <= abs(rounded) <= high:
                original = round_exact(values, y / scale)
                assert rounded == (original if isinstance(original, float) else original * scale) or (
                    rounded != rounded and original != original
                )


@pytest.mark.parametrize(
    ("text", "theta"),
    [("e11m1:zero", "0.3"), ("e11m2:zero:ftz", "1/1024"), ("e11m2:away", "0.3"), ("e11m4:zero", "1/1024")],
)
def test_wide_formats_against_exact_steps(text, theta):
    of = recurrence(text, theta)
    search = _Search(of, Meter(10**6))
    assert outcome(search.verdict()) == by_dictionary(of, 20000)
    assert len(search.pieces) > 1
    assert all(isinstance(piece.machine, CompiledMachine) for piece in search.pieces)


def test_a_window_that_is_left_is_moved():
    search = _Search(recurrence("e11m4:zero", "1/1024"), Meter(10**6))
    search.verdict()
    assert len(search.pieces) > 1
    assert all(piece.jump is None for piece in search.pieces)


def test_a_turn_too_small_for_a_window_is_left_to_the_reference():
    of = recurrence("e11m2", "1e-80")
    search = _Search(of, Meter(100))
    assert isinstance(search.pieces[0].machine, ReferenceMachine)


# -- limits, interruption, bad input ---------------------------------------------------------------------------------


@pytest.mark.parametrize("dtype", ["fp64", "fp32", "fp128", "fp64:zero", "fixed:40.30"])
def test_undecided_says_up_to_where(dtype):
    found = decide_recurrence(recurrence(dtype, "1"), 1000)
    assert (found.verdict, found.proof, found.period, found.witness) == ("undecided", None, None, ())
    assert found.because == (
        "undecided up to 1000: no NaN, and no cycle that is entered by position 511 and has a period of at most 489"
    )


def test_the_claim_of_an_undecided_search_is_true():
    of = recurrence("fp16", "1")  # mu = 505, lambda = 44
    for steps in range(1, 700):
        search = _Search(of, Meter(steps))
        found = search.verdict()
        if found.verdict == "undecided":
            brent = search.pieces[0].search
            assert brent.position == steps
            assert not (brent.mark >= 505 and brent.excluded >= 44)
    assert found.verdict == "non-periodic"


@pytest.mark.parametrize("dtype", ["fp16", "e15m12", "fp128"])
def test_ctrl_c_keeps_what_was_found(dtype):
    seen = []

    def report(done, limit):
        assert 0 < done <= limit == 10**6
        seen.append(done)
        if done >= 100:
            raise KeyboardInterrupt

    found = decide_recurrence(recurrence(dtype, "1/700"), 10**6, report)
    assert (found.verdict, found.proof) == ("undecided", None)
    assert seen == sorted(seen)
    assert found.because.startswith(f"undecided up to {0 if dtype == 'e15m12' else seen[-1]}: interrupted; no NaN")


def test_interrupted_after_the_last_step_claims_no_more_than_it_saw():
    """The return is met, but not yet settled."""

    def report(done, limit):
        if report.search.pieces[-1].search._returned:
            raise KeyboardInterrupt

    of = recurrence("fp16", "1")
    report.search = search = _Search(of, Meter(10**6, report))
    found = search.verdict()
    assert found.verdict == "undecided"
    assert "a period of at most 43" in found.because


@pytest.mark.parametrize("steps", [0, -5, True, 1.5])
def test_bad_limits(steps):
    with pytest.raises(InputError, match="max_steps: cannot take"):
        decide_recurrence(recurrence("fp16", "1"), steps)


def test_stochastic_rounding_is_refused():
    with pytest.raises(UnsupportedError, match="stochastic"):
        decide_recurrence(recurrence("fp16:stochastic=1", "1"))


@pytest.mark.parametrize("values", ["fp16", "fp128", SMALL], ids=str)
def test_angle_zero_is_the_identity(values):
    found = decide_recurrence(recurrence(values, "0"))
    assert (found.verdict, found.period, found.preperiod, found.witness) == ("periodic", 1, 0, (0, 1))


def test_a_start_beyond_range():
    assert decide_recurrence(recurrence(SMALL_NAN, "1")).leaves_F_at == 0  # 1 is beyond range: NaN at once
    assert decide_recurrence(recurrence(SMALL, "1")).leaves_F_at == 2  # an infinity first


# -- kernels ---------------------------------------------------------------------------------------------------------

KERNEL_SETS = ["fp32", "fp64", "fp16", "bf16", "fp16:up", "fp16:ftz", "fp32:down", "e4m3", "nf4", "fixed:12.6"]


@pytest.mark.parametrize("text", KERNEL_SETS)
def test_compiled_steps_are_the_exact_ones(text):
    """To the bit: signs of zeros, infinities and NaN included."""
    rng = random.Random(1)
    values = ValueSet.parse(text)
    last = values.last
    of = recurrence(values, "0.7")
    machine, exact = compiled_machine(of, exponent_window(values, 0)), ReferenceMachine(of)
    indices = [0, 1, -1, 2, last, -last, last - 1, *(rng.randint(values.first, last) for _ in range(30))]
    indices += [rng.randint(values.first // 2, last // 2) for _ in range(30)]
    for _ in range(150):
        block = tuple(values.value(max(rng.choice(indices), values.first)) for _ in range(2))
        if values.ftz and any(x not in values for x in block):
            continue
        state = machine.advance(machine.enter(block), 1)
        expected = exact.step(block)
        for x, y in zip(state, expected, strict=True):
            assert (x == y and (math.copysign(1, x) < 0) == is_negative(y)) or (x != x and y != y), (text, block)


def test_fp32_is_computed_in_binary32_without_fused_operations():
    fresh = numba.njit(error_model="numpy")(kernels.seek.py_func)  # cached machine code cannot be inspected
    fresh(spec_of("fp32"), 0.5, 0.5, 1.0, 0.0, 1.0, 0.0, 1, True)
    (signature,) = fresh.signatures
    assert re.search(r"fmul float", fresh.inspect_llvm(signature))
    assert not re.search(r"fmul double", fresh.inspect_llvm(signature))
    assert not re.search(r"fn?m(add|sub|la|ls)", fresh.inspect_asm(signature))


def test_default_limits():
    assert default_max_steps(ValueSet.parse("fp128")) < default_max_steps(ValueSet.parse("fp32:up"))
    assert default_max_steps(ValueSet.parse("fp32:up")) < default_max_steps(ValueSet.parse("fp32"))
