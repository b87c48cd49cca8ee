"""`ideal` and `table`: the exact rotation, rounded once at each position ("semantics 1", §3).

ideal   c_i = round(cos(theta i)), theta and i exact ("output-rounded ideal phase", Prop. 4.1 of arXiv:2608.11909)
table   theta = 2 pi a/m: T(r) = round(cos(2 pi a r / m)) and c_i = T(i mod m) (Eq. 7): `ideal`, asked of a table
"""

from __future__ import annotations

from dataclasses import dataclass

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.real import Real
from fpsim.realization.block import IDENTITY, Block, Traits, turned_by
from fpsim.rounding.reference import round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["Ideal", "Table"]


@dataclass(frozen=True)
class Ideal:
    """c_i = round(cos(theta i)) with theta and i exact.

    >>> from fpsim.valueset import ValueSet
    >>> Ideal(Angle.parse("2pi/3"), ValueSet.parse("fp16")).block(1)[0]
    mpq(-1,2)
    """

    angle: Angle
    values: ValueSet
    name: str = "ideal"
    length: int | None = None

    @property
    def traits(self) -> Traits:
        """Exact at all positions; theta = 2 pi a/m returns at m."""
        turns = self.angle.turns
        return Traits("exact", None, True, True, None if turns is None else (0, int(turns.denominator)))

    def block(self, position: int) -> Block:
        """(c_i, s_i)."""
        if not self.angle:
            return IDENTITY
        return (
            round_exact(self.values, cos_of(self.angle, position)),
            round_exact(self.values, sin_of(self.angle, position)),
        )

    def bias_angle(self) -> Angle | None:
        """The exact angle."""
        return self.angle

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """(cos kg, sin kg), exact."""
        return turned_by(self.angle, offset)


@dataclass(frozen=True)
class Table(Ideal):
    """A table of m rounded entries, read at i mod m, for theta = 2 pi a/m.  Raises `InputError` for another angle.

    >>> from fpsim.valueset import ValueSet
    >>> table = Table(Angle.parse("2pi*3/4"), ValueSet.parse("fp32"))
    >>> table.entries, table.block(5) == table.block(1)
    (4, True)
    """

    name: str = "table"

    def __post_init__(self) -> None:
        if self.angle.turns is None:
            raise InputError(
                "angle",
                str(self.angle),
                "a rational multiple of pi, such as 2pi*3/7, for the realization table (a table has as many entries "
                "as theta takes steps to come back)",
            )

    @property
    def entries(self) -> int:
        """m, for theta = 2 pi a/m in lowest terms."""
        turns = self.angle.turns
        assert turns is not None  # checked when it was made
        return int(turns.denominator)

    def block(self, position: int) -> Block:
        """(T_cos(i mod m), T_sin(i mod m))."""
        return super().block(position % self.entries)
