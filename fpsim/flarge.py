"""f_large(F): the least positive finite f in F whose exp(-f) rounds to 0 (§2.2 of arXiv:2608.11909).

From this gap on, a loser's weight is exactly 0 in a stable softmax, which is what makes hard selection possible.
"""

from __future__ import annotations

from gmpy2 import mpq

from fpsim.errors import UnsupportedError
from fpsim.reference import exp
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["f_large"]


def f_large(values: ValueSet | str) -> mpq | None:
    """f_large of the value set, or None where no positive value of F has exp(-f) rounding to 0.

    A search over F, not a formula: exp falls and rounding is monotone, so "exp(-f) rounds to 0" is false up to some
    index and true from there, and bisection over the indices finds the first.  Stochastic rounding, which has no such
    value, raises `UnsupportedError`.

    >>> f_large("fp16"), f_large("fixed:8.3")
    (mpq(555,32), mpq(23,8))
    """
    chosen = value_set(values)
    if chosen.rounding == "stochastic":
        raise UnsupportedError(
            f"f_large of {chosen.name}: stochastic rounding gives no fixed answer; choose another mode"
        )
    below, above = chosen.least_index - 1, chosen.last
    if above <= below or not _vanishes(chosen, above):
        return None
    while above - below > 1:
        middle = (below + above) // 2
        below, above = (below, middle) if _vanishes(chosen, middle) else (middle, above)
    return chosen.value(above)


def _vanishes(values: ValueSet, index: int) -> bool:
    return exp(values, -values.value(index)) == 0
