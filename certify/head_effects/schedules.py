"""The effects of the schedule that a `period` result is about: one head for each kind of layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from certify.certified_range.question import parse_scale
from certify.head_effects.effects import HeadEffects, head_effects
from certify.periodicity.result import PeriodResult

__all__ = ["schedule_effects"]


def schedule_effects(
    result: PeriodResult,
    *,
    length: int,
    C: Any = None,
    k: int = 1,
    threshold: Any = None,
    progress: Callable[[int, int], None] | None = None,
) -> dict[str | None, HeadEffects]:
    """The effects on a head that looks k back and has a pair for each component; a key for each kind of layer.

    length: positions 0 .. length-1.  C: the scale of every pair; default: the largest power of two at most a quarter
    of the largest score value, for all pairs together.  threshold: the gap that C times the real gap must reach;
    default: f_large.  progress: as in `head_effects`.  Raises `InputError` and `UnsupportedError` as that does.

    >>> from certify.periodicity.compute import period
    >>> effects = schedule_effects(period(base=10000, dim=128, dtype="bf16", pipeline="all-bf16"), length=300)
    >>> effects[None].first_failure.i
    257
    """
    layers: dict[str | None, list[Any]] = {}
    for component in result.components:
        layers.setdefault(component.layer, []).append(component.rotation)
    scale = None if C is None else parse_scale(C)
    return {
        layer: head_effects(rotations, length=length, scale=scale, threshold=threshold, offset=k, progress=progress)
        for layer, rotations in layers.items()
    }
