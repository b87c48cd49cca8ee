"""P-RoPE: positions are taken modulo a window W, so that the schedule is a table of W entries, read again and again.

The period W is there by construction; the least one divides it (`least_period`).  A NaN in the table leaves F.
"""

from __future__ import annotations

from collections.abc import Callable

from certify.periodicity.least_period import prime_divisors, table_period
from certify.periodicity.positions import has_fast_blocks
from certify.periodicity.undefined import has_nan
from certify.periodicity.verdict import Verdict, position_text
from fpsim.blocks import Floats, blocks
from fpsim.realization import Realization, Recurrence
from fpsim.realization.windowed import Windowed

__all__ = ["decide_windowed"]

MAX_TABLE = 1 << 24
MAX_TABLE_BY_REFERENCE = 1 << 17
_TRIED = 256


def decide_windowed(rotation: Windowed, decide: Callable[[Realization], Verdict]) -> Verdict:
    """The verdict on a rotation whose window is known as a whole; `decide` answers for the realization in it.

    >>> from fpsim.realization import realize
    >>> from fpsim.angle import Angle
    >>> from fpsim.valueset import ValueSet
    >>> decide_windowed(Windowed(realize("ideal", Angle.parse("1"), ValueSet.parse("fp16")), 4096), None).period
    4096
    """
    most = MAX_TABLE if has_fast_blocks(rotation) else MAX_TABLE_BY_REFERENCE
    return _by_table(rotation) if rotation.window <= most else _by_pairs(rotation, decide)


def _by_table(rotation: Windowed) -> Verdict:
    size = rotation.window
    if has_fast_blocks(rotation):
        c, s = blocks(rotation, 0, size)
        missing = (c != c) | (s != s)
        gone = int(missing.argmax()) if missing.any() else None
    else:
        entries = [rotation.block(i) for i in range(size)]
        gone = next((i for i, block in enumerate(entries) if has_nan(block)), None)
        c, s = _numbered([block[0] for block in entries]), _numbered([block[1] for block in entries])
    if gone is not None:
        return _left(gone)
    period, pairs = table_period(c, s)
    because = f"the window of {size} positions is a table that is read again and again; its least period is {period}"
    return Verdict("periodic", "finite-table", because, period, 0, period, witness=pairs or (0,))


def _numbered(entries: list[object]) -> Floats:
    """The same number for equal entries: binary64 need not hold them."""
    import numpy as np

    numbers: dict[object, int] = {}
    return np.array([numbers.setdefault(entry, len(numbers)) for entry in entries], np.float64)


def _by_pairs(rotation: Windowed, decide: Callable[[Realization], Verdict]) -> Verdict:
    """Of a window too long for a table: for each prime factor p of W a pair of positions W/p apart that differ."""
    size = rotation.window
    whole = f"the window of {position_text(size)} positions"
    if isinstance(rotation.inner, Recurrence):
        most = MAX_TABLE if has_fast_blocks(rotation) else MAX_TABLE_BY_REFERENCE
        because = f"{whole} of a recurrence is too long to be walked step by step; at most {most} positions are"
        return Verdict("undecided", None, because)
    inner = decide(rotation.inner)
    if inner.leaves_F_at is not None and inner.leaves_F_at < size:
        return _left(inner.leaves_F_at)
    if inner.verdict == "undecided" or (inner.proof == "left-F" and inner.leaves_F_at is None):
        return Verdict("undecided", None, f"{whole} is too long to be looked at one by one, and {inner.because}")
    primes = prime_divisors(size)
    if primes is None:
        return Verdict("undecided", None, f"the prime factors of {whole} are not known")
    pairs: list[int] = []
    for p in primes:
        distance = size // p
        place = next((i for i in range(_TRIED) if rotation.block(i) != rotation.block(i + distance)), None)
        if place is None:
            because = (
                f"{whole} is too long to be looked at one by one, and none of its first {_TRIED} positions differs "
                f"from the one {position_text(distance)} further on"
            )
            return Verdict("undecided", None, because)
        pairs += (place, place + distance)
    because = f"{whole} repeats, and for each prime factor p of its length W a pair of positions W/p apart differs"
    return Verdict("periodic", "finite-table", because, size, 0, size, witness=tuple(pairs))


def _left(gone: int) -> Verdict:
    return Verdict(
        "non-periodic", "left-F", f"position {gone} of the window has a NaN", leaves_F_at=gone, witness=(gone,)
    )
