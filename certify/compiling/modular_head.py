"""MOD in a head of rotary pairs: the head of Lemma 3.2, a free baseline, and more harmonics of the same modulus.

With angles 2 pi h/m, h = 1, .., H, the query (round(cos(2 pi h r/m)), round(-sin(2 pi h r/m))) of each pair, rotated by
its table, gives the score of BOS, whose key is (C, 0) in each pair: about C sum_h cos(2 pi h (i - r)/m).  Every other
position has the score of a baseline.  BOS wins where i = r modulo m, and loses elsewhere: certified for each of the m
residues of i, which are all there is at any length (for i >= 2; at i = 1 only BOS is seen, and it wins).

Lemma 3.2 of arXiv:2608.11909 has H = 1 and the baseline round(C b), b = (1 + cos(2 pi/m)) / 2, the middle between a
match and what comes nearest.  More harmonics make the distance greater (of the order of m C for all of them), which
small value sets need.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
from gmpy2 import mpq

from certify.compiling.gadget import Bound, number_text
from certify.compiling.modular_scores import Extremes, bos_scores, extremes, rotated_queries, table_rows
from certify.compiling.scales import middle_scale, scales, wide_scales
from certify.compiling.selection import distance, losing
from fpsim import reference
from fpsim.operands import Array, as_element
from fpsim.precision import Precision
from fpsim.rounding.reference import Element, is_nan, round_exact

__all__ = ["ModularHead", "lemma_head", "modular_head", "summed_head", "undecided_because"]

MAX_HARMONICS = 64
_AT_ONCE = 1 << 22


@dataclass(frozen=True)
class ModularHead:
    """A head that decides MOD(r, m) for some residues r.

    harmonics: H.  scale: C.  baseline: the score of every position but BOS.  kind: "Lemma 3.2", "free baseline" or
    "harmonics".
    """

    kind: str
    modulus: int
    harmonics: int
    scale: mpq
    baseline: mpq
    bounds: tuple[Bound, ...]

    def query(self, precision: Precision, residue: int) -> tuple[Element, ...]:
        """The query of a residue before the rotation, pair by pair."""
        numbers: list[Element] = []
        for h in range(1, self.harmonics + 1):
            c, s = table_rows(precision.values, self.modulus, -h)
            numbers += [as_element(c[residue]), as_element(s[residue])]
        return tuple(numbers)


def modular_head(precision: Precision, residue: int, modulus: int, least: mpq) -> ModularHead | None:
    """A head that decides MOD(r, m) for this residue, m >= 2, with as few pairs as possible; None: none was found.

    least: f_large.

    >>> head = modular_head(Precision.of("e4m3"), 1, 16, mpq(7))
    >>> head.kind, head.harmonics
    ('harmonics', 2)
    """
    residues = np.array([residue])
    found = lemma_head(precision, modulus, residues, least)
    for h in () if found else _numbers_of_harmonics(modulus):
        found = summed_head(precision, modulus, residues, h, least)
        if found is not None:
            break
    return found


def _numbers_of_harmonics(modulus: int) -> Iterator[int]:
    most = min(modulus // 2, MAX_HARMONICS)
    yield from sorted({*(h for h in (1, 2, 3, 4, 6, 8, 12, 16, 24, 32, 48) if h < most), most})


def lemma_head(precision: Precision, modulus: int, residues: Array, least: mpq) -> ModularHead | None:
    """The head of Lemma 3.2 that decides every one of these residues, with some C of F; None: none of `scales` does.

    Scores depend on C through one product, which is monotone: the extremes of q_0 are those of the scores for every C.
    """
    queries = [extremes(each, residues) for each in rotated_queries(precision, modulus, residues, 1)]
    first, score = queries[0], precision.regime.score
    if not all(_is_finite(x) for each in queries for x in each) or not first[0] > first[1]:
        return None
    for scale in scales(precision.values):
        match, other, low, high = (reference.mul(score, x, scale) for x in first)
        if not distance(precision.regime, match, other) >= least:  # a baseline between them is nearer still
            continue
        baseline = middle_scale(precision.values, modulus, scale)
        head = _judged(precision, "Lemma 3.2", modulus, 1, scale, (match, other, low, high), baseline, least)
        if head is not None:
            return head
    return None


def summed_head(precision: Precision, modulus: int, residues: Array, harmonics: int, least: mpq) -> ModularHead | None:
    """The head with H harmonics that decides every one of these residues, its baseline in the middle of what occurs."""
    values, kind = precision.values, "free baseline" if harmonics == 1 else "harmonics"
    rows = max(1, _AT_ONCE // (modulus * (2 * harmonics + 2)))
    for scale in wide_scales(values, harmonics):
        chunks = [residues[n : n + rows] for n in range(0, len(residues), rows)]
        parts = [extremes(bos_scores(precision, modulus, each, harmonics, scale), each) for each in chunks]
        match, other, low, high = ([x[n] for x in parts] for n in range(4))
        found = (min(match), max(other), min(low), max(high))
        if not all(_is_finite(x) for x in (*low, *high)):
            continue
        baseline = round_exact(values, (mpq(found[0]) + mpq(found[1])) / 2)
        head = _judged(precision, kind, modulus, harmonics, scale, found, baseline, least)
        if head is not None:
            return head
    return None


def undecided_because(precision: Precision, residue: int, modulus: int, least: mpq) -> str:
    """What is in the way of a head for MOD(r, m) when `modular_head` finds none: with one pair, and with most pairs."""
    residues = np.array([residue])
    said = []
    for harmonics in sorted({1, min(modulus // 2, MAX_HARMONICS)}):
        pairs = "one pair" if harmonics == 1 else f"the sum of {harmonics} harmonics"
        scale = next(wide_scales(precision.values, harmonics), None)
        if scale is None:
            said.append(f"{pairs} leaves no room for a C > 0 below {number_text(precision.values.max)}")
            continue
        scores = bos_scores(precision, modulus, residues, harmonics, scale)[0]
        others = [i for i in range(modulus) if i != residue]
        near = max(others, key=lambda i: as_element(scores[i]))
        match, other = as_element(scores[residue]), as_element(scores[near])
        said.append(
            f"with {pairs} and C = {number_text(scale)} BOS scores {number_text(match)} at residue {residue} and "
            f"{number_text(other)} at {near}"
        )
    return f"{'; '.join(said)}: no score for the others is f_large = {number_text(least)} away from both"


def _is_finite(x: Element) -> bool:
    return not isinstance(x, float) or x == 0


def _judged(
    precision: Precision,
    kind: str,
    modulus: int,
    harmonics: int,
    scale: mpq,
    scores: Extremes,
    baseline: Element,
    least: mpq,
) -> ModularHead | None:
    """The head if it decides, with these extreme scores of BOS."""
    regime = precision.regime
    match, other, low, high = scores
    base = reference.mul(regime.score, mpq(1), baseline)  # the score of every other position
    bounds = (
        losing(regime, "i = r: BOS leads by", match, base, least),
        losing(regime, "else: BOS is behind by", base, other, least),
    )
    far = distance(regime, base, low), distance(regime, high, base)  # infinite, perhaps, but numbers
    if not all(map(_is_finite, (*scores, base))) or any(map(is_nan, far)) or not all(bound.holds for bound in bounds):
        return None
    return ModularHead(kind, modulus, harmonics, scale, mpq(baseline), bounds)
