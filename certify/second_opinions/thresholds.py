"""f_large: the least positive value of F whose exp(-f) rounds to 0."""

from __future__ import annotations

from gmpy2 import mpq

from certify.second_opinions.claim import Flarge
from certify.second_opinions.opinion import Opinion
from certify.second_opinions.real import Reals, round_exp
from certify.second_opinions.values import Values

__all__ = ["flarge_opinion", "threshold_of", "vanishes"]


def flarge_opinion(claim: Flarge, reals: Reals) -> Opinion:
    """The opinion on a claim `flarge`: exp(-f) rounds to 0, and does not at the next smaller value.

    Rounding is monotone and exp(-x) falls, so no other value need be looked at.
    """
    values, f = claim.values, claim.value
    if f is None:
        if threshold_of(reals, values) is None:
            return Opinion("verified", "exp(-x) rounds to more than 0 at the greatest value, so there is no f_large", 1)
        return Opinion("refuted", "exp(-x) rounds to 0 at the greatest value, so there is an f_large", 1)
    if f <= 0 or not values.contains(f):
        return Opinion("refuted", f"{f} is no positive value of F")
    if not vanishes(reals, values, f):
        return Opinion("refuted", f"exp(-{f}) does not round to 0", 1)
    index = values.index_below(f)
    if index == values.least_index:
        return Opinion("verified", "exp(-f) rounds to 0 at the least positive value", 1)
    if vanishes(reals, values, values.size(index - 1)):
        return Opinion("refuted", f"exp(-x) rounds to 0 already at the next smaller value {values.size(index - 1)}", 2)
    return Opinion("verified", "exp(-f) rounds to 0, and exp(-x) at the next smaller value does not", 2)


def threshold_of(reals: Reals, values: Values) -> mpq | None:
    """f_large of the value set, by bisection over the indices; None where there is none."""
    below, above = values.least_index - 1, values.top()
    if above <= below or not vanishes(reals, values, values.size(above)):
        return None
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if vanishes(reals, values, values.size(middle)) else (middle, above)
    return values.size(above)


def vanishes(reals: Reals, values: Values, f: mpq) -> bool:
    """Whether exp(-f) rounds to 0."""
    return round_exp(reals, values, -f) == 0
