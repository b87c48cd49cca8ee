"""`phase` and `counter`: the machine forms theta * i in F and then turns by it ("semantics 1", §3).

phase    t = round(theta), x = round(i), phi = round(t x), c_i = round(cos phi) (§2.4 of arXiv:2608.11909)
counter  the same with x_0 = 0 and x_{i+1} = round(x_i + 1)
"""

from __future__ import annotations

from dataclasses import dataclass

from gmpy2 import mpq

from fpsim import reference
from fpsim.angle import Angle
from fpsim.real import Real
from fpsim.realization.block import IDENTITY, Block, Traits, is_finite, round_angle, turned_by
from fpsim.realization.counting import count_ends, counted, first_equal_positions, integers_up_to
from fpsim.rounding.reference import Element, round_exact
from fpsim.valueset import ValueSet

__all__ = ["Counter", "Phase"]


@dataclass(frozen=True)
class Phase:
    """c_i = round(cos phi) with phi = round(round(theta) * round(i)); NaN once round(i) or phi is infinite.

    >>> from fpsim.valueset import ValueSet
    >>> Phase(Angle.parse("0.1"), ValueSet.parse("bf16")).block(0)
    (mpq(1,1), mpq(0,1))
    """

    angle: Angle
    values: ValueSet
    name: str = "phase"
    length: int | None = None

    @property
    def traits(self) -> Traits:
        """A product at all positions; two whole numbers that round alike have one block."""
        return Traits("product", None, True, True, first_equal_positions(self.values))

    def position(self, i: int) -> Element:
        """x, the position as the machine holds it."""
        return round_exact(self.values, mpq(i))

    def phase(self, i: int) -> Element:
        """phi, the product that is turned by."""
        return reference.mul(self.values, self.stored, self.position(i))

    def block(self, position: int) -> Block:
        """(c_i, s_i)."""
        if not self.angle:
            return IDENTITY
        phase = self.phase(position)
        return reference.cos(self.values, phase), reference.sin(self.values, phase)

    @property
    def stored(self) -> Element:
        """t = round(theta)."""
        return round_angle(self.values, self.angle)

    def bias_angle(self) -> Angle | None:
        """The rounded angle t."""
        stored = self.stored
        return Angle(mpq(stored)) if is_finite(stored) else None

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """(cos kt, sin kt) for the rounded angle t."""
        return turned_by(self.bias_angle(), offset)


@dataclass(frozen=True)
class Counter(Phase):
    """`Phase` with a position that is counted up in F, and stops where adding 1 no longer changes it.

    >>> from fpsim.valueset import ValueSet
    >>> counter = Counter(Angle.parse("1"), ValueSet.parse("fp16"))
    >>> float(counter.position(2050)), float(Phase(Angle.parse("1"), ValueSet.parse("fp16")).position(2050))
    (2048.0, 2050.0)
    """

    name: str = "counter"

    @property
    def traits(self) -> Traits:
        """As `phase` while the whole numbers are in F; one block from where the count stays at a number."""
        end, x = count_ends(self.values)
        stays = (end, end + 1) if is_finite(x) else (end - 1, end)
        return Traits("product", integers_up_to(self.values), True, True, stays)

    def position(self, i: int) -> Element:
        """x_i."""
        return counted(self.values, i)
