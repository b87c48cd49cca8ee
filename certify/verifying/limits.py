"""How far the extraction of an automaton goes, and what ends it."""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = ["BeyondLimitError", "Limits"]


class BeyondLimitError(Exception):
    """The automaton is not found within the limits, or not by this method; the message is the reason."""


@dataclass
class Limits:
    """states: of the automaton up to one layer.  sums: the running sums that all these states hold.

    positions: that the realized rotations take before they repeat.  denominators: values of one denominator.  entries:
    of the tables of all denominators together, which is some ten seconds of work.
    """

    states: int = 100_000
    sums: int = 5_000_000
    positions: int = 20_000
    denominators: int = 20_000
    entries: int = 2_000_000
    _spent: int = field(default=0, init=False, repr=False)  # of the entries; `dataclasses.replace` begins anew

    def spend(self, entries: int) -> None:
        """Count the entries of one more table.  Raises `BeyondLimitError` where all are too many."""
        self._spent += entries
        if self._spent > self.entries:
            raise BeyondLimitError(f"the denominators of soft heads take tables of more than {self.entries} entries")
