"""`--cross-check`: every value that an answer rests on, recomputed by another library.

Cosines, sines and exponentials are evaluated by mpmath at two precisions, sums and products in Python's fractions, and
each claimed value must have the result inside its rounding cell, at both precisions.  Nothing here calls MPFR, the
reference arithmetic or a kernel; what is shared is the value set's list of values.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from typing import TypeAlias

import mpmath
from gmpy2 import mpq

from certify.certified_range.question import AnyQuestion, Question
from certify.certified_range.result import CertifiedRange, CrossCheck
from fpsim.angle import Angle
from fpsim.head import Head
from fpsim.realization import Block
from fpsim.rounding.cells import cell
from fpsim.rounding.reference import Element, is_nan
from fpsim.valueset import ValueSet

__all__ = [
    "Check",
    "bias_checks",
    "cross_check_range",
    "f_large_checks",
    "in_cell",
    "is_real",
    "product_sum_check",
    "query_steps",
    "rounded_by_cells",
    "run_checks",
    "times",
]

MAX_VALUES = 20_000
SEED = 1

# A real as [lo, hi] at a working precision, or None where there is no real result.
Enclosed: TypeAlias = "tuple[Fraction, Fraction] | None"
Check: TypeAlias = "tuple[str, Callable[[int], bool]]"


def cross_check_range(question: Question, result: CertifiedRange) -> CrossCheck:
    """Recompute f_large, the failing pair and every realized value that `result` used, or a random sample of them."""
    checks = [*f_large_checks(question), *bias_checks(question)]
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


def _fraction(x: Element) -> Fraction:
    return Fraction(0) if isinstance(x, float) else Fraction(int(x.numerator), int(x.denominator))


def is_real(*elements: Element) -> bool:
    """Whether no element is an infinity or NaN."""
    return not any(isinstance(x, float) and x != 0 for x in elements)


def _evaluate(function: Callable[[mpmath.mpf], mpmath.mpf], argument: Callable[[], mpmath.mpf], bits: int) -> Enclosed:
    """function(argument) by mpmath, with a margin of 2^-(bits-24) on either side, relative to at least 2^-24."""
    with mpmath.workprec(bits):
        value = function(argument())
        sign, mantissa, exponent, _ = value._mpf_
    exact = Fraction(int(mantissa)) * Fraction(2) ** int(exponent) * (-1 if sign else 1)
    margin = max(abs(exact), Fraction(1, 2**24) if function in (mpmath.cos, mpmath.sin) else Fraction(0)) / 2 ** (
        bits - 24
    )
    return exact - margin, exact + margin


def _angle_value(angle: Angle) -> mpmath.mpf:
    number = mpmath.mpf(int(angle.coefficient.numerator)) / int(angle.coefficient.denominator)
    if angle.unit == "pi":
        return number * mpmath.pi
    if angle.unit == "power":
        power = mpmath.mpf(int(angle.power.numerator)) / int(angle.power.denominator)
        return number * mpmath.power(mpmath.mpf(int(angle.base.numerator)) / int(angle.base.denominator), power)
    return number


def in_cell(values: ValueSet, element: Element, real: Enclosed) -> bool:
    """Whether `element` is what the enclosed real rounds to: it lies in the element's cell."""
    if real is None or is_nan(element):
        return real is None and is_nan(element)
    lo, hi = (mpq(end.numerator, end.denominator) for end in real)
    within = cell(values, element)
    return within.contains(lo, hi) or within.contains(*_snapped(lo, hi))


def _snapped(lo: mpq, hi: mpq) -> tuple[mpq, mpq]:
    """[lo, hi] shrunk to the one of 0, +-1/2, +-1 that it holds, where a cosine can be rational (Niven's theorem)."""
    for numerator in (-2, -1, 0, 1, 2):
        if lo <= mpq(numerator, 2) <= hi:
            return mpq(numerator, 2), mpq(numerator, 2)
    return lo, hi


def f_large_checks(question: AnyQuestion) -> Iterator[Check]:
    """f_large is where exponentials begin to round to 0."""
    values, threshold = question.regime.softmax, question.threshold
    if threshold is None:
        return

    def exponential(x: mpq, bits: int) -> Enclosed:
        return _evaluate(mpmath.exp, lambda: -mpmath.mpf(int(x.numerator)) / int(x.denominator), bits)

    yield "exp(-f_large) rounds to 0", lambda bits: in_cell(values, mpq(0), exponential(threshold, bits))
    index = values.index(threshold)
    if index > values.least_index:
        below = values.value(index - 1)
        yield "exp(-f) does not, for the f before", lambda bits: not in_cell(values, mpq(0), exponential(below, bits))


def bias_checks(question: Question) -> Iterator[Check]:
    """Both entries of the bias."""
    head, values = question.head, question.regime.values
    angle = head.realization.bias_angle()
    for entry, (name, function, sign) in zip(head.bias, (("b0", mpmath.cos, 1), ("b1", mpmath.sin, -1)), strict=True):

        def holds(
            bits: int, entry: Element = entry, function: Callable[..., mpmath.mpf] = function, sign: int = sign
        ) -> bool:
            if angle is None:
                return is_nan(entry)
            real = _evaluate(
                function, lambda: question.offset * _angle_value(angle), bits + question.offset.bit_length()
            )
            if real is None:
                return False
            lo, hi = (mpq(end.numerator, end.denominator) for end in real)
            factor = sign * question.scale
            within = cell(values, entry)
            return any(
                within.contains(min(a * factor, b * factor), max(a * factor, b * factor))
                for a, b in ((lo, hi), _snapped(lo, hi))
            )

        yield f"bias {name}", holds


def block_checks(question: Question, position: int) -> Iterator[Check]:
    """Both entries of the realized block at a position."""
    realization, values = question.head.realization, question.regime.values
    entries = realization.block(position)
    argument = _block_argument(question, position)
    for entry, (name, function) in zip(entries, (("c", mpmath.cos), ("s", mpmath.sin)), strict=True):

        def holds(bits: int, entry: Element = entry, function: Callable[..., mpmath.mpf] = function) -> bool:
            if argument is None:
                return is_nan(entry)
            return in_cell(values, entry, _evaluate(function, argument, bits))

        yield f"{name} at position {position}", holds


def _block_argument(question: Question, position: int) -> Callable[[], mpmath.mpf] | None:
    """What the realization takes the cosine of; None where it is not finite."""
    angle, values = question.angle, question.regime.values
    if question.realize == "ideal" or not angle:
        return lambda: position * _angle_value(angle)
    stored = rounded_by_cells(values, lambda bits: _evaluate(lambda x: x, lambda: _angle_value(angle), bits))
    count = rounded_by_cells(values, lambda bits: (Fraction(position), Fraction(position)))
    if stored is None or count is None:
        return None
    product = rounded_by_cells(values, lambda bits: (stored * count, stored * count))
    if product is None:
        return None
    return lambda: mpmath.mpf(product.numerator) / product.denominator


def rounded_by_cells(values: ValueSet, real: Callable[[int], Enclosed]) -> Fraction | None:
    """The finite value of F in whose cell the real lies, found by bisection over the values; None beyond range."""
    bits = values.precision + 128
    enclosed = real(bits)
    if enclosed is None:
        return None
    lo, hi = (mpq(end.numerator, end.denominator) for end in enclosed)
    index = values.floor_index(abs(lo), lo < 0)
    for near in (index - 1, index, index + 1, index + 2):
        signed = -near if lo < 0 else near
        if near >= 0 and values.first <= signed <= values.last:
            value = values.value(signed)
            if value in values and cell(values, value).contains(lo, hi):
                return _fraction(value)
    return Fraction(0) if cell(values, mpq(0)).contains(lo, hi) else None


def _pair_checks(question: Question, i: int, j: int) -> Iterator[Check]:
    """Each operation of q_i and of S(i, j), from the operands that the reference had."""
    head, regime = question.head, question.regime
    block, key = head.key(i), head.key(j)
    steps = query_steps(head, block)
    query = head.rotated_bias(block)
    score = head.score_of(query, key)
    if regime.fma:
        steps.append(("score", regime.score, (query[0], key[0]), (query[1], key[1]), score))
    for label, values, first, second, outcome in steps:
        yield (
            f"{label} of the pair ({i}, {j})",
            product_sum_check(
                values, regime.values, first, second, outcome, fused=label == "score", last=label != "score"
            ),
        )
    if not regime.fma:
        yield (
            f"score of the pair ({i}, {j})",
            product_sum_check(
                regime.score, None, (query[0], key[0]), (query[1], key[1]), score, fused=False, last=False
            ),
        )


def query_steps(head: Head, block: Block) -> list[tuple[str, ValueSet, Block, Block, Element]]:
    """The two sums of products that make a query: name, value set, operands and outcome."""
    (c, s), (b0, b1) = block, head.bias
    q0, q1 = head.rotated_bias(block)
    negated = -b1 if is_real(b1) and b1 != 0 else b1
    rotate = head.regime.rotate
    return [("q0", rotate, (c, b0), (s, negated), q0), ("q1", rotate, (s, b0), (c, b1), q1)]


def product_sum_check(
    values: ValueSet, stored: ValueSet | None, first: Block, second: Block, outcome: Element, *, fused: bool, last: bool
) -> Callable[[int], bool]:
    """Whether `outcome` is round(round(a b) + round(c d)), or with the second product fused, then stored."""

    def holds(bits: int) -> bool:
        if not is_real(*first, *second):
            return True  # a NaN or an infinity goes through; its origin is another check
        left, right = times(values, first), times(values, second)
        product = rounded_by_cells(values, lambda _: (left, left))
        other = right if fused else rounded_by_cells(values, lambda _: (right, right))
        if product is None or other is None:
            return not is_real(outcome)
        total = product + other
        if last and stored is not None and stored != values:
            rounded = rounded_by_cells(values, lambda _: (total, total))
            if rounded is None:
                return not is_real(outcome)
            return in_cell(stored, outcome, (rounded, rounded))
        return in_cell(values, outcome, (total, total))

    return holds


def times(values: ValueSet, pair: Block) -> Fraction:
    """The exact product of two finite operands, as `ftz` takes them: a subnormal is 0."""
    product = Fraction(1)
    for operand in map(_fraction, pair):
        flushed = values.ftz and values.min_normal is not None and abs(operand) < _fraction(values.min_normal)
        product *= 0 if flushed else operand
    return product
