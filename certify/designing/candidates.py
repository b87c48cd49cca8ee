r"""Which angles and scales are worth trying for a wanted length, in a fixed order.

**Angles.**  In exact arithmetic the gap at the distance n is C (1 - cos(g n)), so a long range wants a rotation that
stays away from its start.  The competitors of the queries up to L + 1 are at the distances 1 .. H with
H = max(L + 1 - k, k - 1).  By Dirichlet min over n <= H of |g n mod 2 pi| is at most 2 pi/(H+1), whatever g; the angles
of a/(H+1) turns, a prime to H+1, attain it: their positions divide the circle evenly.  No other angle does better (an
angle of noble type, such as the golden one, is worse by a factor of about sqrt5).  So the first denominator tried is
m = H + 1; a few greater ones follow, among them multiples of 4 and 8, whose cosines and sines are the same numbers up
to order and sign.  Which numerator a is best depends on rounding alone: a = 1 first, then numerators spread over 1 ..
m/2 (m - a is the mirror image of a).

**Scales.**  In a float set everything is scaled with C up to a power of two, but for f_large.  So C is taken from the
least binade in which one spacing of F is a gap of f_large; higher ones give nothing new, lower ones ask for more
spacings.  Within it the greatest and then places spread over it (the spacing relative to C, and the rounding of the
parameters, vary).  In other sets, and where F ends below that binade: from half the largest value up.

The spread is van der Corput's sequence: its first t members are evenly spread for every t, and no random generator
has to be kept the same.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import count
from math import gcd

from gmpy2 import mpq

from fpsim.valueset import ValueSet

__all__ = ["candidates", "denominators", "scale_range", "van_der_corput"]


def candidates(values: ValueSet, offsets: Sequence[int], length: int, threshold: mpq) -> Iterator[tuple[str, mpq]]:
    """Angles, as texts, and scales to try for `length`, without end.

    >>> from itertools import islice
    >>> [(g, int(C)) for g, C in islice(candidates(ValueSet.parse("e4m3"), [1], 15, mpq(7)), 3)]
    [('2pi*1/16', 128), ('2pi*3/16', 96), ('2pi*5/17', 112)]
    """
    low, high = scale_range(values, threshold)
    m = denominators(offsets, length)
    for t in count():
        denominator = m[t // 2 % len(m)] if t else m[0]
        numerator = _coprime(int(denominator * van_der_corput(t, 3) / 2), denominator)
        scale = high - (high - low) * van_der_corput(t, 2)
        yield f"2pi*{numerator}/{denominator}", values.value(values.floor_index(scale))


def denominators(offsets: Sequence[int], length: int) -> list[int]:
    """H + 1, the least denominator with which every offset can reach `length`, and a few more.

    >>> denominators([1, 2, 3], 100)
    [101, 102, 103, 104]
    """
    least = max(length + 2 - min(offsets), *offsets, 2)
    more = {least + 1, least + 2, -(-least // 4) * 4, -(-least // 8) * 8}
    return [least, *sorted(more - {least})]


def scale_range(values: ValueSet, threshold: mpq) -> tuple[mpq, mpq]:
    """The ends low <= C <= high between which scales are taken.

    >>> scale_range(ValueSet.parse("fp32"), mpq(104)) == (2**30, 2**31)
    True
    """
    if values.kind == "float":
        exponent = 0
        while mpq(2) ** exponent < threshold:
            exponent += 1
        low = mpq(2) ** (exponent + values.precision - 1)
        if low < values.max:
            return low, min(2 * low, values.max)
    return values.max / 2, values.max


def van_der_corput(t: int, base: int) -> mpq:
    """The digits of t in this base, mirrored at the point: 0, 1/2, 1/4, 3/4, 1/8, ... in base 2.

    >>> [str(van_der_corput(t, 2)) for t in range(5)]
    ['0', '1/2', '1/4', '3/4', '1/8']
    """
    x, scale = mpq(0), 1
    while t:
        t, digit = divmod(t, base)
        scale *= base
        x += mpq(digit, scale)
    return x


def _coprime(wanted: int, m: int) -> int:
    """The number from 1 to m/2 nearest to `wanted` that is prime to m >= 2; 1 is one."""
    start = max(1, min(wanted, m // 2))
    for step in count():
        for a in (start + step, start - step):
            if 1 <= a <= m // 2 and gcd(a, m) == 1:
                return a
    raise AssertionError("unreachable")
