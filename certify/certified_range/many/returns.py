r"""Simultaneous near-returns: the n >= 1 where the exact gap y(n) = sum of C_d (1 - cos(theta_d n)) is below a bound.

No term is negative, so y(n) < bound asks of each pair that C_d (1 - cos(theta_d n)) < bound: its rotation by n is
within the width w_d of the identity (`gap_in_turns`).  The near-returns of one pair, the *leader*, whose near-returns
are the fewest, are listed by the three-distance theorem, and the other pairs sort out most of them.  What remains are
*candidates*: all n with y(n) < bound, and few others.  The test is on n alpha_d modulo 1, known as a fixed-point number
that is below the true one by at most n units; the arcs are widened by as much.  Then y is computed in binary64 and
compared with the bound plus a margin for the phase and the rounding errors.

`gap_below` decides exactly.  Enclosures are narrowed until the bound lies outside, and that ends, since y(n) is not
rational when any theta_d is a non-zero algebraic number: by Lindemann and Weierstrass the exponentials of distinct
algebraic numbers are linearly independent over the algebraic numbers; in y, pairs with equal |theta_d| add up to
positive coefficients; cosines of rational multiples of pi are algebraic.  If every theta_d is such a multiple, with m
the least common denominator of the turns and q one of the C_d and the bound, z = 2 q (y - bound) is an algebraic
integer in the real subfield of the m-th cyclotomic field, of degree at most max(1, m/2), and each of its conjugates is
at most B = 2 q (2 sum C_d + |bound|) + 1 in magnitude.  Its norm is an integer, so z = 0 or |z| >= B^(1 - m/2).
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import islice
from typing import TypeAlias

from gmpy2 import mpq

from certify.rotation.counting import count_near_returns
from certify.rotation.integer_rotation import fixed_point
from certify.rotation.visits import near_returns_within
from certify.rotation.width import gap_in_turns
from fpsim.angle import Angle
from fpsim.real import Irrational
from fpsim.turning import cos_of

__all__ = ["Pairs", "SearchPlan", "candidates", "common_period", "first_return", "gap_below"]

Pairs: TypeAlias = Sequence[tuple[Angle, mpq]]
"""(theta_d, C_d) of pairs with theta_d other than 0 and C_d > 0."""

FIRST_BY_REFERENCE = 3000  # near-returns of the leader that are listed before compiled code is loaded
FARTHEST_BY_KERNEL = 1 << 40
_VISITS_BY_REFERENCE = 10**6
_VISITS_BY_KERNEL = 10**9
_TESTS_BY_KERNEL = 4 * 10**9  # of one pair at one visit
_SEPARATION_BITS = 20_000
_SAMPLE = 10**6


def gap_below(pairs: Pairs, n: int, bound: mpq) -> bool | None:
    """Whether y(n) < bound, exactly; None where rational multiples of pi of a large common denominator leave it open.

    >>> pairs = [(Angle.parse("2pi/5"), mpq(1)), (Angle.parse("4pi/5"), mpq(1))]
    >>> gap_below(pairs, 1, mpq("2.5")), gap_below(pairs, 1, mpq("2.51"))  # cos(2 pi/5) + cos(4 pi/5) = -1/2
    (False, True)
    """
    exact, open_terms = mpq(0), []
    for angle, scale in pairs:
        cosine = cos_of(angle, n)
        if isinstance(cosine, Irrational):
            exact += scale
            open_terms.append(cosine.scaled(-scale))
        else:
            exact += scale * (1 - cosine)
    if not open_terms:
        return bool(exact < bound)
    enough, bits = _separation(pairs, bound), 64
    while True:
        ends = [term.enclose(bits) for term in open_terms]
        lo, hi = exact + sum(lo for lo, _ in ends), exact + sum(hi for _, hi in ends)
        if hi <= bound:  # the enclosures are open
            return True
        if lo >= bound:
            return False
        if enough is not None and hi - lo < mpq(1, 1 << enough):
            return False  # y = bound
        bits *= 2
        if enough is not None and enough > _SEPARATION_BITS and bits > 4096:
            return None


def _separation(pairs: Pairs, bound: mpq) -> int | None:
    """Bits b such that y = bound or |y - bound| >= 2^-b; None where y is never rational."""
    period = common_period(pairs)
    if period is None:
        return None
    unit = math.lcm(*(int(scale.denominator) for _, scale in pairs), int(bound.denominator))
    greatest = 2 * unit * (2 * sum(scale for _, scale in pairs) + abs(bound)) + 1
    return int(max(1, period // 2)) * int(greatest.numerator // greatest.denominator + 1).bit_length() + 64


def common_period(pairs: Pairs) -> int | None:
    """The least n >= 1 where all rotations return exactly, or None when one never does."""
    turns = [angle.turns for angle, _ in pairs]
    known = [turn for turn in turns if turn is not None]
    return math.lcm(*(int(turn.denominator) for turn in known)) if len(known) == len(turns) else None


@dataclass(frozen=True)
class SearchPlan:
    """How the candidates for one bound are searched for: the leader, the widths, and how far a search can go.

    >>> pairs = ((Angle.parse("1"), mpq(40)), (Angle.parse("0.1"), mpq(40)))
    >>> plan = SearchPlan(pairs, mpq(10))
    >>> str(plan.leader[0]), plan.farthest > 10**9
    ('0.1', True)
    """

    pairs: tuple[tuple[Angle, mpq], ...]
    bound: mpq

    @property
    def total(self) -> mpq:
        """The sum of the C_d, which binary64 computations are scaled by."""
        return sum((scale for _, scale in self.pairs), mpq(0))

    @cached_property
    def widths(self) -> tuple[mpq, ...]:
        """w_d in turns, from above; at least 1/2 where every n is near."""
        return tuple(gap_in_turns(scale, self.bound)[1] for _, scale in self.pairs)

    @cached_property
    def leader(self) -> tuple[Angle, mpq, float]:
        """The angle and the width of the pair with the fewest near-returns, and their density."""
        found = []
        for (angle, _), width in zip(self.pairs, self.widths, strict=True):
            share = count_near_returns(angle, width, _SAMPLE) / _SAMPLE
            found.append((max(share, float(2 * width)), angle, width))
        density, angle, width = min(found, key=lambda entry: entry[0])
        return angle, width, min(density, 1.0)

    @cached_property
    def farthest(self) -> int:
        """How far a search goes without a limit of the user's: some seconds."""
        density = self.leader[2] or 2.0**-1000
        visits = min(_VISITS_BY_KERNEL, _TESTS_BY_KERNEL // len(self.pairs))
        by_kernel = min(FARTHEST_BY_KERNEL, int(visits / density))
        period = common_period(self.pairs)
        reach = min(max(by_kernel, int(_VISITS_BY_REFERENCE / density)), 10**60)
        return reach if period is None else min(reach, period)


def candidates(plan: SearchPlan, limit: int, start: int = 1) -> Iterator[int]:
    """All n, start <= n <= limit, with y(n) < bound, and few others, in rising order.

    >>> plan = SearchPlan(((Angle.parse("1"), mpq(40)), (Angle.parse("0.1"), mpq(40))), mpq(10))
    >>> list(candidates(plan, 200))
    [6, 63, 69, 125, 126, 132, 182, 188, 189, 195]
    """
    if plan.bound <= 0:
        return
    angle, width, density = plan.leader
    sieve = Sieve(plan, limit)
    source = near_returns_within(angle, width, limit, start=start)
    last = start - 1
    for n in islice(source, FIRST_BY_REFERENCE):
        last = n
        if sieve.passes(n):
            yield n
    few = density * (limit - last) < _VISITS_BY_REFERENCE
    if few or limit > FARTHEST_BY_KERNEL or width < mpq(limit, 1 << 62):
        yield from (n for n in source if sieve.passes(n))
    elif last < limit:
        from certify.certified_range.many.returns_kernel import kernel_candidates

        yield from kernel_candidates(plan, limit, last + 1)


class Sieve:
    """The test of a candidate in integers and binary64: passes every n <= limit with y(n) < bound, and few others."""

    def __init__(self, plan: SearchPlan, limit: int) -> None:
        self.bits = limit.bit_length() + 64
        self._mask = (1 << self.bits) - 1
        self._pairs = []
        for (angle, scale), width in zip(plan.pairs, plan.widths, strict=True):
            step, modulus, _ = fixed_point(angle, self.bits)
            step = (step << self.bits) // modulus  # below the true one by at most 1 unit
            reach = -((-width.numerator << self.bits) // width.denominator)
            self._pairs.append((step, int(min(reach, 1 << self.bits)), float(scale / plan.total)))
        # A phase is off by at most limit 2^-bits <= 2^-64 turns, so C cos by less than 2^-61 C; binary64 by 2^-50 C.
        self._most = float(plan.bound / plan.total) * (1 + 2.0**-40) + 2.0**-40

    def passes(self, n: int) -> bool:
        """Whether n may have y(n) < bound."""
        total, turn = 0.0, 2.0 * math.pi
        for step, reach, scale in self._pairs:
            place = n * step & self._mask
            if reach <= place and place + n <= self._mask + 1 - reach:
                return False
            total += scale * (1.0 - math.cos(turn * (place / (self._mask + 1))))
        return total < self._most


def first_return(plan: SearchPlan, limit: int, start: int = 1) -> int | None:
    """The least n, start <= n <= limit, with y(n) < bound, or None; an n where that is left open counts.

    >>> first_return(SearchPlan(((Angle.parse("1"), mpq(40)), (Angle.parse("0.1"), mpq(40))), mpq(10)), 1000)
    6
    """
    found = candidates(plan, limit, start)
    return next((n for n in found if gap_below(plan.pairs, n, plan.bound) is not False), None)
