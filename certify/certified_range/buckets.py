r"""Buckets of realized keys on the circle: prunes pairs of any realization, from the realized numbers alone.

Let q be the realized query i, K an upper bound of |k_j| over the keys j < i, S_t the score of its target, and f the
threshold.  Suppose all of these keys, q and S_t are finite.

1. Score.  S(i, j) differs from the exact q.k_j by at most D: with l what `ftz` may drop of an operand (`lost_operand`),
   Q >= |q| and P = (Q + sqrt2 l)(K + sqrt2 l), the operands cost sqrt2 l (Q + K) + 2 l^2, the products pair(P), or e(P)
   with `fma`, and the sum e of that total (step 7 of `error_bound`).  Where that may overflow D has no value, and every
   pair is looked at.
2. If (i, j) fails, S(i, j) > S_t - f (a NaN or infinity is excluded by 1), so q.k_j > H = S_t - f - D.
3. If H > 0, then k_j and q are not 0, and the angle t between them has cos t > X = H / (|q| K).  If X >= 1 there is
   none.
4. 2 sin(t/2) = sqrt(2 (1 - cos t)) < sqrt(2 (1 - X)), and sin(t/2) >= t/pi on [0, pi], so t < w = (pi/2) sqrt(2 (1 -
   X)).
5. The *diamond angle* d of a direction (x, y), y/(|x|+|y|) in the first quadrant and continued by symmetry to [0, 4),
   grows at the rate 1/(|cos|+|sin|)^2 <= 1 with the angle.  So d(k_j) and d(q) are less than w apart on the circle of
   length 4.
6. Buckets are d in [b/size, (b+1)/size), size a power of two.  k_j is in one from floor((d(q) - w) size) to floor((d(q)
   + w) size), modulo 4 size.

7. By 2 also |k_j| > H / |q|.  K rises with i, so where the keys grow (a recurrence whose norm drifts upward) all those
   before some position are too short.

If H <= 0, or 1 or finiteness is not given, every key is looked at.  A target that is not finite fails at once.

In binary64: d takes one addition, one division and one addition of a small integer, and is within 2^-49.  H, |q| and X
are made of at most eight operations of relative error 2^-53 and are moved outward by 2^-50, 2^-45 and 2^-45; 1 - X by
2^-50; w by 2^-40, which covers both d, the roundings of d(q) -+ w, and its own.  Division by the larger entry keeps |q|
from overflowing or underflowing.  Products with `size` are exact.

The keys below i are put into their buckets before query i looks into some, so that it meets its own competitors only.
The cost is that of one block and a few pairs for each position: about L in all.
"""

from __future__ import annotations

import math

import numpy as np
from gmpy2 import mpq

from certify.certified_range.buckets_kernel import STRETCH, Places, scan_buckets
from certify.certified_range.pair_scan import Floats
from certify.certified_range.pruned_near_fast import KeyTable, way_of_scoring
from certify.certified_range.question import Question
from certify.certified_range.rounding_error import OutOfRangeError, lost_operand, pair, rounding_error, sqrt_up
from fpsim.rounding.reference import Element, element_of
from fpsim.rounding.specs import spec_of

__all__ = ["BucketWalk", "score_error"]

_CHUNK = 1 << 16
_FIRST_SIZE = 64  # buckets in a quarter turn
_KEYS_PER_BUCKET = 2
_LARGE = 2.0**500  # lengths above it are not squared in binary64


def score_error(question: Question, query: mpq, key: mpq) -> mpq:
    """D of step 1, for |q| <= query and |k| <= key.  Raises `OutOfRangeError`."""
    score = question.regime.score
    lost = sqrt_up(mpq(2)) * lost_operand(score, question.regime.values)
    total = (query + lost) * (key + lost)
    products = rounding_error(score, total) if question.regime.fma else pair(score, total)
    return products + rounding_error(score, total + products) + lost * (query + key + lost)


class BucketWalk:
    """The walk over buckets, in compiled code; `farthest` is where its table of keys ends."""

    farthest = (1 << 24) + (1 << 16)  # past 2^24, where the positions of `phase` and `counter` in binary32 repeat

    def __init__(self, question: Question) -> None:
        self.question = question
        self.pairs = 0
        self._table = KeyTable(question)
        self._longest: Floats = np.empty(0)  # K for the keys up to each stretch of positions
        self._open_from = self.farthest  # the least position whose key is not finite
        self._size = 0
        self._filled = 0
        self._links: Places = np.empty(0, np.int32)
        self._heads: Places = np.empty(0, np.int32)

    def chunk(self, start: int) -> int:
        """How many queries to look at at a time."""
        return max(256, min(start, _CHUNK))

    def first_failure(self, start: int, stop: int) -> tuple[int, int] | None:
        """The failing pair with the least i, start <= i < stop, then the least j; or None."""
        question, table = self.question, self._table
        assert question.threshold is not None  # checked by `pruned_scan`
        self._grow(stop)
        q0, q1 = table.queries(start, stop)
        first = start
        while start < stop:
            end = self._level_end(start, stop)
            part = slice(start - first, end - first)
            i, j, pairs, self._filled = scan_buckets(
                spec_of(question.regime.score),
                way_of_scoring(question.regime),
                q0[part],
                q1[part],
                table.c,
                table.s,
                self._heads,
                self._links,
                float(self._size),
                self._longest,
                self._reach(q0[part], q1[part], self._longest[(end - 1) >> STRETCH]),
                self._open_from,
                question.offset,
                self._filled,
                start,
                end,
                float(question.threshold),
            )
            self.pairs += pairs
            if i >= 0:
                return i, j
            start = end
        return None

    def _level_end(self, start: int, stop: int) -> int:
        """How far keys are at most about twice as long as before `start`: one D for all would be far too much."""
        longest = self._longest
        level = longest[start >> STRETCH]
        end = int(np.searchsorted(longest, 2.0 * level, side="right")) << STRETCH
        return min(stop, max(end, start + 1))

    def near_scores(self, i: int) -> dict[int, Element] | None:
        """Position to score, for every competitor of query i that may fail; None unless all scores are finite."""
        goal = i - self.question.offset
        row = self._table.scores(i, slice(i))
        if not np.isfinite(row).all():
            return None
        # The rounded difference exceeds 2f only where the exact one exceeds f.
        near = np.flatnonzero(~(row[goal] - row > 2.0 * float(self.question.threshold or 0)))
        return {int(j): element_of(row[j]) for j in near if j != goal}

    def _grow(self, positions: int) -> None:
        """Hold the keys of these positions and their buckets; start anew with more buckets when there are many keys."""
        have = self._table.c.size
        self._table.grow(positions)
        c, s = self._table.c, self._table.s
        if c.size == have:
            return
        finite = np.isfinite(c[have:]) & np.isfinite(s[have:])
        if not finite.all():
            self._open_from = min(self._open_from, have + int(np.argmin(finite)))
        self._longest = longest_so_far(c, s)
        self._links = np.concatenate([self._links, np.full(c.size - have, -1, np.int32)])
        if c.size > 4 * self._size * _KEYS_PER_BUCKET:
            while c.size > 4 * self._size * _KEYS_PER_BUCKET:
                self._size = max(_FIRST_SIZE, 2 * self._size)
            self._heads, self._filled = np.full(4 * self._size, -1, np.int32), 0

    def _reach(self, q0: Floats, q1: Floats, longest_key: float) -> float:
        """f + D rounded up, for these queries and keys of that length at most; NaN when there is no D."""
        finite = np.isfinite(q0) & np.isfinite(q1)
        longest = _longest(q0[finite], q1[finite])
        if not (longest < _LARGE and longest_key < _LARGE):
            return math.nan
        try:
            error = score_error(self.question, mpq(longest), mpq(float(longest_key)))
        except OutOfRangeError:
            return math.nan
        total = (self.question.threshold or mpq(0)) + error
        return math.nextafter(float(total), math.inf) if total < mpq(2) ** 1000 else math.nan


def longest_so_far(c: Floats, s: Floats) -> Floats:
    """For each stretch of 2^STRETCH positions an upper bound of |k_j| over all finite keys up to its end; it rises."""
    ends = np.arange(0, c.size, 1 << STRETCH)
    lengths = np.zeros(c.size)
    finite = np.isfinite(c) & np.isfinite(s)
    with np.errstate(over="ignore"):
        np.sqrt(c * c + s * s, out=lengths, where=finite)
    lengths *= 1 + 2.0**-45  # as in `_longest`; an infinity where a square overflows is an upper bound too
    lengths += 2.0**-500
    return np.asarray(np.maximum.accumulate(np.maximum.reduceat(lengths, ends)))


def _longest(x: Floats, y: Floats) -> float:
    """An upper bound of the lengths of finite vectors; infinite when one is too long to be squared."""
    if x.size == 0:
        return 0.0
    largest = max(float(np.abs(x).max()), float(np.abs(y).max()))
    if not largest < _LARGE:
        return math.inf
    # each square, the sum and the root round by at most 2^-53, and what underflows is below 2^-1000
    return float(np.sqrt((x * x + y * y).max())) * (1 + 2.0**-45) + 2.0**-500
