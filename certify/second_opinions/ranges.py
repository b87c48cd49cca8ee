"""Claims about certified ranges, decided pair by pair.

N_max = value says two things: some pair of query value + 2 fails, and no pair of an earlier query does.  The second is
shown by all pairs when they are few; else, for `ideal` and `table`, by the pairs of near-returns, the error bound of
`error_bound` excluding the others.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass

from gmpy2 import mpq

from certify.second_opinions.balls import Balls
from certify.second_opinions.claim import Range
from certify.second_opinions.error_bound import NoBoundError, widest_return
from certify.second_opinions.machine import Head, weights
from certify.second_opinions.near_returns import near_returns
from certify.second_opinions.opinion import Opinion, OutOfWorkError, Work
from certify.second_opinions.real import round_exp
from certify.second_opinions.thresholds import threshold_of
from certify.second_opinions.values import is_finite

__all__ = ["range_opinion"]

# Up to this many pairs none is left out: the bound would save little.
_FEW = 20_000


@dataclass
class _Outcome:
    """What was seen so far: obligations met, sentences, and the pair that refutes the claim, if any."""

    obligations: int
    says: str = ""
    refutes: str | None = None


def range_opinion(claim: Range, balls: Balls, work: Work) -> Opinion:
    """The opinion on a claim `nmax` or `nmax-range`.  Raises `OutOfWorkError`."""
    k, lower, upper = claim.offset, claim.lower, claim.upper
    if lower is None and upper is None:
        return Opinion("undecided", "the claim says nothing: both ends are null")
    threshold = threshold_of(balls, claim.softmax)
    if threshold is None and claim.criterion == "gap":
        return Opinion("refuted", "the softmax has no f_large, so there is no certified range")
    if upper is not None and (upper < k - 1 or (lower is not None and lower > upper)):
        return Opinion("refuted", f"N_max is at least k - 1 = {k - 1}, and its lower end not above its upper")
    head = Head(claim, balls, work)
    row = _Row(claim, balls, head, threshold)
    if lower is not None and lower >= k:
        below = _none_fails(row, k + 1, lower + 1, work)
    else:
        below = _Outcome(1, "no query lies below")
    if below.refutes:
        return Opinion("refuted", below.refutes, below.obligations)
    if upper is None:
        return Opinion("verified", below.says, below.obligations)
    seen = row.failing(claim.fails, upper)
    if seen is None and claim.exact:
        # N_max = value needs a failing pair at query value + 2, whatever lies below.
        seen = _none_fails(row, upper + 2, upper + 2, work).refutes
        if seen is None:
            return Opinion("refuted", f"no pair of query {upper + 2} fails", below.obligations)
    if seen is None:
        return Opinion("undecided", "the pair that the hints name does not fail", below.obligations)
    return Opinion("verified", f"{below.says}; {seen}", below.obligations + 1)


class _Row:
    """Rows of scores, and whether they meet the criterion."""

    def __init__(self, claim: Range, balls: Balls, head: Head, threshold: mpq | None) -> None:
        self.claim, self.balls, self.head, self.threshold = claim, balls, head, threshold

    def gap_fails(self, i: int, j: int) -> bool:
        """Whether S(i, i-k) - S(i, j) is below f_large, or a score is not finite."""
        target, other = self.head.score(i, i - self.claim.offset), self.head.score(i, j)
        assert self.threshold is not None  # the criterion gap needs one, and weight without one looks at whole rows
        return not (is_finite(target) and is_finite(other) and target - other >= self.threshold)

    def weight_fails(self, i: int) -> bool:
        """Whether the softmax of the row of query i does not select i - k exactly."""
        scores = [self.head.score(i, j) for j in range(i)]
        return any(
            weight != (1 if j == i - self.claim.offset else 0)
            for j, weight in enumerate(weights(self.claim, self.balls, scores))
        )

    def failing(self, pair: tuple[int, int] | None, upper: int) -> str | None:
        """A sentence, when the pair that the hints name is one of the claim and fails."""
        if pair is None:
            return None
        (i, j), k = pair, self.claim.offset
        if not (k + 1 <= i <= upper + 2 and 0 <= j < i and j != i - k):
            return None
        if self.claim.criterion == "weight":
            return f"the weights of query {i} fail" if self.weight_fails(i) else None
        return f"the pair ({i}, {j}) fails" if self.gap_fails(i, j) else None

    @property
    def gap_gives_weight(self) -> bool:
        """Whether a row of gaps of at least f_large has weight 1 at its target and 0 elsewhere, for certain.

        The difference of two scores, rounded into the softmax, is then at most -f_large, a value of it (rounding is
        monotone); e to that rounds to 0.  So Z = round(exp 0), and the target's weight is 1 rounded twice.
        """
        softmax = self.claim.softmax
        one = softmax.round(mpq(1))
        if self.threshold is None:
            return False
        return (
            softmax.contains(-self.threshold)
            and softmax.overflow != "nan"
            and is_finite(one)
            and softmax.operand(one) != 0
            and round_exp(self.balls, softmax, -self.threshold) == 0
            and self.claim.values.round(one) == 1
            and (self.claim.order.accumulator is None or softmax.round(self.claim.order.accumulator.round(one)) == one)
        )


@dataclass
class _Suspects:
    """The pairs that have to be computed, how many they are, and which in words."""

    pairs: Iterable[tuple[int, int]]
    count: int
    says: str


def _suspects(row: _Row, first: int, last: int, work: Work) -> _Suspects:
    """The pairs of the queries `first` .. `last` whose gap may be too small: all, or those of near-returns."""
    k = row.claim.offset
    total = sum_of(first, last) - (last - first + 1)
    everything = ((i, j) for i in range(first, last + 1) for j in range(i) if j != i - k)
    words = f"the queries {first} to {last}" if first < last else f"query {last}"
    if total <= _FEW:
        return _Suspects(everything, total, f"all {total} pairs of {words}")
    try:
        distance = widest_return(row.balls, row.claim, row.threshold)
    except NoBoundError as problem:
        return _Suspects(everything, total, f"all {total} pairs of {words} ({problem})")
    near: list[int] = []
    count = 0
    for n in near_returns(row.balls, row.claim.angle, distance, max(last - k, k - 1)):
        near.append(n)
        # n = i-k-j > 0 has the queries from n + k on; -n, for n < k, all of them.
        count += max(0, last + 1 - max(first, n + k)) + (last + 1 - first if n < k else 0)
        if max(count, len(near)) > work.left:
            raise OutOfWorkError(f"more than {work.left} near-returns or their pairs would have to be computed")
    says = f"the {count} pairs of {len(near)} near-returns, of all {total} pairs, of {words}"
    return _Suspects(_pairs_of(near, k, first, last), count, says)


def _pairs_of(near: list[int], k: int, first: int, last: int) -> Iterator[tuple[int, int]]:
    for n in near:
        yield from ((i, i - k - n) for i in range(max(first, n + k), last + 1))
        if n < k:
            yield from ((i, i - k + n) for i in range(first, last + 1))


def sum_of(first: int, last: int) -> int:
    """first + (first + 1) + .. + last."""
    return (first + last) * (last - first + 1) // 2


def _none_fails(row: _Row, first: int, last: int, work: Work) -> _Outcome:
    """Whether a pair of the queries `first` .. `last` fails; with the criterion weight, whether a row does."""
    if row.claim.criterion == "weight" and not row.gap_gives_weight:
        return _weights_hold(row, first, last, work)
    suspects = _suspects(row, first, last, work)
    if 2 * suspects.count > work.left:
        raise OutOfWorkError(f"{suspects.says} would take {2 * suspects.count} units of work; {work.left} are left")
    looked_at: set[int] = set()
    for i, j in suspects.pairs:
        if i in looked_at or not row.gap_fails(i, j):
            continue
        if row.claim.criterion == "gap":
            return _Outcome(suspects.count, refutes=f"the pair ({i}, {j}) fails")
        looked_at.add(i)  # a gap that is too small need not spoil the weights
        if row.weight_fails(i):
            return _Outcome(suspects.count, refutes=f"the weights of query {i} fail")
    # The bound that leaves pairs out, or f_large, counts as one.
    return _Outcome(suspects.count + 1, f"{suspects.says} hold")


def _weights_hold(row: _Row, first: int, last: int, work: Work) -> _Outcome:
    """Every row, computed whole."""
    total = sum_of(first, last)
    if total > work.left:
        raise OutOfWorkError(f"{total} weights would have to be computed, and {work.left} units of work are left")
    for i in range(first, last + 1):
        if row.weight_fails(i):
            return _Outcome(i - first, refutes=f"the weights of query {i} fail")
    return _Outcome(last - first + 1, f"the weights of the queries {first} to {last} hold")
