"""Realized blocks, and what every realization of a rotation offers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, Protocol, TypeAlias

from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.real import Irrational, Real
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = [
    "IDENTITY",
    "Block",
    "Realization",
    "Traits",
    "angle_real",
    "is_finite",
    "round_angle",
    "traits_of",
    "turned_by",
]

Block: TypeAlias = tuple[Element, Element]
"""(c_i, s_i); the entries of [[c, -s], [s, c]]."""

IDENTITY: Block = (mpq(1), mpq(0))


class Realization(Protocol):
    """The realized rotation of one pair."""

    @property
    def angle(self) -> Angle:
        """The exact angle that was asked for."""

    @property
    def values(self) -> ValueSet:
        """The value set F of the entries."""

    @property
    def name(self) -> str:
        """The name of this kind of realization."""

    @property
    def length(self) -> int | None:
        """How many positions are known; None: all of them."""

    def block(self, position: int) -> Block:
        """(c_i, s_i) at a position i >= 0 (below `length`); infinities and NaN where the machine's are."""

    def bias_angle(self) -> Angle | None:
        """The angle that the realization stores, of which the head's bias is made; None when that is not finite, or
        when no angle is stored.
        """

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """(cos kg, sin kg) for the stored angle g and the offset k, which times C and -C make the head's bias; None
        where that is not finite.
        """


@dataclass(frozen=True)
class Traits:
    """What is known of the blocks of a realization at all positions, without computing them; nothing by default.

    With g the stored angle, `bias_angle`:

    phase: "exact" where c_i = round(cos(g i)) and g is the exact angle; "product" where c_i = round(cos phi) with phi =
    round(g round(i)); "turned" where each state is the one before turned by (round(cos g), round(sin g)), every
    operation rounded; None where none of these holds; s_i likewise.  phase_until: the last position of which `phase`
    speaks; None: it speaks of all.  on_circle: every block is (round(cos phi), round(sin phi)) for some real phi, or
    NaN.  random_access: a block costs about the same at every position.  repeats: positions j < j' with the same
    block, or with a block at j' that is not finite; None: none are known.
    """

    phase: Literal["exact", "product", "turned"] | None = None
    phase_until: int | None = None
    on_circle: bool = False
    random_access: bool = False
    repeats: tuple[int, int] | None = None


def traits_of(realization: Realization) -> Traits:
    """What a realization says of itself (its `traits`); nothing where it says nothing."""
    traits = getattr(realization, "traits", None)
    return traits if isinstance(traits, Traits) else Traits()


def turned_by(angle: Angle | None, offset: int) -> tuple[Real, Real] | None:
    """(cos kg, sin kg), or None without an angle: `bias_rotation` of every realization that stores an angle."""
    return None if angle is None else (cos_of(angle, offset), sin_of(angle, offset))


def angle_real(angle: Angle) -> Real:
    """The angle as an exact real."""
    return angle.coefficient if angle.rational is not None else Irrational(angle.enclose)


def round_angle(values: ValueSet, angle: Angle) -> Element:
    """The angle itself, rounded once into F."""
    return round_exact(values, angle_real(angle))


def is_finite(element: Element) -> bool:
    """Whether an entry is a rational (or -0): no infinity, no NaN."""
    return not (isinstance(element, float) and (is_nan(element) or abs(element) == float("inf")))
