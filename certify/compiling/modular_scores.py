"""The realized scores of BOS in a modular head, for every residue of the position.

With q the rotated query of a pair and (C, 0) the key of BOS, only the first coordinate of q counts, q_0 C + q_1 0, as
long as the second one is finite.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
from gmpy2 import mpq

from certify.compiling.exact_sums import arranged_sum
from fpsim import arithmetic
from fpsim.angle import Angle
from fpsim.operands import Array, as_element, result_array
from fpsim.precision import Precision
from fpsim.realization import Realization, realize
from fpsim.rounding.reference import Element
from fpsim.valueset import ValueSet

__all__ = ["Extremes", "bos_scores", "extremes", "modular_angle", "rotated_queries", "table_rows"]

Extremes = tuple[Element, Element, Element, Element]
"""The least score where the position is r modulo m, the greatest one elsewhere; the least and the greatest of all."""


def modular_angle(modulus: int, harmonic: int) -> Angle:
    """2 pi h/m."""
    return Angle(mpq(2 * harmonic, modulus), "pi")


@lru_cache(maxsize=256)
def table_rows(values: ValueSet, modulus: int, harmonic: int) -> tuple[Array, Array]:
    """(c, s) of the positions 0 .. m-1 for the angle 2 pi h/m; for -h, s is round(-sin), in every rounding mode."""
    table: Realization = realize("table", modular_angle(modulus, harmonic), values)
    if values.carrier == "float64":
        from fpsim.blocks import blocks

        return blocks(table, 0, modulus)
    entries = [table.block(i) for i in range(modulus)]
    rows = [result_array(values, [entry[n] for entry in entries], (modulus,)) for n in (0, 1)]
    return rows[0], rows[1]


def rotated_queries(precision: Precision, modulus: int, residues: Array, harmonic: int) -> tuple[Array, Array]:
    """(q_0, q_1) for each residue r (rows) at each position modulo m (columns)."""
    rotate, values = precision.regime.rotate, precision.values
    c, s = (row[None, :] for row in table_rows(values, modulus, harmonic))
    a, b = (row[residues][:, None] for row in table_rows(values, modulus, -harmonic))
    first = arithmetic.sub(rotate, arithmetic.mul(rotate, c, a), arithmetic.mul(rotate, s, b))
    second = arithmetic.add(rotate, arithmetic.mul(rotate, s, a), arithmetic.mul(rotate, c, b))
    stored = [x if rotate == values else arithmetic.round(values, x) for x in (first, second)]
    return np.asarray(stored[0]), np.asarray(stored[1])


def bos_scores(precision: Precision, modulus: int, residues: Array, harmonics: int, scale: mpq) -> Array:
    """The score of BOS with the key (C, 0) in H pairs, for each residue (rows) at each position modulo m (columns)."""
    score = precision.regime.score
    key = result_array(precision.values, [scale], (1,))
    terms: list[Array] = []
    for h in range(1, harmonics + 1):
        first, second = rotated_queries(precision, modulus, residues, h)
        terms += [np.asarray(arithmetic.mul(score, first, key)), np.asarray(arithmetic.mul(score, second, 0 * key))]
    pair = np.zeros_like(terms[0])  # the unrotated pair, in which the key of BOS is 0
    return arranged_sum(score, [*terms, pair, pair], precision.dot)


def extremes(scores: Array, residues: Array) -> Extremes:
    """What decides: rounding and exp are monotone, so that all other scores are at least as far from a baseline.

    The least and the greatest tell whether all are finite; NaN where a score is.
    """
    matching = np.zeros(scores.shape, dtype=np.bool_)
    matching[np.arange(len(residues)), residues] = True
    return (
        as_element(scores[matching].min()),
        as_element(scores[~matching].max()),
        as_element(scores.min()),
        as_element(scores.max()),
    )
