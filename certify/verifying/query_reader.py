"""What one query of one head would see, as a finite machine that reads keys and values from left to right.

The output of a query q after keys k_0, .., k_{i-1} ("semantics 1", §6) is found in three passes: the greatest score m;
the denominator Z, the rounded sum of e_j = round(exp(S(q,k_j) - m)); and the rounded sum of round(e_j / Z) v_j.  The
later passes need what the earlier ones end with, which is not known while keys are read.  But each pass is a sum from
left to right in a finite set, and what it can end with are finitely many numbers.  So the machine guesses: it has the
greatest score so far; for each score m that the greatest can still become, the sum that Z is if it becomes m; and for
each Z that this sum can still end with, the weighted sums if it does.

**Sound.**  After every key each of these numbers is a function of what it was before and of that key: the state after
w determines the state after wu, for every u, and with it the output of q.  (This is the easy half of the theorem of
Myhill and Nerode: a right-invariant equivalence with finitely many classes that refines "q sees the same here".)  A
guess that has become impossible is dropped: a score below the greatest, a Z that cannot be reached any more.

Z matters only by the terms round(round(e / Z) v): denominators that give all keys the same terms are one guess, and
states of Z that lead to the same guesses are one state.  In a head that selects hard nothing hangs on Z.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from certify.verifying.denominators import Denominators, sums_from
from certify.verifying.interned import Interned, bits, distinct_rows
from certify.verifying.limits import Limits
from fpsim import arithmetic
from fpsim.precision import Precision
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["QueryReader"]

_Guess: TypeAlias = tuple[int, ...]  # the state of Z, then the numbers of the weighted sums, for each of its ends
_State: TypeAlias = tuple[int, tuple[_Guess, ...]]  # the place of the greatest score; a guess for each one from there


class QueryReader:
    """The machine of one query.

    scores: of the query and every key, shape (keys,).  values: (keys, size of a value).  Key 0 is that of BOS, which is
    read when the machine is made, and never again.  States are numbers; 0 is the one after BOS.
    """

    def __init__(
        self, precision: Precision, scores: NDArray[np.float64], values: NDArray[np.float64], limits: Limits
    ) -> None:
        self.outputs = Interned()
        levels = bits(np.unique(scores[~np.isnan(scores)])) if not np.isnan(scores).all() else np.zeros(0)
        order = [*levels, *([np.nan] if np.isnan(scores).any() else [])]
        place = np.where(np.isnan(scores), len(levels), np.searchsorted(levels, scores))
        lowest = int(place[0])
        self._place = place - lowest  # below 0: never the greatest
        self._levels = [
            _Level(precision, scores, values, top, place <= n, self.outputs, limits)
            for n, top in enumerate(order)
            if n >= lowest
        ]
        start: _State = (0, tuple(level.start for level in self._levels))
        self._states = [start]
        self._numbers = {start: 0}
        self._after: dict[tuple[int, int], int] = {}

    def step(self, state: int, key: int) -> int:
        """The state after one more key."""
        found = self._after.get((state, key))
        if found is None:
            greatest, guesses = self._states[state]
            top = max(greatest, int(self._place[key]))
            kept = zip(self._levels[top:], guesses[top - greatest :], strict=True)
            made: _State = (top, tuple(level.step(guess, key) for level, guess in kept))
            found = self._numbers.setdefault(made, len(self._states))
            if found == len(self._states):
                self._states.append(made)
            self._after[state, key] = found
        return found

    def output(self, state: int) -> int:
        """What the query attends to in this state: the number of a vector of `outputs`."""
        greatest, guesses = self._states[state]
        return self._levels[greatest].output(guesses[0])

    def size(self, state: int) -> int:
        """How many running sums the state holds."""
        return sum(map(len, self._states[state][1]))


class _Level:
    """The guess that the greatest score is `top`: keys that are not `possible` are then not read."""

    def __init__(
        self,
        precision: Precision,
        scores: NDArray[np.float64],
        values: NDArray[np.float64],
        top: float,
        possible: NDArray[np.bool_],
        outputs: Interned,
        limits: Limits,
    ) -> None:
        regime = precision.regime
        self._sum, self._outputs = _WeightedSum.of(precision), outputs
        kept = np.flatnonzero(possible)  # key 0 among them
        lowered = arithmetic.sub(regime.softmax, scores[kept], np.full(len(kept), top))
        added, addend = distinct_rows(np.asarray(arithmetic.exp(regime.softmax, lowered))[:, None])
        total = regime.order.accumulator or regime.softmax
        addends = bits(arithmetic.round(total, added[:, 0]))
        again = np.unique(addend[1:])  # without BOS, which is not read a second time
        if _selects_hard(precision, added[addend, 0], values[kept]):
            sums, after = np.ones(1), np.zeros((1, len(again)), dtype=np.int32)
        else:
            sums, after = sums_from(total, float(addends[addend[0]]), addends[again], limits.denominators)
        denominators = bits(arithmetic.round(regime.softmax, sums))
        quotients = arithmetic.div(regime.softmax, added[:, 0][None, :], denominators[:, None])
        weights = np.asarray(arithmetic.round(regime.values, quotients))  # (sums, distinct exponentials)
        pairs, term = distinct_rows(np.column_stack([addend, values[kept]]))
        self._terms, meaning = self._sum.terms(weights, pairs[:, 0].astype(np.int64), pairs[:, 1:])
        self._z = Denominators.of(after, meaning, limits)
        self._column, self._term = np.full(len(scores), -1), np.full(len(scores), -1)
        self._column[kept[1:]], self._term[kept] = np.searchsorted(again, addend[1:]), term
        self._vectors = Interned()
        self._added: dict[tuple[int, int, int], int] = {}
        begun = (self._sum.first(self._terms[end][term[0]]) for end in self._z.ends[self._z.start])
        self.start: _Guess = (self._z.start, *map(self._vectors.number, begun))

    def step(self, guess: _Guess, key: int) -> _Guess:
        """The guess after one more key, of a score of at most `top`."""
        z, *sums = guess
        term, after = int(self._term[key]), int(self._z.after[z, self._column[key]])
        kept = dict(zip(self._z.ends[z], sums, strict=True))
        return (after, *(self._plus(end, kept[end], term) for end in self._z.ends[after]))

    def _plus(self, end: int, vector: int, term: int) -> int:
        found = self._added.get((end, vector, term))
        if found is None:
            made = self._sum.add(self._vectors.vectors[vector], self._terms[end][term])
            found = self._added[end, vector, term] = self._vectors.number(made)
        return found

    def output(self, guess: _Guess) -> int:
        """The number, among the outputs of the query, of what the sums have come to."""
        z, *sums = guess
        vector = sums[self._z.ends[z].index(int(self._z.final[z]))]
        return self._outputs.number(self._sum.last(self._vectors.vectors[vector]))


def _selects_hard(precision: Precision, exponentials: NDArray[np.float64], values: NDArray[np.float64]) -> bool:
    """Whether the terms hang on no denominator: every key has the exponential 0 or the value 0, and none is infinite.

    Such a Z is at least round(exp(0)) > 0 and at least each e, for rounding is monotone; it may be infinite, but not
    NaN.  So e / Z is 0 where e is, and else between 0 and 1; times a v that is 0 it is that v.  Denominators of a wide
    format, which take millions of values, need not be listed then.
    """
    sets = (precision.regime.softmax, precision.regime.order.accumulator or precision.regime.softmax)
    if any(each.overflow == "nan" for each in sets) or not arithmetic.exp(precision.regime.softmax, 0.0) > 0:
        return False
    finite = bool(np.isfinite(exponentials).all() and np.isfinite(values).all())
    return finite and bool(((exponentials == 0) | (values == 0).all(axis=1)).all())


@dataclass(frozen=True)
class _WeightedSum:
    """The sum of weights times values: sets and fusion as in a `Precision`.

    A term is an array (2, size): weight and value where the product is fused with the sum, else the product and 0.
    """

    output: ValueSet
    total: ValueSet
    values: ValueSet
    fused: bool

    @staticmethod
    def of(precision: Precision) -> _WeightedSum:
        regime = precision.regime
        return _WeightedSum(regime.output, regime.order.accumulator or regime.output, regime.values, regime.fma)

    def terms(
        self, weights: NDArray[np.float64], used: NDArray[np.int64], values: NDArray[np.float64]
    ) -> tuple[NDArray[np.float64], NDArray[np.int32]]:
        """(the terms of each distinct case, (cases, keys, 2, size); for each row of weights its case)."""
        kinds, row_kind = distinct_rows(weights)
        each = kinds[:, used, None] + np.zeros(values.shape[1])
        spread = np.broadcast_to(values, each.shape)
        if not self.fused:
            each = arithmetic.round(self.total, arithmetic.mul(self.output, each, spread))
            spread = np.zeros(each.shape)
        stacked = np.stack([np.asarray(each, dtype=np.float64), spread], axis=2)
        cases, kind_case = distinct_rows(stacked.reshape(len(kinds), -1))
        return cases.reshape(-1, *stacked.shape[1:]), kind_case[row_kind].astype(np.int32)

    def first(self, term: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum of one term."""
        return np.asarray(arithmetic.mul(self.total, term[0], term[1])) if self.fused else term[0]

    def add(self, total: NDArray[np.float64], term: NDArray[np.float64]) -> NDArray[np.float64]:
        """The sum with one more term."""
        if self.fused:
            return np.asarray(arithmetic.fma(self.total, term[0], term[1], total))
        return np.asarray(arithmetic.add(self.total, total, term[0]))

    def last(self, total: NDArray[np.float64]) -> NDArray[np.float64]:
        """The output: what the sum has come to, stored."""
        return np.asarray(arithmetic.round(self.values, arithmetic.round(self.output, total)))
