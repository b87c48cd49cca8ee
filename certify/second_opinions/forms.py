"""The forms of numbers, angles, value sets and orders in a certificate, read (docs/certificates.md)."""

from __future__ import annotations

import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal

from gmpy2 import mpq

from certify.second_opinions.values import Values, power_of_two
from fpsim.errors import InputError, UnsupportedError

__all__ = [
    "Angle",
    "Order",
    "angle_of",
    "field_of",
    "natural_of",
    "number_of",
    "object_of",
    "one_of",
    "order_of",
    "values_of",
]

_DIGITS = 4000  # what Python converts without a change of its limits
_EXPONENT = 40_000
_ROUNDINGS = ("even", "away", "zero", "up", "down", "odd")
_RATIONAL = r"-?[0-9]+(?:/[0-9]+)?"
_POSITIVE = r"[0-9]+(?:/[0-9]+)?"
_ANGLE = re.compile(rf"(?:({_POSITIVE})\*)?(?:pi|({_POSITIVE})\^\(({_RATIONAL})\))|({_POSITIVE})")


@dataclass(frozen=True)
class Angle:
    """coefficient * u in radians: u is 1 ("one"), pi ("pi") or base^power ("power", irrational)."""

    coefficient: mpq
    unit: Literal["one", "pi", "power"] = "one"
    base: mpq = mpq(1)
    power: mpq = mpq(1)

    @property
    def turns(self) -> mpq | None:
        """The angle over 2 pi where that is rational, else None.  A non-zero algebraic angle is an irrational multiple
        of pi (Lindemann 1882).
        """
        if self.unit == "pi" or not self.coefficient:
            return self.coefficient / 2
        return None


@dataclass(frozen=True)
class Order:
    """The order of the sums of a softmax: its kind, the block of "blocked", the value set of "wide"."""

    kind: str
    block: int = 0
    accumulator: Values | None = None


def object_of(value: object, what: str) -> dict[str, Any]:
    """An object.  Raises `InputError`, as all of these do."""
    if not isinstance(value, dict):
        raise InputError(what, value, "an object")
    return value


def field_of(fields: dict[str, Any], name: str) -> Any:
    """A field that has to be there."""
    if name not in fields:
        raise InputError(name, "nothing", "a field of the claim")
    return fields[name]


def one_of(value: Any, what: str, known: tuple[Any, ...]) -> Any:
    """One of the words, or booleans, that are known."""
    if not any(value is each or (isinstance(value, str) and value == each) for each in known):
        raise InputError(what, value, "one of " + ", ".join(map(str, known)))
    return value


def natural_of(value: object, what: str) -> int:
    """An integer of at least 0."""
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(what, value, "an integer of at least 0")
    return value


def number_of(value: object, what: str) -> mpq:
    """An exact number: an integer, a dyadic m p e with hexadecimal m, or p/q."""
    if isinstance(value, int) and not isinstance(value, bool):
        return mpq(value)
    if not isinstance(value, str):
        raise InputError(what, value, "an integer, or a text such as 22bp-5 or 1/3")
    if len(value) > _DIGITS:
        raise UnsupportedError(f"{what} has {len(value)} characters; second opinions take up to {_DIGITS}")
    if match := re.fullmatch(r"(-?[0-9a-f]+)p(-?[0-9]{1,8})", value):
        if abs(int(match[2])) > _EXPONENT:
            raise UnsupportedError(f"{what} has the exponent {match[2]}; second opinions take up to {_EXPONENT}")
        return int(match[1], 16) * power_of_two(int(match[2]))
    if match := re.fullmatch(_RATIONAL, value):
        return _rational(value, what)
    raise InputError(what, value, "an integer, or a text such as 22bp-5 or 1/3")


def _rational(text: str, what: str) -> mpq:
    numerator, _, denominator = text.partition("/")
    if denominator and not int(denominator):
        raise InputError(what, text, "without a denominator of 0")
    return mpq(int(numerator), int(denominator or "1"))


def angle_of(value: object) -> Angle:
    """An angle: r, r*pi or r*b^(s)."""
    if isinstance(value, str) and len(value) > _DIGITS:
        raise UnsupportedError(f"the angle has {len(value)} characters; second opinions take up to {_DIGITS}")
    match = _ANGLE.fullmatch(value.removeprefix("-") if isinstance(value, str) else "")
    if not isinstance(value, str) or match is None:
        raise InputError("angle", value, "a text such as 1/10, 2/7*pi or 10000^(-1/64)")
    factor, base, power, rational = match.groups()
    if rational is not None:
        angle = Angle(_rational(rational, "angle"))
    elif base is None:
        angle = Angle(_rational(factor or "1", "angle"), "pi")
    else:
        angle = Angle(_rational(factor or "1", "angle"), "power", _rational(base, "angle"), _rational(power, "angle"))
        if angle.base <= 0:
            raise InputError("angle", value, "a root of a number above 0")
    if value.startswith("-"):
        angle = replace(angle, coefficient=-angle.coefficient)
    if not angle.coefficient:
        raise UnsupportedError("the angle is 0: such a pair is not rotated")
    return angle


def values_of(value: object) -> Values:
    """A value set."""
    fields = object_of(value, "value set")
    kind = one_of(field_of(fields, "kind"), "kind", ("float", "fixed", "grid"))
    rounding = one_of(field_of(fields, "rounding"), "rounding", _ROUNDINGS)
    overflow = one_of(field_of(fields, "overflow"), "overflow", ("inf", "saturate", "nan"))
    if kind == "grid":
        listed = field_of(fields, "values")
        if not isinstance(listed, list):
            raise InputError("values", listed, "a list of numbers")
        grid = tuple(number_of(each, "values") for each in listed)
        if 0 not in grid or any(a >= b for a, b in pairwise(grid)):
            raise InputError("values", f"a list of {len(grid)} numbers", "rising, with 0 among them")
        return Values(kind, rounding, overflow, grid=grid)
    largest = number_of(field_of(fields, "largest"), "largest")
    if kind == "fixed":
        made = Values(kind, rounding, overflow, step=number_of(field_of(fields, "step"), "step"), largest=largest)
        if made.step <= 0:
            raise InputError("step", made.step, "greater than 0")
    else:
        precision, emin = field_of(fields, "precision"), field_of(fields, "emin")
        if not isinstance(emin, int) or abs(emin) > _EXPONENT:
            raise UnsupportedError(f"emin is {emin!r}; second opinions take up to {_EXPONENT} in magnitude")
        if not 1 <= natural_of(precision, "precision") <= 240:
            raise InputError("precision", precision, "from 1 to 240")
        ftz = one_of(field_of(fields, "ftz"), "ftz", (True, False))
        step = power_of_two(emin - precision + 1)
        made = Values(
            kind, rounding, overflow, precision=precision, emin=emin, step=step, largest=largest, ftz=ftz
        )  # fmt: skip
    if largest < 0 or (largest and not made.contains(largest)):
        raise InputError("largest", largest, "one of the values")
    return made


def order_of(value: object) -> Order:
    """An order of summation."""
    if isinstance(value, str):
        return Order(one_of(value, "order", ("sequential", "reverse", "pairwise")))
    fields = object_of(value, "order")
    if "wide" in fields:
        return Order("wide", accumulator=values_of(fields["wide"]))
    block = natural_of(field_of(fields, "blocked"), "blocked")
    if block < 1:
        raise InputError("blocked", block, "at least 1")
    return Order("blocked", block)
