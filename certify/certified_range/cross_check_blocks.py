"""`--cross-check` of a realized rotation: its blocks and the bias made of it, each from what it was made of.

ideal, table    the cosine and the sine of theta i, of i mod m for a table
phase, counter  the same of round(round(theta) x); x is round(i), or, for `counter`, the number before plus 1, rounded
recurrence      the block of one step, and each state from the one before it
array           nothing is computed: the entries are values of F
others          likewise, or not finite
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from fractions import Fraction

import mpmath
from gmpy2 import mpq

from certify.certified_range.cross_check_cells import (
    Check,
    angle_value,
    evaluate,
    in_cell,
    is_real,
    product_sum_check,
    rounded_by_cells,
    scaled_in_cell,
    to_fraction,
)
from certify.certified_range.question import Question
from fpsim.angle import Angle
from fpsim.realization import Counter, Given, Ideal, Phase, Realization, Recurrence, Table
from fpsim.rounding.reference import Element, is_nan
from fpsim.valueset import ValueSet

__all__ = ["block_checks", "parameter_checks"]


def parameter_checks(question: Question) -> Iterator[Check]:
    """Both entries of the bias; and of the block of one step, for a recurrence."""
    for entry, (name, function, sign) in zip(
        question.head.bias, (("b0", mpmath.cos, 1), ("b1", mpmath.sin, -1)), strict=True
    ):
        yield f"bias {name}", _bias_check(question, entry, function, sign)
    realization = question.head.realization
    if isinstance(realization, Recurrence):
        for entry, (name, function) in zip(realization.turn, _CIRCULAR, strict=True):
            yield (
                f"{name} of one step",
                _circular_check(realization.values, entry, function, lambda: angle_value(question.angle)),
            )


_CIRCULAR = (("c", mpmath.cos), ("s", mpmath.sin))


def _bias_check(
    question: Question, entry: Element, function: Callable[..., mpmath.mpf], sign: int
) -> Callable[[int], bool]:
    values, offset, realization = question.regime.values, question.offset, question.head.realization
    factor = sign * to_fraction(question.scale)
    angle: Angle | None = question.angle
    if isinstance(realization, Phase):
        stored = _stored_angle(realization)
        angle = None if stored is None else Angle(mpq(stored))
    elif not isinstance(realization, Ideal | Recurrence):
        angle = realization.bias_angle()  # what is stored is known to the realization alone

    def holds(bits: int) -> bool:
        if isinstance(realization, Given):
            exact = to_fraction(realization.block(offset)[0 if sign > 0 else 1])
            return scaled_in_cell(values, entry, (exact, exact), factor)
        if angle is None:
            return is_nan(entry) or not isinstance(realization, Phase)
        real = evaluate(function, lambda: offset * angle_value(angle), bits + offset.bit_length())
        return real is not None and scaled_in_cell(values, entry, real, factor)

    return holds


def block_checks(question: Question, position: int) -> Iterator[Check]:
    """Both entries of the realized block at a position."""
    realization, values = question.head.realization, question.regime.values
    entries = realization.block(position)
    if isinstance(realization, Recurrence) and realization.angle:
        yield from _state_checks(realization, position)
    elif isinstance(realization, Ideal | Phase):
        argument = _argument(question, position)
        if isinstance(realization, Counter):
            yield f"x at position {position}", _count_check(realization, position)
        for entry, (name, function) in zip(entries, _CIRCULAR, strict=True):
            yield f"{name} at position {position}", _circular_check(values, entry, function, argument)
    else:
        for entry, (name, _) in zip(entries, _CIRCULAR, strict=True):
            yield f"{name} at position {position}", _member_check(realization, entry)


def _member_check(realization: Realization, entry: Element) -> Callable[[int], bool]:
    """A value of F; only of what is not given an infinity or NaN is taken."""
    return lambda _bits: mpq(entry) in realization.values if is_real(entry) else not isinstance(realization, Given)


def _circular_check(
    values: ValueSet, entry: Element, function: Callable[..., mpmath.mpf], argument: Callable[[], mpmath.mpf] | None
) -> Callable[[int], bool]:
    def holds(bits: int) -> bool:
        return is_nan(entry) if argument is None else in_cell(values, entry, evaluate(function, argument, bits))

    return holds


def _argument(question: Question, position: int) -> Callable[[], mpmath.mpf] | None:
    """What the realization takes the cosine of; None where it is not finite."""
    realization, angle, values = question.head.realization, question.angle, question.regime.values
    if not isinstance(realization, Phase) or not angle:
        turn = position % realization.entries if isinstance(realization, Table) else position
        return lambda: turn * angle_value(angle)
    stored, count = _stored_angle(realization), _position(realization, position)
    if stored is None or count is None:
        return None
    product = rounded_by_cells(values, lambda _: (_taken(values, stored) * count, _taken(values, stored) * count))
    if product is None:
        return None
    return lambda: mpmath.mpf(product.numerator) / product.denominator


def _taken(values: ValueSet, x: Fraction) -> Fraction:
    least = values.min_normal
    return Fraction(0) if values.ftz and least is not None and abs(x) < to_fraction(least) else x


def _stored_angle(realization: Phase) -> Fraction | None:
    """round(theta), or None beyond range."""
    angle = realization.angle
    if angle.rational is not None:
        exact = to_fraction(angle.rational)
        return rounded_by_cells(realization.values, lambda _: (exact, exact))
    return rounded_by_cells(realization.values, lambda bits: evaluate(lambda x: x, lambda: angle_value(angle), bits))


def _position(realization: Phase, position: int) -> Fraction | None:
    """x_i: rounded here; what the counter holds, which a check of its own compares with the number before."""
    if isinstance(realization, Counter):
        held = realization.position(position)
        return to_fraction(held) if is_real(held) else None
    return rounded_by_cells(realization.values, lambda _: (Fraction(position), Fraction(position)))


def _count_check(counter: Counter, position: int) -> Callable[[int], bool]:
    """x_0 = 0, and every further number is the one before plus 1, rounded."""
    held = counter.position(position)

    def holds(_bits: int) -> bool:
        if position == 0:
            return held == 0
        before = counter.position(position - 1)
        if not is_real(before):
            return not is_real(held)
        following = _taken(counter.values, to_fraction(before)) + 1
        rounded = rounded_by_cells(counter.values, lambda _: (following, following))
        return not is_real(held) if rounded is None else is_real(held) and to_fraction(held) == rounded

    return holds


def _state_checks(recurrence: Recurrence, position: int) -> Iterator[Check]:
    """The two sums of products that make a state from the one before; at 0 the start, (1, 0) rounded."""
    values, (c, s) = recurrence.values, recurrence.block(position)
    if position == 0:
        one, zero = Fraction(1), Fraction(0)
        yield "c at position 0", lambda _bits: in_cell(values, c, (one, one))
        yield "s at position 0", lambda _bits: in_cell(values, s, (zero, zero))
        return
    (turn_c, turn_s), before = recurrence.turn, recurrence.block(position - 1)
    if not is_real(*before, turn_c, turn_s):
        yield f"c at position {position}", lambda _bits: not is_real(c)
        yield f"s at position {position}", lambda _bits: not is_real(s)
        return
    yield (
        f"c at position {position}",
        product_sum_check(values, None, (turn_c, before[0]), (turn_s, before[1]), c, minus=True),
    )
    yield f"s at position {position}", product_sum_check(values, None, (turn_s, before[0]), (turn_c, before[1]), s)
