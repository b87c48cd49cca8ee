"""An upper bound of every certified range from counting: a finite F has finitely many realized keys.

Two equal keys j < j' tie: the query i = j' + k gives its target j' and the competitor j the same score, so the first
failing query i0 is at most j' + k.

Theorem.  Let c_i = round(cos phi_i), s_i = round(sin phi_i) for any reals phi_i, and let A be the number of values of F
from round(-1) to round(1).  Then at most 4A keys are different, so i0 <= 4A + k and N_max <= 4A + k - 2.
Proof.  On either half turn cos is monotone, and so is rounding: c takes at most A values, each on an interval.  So c is
constant on each of at most 2A arcs of the circle, and so is s.  Two partitions of a circle into a and b arcs have a
common refinement of at most a + b arcs; (c, s) is constant on each of those 4A.  Among the positions 0 .. 4A two have
equal keys.

Where a position j' >= 1 is known (`Traits.repeats`) whose key equals an earlier one, i0 <= j' + k as well; and where
its key has a NaN: every query beyond j' has a competitor, or a target, whose score is NaN, so i0 <= max(j', k) + 1 <=
j' + k.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.certified_range.question import Question
from fpsim.realization import traits_of
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

__all__ = ["counting_bound", "keys_at_most", "reason_of_repetition", "repetition_bound"]


def keys_at_most(values: ValueSet) -> int | None:
    """4A, or None when rounding 1 overflows.

    >>> keys_at_most(ValueSet.parse("fp16"))
    122884
    """
    ends = [round_exact(values, mpq(sign)) for sign in (1, -1)]
    if any(isinstance(end, float) and end - end != 0 for end in ends):
        return None
    high, low = (values.index(mpq(end)) for end in ends)
    skipped = values.least_index - 1
    return 4 * (int(high - low) + 1 - skipped * ((high > 0) + (low < 0)))


def counting_bound(question: Question) -> int | None:
    """An upper bound of N_max under either criterion, or None where the keys are not rounded cosines and sines."""
    if not traits_of(question.head.realization).on_circle:
        return None
    keys = keys_at_most(question.regime.values)
    return None if keys is None else keys + question.offset - 2


def repetition_bound(question: Question) -> tuple[int, str] | None:
    """An upper bound of N_max under either criterion, with its reason, from a position whose key is known to fail."""
    repeats = traits_of(question.head.realization).repeats
    return None if repeats is None else (repeats[1] + question.offset - 2, reason_of_repetition(repeats))


def reason_of_repetition(repeats: tuple[int, int]) -> str:
    """What the bound rests on, in words."""
    return f"the keys at positions {repeats[0]} and {repeats[1]} are equal (pigeonhole), or the latter is not finite"
