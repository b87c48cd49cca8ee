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

A slack of 2^-30 (1 + the greatest sizes) covers every rounding here: sums of at most 2^12 terms, each off by a few
units of 2^-53.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
from gmpy2 import mpq

from certify.head_effects.exact import Gap
from certify.head_effects.gaps import MAX_TIES, Gaps, Scan
from certify.head_effects.table import HeadTable
from fpsim.angle import Angle
from fpsim.blocks import Floats, Integers, blocks
from fpsim.real import Irrational
from fpsim.realization import Ideal, Realization
from fpsim.valueset import ValueSet

__all__ = ["DifferenceGaps"]

_BINARY64 = ValueSet.parse("fp64")
_AT_ONCE = 1 << 12  # positions
_SLACK = 2.0**-30
MOST_PRODUCTS = 1 << 31  # of two entries, in the gaps that are computed: a few seconds

Threshold: TypeAlias = tuple[mpq, bool]


@dataclass(frozen=True)
class _Model:
    """gap: G(m) for m = 0, 1, ..; bound: the greatest B_i of the queries up to i, with the slack; a number for each
    position of the table.
    """

    gap: Floats
    bound: Floats


class DifferenceGaps(Gaps):
    """The gaps of the queries of a table, with a second way to walk over them; `Gaps.scan` is the reference."""

    def __init__(self, table: HeadTable, kinds: Integers, *, own: bool) -> None:
        super().__init__(table, kinds, own=own)
        self._error = float(self.errors.max(initial=0.0))

    def scan_by_differences(self, rotations: Sequence[Realization], thresholds: Sequence[Threshold]) -> Scan | None:
        """What `scan` finds for these thresholds with every query looked at; None where too many pairs are left, or an
        angle is not known.

        rotations: those that the table was made of.
        """
        if self.first >= self.stop:
            return Scan(tuple(None for _ in thresholds), self.stop, None)
        model = self._model(rotations)
        if model is None:
            return None
        self._start()
        k = self.table.offset
        differences = np.arange(-k + (not self.own), self.stop - k)
        differences = differences[differences != 0]
        ideal = model.gap[np.abs(differences)]
        nearest = differences[int(ideal.argmin())]
        if not self._compute(np.array([nearest]), np.array([max(self.first, int(nearest) + k)])):
            return None
        level = max([_above(t) for t, _ in thresholds] + [self._least]) + 3 * self._error
        # Query i is left at the difference m where G(m) <= level + B_i; B rises, so that those are the queries from
        # one on.
        starts = np.searchsorted(model.bound, ideal - level)
        starts = np.maximum(starts, np.maximum(self.first, differences + k))
        left = starts < self.stop
        products = int((self.stop - starts[left]).sum()) * 2 * self.table.pairs
        if not np.isfinite(level) or products > MOST_PRODUCTS or not self._compute(differences[left], starts[left]):
            return None
        failures = tuple(self._first_failure(0, self._least_of_query, t, strict) for t, strict in thresholds)
        return Scan(failures, self.stop, *self._least_computed())

    def _model(self, rotations: Sequence[Realization]) -> _Model | None:
        """The gaps of the model and the bounds; None where a pair stores no angle."""
        keys, pairs, stop = self.table.keys, self.table.pairs, self.stop
        ideal, off, kappa, greatest = np.zeros(stop), np.zeros(stop), 0.0, 0.0
        for d, rotation in enumerate(rotations):
            angle = rotation.bias_angle()
            if angle is None:
                return None
            a = _factor(rotation)
            greatest = max(greatest, a)
            for start, end, c, s in _exact_blocks(angle, stop):
                ideal[start:end] += a * a * (1 - c)
                off[start:end] += np.hypot(keys[start:end, d] - a * c, keys[start:end, pairs + d] - a * s)
            kappa = max(kappa, float(np.hypot(keys[:, d], keys[:, pairs + d]).max()))
        kappa, k = kappa + _SLACK, self.table.offset
        slack = _SLACK * (1 + greatest * greatest + kappa * kappa)
        off += slack
        bound = 2 * kappa * (off + pairs * kappa * 2.0**-52) + greatest * np.maximum.accumulate(off)
        bound[k:] += greatest * off[: stop - k]
        return _Model(ideal, np.maximum.accumulate(bound) + pairs * slack)  # the slack once more, for G(m)

    def _start(self) -> None:
        """Nothing is computed yet."""
        self._least_of_query = np.full(self.stop, np.inf)
        self._least = np.inf
        self._close_ones: list[tuple[Integers, Integers, Floats]] = []

    def _compute(self, differences: Integers, starts: Integers) -> bool:
        """Compute the gaps at each difference from its first query on; False where one is no number."""
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
                    self._enter(at, k + m, found)
        return True

    def _enter(self, at: int, back: int, found: Floats) -> None:
        """Remember the gaps of the queries from `at` on against the position `back` before each."""
        rows = slice(at, at + found.size)
        np.minimum(self._least_of_query[rows], found, out=self._least_of_query[rows])
        self._least = min(self._least, float(found.min()))
        near = np.flatnonzero(found <= self._least + 2 * self._error)
        if near.size:
            self._close_ones.append((at + near, at + near - back, found[near]))

    def _least_computed(self) -> tuple[Gap | None, float]:
        """The least gap exactly, and how much less it can be: 0 unless more than `MAX_TIES` pairs come near it."""
        bound = self._least + 2 * self._error
        close = [(i[found <= bound], j[found <= bound]) for i, j, found in self._close_ones]
        pairs = sorted({pair for i, j in close for pair in zip(i.tolist(), j.tolist(), strict=True)})
        best: Gap | None = None
        for i, j in pairs[:MAX_TIES]:
            gap = self._gap(i, j)
            if best is None or gap < best.gap:
                best = Gap(i, j, gap)
        return best, 0.0 if len(pairs) <= MAX_TIES else 4 * self._error


def _above(t: mpq) -> float:
    """A float at least t."""
    try:
        return float(np.nextafter(float(t), np.inf))
    except OverflowError:
        return np.inf


def _exact_blocks(angle: Angle, stop: int) -> Iterator[tuple[int, int, Floats, Floats]]:
    """(start, end, cosines, sines) of the rotation by the angle, correct to 2^-54 each."""
    exact = Ideal(angle, _BINARY64)
    for start in range(0, stop, _AT_ONCE):
        end = min(start + _AT_ONCE, stop)
        yield start, end, *blocks(exact, start, end)


def _factor(rotation: Realization) -> float:
    """a_d, a number near what the realization multiplies cos and sin by."""
    factor = getattr(rotation, "attention_factor", mpq(1))
    return float(sum(factor.enclose(60)) / 2 if isinstance(factor, Irrational) else factor)
