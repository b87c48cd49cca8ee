"""The machine that a claim is about: realized blocks, the k-offset head and the softmax ("semantics 1", §3-§6).

Operations work on rationals and on the floats inf, -inf and nan, each result rounded once by `Values.round`.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import TypeAlias

from gmpy2 import mpq

from certify.second_opinions.claim import Range
from certify.second_opinions.forms import Angle, Order
from certify.second_opinions.opinion import OutOfWorkError, Work
from certify.second_opinions.real import Enclosure, Reals, exact_turn, round_exp, rounded
from certify.second_opinions.values import Element, Values, is_finite

__all__ = ["Block", "Head", "Rotation", "ordered_sum", "round_scaled_turn", "weights"]

Block: TypeAlias = tuple[Element, Element]

_NAN = float("nan")
_COUNT_LIMIT = 1 << 20


def times(values: Values, a: Element, b: Element) -> Element:
    """a * b, rounded."""
    return values.round(_product(values.operand(a), values.operand(b)))


def plus(values: Values, a: Element, b: Element) -> Element:
    """a + b, rounded."""
    return values.round(_sum(values.operand(a), values.operand(b)))


def minus(values: Values, a: Element, b: Element) -> Element:
    """a - b, rounded."""
    return plus(values, a, -b)


def _product(a: Element, b: Element) -> Element:
    # Of floats this is IEEE arithmetic on infinities and NaN, with the sign of the rational operand.
    if is_finite(a) and is_finite(b):
        return a * b
    return float(_sign(a)) * float(_sign(b))


def _sum(a: Element, b: Element) -> Element:
    if is_finite(a) and is_finite(b):
        return a + b
    return float(_sign(a)) + float(_sign(b))


def _sign(x: Element) -> Element:
    """An infinity or NaN itself; of a rational -1, 0 or 1."""
    return x if isinstance(x, float) else mpq((x > 0) - (x < 0))


def round_scaled_turn(reals: Reals, values: Values, angle: Angle, turns: int, scales: Sequence[mpq]) -> Block:
    """(round(scales[0] cos x), round(scales[1] sin x)) for x = `turns` times the angle."""
    result: list[Element] = []
    for part, (exact, scale) in enumerate(zip(exact_turn(angle, turns), scales, strict=True)):
        if exact is not None:
            result.append(values.round(exact * scale))
            continue

        def enclose(bits: int, part: int = part, scale: mpq = scale) -> Enclosure:
            lo, hi = reals.turn(angle, turns, bits)[part]
            return (lo * scale, hi * scale) if scale > 0 else (hi * scale, lo * scale)

        result.append(rounded(values, enclose, values.precision + 40))
    return result[0], result[1]


class Rotation:
    """The realized blocks (c_i, s_i) of one pair, one unit of `work` each."""

    def __init__(self, angle: Angle, values: Values, realize: str, reals: Reals, work: Work) -> None:
        self.angle, self.values, self.realize, self.reals, self.work = angle, values, realize, reals, work
        self._blocks: dict[int, Block] = {}
        self._states: list[Block] = []
        self._counts: list[Element] = []

    def block(self, i: int) -> Block:
        """The block at a position i >= 0."""
        if i not in self._blocks:
            self._blocks[i] = self._made(i)
        return self._blocks[i]

    def _made(self, i: int) -> Block:
        if self.realize == "recurrence":
            return self._state(i)
        self.work.spend(1, f"the block at position {i}")
        if self.realize in ("ideal", "table"):
            # `table` reads entry i mod m of T(r) = round(cos(2 pi a r / m)), which is round(cos(theta i)).
            return round_scaled_turn(self.reals, self.values, self.angle, i, (mpq(1), mpq(1)))
        phase = self.values.operand(self.phase(i))
        if isinstance(phase, float):
            return _NAN, _NAN
        return round_scaled_turn(self.reals, self.values, Angle(phase), 1 if phase else 0, (mpq(1), mpq(1)))

    def phase(self, i: int) -> Element:
        """The product of the stored angle and the position that `phase` and `counter` turn by."""
        return times(self.values, self.stored, self.position(i))

    @property
    def stored(self) -> Element:
        """round(theta), the angle that `phase` and `counter` hold."""
        if self.angle.unit == "one":
            return self.values.round(self.angle.coefficient)
        return rounded(self.values, lambda bits: self.reals.angle(self.angle, bits), self.values.precision + 40)

    def position(self, i: int) -> Element:
        """The position as `phase` or `counter` holds it."""
        if self.realize == "phase":
            return self.values.round(mpq(i))
        whole = self.whole
        if i <= whole:
            return mpq(i)
        counts = self._counts or [mpq(whole)]
        self._counts = counts
        while len(counts) <= i - whole:
            following = plus(self.values, counts[-1], mpq(1))
            # A count that stays, or is no number, stays so for ever.
            if not is_finite(following) or following == counts[-1]:
                return following
            if len(counts) > _COUNT_LIMIT:
                raise OutOfWorkError(f"the counter at position {i} takes more than {_COUNT_LIMIT} steps")
            counts.append(following)
        return counts[i - whole]

    @property
    def whole(self) -> int:
        """Some n such that 0, 1, .., n are all in F, which a counter passes one by one."""
        if self.values.kind == "float" and self.values.emin <= 0:
            return min(1 << self.values.precision, int(self.values.largest))
        if self.values.kind == "fixed" and self.values.step <= 1:
            return int(self.values.largest)
        return 0

    def _state(self, i: int) -> Block:
        values = self.values
        while len(self._states) <= i:
            self.work.spend(1, f"the state at position {len(self._states)}")
            if not self._states:
                self._turn = round_scaled_turn(self.reals, values, self.angle, 1, (mpq(1), mpq(1)))
                self._states.append((values.round(mpq(1)), mpq(0)))
                continue
            (c, s), (turn_c, turn_s) = self._states[-1], self._turn
            self._states.append((
                minus(values, times(values, turn_c, c), times(values, turn_s, s)),
                plus(values, times(values, turn_s, c), times(values, turn_c, s)),
            ))  # fmt: skip
        return self._states[i]


class Head:
    """The k-offset head of a claim about a range."""

    def __init__(self, claim: Range, reals: Reals, work: Work) -> None:
        self.claim, self.work = claim, work
        self.rotation = Rotation(claim.angle, claim.values, claim.realize, reals, work)
        self.bias = self._made_bias(reals)
        self._queries: dict[int, Block] = {}

    def _made_bias(self, reals: Reals) -> Block:
        claim, angle = self.claim, self.claim.angle
        if claim.realize in ("phase", "counter"):
            stored = self.rotation.stored
            if isinstance(stored, float):
                return _NAN, _NAN
            angle = Angle(stored)
        turns = claim.offset if angle.coefficient else 0
        return round_scaled_turn(reals, claim.values, angle, turns, (claim.scale, -claim.scale))

    def key(self, j: int) -> Block:
        """k_j."""
        return self.rotation.block(j)

    def query(self, i: int) -> Block:
        """q_i: the bias turned by the block, in `rotate`, then rounded into `values`."""
        if i not in self._queries:
            rotate, values = self.claim.rotate, self.claim.values
            (c, s), (b0, b1) = self.rotation.block(i), self.bias
            first = minus(rotate, times(rotate, c, b0), times(rotate, s, b1))
            second = plus(rotate, times(rotate, s, b0), times(rotate, c, b1))
            self._queries[i] = values.round(first), values.round(second)
        return self._queries[i]

    def score(self, i: int, j: int) -> Element:
        """S(i, j), one unit of work."""
        self.work.spend(1, f"the score of the pair ({i}, {j})")
        score, query, key = self.claim.score, self.query(i), self.key(j)
        first = times(score, query[0], key[0])
        if self.claim.fma:
            product = _product(score.operand(query[1]), score.operand(key[1]))
            return score.round(_sum(product, score.operand(first)))
        return plus(score, first, times(score, query[1], key[1]))


def weights(claim: Range, reals: Reals, scores: Sequence[Element]) -> list[Element]:
    """The realized stable softmax of a row; NaN everywhere when a score is NaN."""
    if any(score != score for score in scores):
        return [_NAN] * len(scores)
    softmax, most = claim.softmax, max(scores)
    terms = [round_exp(reals, softmax, minus(softmax, score, most)) for score in scores]
    total = ordered_sum(softmax, terms, claim.order)
    return [claim.values.round(softmax.round(_quotient(softmax.operand(e), softmax.operand(total)))) for e in terms]


def ordered_sum(values: Values, terms: Sequence[Element], order: Order) -> Element:
    """The sum of at least one term, in the order of the claim."""
    if order.kind == "reverse":
        return _fold(values, terms[::-1])
    if order.kind == "blocked":
        starts = range(0, len(terms), order.block)
        return _fold(values, [_fold(values, terms[at : at + order.block]) for at in starts])
    if order.accumulator is not None:
        wide = order.accumulator
        return values.round(_fold(wide, [wide.round(term) for term in terms]))
    if order.kind == "pairwise":
        level = list(terms)
        while len(level) > 1:
            odd = level[len(level) - len(level) % 2 :]
            level = [plus(values, a, b) for a, b in zip(level[::2], level[1::2], strict=False)] + odd
        return level[0]
    return _fold(values, terms)


def _fold(values: Values, terms: Sequence[Element]) -> Element:
    total = terms[0]
    for term in terms[1:]:
        total = plus(values, total, term)
    return total


def _quotient(a: Element, b: Element) -> Element:
    """a / b of numbers that are not negative: the only ones a softmax divides."""
    if is_finite(a) and is_finite(b):
        if b == 0:
            return _NAN if a == 0 else float("inf")
        return a / b
    if a != a or b != b or not (is_finite(a) or is_finite(b)):
        return _NAN
    return mpq(0) if is_finite(a) else float("inf")
