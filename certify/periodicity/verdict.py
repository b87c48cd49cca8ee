"""What is decided of one component of a realized schedule, with its proof ("semantics 1", §7)."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from gmpy2 import mpq

from fpsim.number import decimal_text

__all__ = ["Decision", "Proof", "Verdict", "position_text"]

Decision: TypeAlias = Literal["periodic", "non-periodic", "window-only", "undecided"]
Proof: TypeAlias = Literal["finite-table", "irrational-angle", "eventually-constant", "state-cycle", "left-F", "window"]


@dataclass(frozen=True)
class Verdict:
    """The verdict on the blocks R_0, R_1, .. of one component, for all positions.

    verdict: "periodic" means R_{i+m} = R_i for all i >= 0; "window-only" speaks of the positions that were given only;
    "undecided" of what was looked at.  period: the least such m, for "periodic" (and for "window-only" the least one
    consistent with the window).  preperiod, eventual_period: the least mu and the least lambda with R_{i+lambda} = R_i
    for all i >= mu, where there are any.  leaves_F_at: the first position whose block has a NaN.  proof: the kind of
    proof; None for "undecided".  witness: the positions that the proof names.  because: the proof in a sentence.
    """

    verdict: Decision
    proof: Proof | None
    because: str
    period: int | None = None
    preperiod: int | None = None
    eventual_period: int | None = None
    leaves_F_at: int | None = None
    witness: tuple[int, ...] = ()

    def __repr__(self) -> str:
        """Without the numbers, which can have more digits than Python writes; they are in `because`, in short."""
        return f"Verdict({self.verdict!r}, {self.proof!r}, {self.because!r})"


def position_text(position: int) -> str:
    """A position for people: long ones in short.  (Exact numbers stand in the fields of a verdict.)

    >>> position_text(65520), position_text(2**1024)
    ('65520', '1.7976931349...e+308')
    """
    return str(position) if position < 10**24 else decimal_text(mpq(position), 11)
