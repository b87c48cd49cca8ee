r"""The gaps of a k-offset head of uniform content over a realized table, in exact arithmetic.

    S(i, j) = sum over the pairs d of <R_i b_d, K_j>,   R_i b = (c_i b0 - s_i b1, s_i b0 + c_i b1),   K_j = (c_j, s_j)

with realized (c, s) and the bias b of `table`: numbers of binary64 all of them, so that S is a rational.  The
gap of the query i against j is S(i, i-k) - S(i, j).  Exact sums are slow, matrix products in binary64 are fast, and a
bound says where the fast ones decide:

Bound.  Let n be the number of pairs and u = 2^-53.  A computed score is a sum of terms c b c' of four kinds.  Each goes
through at most three roundings before the sum (two products and the sum of R_i b), and through at most 2n - 1 in it,
whatever the order of the sum and whether or not products are fused into it.  So each term is off by a factor within
gamma = mu / (1 - mu) of 1, m = 2n + 2 (Higham, Accuracy and Stability of Numerical Algorithms, 2002, Lemma 3.1), and
the score by gamma times the sum of the terms' magnitudes.  With B the greatest |b0| + |b1| that sum is at most B |K_i|
|K_j| (Cauchy-Schwarz, twice).  Two scores and their rounded difference, itself at most 2 B |K_i| |K_j| (1 + gamma),
give the error 2 (gamma + 2u) B |K_i| max |K_j| of a gap, and 4u instead of 2u covers the rounding of what it is
compared with, which is not greater.  A factor 1.01 covers the rounding of the bound itself, and
8n (1 + |K_i|) (1 + |K_j|) 2^-1074 the products that underflow, of which there are 6n in a score, each off by 2^-1075
and multiplied by less than that afterwards.  For 64 pairs of the unit circle the error is 3 10^-12.

Whatever lies within the error of what it is compared with is decided by `ExactScores`, in integers.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from certify.head_effects.exact import ExactScores, Gap
from certify.head_effects.table import HeadTable
from fpsim.blocks import Floats, Integers

__all__ = ["Gaps", "Scan", "float_at_least"]

Progress = Callable[[int, int], None]  # queries done, queries in all

_ROWS, _COLUMNS = 512, 4096  # queries and competitors of one matrix product: 16 MB
MAX_TIES = 20_000  # gaps within the error of the least one that are computed exactly; a few seconds


@dataclass(frozen=True)
class Scan:
    """What a walk over the queries found.

    failures: for each threshold the first query with a gap at most (or below) it, with its least such j, or None.
    queries: those before this position were looked at.  least: the least gap among these (least i, then least j), None
    when there is no query; least_within: how far the true least gap can be below it, 0 when it is exact.
    """

    failures: tuple[Gap | None, ...]
    queries: int
    least: Gap | None
    least_within: float = 0.0


class Gaps:
    """The gaps of the queries k+1 .. of a table whose bias is finite.

    own: whether the position of the query is itself among the competitors (j <= i, as in language models) or not (j <
    i, as in Eq. 2 of arXiv:2608.11909).
    """

    def __init__(self, table: HeadTable, kinds: Integers, *, own: bool) -> None:
        assert table.bias is not None
        self.table, self.own = table, own
        self.exact = ExactScores(table)
        self._kinds = kinds
        self.first, self.stop = table.offset + 1, table.keys.shape[0]
        norms = np.sqrt(np.einsum("ij,ij->i", table.keys, table.keys))
        b0, b1 = table.bias
        m, u, pairs = 2 * table.pairs + 2, 2.0**-53, table.pairs
        gamma = m * u / (1 - m * u)
        greatest = np.maximum.accumulate(norms)
        with np.errstate(over="ignore"):  # an infinite error means that nothing is decided by it
            self.errors: Floats = (
                1.01 * 2 * (gamma + 4 * u) * float(np.max(np.abs(b0) + np.abs(b1))) * norms * greatest
                + 8 * pairs * (1 + norms) * (1 + greatest) * 2.0**-1074
            )

    def scan(self, thresholds: tuple[tuple[mpq, bool], ...], *, whole: bool, progress: Progress | None) -> Scan:
        """Walk over the queries; `thresholds` are pairs (t, strict): a gap fails at t if it is below t, or at most t
        unless `strict`.  Not `whole`: end when there is a failure for each of them.
        """
        failures: list[Gap | None] = [None for _ in thresholds]
        least = np.full(self.stop, np.inf)
        at = self.first
        for start, stop in self._rows():
            least[start:stop] = self._least_of(start, stop)
            for number, (t, strict) in enumerate(thresholds):
                if failures[number] is None:
                    failures[number] = self._first_failure(start, least[start:stop], t, strict)
            at = stop
            if progress:
                progress(stop - self.first, self.stop - self.first)
            if not whole and None not in failures:
                break
        found, within = self._least_gap(least[:at])
        return Scan(tuple(failures), at, found, within)

    def _rows(self) -> Iterator[tuple[int, int]]:
        for start in range(self.first, self.stop, _ROWS):
            yield start, min(start + _ROWS, self.stop)

    def _queries(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """R_i b of the positions start .. stop-1, and S(i, i-k), in binary64."""
        table = self.table
        assert table.bias is not None
        b0, b1 = table.bias
        c, s = table.keys[start:stop, : table.pairs], table.keys[start:stop, table.pairs :]
        queries = np.concatenate([c * b0 - s * b1, s * b0 + c * b1], axis=1)
        targets: Floats = np.einsum("ij,ij->i", queries, table.keys[start - table.offset : stop - table.offset])
        return queries, targets

    def _tiles(self, start: int, stop: int) -> Iterator[tuple[int, Floats]]:
        """(left, gaps): the gaps of the queries start .. stop-1 against the competitors left, left + 1, .., in
        binary64; inf where j does not compete with i - k.
        """
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows has no finite error
            queries, targets = self._queries(start, stop)
        for left in range(0, stop, _COLUMNS):
            right = min(left + _COLUMNS, stop)
            with np.errstate(over="ignore", invalid="ignore"):
                gaps: Floats = targets[:, None] - queries @ self.table.keys[left:right].T
            if right > start - self.table.offset:
                gaps[~self._competes(np.arange(start, stop)[:, None], np.arange(left, right)[None, :])] = np.inf
            yield left, gaps

    def _competes(self, i: Integers, j: Integers) -> Any:
        return (j <= i - (not self.own)) & (j != i - self.table.offset)

    def _least_of(self, start: int, stop: int) -> Floats:
        """The least gap of each query, in binary64 (NaN where something overflowed)."""
        least = np.full(stop - start, np.inf)
        for _, gaps in self._tiles(start, stop):
            least = np.minimum(least, gaps.min(axis=1))
        return least

    def _first_failure(self, start: int, least: Floats, t: mpq, strict: bool) -> Gap | None:
        """The first query of these rows that fails at t, decided exactly."""
        near = float_at_least(t) + self.errors[start : start + least.size]
        for row in np.flatnonzero(~(least > near)):  # NaN is looked at
            found = self._failure_of(start + int(row), t, strict)
            if found is not None:
                return found
        return None

    def _failure_of(self, i: int, t: mpq, strict: bool) -> Gap | None:
        """The least j against which query i fails at t."""
        for _, competitors in self._close(i, i + 1, float_at_least(t)):
            for j in competitors.tolist():
                gap = self._gap(i, j)
                if gap < t or (gap == t and not strict):
                    return Gap(i, j, gap)
        return None

    def _close(self, start: int, stop: int, bound: float) -> Iterator[tuple[Integers, Integers]]:
        """(i, j) of the gaps that may be at most `bound`: rising j, and rising i within each part of a few columns."""
        limits = (bound + self.errors[start:stop])[:, None]
        for left, gaps in self._tiles(start, stop):
            rows, columns = np.nonzero(~(gaps > limits))  # NaN is looked at
            kept = self._competes(start + rows, left + columns)  # an infinite limit is not exceeded by the mark
            yield start + rows[kept], left + columns[kept]

    def _gap(self, i: int, j: int) -> mpq:
        """The exact gap; 0 without a sum where the two keys are equal."""
        if self._kinds[i - self.table.offset] == self._kinds[j]:
            return mpq(0)
        return self.exact.gap(i, j)

    def _least_gap(self, least: Floats) -> tuple[Gap | None, float]:
        """The least gap of the queries whose binary64 gaps these are, exactly, and how far it can be off.

        Only gaps within twice the error of the least one can be it.  Equal blocks give equal gaps, so that one of
        each kind of (query, target, competitor) is computed, the first.
        """
        queries = least[self.first :]
        if not queries.size:
            return None, 0.0
        errors = self.errors[self.first : self.first + queries.size]
        bound = float(np.min(np.where(np.isnan(queries), np.inf, queries + errors)))
        maybe = np.flatnonzero(~(queries - errors > bound)) + self.first
        seen: dict[int, tuple[int, int]] = {}
        for start, stop in _runs(maybe, _ROWS):
            for i, j in self._close(start, stop, bound):
                for code, pair in self._first_of_kinds(i, j):
                    seen[code] = min(pair, seen.get(code, pair))
            if len(seen) > MAX_TIES:
                break
        best: Gap | None = None
        for query, competitor in sorted(seen.values())[:MAX_TIES]:
            gap = self._gap(query, competitor)
            if best is None or gap < best.gap:
                best = Gap(query, competitor, gap)
        assert best is not None  # the query with the least gap is among them
        return best, 0.0 if len(seen) <= MAX_TIES else 4 * float(errors[maybe - self.first].max())

    def _first_of_kinds(self, i: Integers, j: Integers) -> Iterator[tuple[int, tuple[int, int]]]:
        """The first (i, j) of each kind of (query, target, competitor)."""
        kinds, many = self._kinds, int(self._kinds.max()) + 1  # many <= 2^24: three of them need more than 64 bits
        pairs = kinds[i] * many + kinds[i - self.table.offset]
        distinct, pairs = np.unique(pairs, return_inverse=True)
        codes, first = np.unique(pairs.reshape(-1) * many + kinds[j], return_index=True)
        for code, at in zip(codes.tolist(), first.tolist(), strict=True):
            head, last = divmod(code, many)
            yield int(distinct[head]) * many + last, (int(i[at]), int(j[at]))


def float_at_least(t: mpq) -> float:
    """A float at least t; inf where binary64 has no other."""
    try:
        near = float(t)
    except OverflowError:
        return np.inf if t > 0 else -np.finfo(np.float64).max
    return near if near == np.inf or mpq(near) >= t else float(np.nextafter(near, np.inf))


def _runs(numbers: Integers, longest: int) -> Iterator[tuple[int, int]]:
    """Rising numbers as ranges of consecutive ones."""
    start = 0
    for end in range(1, numbers.size + 1):
        if end == numbers.size or numbers[end] != numbers[end - 1] + 1 or end - start == longest:
            yield int(numbers[start]), int(numbers[end - 1]) + 1
            start = end
