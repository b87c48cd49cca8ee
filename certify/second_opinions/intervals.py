"""Real functions in the interval arithmetic of mpmath: what second opinions use where Arb is not what is asked for."""

from __future__ import annotations

from typing import Any

from gmpy2 import mpq

from certify.second_opinions.forms import Angle
from certify.second_opinions.real import Enclosure

__all__ = ["Intervals"]


class Intervals:
    """`Reals` by mpmath, in an interval context of its own."""

    def __init__(self) -> None:
        from mpmath.ctx_iv import MPIntervalContext

        self.context: Any = MPIntervalContext()

    def angle(self, angle: Angle, bits: int) -> Enclosure:
        """The angle, to about `bits` bits."""
        self.context.prec = bits + 16
        return _ends(self._angle(angle))

    def turn(self, angle: Angle, times: int, bits: int) -> tuple[Enclosure, Enclosure]:
        """(cos, sin) of the angle times an integer."""
        size = times.bit_length() + int(abs(angle.coefficient)).bit_length()
        if angle.unit == "power":
            size += int(abs(angle.power) + 1) * int(max(angle.base, 1 / angle.base) // 1).bit_length()
        self.context.prec = bits + size + 16
        if angle.turns is not None:  # a whole number of turns is taken off exactly
            half_turns = 2 * angle.turns * times
            x = self.exact(half_turns - 2 * (half_turns / 2 // 1)) * self.context.pi
        else:
            x = self._angle(angle) * times
        return _ends(self.context.cos(x)), _ends(self.context.sin(x))

    def exp(self, x: mpq, bits: int) -> Enclosure:
        """e^x."""
        self.context.prec = bits + int(abs(x)).bit_length() + 16
        return _ends(self.context.exp(self.exact(x)))

    def exact(self, x: mpq) -> Any:
        """A rational as an interval of the precision in force."""
        return self.context.mpf(int(x.numerator)) / self.context.mpf(int(x.denominator))

    def _angle(self, angle: Angle) -> Any:
        factor = self.exact(angle.coefficient)
        if angle.unit == "pi":
            return factor * self.context.pi
        if angle.unit == "power":
            return factor * self.context.exp(self.exact(angle.power) * self.context.log(self.exact(angle.base)))
        return factor


def _ends(interval: Any) -> Enclosure:
    from mpmath.libmp import to_rational

    lo, hi = interval._mpi_
    return mpq(*map(int, to_rational(lo))), mpq(*map(int, to_rational(hi)))
