"""The search for a head that reaches a length: candidates in order, each judged by the certified range itself.

Nothing is believed of a candidate: its range is found by the roads of `certify.certified_range.roads`, up to the wanted
length.  When no candidate reaches it, the greatest length that some candidate reaches is sought by bisection; that is a
heuristic (what a search does not find may exist), so "not found" is never reported as "impossible".
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice

from gmpy2 import mpq

from certify.certified_range.question import Criterion, Question
from certify.certified_range.roads import find
from certify.designing.candidates import candidates
from fpsim.angle import Angle
from fpsim.flarge import f_large
from fpsim.realization import Kind, parse_kind
from fpsim.regime import Regime
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

__all__ = ["Head", "HeadSearch", "Report"]

Report = Callable[[int], None]  # candidates judged so far

# Beyond these lengths candidates are judged by the bracket alone, which costs no scan.
SCAN_BY_KERNEL = 20_000_000
SCAN_BY_REFERENCE = 3_000
_CLOSE = 64


@dataclass(frozen=True)
class Head:
    """An angle and a scale; `reached` is certified for every offset: N_max >= reached."""

    g: str
    scale: mpq
    reached: int


class HeadSearch:
    """Looks for heads in one value set, and keeps the best that it has met.

    tries: how many candidates are judged for one length.
    """

    def __init__(
        self,
        values: ValueSet,
        offsets: Sequence[int],
        *,
        criterion: Criterion = "gap",
        realize: Kind | str = "ideal",
        tries: int = 200,
        report: Report | None = None,
    ) -> None:
        self.values, self.offsets, self.tries = values, sorted(offsets), tries
        self.criterion: Criterion = criterion
        self.realize = parse_kind(realize)
        self.threshold = f_large(values)
        self.regime = Regime.of(values)
        self.best: Head | None = None
        self.tried = 0
        self._report = report
        self._fast = spec_of(values) is not None

    def reach(self, length: int) -> bool:
        """Whether a head that reaches `length` was found among the candidates; it is then `best`.

        >>> search = HeadSearch(ValueSet.parse("e4m3"), [1])
        >>> search.reach(12), search.best.reached >= 12
        (True, True)
        """
        if self.threshold is None:
            return False
        if self.best is not None and self.best.reached >= length:
            return True
        for g, scale in islice(candidates(self.values, self.offsets, length, self.threshold), self.tries):
            reached = self._judge(g, scale, length)
            self.tried += 1
            if self._report:
                self._report(self.tried)
            if self.best is None or reached > self.best.reached:
                self.best = Head(g, scale, reached)
            if reached >= length:
                return True
        return False

    def climb(self, length: int) -> None:
        """Improve `best`, by bisection over the lengths below `length`, for which no candidate did.

        Whenever a head is found it is judged up to `length`: it may reach further than what was looked for, and even
        that far.  The bisection ends where its two ends are within `_CLOSE` of each other.
        """
        low, high = self.best.reached if self.best else 0, length
        while high - low > max(1, low // _CLOSE) and self.threshold is not None:
            middle = (low + high) // 2
            if self.reach(middle) and self.best is not None:
                self.best = replace(self.best, reached=self._judge(self.best.g, self.best.scale, length))
                low = self.best.reached
            else:
                high = middle

    def question(self, g: str, scale: mpq, offset: int) -> Question:
        """What the certified range of a candidate is the answer to."""
        return Question(Angle.parse(g), scale, offset, self.regime, self.realize, self.criterion)

    def scans(self, length: int) -> bool:
        """Whether pairs are computed up to this length, or left to the bracket."""
        return length <= (SCAN_BY_KERNEL if self._fast else SCAN_BY_REFERENCE)

    def _judge(self, g: str, scale: mpq, length: int) -> int:
        """The least certified range over the offsets, as far as it matters: up to `length`, or below the best."""
        least = length
        for offset in self.offsets:
            scans = self.scans(length)
            question = self.question(g, scale, offset)
            answer = find(question, "auto" if scans else "bracket", length if scans else None, None)
            if answer.status == "at_least" and answer.lower < length:  # a scan ends early at Ctrl-C only
                raise KeyboardInterrupt
            least = min(least, answer.lower)
            if least < length and self.best is not None and least < self.best.reached:
                return least
        return least
