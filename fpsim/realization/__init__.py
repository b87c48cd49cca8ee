"""Realizations: what a machine's rotation at position i really is ("semantics 1", §3).

A realization turns an angle and a position into the pair (c_i, s_i) of values of F, the realized block [[c, -s], [s,
c]].  These are the references; `fpsim.blocks` computes many positions at once.  An angle of 0 is an unrotated pair: the
exact identity at every position, in every realization (but for `array`, which is what it is).

ideal, table    the exact rotation rounded once          `ideal`
phase, counter  theta * i formed in F, then turned by    `phase`, `counting`
recurrence      a state turned again and again           `recurrence`
array           given by the user                        `given`, `array_file`
"""

from fpsim.realization.block import IDENTITY, Block, Realization, Traits, angle_real, round_angle, traits_of
from fpsim.realization.given import Given
from fpsim.realization.ideal import Ideal, Table
from fpsim.realization.kinds import REALIZATIONS, Kind, parse_kind, realize
from fpsim.realization.phase import Counter, Phase
from fpsim.realization.recurrence import Recurrence

__all__ = [
    "IDENTITY",
    "REALIZATIONS",
    "Block",
    "Counter",
    "Given",
    "Ideal",
    "Kind",
    "Phase",
    "Realization",
    "Recurrence",
    "Table",
    "Traits",
    "angle_real",
    "parse_kind",
    "realize",
    "round_angle",
    "traits_of",
]
