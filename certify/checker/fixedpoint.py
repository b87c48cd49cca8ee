"""pi, ln 2, cos and sin, exp, log and square roots by integers alone, each between two integers over a power of two.

Everything is a series of positive, shrinking terms in fixed point.  A product or a quotient that is cut off loses
less than one unit; where a series is said to be off by 4 units a term, less than 3 come from the recurrence that
makes the term (the errors it inherits are multiplied by at most 0.7 and divided by the number of the term), and one
from the last division.  A series ends when its term has become 0: what is left out is then below 8 units, for the
true terms are below 4 and shrink at least by half.
"""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from functools import lru_cache
from math import isqrt

__all__ = ["cos_sin", "exp", "ln2", "log", "pi", "root_above"]


def _widen(bits: int) -> int:
    """The next one of 256, 512, ..: constants are computed for few precisions, and shortened."""
    return max(256, 1 << (bits - 1).bit_length())


def _shorten(low: int, high: int, shift: int) -> tuple[int, int]:
    return low >> shift, -(-high >> shift)


def _inverse_powers(x: int, bits: int) -> Iterator[int]:
    """floor(2^bits / (x^(2k+1) (2k+1))) for k = 0, 1, .. while x^(2k+1) <= 2^bits; repeated floors are one floor."""
    power, k = (1 << bits) // x, 1
    while power:
        yield power // k
        power, k = power // (x * x), k + 2


@lru_cache(maxsize=16)
def _pi(bits: int) -> tuple[int, int]:
    # Machin: pi = 16 atan(1/5) - 4 atan(1/239), atan(1/x) = 1/x - 1/3x^3 + ..; every term and the alternating rest is
    # off by less than 1, so the sum by less than 20 (terms + 1), and there are fewer terms than bits / 4 + 2.
    wide = bits + bits.bit_length() + 8
    total = 0
    for factor, x in ((16, 5), (-4, 239)):
        total += factor * sum(-t if n & 1 else t for n, t in enumerate(_inverse_powers(x, wide)))
    error = 20 * (wide // 4 + 3)
    return _shorten(total - error, total + error, wide - bits)


@lru_cache(maxsize=16)
def _ln2(bits: int) -> tuple[int, int]:
    # ln 2 = 2 atanh(1/3), terms below their true values by less than 1 each; the rest is below 9/8.
    wide = bits + bits.bit_length() + 8
    terms = list(_inverse_powers(3, wide))
    low = 2 * sum(terms)
    return _shorten(low, low + 2 * (len(terms) + 2), wide - bits)


def pi(bits: int) -> tuple[int, int]:
    """Integers (low, high) with low <= pi 2^bits <= high, at most 3 apart."""
    wide = _widen(bits)
    return _shorten(*_pi(wide), wide - bits)


def ln2(bits: int) -> tuple[int, int]:
    """Integers (low, high) with low <= ln 2 2^bits <= high, at most 3 apart."""
    wide = _widen(bits)
    return _shorten(*_ln2(wide), wide - bits)


def cos_sin(turn: int, bits: int) -> tuple[int, int, int]:
    """(c, s, e) with |cos(2 pi t) 2^bits - c| <= e, and s likewise, where t 2^bits is the integer `turn`, bits >= 8.

    t is folded into an eighth of a turn, so the angle x is at most pi/4 and x^2 at most 0.62: there the series for
    cos and sin / x alternate and their terms shrink at least by a factor 3.
    """
    quarter, rest = turn >> (bits - 2) & 3, turn & ((1 << (bits - 2)) - 1)
    folded = rest > 1 << (bits - 3)
    if folded:
        rest = (1 << (bits - 2)) - rest
    x = rest * pi(bits)[0] >> (bits - 1)  # off by less than 2 units: cos and sin are off by no more for that
    square = x * x >> bits
    c = s = 0
    term, k = 1 << bits, 1
    while term:  # x^(k-1) / (k-1)! is the term of cos, and x / k times it the term of sin
        by_x = term // k
        c, s = (c + term, s + by_x) if k & 2 == 0 else (c - term, s - by_x)
        term = (by_x * square >> bits) // (k + 1)
        k += 2
    s = s * x >> bits
    if folded:
        c, s = s, c
    for _ in range(quarter):  # a quarter of a turn more
        c, s = -s, c
    return (
        c,
        s,
        4 * k + 32,
    )  # at most 4 for each of the k / 2 terms, and for x, square, the product and the rest below 32


def exp(n: int, d: int, bits: int) -> tuple[int, int, int]:
    """(low, high, e) with low 2^e <= exp(n/d) <= high 2^e, d > 0: it is 2^k exp(r), r = n/d - k ln 2 in [0, 0.7)."""
    wide = bits + max(n.bit_length() - d.bit_length(), 0) + 8
    y = (n << wide) // d  # n/d 2^wide is within [y, y + 1]
    low2, high2 = ln2(wide)
    k = y // high2
    r = y - k * (high2 if k >= 0 else low2)
    if r < 0:  # by the few units between the ends of ln 2
        k -= 1
        r = y - k * low2
    unsure = abs(k) * (high2 - low2) + 1  # r may be that much too small
    r, unsure = r >> (wide - bits), (unsure >> (wide - bits)) + 2
    total, term, j = 0, 1 << bits, 0
    while term:
        total += term
        j += 1
        term = (term * r >> bits) // j
    return total, total + 4 * j + 8 + 3 * unsure, k - bits  # the derivative, exp(r), is below 2.1


def log(n: int, d: int, bits: int) -> tuple[int, int]:
    """(low, high) with low <= ln(n/d) 2^bits <= high, n and d > 0: ln(2^k m) = k ln 2 + 2 atanh((m - 1)/(m + 1))."""
    k = n.bit_length() - d.bit_length()
    wide = bits + k.bit_length() + 8
    n, d = n << max(-k, 0), d << max(k, 0)  # m = n/d is within (1/2, 2), z within (-1/3, 1/3)
    z = (abs(n - d) << wide) // (n + d)
    square = z * z >> wide
    total, term, j = 0, z, 1
    while term:
        total += term // j
        term, j = term * square >> wide, j + 2
    middle = 2 * total if n >= d else -2 * total
    error = 8 * j + 16
    ends = [k * end for end in ln2(wide)]
    return _shorten(middle + min(ends) - error, middle + max(ends) + error, wide - bits)


def root_above(x: Fraction, bits: int = 64) -> Fraction:
    """A rational >= sqrt(x), x >= 0, above it by a part in about 2^bits."""
    shift = bits + max(0, x.denominator.bit_length() - x.numerator.bit_length())
    return Fraction(isqrt((x.numerator << 2 * shift) // x.denominator) + 1, 1 << shift)
