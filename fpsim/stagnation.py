"""Where a rounded sum of ones stops growing: the point from which adding 1 changes nothing.

A saturated attention head that averages over n positions sums n ones; from this point on the denominator no longer
counts them (2048 in fp16, 256 in bf16, 16 in e4m3, 8 in e5m2).
"""

from __future__ import annotations

from gmpy2 import mpq

from fpsim.reference import add
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.valueset import ValueSet

__all__ = ["stagnation_point"]

_ONE = mpq(1)


def stagnation_point(values: ValueSet) -> Element | None:
    """The limit of round(... round(round(1 + 1) + 1) ...): a value s with round(s + 1) = s, an infinity, or NaN.

    None for stochastic rounding, where the sum has no limit that is certain.

    >>> from fpsim.valueset import ValueSet
    >>> [str(stagnation_point(ValueSet.parse(name))) for name in ("fp16", "e4m3", "fixed:8.3", "fp16:up")]
    ['2048', '16', '127/8', 'inf']
    """
    if values.rounding == "stochastic":
        return None
    total = round_exact(values, _ONE)
    if values.is_binary and values.quantum_exponent <= 0 and not isinstance(total, float):
        # Integers up to 2^p are values of F (as far as F goes), so every sum below is exact.
        total = mpq(min(2**values.precision, int(values.max)))
    while not isinstance(total, float):
        following = add(values, total, _ONE)
        if following == total:
            return total
        total = _leap(values, following)
    return total


def _leap(values: ValueSet, total: Element) -> Element:
    """The last value of a binade when two steps in it each moved by one value: then so does every step in it.

    Within a binade above 2^p a step adds less than the spacing (1 < q), and whether it moves depends on the mode, the
    side and the parity of the index only; both parities have been seen to move.
    """
    if isinstance(total, float) or not values.is_binary or total < 2**values.precision:
        return total
    index = values.index(total)
    following = add(values, total, _ONE)
    if is_nan(following) or isinstance(following, float) or values.index(following) != index + 1:
        return total
    again = add(values, following, _ONE)
    if isinstance(again, float) or values.index(again) != index + 2:
        return total
    binade = 1 << (values.precision - 1)
    return values.value(min(values.last, (index // binade + 1) * binade - 1))
