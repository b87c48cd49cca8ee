"""Exact angles as texts."""

from __future__ import annotations

from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.transformer.files.forms import Form

__all__ = ["angle_text", "read_angle"]


def angle_text(angle: Angle) -> str:
    """The angle as a text that `read_angle` reads back.

    Raises `UnsupportedError` for a real that a scaling of a schedule made, which is a program and no number.

    >>> angle_text(Angle.parse("2pi*3/7")), angle_text(Angle.parse("10000^(-2/128)"))
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
    if not isinstance(form, str):
        raise InputError(where, form, "a text such as 0.1, 6/7*pi or 10000^(-1/64)")
    return Angle.parse(form, where)
