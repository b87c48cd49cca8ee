"""Where a previous-token head breaks: uniform content, every pair of a layer, on the realized rotations.

The scores are those of `certify.head_effects`: exact sums over the realized table, without a rounding of queries,
products and sums, so that what fails here fails by the realized rotation alone.  Three ways, each exact in what it
says:

1. every pair of the first 1024 queries, where most breaks are;
2. all queries by their differences (`differences`), where a bound on the realization's error leaves few pairs;
3. else every pair, as far as that takes seconds; `reason` says where it ended.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from math import isqrt
from typing import Any

from gmpy2 import mpq

from certify.auditing.differences import DifferenceGaps
from certify.head_effects.findings import HeadFindings, failing_thresholds, head_findings
from certify.head_effects.gaps import Scan
from certify.head_effects.table import MAX_ENTRIES, HeadTable, head_table
from fpsim.blocks import Integers
from fpsim.realization import Realization

__all__ = ["LayerHead", "layer_head", "walk"]

OFFSET = 1
FIRST = 1 << 10  # queries whose every pair is computed first
WHOLE = 1 << 13  # up to this length the least gap is that of every query, whether or not the head breaks
MOST_PRODUCTS = 1 << 36  # of two entries, in a scan of every pair: 32768 queries of 64 pairs, some seconds
_LEAST_PAIRS = 16  # what a gap of fewer rotary pairs counts as


@dataclass(frozen=True)
class LayerHead(HeadFindings):
    """The head of one kind of layer that looks one position back, on the positions 0 .. length-1; what was found of it
    is in the fields of `HeadFindings`, with j <= i and f_large of the scores as `threshold`.

    layer: None where there is one kind.  covered: up to where it is known whether the head breaks; reason: why not all.
    looked_at: `least` is that of the queries before this one.  tabled: the counts of blocks are about the positions
    before this one.
    """

    layer: str | None
    pairs: int
    length: int
    covered: int
    reason: str | None
    looked_at: int
    tabled: int

    @property
    def holds(self) -> bool | None:
        """Whether the head selects the previous token at every query; None: that is not decided."""
        if self.first_failure is not None:
            return False
        return True if self.covered >= self.length else None

    def to_json(self) -> dict[str, Any]:
        """The fields as a dictionary; exact numbers that binary64 lacks are texts."""
        return super().to_json() | {
            "layer": self.layer,
            "pairs": self.pairs,
            "length": self.length,
            "covered": self.covered,
            "covered_reason": self.reason,
            "holds": self.holds,
            "least_gap_before": self.looked_at,
            "blocks": self.tabled,
        }


def layer_head(
    layer: str | None,
    rotations: Sequence[Realization],
    *,
    length: int,
    scale: mpq,
    threshold: mpq | None,
    progress: Callable[[int, int], None] | None = None,
) -> LayerHead:
    """The head on these realizations.  Raises `UnsupportedError` as `head_table` does, but for a great length.

    >>> from fpsim.pipeline import Pipeline
    >>> from fpsim.schedule import Schedule
    >>> rotations = Pipeline.named("all-bf16", Schedule.conventional("1e4", 128)).rotations("bf16")
    >>> head = layer_head(None, rotations, length=300, scale=mpq(1), threshold=None)
    >>> head.first_failure.i, head.first_equal, head.holds
    (257, 256, False)
    """
    tabled = min(length, MAX_ENTRIES // len(rotations))
    table = head_table(rotations, tabled, OFFSET)
    kinds = table.kinds()
    scan, reason = walk(table, kinds, rotations, failing_thresholds(scale, threshold), progress=progress)
    if reason is None and tabled < length and table.leaves_F_at is None:
        reason = f"a table of more than {MAX_ENTRIES} blocks is not made"
    found = head_findings(table, kinds, rotations, scan, scale, threshold)
    breaks = found.first_failure is not None
    return LayerHead(
        **vars(found),
        layer=layer,
        pairs=len(rotations),
        length=length,
        covered=length if breaks else min(scan.queries, length),
        reason=None if breaks else reason,
        looked_at=scan.queries,
        tabled=table.keys.shape[0],
    )


def walk(
    table: HeadTable,
    kinds: Integers,
    rotations: Sequence[Realization],
    thresholds: tuple[tuple[mpq, bool], ...],
    *,
    least: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> tuple[Scan, str | None]:
    """What `Gaps.scan` finds, and why it ended before the last query, if it did.

    kinds: a number for each row of the table, equal for rows that are equal, at least for those that it should save
    work on.  least: whether the least gap matters once every threshold has its failure.
    """
    known = table.keys.shape[0]
    if table.bias is None or known <= OFFSET + 1:
        return Scan(tuple(None for _ in thresholds), known, None), None
    first = _gaps(table, kinds, min(FIRST, known)).scan(thresholds, whole=least, progress=None)
    if known <= FIRST or (not least and None not in first.failures):
        return first, None
    open_ones = [number for number, found in enumerate(first.failures) if found is None]
    gaps = _gaps(table, kinds, known)
    found = gaps.scan_by_differences(rotations, [thresholds[number] for number in open_ones])
    if found is not None:
        failures = list(first.failures)
        for number, failure in zip(open_ones, found.failures, strict=True):
            failures[number] = failure
        return replace(found, failures=tuple(failures)), None
    reach = min(known, max(FIRST, isqrt(MOST_PRODUCTS // max(table.pairs, _LEAST_PAIRS))))
    scan = _gaps(table, kinds, reach).scan(thresholds, whole=least and reach <= WHOLE, progress=progress)
    if reach == known or None not in scan.failures:
        return scan, None
    return scan, f"the realization's error leaves too many differences to look at, and every pair is only up to {reach}"


def _gaps(table: HeadTable, kinds: Integers, stop: int) -> DifferenceGaps:
    """The gaps of the queries before `stop`."""
    part = table if stop == table.keys.shape[0] else replace(table, keys=table.keys[:stop], leaves_F_at=None)
    return DifferenceGaps(part, kinds[:stop], own=True)
