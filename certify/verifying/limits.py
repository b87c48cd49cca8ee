"""How far the extraction of an automaton goes, and what ends it."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["BeyondLimitError", "Limits"]


class BeyondLimitError(Exception):
    """The automaton is not found within the limits, or not by this method; the message is the reason."""


@dataclass
class Limits:
    """states: of the automaton up to one layer.  sums: the running sums that all these states hold.

    positions: that the realized rotations take before they repeat.  denominators: values of one denominator.
    """

    states: int = 100_000
    sums: int = 5_000_000
    positions: int = 20_000
    denominators: int = 20_000
