"""`array`: realized blocks that were given, for instance dumped from a real model ("semantics 1", §3).

Nothing is known of positions beyond the array, so that a claim about all positions cannot rest on it.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from fpsim.angle import Angle
from fpsim.real import Real
from fpsim.realization.block import Block, Traits
from fpsim.rounding.reference import element_of
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    import numpy as np

__all__ = ["Given"]


@dataclass(frozen=True)
class Given:
    """The blocks (c_i, s_i), i = 0 .. length-1, of one pair: two arrays of finite values of F, as binary64.

    >>> import numpy as np
    >>> given = Given(Angle.parse("1"), ValueSet.parse("fp16"), np.array([1.0, 0.5]), np.array([0.0, 0.75]))
    >>> given.block(1), given.length
    ((mpq(1,2), mpq(3,4)), 2)
    """

    angle: Angle
    values: ValueSet
    c: np.ndarray[Any, np.dtype[np.float64]] = field(repr=False, compare=False)
    s: np.ndarray[Any, np.dtype[np.float64]] = field(repr=False, compare=False)
    name: str = "array"

    @property
    def length(self) -> int:
        """How many positions the array has."""
        return int(self.c.size)

    @property
    def traits(self) -> Traits:
        """Any entries may be given; any of them is at hand."""
        return Traits(random_access=True)

    def block(self, position: int) -> Block:
        """(c_i, s_i).  Raises IndexError beyond the array."""
        if not 0 <= position < self.length:
            raise IndexError(f"position {position} of an array of {self.length} positions")
        return element_of(self.c[position]), element_of(self.s[position])

    def bias_angle(self) -> Angle | None:
        """None: no angle is stored."""
        return None

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """(c_k, s_k): the array's own block at the offset; None when the array does not reach it."""
        return self.block(offset) if offset < self.length else None
