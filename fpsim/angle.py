"""Angles as exact reals: a rational, a rational multiple of pi, or a rational times a root of a rational.

The last are the conventional schedule's beta^(-2(d-1)/D), kept symbolic (Su et al., arXiv:2104.09864).  Which kind an
angle is decides what can be proved of its rotation: a rational multiple of pi returns exactly (Prop. 2.2 of
arXiv:2608.11909), and a non-zero algebraic angle is an irrational multiple of 2 pi (Lindemann 1882), so that it never
does.
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import Literal

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.errors import InputError
from fpsim.number import MAX_LENGTH, NUMBER_PATTERN, exact_text, parse_number

__all__ = ["Angle", "conventional_angle"]

_ANGLE = re.compile(rf"([+-]?)(?:({NUMBER_PATTERN})\*?(pi)|(pi)|({NUMBER_PATTERN}))((?:[*/][0-9]+)*)", re.ASCII)
_RIGHT = "an angle such as 1.0, 0.1, 2/3, pi/2 or 2pi*3/7"


@dataclass(frozen=True)
class Angle:
    """The exact real `coefficient` * u, where u is 1 ("one"), pi ("pi") or base^power ("power"), in radians.

    >>> Angle.parse("2pi*3/7").turns
    mpq(3,7)
    >>> Angle.parse("0.1").turns is None
    True
    """

    coefficient: mpq
    unit: Literal["one", "pi", "power"] = "one"
    base: mpq = mpq(0)
    power: mpq = mpq(0)

    @staticmethod
    def parse(value: object, what: str = "angle") -> Angle:
        """The angle that `value` means: itself, a text in the grammar of README, or an exact number.

        A float is its exact binary64 value.  Raises `InputError`.
        """
        if isinstance(value, Angle):
            return value
        if not isinstance(value, str):
            return Angle(parse_number(value, what))
        text = "".join(value.split())
        match = _ANGLE.fullmatch(text) if len(text) <= MAX_LENGTH else None
        if match is None:
            raise InputError(what, value, _RIGHT)
        sign, times_pi, pi, lone_pi, number, tail = match.groups()
        coefficient = parse_number(times_pi or number or "1", what)
        for operation, digits in re.findall(r"([*/])([0-9]+)", tail):
            if operation == "/" and int(digits) == 0:
                raise InputError(what, value, "without a division by 0")
            coefficient = coefficient * int(digits) if operation == "*" else coefficient / int(digits)
        coefficient = -coefficient if sign == "-" else coefficient
        return Angle(coefficient, "pi") if (pi or lone_pi) and coefficient else Angle(coefficient)

    def __bool__(self) -> bool:
        return bool(self.coefficient)

    def __str__(self) -> str:
        number = exact_text(self.coefficient)
        if self.unit == "one":
            return number
        if self.unit == "pi":
            return {"1": "pi", "-1": "-pi"}.get(number, f"{number}*pi")
        unit = f"{exact_text(self.base)}^({self.power.numerator}/{self.power.denominator})"
        return unit if number == "1" else f"{number}*{unit}"

    def times(self, factor: mpq | int) -> Angle:
        """The angle times a rational."""
        product = self.coefficient * factor
        return Angle(product, self.unit, self.base, self.power) if product else Angle(mpq(0))

    @property
    def turns(self) -> mpq | None:
        """The angle over 2 pi when that is rational, else None: then the rotation by it never returns exactly."""
        if not self.coefficient:
            return mpq(0)
        return self.coefficient / 2 if self.unit == "pi" else None

    @property
    def irrational_because(self) -> str | None:
        """Why the angle over 2 pi is irrational; None where it is rational, or where no proof is known.

        >>> Angle.parse("0.1").irrational_because
        '0.1 is algebraic and not 0, so its quotient by pi is transcendental (Lindemann 1882)'
        """
        if self.turns is not None:
            return None
        return f"{self} is algebraic and not 0, so its quotient by pi is transcendental (Lindemann 1882)"

    @property
    def rational(self) -> mpq | None:
        """The angle itself when it is rational, else None."""
        return self.coefficient if self.unit == "one" else None

    def enclose(self, bits: int) -> tuple[mpq, mpq]:
        """Rationals lo <= angle <= hi, equal when the angle is rational, else at most about 2^-bits apart
        relatively.
        """
        if self.unit == "one":
            return self.coefficient, self.coefficient
        ends = []
        for towards in (gmpy2.RoundDown, gmpy2.RoundUp):
            with gmpy2.context(precision=bits + 8, round=towards):
                ends.append(mpq(gmpy2.const_pi()) if self.unit == "pi" else self._power(bits + 8, towards))
        lo, hi = ends[0] * self.coefficient, ends[1] * self.coefficient
        return (lo, hi) if self.coefficient > 0 else (hi, lo)

    def _power(self, bits: int, towards: int) -> mpq:
        """base^power rounded in one direction: the root of an integer power, by MPFR's correctly rounded rootn."""
        inverse = self.power < 0
        inner = towards
        if inverse:  # 1/x falls as x rises
            inner = gmpy2.RoundUp if towards == gmpy2.RoundDown else gmpy2.RoundDown
        with gmpy2.context(precision=bits, round=inner):
            root = gmpy2.rootn(mpfr(self.base ** abs(int(self.power.numerator))), int(self.power.denominator))
        with gmpy2.context(precision=bits, round=towards):
            return mpq(1 / root if inverse else root)

    def enclose_turns(self, bits: int) -> tuple[mpq, mpq]:
        """Rationals lo <= angle / 2 pi <= hi, equal when that is rational, else at most about 2^-bits apart
        relatively.
        """
        if self.turns is not None:
            return self.turns, self.turns
        lo, hi = self.enclose(bits + 4)
        with gmpy2.context(precision=bits + 8, round=gmpy2.RoundDown):
            pi_lo = mpq(gmpy2.const_pi())
        with gmpy2.context(precision=bits + 8, round=gmpy2.RoundUp):
            pi_hi = mpq(gmpy2.const_pi())
        if lo < 0:
            return lo / (2 * pi_lo), hi / (2 * pi_hi)
        return lo / (2 * pi_hi), hi / (2 * pi_lo)


def conventional_angle(base: object, d: int, dim: int) -> Angle:
    """theta_d = base^(-2(d-1)/dim), d = 1..dim/2: the conventional schedule (§2.3 of arXiv:2608.11909), kept exact.

    base > 0 is an exact number; rational results, such as 10000^(-1/2) = 1/100, are recognized.

    >>> str(conventional_angle(10000, 33, 128)), str(conventional_angle("1e4", 2, 128))
    ('0.01', '10000^(-1/64)')
    """
    exact = parse_number(base, "base")
    if exact <= 0:
        raise InputError("base", base, "a number greater than 0")
    if dim < 2 or dim % 2:
        raise InputError("dim", dim, "an even number of at least 2")
    if not 1 <= d <= dim // 2:
        raise InputError("component", d, f"between 1 and dim/2 = {dim // 2}")
    power = mpq(-2 * (d - 1), dim)
    if power == 0:
        return Angle(mpq(1))
    root = int(power.denominator)
    top, top_exact = gmpy2.iroot(exact.numerator, root)
    bottom, bottom_exact = gmpy2.iroot(exact.denominator, root)
    if top_exact and bottom_exact:
        return Angle(mpq(top, bottom) ** int(power.numerator))
    return Angle(mpq(1), "power", exact, power)
