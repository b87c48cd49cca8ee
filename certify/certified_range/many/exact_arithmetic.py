"""The certified range of a head on several pairs in exact arithmetic, as far as the search for it goes.

There S(i, i-k) - S(i, j) = y(n), n = i - k - j, the sum of C_d (1 - cos(theta_d n)); what follows from the least n >= 1
with y(n) < f_large is said in `certify.certified_range.exact_arithmetic`.  Such an n exists (the rotations together
return as near to the identity as one likes), but it may be as far as the product of the turns of all pairs.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.certified_range.exact_arithmetic import range_of_first_return
from certify.certified_range.many.question import ManyQuestion
from certify.certified_range.many.returns import SearchPlan, first_return

__all__ = ["many_exact_range"]


def many_exact_range(question: ManyQuestion, threshold: mpq) -> tuple[int, int | None, tuple[str, ...]]:
    """(lower, upper, notes): both N_max in exact arithmetic; or what is certain, None and why, where the search ended.

    >>> from fpsim.angle import Angle
    >>> from fpsim.regime import Regime
    >>> question = ManyQuestion((Angle.parse("1"), Angle.parse("0.1")), (mpq(400), mpq(400)), 1, Regime.of("fp16"))
    >>> many_exact_range(question, question.threshold)
    (62, 62, ())
    """
    plan = SearchPlan(question.turning, threshold)
    try:
        first = first_return(plan, plan.farthest)
    except KeyboardInterrupt:
        return question.offset - 1, None, ("in exact arithmetic: the search was interrupted",)
    if first is None:
        note = f"in exact arithmetic: no distance up to {plan.farthest} has a gap below f_large; the search ended there"
        return plan.farthest + question.offset - 1, None, (note,)
    ideal = range_of_first_return(first, question.offset)
    return ideal, ideal, ()
