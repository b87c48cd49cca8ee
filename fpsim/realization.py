"""Realizations: what a machine's rotation at position i really is ("semantics 1", §3).

A realization turns an angle and a position into the pair (c_i, s_i) of values of F, the realized block [[c, -s], [s,
c]]. These are the references; `fpsim.blocks` computes many positions at once.  An angle of 0 is an unrotated pair: the
exact identity at every position, in every realization.

ideal   c_i = round(cos(theta i)), theta and i exact ("output-rounded ideal phase", Prop. 4.1 of arXiv:2608.11909)
phase   t = round(theta), x = round(i), phi = round(t x), c_i = round(cos phi) ("forms the phase and then rounds", §2.4)
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Protocol

from gmpy2 import mpq

from fpsim import reference
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.real import Real
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["REALIZATIONS", "Block", "Ideal", "Phase", "Realization", "realize"]

Block = tuple[Element, Element]
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

    def block(self, position: int) -> Block:
        """(c_i, s_i) at a position i >= 0; entries may be infinities or NaN where the machine's are."""

    def bias_angle(self) -> Angle | None:
        """The angle that the realization stores, of which the head's bias is made; None when that is not finite."""


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


@dataclass(frozen=True)
class Phase:
    """c_i = round(cos phi) with phi = round(round(theta) * round(i)); NaN once round(i) or phi is infinite."""

    angle: Angle
    values: ValueSet
    name: str = "phase"

    def block(self, position: int) -> Block:
        """(c_i, s_i)."""
        if not self.angle:
            return IDENTITY
        phase = reference.mul(self.values, self.stored, round_exact(self.values, mpq(position)))
        return reference.cos(self.values, phase), reference.sin(self.values, phase)

    @property
    def stored(self) -> Element:
        """t = round(theta)."""
        return round_angle(self.values, self.angle)

    def bias_angle(self) -> Angle | None:
        """The rounded angle t."""
        stored = self.stored
        if is_nan(stored) or abs(stored) == float("inf"):
            return None
        return Angle(mpq(stored))


REALIZATIONS: dict[str, Callable[[Angle, ValueSet], Realization]] = {"ideal": Ideal, "phase": Phase}


def realize(name: str, angle: Angle, values: ValueSet) -> Realization:
    """The realization of this name ("ideal", "phase").  Raises `InputError` for another name.

    >>> from fpsim.valueset import ValueSet
    >>> realize("phase", Angle.parse("0.1"), ValueSet.parse("bf16")).block(0)
    (mpq(1,1), mpq(0,1))
    """
    if name not in REALIZATIONS:
        raise InputError("realize", name, " or ".join(REALIZATIONS))
    return REALIZATIONS[name](angle, values)


def round_angle(values: ValueSet, angle: Angle) -> Element:
    """The angle itself, rounded once into F."""
    return round_exact(values, angle_real(angle))


def angle_real(angle: Angle) -> Real:
    """The angle as an exact real."""
    from fpsim.real import Irrational

    return angle.coefficient if angle.rational is not None else Irrational(angle.enclose)
