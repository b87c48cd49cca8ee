"""The first two positions with the same realized block: [i, j] with the least j, and then the least i < j.

Positions are looked at in order, each entered into a hash table by the bits of its block, up to a stated position; 0
and -0 are one value, and a NaN equals nothing.  What is found is exact.  Where nothing is found, the reason says how
far the search went, and two equal positions that the proof of the verdict knows of.

A recurrence needs no search.  A state fixes the next one, so two equal states begin the cycle: the first two are mu and
mu + lambda, and before a NaN there are none.
"""

from __future__ import annotations

from dataclasses import dataclass
from itertools import pairwise
from typing import Any

import numpy as np

from certify.periodicity.phase_stages import as_phased, position_set
from certify.periodicity.positions import has_fast_blocks
from certify.periodicity.undefined import has_nan
from certify.periodicity.verdict import Verdict, position_text
from fpsim.blocks import blocks
from fpsim.compilation import kernel
from fpsim.realization import Realization, Recurrence
from fpsim.realization.counting import integers_up_to
from fpsim.rounding.reference import Element

__all__ = ["MAX_POSITIONS", "POSITIONS", "POSITIONS_BY_REFERENCE", "POSITIONS_BY_STEPS", "Collision", "first_collision"]

POSITIONS = 1 << 16
POSITIONS_BY_REFERENCE = 1 << 6
POSITIONS_BY_STEPS = 1 << 10  # of a recurrence
MAX_POSITIONS = 1 << 24
_FIRST_PART = 1 << 11


@dataclass(frozen=True)
class Collision:
    """pair: [i, j], or None with the reason."""

    pair: tuple[int, int] | None
    reason: str | None = None


def first_collision(rotation: Realization, verdict: Verdict, positions: int | None = None) -> Collision:
    """The first collision among the first `positions` positions.

    Default: `POSITIONS`, or all of an array; fewer where the blocks are computed one by one, by the reference.

    >>> from fpsim.realization import realize
    >>> from fpsim.angle import Angle
    >>> from fpsim.valueset import ValueSet
    >>> phase = realize("phase", Angle.parse("1"), ValueSet.parse("bf16"))
    >>> first_collision(phase, Verdict("undecided", None, "")).pair
    (256, 257)
    """
    if isinstance(rotation, Recurrence) and rotation.angle:
        if verdict.eventual_period is not None and verdict.preperiod is not None:
            return Collision((verdict.preperiod, verdict.preperiod + verdict.eventual_period))
        if verdict.leaves_F_at is not None:
            gone = position_text(verdict.leaves_F_at)
            return Collision(None, f"none: an equal state would return for ever, and never leave F at position {gone}")
    fast = has_fast_blocks(rotation)
    known = rotation.length
    by_reference = POSITIONS_BY_STEPS if isinstance(rotation, Recurrence) else POSITIONS_BY_REFERENCE
    count = positions or (max(POSITIONS, known or 0) if fast else by_reference)
    if known is not None:
        count = min(count, known)
    pair = _search(rotation, count) if fast else _search_by_reference(rotation, count)
    if pair is not None:
        return Collision(pair)
    among = f"the {count} positions that are known" if known == count else f"the first {count} positions"
    return Collision(None, f"none among {among}{_known_pair(rotation, verdict)}")


def _known_pair(rotation: Realization, verdict: Verdict) -> str:
    """Two equal positions that are known of nevertheless, in words: by the period, or where positions round alike."""
    pair = None
    if verdict.verdict != "window-only" and verdict.preperiod is not None and verdict.eventual_period is not None:
        pair = verdict.preperiod, verdict.preperiod + verdict.eventual_period
    phased = as_phased(rotation)
    if phased is not None:
        first = integers_up_to(position_set(phased))
        blocks_there = [phased.block(i) for i in range(first, first + 4)]
        alike = [
            (first + n, first + n + 1)
            for n, (here, after) in enumerate(pairwise(blocks_there))
            if here == after and not has_nan(here)  # tuples that hold the same NaN object are equal to Python
        ]
        pair = min(([] if pair is None else [pair]) + alike, default=None, key=lambda each: each[1])
    return "" if pair is None else f"; those of {position_text(pair[0])} and {position_text(pair[1])} are equal"


def _search_by_reference(rotation: Realization, count: int) -> tuple[int, int] | None:
    seen: dict[tuple[Element, Element], int] = {}
    for j in range(count):
        block = rotation.block(j)
        if has_nan(block):
            continue
        i = seen.setdefault(block, j)
        if i != j:
            return i, j
    return None


def _search(rotation: Realization, count: int) -> tuple[int, int] | None:
    """In parts, each seven times as long as all before it: most collisions are early."""
    c, s = np.empty(count), np.empty(count)
    slots = np.full(1 << (2 * min(count, _FIRST_PART)).bit_length(), -1, np.int32)
    done, part = 0, min(count, _FIRST_PART)
    while done < count:
        stop = min(count, done + part)
        new_c, new_s = blocks(rotation, done, stop)
        np.add(new_c, 0.0, out=c[done:stop])  # -0 becomes 0
        np.add(new_s, 0.0, out=s[done:stop])
        if slots.size < 2 * stop:
            slots = np.full(1 << (2 * stop).bit_length(), -1, np.int32)
            done = 0  # all are entered again
        i, j = _enter(c, s, c.view(np.int64), s.view(np.int64), done, stop, slots)
        if j >= 0:
            return int(i), int(j)
        done, part = stop, 7 * stop
    return None


@kernel()
def _enter(c: Any, s: Any, c_bits: Any, s_bits: Any, start: int, stop: int, slots: Any) -> tuple[int, int]:
    """Enter the positions start .. stop-1; (i, j) at the first j that is there already, as i, or (-1, -1)."""
    mask = np.uint64(slots.size - 1)
    for j in range(start, stop):
        if c[j] != c[j] or s[j] != s[j]:
            continue
        mixed = np.uint64(c_bits[j]) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(s_bits[j]) * np.uint64(
            0xC2B2AE3D27D4EB4F
        )
        mixed ^= mixed >> np.uint64(29)
        mixed *= np.uint64(0xBF58476D1CE4E5B9)
        place = (mixed ^ (mixed >> np.uint64(32))) & mask
        while slots[place] >= 0:
            i = slots[place]
            if c[i] == c[j] and s[i] == s[j]:
                return i, j
            place = (place + np.uint64(1)) & mask
        slots[place] = j
    return -1, -1
