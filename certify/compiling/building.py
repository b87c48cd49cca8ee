"""A transformer put together from heads and units."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gmpy2 import mpq

from certify.compiling.heads import HeadParts, Row
from certify.compiling.layout import Layout
from certify.compiling.networks import Unit
from certify.compiling.plan import Plan
from fpsim.angle import Angle
from fpsim.operands import Array, as_binary64
from fpsim.realization import parse_kind
from fpsim.transformer import Attention, FeedForward, Linear, Rotary
from fpsim.valueset import ValueSet

__all__ = ["attention_of", "embedding_of", "matrix", "network_of"]


def matrix(values: ValueSet, rows: Sequence[Row], width: int) -> Array:
    """A matrix from its rows: coordinate to number, 0 elsewhere."""
    if values.carrier == "float64":
        made = np.zeros((len(rows), width))
        for n, row in enumerate(rows):
            for at, number in row.items():
                made[n, at] = as_binary64(number)
        return made
    exact = np.full((len(rows), width), mpq(0), dtype=object)
    for n, row in enumerate(rows):
        for at, number in row.items():
            exact[n, at] = mpq(number)
    return exact


def _vector(values: ValueSet, numbers: Sequence[mpq]) -> Array:
    return np.asarray(matrix(values, [dict(enumerate(numbers))], len(numbers))[0])


def embedding_of(plan: Plan, layout: Layout, values: ValueSet) -> Array:
    """The rows of BOS, EOS and the letters: every pair is (x, 1 - x) from the start.

    What is computed later starts as what it is where the head or unit that writes it gives 0: P and disjunctions as
    true, all else as false; P at BOS, where heads give 0, as false.
    """
    rows = []
    for row in range(2 + len(plan.letters)):
        found = dict(layout.constants)
        for owner, place in layout.place.items():
            if owner.operator == "false":
                truth = row == 0
            elif owner.operator == "letter":
                truth = row >= 2 and plan.letters[row - 2] == owner.data[0]
            else:
                truth = owner.operator == "or" or (owner.operator == "past" and row > 0)
            found[place + (not truth)] = mpq(1)
        rows.append(found)
    return matrix(values, rows, layout.dim)


def attention_of(values: ValueSet, heads: Sequence[HeadParts], dim: int, kind: str) -> Attention:
    """Heads beside each other, those with fewer rotated pairs padded with pairs of angle 0 and queries 0."""
    pairs = max(len(head.angles) for head in heads)
    size = 2 * pairs + 2 if pairs else 1
    queries: list[mpq] = []
    keys: list[Row] = []
    for head in heads:
        spare = 2 * pairs - len(head.query)
        queries += [*head.query, *[mpq(0)] * spare, mpq(1), *[mpq(0)] * (size > 1)]
        keys += [*head.keys, *[{}] * spare, head.key, *[{}] * (size > 1)]
    output: list[dict[int, mpq]] = [{} for _ in range(dim)]
    for n, head in enumerate(heads):
        for at, number in head.writes.items():
            output[at][n] = number
    still = Angle(mpq(0))
    rotary = None
    if pairs:
        angles = tuple((*head.angles, *[still] * (pairs + 1 - len(head.angles))) for head in heads)
        rotary = Rotary(angles, parse_kind(kind))
    return Attention(
        query=Linear(matrix(values, [{}] * len(queries), dim), _vector(values, queries)),
        key=Linear(matrix(values, keys, dim)),
        value=Linear(matrix(values, [head.value for head in heads], dim)),
        output=Linear(matrix(values, output, len(heads))),
        heads=len(heads),
        rotary=rotary,
    )


def network_of(values: ValueSet, units: Sequence[Unit], dim: int) -> FeedForward:
    """Units beside each other."""
    down: list[dict[int, mpq]] = [{} for _ in range(dim)]
    for n, unit in enumerate(units):
        for at, number in unit.down.items():
            down[at][n] = number
    up = Linear(matrix(values, [unit.up for unit in units], dim), _vector(values, [unit.bias for unit in units]))
    return FeedForward(up, Linear(matrix(values, down, len(units))))
