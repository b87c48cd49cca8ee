"""The effects of the schedule that a `period` result is about: one head for each kind of layer."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from certify.certified_range.question import parse_scale
from certify.head_effects.effects import HeadEffects, head_effects
from certify.periodicity.result import Component, PeriodResult
from fpsim.errors import InputError
from fpsim.number import parse_count

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

    length: positions 0 .. length-1, at least k + 2 of them: query k + 1 is the first.  C: the scale of every pair;
    default: the largest power of two at most a quarter of the largest score value, for all pairs together.  threshold:
    the gap that C times the real gap must reach; default: f_large.  progress: as in `head_effects`.  Where angles are
    not known, as of an array, no errors are.  Raises `InputError` and `UnsupportedError` as that does.

    >>> from certify.periodicity.compute import period
    >>> effects = schedule_effects(period(base=10000, dim=128, dtype="bf16", pipeline="all-bf16"), length=300)
    >>> effects[None].first_failure.i
    257
    """
    length = parse_count(length, "length", least=3)
    k = parse_count(k, "k")
    if k > length - 2:
        raise InputError("k", k, f"at most {length - 2}: of {length} positions, query k+1 is the first")
    layers: dict[str | None, list[Component]] = {}
    for component in result.components:
        layers.setdefault(component.layer, []).append(component)
    scale = None if C is None else parse_scale(C)
    return {
        layer: head_effects(
            [component.rotation for component in components],
            length=length, scale=scale, threshold=threshold, offset=k, progress=progress,
            compare=all(component.theta is not None for component in components),
        )
        for layer, components in layers.items()
    }  # fmt: skip
