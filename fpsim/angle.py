"""Angles as exact reals: a rational times 1, pi, a root of a rational, or a real that a scaling of a schedule makes.

The roots are the conventional schedule's beta^(-2(d-1)/D), kept symbolic (Su et al., arXiv:2104.09864).  Which kind an
angle is decides what can be proved of its rotation: a rational multiple of pi returns exactly (Prop. 2.2 of
arXiv:2608.11909), and a non-zero algebraic angle is an irrational multiple of 2 pi (Lindemann 1882), so that it never
does.  Any other real brings its own proof, or none.
"""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Literal

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.enclosure import MAX_BITS, Enclosure, pi_bounds, product
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import decimal_text, exact_text, parse_number

__all__ = ["Angle", "NamedReal", "conventional_angle", "power_angle", "product_of_powers"]


@dataclass(frozen=True)
class NamedReal:
    """A real x other than 0 that a text names; two are equal when their texts are.

    bounds: bounds(bits) gives rationals lo <= x <= hi, about 2^-bits apart relatively.  algebraic: whether x is known
    to be an algebraic number.  irrational_because: why x / pi is irrational, when x is not algebraic; None: no proof is
    known.

    Of an x that is not algebraic it is not known that neither x nor cos x is rational, so that telling it from a
    rational might never end: bounds of more than 2^18 bits are refused.  (Of an algebraic x, cos x is transcendental.)
    """

    text: str
    bounds: Callable[[int], Enclosure] = field(compare=False, repr=False)
    algebraic: bool = field(default=False, compare=False)
    irrational_because: str | None = field(default=None, compare=False)

    def enclose(self, bits: int) -> Enclosure:
        """`bounds`, guarded.  Raises `UnsupportedError`."""
        if bits > MAX_BITS and not self.algebraic:
            raise UnsupportedError(
                f"{MAX_BITS} bits of {self.text} do not tell a number made of it from a rational, and that it is not "
                "one is not proved"
            )
        return self.bounds(bits)


@dataclass(frozen=True)
class Angle:
    """The exact real `coefficient` * u in radians, where u is 1 ("one"), pi ("pi"), base^power ("power") or the
    `NamedReal` real ("real").

    >>> Angle.parse("2pi*3/7").turns
    mpq(3,7)
    >>> Angle.parse("0.1").turns is None
    True
    """

    coefficient: mpq
    unit: Literal["one", "pi", "power", "real"] = "one"
    base: mpq = mpq(0)
    power: mpq = mpq(0)
    real: NamedReal | None = None

    @staticmethod
    def parse(value: object, what: str = "angle") -> Angle:
        """The angle that `value` means: itself, a text as `fpsim.angle_text` reads it, or an exact number.

        A float is its exact binary64 value.  Raises `InputError`.
        """
        if isinstance(value, Angle):
            return value
        if not isinstance(value, str):
            return Angle(parse_number(value, what))
        from fpsim.angle_text import parse_angle

        return parse_angle(value, what)

    def __bool__(self) -> bool:
        return bool(self.coefficient)

    def __str__(self) -> str:
        number = exact_text(self.coefficient)
        if self.unit == "one":
            return number
        if self.unit == "pi":
            return {"1": "pi", "-1": "-pi"}.get(number, f"{number}*pi")
        unit = _power_text(self.base, self.power) if self.real is None else self.real.text
        return unit if number == "1" else f"{number}*{unit}"

    def brief(self, most: int) -> str:
        """The text for people: one that is longer than `most` characters is rounded, if it is a number, or else cut.

        >>> Angle.parse("1e300").brief(24), Angle.parse("2pi/12345678901234567890").brief(24)
        ('1e+300', '1/617283945061728394...')
        """
        text = str(self)
        if len(text) <= most:
            return text
        return decimal_text(self.coefficient, 9) if self.unit == "one" else f"{text[: most - 3]}..."

    def times(self, factor: mpq | int) -> Angle:
        """The angle times a rational."""
        multiple = self.coefficient * factor
        return Angle(multiple, self.unit, self.base, self.power, self.real) if multiple else Angle(mpq(0))

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
        if self.real is not None and not self.real.algebraic:
            return self.real.irrational_because
        return f"{self.brief(60)} is algebraic and not 0, so its quotient by pi is transcendental (Lindemann 1882)"

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
        lo, hi = self._enclose_unit(bits)
        lo, hi = lo * self.coefficient, hi * self.coefficient
        return (lo, hi) if self.coefficient > 0 else (hi, lo)

    def _enclose_unit(self, bits: int) -> Enclosure:
        if self.real is not None:
            return self.real.enclose(bits)
        if self.unit == "pi":
            return pi_bounds(bits + 8)
        return self._power(bits + 8, gmpy2.RoundDown), self._power(bits + 8, gmpy2.RoundUp)

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
        pi_lo, pi_hi = pi_bounds(bits + 8)
        if lo < 0:
            return lo / (2 * pi_lo), hi / (2 * pi_hi)
        return lo / (2 * pi_hi), hi / (2 * pi_lo)


def power_angle(base: mpq, power: mpq) -> Angle:
    """base^power for a rational base > 0; rational results, such as 10000^(-1/2) = 1/100, are recognized.

    (A power p/q in lowest terms of a rational is rational only when the rational is a q-th power: both of its terms
    are.)
    """
    root = int(power.denominator)
    top, top_exact = gmpy2.iroot(base.numerator, root)
    bottom, bottom_exact = gmpy2.iroot(base.denominator, root)
    if top_exact and bottom_exact:
        return Angle(mpq(top, bottom) ** int(power.numerator))
    return Angle(mpq(1), "power", base, power)


def product_of_powers(base: mpq, power: mpq, other: mpq, exponent: mpq) -> Angle:
    """base^power * other^exponent, for rationals base, other > 0: an algebraic number.

    >>> str(product_of_powers(mpq(100), mpq(-1, 4), mpq(7, 2), mpq(-1, 3)))
    '100^(-1/4)*3.5^(-1/3)'
    >>> str(product_of_powers(mpq(100), mpq(-1, 4), mpq(10), mpq(-1, 2)))
    '0.1'
    """
    first, second = power_angle(base, power), power_angle(other, exponent)
    if second.rational is not None:
        return first.times(second.coefficient)
    if first.rational is not None:
        return second.times(first.coefficient)
    # Together they are U^(g/root) with U = base^(a/g) * other^(b/g), for the whole numbers a, b and g = gcd(a, b).
    root = math.lcm(int(power.denominator), int(exponent.denominator))
    a, b = int(power * root), int(exponent * root)
    g = math.gcd(a, b)
    whole = power_angle(base ** (a // g) * other ** (b // g), mpq(g, root))
    if whole.rational is not None:
        return whole
    text = f"{_power_text(base, power)}*{_power_text(other, exponent)}"

    def bounds(bits: int) -> Enclosure:
        return product(first.enclose(bits + 1), second.enclose(bits + 1))

    return Angle(mpq(1), "real", real=NamedReal(text, bounds, algebraic=True))


def _power_text(base: mpq, power: mpq) -> str:
    text = exact_text(base)
    return f"{f'({text})' if '/' in text else text}^({power.numerator}/{power.denominator})"


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
    return power_angle(exact, mpq(-2 * (d - 1), dim))
