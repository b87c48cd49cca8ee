"""Where an exact rotation has no rounded block: under the overflow policy `nan`, where cos or sin is beyond range.

cos and sin stay within [-1, 1] and 0 is in F, so only what rounds to NaN near 1 or near -1 matters.  If 1 does, then
position 0 has no block, since cos 0 = 1.  Otherwise only numbers below some -b are beyond range, 0 < b <= 1 (a lopsided
grid, or rounding down).  With delta the distance in turns of i alpha from 1/2 the cosine is -cos(2 pi delta), and from
3/4 the sine is, so these positions are those that lie in one of two arcs, of the half width acos(b)/2 pi.
"""

from __future__ import annotations

from gmpy2 import mpq

from certify.periodicity.first_visit import first_visit
from certify.rotation.width import gap_in_turns
from fpsim.realization import Block, Ideal
from fpsim.rounding.cells import boundary
from fpsim.rounding.reference import is_nan, round_exact

__all__ = ["first_undefined", "has_nan"]


def has_nan(block: Block) -> bool:
    """Whether an entry of the block is NaN."""
    return is_nan(block[0]) or is_nan(block[1])


def first_undefined(rotation: Ideal) -> int | None:
    """The least position whose block has a NaN; None when there is none.

    >>> from fpsim.realization import realize
    >>> from fpsim.valueset import ValueSet
    >>> from fpsim.angle import Angle
    >>> first_undefined(realize("ideal", Angle.parse("1"), ValueSet.parse("fixed:4.4:nan")))
    0
    """
    values = rotation.values
    if values.overflow != "nan":
        return None
    if is_nan(round_exact(values, mpq(1))):
        return 0
    if not is_nan(round_exact(values, mpq(-1))):
        return None
    limit, beyond = boundary(values, -values.first + 1, negative=True)
    assert limit is not None  # -1 is beyond it
    if limit == 1 and rotation.angle.turns is None:  # only -1 itself is beyond range, and it is not attained
        return None
    found = (
        first_visit(rotation.angle, middle, lambda bits: gap_in_turns(1, 1 - limit, bits=bits), closed=beyond)
        for middle in (mpq(1, 2), mpq(3, 4))
    )
    return min((position for position in found if position is not None), default=None)
