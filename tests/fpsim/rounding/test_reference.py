"""The reference rounding against a search over all values, written from the definition; cells; stochastic rounding."""

from fractions import Fraction

import mpmath
import pytest
from gmpy2 import mpq

from fpsim.flarge import f_large
from fpsim.grid_file import grid
from fpsim.reference import sin
from fpsim.rounding.cells import cell
from fpsim.rounding.reference import is_nan, is_negative, round_exact
from fpsim.stagnation import stagnation_point
from fpsim.valueset import ValueSet

SETS = ["e4m3", "e5m2", "e3m2", "e2m1", "e4m3fnuz", "fixed:5.2", "fixed:2.0", "nf4", "e2m3:ftz"]
MODES = ["even", "away", "zero", "up", "down", "odd"]


def naive(values, x):
    """The definition of "semantics 1", §1, as a walk over every value: (value or None for beyond range, is it negative)."""
    listed = [values.value(n) for n in range(values.first, values.last + 1)]
    mode, negative = values.rounding, x < 0
    side = sorted(abs(v) for v in listed if v != 0 and (v < 0) == negative)
    side = [mpq(0), *side]
    a = abs(x)
    if len(side) == 1:
        return mpq(0)
    top, step = len(side) - 1, side[-1] - side[-2]
    if a > side[-1]:
        tie = side[-1] + step / 2
        beyond = {
            "even": a > tie or (a == tie and top % 2 == 1), "away": a >= tie, "zero": False, "up": not negative,
            "down": negative, "odd": top % 2 == 0,
        }[mode]  # fmt: skip
        found = None if beyond else side[-1]
    else:
        below = max(n for n in range(len(side)) if side[n] <= a)
        if side[below] == a:
            found = a
        else:
            lo, hi = side[below], side[below + 1]
            nearer = (a - lo) - (hi - a)
            upward = {
                "even": nearer > 0 or (nearer == 0 and below % 2 == 1), "away": nearer >= 0, "zero": False, "up": not negative,
                "down": negative, "odd": below % 2 == 0,
            }[mode]  # fmt: skip
            found = hi if upward else lo
    if found is not None and values.ftz and found < values.min_normal:
        found = mpq(0)
    return None if found is None else -found if negative else found


def probes(values):
    listed = [values.value(n) for n in range(values.first, values.last + 1)]
    points = set(listed)
    tiny = mpq(1, 10**9)
    for a, b in zip(listed, listed[1:], strict=False):
        middle = (a + b) / 2
        points |= {middle, middle + tiny, middle - tiny, a + tiny, b - tiny, (3 * a + b) / 4}
    for end, step in ((listed[-1], listed[-1] - listed[-2]), (listed[0], listed[0] - listed[1])):
        points |= {
            end + step * f
            for f in (mpq(1, 100), mpq(1, 2), mpq(1, 2) - tiny, mpq(1, 2) + tiny, mpq(1), mpq(9, 2), mpq(10**6))
        }
    return sorted(points)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("mode", MODES)
def test_against_the_definition(name, mode):
    for policy in ("saturate", "nan"):
        values = ValueSet.parse(f"{name}:{mode}:{policy}")
        for x in probes(values):
            got, right = round_exact(values, x), naive(values, x)
            if right is not None:
                assert got == right, (values, x)
                if right == 0 and x != 0:
                    assert is_negative(got) == (x < 0 and values.signed_zero)
            elif policy == "nan":
                assert is_nan(got), (values, x)
            else:
                assert got == (values.max if x > 0 else values.min), (values, x)


@pytest.mark.parametrize("name", SETS)
@pytest.mark.parametrize("mode", MODES)
def test_cells_are_the_preimages(name, mode):
    values = ValueSet.parse(f"{name}:{mode}:saturate")
    for x in probes(values):
        assert cell(values, round_exact(values, x)).contains(x, x), (values, x)
        for n in (-1, 1):  # and no neighbour's cell holds it
            index = values.index(mpq(round_exact(values, x))) + n
            if values.first <= index <= values.last and values.value(index) in values:
                assert not cell(values, values.value(index)).contains(x, x)


@pytest.mark.parametrize(("name", "x", "right"), [
    ("e4m3", "464", "448"), ("e4m3", "464.0001", "nan"), ("e4m3:saturate", "1e9", "448"), ("fp16", "65519", "65504"),
    ("fp16", "65520", "inf"), ("fp16:zero", "1e9", "65504"), ("fp16:up", "-1e9", "-65504"), ("fp16:up", "65505", "inf"),
    ("fp16", "2049", "2048"), ("fp16", "2051", "2052"), ("fp16:away", "2049", "2050"), ("fp16:odd", "65505", "65504"),
    ("e4m3:odd:saturate", "449", "448"), ("fp16:ftz", "0x1.ff8p-15", "0"), ("fp16:ftz", "0x1.fffp-15", "0x1p-14"),
])  # fmt: skip
def test_named_cases(name, x, right):
    got = round_exact(ValueSet.parse(name), mpq(Fraction(float.fromhex(x) if "x" in x else Fraction(x))))
    assert float(got) == pytest.approx(float.fromhex(right) if "x" in right else float(right), rel=0, nan_ok=True)


def test_infinities_are_beyond_range_in_every_mode():
    for mode in MODES:
        assert round_exact(ValueSet.parse(f"fp16:{mode}"), float("inf")) == float("inf")
        assert round_exact(ValueSet.parse(f"e2m1:{mode}"), float("-inf")) == -6
        assert is_nan(round_exact(ValueSet.parse(f"e4m3:{mode}"), float("inf")))


def test_one_sided_grid_saturates_at_zero():
    values = grid([0, 1, 3])
    assert round_exact(values, mpq(-7)) == 0
    assert round_exact(values, float("-inf")) == 0
    assert round_exact(values, float("inf")) == float("inf")
    assert round_exact(values, mpq(2)) == 3  # a tie between the indices 1 and 2: the even index is that of the value 3


@pytest.mark.parametrize(("name", "expected"), [
    ("fp64", "745.1332191019412"), ("fp32", "103.97208404541015625"), ("tf32", "95"), ("bf16", "93"), ("fp16", "17.34375"),
    ("e5m2", "12"), ("e4m3", "7"), ("e3m2", "3.5"), ("e2m3", "3"), ("e2m1", "1.5"),
])  # fmt: skip
def test_f_large_of_the_table(name, expected):
    found = f_large(name)
    assert float(found) == float(expected)
    # By mpmath: half the least positive value parts exp(-f) from exp(-f'), f' the value before.
    values = ValueSet.parse(name)
    with mpmath.workprec(300):
        half = mpmath.mpf(int(values.min_positive.numerator)) / int(values.min_positive.denominator) / 2
        before = values.value(values.index(found) - 1)
        assert mpmath.exp(-mpmath.mpf(int(found.numerator)) / int(found.denominator)) <= half
        assert mpmath.exp(-mpmath.mpf(int(before.numerator)) / int(before.denominator)) > half


def test_f_large_of_fp128():
    assert f"{float(f_large('fp128')):.4f}" == "11433.4627"


@pytest.mark.parametrize("values", [
    grid([f"{k}/1000" for k in range(-1000, 1001)]), ValueSet.parse("nf4"), ValueSet.parse("fp16:up"), ValueSet.parse("fp16:odd"), grid([0, -1, -2]),
])  # fmt: skip
def test_sets_without_f_large(values):
    assert f_large(values) is None


def test_f_large_is_the_least_by_a_walk():
    for name in ("e4m3", "fixed:8.3", "fixed:8.4", "e3m2", "e4m3fnuz", "e4m3:ftz", "e4m3:zero", "e4m3:away"):
        values = ValueSet.parse(name)
        with mpmath.workprec(100):
            walk = [values.value(n) for n in range(1, values.last + 1) if values.value(n) in values]
            vanishing = [f for f in walk if round_exact(values, _mpq(mpmath.exp(-mpmath.mpf(float(f))))) == 0]
        assert f_large(values) == min(vanishing)


def _mpq(x):
    sign, mantissa, exponent, _ = x._mpf_
    return mpq(int(mantissa)) * mpq(2) ** int(exponent) * (-1 if sign else 1)


@pytest.mark.parametrize(
    ("name", "point"),
    [
        ("fp16", 2048),
        ("bf16", 256),
        ("e4m3", 16),
        ("e5m2", 8),
        ("e2m1", 4),
        ("fp64", 2**53),
        ("fixed:8.4", mpq(127, 16)),
        ("nf4", 1),
    ],
)
def test_stagnation(name, point):
    assert stagnation_point(ValueSet.parse(name)) == point


@pytest.mark.parametrize(
    "name",
    [
        "e4m3:up",
        "e4m3:up:saturate",
        "e5m2:up",
        "e5m2:away",
        "e4m3:odd",
        "e3m2:away",
        "e4m3fnuz:up:saturate",
        "e5m3:odd",
        "e5m3:up",
    ],
)
def test_stagnation_by_a_walk(name):
    values, total = ValueSet.parse(name), mpq(0)
    while True:
        following = round_exact(values, total + 1)
        if isinstance(following, float) or following == total:
            break
        total = following
    found = stagnation_point(values)
    assert found == following or (is_nan(found) and is_nan(following))


def test_stochastic_rounding_depends_on_seed_and_operation_only_and_is_fair():
    values = ValueSet.parse("fp16:stochastic=5")
    x = mpq(2048) + mpq(1, 2)  # a quarter of the way to 2050
    draws = [round_exact(values, x, operation) for operation in range(4000)]
    assert draws == [round_exact(values, x, operation) for operation in range(4000)]
    assert set(draws) == {2048, 2050}
    assert 900 < draws.count(mpq(2050)) < 1100  # 1000 expected, standard deviation 27
    assert draws != [round_exact(ValueSet.parse("fp16:stochastic=6"), x, operation) for operation in range(4000)]


def test_an_enclosure_that_is_beyond_range_on_both_sides_decides_nothing():
    values = ValueSet.parse("fixed:53.150:nan")  # its last value is below 2^-97, far below the first enclosure's width
    for x, right in ((mpq(-1, 2**927), mpq(0)), (mpq(-1, 2**146), mpq(-1, 2**146))):
        assert sin(values, x) == right
