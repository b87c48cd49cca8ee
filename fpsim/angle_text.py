"""Angles from text: `1.0`, `2/3`, `pi/2`, `2pi*3/7`, `10000^(-2/64)`, `1/8*(3/2)^(1/3)`.

A text is a number, pi, a number times pi, or a power of a number, perhaps with a number and `*` before it; factors
`*n` and divisors `/n`, whole numbers, may follow, but no `/n` behind an exponent without parentheses: `10000^-2/64`
would not be 10000^(-2/64).  What `Angle` prints is read back as the same angle.
"""

from __future__ import annotations

import re

from gmpy2 import mpq, mpz

from fpsim.angle import Angle, power_angle
from fpsim.errors import InputError
from fpsim.number import MAX_LENGTH, NUMBER_PATTERN, parse_number

__all__ = ["parse_angle"]

_TAIL = r"((?:[*/][0-9]+)*)"
_ANGLE = re.compile(rf"(?:({NUMBER_PATTERN})\*?(pi)|(pi)|({NUMBER_PATTERN})){_TAIL}", re.ASCII)
_POWER = re.compile(
    rf"(?:({NUMBER_PATTERN})\*)?(?:\(({NUMBER_PATTERN})\)|({NUMBER_PATTERN}))\^(?:\(([+-]?{NUMBER_PATTERN})\)|(-?[0-9]+)){_TAIL}",
    re.ASCII,
)
_SPACE = re.compile(r" ?([*/^()]|pi) ?|(?<=^[+-]) ")  # around an operator, not within a number
_RIGHT = "an angle such as 1.0, 0.1, 2/3, pi/2, 2pi*3/7 or 10000^(-2/64)"
_MAX_ROOT = 1 << 13
_MAX_POWER_BITS = 1 << 20  # of base^numerator: roots of greater numbers take too long


def parse_angle(text: str, what: str = "angle") -> Angle:
    """The angle that a text means.  Raises `InputError`.

    >>> str(parse_angle("2pi*3/7")), str(parse_angle("2 * 10000^(-2/64) / 3")), str(parse_angle("(4/9)^(1/2)"))
    ('6/7*pi', '2/3*10000^(-1/32)', '2/3')
    """
    stripped = _SPACE.sub(r"\1", " ".join(text.split()))
    sign, unsigned = (stripped[:1], stripped[1:]) if stripped.startswith(("+", "-")) else ("", stripped)
    match = power = None
    if len(stripped) <= MAX_LENGTH:
        match, power = _ANGLE.fullmatch(unsigned), _POWER.fullmatch(unsigned)
    if match is not None:
        times_pi, pi, lone_pi, number, tail = match.groups()
        factor = parse_number(times_pi or number or "1", what)
        unit = Angle(mpq(1), "pi") if pi or lone_pi else Angle(mpq(1))
    elif power is not None:
        before, inside, bare, exponent, whole, tail = power.groups()
        if bare and "/" in bare:
            raise InputError(what, text, f"unambiguous: ({bare})^..., with the fraction in parentheses")
        if whole and tail.startswith("/"):
            divisor = re.split("[*/]", tail)[1]
            right = f"with the exponent in parentheses, ^({whole}/{divisor}), or the factor before it, 1/{divisor}*"
            raise InputError(what, text, f"unambiguous: {right}...^{whole}")
        factor = parse_number(before or "1", what)
        unit = _power(parse_number(inside or bare, what), parse_number(exponent or whole, what), what, text)
    else:
        raise InputError(what, text, _RIGHT)
    for operation, digits in re.findall(r"([*/])([0-9]+)", tail):
        number = mpz(digits)
        if operation == "/" and number == 0:
            raise InputError(what, text, "without a division by 0")
        factor = factor * number if operation == "*" else factor / number
    return unit.times(-factor if sign == "-" else factor)


def _power(base: mpq, exponent: mpq, what: str, text: str) -> Angle:
    if base <= 0:
        raise InputError(what, text, "a power of a number greater than 0")
    bits = base.numerator.bit_length() + base.denominator.bit_length()
    if exponent.denominator > _MAX_ROOT or abs(exponent.numerator) * bits > _MAX_POWER_BITS:
        raise InputError(what, text, f"a power p/q with q up to {_MAX_ROOT}, of which base^p has at most 2^20 bits")
    return power_angle(base, exponent)
