"""Real functions in the ball arithmetic of Arb, by python-flint (`pip install 'fpcert[flint]'`)."""

from __future__ import annotations

from typing import Any

from gmpy2 import mpq

from certify.second_opinions.forms import Angle
from certify.second_opinions.opinion import missing
from certify.second_opinions.real import Enclosure

__all__ = ["Balls"]


class Balls:
    """`Reals` by Arb.  Raises `UnsupportedError` where python-flint is not installed."""

    def __init__(self) -> None:
        try:
            import flint
        except ImportError as error:
            raise missing("python-flint", "flint") from error
        self.flint: Any = flint

    def angle(self, angle: Angle, bits: int) -> Enclosure:
        """The angle, to about `bits` bits."""
        with self.flint.ctx.workprec(bits + 16):
            return _ends(self._angle(angle))

    def turn(self, angle: Angle, times: int, bits: int) -> tuple[Enclosure, Enclosure]:
        """(cos, sin) of the angle times an integer."""
        size = max(0, times.bit_length() + int(abs(angle.coefficient)).bit_length())
        if angle.unit == "power":
            size += int(abs(angle.power) + 1) * int(max(angle.base, 1 / angle.base) // 1).bit_length()
        with self.flint.ctx.workprec(bits + size + 16):
            if angle.turns is not None:  # a whole number of turns is taken off exactly
                half_turns = 2 * angle.turns * times
                x = self.exact(half_turns - 2 * (half_turns / 2 // 1)) * self.flint.arb.pi()
            else:
                x = self._angle(angle) * times
            sine, cosine = x.sin_cos()
            return _ends(cosine), _ends(sine)

    def exp(self, x: mpq, bits: int) -> Enclosure:
        """e^x."""
        with self.flint.ctx.workprec(bits + int(abs(x)).bit_length() + 16):
            return _ends(self.exact(x).exp())

    def exact(self, x: mpq) -> Any:
        """A rational as a ball of the precision in force."""
        return self.flint.arb(self.flint.fmpq(int(x.numerator), int(x.denominator)))

    def _angle(self, angle: Angle) -> Any:
        factor = self.exact(angle.coefficient)
        if angle.unit == "pi":
            return factor * self.flint.arb.pi()
        if angle.unit == "power":
            return factor * (self.exact(angle.power) * self.exact(angle.base).log()).exp()
        return factor


def _ends(ball: Any) -> Enclosure:
    """The ends of a ball, exactly."""
    if not ball.is_finite():
        raise ArithmeticError(f"Arb returned the ball {ball}")
    middle, radius = _exact(ball.mid()), _exact(ball.rad())
    return middle - radius, middle + radius


def _exact(point: Any) -> mpq:
    mantissa, exponent = point.man_exp()
    return mpq(int(mantissa)) * (mpq(2) ** int(exponent))
