r"""Where a k-offset head of uniform content breaks, from its differences i - k - j: most of them need no look.

A realization that is accurate makes scores that nearly depend on the difference m = i - k - j alone.  For each pair d
take the rotation by the stored angle g_d, K^_i = a_d (cos(g_d i), sin(g_d i)), with any a_d > 0, as a model of the
realized key K_i, and let e_i be |K_i - K^_i|.  With the exact bias b^ = (cos(k g_d), -sin(k g_d)), the query is R_i b
against R^_i b^ = a_d (cos(g_d (i-k)), sin(g_d (i-k))).  A block [[c, -s], [s, c]] turns and scales by its own length,
so that with beta >= |b - b^|

    |R_i b - R^_i b^|  <=  |K_i| beta + e_i.

The gap of query i against j is the sum over the pairs of <R_i b, K_{i-k} - K_j>, and that of the model is

    G(m) = sum over d of a_d^2 (1 - cos(g_d m)).

As <Q, D> - <Q^, D^> = <Q - Q^, D> + <Q^, D - D^>, the two differ, by Cauchy-Schwarz, by at most

    B_i  =  sum over d of (|K_i| beta + e_i) 2 kappa  +  a (e_{i-k} + max over j <= i of e_j),

kappa the greatest |K_i|, a the greatest a_d.  So a pair (i, j) with G(m) > t + B_i has a gap above t, and only the
others are computed: in binary64, and what is close to t exactly, as in `certify.head_effects.gaps`.  All of this takes
time proportional to the length where few differences are left.

A slack of 2^-30 (1 + a^2 + kappa^2), once in every e and once for each pair in B, covers every rounding here: G(m) is a
sum of n <= 2^12 terms of at most 2 a^2, and the sum of the e_i one of n terms of at most a + kappa, so that each is off
by at most (n + 4) n 2^-53 times its greatest term, and n + 4 < 2^13.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from gmpy2 import mpq

from certify.head_effects.errors import attention_factor
from certify.head_effects.gaps import Gaps, Scan, float_at_least
from certify.head_effects.table import HeadTable
from fpsim.blocks import Floats, Integers, blocks
from fpsim.realization import Ideal, Realization
from fpsim.valueset import ValueSet

__all__ = ["DifferenceGaps"]

_BINARY64 = ValueSet.parse("fp64")
_AT_ONCE = 1 << 12  # positions
_SLACK = 2.0**-30
MOST_PRODUCTS = 1 << 31  # of two entries, in the gaps that are computed: a few seconds
_LEAST_PRODUCTS = 64  # what a gap counts as, however few pairs it has

Threshold: TypeAlias = tuple[mpq, bool]


@dataclass(frozen=True)
class _Model:
    """gap: G(m) for m = 0, 1, ..; bound: the greatest B_i of the queries up to i, with the slack; a number for each
    position of the table.
    """

    gap: Floats
    bound: Floats


@dataclass(frozen=True)
class _Looked:
    """The pairs whose gaps are computed: those at each of the rising `differences`, from the query in `starts` on."""

    differences: Integers
    starts: Integers


class DifferenceGaps(Gaps):
    """The gaps of the queries of a table, with a second way to walk over them; `Gaps.scan` is the reference."""

    def __init__(self, table: HeadTable, kinds: Integers, *, own: bool) -> None:
        super().__init__(table, kinds, own=own)
        self._error = float(self.errors.max(initial=0.0))
        self._looked: _Looked | None = None

    def scan_by_differences(self, rotations: Sequence[Realization], thresholds: Sequence[Threshold]) -> Scan | None:
        """What `scan` finds for these thresholds with every query looked at; None where too many pairs are left, or an
        angle is not known.

        rotations: those that the table was made of.
        """
        if self.first >= self.stop:
            return Scan(tuple(None for _ in thresholds), self.first, None)
        model = self._model(rotations)
        if model is None:
            return None
        k = self.table.offset
        differences = np.arange(-k + (not self.own), self.stop - k)
        differences = differences[differences != 0]
        ideal = model.gap[np.abs(differences)]
        nearest = differences[int(ideal.argmin())]
        least = np.full(self.stop, np.inf)
        # Any gap is a bound on the least one; that of the nearest difference at the last queries is about as good.
        last_queries = max(self.first, int(nearest) + k, self.stop - _AT_ONCE)
        if not self._compute(np.array([nearest]), np.array([last_queries]), least):
            return None
        level = max([float_at_least(t) for t, _ in thresholds] + [float(least.min())]) + 3 * self._error
        # Query i is left at the difference m where G(m) <= level + B_i; B rises, so that those are the queries from
        # one on.
        starts = np.searchsorted(model.bound, ideal - level)
        starts = np.maximum(starts, np.maximum(self.first, differences + k))
        left = starts < self.stop
        looked = _Looked(differences[left], starts[left])
        products = int((self.stop - looked.starts).sum()) * max(2 * self.table.pairs, _LEAST_PRODUCTS)
        if not np.isfinite(level) or products > MOST_PRODUCTS:
            return None
        if not self._compute(looked.differences, looked.starts, least):
            return None
        self._looked = looked
        failures = tuple(self._first_failure(0, least, t, strict) for t, strict in thresholds)
        return Scan(failures, self.stop, *self._least_gap(least))

    def _model(self, rotations: Sequence[Realization]) -> _Model | None:
        """The gaps of the model and the bounds; None where a pair stores no angle, or binary64 holds no bound."""
        angles = [rotation.bias_angle() for rotation in rotations]
        factors = [attention_factor(rotation) for rotation in rotations]
        keys, pairs, stop = self.table.keys, self.table.pairs, self.stop
        ideal, off, longest = np.zeros(stop), np.zeros(stop), 0.0
        with np.errstate(over="ignore", invalid="ignore"):  # what overflows makes no finite bound
            for start in range(0, stop, _AT_ONCE):
                end = min(start + _AT_ONCE, stop)
                columns = np.ascontiguousarray(keys[start:end].T)
                longest = max(longest, float((columns[:pairs] ** 2 + columns[pairs:] ** 2).max()))
                for d, (angle, a) in enumerate(zip(angles, factors, strict=True)):
                    if angle is None:
                        return None
                    c, s = blocks(Ideal(angle, _BINARY64), start, end)  # correct to 2^-54 each
                    ideal[start:end] += a * a * (1 - c)
                    off[start:end] += np.sqrt((columns[d] - a * c) ** 2 + (columns[pairs + d] - a * s) ** 2)
            greatest, kappa, k = max(factors), float(np.sqrt(longest)) + _SLACK, self.table.offset
            slack = _SLACK * (1 + greatest * greatest + kappa * kappa)
            off += slack
            bound = 2 * kappa * (off + pairs * kappa * 2.0**-52) + greatest * np.maximum.accumulate(off)
            bound[k:] += greatest * off[: stop - k]
            bound = np.maximum.accumulate(bound) + pairs * slack  # the slack once more, for G(m)
        return _Model(ideal, bound) if np.isfinite(bound[-1]) and np.isfinite(ideal).all() else None

    def _compute(self, differences: Integers, starts: Integers, least: Floats) -> bool:
        """Lower `least`, for each query, to its gaps at each difference from that one's first query on; False where a
        gap is no number.
        """
        k = self.table.offset
        for first in range(int(starts.min(initial=self.stop)), self.stop, _AT_ONCE):
            stop = min(first + _AT_ONCE, self.stop)
            here = starts < stop
            with np.errstate(over="ignore", invalid="ignore"):
                queries, targets = self._queries(first, stop)
                for m, start in zip(differences[here].tolist(), starts[here].tolist(), strict=True):
                    at = max(start, first)
                    keys = self.table.keys[at - k - m : stop - k - m]
                    found = targets[at - first :] - np.einsum("ij,ij->i", queries[at - first :], keys)
                    if np.isnan(found).any():
                        return False
                    np.minimum(least[at:stop], found, out=least[at:stop])
        return True

    def _close(self, start: int, stop: int, bound: float) -> Iterator[tuple[Integers, Integers]]:
        """As in `Gaps`, among the pairs that were looked at: the gaps of all others are above every bound here."""
        if self._looked is None:
            yield from super()._close(start, stop, bound)
            return
        queries, targets = self._queries(start, stop)
        for i, query, target in zip(range(start, stop), queries, targets, strict=True):
            differences = self._looked.differences[self._looked.starts <= i]
            competitors = i - self.table.offset - differences[::-1]
            gaps = target - self.table.keys[competitors] @ query
            near = competitors[~(gaps > bound + self.errors[i])]
            yield np.full(near.size, i), near
