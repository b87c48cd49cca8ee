"""Whether the components of a realized schedule repeat, and how far its rotations are off: the data behind the picture.

One row for each component: its verdict, which is about all positions, and the positions where something begins.  Beside
it, for a few components, the greatest error of the realized angle in each of some ranges of positions.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from certify.head_effects.errors import block_errors
from certify.head_effects.explanation import ACCURACY
from certify.periodicity.positions import has_fast_blocks, has_fast_turns
from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import Verdict
from certify.plots.gap_data import to_float
from fpsim.realization import Recurrence
from fpsim.rounding.specs import spec_of

__all__ = ["ErrorCurve", "PeriodCurve", "PeriodRow", "period_curve"]

REACH = 1 << 17  # positions of an error curve: longer than the contexts of most models
BY_REFERENCE = 1 << 10  # where only the slow reference computes blocks
_PER_OCTAVE = 4  # ranges of positions from n to 2n
_AT_ONCE = 1 << 14


@dataclass(frozen=True)
class PeriodRow:
    """One component.

    theta: the exact angle, None in an array.  wavelength: 2 pi / |theta|, after which the exact rotation is back; None
    without an angle, and for the angle 0.  first_collision: the first two positions with the same block, if they are
    known.  known: how many positions were given; None: all are known.
    """

    component: int
    theta: str | None
    wavelength: float | None
    verdict: Verdict
    first_collision: tuple[int, int] | None
    known: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields, with the verdict's period, pre-period, eventual period and `leaves_F_at` beside it."""
        verdict = self.verdict
        return {
            "component": self.component,
            "theta": self.theta,
            "wavelength": self.wavelength,
            "verdict": verdict.verdict,
            "period": verdict.period,
            "preperiod": verdict.preperiod,
            "eventual_period": verdict.eventual_period,
            "leaves_F_at": verdict.leaves_F_at,
            "first_collision": None if self.first_collision is None else list(self.first_collision),
            "known": self.known,
        }


@dataclass(frozen=True)
class ErrorCurve:
    """For one component, (first, last, error): the greatest angle error, in radians, of the positions first .. last.

    Errors are correct to about 10^-15; ranges without a defined angle are left out.
    """

    component: int
    theta: str
    ranges: tuple[tuple[int, int, float], ...]

    def to_json(self) -> dict[str, Any]:
        """{"component", "theta", "ranges": [{"first", "last", "angle_error"}]}."""
        ranges = [{"first": first, "last": last, "angle_error": error} for first, last, error in self.ranges]
        return {"component": self.component, "theta": self.theta, "ranges": ranges}


@dataclass(frozen=True)
class PeriodCurve:
    """The rows of all components and the error curves of the fastest, a middle and the slowest one; title: of what."""

    title: str
    rows: tuple[PeriodRow, ...]
    curves: tuple[ErrorCurve, ...]

    def to_json(self) -> dict[str, Any]:
        """{"title", "rows", "curves"}."""
        return {
            "title": self.title,
            "rows": [row.to_json() for row in self.rows],
            "curves": [curve.to_json() for curve in self.curves],
        }


def period_curve(result: PeriodResult, *, reach: int = REACH) -> PeriodCurve:
    """The curve of a `period` result, with the angle errors of the positions below `reach` (fewer where the realization
    has no fast way, or an array ends before).  Without an angle, as in an array, there is no error.

    >>> from certify.periodicity.compute import period
    >>> curve = period_curve(period(theta="1", dtype="bf16", realize="counter"), reach=300)
    >>> curve.rows[0].first_collision, curve.rows[0].verdict.preperiod
    ((256, 257), 256)
    >>> [(first, last, round(error, 4)) for first, last, error in curve.curves[0].ranges][-2:]
    [(215, 255, 0.0023), (256, 299, 3.1328)]
    """
    rows = tuple(_row(component) for component in result.components)
    curves = tuple(_error_curve(component, reach) for component in _few(result.components))
    return PeriodCurve(str(result).partition("\n")[0].rstrip("."), rows, curves)


def _row(component: Component) -> PeriodRow:
    wavelength, pair = _wavelength(component), component.collision.pair
    return PeriodRow(component.number, component.theta, wavelength, component.verdict, pair, component.rotation.length)


def _turns(component: Component) -> bool:
    """Whether there is an exact rotation to compare with, other than none at all."""
    return component.theta is not None and bool(component.rotation.angle)


def _wavelength(component: Component) -> float | None:
    if not _turns(component):
        return None
    lo, hi = component.rotation.angle.enclose_turns(60)
    return abs(to_float(2 / (lo + hi)))


def _few(components: Sequence[Component]) -> list[Component]:
    """The fastest, a middle and the slowest component of those that turn."""
    turning = [component for component in components if _turns(component)]
    by_speed = sorted(turning, key=lambda one: max(map(abs, one.rotation.angle.enclose(60))), reverse=True)
    places = sorted({0, len(by_speed) // 2, len(by_speed) - 1}) if by_speed else []
    return [by_speed[place] for place in places]


def _error_curve(component: Component, reach: int) -> ErrorCurve:
    rotation = component.rotation
    fast = has_fast_blocks(rotation) or (isinstance(rotation, Recurrence) and spec_of(rotation.values) is not None)
    if not (fast and has_fast_turns(rotation.angle)):
        reach = min(reach, BY_REFERENCE)
    if rotation.length is not None:
        reach = min(reach, rotation.length)
    errors = np.concatenate(
        [block_errors(rotation, start, min(start + _AT_ONCE, reach))[0] for start in range(0, reach, _AT_ONCE)]
    )
    ranges = []
    edges = sorted(
        {min(reach, round(2 ** (step / _PER_OCTAVE))) for step in range(_PER_OCTAVE * reach.bit_length() + 1)}
    )
    for first, stop in pairwise(edges):
        known = errors[first:stop][~np.isnan(errors[first:stop])]
        if known.size:
            greatest = float(known.max())
            ranges.append((first, stop - 1, greatest if greatest >= ACCURACY else 0.0))
    return ErrorCurve(component.number, str(rotation.angle), tuple(ranges))
