"""Exact angles as texts."""

from __future__ import annotations

import re

from gmpy2 import mpq

from fpsim.angle import Angle, power_angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import NUMBER_PATTERN, parse_number
from fpsim.schedule import MAX_DIM
from fpsim.transformer.files.forms import Form

__all__ = ["angle_text", "read_angle"]

_POWER = re.compile(rf"([+-]?)(?:({NUMBER_PATTERN})\*)?\(?({NUMBER_PATTERN})\)?\^\((-?[0-9]+)/([0-9]+)\)", re.ASCII)
_MAX_POWER_BITS = 1 << 20  # of base^numerator: roots of greater numbers take too long


def angle_text(angle: Angle) -> str:
    """The angle as a text that `read_angle` reads back.

    Raises `UnsupportedError` for a real that a scaling of a schedule made, which is a program and no number.

    >>> angle_text(Angle.parse("2pi*3/7")), angle_text(power_angle(mpq(10000), mpq(-1, 64)))
    ('6/7*pi', '10000^(-1/64)')
    """
    text = str(angle)
    try:
        if angle.real is None and read_angle(text, "angle") == angle:
            return text
    except InputError:  # too long
        pass
    raise UnsupportedError(
        f"the angle {angle.brief(60)} has no text that says what it is: only rationals, their multiples of pi and "
        "roots of rationals have one"
    )


def read_angle(form: Form, where: str) -> Angle:
    """The angle of a text.  Raises `InputError`."""
    match = _POWER.fullmatch(form) if isinstance(form, str) else None
    if match is None:
        if not isinstance(form, str):
            raise InputError(where, form, "a text such as 0.1, 6/7*pi or 10000^(-1/64)")
        return Angle.parse(form, where)
    sign, factor, base_text, top, bottom = match.groups()
    base, coefficient = parse_number(base_text, where), parse_number(factor or "1", where)
    bits = base.numerator.bit_length() + base.denominator.bit_length()
    right = "a power such as 10000^(-1/64) of a number above 0, in lowest terms, that is no rational"
    if base <= 0 or not coefficient or max(len(top), len(bottom)) > 7 or abs(int(top)) * bits > _MAX_POWER_BITS:
        raise InputError(where, form, right)
    if int(bottom) == 0 or int(bottom) > MAX_DIM:
        raise InputError(where, form, right)
    angle = power_angle(base, mpq(int(top), int(bottom)))
    if angle.unit != "power" or angle.power.denominator != int(bottom):
        raise InputError(where, form, right)
    return angle.times(-coefficient if sign == "-" else coefficient)
