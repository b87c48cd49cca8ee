"""A schedule: the angles of the rotary pairs of a head, exact, with where they come from (§2.3 of arXiv:2608.11909)."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from gmpy2 import mpq

from fpsim.angle import Angle, conventional_angle
from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.real import Real

__all__ = ["Schedule"]


@dataclass(frozen=True)
class Schedule:
    """The exact angles of the pairs 0 .. D/2-1, one for each.

    base, dim: of a schedule base^(-2d/dim) before any scaling, else None; `exponents` has 2d/dim of each pair then,
    None for an unrotated pair.  scaling: how the angles were changed, in words, or None.  attention_factor: what cos
    and sin are multiplied by in some scalings.

    >>> [str(angle) for angle in Schedule.conventional("1e4", 4).angles]
    ['1', '0.01']
    """

    angles: tuple[Angle, ...]
    base: mpq | None = None
    dim: int | None = None
    exponents: tuple[mpq | None, ...] | None = None
    scaling: str | None = None
    attention_factor: Real = mpq(1)

    @staticmethod
    def of(angles: Iterable[object]) -> Schedule:
        """The schedule of these angles (anything that `Angle.parse` takes); at least one."""
        parsed = tuple(Angle.parse(angle, "theta") for angle in angles)
        if not parsed:
            raise InputError("theta", "nothing", "at least one angle")
        return Schedule(parsed)

    @staticmethod
    def conventional(base: object, dim: int) -> Schedule:
        """base^(-2d/dim), d = 0 .. dim/2-1, exact.  Raises `InputError` unless base > 0 and dim is even."""
        if isinstance(dim, bool) or not isinstance(dim, int) or dim < 2 or dim % 2:
            raise InputError("dim", dim, "an even number of at least 2")
        angles = tuple(conventional_angle(base, d + 1, dim) for d in range(dim // 2))
        return Schedule(angles, parse_number(base, "base"), dim, tuple(mpq(2 * d, dim) for d in range(dim // 2)))
