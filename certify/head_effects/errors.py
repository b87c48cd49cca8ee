"""How far a realized rotation is from the exact one: its phase before cos and sin, its angle, its cosine and sine.

The exact cos and sin are taken from `ideal` in binary64, correct to 2^-54 each, so that an angle error, the angle
between two vectors, is correct to about 10^-15, and so is an error of an entry.  A phase error is correct to 15 digits.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from fpsim.blocks import Floats, blocks, phases
from fpsim.enclosure import pi_bounds
from fpsim.real import Irrational
from fpsim.realization import Ideal, Realization
from fpsim.valueset import ValueSet

__all__ = [
    "Extreme",
    "RotationErrors",
    "angle_errors",
    "attention_factor",
    "block_errors",
    "phase_errors",
    "rotation_errors",
]

_BINARY64 = ValueSet.parse("fp64")
_AT_ONCE = 1 << 14  # positions


@dataclass(frozen=True)
class Extreme:
    """The greatest of some errors: the first position (then the first pair) that has it."""

    size: float
    position: int
    pair: int

    def to_json(self) -> dict[str, Any]:
        """{"size", "position", "pair"}."""
        return {"size": self.size, "position": self.position, "pair": self.pair}


@dataclass(frozen=True)
class RotationErrors:
    """The greatest errors over the pairs and over positions 0 .. n-1.

    angle: of the angle of the realized block, in radians, from 0 to pi; blocks (0, 0) have none.  cos, sin: of c_i and
    s_i, which should be cos(theta i) and sin(theta i), times the attention factor where a realization has one.  phase:
    |phi_i - theta i| in radians, not reduced, for realizations that form a phase.  reaches_pi: the first (position,
    pair) whose phase error is at least pi; decided exactly.  None where there is nothing.
    """

    angle: Extreme | None
    cos: Extreme | None
    sin: Extreme | None
    phase: Extreme | None
    reaches_pi: tuple[int, int] | None


def rotation_errors(rotations: Sequence[Realization], length: int) -> RotationErrors:
    """The greatest errors over positions 0 .. length-1.

    >>> from fpsim.angle import Angle
    >>> from fpsim.realization import Phase
    >>> errors = rotation_errors([Phase(Angle.parse("1"), ValueSet.parse("bf16"))], 1000)
    >>> errors.phase, errors.reaches_pi  # 514 is 512 in bf16, 516 is there: 2 is the spacing's half
    (Extreme(size=2.0, position=514, pair=0), None)
    """
    angle: Extreme | None = None
    cos: Extreme | None = None
    sin: Extreme | None = None
    phase: Extreme | None = None
    reaches: tuple[int, int] | None = None
    for pair, rotation in enumerate(rotations):
        for start in range(0, length, _AT_ONCE):
            stop = min(start + _AT_ONCE, length)
            angles, cosines, sines = block_errors(rotation, start, stop)
            angle = _greater(angle, angles, start, pair)
            cos = _greater(cos, cosines, start, pair)
            sin = _greater(sin, sines, start, pair)
            off = phase_errors(rotation, start, stop)
            if off is not None:
                phase = _greater(phase, off, start, pair)
                limit = stop if reaches is None else min(stop, reaches[0])  # an equal position keeps the earlier pair
                position = _first_at_pi(rotation, off, start, limit)
                reaches = reaches if position is None else (position, pair)
    return RotationErrors(angle, cos, sin, phase, reaches)


def _greater(so_far: Extreme | None, errors: Floats, start: int, pair: int) -> Extreme | None:
    """The greater of the two, of equal ones the earlier; NaN counts for nothing."""
    known = np.where(np.isnan(errors), -1.0, errors)
    if not known.size or known.max() < 0:
        return so_far
    at = int(known.argmax())
    new = Extreme(float(known[at]), start + at, pair)
    return new if so_far is None or (new.size, -new.position) > (so_far.size, -so_far.position) else so_far


def block_errors(rotation: Realization, start: int, stop: int) -> tuple[Floats, Floats, Floats]:
    """(angle, cos, sin): the errors of the realized blocks start .. stop-1; NaN where the block is not finite or, for
    the angle, (0, 0).
    """
    c, s, exact_c, exact_s = _realized_and_exact(rotation, start, stop)
    factor = attention_factor(rotation)
    with np.errstate(invalid="ignore"):
        bad = ~(np.isfinite(c) & np.isfinite(s))
        cos, sin = np.abs(c - factor * exact_c), np.abs(s - factor * exact_s)
        cos[bad], sin[bad] = np.nan, np.nan
    return _angles_between(c, s, exact_c, exact_s), cos, sin


def angle_errors(rotation: Realization, start: int, stop: int) -> Floats:
    """The first array of `block_errors` alone."""
    return _angles_between(*_realized_and_exact(rotation, start, stop))


def _realized_and_exact(rotation: Realization, start: int, stop: int) -> tuple[Floats, Floats, Floats, Floats]:
    return *blocks(rotation, start, stop), *blocks(Ideal(rotation.angle, _BINARY64), start, stop)


def _angles_between(c: Floats, s: Floats, exact_c: Floats, exact_s: Floats) -> Floats:
    """The angle from the exact vector (C, S) to (c, s), which has the tangent (s C - c S) / (c C + s S)."""
    size = np.maximum(np.abs(c), np.abs(s))  # NaN where one of them is
    nothing = ~((size > 0) & (size < np.inf))
    size[nothing] = 1.0
    with np.errstate(invalid="ignore"):
        angle: Floats = np.abs(np.arctan2((s * exact_c - c * exact_s) / size, (c * exact_c + s * exact_s) / size))
    angle[nothing] = np.nan
    return angle


def attention_factor(rotation: Realization) -> float:
    """What the realization multiplies cos and sin by, as a float near it."""
    factor = getattr(rotation, "attention_factor", 1)
    return float(sum(factor.enclose(60)) / 2 if isinstance(factor, Irrational) else factor)


def phase_errors(rotation: Realization, start: int, stop: int) -> Floats | None:
    """|phi_i - theta i| for start <= i < stop, not reduced; NaN where phi_i is not finite, None for a realization
    without a phase.

    theta is taken as h + m + l, with h and m short enough for i h and i m to be exact in binary64.  A difference there
    is exact where the two numbers are within a factor of 2 of each other (Sterbenz), else off by 2^-53 of itself.  So
    only i l and the error itself are rounded, and l, at most 2^-56 of theta up to 2^24 positions, is small beside
    half a unit in the last place of phi in any format that binary64 holds.
    """
    turned = phases(rotation, start, stop)
    if turned is None:
        return None
    lo, hi = rotation.angle.enclose(200)
    theta = (lo + hi) / 2
    bits = 53 - max(1, stop.bit_length())
    high = _shortened(theta, bits)
    middle = _shortened(theta - high, bits)
    positions = np.arange(start, stop, dtype=np.float64)
    with np.errstate(invalid="ignore"):
        errors: Floats = np.abs(
            turned - positions * float(high) - positions * float(middle) - positions * float(theta - high - middle)
        )
    errors[~np.isfinite(turned)] = np.nan
    return errors


def _shortened(x: mpq, bits: int) -> mpq:
    """x cut to that many bits."""
    if not x:
        return mpq(0)
    unit = mpq(2) ** (int(x.numerator.bit_length() - x.denominator.bit_length()) + 1 - bits)
    return int(x / unit) * unit


def _first_at_pi(rotation: Realization, errors: Floats, start: int, limit: int) -> int | None:
    """The first position below `limit` with an error of at least pi; what is close to pi is decided exactly."""
    known = errors[: max(0, limit - start)]
    with np.errstate(invalid="ignore"):
        for at in np.flatnonzero(known > 3.1415926).tolist():
            if known[at] > 3.1415927 or _at_pi(rotation, start + at):
                return start + at
    return None


def _at_pi(rotation: Any, i: int) -> bool:
    """Whether |phi_i - theta i| >= pi, exactly.

    Equality asks for a rational multiple of pi: for an angle that is one, and phi = 0.  Any other enclosure gets clear
    of pi, which is transcendental.
    """
    phi, angle = mpq(rotation.phase(i)), rotation.angle
    if phi == 0 and angle.turns is not None:
        return bool(abs(2 * angle.turns * i) >= 1)
    bits = 80
    while True:
        lo, hi = angle.enclose(bits)
        pi_lo, pi_hi = pi_bounds(bits)
        least, most = phi - i * hi, phi - i * lo
        if least >= pi_hi or most <= -pi_hi:
            return True
        if max(abs(least), abs(most)) < pi_lo:
            return False
        bits *= 2
