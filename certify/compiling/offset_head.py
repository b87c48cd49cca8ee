"""Y^k in a head of one rotary pair whose angle is an irrational part of a turn (Cor. 4.1 of arXiv:2608.11909).

Query i = k+1 .. L+1 selects position i - k exactly, for every L <= N_max^(k)(g, C, F): that is what the certified range
says.  In queries i <= k, whose Y^k is false, BOS wins, and the value there is 0.  For that the key of BOS is not the
rotated one but a constant t in the unrotated pair, between the scores of the targets (all queries up to L + 1 are
computed) and those of keys 1 .. i-1 for i <= k; so no gate P^k true, and no network, has to follow.  (In N_max BOS has
the key of its position; leaving that competitor out asks for less.)

The angles of `certify.designing` divide the circle evenly, and are rational parts of a turn.  A decimal number near one
is not (Lindemann), and where it is near enough its rotation is the same up to position L + 1.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import lru_cache
from itertools import islice

import numpy as np
from gmpy2 import mpq, mpz

from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Criterion, Question
from certify.compiling.gadget import Bound
from certify.compiling.selection import distance, losing
from certify.designing.candidates import candidates
from certify.designing.compute import design
from certify.designing.length_limit import length_limit
from fpsim import arithmetic
from fpsim.angle import Angle
from fpsim.blocks import blocks
from fpsim.errors import UnsupportedError
from fpsim.operands import Array, as_element, result_array
from fpsim.precision import Precision
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.valueset import ValueSet

__all__ = ["DEFAULT_LENGTH", "OffsetHead", "offset_head"]

DEFAULT_LENGTH = 32
TRIES, DIGITS, MAX_OFFSET = 60, (9, 18, 40), 1000
MAX_ROWS = 1 << 14  # queries that are computed beyond the wanted length


@dataclass(frozen=True)
class OffsetHead:
    """angle, scale: g and C.  query: before the rotation.  baseline: the score of BOS.  length: what is certified."""

    offset: int
    angle: Angle
    scale: mpq
    query: tuple[mpq, mpq]
    baseline: mpq
    length: int
    bounds: tuple[Bound, ...]


@lru_cache(maxsize=64)
def offset_head(precision: Precision, offset: int, length: int | None, least: mpq) -> OffsetHead:
    """A head for Y^k that is certified up to `length`; None: up to `DEFAULT_LENGTH`, or as far as one was found.

    least: f_large.  Raises `UnsupportedError` where none was found.

    >>> offset_head(Precision.of("fp16"), 1, 30, mpq(555, 32)).length
    30
    """
    values, wanted = precision.values, max(length or DEFAULT_LENGTH, offset)
    if offset > MAX_OFFSET:
        raise UnsupportedError(f"Y^{offset}: offsets above {MAX_OFFSET} are not compiled")
    if precision.dot.kind == "wide":
        raise UnsupportedError("Y^k: the certified range of a head does not know wide sums over coordinates")
    for goal in _goals(values, wanted, offset, length is not None):
        for g, scale in islice(candidates(values, [offset], goal, least), TRIES):
            head = _judged(precision, g, scale, offset, goal, least)
            if head is not None:
                return head
    known = design(dtype=values, length=wanted, k=offset, tries=TRIES)
    proved = "" if known.limit is None else f"; no head goes beyond {known.limit.bound}"
    raise UnsupportedError(
        f"Y^{offset} up to length {wanted} in {values.name}: no head was found whose scores leave room for one of BOS "
        f"(without it N_max = {known.n_max} was reached{proved})"
    )


def _goals(values: ValueSet, wanted: int, offset: int, strict: bool) -> Iterator[int]:
    """The wanted length; unless it is `strict`, shorter ones after it."""
    limit = None if strict else length_limit(values, offset)
    goal = wanted if limit is None else max(offset, min(wanted, limit.bound))
    yield goal
    while not strict and goal > offset:
        goal = max(offset, goal * 3 // 4)
        yield goal


def _judged(precision: Precision, g: str, scale: mpq, offset: int, goal: int, least: mpq) -> OffsetHead | None:
    """The head whose angle is near g, if it is certified up to the goal."""
    criterion: Criterion = "weight" if precision.regime.softmax.overflow == "nan" else "gap"

    def reached(angle: Angle, most: int) -> tuple[Question, int]:
        question = Question(angle, scale, offset, precision.regime, "ideal", criterion)
        return question, nmax_of(question, max_length=most).lower

    if reached(Angle.parse(g), goal)[1] < goal:
        return None
    for digits in DIGITS:
        question, length = reached(_irrational(g, digits), max(goal, MAX_ROWS))
        if length >= goal:
            return _with_baseline(precision, question, length, least)
    return None


def _irrational(g: str, digits: int) -> Angle:
    """A decimal number of so many digits near an angle: a rational other than 0 is no rational part of a turn."""
    low, _ = Angle.parse(g).enclose(4 * digits + 16)
    unit = mpz(10) ** digits
    return Angle(mpq(int(low * unit), unit))


def _with_baseline(precision: Precision, question: Question, length: int, least: mpq) -> OffsetHead | None:
    """The head with a score for BOS, if there is one between the targets' and those of the first queries."""
    regime, k = precision.regime, question.offset
    target = _scores(question, np.arange(k + 1, length + 2), k)
    early = [_scores(question, np.full(i - 1, i), np.arange(i - 1, 0, -1)) for i in range(2, k + 1)]
    others = np.concatenate(early) if early else np.zeros(0)
    low = as_element(target.min())
    high = as_element(others.max()) if others.size else mpq(0)
    if any(isinstance(x, float) and x != 0 for x in (low, high)):
        return None
    baseline = round_exact(precision.values, (mpq(low) + mpq(high)) / 2)
    bounds = [losing(regime, "i > k: BOS is behind the target by", low, baseline, least)]
    if others.size:
        bounds.append(losing(regime, "i <= k: BOS leads by", baseline, high, least))
        if is_nan(distance(regime, baseline, as_element(others.min()))):
            return None
    if not all(bound.holds for bound in bounds):
        return None
    query = question.head.bias
    reaches = Bound(f"N_max^({k})", mpq(length), mpq(k))
    made = (mpq(query[0]), mpq(query[1]))
    return OffsetHead(k, question.angle, question.scale, made, mpq(baseline), length, (reaches, *bounds))


def _scores(question: Question, queries: Array, back: Array | int) -> Array:
    """S(i, i - back) for each query i, by the operations of the head."""
    regime = question.regime
    rotate, values, score = regime.rotate, regime.values, regime.score
    c, s = _blocks(question, int(queries.max()) + 1)
    b0, b1 = (result_array(values, [x], (1,)) for x in question.head.bias)
    ci, si, keys = c[queries], s[queries], queries - back

    def stored(x: Array) -> Array:
        return x if rotate == values else np.asarray(arithmetic.round(values, x))

    q0 = stored(arithmetic.sub(rotate, arithmetic.mul(rotate, ci, b0), arithmetic.mul(rotate, si, b1)))
    q1 = stored(arithmetic.add(rotate, arithmetic.mul(rotate, si, b0), arithmetic.mul(rotate, ci, b1)))
    first = arithmetic.mul(score, q0, c[keys])
    return np.asarray(arithmetic.add(score, first, arithmetic.mul(score, q1, s[keys])))


def _blocks(question: Question, count: int) -> tuple[Array, Array]:
    realization, values = question.head.realization, question.regime.values
    if values.carrier == "float64":
        return blocks(realization, 0, count)
    entries: list[tuple[Element, Element]] = [realization.block(i) for i in range(count)]
    rows = [result_array(values, [entry[n] for entry in entries], (count,)) for n in (0, 1)]
    return rows[0], rows[1]
