"""Float formats of more exponents than binary64 has, seen through a window of 800 of them.

Scale by powers of two.  Multiplying all states by 2^t turns the recurrence in F into that in 2^t F, the format with all
exponents raised by t, whatever the exponents: the turn (C, S) stays as it is, products and sums are multiplied by 2^t,
and rounding into 2^t F is rounding into F times 2^t, in every mode, with ftz and at both ends.

Cut the exponents.  Let G be 2^t F without the binades below or above some exponents.  A real y with 2^emin(G) <= |y| <
2^emax(G) has the same neighbours in both, whose indices have the same parity for p >= 2.  So the orbit in G is 2^t
times that in F as long as every product and sum that is not 0 stays in that range; `low` and `high` are those that a
*rounded* result must keep to (a result of at least 2 * 2^emin is not rounded from below 2^emin).  At an end of G that
is one of 2^t F nothing has to be kept.

So formats such as e15m4 are decided by compiled kernels, and by arithmetic on exponents between windows.
"""

from __future__ import annotations

import math
from dataclasses import dataclass, replace

from fpsim.rounding.specs import Spec, spec_of
from fpsim.valueset import ValueSet

__all__ = ["ExponentWindow", "exponent_window"]

_HALF = 400  # exponents of G are -400..400, where products of 24-bit values are exact in binary64
_WIDEST_PRECISION = 51  # of value sets with a spec


@dataclass(frozen=True)
class ExponentWindow:
    """values, spec: G.  shift: t.  low, high: the range that results must keep to; 0 and infinity where F itself ends.

    When `low` is 0 and `high` is infinite, G is F times 2^t with nothing to be kept to.
    """

    values: ValueSet
    spec: Spec
    shift: int = 0
    low: float = 0.0
    high: float = math.inf

    @property
    def is_cut(self) -> bool:
        """Whether results have a range to keep to."""
        return self.low > 0.0 or self.high < math.inf


def exponent_window(values: ValueSet, exponent: int) -> ExponentWindow | None:
    """F itself where kernels serve it, else a window of F around numbers of the size of 2^exponent; None for other F.

    >>> from fpsim.valueset import ValueSet
    >>> exponent_window(ValueSet.parse("e15m4"), 0).values.emin
    -400
    """
    spec = spec_of(values)
    if spec is not None:
        return ExponentWindow(values, spec)
    if values.kind != "float" or not 2 <= values.precision <= _WIDEST_PRECISION or values.rounding == "stochastic":
        return None
    emin, emax, unit = values.emin, values.emax, values.precision - 1
    if emax - emin < 2 * _HALF:  # a narrow format far from 1, or one that kernels refuse for another reason
        return None
    bottom = max(emin, min(exponent - _HALF, emax - 2 * _HALF))
    top = bottom + 2 * _HALF
    shift = -_HALF - bottom
    missing = (bottom - emin) + (emax - top)  # binades; where the top one is F's own it may lack values at its end
    last = (((2 * _HALF + 2) << unit) - 1) if top < emax else values.last - (missing << unit)
    cut = replace(values, name=f"{values.name} times 2^{shift}", emin=-_HALF, last=last, first=-last)
    spec = spec_of(cut)
    if spec is None:
        return None
    low = 0.0 if bottom == emin else math.ldexp(1.0, -_HALF + 1)
    high = math.inf if top == emax else math.ldexp(1.0, _HALF - 1)
    return ExponentWindow(cut, spec, shift, low, high)
