"""What `nmax` answers: the certified range, what it rests on, and how it was obtained."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, Literal, TypeAlias

from gmpy2 import mpq

from fpsim.number import exact_text, json_number
from fpsim.rounding.reference import Element

__all__ = ["CertifiedRange", "CertifiedRanges", "Collision", "CrossCheck", "Record", "Status", "Witness"]

Status: TypeAlias = Literal["exact", "at_least", "between", "undefined"]


@dataclass(frozen=True)
class Witness:
    """The first failing pair (least i, then least j), with both scores, or both weights under that criterion."""

    i: int
    j: int
    target_score: Element
    competitor_score: Element
    target_weight: Element | None = None
    competitor_weight: Element | None = None

    @property
    def gap(self) -> Element:
        """The exact difference of the two scores; NaN where one is NaN or both are the same infinity."""
        return difference(self.target_score, self.competitor_score)

    def to_json(self) -> dict[str, Any]:
        """The keys of `witness`."""
        shown: dict[str, Any] = {
            "i": self.i,
            "j": self.j,
            "target_score": json_number(self.target_score),
            "competitor_score": json_number(self.competitor_score),
            "gap": json_number(self.gap),
        }
        if self.target_weight is not None and self.competitor_weight is not None:
            shown["target_weight"] = json_number(self.target_weight)
            shown["competitor_weight"] = json_number(self.competitor_weight)
        return shown


@dataclass(frozen=True)
class Record:
    """A record near-return n of the rotation and the realized gap there: query i = n + k against j = 0."""

    n: int
    i: int
    j: int
    gap: Element

    def to_json(self) -> dict[str, Any]:
        """The keys of one entry of `records`."""
        return {"n": self.n, "i": self.i, "j": self.j, "gap": json_number(self.gap)}


@dataclass(frozen=True)
class Collision:
    """Two positions j < j_again with the same realized key, so that i0 <= j_again + k and N_max <= j_again + k - 2."""

    j: int
    j_again: int
    bound: int

    def to_json(self) -> dict[str, Any]:
        """The keys of `pigeonhole`."""
        return {"j": self.j, "j_again": self.j_again, "bound": self.bound}


@dataclass(frozen=True)
class CrossCheck:
    """How many values a second library recomputed, and which of them it disagrees with."""

    library: str
    values: int
    disagreements: int
    sampled: bool
    first: str | None = None

    def to_json(self) -> dict[str, Any]:
        """The keys of `cross_check`."""
        return {
            "library": self.library,
            "values": self.values,
            "disagreements": self.disagreements,
            "sampled": self.sampled,
            "first_disagreement": self.first,
        }


@dataclass(frozen=True)
class CertifiedRange:
    """A certified range N_max, or the bounds on it that the limits allowed; prints as an explanation.

    n_max: the value when status is "exact"; what is certified so far when it is "at_least" (a limit ended the search,
    and N_max >= n_max); None when it is "between" (lower <= N_max <= upper) or "undefined" (F has no f_large).  usable:
    whether n_max >= k, which Cor. 4.1 of arXiv:2608.11909 needs (below, the claim is vacuous).  ideal_lower,
    ideal_upper: the same head in exact arithmetic; upper None where none is known.  g, C: the angle and the scale, or
    tuples of those of all pairs.  realize: the name of the kind of realization.  question: what was asked.
    """

    n_max: int | None
    status: Status
    lower: int
    upper: int | None
    k: int
    g: str | tuple[str, ...]
    C: str | tuple[str, ...]
    dtype: str
    stages: dict[str, str] = field(hash=False)
    realize: str
    criterion: str
    fma: bool
    order: str
    f_large: mpq | None
    witness: Witness | None
    reason: str | None
    method: str
    pairs_checked: int
    pairs_total: int | None
    ideal_lower: int | None
    ideal_upper: int | None
    records: tuple[Record, ...]
    pigeonhole: Collision | None = None
    cross_check: CrossCheck | None = None
    notes: tuple[str, ...] = ()
    question: Any = field(default=None, compare=False, repr=False)

    @property
    def usable(self) -> bool:
        """Whether what is certified reaches the offset: k <= L <= N_max can hold."""
        return self.status != "undefined" and self.lower >= self.k

    @property
    def interrupted(self) -> bool:
        """Whether Ctrl-C ended the search."""
        return self.status == "at_least" and (self.reason or "").startswith("interrupted")

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert nmax --json`, as a dictionary; exact numbers that binary64 lacks are texts."""
        shown: dict[str, Any] = {
            "n_max": self.n_max,
            "status": self.status,
            "usable": self.usable,
            "lower": self.lower if self.status != "undefined" else None,
            "upper": self.upper,
            "f_large": None if self.f_large is None else json_number(self.f_large),
            "f_large_exact": None if self.f_large is None else exact_text(self.f_large),
            "witness": self.witness.to_json() if self.witness else None,
            "reason": self.reason,
            "method": self.method,
            "pairs_checked": self.pairs_checked,
            "pairs_total": self.pairs_total,
            "ideal": {"lower": self.ideal_lower, "upper": self.ideal_upper},
            "records": [record.to_json() for record in self.records],
            "pigeonhole": self.pigeonhole.to_json() if self.pigeonhole else None,
            "g": _listed(self.g),
            "C": _listed(self.C),
            "k": self.k,
            "dtype": self.dtype,
            "regime": dict(self.stages),
            "realize": self.realize,
            "criterion": self.criterion,
            "fma": self.fma,
            "order": self.order,
            "notes": list(self.notes),
        }
        if self.cross_check is not None:
            shown["cross_check"] = self.cross_check.to_json()
        return shown

    def __str__(self) -> str:
        from certify.certified_range.explanation import explain

        return explain(self)


@dataclass(frozen=True)
class CertifiedRanges:
    """The certified ranges of several offsets; for all of them together the least one counts (Cor. 4.1 ii)."""

    results: tuple[CertifiedRange, ...]

    @property
    def n_max(self) -> int | None:
        """The least n_max over the offsets, or None when one has none."""
        if any(result.n_max is None for result in self.results):
            return None
        return min(result.n_max for result in self.results if result.n_max is not None)

    @property
    def status(self) -> Status:
        """ "exact" when `n_max` is the exact minimum, else the status of an offset that keeps it from being so."""
        least = self.n_max
        if least is None:
            return next(result.status for result in self.results if result.n_max is None)
        if any(result.status == "exact" and result.n_max == least for result in self.results):
            return "exact"
        return "at_least"

    @property
    def usable(self) -> bool:
        """Whether n_max reaches the largest offset."""
        return self.n_max is not None and self.n_max >= max(result.k for result in self.results)

    def to_json(self) -> dict[str, Any]:
        """{"results": [...], "n_max": minimum, "status": ..., "usable": ...}."""
        return {
            "results": [result.to_json() for result in self.results],
            "n_max": self.n_max,
            "status": self.status,
            "usable": self.usable,
        }

    def __str__(self) -> str:
        blocks = [str(result) for result in self.results]
        least = "unknown" if self.n_max is None else str(self.n_max)
        caveat = "" if self.usable else " (not usable for every offset)"
        return "\n\n".join([*blocks, f"All offsets together (Cor. 4.1 ii): N_max = {least}{caveat}"])


def _listed(value: str | tuple[str, ...]) -> str | list[str]:
    return value if isinstance(value, str) else list(value)


def difference(a: Element, b: Element) -> Element:
    """a - b exactly; with infinities as IEEE 754 subtracts them."""
    if isinstance(a, float) or isinstance(b, float):
        return float(a) - float(b) if not (a == 0 and b == 0) else mpq(0)
    return a - b
