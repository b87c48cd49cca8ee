"""What a realized schedule does to a head: where a k-offset head breaks, which positions look alike, how far it is off.

A wrong angle is not a broken head: the scores of a k-offset head depend on how far apart the realized positions are.
So the questions here are asked of the head itself, one with uniform content and one rotary pair for each realization.
Its scores S(i, j) are sums over the pairs of <R_i b_d, K_j>, without any rounding of queries, products and sums
(`gaps`): what fails here fails by the realized rotation alone.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from gmpy2 import mpq

from certify.head_effects.errors import RotationErrors, rotation_errors
from certify.head_effects.findings import HeadFindings, failing_thresholds, head_findings
from certify.head_effects.gaps import Gaps, Scan
from certify.head_effects.table import head_table
from fpsim.errors import InputError
from fpsim.flarge import f_large
from fpsim.number import parse_number
from fpsim.realization import Realization

__all__ = ["WHOLE", "HeadEffects", "default_scale", "head_effects"]

WHOLE = 32_768  # up to this length every query is looked at, unless asked otherwise


@dataclass(frozen=True)
class HeadEffects(HeadFindings):
    """The effects of a realized schedule on the head that looks `offset` back; prints as an explanation.

    What was found of the head is in the fields of `HeadFindings`, with k = `offset`; the queries looked at are those
    before `queries`, and `errors` are about the positions before `leaves_F_at`.

    realize, dtype: the names of the realizations and of their value sets.  length: positions 0 .. length-1 exist; the
    queries are those from offset+1 on.  own: whether the position of the query is among its competitors.
    """

    offset: int
    length: int
    pairs: int
    realize: tuple[str, ...]
    dtype: tuple[str, ...]
    own: bool
    queries: int
    errors: RotationErrors

    @property
    def complete(self) -> bool:
        """Whether every query was looked at (those from `leaves_F_at` on fail)."""
        return self.queries >= (self.length if self.leaves_F_at is None else self.leaves_F_at)

    def to_json(self) -> dict[str, Any]:
        """The fields as a dictionary; exact numbers that binary64 lacks are texts."""
        errors = self.errors
        return super().to_json() | {
            "offset": self.offset,
            "length": self.length,
            "pairs": self.pairs,
            "realize": list(self.realize),
            "dtype": list(self.dtype),
            "competitors": "j <= i" if self.own else "j < i",
            "queries_before": self.queries,
            "complete": self.complete,
            "phase_error": None if errors.phase is None else errors.phase.to_json(),
            "phase_error_reaches_pi": (
                None if errors.reaches_pi is None else dict(zip(("position", "pair"), errors.reaches_pi, strict=True))
            ),
            "angle_error": None if errors.angle is None else errors.angle.to_json(),
            "cos_error": None if errors.cos is None else errors.cos.to_json(),
            "sin_error": None if errors.sin is None else errors.sin.to_json(),
        }

    def __str__(self) -> str:
        from certify.head_effects.explanation import explain_effects

        return explain_effects(self)


def head_effects(
    rotations: Sequence[Realization],
    *,
    length: int,
    scale: Any = None,
    threshold: Any = None,
    offset: int = 1,
    own: bool = True,
    whole: bool | None = None,
    compare: bool = True,
    progress: Callable[[int, int], None] | None = None,
) -> HeadEffects:
    """The effects on the head that looks `offset` back, on the positions 0 .. length-1.

    scale: C, by which every pair's bias is multiplied, exactly; default: `default_scale`.  threshold: the gap that is
    needed; default: f_large of the value set of the first realization (where that has none, nothing is asked).  own:
    each query has its own position among its competitors (j <= i, as in language models); else j < i (Eq. 2 of
    arXiv:2608.11909).  whole: look at every query even after both failures are known, which the least gap needs;
    default: up to `WHOLE` positions.  compare: whether the angles of the realizations are the exact ones, to compare
    with; else there are no errors.  progress: called with the queries done and all of them.

    Raises `InputError`, and `UnsupportedError` for value sets that binary64 does not hold, stochastic rounding, and
    more than 2^24 blocks.

    >>> from fpsim.realization import realize
    >>> from fpsim.schedule import Schedule
    >>> from fpsim.valueset import ValueSet
    >>> bf16 = ValueSet.parse("bf16")
    >>> rotations = [realize("phase", angle, bf16) for angle in Schedule.conventional("1e4", 8).angles]
    >>> effects = head_effects(rotations, length=1000)
    >>> effects.first_failure.i, effects.equal_neighbours, effects.first_equal, effects.distinct
    (257, 493, 256, 507)
    """
    table = head_table(rotations, length, offset)
    C = default_scale(rotations) if scale is None else _positive(scale, "scale")
    needed = f_large(rotations[0].values) if threshold is None else _positive(threshold, "threshold")
    kinds = table.kinds()
    thresholds = failing_thresholds(C, needed)
    if table.bias is None:
        scan = Scan(tuple(None for _ in thresholds), min(offset + 1, length), None)
    else:
        whole = length <= WHOLE if whole is None else whole
        scan = Gaps(table, kinds, own=own).scan(thresholds, whole=whole, progress=progress)
    return HeadEffects(
        **vars(head_findings(table, kinds, rotations, scan, C, needed)),
        offset=offset,
        length=length,
        pairs=len(rotations),
        realize=tuple(dict.fromkeys(rotation.name for rotation in rotations)),
        dtype=tuple(dict.fromkeys(rotation.values.name for rotation in rotations)),
        own=own,
        queries=scan.queries,
        errors=rotation_errors(rotations, table.keys.shape[0] if compare else 0),
    )


def default_scale(rotations: Sequence[Realization]) -> mpq:
    """The greatest power of two that keeps every score within a quarter of the largest value: C n <= max / 4.

    >>> from fpsim.realization import realize
    >>> from fpsim.valueset import ValueSet
    >>> default_scale([realize("ideal", "1", ValueSet.parse("fp16"))] * 64)
    mpq(128,1)
    """
    most = rotations[0].values.max / (4 * len(rotations))
    if most <= 0:
        raise InputError("scale", "nothing", f"given, since {rotations[0].values.name} has no value above 0")
    exponent = int(most.numerator.bit_length() - most.denominator.bit_length())
    power = mpq(2) ** exponent
    return power if power <= most else power / 2


def _positive(value: Any, what: str) -> mpq:
    number = parse_number(value, what)
    if number <= 0:
        raise InputError(what, value, "a number greater than 0")
    return number
