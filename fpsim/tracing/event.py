"""A place where rounding mattered, in numbers and in words."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

from gmpy2 import mpfr, mpq

from fpsim.number import decimal_text, json_number
from fpsim.operands import as_element
from fpsim.rounding.reference import Element

__all__ = ["MEANING", "Event", "EventKind", "Number", "Stage", "approximate_json", "brief"]

EventKind: TypeAlias = Literal[
    "nan", "overflow", "underflow", "stagnation", "absorption", "target", "swap", "tie", "hard"
]
Stage: TypeAlias = Literal["input", "score", "difference", "exponential", "denominator", "weight", "output"]
"""Where in the head, in the order in which it computes."""
Number: TypeAlias = "Element | mpfr"

MEANING: dict[EventKind, str] = {
    "nan": "a NaN arises",
    "overflow": "a result beyond range",
    "underflow": "a number other than 0 becomes 0",
    "stagnation": "a term other than 0 leaves the sum as it was",
    "absorption": "the sum so far is lost beside the term that is added",
    "target": "the greatest score is at another key",
    "swap": "two scores change their order",
    "tie": "two different scores become equal",
    "hard": "a weight of exactly 1 beside other keys",
}


@dataclass(frozen=True)
class Event:
    """Rounding mattered at one query: the first place of a kind in a stage, and how many more like it there are.

    key: the position that is attended to; None where it is no single one.  coordinate: of the query and key (stage
    `score`) or of the value (`output`), else None.  count: such places in this row.  exact: what the operation gives
    without rounding, from its realized operands (for `hard` and for the underflow of a weight: the exact weight of the
    whole head; for `target`, `swap` and `tie`: the exact difference of two scores).  realized: what it gives.  text:
    the same in words.
    """

    kind: EventKind
    stage: Stage
    query: int
    key: int | None
    count: int
    exact: Number
    realized: Number
    text: str
    coordinate: int | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields; numbers as `fpsim.number.json_number` writes them."""
        return {
            "kind": self.kind,
            "stage": self.stage,
            "query": self.query,
            "key": self.key,
            "coordinate": self.coordinate,
            "count": self.count,
            "exact": approximate_json(self.exact),
            "realized": approximate_json(self.realized),
            "text": self.text,
        }


def approximate_json(x: Number) -> int | float | str:
    """A number for JSON: an exact one as `json_number` has it; an mpfr, which is no exact number, as the nearest
    binary64, or as a text of 17 digits where that would be subnormal or 0.

    >>> approximate_json(mpq(1, 3)), approximate_json(mpfr("0.1", 100))
    ('1/3', 0.1)
    """
    if not isinstance(x, type(mpfr(0))):
        return json_number(x)
    near = float(x)
    if x == 0 or not x.is_finite() or abs(near) >= 2.0**-1022:
        return near if x.is_finite() else str(near)
    return f"{x:.17g}"


def brief(x: Number) -> str:
    """A number of at most 6 digits, for a table.

    >>> brief(mpq(1, 3)), brief(mpq(2048)), brief(float("inf")), brief(mpq(1, 2**20))
    ('0.333333', '2048', 'inf', '9.53674e-07')
    """
    element = x if isinstance(x, type(mpfr(0))) else as_element(x)
    if isinstance(element, float):
        return "0" if element == 0 else str(element)
    near = float(element) if abs(element) < mpq(2) ** 1000 else float("inf")
    if element != 0 and not 2.0**-1000 < abs(near) < 2.0**1000:
        return decimal_text(mpq(element), 6).replace("...", "")
    return f"{near:.6g}"
