"""Families of formats, in the order in which a smallest one is looked for.

A family is a format with a part left open, in the letters of its name: `eXmY`, `e5mY`, `eXm10`, `fixed:B.F`,
`fixed:B.4`, `fixed:16.F`; suffixes as in any format (`eXmY:saturate`).  Smaller means fewer bits in all, then fewer
exponent bits (fewer fraction bits for fixed point).  Where a member's name is that of a named format it is that format
("semantics 1", §1: named formats win), so that what is found can be typed again.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from fpsim.errors import InputError

__all__ = ["Family", "parse_family"]

_FLOAT = re.compile(r"e(X|[0-9]{1,2})m(Y|[0-9]{1,3})((?::.*)?)", re.ASCII)
_FIXED = re.compile(r"fixed:(B|[0-9]{1,3})\.(F|[0-9]{1,3})((?::.*)?)", re.ASCII)

# The limits of the search, where a part is open.
EXPONENT_BITS = range(2, 12)
FRACTION_BITS = range(1, 113)
FIXED_BITS = range(2, 65)


@dataclass(frozen=True)
class Family:
    """A family of formats: `first` is X or B, `second` Y or F; None where it is open."""

    name: str
    kind: str
    first: int | None
    second: int | None
    suffix: str

    def members(self) -> Iterator[str]:
        """The names of its formats, the smallest first.

        >>> from itertools import islice
        >>> list(islice(parse_family("eXmY").members(), 4)), list(islice(parse_family("fixed:B.2").members(), 2))
        (['e2m1', 'e2m2', 'e3m1', 'e2m3'], ['fixed:3.2', 'fixed:4.2'])
        """
        if self.kind == "float":
            exponents = EXPONENT_BITS if self.first is None else (self.first,)
            fractions = FRACTION_BITS if self.second is None else (self.second,)
            for x, y in sorted(((x, y) for x in exponents for y in fractions), key=lambda xy: (sum(xy), xy)):
                yield f"e{x}m{y}{self.suffix}"
            return
        for bits in FIXED_BITS if self.first is None else (self.first,):
            for fraction in range(bits) if self.second is None else (self.second,):
                if fraction < bits:
                    yield f"fixed:{bits}.{fraction}{self.suffix}"

    @property
    def limits(self) -> str:
        """What the search covers."""
        if self.kind == "float":
            parts = [_span("X", EXPONENT_BITS)] * (self.first is None) + [_span("Y", FRACTION_BITS)] * (
                self.second is None
            )
        else:
            parts = [_span("B", FIXED_BITS)] * (self.first is None) + ["0 <= F < B"] * (self.second is None)
        return ", ".join(parts)


def _span(letter: str, values: range) -> str:
    return f"{values.start} <= {letter} <= {values[-1]}"


def parse_family(text: object) -> Family | None:
    """The family that `text` names, or None when no part of it is open.  Raises `InputError` for an unknown family.

    >>> parse_family("e5mY").first, parse_family("e5m10"), parse_family("fixed:B.4:up").suffix
    (5, None, ':up')
    """
    if not isinstance(text, str):
        return None
    base = text.strip()
    for kind, pattern in (("float", _FLOAT), ("fixed", _FIXED)):
        match = pattern.fullmatch(base)
        if match:
            first, second = (int(part) if part.isdigit() else None for part in match.groups()[:2])
            if first is not None and second is not None:
                return None
            return Family(base, kind, first, second, match[3])
    head = base.partition(":")[0] if not base.startswith("fixed:") else base
    if re.fullmatch(r"[eE](?:[xX]|[0-9]+)[mM](?:[yY]|[0-9]+)|fixed:(?:[bB]|[0-9]+)\.(?:[fF]|[0-9]+).*", head) and (
        set(head.removeprefix("fixed")) & set("xXyYbBfF")
    ):
        raise InputError(
            "dtype", text, "a family in these letters: eXmY, e5mY, eXm10, fixed:B.F, fixed:B.4 or fixed:16.F"
        )
    return None
