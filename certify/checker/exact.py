"""Exact numbers in the one form that a certificate may give them, and how they are shown to a reader.

A text is matched before it is converted, and its size is paid from a purse of bits: a short text such as "1p-1000000"
stands for a long number, and thousands of them would fill the memory.
"""

from __future__ import annotations

import re
from fractions import Fraction
from math import gcd
from typing import Any

from .limits import Account, Malformed, Undecided

__all__ = ["Purse", "integer", "number", "ratio", "show", "size"]

_MAX_EXPONENT = 1_000_000
_MAX_LENGTH = 20_000
_BINARY = re.compile(r"(-?)([1-9a-f][0-9a-f]*)p(0|-?[1-9][0-9]{0,6})")
_RATIO = re.compile(r"(-?)(0|[1-9][0-9]*)(?:/([1-9][0-9]*))?")


class Purse:
    """The bits that the numbers of one claim may have together, and the account of the claim."""

    def __init__(self, account: Account, bits: int = 8_000_000) -> None:
        self.account, self.bits = account, bits

    def pay(self, bits: int) -> None:
        """Take the bits of one more number."""
        self.bits -= bits
        if self.bits < 0:
            raise Undecided("the numbers of the claim are longer than this checker converts")


def number(thing: Any, what: str, purse: Purse) -> Fraction:
    """The exact number that an integer, "22bp-5" or "1/3" stands for."""
    if isinstance(thing, int) and not isinstance(thing, bool):
        if abs(thing) >= 1 << 128:
            raise Malformed(f"{what}: an integer of 2^128 or more is written as m p e")
        return Fraction(thing)
    if not isinstance(thing, str):
        raise Malformed(f"{what} is not a number")
    found = _BINARY.fullmatch(thing)
    if found:
        sign, digits, exponent = found.group(1), found.group(2), int(found.group(3))
        if len(digits) > _MAX_LENGTH or abs(exponent) > _MAX_EXPONENT:
            raise Malformed(f"{what}: a mantissa or an exponent is too long")
        purse.pay(4 * len(digits) + abs(exponent))
        m = int(sign + digits, 16)
        if not m & 1 or (exponent >= 0 and abs(m) << min(exponent, 128) < 1 << 128):
            raise Malformed(f"{what}: the mantissa is even, or the number is a small integer")
        return Fraction(m << max(exponent, 0), 1 << max(-exponent, 0))
    value = ratio(thing, what, purse)
    if value.denominator & (value.denominator - 1) == 0:
        raise Malformed(f"{what}: an integer, or m times a power of two, has another form")
    return value


def ratio(text: str, what: str, purse: Purse, length: int = _MAX_LENGTH) -> Fraction:
    """The rational that a reduced "p/q" with q > 1, or "p", stands for."""
    found = _RATIO.fullmatch(text)
    if not found:
        raise Malformed(f"{what} is not an exact number in its form")
    sign, p, q = found.group(1), found.group(2), found.group(3) or "1"
    if len(p) > length or len(q) > length:
        raise Malformed(f"{what}: more than {length} digits")
    purse.pay(4 * (len(p) + len(q)))
    above, below = int(p), int(q)
    if gcd(above, below) != 1 or (found.group(3) and below == 1) or (sign and not above):
        raise Malformed(f"{what} is not reduced")
    return Fraction(-above if sign else above, below)


def integer(thing: Any, what: str, least: int) -> int:
    """A JSON integer of at least `least`."""
    if not isinstance(thing, int) or isinstance(thing, bool) or thing < least:
        raise Malformed(f"{what} is not an integer of at least {least}")
    return thing


def size(x: Fraction) -> int:
    """The bits of the longer one of numerator and denominator."""
    return max(x.numerator.bit_length(), x.denominator.bit_length())


def show(x: Fraction | float | None) -> str:
    """A number for a reader: exactly, unless that is long, then its magnitude."""
    if x is None or isinstance(x, float):
        return "none" if x is None else str(x)
    x = Fraction(x)
    n, d = abs(x.numerator), x.denominator
    twos = d.bit_length() - 1
    if d == 1 << twos and n < 1 << 128 and twos <= 40:
        digits = str(n * 5**twos).rjust(twos + 1, "0")  # m / 2^twos = m 5^twos / 10^twos
        text = f"{digits[:-twos]}.{digits[-twos:]}" if twos else digits
    elif d == 1 << twos:
        low = (n & -n).bit_length() - 1
        text = f"{n >> low:x}p{low - twos}"
    else:
        text = f"{n}/{d}"
    text = text if len(text) <= 100 else f"about 2^{n.bit_length() - d.bit_length()}"
    return f"-{text}" if x < 0 else text
