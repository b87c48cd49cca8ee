"""Cycles of a recurrence up to a power of two, and jumps along them.

Theorem.  Let x_0, x_1, .. be the states of a recurrence in a float format with p >= 2, let x_{a+l} = 2^e x_a with e !=
0, and let every product and sum of the steps from a to a+l, before its rounding, be 0 or of a magnitude in
[2^(emin - k e), 2^(emax - k e)) for k = 0 and k = K.  Then x_{a+kl+r} = 2^(ke) x_{a+r} for 0 <= k <= K and 0 <= r <= l.

Proof.  By induction on k and r.  Exact products and sums of 2^(ke) times the operands are 2^(ke) times those of x_{a+r}
(the turn stays as it is).  A real y and 2^(ke) y that both lie in [2^emin, 2^emax) have neighbours that differ by the
factor 2^(ke), at the same relative distances, and whose indices have the same parity, since an index is the
significand plus a multiple of 2^(p-1): so y and 2^(ke) y round alike, in every mode.  There is no overflow below
2^emax, nothing is flushed from 2^emin on, and an exact 0 stays one.  A range that holds for k = 0 and k = K holds
between.

The walk knows rounded results.  A result of at least 2^(emin+1) is not rounded from below 2^emin, and one below 2^emax
not from 2^emax on, since rounding is monotone and fixes both.
"""

from __future__ import annotations

import math

from certify.periodicity.recurrences.brent import Return, least_meeting
from certify.periodicity.recurrences.compiled_machine import CompiledMachine, Pair
from certify.periodicity.recurrences.orbit import Jump
from fpsim.valueset import ValueSet

__all__ = ["can_scale", "scaled_jump"]


def can_scale(values: ValueSet) -> bool:
    """Whether the theorem can hold in F: a float format with p >= 2."""
    return values.kind == "float" and values.precision >= 2


def scaled_jump(values: ValueSet, machine: CompiledMachine, state: Pair, found: Return) -> Jump | None:
    """The jump along a return up to a power of two, positions counted from `state`; None when it gains nothing.

    It starts at the least position whose state returns so, when the condition holds there, else at the return's own.
    """
    position, first = least_meeting(machine, state, found.period, found.exponent)
    for start, begin in ((position, first), (found.start, found.state)):
        copies = _copies(values, machine, begin, found)
        jump = Jump(start, begin, found.period, found.exponent, copies)
        if jump.stop > found.start + found.period:
            return jump
    return None


def _copies(values: ValueSet, machine: CompiledMachine, state: Pair, found: Return) -> int:
    """K + 1 of the theorem, for a cycle from `state` on; 0 when its condition fails for k = 0."""
    emin, emax = machine.window.values.emin, machine.window.values.emax
    low, high = math.ldexp(1.0, emin + 1), math.ldexp(1.0, emax - 1)
    walked, least, greatest = machine.walk_inside(state, found.period, low, high)
    if walked < found.period or least == math.inf:  # no cycle of all zeros is one with e != 0
        return 0
    # math.frexp(x)[1] - 1 = floor(log2 x); in F the exponents are those of the window minus its shift
    if found.exponent < 0:
        room = math.frexp(least)[1] - 1 - machine.window.shift - (values.emin + 1)
    else:
        room = (values.emax - 1) - (math.frexp(greatest)[1] - 1 - machine.window.shift)
    return room // abs(found.exponent) + 1
