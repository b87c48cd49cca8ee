"""How a check may end early, and the account of work that bounds it.

Every claim is checked against an `Account`: work is foreseen before it begins, spent while it is done, and what was
shown is counted.  A claim that needs more than its share ends as undecided, in bounded time and memory.
"""

from __future__ import annotations

from dataclasses import dataclass, field

__all__ = [
    "MAX_BITS",
    "MAX_STORED",
    "Account",
    "Malformed",
    "Refuted",
    "Stop",
    "Undecided",
    "Unsupported",
    "cached",
]

MAX_BITS = 40_000  # of a fixed-point number: cos and sin of that length take about a second
MAX_STORED = 300_000  # realized blocks, scores or near-returns kept at once: below 200 MB
_LONG = 1 << 10  # bits of a number up to which rounding it is part of the one unit that a realized value costs
_STORED = 1 << 12  # bits of an element of a value set up to which one counts once where it is stored
_CACHE = 1 << 26  # bits of one cache: 8 MB, and a pipeline has 17
_OBJECT = 1 << 12  # bits of what is cached besides those of its numbers
_REFINED = 128  # bits up to which an enclosure is part of the one unit that a realized value costs


class Stop(Exception):  # noqa: N818 - a verdict, not an error
    """Ends a check with a verdict; its text is the reason."""

    verdict = "internal"


class Malformed(Stop):
    """The bytes are not a certificate."""

    verdict = "malformed"


class Refuted(Stop):
    """The claim is shown to be false."""

    verdict = "refuted"


class Undecided(Stop):
    """Nothing was shown within the limits."""

    verdict = "undecided"


class Unsupported(Stop):
    """A well-formed claim that this checker does not know how to check."""

    verdict = "unsupported"


def cached(bits: int) -> int:
    """How many numbers of that many bits one cache holds."""
    return _CACHE // (_OBJECT + bits)


@dataclass
class Account:
    """The work that is left, what was shown, and how it is told.

    limit: what may be spent, in units of one realized value or score.  unit: what one of them costs in this claim, more
    than 1 where its numbers are long.  bulk: how many things one stored thing counts for.  beside: files that were
    given beside the certificate, by their sha256.
    """

    limit: int
    left: int = 0
    unit: int = 1
    bulk: int = 1
    obligations: int = 0
    notes: list[str] = field(default_factory=list)
    beside: dict[str, bytes] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.left = self.limit

    def foresee(self, units: int, what: str) -> None:
        """Refuse work that is known beforehand to be too much."""
        if units * self.unit > self.left:
            size = str(units * self.unit) if units < 1 << 256 else f"more than 2^{units.bit_length() - 1}"
            raise Undecided(f"{what} would take {size} units of work, --max-work leaves {max(self.left, 0)}")

    def spend(self, units: int = 1) -> None:
        """Pay for work that is done."""
        self.left -= units * self.unit
        if self.left < 0:
            raise Undecided(f"more work than --max-work {self.limit} allows")

    def refine(self, bits: int, dearer: int = 1) -> None:
        """Pay for one enclosure of that many bits; the product of two such numbers costs about their square.

        dearer: it takes as long as cos and sin of that many times the bits.
        """
        if bits * dearer > MAX_BITS:
            raise Undecided(f"an enclosure of {bits} bits, where this checker goes to {MAX_BITS // dearer}")
        if bits * dearer > _REFINED:
            self.spend((bits * dearer // _REFINED) ** 2)

    def carry(self, bits: int) -> None:
        """Pay for the rounding of a number of that many bits, where they are many: in the end their square."""
        if bits > _LONG:
            self.left -= 1 + (bits * bits >> 25)
            if self.left < 0:
                raise Undecided(f"more work than --max-work {self.limit} allows, on numbers of {bits} bits")

    def hold(self, bits: int) -> None:
        """Elements of that many bits will be stored."""
        self.bulk = max(self.bulk, bits // _STORED)

    def store(self, things: int) -> None:
        """Refuse to keep more than memory is meant to hold."""
        if things * self.bulk > MAX_STORED:
            raise Undecided(f"more than {MAX_STORED // self.bulk} blocks, scores or near-returns to keep at once")

    def shown(self, note: str, obligations: int = 1) -> None:
        """One obligation, or several of a kind, was met."""
        self.obligations += obligations
        self.notes.append(note)
