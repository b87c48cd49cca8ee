"""Attention by the reference arithmetic: exact numbers, one rounding for each operation, for any value set."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TypeAlias

from gmpy2 import mpq

from fpsim import reference
from fpsim.precision import Precision
from fpsim.rounding.reference import Element, round_exact
from fpsim.softmax import Softmax, softmax
from fpsim.sums import Order, ordered_sum
from fpsim.transformer.model import Mask
from fpsim.valueset import ValueSet

__all__ = ["Attended", "Vector", "attend", "attend_row", "dot"]

Vector: TypeAlias = Sequence[Element]


@dataclass(frozen=True)
class Attended:
    """What one query position attends to: scores and softmax of the keys it sees, and the output."""

    scores: tuple[Element, ...]
    softmax: Softmax
    output: tuple[Element, ...]


def dot(values: ValueSet, order: Order, fused: bool, a: Vector, b: Vector) -> Element:
    """The sum of products of a and b, every product and every sum rounded, in this order; 0 for no terms.

    fused: every product after the first goes into the sum without a rounding of its own, in one chain.

    >>> dot(ValueSet.parse("fp16"), Order("sequential"), False, [mpq(1), mpq(2)], [mpq(3), mpq(4)])
    mpq(11,1)
    """
    if not fused:
        return ordered_sum(values, [reference.mul(values, x, y) for x, y in zip(a, b, strict=True)], order)
    pairs = list(zip(a, b, strict=True))
    if not pairs:
        return mpq(0)
    if order.kind == "reverse":
        pairs.reverse()
    chain = values if order.accumulator is None else order.accumulator
    total = reference.mul(chain, *pairs[0])
    for x, y in pairs[1:]:
        total = reference.fma(chain, x, y, total)
    return round_exact(values, total)


def attend_row(precision: Precision, query: Vector, keys: Sequence[Vector], values: Sequence[Vector]) -> Attended:
    """One query against these keys and values, all that it may see; `values` is not empty where `keys` is not.

    >>> one = attend_row(Precision.of("fp16"), [mpq(1)], [[mpq(0)], [mpq(18)]], [[mpq(5)], [mpq(7)]])
    >>> one.softmax.weights, one.output
    ((mpq(0,1), mpq(1,1)), (mpq(7,1),))
    """
    regime = precision.regime
    scores = tuple(dot(regime.score, precision.dot, regime.fma, query, key) for key in keys)
    weights = softmax(regime, scores)
    columns = zip(*values, strict=True)
    sums = (dot(regime.output, regime.order, regime.fma, weights.weights, column) for column in columns)
    return Attended(scores, weights, tuple(round_exact(regime.values, each) for each in sums))


def attend(
    precision: Precision, q: Sequence[Vector], k: Sequence[Vector], v: Sequence[Vector], mask: Mask = "strict"
) -> list[Attended]:
    """Every query position of one head; the output of an empty context is 0 (`strict`, position 0)."""
    own = 1 if mask == "causal" else 0
    rows = []
    for i, query in enumerate(q):
        seen = i + own
        row = attend_row(precision, query, k[:seen], v[:seen]) if seen else None
        empty = Attended((), Softmax((), (), mpq(0)), tuple(mpq(0) for _ in v[0]))
        rows.append(empty if row is None else row)
    return rows
