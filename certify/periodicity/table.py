"""`table`, and `ideal` for a rational multiple of 2 pi: the minimal period of a rounded table, of any size.

Let theta = 2 pi a/m in lowest terms and R_i = (round(cos(theta i)), round(sin(theta i))).

**Theorem.**  The least period of R is 1 when all R_i are equal, and m otherwise.

Proof.  m is a period, and the least period of a sequence that is periodic from 0 on divides every period: let L be the
least one, write gcd(L, m) = u L - v m with u, v >= 0; R_{i + gcd} = R_{i + gcd + v m} = R_{i + u L} = R_i, so the gcd
is a period and hence L.  Let q = m/L and suppose q >= 2.  The turn by L positions is a L/m = a/q of a circle, and a is
coprime to q, so the multiples of L run through all q-th parts of it.

(1) Then R_{tL} = R_0 for a t with a t = floor(q/2) mod q, where the cosine is cos(2 pi floor(q/2)/q) <= -1/2.  So some
x <= -1/2 rounds as 1 does, and rounding is monotone: everything in [-1/2, 1] rounds to the same value v.

(2) Let S be the positions whose cosine does not round to v.  By (1) they lie in the open third of the circle around 1/2
where the cosine is below -1/2.  If S is not empty, it contains with one point of the circle all q that are turned from
it by parts of 1/q, since L is a period.  For q = 2 the opposite point lies outside that open third; for q >= 3 one of
the q points, which are 1/q apart all around, lies in the complement, a closed arc of 2/3 >= 1/q.  So S is empty, and
likewise the set of positions whose sine does not round to v, around 3/4.  All R_i are (v, v).

So it is enough to know whether all entries are equal, and for that, by monotonicity, whether the greatest and the least
cosine of the table round alike, and the greatest and the least sine: four positions, for m = 10^85 as for m = 7.
`certify.periodicity.least_period` does it the slow way.
"""

from __future__ import annotations

from certify.periodicity.undefined import first_undefined
from certify.periodicity.verdict import Verdict, position_text
from fpsim.realization import Ideal

__all__ = ["decide_table"]


def decide_table(rotation: Ideal) -> Verdict:
    """The verdict for an angle that is a rational multiple of 2 pi.

    >>> from fpsim.realization import realize
    >>> from fpsim.valueset import ValueSet
    >>> from fpsim.angle import Angle
    >>> decide_table(realize("table", Angle.parse("2pi*10/1000"), ValueSet.parse("e5m2"))).period
    100
    >>> decide_table(realize("ideal", Angle.parse("2pi*3/7"), ValueSet.parse("fixed:8.0:zero"))).witness
    (0, 1)
    """
    turns = rotation.angle.turns
    assert turns is not None  # `Table` has checked it, and `decide` asks no other `Ideal`
    m = int(turns.denominator)
    gone = first_undefined(rotation)
    if gone is not None:
        return Verdict(
            "non-periodic",
            "left-F",
            f"position {position_text(gone)} has a NaN: its exact block is beyond the range of {rotation.values.name}",
            leaves_F_at=gone,
            witness=(gone,),
        )
    back = pow(int(turns.numerator), -1, m)  # the position at k m-th parts of a turn is k * back mod m
    highest, lowest, top, bottom = (k * back % m for k in (0, m // 2, (m + 2) // 4, (3 * m + 2) // 4))
    if rotation.block(highest)[0] != rotation.block(lowest)[0]:
        different = (highest, lowest)
    elif rotation.block(top)[1] != rotation.block(bottom)[1]:
        different = (min(top, bottom), max(top, bottom))
    else:
        because = (
            "the greatest and the least cosine of the table round alike, and so do the greatest and the least sine, so "
            f"all its {position_text(m)} entries are equal"
        )
        return Verdict("periodic", "finite-table", because, period=1, preperiod=0, eventual_period=1, witness=(0,))
    because = (
        f"the table of {position_text(m)} entries is read again and again; the blocks of {position_text(different[0])} "
        f"and {position_text(different[1])} differ, and a rounded table that is not constant has no shorter period"
    )
    return Verdict("periodic", "finite-table", because, period=m, preperiod=0, eventual_period=m, witness=different)
