"""The counter-based generator of stochastic rounding.

A draw is a pure function of (seed, operation number), so a result depends neither on threads nor on batches.  The
mixing function is the finalizer of SplitMix64 (Steele, Lea and Flood, OOPSLA 2014), applied to the number after the
seed has been mixed the same way.
"""

from __future__ import annotations

__all__ = ["uniform_bits"]

_MASK = (1 << 64) - 1
_GOLDEN = 0x9E3779B97F4A7C15


def _mix(z: int) -> int:
    z = (z + _GOLDEN) & _MASK
    z = ((z ^ (z >> 30)) * 0xBF58476D1CE4E5B9) & _MASK
    z = ((z ^ (z >> 27)) * 0x94D049BB133111EB) & _MASK
    return z ^ (z >> 31)


def uniform_bits(seed: int, operation: int) -> int:
    """A number below 2^64, uniform over operation numbers, for 0 <= seed, operation < 2^64.

    >>> uniform_bits(1, 0) != uniform_bits(1, 1)
    True
    """
    return _mix((_mix(seed & _MASK) + operation * _GOLDEN) & _MASK)
