"""A unit of work takes about as long in every claim: what takes longer counts for more, or was made quick."""

import hashlib
import random
import time
from bisect import bisect_right
from fractions import Fraction
from itertools import pairwise

import pytest

from certify.checker import MAX_WORK, check_bytes
from certify.checker.angle import COS, parse_angle
from certify.checker.exact import Purse
from certify.checker.kinds import FloatSet, GridSet
from certify.checker.limits import Account
from certify.checker.valueset import ABOVE, BELOW, EXACT, MIDDLE
from fpcert.commands.check import command

WORK = 20_000
MICROSECONDS = 150  # a unit, on a machine that does other things too; about 20 without
FP32 = {
    "emin": -126, "ftz": False, "kind": "float", "largest": (1 << 128) - (1 << 104), "overflow": "inf",
    "precision": 24, "rounding": "even",
}  # fmt: skip
BLOCKS = [*(Fraction(n, 3) for n in range(-30_000, 30_000)), Fraction(1, 2)]


def form(x):
    n, d = x.numerator, x.denominator
    if d == 1:
        return n
    low = (n & -n).bit_length() - 1
    return f"{n}/{d}" if d & (d - 1) else f"{'-' if n < 0 else ''}{abs(n) >> low:x}p{low - d.bit_length() + 1}"


def ring(n, formula):
    delta = [[(q + 1) % n] for q in range(n)]
    hints = {"formula": formula, "k": n, "moduli": [n], "phases": list(range(n)), "ranks": [0] * n}
    return delta, list(range(n)), "LTL[P,MOD]", True, hints


def long_lists(hostile):
    """Nodes that join 65,000 others, in each of 9,000 states."""
    *language, hints = ring(9_000, [["true"], *[["and", *[0] * 65_000]] * 4, ["or", 0, 2]])
    return hostile.language(*language), hints


def tiny_normals(hostile):
    """Each operand is compared with 2^-1000000, under ftz."""
    values = hostile.FP16 | {"emin": -1_000_000, "ftz": True}
    return hostile.period(values, "1/10", "recurrence", cycle=(3_000, 1_000))


def at_least(lower, claim, hints):
    """The claim that N_max is so much, without an upper end."""
    del claim["value"]
    return claim | {"kind": "nmax-range", "lower": lower, "upper": None}, hints | {"fails": None}


def wide_grid(hostile):
    """The error of a score in a grid of 60,000 values, row by row."""
    claim, hints = hostile.nmax(FP32, 0, realize="phase", C=9_999)
    regime = {"score": hostile.grid(map(form, sorted(BLOCKS))), "softmax": hostile.grid([-10, -1, 0, 1, 2, 10])}
    return at_least(250, claim | {"regime": claim["regime"] | regime}, hints)


@pytest.mark.parametrize("made", [long_lists, tiny_normals, wide_grid])
def test_a_unit_of_work_takes_about_as_long_in_every_claim(corpus, made):
    data = corpus.hostile.certificate(*made(corpus.hostile))
    begin = time.process_time()
    refused = check_bytes(data, 1)
    read = time.process_time() - begin
    assert refused.exit_code == 3
    begin = time.process_time()
    check_bytes(data, WORK)
    assert time.process_time() - begin < 2 * read + WORK * MICROSECONDS / 1e6


def test_the_default_is_said_where_it_is_used(corpus):
    (option,) = (each for each in command.params if each.name == "max_work")
    assert option.default == MAX_WORK
    page = corpus.folder.parents[1] / "docs" / "certificates.md"
    assert f"(default {MAX_WORK:,})" in page.read_text(encoding="utf-8")


def plainly(side, x):
    """Where x lies in a rising list of magnitudes, by comparing exact numbers."""
    k = bisect_right(side, x) - 1
    if side[k] == x:
        return k, EXACT
    after = side[k + 1] if k + 1 < len(side) else 2 * side[-1] - side[-2]
    middle = (side[k] + after) / 2
    return k, BELOW if x < middle else MIDDLE if x == middle else ABOVE


def test_a_number_lies_in_a_grid_where_it_does_by_plain_comparison():
    """Also where values are too close, or too small, for their floors to tell them apart."""
    rng = random.Random(2)
    for scale in (Fraction(1), Fraction(1, 3**400), Fraction(1, 1 << 700), Fraction(1 << 90)):
        for near in (0, 1 << 600):
            side = sorted({near + Fraction(rng.randrange(1, 400), rng.choice((1, 3, 64))) for _ in range(40)} | {0})
            side = [scale * v for v in side]
            grid = GridSet(sorted({*side, *(-v for v in side)}), "inf", "even")
            numbers = [*side[1:], *((a + b) / 2 for a, b in pairwise(side)), side[-1] * 2, 2 * side[-1] - side[-2]]
            numbers += [x + sign * scale / 10**9 for x in numbers for sign in (1, -1)]
            for x in numbers:
                assert grid.locate(x.numerator, x.denominator, False) == plainly(side, x)
                assert grid.spacing(x) == max(b - a for a, b in pairwise(side) if a <= x)


def test_the_widest_gap_of_a_grid_is_that_of_both_sides():
    grid = GridSet([Fraction(v) for v in (-9, -1, 0, 2, 3)], "inf", "even")
    assert [grid.spacing(Fraction(x)) for x in (0, 1, 2, 5, 100)] == [2, 8, 8, 8, 8]
    assert GridSet([Fraction(0), Fraction(2)], "inf", "even").spacing(Fraction(1)) == 2


def test_operands_under_ftz_are_those_of_a_plain_comparison():
    values = FloatSet(4, -3, Fraction(8), True, "inf", "even")
    for n in range(-200, 201):
        for d in (1, 3, 64, 1000, 1024):
            x = Fraction(n, d)
            assert values.operand(x) == (x if abs(x) >= Fraction(1, 8) else 0)
    for x in (float("inf"), float("-inf")):
        assert values.operand(x) == x


def test_rational_cosines_are_found_without_long_quotients():
    for text in ("1/6*pi", "7/12*pi", "2/7*pi", "-5/3*pi", "pi", "3*pi", "1/4*pi"):
        angle = parse_angle(text, "g", Purse(Account(100)))
        for i in range(30):
            for which in (0, 1):
                assert angle.known(i, which) == COS.get((angle.turn * i - Fraction(which, 4)) % 1)


def test_a_long_turn_takes_no_time_where_no_cosine_is_rational():
    angle = parse_angle(f"31830988618379{'0' * 4_000}1/1{'0' * 4_016}*pi", "g", Purse(Account(100)))
    begin = time.process_time()
    assert not any(angle.known(i, which) for i in range(1, 30_000) for which in (0, 1))
    assert time.process_time() - begin < 0.5  # a hundred times that, with a quotient each


def test_blocks_of_a_file_have_version_1(corpus):
    """To Python true is 1."""
    claim, hints = corpus.hostile.nmax(corpus.hostile.FP16, 5)
    verdicts = []
    for version in ("1", "true"):
        blocks = b'{"blocks":[1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0,1,0],"fpcert-blocks":%s}\n' % version.encode()
        sha256 = hashlib.sha256(blocks).hexdigest()
        data = corpus.hostile.certificate(claim | {"realize": {"array": sha256}}, hints)
        verdicts.append(check_bytes(data, beside=[blocks]).verdict)
    assert verdicts == ["refuted", "malformed"]
