"""Realized blocks at many positions at once: the fast twin of `Realization.block`.

For `ideal`, alpha = theta / 2 pi is held as a 192-bit fixed-point number a with a <= alpha 2^192 <= a + 1 (modulo whole
turns), so that the fraction of a turn at position i is i a modulo 2^192, one integer product, off by at most i 2^-192
turns.  The kernels of `fpsim.functions.turn`, the quick one and then the accurate one, give cos and sin as a sum
hi + lo with a bound on its error.  Where both ends of that interval round to the same value of F, that value is
round(cos(theta i)), since rounding is monotone (Ziv's test); anywhere else the reference decides.
"""

from __future__ import annotations

import math
from typing import Any, Protocol, TypeAlias, runtime_checkable

import numpy as np

from fpsim import arithmetic
from fpsim.angle import Angle
from fpsim.compilation import kernel
from fpsim.functions.binary64 import rounds_safely
from fpsim.functions.bits import mul_wide
from fpsim.functions.turn import sincos_turn, sincos_turn_quick
from fpsim.realization import Counter, Given, Ideal, Phase, Realization, Recurrence
from fpsim.realization.counting import counted_floats
from fpsim.rounding.dispatch import implement, round_interval
from fpsim.rounding.kinds import AnyFloat, Binary32, Binary64, Grid, NearestFloat, Spec
from fpsim.rounding.specs import spec_of

__all__ = ["MAX_POSITION", "Floats", "HasFastBlocks", "HasFastPhases", "Integers", "blocks", "phases", "turn_words"]

Floats: TypeAlias = np.ndarray[Any, np.dtype[np.float64]]
Integers: TypeAlias = np.ndarray[Any, np.dtype[np.int64]]

MAX_POSITION = 1 << 62
_WORD = 1 << 64
# i 2^-192 turns are at most 2 pi i 2^-192 < 2^-127 radians for i < 2^62.
PHASE_ERROR = math.ldexp(1.0, -127)


@runtime_checkable
class HasFastBlocks(Protocol):
    """A realization with a fast twin of its own, as a pipeline has."""

    def fast_blocks(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """What `blocks` of this module promises."""


@runtime_checkable
class HasFastPhases(Protocol):
    """A realization with a fast twin of its method `phase`."""

    def fast_phases(self, start: int, stop: int) -> Floats:
        """What `phases` of this module promises."""


def blocks(realization: Realization, start: int, stop: int) -> tuple[Floats, Floats]:
    """(c, s) of the positions start .. stop-1 as binary64 arrays, for a value set whose carrier is float64.

    Every entry equals the one of `realization.block`; -0, infinities and NaN included.  The arrays are the caller's
    own.  A realization that has a method `fast_blocks`, with this meaning, is asked for it.  Raises ValueError
    for positions that do not rise, are negative, beyond 2^62, or beyond the `length` of the realization.

    >>> from fpsim.realization import realize
    >>> from fpsim.valueset import ValueSet
    >>> c, s = blocks(realize("ideal", Angle.parse("2pi/4"), ValueSet.parse("fp16")), 0, 4)
    >>> c.tolist(), s.tolist()
    ([1.0, 0.0, -1.0, 0.0], [0.0, 1.0, 0.0, -1.0])
    """
    end = MAX_POSITION if realization.length is None else realization.length
    if not 0 <= start <= stop <= end:
        least = "2^62" if realization.length is None else f"{end}, the length of the realization"
        raise ValueError(f"positions {start}..{stop}: they should be rising and between 0 and {least}")
    if isinstance(realization, Given):
        return realization.c[start:stop].copy(), realization.s[start:stop].copy()
    if isinstance(realization, HasFastBlocks):
        return realization.fast_blocks(start, stop)
    if not realization.angle:  # the identity
        return np.ones(stop - start), np.zeros(stop - start)
    spec = spec_of(realization.values)
    if spec is not None:
        if isinstance(realization, Ideal):
            return _ideal_blocks(realization, spec, start, stop)
        if isinstance(realization, Phase):
            return _phase_blocks(realization, start, stop)
        if isinstance(realization, Recurrence):
            from fpsim.realized_recurrence import recurrence_blocks

            return recurrence_blocks(realization, start, stop)
    return _reference_blocks(realization, range(start, stop))


def _reference_blocks(realization: Realization, positions: range | list[int]) -> tuple[Floats, Floats]:
    entries = [realization.block(int(i)) for i in positions]
    return np.array([float(c) for c, _ in entries]), np.array([float(s) for _, s in entries])


def phases(realization: Realization, start: int, stop: int) -> Floats | None:
    """phi_i of the positions start .. stop-1, every one that of `realization.phase`; None for one that forms no phase.

    >>> from fpsim.valueset import ValueSet
    >>> phases(Phase(Angle.parse("0.5"), ValueSet.parse("bf16")), 255, 259).tolist()
    [127.5, 128.0, 128.0, 129.0]
    """
    if isinstance(realization, HasFastPhases):
        return realization.fast_phases(start, stop)
    if not isinstance(realization, Phase):
        return None
    if spec_of(realization.values) is None:
        return np.array([float(realization.phase(i)) for i in range(start, stop)])
    return _phases(realization, start, stop)


def _phases(realization: Phase, start: int, stop: int) -> Floats:
    values = realization.values
    if isinstance(realization, Counter):
        positions = counted_floats(values, start, stop)
    elif stop <= 1 << 53:
        positions = arithmetic.round(values, np.arange(start, stop).astype(np.float64))
    else:
        positions = np.array([float(realization.position(i)) for i in range(start, stop)])
    return np.asarray(arithmetic.mul(values, float(realization.stored), positions))


def _phase_blocks(realization: Phase, start: int, stop: int) -> tuple[Floats, Floats]:
    values, phase = realization.values, _phases(realization, start, stop)
    return arithmetic.cos(values, phase), arithmetic.sin(values, phase)


def turn_words(angle: Angle) -> tuple[np.uint64, np.uint64, np.uint64]:
    """floor(alpha 2^192) modulo 2^192 for alpha = angle / 2 pi, as three 64-bit words, the highest first.

    The true alpha 2^192 lies within 1 of it: the enclosure is narrowed until both ends have the same floor, or, for an
    alpha that is a whole number of 2^-192 turns, until they are that number.
    """
    bits = 256
    while True:
        lo, hi = angle.enclose_turns(bits)
        low, high = ((end.numerator << 192) // end.denominator for end in (lo, hi))
        if low == high:
            words = int(low) % (1 << 192)
            return np.uint64(words >> 128), np.uint64((words >> 64) % _WORD), np.uint64(words % _WORD)
        bits *= 2


def _ideal_blocks(realization: Ideal, spec: Spec, start: int, stop: int) -> tuple[Floats, Floats]:
    turns = realization.angle.turns
    if turns is not None and turns.denominator < stop - start:  # the blocks come back after m positions
        period = int(turns.denominator)
        c, s = _ideal_blocks(realization, spec, 0, period)
        place = np.arange(start % period, start % period + stop - start) % period
        return c[place], s[place]
    c, s = np.empty(stop - start), np.empty(stop - start)
    undecided = np.zeros(stop - start, dtype=np.bool_)
    a2, a1, a0 = turn_words(realization.angle)
    _fill_ideal(spec, a2, a1, a0, np.uint64(start), c, s, undecided)
    rare = np.flatnonzero(undecided)
    if rare.size:
        c[rare], s[rare] = _reference_blocks(realization, [start + int(i) for i in rare])
    return c, s


@kernel()
def turned(a2: np.uint64, a1: np.uint64, a0: np.uint64, i: np.uint64) -> tuple[np.uint64, np.uint64, np.uint64]:
    """i a modulo 2^192: the fraction of a turn at position i, at most i 2^-192 below the true one."""
    h0, l0 = mul_wide(a0, i)
    h1, l1 = mul_wide(a1, i)
    l2 = a2 * i
    f1 = l1 + h0
    carry = np.uint64(1) if f1 < h0 else np.uint64(0)
    return l2 + h1 + carry, f1, l0


def settle(spec: Spec, h: float, rest: float, error: float) -> tuple[float, bool]:
    """(y, decided): what every real within `error` of h + rest rounds to, and whether they all round alike.

    `round_interval` for any kind of spec, binary64 included; inside compiled code only.
    """
    raise NotImplementedError


def _settle_in_binary64(spec: Spec, h: float, rest: float, error: float) -> tuple[float, bool]:
    return rounds_safely(h, rest, error)


def _settle_in_interval(spec: Spec, h: float, rest: float, error: float) -> tuple[float, bool]:
    return round_interval(spec, h, rest, error)


implement(
    settle,
    {
        Binary64: _settle_in_binary64,
        Binary32: _settle_in_interval,
        NearestFloat: _settle_in_interval,
        AnyFloat: _settle_in_interval,
        Grid: _settle_in_interval,
    },
    inline=False,
)


@kernel()
def _fill_ideal(
    spec: Any, a2: np.uint64, a1: np.uint64, a0: np.uint64, start: np.uint64, c: Floats, s: Floats, undecided: Any
) -> None:
    for n in range(c.size):
        f2, f1, f0 = turned(a2, a1, a0, start + np.uint64(n))
        s_hi, s_lo, c_hi, c_lo, relative = sincos_turn_quick(f2, f1, f0)
        c[n], first = settle(spec, c_hi, c_lo, relative * abs(c_hi) + PHASE_ERROR)
        s[n], second = settle(spec, s_hi, s_lo, relative * abs(s_hi) + PHASE_ERROR)
        if not (first and second):  # for p = 53 once in some 300 positions
            s_hi, s_lo, c_hi, c_lo, relative = sincos_turn(f2, f1, f0)
            c[n], first = settle(spec, c_hi, c_lo, relative * abs(c_hi) + PHASE_ERROR)
            s[n], second = settle(spec, s_hi, s_lo, relative * abs(s_hi) + PHASE_ERROR)
        # An interval around 0 is left to the reference: where both its ends are beyond range, they are so on two sides.
        undecided[n] = not (first and second and abs(c_hi) > PHASE_ERROR and abs(s_hi) > PHASE_ERROR)
