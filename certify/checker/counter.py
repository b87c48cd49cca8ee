"""A counter in F: x_0 = 0, x_{i+1} = round(x_i + 1), at any i without i steps.

x never falls, for x is in F and below x + 1.  While all integers up to i are in F it is i.  Beyond, the values are h
>= 2 apart (or x is in a grid, or at the end of F): the step stays, or moves to the next value.  A mode that always
moves (up; away where h = 2, a tie) does so as far as the values stay h apart, so such a run is taken at once; every
other mode stays after two steps.
"""

from __future__ import annotations

from fractions import Fraction

from .kinds import FloatSet
from .limits import Account
from .valueset import Element, ValueSet

__all__ = ["counted"]


def counted(values: ValueSet, i: int | None, account: Account) -> Element:
    """x_i, or for None the x that is kept for ever: a number, an infinity or NaN."""
    done = _integers(values)
    if i is not None and i <= done:
        return Fraction(i)
    x = Fraction(done)
    while i is None or done < i:
        account.spend(1 + x.numerator.bit_length() // 16)
        after = values.convert(x + 1)
        if isinstance(after, float) or after == x:
            return after
        run = _run(values, after)
        if i is not None:
            run = min(run, i - done - 1)
        done += 1 + run
        x = values.magnitude(_index(values, after) + run, False)
    return x


def _integers(values: ValueSet) -> int:
    """The greatest n for which 0, 1, .., n are surely in F."""
    if not isinstance(values, FloatSet) or values.emin > (0 if values.ftz else values.p - 1):
        return 0
    return min(int(values.largest()), 1 << values.p)


def _index(values: ValueSet, x: Fraction) -> int:
    return values.locate(x.numerator, x.denominator, False)[0] if x else 0


def _run(values: ValueSet, x: Fraction) -> int:
    """How many further steps surely move to the next value."""
    k, top = _index(values, x), values.top[0]
    if k >= top or not isinstance(values, FloatSet):
        return 0
    gap = values.magnitude(k + 1, False) - x
    if gap < 2 or not (values.rounding == "up" or (values.rounding == "away" and gap == 2)):
        return 0
    half = 1 << (values.p - 1)  # the values of a binade
    return min((k // half + 1) * half, top) - k
