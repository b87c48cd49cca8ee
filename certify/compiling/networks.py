"""Units of the feed-forward networks of a compiled model: conjunctions and disjunctions.

A unit is one ReLU whose value is 1 or 0 at every position; what it writes for a 1 is added to the stream.

* and: relu(1 - the number of parts that are false).  The rounded sum of as many -1 is 0 without any, and at most -1
  otherwise, in every order (rounding is monotone and -1 is a value), so that the ReLU is 1 or 0 exactly.
* or: the same unit with the parts that are true is 1 where none is; its complement is the truth value.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gmpy2 import mpq

from certify.compiling.gadget import Bound, Gadget
from certify.compiling.layout import Layout
from certify.compiling.plan import Plan
from certify.languages.formula import Formula
from fpsim.errors import UnsupportedError
from fpsim.precision import Precision
from fpsim.valueset import ValueSet

__all__ = ["Unit", "boolean_unit", "erasing_units"]

Row = Mapping[int, mpq]


@dataclass(frozen=True)
class Unit:
    """relu(up x + bias), and what is added to the stream for each 1 of it."""

    up: Row
    bias: mpq
    down: Row


def boolean_unit(plan: Plan, layout: Layout, precision: Precision, owner: Formula) -> tuple[Unit, Gadget]:
    """The unit of a conjunction or a disjunction."""
    parts, place, conjunction = plan.parts[owner], layout.place[owner], owner.operator == "and"
    values, wide = precision.values, precision.dot.accumulator
    room = _room(values, len(parts))
    for each in (values, wide):
        if each is not None and each.overflow == "nan" and not _room(each, len(parts)).holds:
            raise UnsupportedError(
                f"{owner.operator} of {len(parts)} parts in {each.name}: {_room(each, len(parts))} does not hold"
            )
    up: dict[int, mpq] = {}
    for part in parts:
        at = layout.at(~part if conjunction else part)
        up[at] = up.get(at, mpq(0)) - 1
    sign = mpq(1 if conjunction else -1)
    unit = Unit(up, mpq(1), {place: sign, place + 1: -sign})
    least = Bound("a part that decides lowers 1 by", mpq(1), mpq(1))
    return unit, Gadget(
        owner.operator, plan.names[owner], plan.time[owner] // 2 - 1, {"parts": len(parts)}, (least, room)
    )


def _room(values: ValueSet, parts: int) -> Bound:
    return Bound("room for one of each part", min(values.max, -values.min), mpq(parts))


def erasing_units(coordinates: list[int]) -> list[Unit]:
    """Units that make coordinates 0: x - relu(x) + relu(-x) = 0, each step exact."""
    return [Unit({at: sign}, mpq(0), {at: -sign}) for at in coordinates for sign in (mpq(1), mpq(-1))]
