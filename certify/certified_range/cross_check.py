"""`--cross-check`: every value that an answer rests on, recomputed by another library.

Cosines, sines and exponentials are evaluated by mpmath at two precisions, sums and products in Python's fractions, and
each claimed value must have the result inside its rounding cell, at both precisions (`cross_check_cells`).
"""

from __future__ import annotations

import random
from collections.abc import Iterator, Sequence

import mpmath
from gmpy2 import mpq

from certify.certified_range.cross_check_blocks import block_checks, parameter_checks
from certify.certified_range.cross_check_cells import Check, Enclosed, evaluate, in_cell, product_sum_check
from certify.certified_range.question import AnyQuestion, Question
from certify.certified_range.result import CertifiedRange, CrossCheck
from fpsim.angle import Angle
from fpsim.head import Head
from fpsim.realization import Block

__all__ = ["cross_check_range", "f_large_checks", "query_checks", "run_checks"]

MAX_VALUES = 20_000
SEED = 1


def cross_check_range(question: Question, result: CertifiedRange) -> CrossCheck:
    """Recompute f_large, the failing pair and every realized value that `result` used, or a random sample of them."""
    checks = [*f_large_checks(question), *parameter_checks(question)]
    witness = result.witness
    if witness:
        checks += _pair_checks(question, witness.i, witness.j)
        checks += _pair_checks(question, witness.i, witness.i - question.offset)
    return run_checks(question, result, checks, [question])


def run_checks(
    question: AnyQuestion, result: CertifiedRange, checks: list[Check], turning: Sequence[Question]
) -> CrossCheck:
    """Do these checks and those of the realized blocks of `turning` at the positions that `result` used."""
    last_position = result.witness.i if result.witness else result.lower + 1
    if question.last_query is not None:
        last_position = min(last_position, question.last_query)
    most = MAX_VALUES // (2 * len(turning))
    sampled = last_position >= most
    positions = _sample(last_position, most) if sampled else range(last_position + 1)
    checks = checks + [check for each in turning for i in positions for check in block_checks(each, i)]
    widest = max(values.precision for values in question.regime.stages.values())
    size = last_position.bit_length() + max(0, *(_magnitude_bits(each.angle) for each in turning))
    precisions = (widest + size + 80, 2 * (widest + size) + 200)
    failed = [name for name, agrees in checks if not all(agrees(bits) for bits in precisions)]
    return CrossCheck(
        f"mpmath {mpmath.__version__} at {precisions[0]} and {precisions[1]} bits",
        len(checks),
        len(failed),
        sampled,
        failed[0] if failed else None,
    )


def _sample(last: int, size: int) -> list[int]:
    """`size` different positions up to `last`, at random: sorted."""
    source = random.Random(SEED)
    chosen: set[int] = set()
    while len(chosen) < size:
        chosen.add(source.randrange(last + 1))
    return sorted(chosen)


def _magnitude_bits(angle: Angle) -> int:
    """How many bits the whole part of an angle takes, or minus the zeros after its point."""
    lo, _ = angle.enclose(16)
    return int(lo.numerator.bit_length() - lo.denominator.bit_length()) + 1


def f_large_checks(question: AnyQuestion) -> Iterator[Check]:
    """f_large is where exponentials begin to round to 0."""
    values, threshold = question.regime.softmax, question.threshold
    if threshold is None:
        return

    def exponential(x: mpq, bits: int) -> Enclosed:
        return evaluate(mpmath.exp, lambda: -mpmath.mpf(int(x.numerator)) / int(x.denominator), bits)

    yield "exp(-f_large) rounds to 0", lambda bits: in_cell(values, mpq(0), exponential(threshold, bits))
    index = values.index(threshold)
    if index > values.least_index:
        below = values.value(index - 1)
        yield "exp(-f) does not, for the f before", lambda bits: not in_cell(values, mpq(0), exponential(below, bits))


def _pair_checks(question: Question, i: int, j: int) -> Iterator[Check]:
    """Each operation of q_i and of S(i, j), from the operands that the reference had."""
    head, regime = question.head, question.regime
    block, key = head.realization.block(i), head.key(j)
    query = head.rotated_bias(block)
    score = head.score_of(query, key)
    for name, check in query_checks(head, block):
        yield f"{name} of the pair ({i}, {j})", check
    products = (query[0], key[0]), (query[1], key[1])
    yield f"score of the pair ({i}, {j})", product_sum_check(regime.score, None, *products, score, fused=regime.fma)


def query_checks(head: Head, block: Block) -> Iterator[Check]:
    """The two sums of products that make a query, rounded, then stored."""
    (c, s), (b0, b1) = block, head.bias
    q0, q1 = head.rotated_bias(block)
    rotate, values = head.regime.rotate, head.regime.values
    yield "q0", product_sum_check(rotate, values, (c, b0), (s, b1), q0, minus=True)
    yield "q1", product_sum_check(rotate, values, (s, b0), (c, b1), q1)
