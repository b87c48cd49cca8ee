"""llama3: three bands of wavelengths, w = 2 pi/theta, of a model trained at the length L0.

w < L0/high    theta stays
w > L0/low     theta / f
else           (1 - s) theta/f + s theta, with s = (L0/w - low) / (high - low)

w is irrational, or else pi were algebraic, so that no w lies on an edge, and none between equal ones.  In the middle
band L0/w = L0 theta / 2 pi, and the angle is a theta + b theta^2/pi with rational a and b.
"""

from __future__ import annotations

from dataclasses import replace

from gmpy2 import mpq

from fpsim.angle import Angle, NamedReal
from fpsim.enclosure import Enclosure, narrowed, over, pi_bounds, plus, point, product
from fpsim.errors import InputError
from fpsim.number import exact_text
from fpsim.scaling.parameters import Parameters
from fpsim.schedule import Scaling, Schedule

__all__ = ["llama3"]


def llama3(schedule: Schedule, parameters: Parameters) -> Schedule:
    """The schedule with its three bands."""
    factor = parameters.number("factor")
    low, high = parameters.number("low_freq_factor"), parameters.number("high_freq_factor")
    if high < low:
        raise InputError(
            parameters.name("high_freq_factor"), exact_text(high), f"at least low_freq_factor, {exact_text(low)}"
        )
    if "original_max_position_embeddings" not in parameters:
        raise parameters.missing("original_max_position_embeddings", "a whole number of at least 1")
    original = parameters.original_length()
    angles = tuple(_banded(angle, factor, low, high, original) for angle in schedule.angles)
    scaling = Scaling.of(
        "llama3",
        factor=factor,
        low_freq_factor=low,
        high_freq_factor=high,
        original_max_position_embeddings=original,
    )
    return replace(schedule, angles=angles, scaling=scaling)


def _banded(angle: Angle, factor: mpq, low: mpq, high: mpq, original: int) -> Angle:
    if _turns_exceed(angle, high / original):
        return angle
    if not _turns_exceed(angle, low / original):
        return angle.times(1 / factor)
    assert low < high  # else theta / 2 pi were both below high / L0 and above low / L0
    if factor == 1:  # both ends of the band are theta
        return angle
    slope = (1 - 1 / factor) / (high - low)
    return _middle(angle, 1 / factor - low * slope, original * slope / 2)


def _turns_exceed(angle: Angle, bound: mpq) -> bool:
    """Whether theta / 2 pi, which is 1/w, is greater than the rational; they differ."""
    bits = 64
    while True:
        lo, hi = angle.enclose_turns(bits)
        if lo > bound:
            return True
        if hi < bound:
            return False
        bits *= 2


def _middle(angle: Angle, a: mpq, b: mpq) -> Angle:
    """a theta + b theta^2/pi."""
    theta = str(angle)
    text = f"({exact_text(a)}*{theta}{'-' if b < 0 else '+'}{exact_text(abs(b))}*({theta})^2/pi)"

    def compute(bits: int) -> Enclosure | None:
        """theta * (a + b theta/pi): theta is enclosed once."""
        size = angle.enclose(bits)
        ratio = over(size, pi_bounds(bits))
        return None if ratio is None else product(size, plus(point(a), product(point(b), ratio)))

    because = (
        f"{text} over pi is a polynomial in 1/pi, not constant, whose coefficients are algebraic: were it algebraic, "
        "so were pi, which is transcendental (Lindemann 1882)"
    )
    return Angle(
        mpq(1),
        "real",
        real=NamedReal(text, lambda bits: narrowed(compute, bits, text), irrational_because=because),
    )
