"""`ideal` for an irrational multiple of 2 pi: periodic only when it is constant.

Let alpha = theta / 2 pi be irrational and R_i = (round(cos(theta i)), round(sin(theta i))), with no NaN.

**Theorem** (Prop. 4.1 of arXiv:2608.11909, which is Walters 1982, Thm 1.8; here with what coarse value sets do).  If R
has a period from some position on, then everything in the open interval (-1, 1) rounds to 0.

Proof.  Let R_{i+m} = R_i for i >= mu, and take such an i >= 1.  The places (i + m t) alpha mod 1, t = 0, 1, .., are
dense in the circle, because m alpha is irrational, so their cosines come as near to 1 and to -1 as one likes.  They all
round to c_i, and rounding is monotone: everything in (-1, 1) rounds to c_i.  0 is in (-1, 1) and rounds to 0.

**What follows.**  Only position 0 has a cosine of 1 (or a sine of 0), and no position a cosine of -1.  So:

* (-1, 1) rounds to 0, and so does 1: all R_i are (0, 0), period 1.  (-1 may round to something else.)
* (-1, 1) rounds to 0, and 1 does not (as under `zero` in the integers): R_0 differs from all others, which are (0, 0).
  Not periodic; constant from position 1 on.
* otherwise R has no period from any position on.  Two positions whose blocks differ show that it is not constant, and
  so prove it; the two are i, j >= 1 here, where the cosines and sines of an algebraic angle are transcendental, and so
  strictly inside the rounding cells.

**The two positions.**  They are nearly always among the first few.  If not (an angle of 10^-300; a value set whose
cells part at 1 - 10^-100), let [lo, hi] be the closure of the cell of 0: lo > -1 or hi < 1.  The cosines above hi,
those below lo and those in between are arcs of the circle whose ends are bracketed by rationals, and
`first_visit` finds the first position in an arc in time proportional to the number of its digits.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.periodicity.first_visit import Bracket, first_visit
from certify.periodicity.undefined import first_undefined
from certify.periodicity.verdict import Verdict, position_text
from certify.rotation.width import gap_in_turns
from fpsim.realization import Ideal
from fpsim.rounding.cells import Cell, cell
from fpsim.rounding.reference import round_exact

__all__ = ["decide_irrational", "two_values"]

_FIRST_POSITIONS = 8


def decide_irrational(rotation: Ideal) -> Verdict:
    """The verdict for an angle that is no rational multiple of 2 pi, or of which that is not known.

    >>> from fpsim.angle import Angle
    >>> from fpsim.grid_file import grid
    >>> from fpsim.valueset import ValueSet
    >>> for values in (ValueSet.parse("fp16"), ValueSet.parse("fixed:8.0:zero"), grid([-4, 0, 4])):
    ...     verdict = decide_irrational(Ideal(Angle.parse("1"), values))
    ...     print(verdict.verdict, verdict.period, verdict.preperiod, verdict.witness)
    non-periodic None None (1, 2)
    non-periodic None 1 (0, 1)
    periodic 1 0 (0,)
    """
    angle, values = rotation.angle, rotation.values
    if round_exact(values, mpq(1)) == 0 and round_exact(values, mpq(-1)) == 0:
        because = f"everything in [-1, 1] rounds to 0 in {values.name}, so every block is (0, 0)"
        return _constant(because)
    reason = angle.irrational_because
    if reason is None:
        because = f"whether {angle} is a rational multiple of 2 pi is not known"
        return Verdict("undecided", None, because)
    gone = first_undefined(rotation)
    if gone is not None:
        because = f"position {position_text(gone)} has a NaN: its exact block is beyond the range of {values.name}"
        return Verdict("non-periodic", "left-F", because, leaves_F_at=gone, witness=(gone,))
    zero = cell(values, mpq(0))
    if (zero.lo is None or zero.lo <= -1) and (zero.hi is None or zero.hi >= 1):
        if round_exact(values, mpq(1)) == 0:
            because = f"everything in (-1, 1] rounds to 0 in {values.name}, and no cosine is -1 ({reason})"
            return _constant(because)
        because = (
            f"everything in (-1, 1) rounds to 0 in {values.name}, but 1 does not, and only position 0 has the cosine 1 "
            f"({reason})"
        )
        return Verdict("non-periodic", "irrational-angle", because, preperiod=1, eventual_period=1, witness=(0, 1))
    i, j = two_values(rotation, zero)
    shown = f"{position_text(i)} and {position_text(j)}"
    because = f"the blocks of {shown} differ, and a period would make them equal: {reason}"
    return Verdict("non-periodic", "irrational-angle", because, witness=(i, j))


def _constant(because: str) -> Verdict:
    return Verdict("periodic", "eventually-constant", because, period=1, preperiod=0, eventual_period=1, witness=(0,))


def two_values(rotation: Ideal, zero: Cell) -> tuple[int, int]:
    """Two positions of at least 1 whose blocks differ, given that the cell of 0 does not contain all of (-1, 1)."""
    first = rotation.block(1)
    for position in range(2, _FIRST_POSITIONS):
        if rotation.block(position) != first:
            return 1, position
    above = _width(1 - zero.hi) if zero.hi is not None and zero.hi < 1 else None
    below = _width(1 + zero.lo) if zero.lo is not None and zero.lo > -1 else None
    # A side that rounds to 0 as a whole reaches to the one boundary that there is, the other side's.
    if above is None:
        assert below is not None  # else (-1, 1) rounds to 0
        above = _rest(below)
    elif below is None:
        below = _rest(above)
    high, low = first_visit(rotation.angle, mpq(0), above), first_visit(rotation.angle, mpq(1, 2), below)
    assert high is not None  # the orbit is dense
    assert low is not None
    assert rotation.block(high)[0] != rotation.block(low)[0]  # what the arcs were made for
    return min(high, low), max(high, low)


def _width(gap: mpq) -> Bracket:
    """The half width of the arc around 0 where the cosine is above 1 - gap."""
    return lambda bits: gap_in_turns(1, gap, bits=bits)


def _rest(width: Bracket) -> Bracket:
    """The half width of the rest of the circle."""

    def rest(bits: int) -> tuple[mpq, mpq]:
        lo, hi = width(bits)
        return mpq(1, 2) - hi, mpq(1, 2) - lo

    return rest
