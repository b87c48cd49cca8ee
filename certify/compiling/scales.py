"""Which C are tried for a modular head, and the baseline of Lemma 3.2."""

from __future__ import annotations

from collections.abc import Iterator

from gmpy2 import mpq

from certify.designing.candidates import van_der_corput
from fpsim.angle import Angle
from fpsim.real import Irrational
from fpsim.rounding.reference import Element, round_exact
from fpsim.turning import cos_of
from fpsim.valueset import ValueSet

__all__ = ["middle_scale", "scales", "wide_scales"]

MOST, BINADES, WIDE, FEW = 4096, 3, 8, 64


def scales(values: ValueSet) -> Iterator[mpq]:
    """Values C > 0 of F, the greatest first where there are few.

    In a float set a head that works with C works with 2C too, unless something overflows: every number is scaled
    exactly, and distances grow.  So the last three binades are enough.  All of them, or of another set all values, are
    tried where there are at most `MOST`, and as many that are spread over them elsewhere.

    >>> [int(C) for C in scales(ValueSet.parse("e5m2"))][:4]
    [57344, 49152, 40960, 32768]
    """
    least = values.least_index
    if values.kind == "float":
        least = max(least, values.last - (BINADES << (values.precision - 1)) + 1)
    count = values.last - least + 1
    if count <= MOST:
        yield from (values.value(index) for index in range(values.last, least - 1, -1))
        return
    for t in range(MOST):
        yield values.value(values.last - int(count * van_der_corput(t, 2)))


def wide_scales(values: ValueSet, harmonics: int) -> Iterator[mpq]:
    """Values C of F for a sum of H cosines, each once: first from the greatest down that leaves room for it, powers of
    2 if they are in F; in small sets then all from 3/2 of max / H down (in a float set two binades, see `scales`).

    >>> [str(C) for C in wide_scales(ValueSet.parse("e2m1"), 2)]
    ['2', '1', '1/2', '4', '3', '3/2']
    """
    seen: set[mpq] = set()
    for t in range(WIDE):
        most = values.max * 4 / (5 * harmonics * (1 << t))
        for scale in (_power(most), values.value(values.floor_index(most))):
            if scale > 0 and scale in values and scale not in seen:
                seen.add(scale)
                yield scale
    last = values.floor_index(min(values.max, values.max * 3 / (2 * harmonics)))
    count = last if values.kind != "float" else min(last, 2 << (values.precision - 1))
    for index in range(last, last - count, -1) if count <= FEW else ():
        if values.value(index) not in seen:
            yield values.value(index)


def _power(most: mpq) -> mpq:
    """The greatest power of two up to a positive number."""
    power = mpq(2) ** int(most.numerator.bit_length() - most.denominator.bit_length())
    return power if power <= most else power / 2


def middle_scale(values: ValueSet, modulus: int, scale: mpq) -> Element:
    """round(C b) with b = (1 + cos(2 pi/m)) / 2, exact before it is rounded; m >= 2.

    >>> middle_scale(ValueSet.parse("e4m3"), 3, mpq(256))
    mpq(64,1)
    """
    cosine = cos_of(Angle(mpq(2, modulus), "pi"))
    if isinstance(cosine, Irrational):
        return round_exact(values, cosine.shifted(mpq(1)).scaled(scale / 2))
    return round_exact(values, (1 + mpq(cosine)) * scale / 2)
