"""The least number from which a monotone condition holds, among numbers of thousands of digits."""

from __future__ import annotations

from collections.abc import Callable

__all__ = ["least"]

_LOOK_AT_ENDS = 4  # halvings between two looks


def least(holds: Callable[[int], bool], low: int, high: int) -> int:
    """The least i, low <= i <= high, with holds(i); holds(high) is known, and once it holds it holds for all greater i.

    First the number of digits is halved, then the interval is parted at the number of its middle half that has the most
    zeros at its end, in binary.  Where the condition changes with the rounding of i into a float format, that is at a
    number of p + 1 bits followed by zeros, or just above one: after some p steps one end of the interval is that
    number, and a look at its neighbour then saves the thousand steps that are left in fp64.

    >>> least(lambda i: i >= 12345, 0, 10**6), least(lambda i: i > 2**1000, 0, 2**1024) == 2**1000 + 1
    (12345, True)
    """
    if holds(low):
        return low
    halvings = 0
    while high - low > 1:
        shorter, longer = low.bit_length(), high.bit_length()
        if longer - shorter > 1:
            middle = 1 << ((shorter + longer) // 2 - 1)
        else:
            quarter = max(1, (high - low) // 4)
            first, last = low + quarter, high - quarter
            zeros = ((first - 1) ^ last).bit_length() - 1  # the highest bit in which they differ
            middle = (last >> zeros) << zeros
        if holds(middle):
            high = middle
        else:
            low = middle
        if longer - shorter > 1:
            continue
        halvings += 1
        if halvings % _LOOK_AT_ENDS == 0:
            if holds(low + 1):
                return low + 1
            if not holds(high - 1):
                return high
    return high
