"""`array`: what a finite window of positions can show, and no more.

Whatever was given, the next position could be anything: a window decides nothing about all positions.  What it can show
is the least period that all of it is consistent with, if that is seen at least twice.
"""

from __future__ import annotations

from certify.periodicity.least_period import window_period
from certify.periodicity.verdict import Verdict
from fpsim.blocks import blocks
from fpsim.realization import Realization

__all__ = ["decide_window"]


def decide_window(rotation: Realization) -> Verdict:
    """The verdict "window-only" on a realization of which only the first `rotation.length` positions are known.

    >>> import numpy as np
    >>> from fpsim.angle import Angle
    >>> from fpsim.realization import Given
    >>> from fpsim.valueset import ValueSet
    >>> given = Given(Angle.parse("1"), ValueSet.parse("fp16"), np.array([1.0, 0, -1, 0] * 3), np.array([0.0] * 12))
    >>> decide_window(given).verdict, decide_window(given).period
    ('window-only', 4)
    """
    length = rotation.length
    assert length is not None  # else all positions are known
    c, s = blocks(rotation, 0, length)
    period = window_period(c, s)
    if period is None:
        because = f"no period of up to half the window is consistent with its {length} positions"
        return Verdict("window-only", "window", because)
    because = f"the {length} positions of the window are consistent with the period {period}, and with no shorter one"
    return Verdict("window-only", "window", because, period=period, witness=(0, period))
