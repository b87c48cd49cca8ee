"""The compiled search for simultaneous near-returns: the leader's by its three return times, the others as a sieve.

The leader's place x = n a modulo 2^62 within its widened arc moves by one of three steps from one visit to the next
(`certify.rotation.integer_rotation`).  At each visit the other pairs are looked at, as fractions of a turn modulo 2^64,
and the gap is summed in binary64, from a polynomial below it at first, until it is too large.  A visit takes a few
nanoseconds, however many positions lie between.

Errors.  A step is the floor of the true one in units of 2^-62 or 2^-64 turns, so n steps are below the truth by less
than n <= limit units: the arcs are widened by `limit` units on that side.  The gap is off by at most 2 pi limit 2^-64 C
for each pair from its phase, and far less from binary64; it is computed
in units of the sum of the C_d.
"""

from __future__ import annotations

import math
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from certify.rotation.integer_rotation import first_hit, return_times
from fpsim.angle import Angle
from fpsim.blocks import turn_words
from fpsim.compilation import kernel

if TYPE_CHECKING:
    from certify.certified_range.many.returns import SearchPlan

__all__ = ["kernel_candidates"]

_LEADER_BITS = 62
_FOUND = 256
_VISITS = 1 << 24  # of one call, so that Ctrl-C is heard


@kernel(inline="always")
def _less_than_one_minus_cosine(fraction: np.uint64) -> float:
    """At most 1 - cos x for a fraction of a turn in units of 2^-64, |x| <= pi: four terms of the alternating series.

    Its terms x^2m / (2m)! fall from m = 1 on, since x^2 <= pi^2 < 12; so a sum that ends with a negative one is below.
    """
    x = 2.0 * math.pi / 2.0**64 * np.float64(np.int64(fraction))
    z = x * x
    return z * (1.0 / 2.0 - z * (1.0 / 24.0 - z * (1.0 / 720.0 - z * (1.0 / 40320.0))))


@kernel()
def _gap(place: np.uint64, steps: Any, scales: Any) -> float:
    gap = 0.0
    for d in range(steps.size):
        x = 2.0 * math.pi / 2.0**64 * np.float64(np.int64(place * steps[d]))
        gap += scales[d] * (1.0 - math.cos(x))
    return gap


@kernel()
def _walk(
    x: int, n: int, limit: int, size: int, times: Any, steps: Any, reaches: Any, scales: Any, most: float, found: Any
) -> tuple[int, int, int]:
    """(x, n, count): goes on from the visit n at x, puts candidates into `found`, and ends before the visit n."""
    r, d_r, s, d_s = times
    count, visits = 0, 0
    while n <= limit and count < found.size and visits < _VISITS:
        visits += 1
        place = np.uint64(n)
        gap = 0.0
        for d in range(steps.size):
            fraction = place * steps[d]
            # within reach of 0 from either side: fraction in [-reach - limit, reach) modulo 2^64
            if fraction + reaches[d, 0] >= reaches[d, 1] and reaches[d, 1] != np.uint64(0):
                gap = most
                break
            gap += scales[d] * _less_than_one_minus_cosine(fraction)
            if gap >= most:
                break
        if gap < most and _gap(place, steps, scales) < most:
            found[count] = n
            count += 1
        if x < size - d_r:
            x += d_r
            n += r
        elif x >= d_s:
            x -= d_s
            n += s
        else:
            x += d_r - d_s
            n += r + s
    return x, n, count


def kernel_candidates(plan: SearchPlan, limit: int, start: int) -> Iterator[int]:
    """The candidates of `returns.candidates` from `start` to `limit` <= 2^40, by compiled code."""
    angle, width, _ = plan.leader
    modulus = 1 << _LEADER_BITS
    step = _step(angle, _LEADER_BITS)
    reach = -((-width.numerator << _LEADER_BITS) // width.denominator)
    size = min(int(2 * reach + limit), modulus)
    first = -(int(reach) + limit)
    skipped = first_hit(step, modulus, first - start * step, size)
    if skipped is None:
        return
    n = start + skipped
    x = (n * step - first) % modulus
    times = return_times(step, modulus, size)
    steps = np.array([_step(other, 64) for other, _ in plan.pairs], dtype=np.uint64)
    reaches = np.array([_reach(w, limit) for w in plan.widths], dtype=np.uint64)
    scales = np.array([float(scale / plan.total) for _, scale in plan.pairs])
    most = float(plan.bound / plan.total) * (1 + 2.0**-40) + 7.0 * limit * 2.0**-64 + 2.0**-40
    found = np.empty(_FOUND, dtype=np.int64)
    while n <= limit:
        x, n, count = _walk(x, n, limit, size, times, steps, reaches, scales, most, found)
        yield from (int(candidate) for candidate in found[:count])


def _step(angle: Angle, bits: int) -> int:
    """floor(alpha 2^bits) modulo 2^bits, alpha the angle over 2 pi."""
    return int(turn_words(angle)[0]) >> (64 - bits)


def _reach(width: Any, limit: int) -> tuple[int, int]:
    """(reach + limit, 2 reach + limit) in units of 2^-64 turns; (0, 0) where every place is within reach."""
    reach = -int((-width.numerator << 64) // width.denominator)
    return (reach + limit, 2 * reach + limit) if 2 * reach + limit < 1 << 64 else (0, 0)
