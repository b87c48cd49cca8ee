"""f_large(F): the least positive f in F with round(exp(-f)) = 0 ("semantics 1", section 1).

Rounding is monotone and exp(-f) falls, so once exp(-f) rounds to 0 it does for every greater f.
"""

from __future__ import annotations

from fractions import Fraction

from .arithmetic import exp_of
from .exact import show
from .limits import Account, Refuted, Undecided
from .valueset import ValueSet

__all__ = ["check_flarge", "f_large"]


def _vanishes(values: ValueSet, index: int, account: Account) -> bool:
    """Whether exp(-f) rounds to 0 for the positive value f with that index."""
    account.spend()
    return exp_of(values, -values.magnitude(index, False), account) == 0


def f_large(values: ValueSet, account: Account) -> Fraction | None:
    """f_large(F), by bisection over the indices; None where it does not exist."""
    low, high = values.first - 1, values.top[0]  # it does not vanish at low, or low is no positive value of F
    if high.bit_length() > 2_000:
        raise Undecided("f_large of a value set of more than 2^2000 values")
    if high <= low or not _vanishes(values, high, account):
        return None
    while high - low > 1:
        middle = (low + high) // 2
        low, high = (low, middle) if _vanishes(values, middle, account) else (middle, high)
    return values.magnitude(high, False)


def check_flarge(values: ValueSet, value: Fraction | None, account: Account) -> None:
    """Show that f_large is the value, or that there is none."""
    top = values.top[0]
    if value is None:
        if top >= values.first and _vanishes(values, top, account):
            raise Refuted(f"exp(-{show(values.largest())}) rounds to 0")
        greatest = (
            f"exp(-{show(values.largest())}), of the greatest value, does not round to 0, so no smaller one's does"
        )
        account.shown(greatest if top >= values.first else "F has no positive value")
        return
    if value <= 0 or value not in values:
        raise Refuted(f"{show(value)} is not a positive value of F")
    index, _ = values.locate(value.numerator, value.denominator, False)
    if not _vanishes(values, index, account):
        raise Refuted(f"exp(-{show(value)}) does not round to 0")
    account.shown(f"exp(-{show(value)}) rounds to 0")
    if index == values.first:
        account.shown(f"{show(value)} is the least positive value of F")
        return
    before = show(values.magnitude(index - 1, False))
    if _vanishes(values, index - 1, account):
        raise Refuted(f"exp(-{before}) rounds to 0 too")
    account.shown(f"exp(-{before}), of the value before it, does not round to 0")
