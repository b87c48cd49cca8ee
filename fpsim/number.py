"""Exact rational numbers from text: decimals, fractions and hexadecimal floats.

Nothing here passes through binary64: "0.1" is one tenth.  A Python or NumPy float is taken as the binary64 value it
is.  The lengths are capped before any conversion, so that a short hostile text ("1e999999999") cannot ask for
gigabytes.
"""

from __future__ import annotations

import math
import re
from decimal import Decimal
from fractions import Fraction
from numbers import Integral, Rational, Real

import gmpy2
from gmpy2 import mpq, mpz

from fpsim.errors import InputError

__all__ = [
    "MAX_EXPONENT",
    "MAX_LENGTH",
    "NUMBER_PATTERN",
    "decimal_text",
    "exact_text",
    "json_number",
    "parse_count",
    "parse_number",
    "readable",
]

MAX_LENGTH = 20_000
MAX_EXPONENT = 100_000  # of ten
MAX_BINARY_EXPONENT = 1_100_000  # of two, in hexadecimal floats: enough for every eXmY
_DIGITS = 60  # up to which a decimal is short
_ZEROS = 12  # behind the point, or at the end of a number of more than 60 digits: then it is written with an exponent
_DECIMAL_BITS = 16_600  # terms up to this size (5000 digits) are written in decimal, longer ones as a hexadecimal float

_DECIMAL = r"(?:[0-9]+(?:\.[0-9]*)?|\.[0-9]+)(?:[eE][+-]?[0-9]+)?"
_HEX = r"0[xX](?:[0-9a-fA-F]+(?:\.[0-9a-fA-F]*)?|\.[0-9a-fA-F]+)(?:[pP][+-]?[0-9]+)?"
_RATIO = r"[0-9]+/[0-9]+"
NUMBER_PATTERN = rf"(?:{_HEX}|{_RATIO}|{_DECIMAL})"
_NUMBER = re.compile(rf"([+-]?)(?:({_HEX})|({_RATIO})|({_DECIMAL}))", re.ASCII)
_RIGHT = "a finite number such as 40, 0.1, 1e18, 2/3 or 0x1.8p-3"


def parse_number(value: object, what: str = "number") -> mpq:
    """The exact rational that `value` means.

    `value` is a text (decimal, p/q or hexadecimal float), an int, a Fraction, a Decimal, an mpq, or a float, which
    means exactly the binary64 number that it is.  Raises `InputError`, which names the argument `what`, for anything
    else, for NaN
    and infinities, and for exponents beyond `MAX_EXPONENT`.

    >>> parse_number("0.1"), parse_number("0x1.8p-3"), parse_number("1e3")
    (mpq(1,10), mpq(3,16), mpq(1000,1))
    >>> parse_number(0.1) == parse_number("0.1")
    False
    """
    if isinstance(value, bool):
        raise InputError(what, value, _RIGHT)
    if isinstance(value, str | Decimal):
        return _parse_text(str(value), what)
    if isinstance(value, Integral):
        return mpq(int(value))
    if isinstance(value, Rational):
        return mpq(int(value.numerator), int(value.denominator))
    if type(value) is type(mpq(0)):
        return value
    if isinstance(value, Real):
        number = float(value)
        if math.isfinite(number):
            return mpq(Fraction(number))
    raise InputError(what, value, _RIGHT)


def parse_count(value: object, what: str, *, least: int = 1, most: int | None = None) -> int:
    """The whole number `value`, an int or one of NumPy's, between `least` and `most`.

    Raises `InputError`, which names the argument `what`, for anything else: a text, a bool, 3.0.
    """
    if not isinstance(value, bool) and isinstance(value, Integral):
        count = int(value)
        if count >= least and (most is None or count <= most):
            return count
    shown = f"the text {value!r}" if isinstance(value, str) else value
    raise InputError(what, shown, f"an integer of at least {least}" + ("" if most is None else f" and at most {most}"))


def _parse_text(text: str, what: str) -> mpq:
    stripped = text.strip()
    if len(stripped) > MAX_LENGTH:
        raise InputError(what, text, f"a number of at most {MAX_LENGTH} characters")
    match = _NUMBER.fullmatch(stripped)
    if match is None:
        raise InputError(what, text, _RIGHT)
    sign, hexadecimal, ratio, decimal = match.groups()
    if hexadecimal:
        magnitude = _parse_hex(hexadecimal, what)
    elif ratio:
        numerator, denominator = ratio.split("/")
        if mpz(denominator) == 0:
            raise InputError(what, text, "a fraction with a denominator other than 0")
        magnitude = mpq(mpz(numerator), mpz(denominator))
    else:
        digits, _, exponent = decimal.lower().partition("e")
        whole, _, part = digits.partition(".")
        power = _capped(exponent or "0", MAX_EXPONENT, what) - len(part)
        mantissa = mpz((whole + part) or "0")
        magnitude = mpq(mantissa * mpz(10) ** power) if power >= 0 else mpq(mantissa, mpz(10) ** -power)
    return -magnitude if sign == "-" else magnitude


def _parse_hex(text: str, what: str) -> mpq:
    digits, _, exponent = text[2:].lower().partition("p")
    whole, _, part = digits.partition(".")
    power = _capped(exponent or "0", MAX_BINARY_EXPONENT, what) - 4 * len(part)
    mantissa = int((whole + part) or "0", 16)
    return mpq(mantissa << power) if power >= 0 else mpq(mantissa, 1 << -power)


def _capped(text: str, most: int, what: str) -> int:
    if len(text) > 12 or abs(int(text)) > most:
        raise InputError(what, f"exponent {text}", f"an exponent of at most {most} in magnitude")
    return int(text)


def exact_text(value: mpq) -> str:
    """`value` written exactly: a decimal when that is short, else p/q, or a hexadecimal float when that would be
    endless.

    >>> exact_text(parse_number("17.34375")), exact_text(parse_number("1/3")), exact_text(parse_number("12e-30"))
    ('17.34375', '1/3', '1.2e-29')
    """
    numerator, denominator = value.numerator, value.denominator
    sign, places = "-" if value < 0 else "", _decimal_places(value)
    if places is not None:
        power = mpz(10) ** abs(places)
        whole = abs(numerator) * power // denominator if places > 0 else abs(numerator) // power  # |value| 10^places
        digits = str(whole) if whole.bit_length() <= 8 * _DIGITS else ""
        if 0 < len(digits) <= _DIGITS and (
            places - len(digits) >= _ZEROS or (len(digits) - places > _DIGITS and -places >= _ZEROS)
        ):
            return f"{sign}{digits[0]}{'.' + digits[1:] if digits[1:] else ''}e{len(digits) - 1 - places:+d}"
        if digits and 0 < places <= _DIGITS and whole < 10**40 * power:
            digits = digits.rjust(places + 1, "0")
            return f"{sign}{digits[:-places]}.{digits[-places:]}"
    if max(numerator.bit_length(), denominator.bit_length()) > _DECIMAL_BITS and denominator & (denominator - 1) == 0:
        zeros = gmpy2.bit_scan1(numerator) or 0
        exponent = zeros - (denominator.bit_length() - 1)
        return f"{sign}0x{abs(numerator) >> zeros:x}p{exponent:+d}"
    return str(numerator) if denominator == 1 else f"{numerator}/{denominator}"


def _decimal_places(value: mpq) -> int | None:
    """The least n for which 10^n value is whole, below 0 for a multiple of 10; None where there is none."""
    scaled = value.numerator if value.denominator == 1 else value.denominator
    if not scaled:
        return 0
    twos = int(gmpy2.bit_scan1(scaled) or 0)
    rest, fives = gmpy2.remove(abs(scaled) >> twos, 5)
    if value.denominator == 1:
        return -min(twos, int(fives))
    return max(twos, int(fives)) if rest == 1 else None


def decimal_text(value: mpq, digits: int = 17) -> str:
    """`value` rounded to `digits` significant decimal digits, for people to read; exact when it ends with no "...".

    >>> decimal_text(parse_number("1/3"), 5), decimal_text(parse_number("0.5"))
    ('0.33333...', '0.5')
    """
    if value == 0:
        return "0"
    exponent = _decimal_exponent(abs(value))
    scale = digits - 1 - exponent
    scaled = abs(value) * mpq(10) ** scale
    whole = int((2 * scaled.numerator + scaled.denominator) // (2 * scaled.denominator))
    if whole == 10**digits:
        whole, exponent = whole // 10, exponent + 1
    more = "" if scaled == int(scaled) else "..."
    text = str(whole)
    sign = "-" if value < 0 else ""
    if -5 <= exponent < max(digits, 21):
        if exponent >= digits - 1:
            return f"{sign}{text}{'0' * (exponent - digits + 1)}{more}"
        if exponent >= 0:
            head, tail = text[: exponent + 1], text[exponent + 1 :]
        else:
            head, tail = "0", "0" * (-exponent - 1) + text
        tail = tail if more else tail.rstrip("0")
        return f"{sign}{head}{'.' + tail if tail else ''}{more}"
    tail = text[1:] if more else text[1:].rstrip("0")
    return f"{sign}{text[0]}{'.' + tail if tail else ''}{more}e{exponent:+d}"


def _decimal_exponent(value: mpq) -> int:
    """floor(log10(value)) for value > 0, exactly."""
    estimate = int((value.numerator.bit_length() - value.denominator.bit_length()) * 0.30102999566)
    while mpq(10) ** estimate > value:
        estimate -= 1
    while mpq(10) ** (estimate + 1) <= value:
        estimate += 1
    return estimate


def json_number(x: mpq | float) -> int | float | str:
    """A number for JSON: a float where binary64 has it exactly, else its exact text; inf and NaN as texts; -0 as 0.

    >>> json_number(mpq(1, 2)), json_number(mpq(1, 3)), json_number(float("inf"))
    (0.5, '1/3', 'inf')
    """
    if isinstance(x, float):
        return 0.0 if x == 0 else str(x)
    try:
        near = float(x)
    except OverflowError:
        return exact_text(x)
    return near if math.isfinite(near) and mpq(near) == x else exact_text(x)


def readable(x: mpq | float) -> str:
    """A number for people: 17 significant digits, with "..." when there are more.

    >>> readable(mpq(1, 3)), readable(float("nan"))
    ('0.33333333333333333...', 'nan')
    """
    return str(x) if isinstance(x, float) else decimal_text(x)
