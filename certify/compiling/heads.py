"""What a head of a compiled model is, and the head of P.

The query is the same at every position, but for its rotation.  Its last pair of coordinates is not rotated, and the
query is (1, 0) there, so that what a key has there is added to the score.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from gmpy2 import mpq

from certify.compiling.gadget import Bound, Gadget
from certify.compiling.layout import Layout
from certify.compiling.plan import Literal, Plan
from certify.compiling.selection import losing
from certify.languages.formula import Formula
from fpsim.angle import Angle
from fpsim.errors import UnsupportedError
from fpsim.regime import Regime

__all__ = ["HeadParts", "Row", "past_head", "sink"]

Row = Mapping[int, mpq]  # of a matrix: coordinate to weight


@dataclass(frozen=True)
class HeadParts:
    """One head of values of size 1.

    angles: of the rotated pairs.  query: before the rotation, one number for each of their coordinates.  keys: the rows
    of the key's matrix for the same coordinates.  key: the row of the unrotated one.  value: the row of the value.
    writes: what is added to the stream, by coordinate, for each 1 of the output.
    """

    angles: tuple[Angle, ...]
    query: tuple[mpq, ...]
    keys: tuple[Row, ...]
    key: Row
    value: Row
    writes: Row


def past_head(plan: Plan, layout: Layout, regime: Regime, owner: Formula, least: mpq) -> tuple[HeadParts, Gadget]:
    """P: BOS is a sink.  It scores 0, a position where the part is true +B, another one -B; the value is 1 at BOS.

    So BOS wins where the part was never true, and the output is exactly not P, whatever the order of summation.
    """
    (part,) = plan.parts[owner]
    place = layout.place[owner]
    head, bounds = sink(plan, layout, regime, part, least, {place: mpq(-1), place + 1: mpq(1)})
    return head, Gadget("P", plan.names[owner], (plan.time[owner] - 1) // 2, {"B": least}, bounds)


def sink(
    plan: Plan, layout: Layout, regime: Regime, part: Literal, least: mpq, writes: Row
) -> tuple[HeadParts, tuple[Bound, ...]]:
    """The head of P for a literal, and its bounds."""
    true, false = layout.at(part), layout.at(~part)
    key = {true: least, false: -least}
    at_bos = least if plan.is_true_at_bos(part) else -least
    key[layout.bos] = key.get(layout.bos, mpq(0)) - at_bos  # the score of BOS is 0
    head = HeadParts((), (), (), key, {layout.bos: mpq(1)}, writes)
    bounds = (
        losing(regime, "never true: BOS leads by", mpq(0), -least, least),
        losing(regime, "true somewhere: BOS is behind by", least, mpq(0), least),
        losing(regime, "and those where it is false by", least, -least, least),
    )
    if not all(bound.holds for bound in bounds):
        worst = next(bound for bound in bounds if not bound.holds)
        raise UnsupportedError(f"P in {regime.values.name} with B = {least}: {worst} does not hold")
    return head, bounds
