"""What is found of a head on its realized table, whichever way its gaps were walked over."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from gmpy2 import mpq

from certify.head_effects.exact import Gap
from certify.head_effects.gaps import Scan
from certify.head_effects.stored import StoredNumbers, stored_numbers
from certify.head_effects.table import HeadTable
from fpsim.blocks import Integers
from fpsim.number import exact_text, json_number
from fpsim.realization import Realization

__all__ = ["HeadFindings", "failing_thresholds", "head_findings", "not_finite"]


@dataclass(frozen=True)
class HeadFindings:
    """What was found of the head that looks k back, with the scale C = `scale`.

    first_failure: the first query with a gap S(i, i-k) - S(i, j) <= 0, with its least such j; None: there is none
    among the queries looked at.  first_below: the same for C times the gap < `threshold` (None: nothing is asked).
    least: the least gap, for C = 1; the true one is less by at most `least_within` (0: exact).  Gaps are exact
    rationals for C = 1; a query whose own scores are infinite or NaN is a failure with the gap NaN and j None.

    equal_neighbours: how many i have the same block as i + 1 in every pair; first_equal: the first.  distinct: how many
    different blocks there are.  leaves_F_at: the first position with an infinity or a NaN; these counts are about the
    positions before it.  stored: how many inverse frequencies are subnormal or 0 as they are stored.
    """

    scale: mpq
    threshold: mpq | None
    first_failure: Gap | None
    first_below: Gap | None
    least: Gap | None
    least_within: float
    equal_neighbours: int
    first_equal: int | None
    distinct: int
    leaves_F_at: int | None
    stored: StoredNumbers | None

    def to_json(self) -> dict[str, Any]:
        """The fields as a dictionary; exact numbers that binary64 lacks are texts."""
        stored = self.stored
        return {
            "C": exact_text(self.scale),
            "threshold": None if self.threshold is None else json_number(self.threshold),
            "first_failure": None if self.first_failure is None else self.first_failure.to_json(),
            "first_below": None if self.first_below is None else self.first_below.to_json(),
            "least_gap": None if self.least is None else self.least.to_json(),
            "least_gap_within": json_number(self.least_within),
            "equal_neighbours": self.equal_neighbours,
            "first_equal": self.first_equal,
            "distinct_blocks": self.distinct,
            "leaves_F_at": self.leaves_F_at,
            "stored_subnormal": None if stored is None else stored.subnormal,
            "stored_zero": None if stored is None else stored.zero,
        }


def failing_thresholds(scale: mpq, threshold: mpq | None) -> tuple[tuple[mpq, bool], ...]:
    """What a walk asks of the gaps for C = 1: at most 0; and, where a threshold is given, below it for C = scale."""
    return ((mpq(0), False), *(() if threshold is None else ((threshold / scale, True),)))


def not_finite(table: HeadTable, scan: Scan) -> Gap | None:
    """The failure of the first query whose scores are not finite, if the queries before it were looked at."""
    if table.bias is None:
        at = table.offset + 1
    elif table.leaves_F_at is None or scan.queries < table.keys.shape[0]:
        return None
    else:
        at = max(table.leaves_F_at, table.offset + 1)
    return Gap(at, None, float("nan")) if at < table.length else None


def head_findings(
    table: HeadTable, kinds: Integers, rotations: Sequence[Realization], scan: Scan, scale: mpq, threshold: mpq | None
) -> HeadFindings:
    """The findings of a walk over the thresholds of `failing_thresholds`; kinds: those of the table."""
    failures = [found or not_finite(table, scan) for found in (*scan.failures, None)]
    equal = np.flatnonzero(kinds[1:] == kinds[:-1])
    return HeadFindings(
        scale=scale,
        threshold=threshold,
        first_failure=failures[0],
        first_below=None if threshold is None else failures[1],
        least=scan.least,
        least_within=scan.least_within,
        equal_neighbours=int(equal.size),
        first_equal=int(equal[0]) if equal.size else None,
        distinct=int(kinds.max()) + 1 if kinds.size else 0,
        leaves_F_at=table.leaves_F_at,
        stored=stored_numbers(rotations),
    )
