"""Which proof decides a component: one module for each, after what its realization is."""

from __future__ import annotations

from collections.abc import Callable

from certify.periodicity.verdict import Verdict
from fpsim.realization import Given, Ideal, Realization, Recurrence
from fpsim.realization.windowed import Windowed

__all__ = ["decide"]


def decide(
    rotation: Realization, *, max_steps: int | None = None, progress: Callable[[int, int], None] | None = None
) -> Verdict:
    """The verdict on one component, for all positions.

    max_steps, progress: of a recurrence's search (`state_cycle.decide_recurrence`).

    >>> from fpsim.realization import realize
    >>> from fpsim.angle import Angle
    >>> from fpsim.valueset import ValueSet
    >>> fp16 = ValueSet.parse("fp16")
    >>> [decide(realize("ideal", Angle.parse(text), fp16)).verdict for text in ("0", "pi/7", "0.1")]
    ['periodic', 'periodic', 'non-periodic']
    """
    if rotation.length is not None:
        from certify.periodicity.window import decide_window

        return decide_window(rotation)
    if not rotation.angle and not _is_given(rotation):
        because = "the angle 0 is the exact identity at every position"
        return Verdict("periodic", "finite-table", because, 1, 0, 1, witness=(0,))
    if isinstance(rotation, Windowed):
        from certify.periodicity.repeated_table import decide_windowed

        return decide_windowed(rotation, decide)
    if isinstance(rotation, Ideal):
        if rotation.angle.turns is None:
            from certify.periodicity.irrational import decide_irrational

            return decide_irrational(rotation)
        from certify.periodicity.table import decide_table

        return decide_table(rotation)
    if isinstance(rotation, Recurrence):
        from certify.periodicity.recurrences.state_cycle import decide_recurrence

        return decide_recurrence(rotation, max_steps, progress)
    from certify.periodicity.eventually_constant import decide_eventually_constant
    from certify.periodicity.phase_stages import as_phased

    phased = as_phased(rotation)
    if phased is not None:
        return decide_eventually_constant(phased)
    return Verdict("undecided", None, f"no proof is known for the realization {rotation.name}")


def _is_given(rotation: Realization) -> bool:
    """Whether the blocks are what a user gave, an angle of 0 or not."""
    return isinstance(rotation.inner if isinstance(rotation, Windowed) else rotation, Given)
