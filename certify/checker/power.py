"""Powers and logarithms of rationals, each rounded once: what inverse frequencies are made of.

b^(n/d), in lowest terms and n not 0, is rational only where b is the d-th power of a rational: from b^n = r^d every
prime has in b an exponent whose n-fold is a multiple of d, and so is itself one.  Such a power is computed exactly; any
other, like the logarithm of a rational that is not 1 (Lindemann), is irrational, so that narrower and narrower
enclosures decide how it rounds.
"""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction

from .arithmetic import beyond_power_of_2, round_real
from .exact import show, size
from .fixedpoint import exp, log
from .limits import MAX_BITS, Account, Undecided, Unsupported
from .valueset import INF, NAN, ZERO, Element, ValueSet, is_nan

__all__ = ["enclose_power", "log_of", "power_of", "rational_root"]

_MAX_SIZE = 4_096  # bits of base and exponent together, and of what a logarithm is taken of
_DEARER = 12  # of a logarithm and two exponentials: see `Account.refine`


def power_of(values: ValueSet, x: Element, y: Element, account: Account) -> Element:
    """x^y for x >= 0; at 0 and the infinities as IEEE 754 pow has it."""
    if is_nan(x) or is_nan(y):
        return NAN
    if y == 0 or x == 1:
        return values.round(1)
    if x < 0:
        raise Unsupported("a power of a negative number")
    if isinstance(x, float) or isinstance(y, float) or x == 0:
        return values.beyond(False) if (x > 1) == (y > 0) else ZERO
    low, high = log(x.numerator, x.denominator, 64)
    least = Fraction(max(low, -high, 0), 1 << 64)  # <= |ln x|; so x^y is farther from 1 than e and 2 to this power:
    outside = beyond_power_of_2(values, least * (y if x > 1 else -y))
    if outside is not None:
        return outside
    if size(x) + size(y) > _MAX_SIZE or abs(y.numerator) * size(x) > MAX_BITS * y.denominator:
        raise Undecided(f"a power of longer numbers, or a longer one, than this checker computes: {show(y)}")
    root = rational_root(x, y.denominator)
    if root is not None:
        return values.convert(root**y.numerator)
    enclose = enclose_power(x, y, account)
    return round_real(values, lambda bits: (*enclose(bits), 1 << bits), account)


def log_of(values: ValueSet, x: Element, account: Account) -> Element:
    """The natural logarithm of x >= 0."""
    if is_nan(x) or x == INF:
        return values.convert(x)
    if x < 0:
        raise Unsupported("a logarithm of a negative number")
    if x == 0:
        return values.beyond(True)
    exact = Fraction(x)
    if size(exact) > _MAX_SIZE:
        raise Undecided(f"the logarithm of a number of more than {_MAX_SIZE} bits")
    if exact == 1:
        return ZERO
    return round_real(values, lambda bits: (*log(exact.numerator, exact.denominator, bits), 1 << bits), account)


def enclose_power(base: Fraction, power: Fraction, account: Account) -> Callable[[int], tuple[int, int]]:
    """bits -> integers between which b^s 2^bits lies: b^s = exp(s ln b), b > 0."""
    n, d = power.numerator, power.denominator
    doublings = base.numerator.bit_length() - base.denominator.bit_length()  # within 1 of log2 b
    magnitude = -(-max(n * (doublings - 1), n * (doublings + 1)) // d)  # >= log2 b^s

    def enclose(bits: int) -> tuple[int, int]:
        # b^s is off by its own size times the error of its logarithm, so a tiny one needs few bits
        wide = max(bits + magnitude, 0) + n.bit_length() + 8
        account.refine(wide, _DEARER)
        ends = [n * end for end in log(base.numerator, base.denominator, wide)]
        low, _, e = exp(min(ends), d << wide, wide)
        _, high, f = exp(max(ends), d << wide, wide)
        return _shifted(low, e + bits), -_shifted(-high, f + bits)

    return enclose


def _shifted(m: int, e: int) -> int:
    return m << e if e >= 0 else m >> -e


def rational_root(base: Fraction, degree: int) -> Fraction | None:
    """base^(1/degree), base > 0, where it is rational: numerator and denominator are then powers themselves."""
    above, below = _root(base.numerator, degree), _root(base.denominator, degree)
    return Fraction(above, below) if above and below else None


def _root(n: int, degree: int) -> int:
    """The integer whose power n >= 1 is; 0 where there is none."""
    if n == 1 or degree == 1:
        return n
    if degree >= n.bit_length():  # a root of at least 2 would give at least 2^degree
        return 0
    low, high = 1, 1 << (n.bit_length() // degree + 1)
    while high - low > 1:  # low^degree <= n < high^degree
        middle = (low + high) // 2
        low, high = (middle, high) if middle**degree <= n else (low, middle)
    return low if low**degree == n else 0
