"""What an audit says of a component: its wavelength and verdict, how far its angle is off, and its certified range."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Question
from certify.certified_range.result import CertifiedRange
from certify.head_effects.errors import Extreme, angle_errors
from certify.periodicity.result import Component
from fpsim.angle import Angle
from fpsim.errors import FpcertError
from fpsim.pipeline import Pipeline
from fpsim.realization import Realization
from fpsim.regime import Regime
from fpsim.valueset import ValueSet

__all__ = ["AngleError", "AuditedComponent", "Range", "angle_error", "certified_range", "turns_within", "wavelength"]

_AT_ONCE = 1 << 14  # positions


@dataclass(frozen=True)
class AngleError:
    """How far the realized angle is from the exact one, in radians from 0 to pi: at the last position, and at most.

    last: at position length-1; None where the block is (0, 0) or not finite.  greatest: over the positions before
    `covered`, with its position; None where no block has an angle.  Correct to about 10^-15.
    """

    last: float | None
    greatest: Extreme | None
    covered: int

    def to_json(self) -> dict[str, Any]:
        """{"at_end", "greatest": {"size", "position"}, "covered"}."""
        most = self.greatest
        return {
            "at_end": self.last,
            "greatest": None if most is None else {"size": most.size, "position": most.position},
            "covered": self.covered,
        }


@dataclass(frozen=True)
class Range:
    """N_max for one pair and k = 1 at the scale C; or, with status "unsupported", the reason alone.

    status: as in `CertifiedRange`; "at_least" with n_max at least the context length where the search ended there.
    """

    n_max: int | None
    status: str
    reason: str | None
    usable: bool
    interrupted: bool = False

    def to_json(self) -> dict[str, Any]:
        """{"n_max", "status", "reason", "usable"}."""
        return {"n_max": self.n_max, "status": self.status, "reason": self.reason, "usable": self.usable}


@dataclass(frozen=True)
class AuditedComponent:
    """One pair.  period: the verdict with its proof, and the first collision.  wavelength: 2 pi/|theta| in positions,
    to 15 digits; None for the angle 0.  used: whether it turns at least once within the length.  error, range: None
    where Ctrl-C came before them.
    """

    period: Component
    angle: Angle
    wavelength: float | None
    used: bool
    error: AngleError | None
    range: Range | None

    def to_json(self) -> dict[str, Any]:
        """The keys of one entry of `components`: those of `fpcert period`, and what the audit adds."""
        return self.period.to_json() | {
            "wavelength": self.wavelength,
            "used": self.used,
            "angle_error": None if self.error is None else self.error.to_json(),
            "range": None if self.range is None else self.range.to_json(),
        }


def wavelength(angle: Angle) -> float | None:
    """2 pi/|angle|, the number of positions after which the exact rotation is back; None for the angle 0.

    >>> wavelength(Angle.parse("1")), wavelength(Angle.parse("2pi/64"))
    (6.283185307179586, 64.0)
    """
    if not angle:
        return None
    lo, hi = angle.enclose_turns(80)
    return float(abs(2 / (lo + hi)))


def turns_within(angle: Angle, length: int) -> bool:
    """Whether |angle| (length - 1) >= 2 pi, decided exactly: an angle is a rational number of turns, or the bounds end.

    >>> turns_within(Angle.parse("2pi/64"), 65), turns_within(Angle.parse("2pi/64"), 64)
    (True, False)
    """
    if angle.turns is not None:
        return bool(abs(angle.turns) * (length - 1) >= 1)
    bits = 64
    while True:
        lo, hi = sorted(abs(end) * (length - 1) for end in angle.enclose_turns(bits))
        if lo >= 1 or hi < 1:
            return bool(lo >= 1)
        bits *= 2


def angle_error(rotation: Realization, length: int, covered: int) -> AngleError:
    """The angle errors at length-1, and the greatest before `covered`."""
    greatest: Extreme | None = None
    for start in range(0, covered, _AT_ONCE):
        errors = angle_errors(rotation, start, min(start + _AT_ONCE, covered))
        known = np.where(np.isnan(errors), -1.0, errors)
        at = int(known.argmax())
        if known[at] >= 0 and (greatest is None or known[at] > greatest.size):
            greatest = Extreme(float(known[at]), start + at, 0)
    last = float(angle_errors(rotation, length - 1, length)[0])
    return AngleError(None if np.isnan(last) else last, greatest, covered)


def certified_range(
    angle: Angle, pair: int, pipeline: Pipeline, dtype: ValueSet, *, scale: mpq | None, length: int
) -> Range:
    """N_max^(1) of the pair alone, at the scale C, searched up to the length."""
    if scale is None:
        return Range(None, "unsupported", f"{dtype.name} has no value above 0", usable=False)
    if not angle:
        return Range(None, "unsupported", "an unrotated pair gives every position the same score", usable=False)
    regime = Regime.of(dtype, rotate=pipeline.applied_in(dtype))
    try:
        found = nmax_of(Question(angle, scale, 1, regime, pipeline, "gap", pair), max_length=length)
    except FpcertError as error:
        return Range(None, "unsupported", str(error), usable=False)
    return _range(found)


def _range(found: CertifiedRange) -> Range:
    n_max = found.lower if found.status == "between" else found.n_max
    return Range(n_max, found.status, found.reason, found.usable, found.interrupted)
