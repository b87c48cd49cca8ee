"""Exact angles: r, r pi, or r b^s with an irrational power; cos and sin of any whole multiple of them.

An angle is held in turns, alpha = theta / 2 pi, as an integer over a power of two that is long enough for the
multiple i: i alpha modulo 1 is then an integer product, however great i is.  A non-zero r or r b^s is algebraic, so
theta / 2 pi is irrational and theta itself no multiple of pi (Lindemann).
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from functools import lru_cache
from typing import Any

from .exact import Purse, ratio, show
from .fixedpoint import cos_sin, pi
from .limits import MAX_BITS, Malformed, Undecided
from .power import enclose_power, rational_root

__all__ = ["Angle", "parse_angle", "rational_angle"]

_PI = re.compile(r"(?:(-?)|(.+)\*)pi")
_ROOT = re.compile(r"(?:(-?)|([^*]+)\*)([0-9/]+)\^\(([-0-9/]+)\)")

ZERO = Fraction(0)
# cos of t turns where it is rational: at no other rational t is it (Niven).  sin of t is cos of t - 1/4.
COS = {Fraction(n, 12): Fraction(c, 2) for n, c in ((0, 2), (2, 1), (3, 0), (4, -1), (6, -2), (8, -1), (9, 0), (10, 1))}


class Angle:
    """text: as the claim writes it.  turn: theta / 2 pi, rational: theta, where they are rational, else None."""

    def __init__(
        self, text: str, turn: Fraction | None, rational: Fraction | None, enclose: Callable[[int], Any]
    ) -> None:
        self.text, self.turn, self.rational = text, turn, rational
        self.enclose = lru_cache(maxsize=8)(enclose)  # bits -> theta 2^bits is between these integers
        self.turns = lru_cache(maxsize=8)(self._turns)
        self.cos_sin = lru_cache(maxsize=2)(self._cos_sin)

    def __bool__(self) -> bool:
        return self.rational != 0

    def _turns(self, bits: int) -> tuple[int, int]:
        """Integers between which alpha 2^bits lies."""
        if self.turn is not None:
            n, d = self.turn.numerator << bits, self.turn.denominator
            return n // d, -(-n // d)
        low, high = self.enclose(bits + 8)
        wide = max(low.bit_length(), high.bit_length()) + 16  # of pi: the quotient then is within a few units
        if wide > MAX_BITS:
            raise Undecided(f"the angle would need {wide} bits of pi")
        below, above = pi(wide)
        shift = wide - 9  # alpha 2^bits = theta 2^(bits+8) / (pi 2^wide) 2^(wide-9)
        return (low << shift) // (above if low >= 0 else below), -((-high << shift) // (below if high >= 0 else above))

    def known(self, i: int, which: int) -> Fraction | None:
        """cos(i theta), or sin(i theta) for which = 1, where it is rational; None where it is not."""
        turn = self.turn if i else ZERO
        if turn is None or 12 * i % turn.denominator:  # the second at once, where the denominator is long
            return None
        return COS.get((turn * i - Fraction(which, 4)) % 1)

    def _cos_sin(self, i: int, bits: int) -> tuple[int, int, int]:
        """(c, s, e): cos(i theta) 2^bits is within e of c, sin(i theta) 2^bits of s; for i >= 0."""
        wide = -(-(bits + i.bit_length() + 4) // 64) * 64
        low, high = self.turns(wide)
        shift = wide - bits
        c, s, e = cos_sin((i * low >> shift) & ((1 << bits) - 1), bits)
        return c, s, e + 7 * ((i * (high - low) >> shift) + 2)  # a turn is less than 7 radians


def parse_angle(thing: Any, what: str, purse: Purse) -> Angle:
    """The angle that a text stands for."""
    if not isinstance(thing, str):
        raise Malformed(f"{what} is not a text")
    of_pi, of_root = _PI.fullmatch(thing), _ROOT.fullmatch(thing)
    if of_pi:
        factor = _factor(of_pi.group(1), of_pi.group(2), what, purse)
        return Angle(thing, factor / 2, None, _times(factor, pi))
    if of_root:
        factor = _factor(of_root.group(1), of_root.group(2), what, purse)
        base, power = (ratio(of_root.group(group), what, purse, 1_000) for group in (3, 4))
        if base <= 0 or rational_root(base, power.denominator) is not None:
            raise Malformed(f"{what} is not a rational times an irrational root")
        return Angle(thing, None, None, _times(factor, enclose_power(base, power, purse.account)))
    return rational_angle(ratio(thing, what, purse), thing)


def rational_angle(value: Fraction, text: str = "") -> Angle:
    """The angle that is a rational number."""
    n, d = value.numerator, value.denominator
    turn = None if value else ZERO
    return Angle(text or show(value), turn, value, lambda bits: ((n << bits) // d, -((-n << bits) // d)))


def _factor(sign: str | None, text: str | None, what: str, purse: Purse) -> Fraction:
    factor = ratio(text, what, purse) if text else Fraction(-1 if sign else 1)
    if factor == 0 or (text and abs(factor) == 1):
        raise Malformed(f"{what}: a factor of 0, 1 or -1 is not written")
    return factor


def _times(factor: Fraction, enclose: Callable[[int], tuple[int, int]]) -> Callable[[int], tuple[int, int]]:
    n, d = factor.numerator, factor.denominator
    extra = n.bit_length() - d.bit_length() + 4  # a small factor makes errors small: few bits are needed then

    def product(bits: int) -> tuple[int, int]:
        wide = max(bits + extra, 0)
        if wide > MAX_BITS:
            raise Undecided(f"the angle would need {wide} bits")
        ends = [n * end << max(bits - wide, 0) for end in enclose(wide)]
        unit = d << max(wide - bits, 0)
        return min(ends) // unit, -(-max(ends) // unit)

    return product
