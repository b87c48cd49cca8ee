"""Hard selection between BOS and all other positions, in whatever order a softmax is summed.

A head here has one score for BOS and scores on one side of it for the others, and the value 1 at BOS alone, so that
its output is the weight of BOS.

* BOS wins: the exponentials of all others are 0, so that every sum is that of BOS, 1 (and zeros), and its weight is 1.
* BOS loses: its own exponential is 0, so that its weight is 0 / Z = 0, and so is the output, whatever Z is, infinity
  included; NaN alone is not excluded, and that is a matter of length (`certify.compiling.exact_sums.ones_until_nan`).

A loser's exponential is 0 when its rounded distance to the winner is at least f_large: both rounding and exp are
monotone.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.compiling.gadget import Bound
from fpsim import reference
from fpsim.errors import UnsupportedError
from fpsim.flarge import f_large
from fpsim.regime import Regime
from fpsim.rounding.reference import Element
from fpsim.softmax import softmax

__all__ = ["distance", "least_distance", "losing"]


def least_distance(regime: Regime) -> mpq:
    """f_large of the softmax, in a regime where the weight of one winner among losers is 1.

    Raises `UnsupportedError` where there is none: then no head selects exactly.
    """
    found = f_large(regime.softmax)
    if found is None:
        raise UnsupportedError(
            f"{regime.softmax.name} has no f_large: exp(-f) rounds to 0 for none of its values, so no head selects "
            "exactly"
        )
    alone = softmax(regime, [found, mpq(0)]).weights
    if found not in regime.values or -found not in regime.values or alone != (1, 0):
        raise UnsupportedError(
            f"{regime.values.name}: scores {found} and 0 (f_large = {found}) do not get the weights 1 and 0, so no "
            "head selects exactly"
        )
    return found


def distance(regime: Regime, winner: Element, loser: Element) -> Element:
    """How far the loser's score is below the winner's, as the softmax computes it; NaN where it is no number."""
    found: Element = -reference.sub(regime.softmax, loser, winner)
    return found


def losing(regime: Regime, what: str, winner: Element, loser: Element, least: mpq) -> Bound:
    """The bound that makes the loser's exponential 0."""
    return Bound(what, distance(regime, winner, loser), least)
