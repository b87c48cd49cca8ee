"""`--cross-check` of a head on several pairs: the checks of each pair by itself, and the sum of their products."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

from certify.certified_range.cross_check import f_large_checks, query_checks, run_checks
from certify.certified_range.cross_check_blocks import parameter_checks
from certify.certified_range.cross_check_cells import Check, in_cell, is_real, rounded_by_cells, times
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.result import CertifiedRange, CrossCheck
from fpsim.many_pairs import Blocks
from fpsim.rounding.reference import Element

__all__ = ["many_cross_check"]


def many_cross_check(question: ManyQuestion, result: CertifiedRange) -> CrossCheck:
    """Recompute f_large, the failing pair and every realized value that `result` used, or a random sample of them."""
    checks = [*f_large_checks(question)]
    for d, each in enumerate(question.rotated):
        checks += [(f"{name} of rotated pair {d}", check) for name, check in parameter_checks(each)]
    if result.witness:
        i = result.witness.i
        for j in (result.witness.j, i - question.offset):
            checks += _pair_checks(question, i, j)
    return run_checks(question, result, checks, question.rotated)


def _pair_checks(question: ManyQuestion, i: int, j: int) -> Iterator[Check]:
    """Each operation of q_i and of S(i, j), from the operands that the reference had."""
    head = question.head
    blocks = tuple(pair.realization.block(i) for pair in head.pairs)
    for d, (pair, block) in enumerate(zip(head.pairs, blocks, strict=True)):
        for name, check in query_checks(pair, block):
            yield f"{name} of pair {d} at position {i}", check
    query, key = head.rotated_bias(blocks), head.key(j)
    yield f"score of the pair ({i}, {j})", _score_check(question, query, key, head.score_of(query, key))


def _exactly(x: Fraction) -> Callable[[int], tuple[Fraction, Fraction]]:
    """A rational as an enclosure of no width."""
    return lambda _bits: (x, x)


def _score_check(question: ManyQuestion, query: Blocks, key: Blocks, outcome: Element) -> Callable[[int], bool]:
    """Whether the outcome is the sum of the products, each operation rounded, in fractions and rounding cells."""
    values, fused = question.regime.score, question.regime.fma
    terms = [(q, k) for block, other in zip(query, key, strict=True) for q, k in zip(block, other, strict=True)]

    def agrees(_bits: int) -> bool:
        if not is_real(*(entry for term in terms for entry in term)):
            return True  # a NaN or an infinity goes through; its origin is another check
        first = times(values, terms[0])
        total = rounded_by_cells(values, _exactly(first))
        for n, term in enumerate(terms[1:], start=2):
            exact = times(values, term)
            product = exact if fused else rounded_by_cells(values, _exactly(exact))
            if total is None or product is None:
                return not is_real(outcome)
            whole = total + product
            if n == len(terms):
                return in_cell(values, outcome, (whole, whole))
            total = rounded_by_cells(values, _exactly(whole))
        return False  # a head has two terms at least

    return agrees
