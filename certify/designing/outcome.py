"""What `design` answers: a head, what it reaches, and what is known about reaching further."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from certify.designing.length_limit import LengthLimit

__all__ = ["Design", "Outcome", "TriedFormat"]

Outcome: TypeAlias = Literal["found", "impossible", "not found", "interrupted"]


@dataclass(frozen=True)
class TriedFormat:
    """A smaller format of a family that did not do: `bound` is a proof (no head in it goes beyond), else the search
    found none, and `n_max` is the best it met.
    """

    dtype: str
    bound: int | None
    n_max: int | None

    def to_json(self) -> dict[str, Any]:
        """The keys of one entry of `smaller`."""
        ruled_out = self.bound is not None
        return {
            "dtype": self.dtype,
            "by": "proof" if ruled_out else "search",
            "bound": self.bound,
            "n_max": self.n_max,
        }


@dataclass(frozen=True)
class Design:
    """A head for a wanted length, or the best that was met; prints as an explanation.

    outcome: "found"; "impossible" (proved by `limit`); "not found" (by the search, which proves nothing);
    "interrupted" (by Ctrl-C, with the best so far).  g, C: the head, as texts that `nmax` takes; None where no
    candidate was usable.  n_max: what `nmax` answers for it, the least over the offsets.  dtype: the format; of a
    family the smallest one that was found to do, or else the one where the search got furthest.  limit: what no g and
    no C in `dtype` can exceed, None where nothing is proved.  smaller: the formats of the family before it.
    """

    outcome: Outcome
    g: str | None
    C: str | None
    dtype: str | None
    n_max: int | None
    limit: LengthLimit | None
    length: int
    k: tuple[int, ...]
    criterion: str
    realize: str
    tried: int
    family: str | None = None
    search_limits: str | None = None
    smaller: tuple[TriedFormat, ...] = ()

    @property
    def found(self) -> bool:
        """Whether the head reaches the length for every offset."""
        return self.outcome == "found"

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert design --json`, as a dictionary."""
        shown: dict[str, Any] = {
            "found": self.found,
            "outcome": self.outcome,
            "g": self.g,
            "C": self.C,
            "dtype": self.dtype,
            "n_max": self.n_max,
            "limit": self._limit_text(),
            "limit_length": self.limit.bound if self.limit else None,
            "length": self.length,
            "k": list(self.k),
            "criterion": self.criterion,
            "realize": self.realize,
            "tried": self.tried,
        }
        if self.family is not None:
            shown |= {
                "family": self.family,
                "search_limits": self.search_limits,
                "smaller": [tried.to_json() for tried in self.smaller],
            }
        return shown

    def _limit_text(self) -> str | None:
        return None if self.limit is None else f"no head goes beyond {self.limit.bound}: {self.limit.reason}"

    def __str__(self) -> str:
        offsets = f"k = {', '.join(map(str, self.k))}"
        lines = [self._headline(offsets), ""]
        if self.g is not None and self.C is not None and self.dtype is not None:
            lines.append(f"  head              g = {self.g}, C = {self.C}, in {self.dtype}")
            lines.append(f"  N_max             {self.n_max} (the least over {offsets}; criterion {self.criterion})")
            lines.append(f"  to see why        {self._command()}")
        if self.limit is not None:
            lines.append(f"  limit             {self._limit_text()}")
        lines.append(f"  search            {self.tried} candidates judged by their certified range")
        if self.family is not None:
            lines += self._family_lines()
        return "\n".join(lines)

    def _headline(self, offsets: str) -> str:
        where = self.dtype if self.family is None or self.found else self.family
        if self.outcome == "found":
            smallest = f", the smallest {self.family} that was found to" if self.family else ""
            return f"Length {self.length} is reached in {where} for {offsets}{smallest}."
        if self.outcome == "impossible":
            return f"Length {self.length} is out of reach in {where} for {offsets}, whatever g and C: proved."
        if self.outcome == "interrupted":
            return f"Interrupted before a head for length {self.length} was found in {where}; the best so far:"
        return f"No head for length {self.length} was found in {where} for {offsets} (not proved impossible)."

    def _command(self) -> str:
        options = f" --criterion {self.criterion}" * (self.criterion != "gap")
        options += f" --realize {self.realize}" * (self.realize != "ideal")
        ks = ",".join(map(str, self.k))
        return f"fpcert nmax --g {self.g} --C {self.C} --dtype {self.dtype} --k {ks}{options}"

    def _family_lines(self) -> list[str]:
        proved = [tried.dtype for tried in self.smaller if tried.bound is not None]
        searched = [f"{tried.dtype} (best {tried.n_max})" for tried in self.smaller if tried.bound is None]
        return [
            f"  family            {self.family}" + (f" with {self.search_limits}" if self.search_limits else ""),
            f"  ruled out         by proof: {_some(proved)}",
            f"  not found in      {_some(searched)}",
        ]


def _some(names: list[str], most: int = 8) -> str:
    if not names:
        return "none"
    shown = names if len(names) <= most else ["...", *names[-most:]]
    return f"{', '.join(shown)} ({len(names)} in all)" if len(names) > most else ", ".join(shown)
