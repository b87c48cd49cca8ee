"""Exact scores of a k-offset head over a realized table: the reference that decides what binary64 cannot.

The keys and the bias are numbers of binary64, each an integer times a power of two.  So a score, a sum of products of
three of them, is an integer times one power of two, and no rounding is needed.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from typing import Any

import numpy as np
from gmpy2 import mpq, mpz

from certify.head_effects.table import HeadTable
from fpsim.blocks import Floats
from fpsim.number import exact_text, json_number
from fpsim.rounding.reference import Element

__all__ = ["ExactScores", "Gap"]


@dataclass(frozen=True)
class Gap:
    """The exact gap of query i against the competitor j: S(i, i-k) - S(i, j) for C = 1; NaN, and j None, where the
    query or its target is not finite.
    """

    i: int
    j: int | None
    gap: Element

    def to_json(self) -> dict[str, Any]:
        """{"i", "j", "gap", "gap_exact"}: the gap as the nearest number of binary64, and as a text."""
        if isinstance(self.gap, float):
            return {"i": self.i, "j": self.j, "gap": json_number(self.gap), "gap_exact": None}
        return {"i": self.i, "j": self.j, "gap": float(self.gap), "gap_exact": exact_text(self.gap)}


class ExactScores:
    """The gaps of a table whose bias is finite, in exact arithmetic; remembers the last keys and queries."""

    def __init__(self, table: HeadTable) -> None:
        assert table.bias is not None
        self._table = table
        self._key_places = _places(table.keys)
        places = max(_places(table.bias[0]), _places(table.bias[1]))
        self._bias = [_integers(part, places) for part in table.bias]
        self._unit = mpq(1, mpz(1) << (2 * self._key_places + places))
        self._key = lru_cache(maxsize=4096)(self._key_of)
        self._query = lru_cache(maxsize=64)(self._query_of)

    def gap(self, i: int, j: int) -> mpq:
        """S(i, i-k) - S(i, j)."""
        target, competitor = self._key(i - self._table.offset), self._key(j)
        return self._unit * sum(q * (t - c) for q, t, c in zip(self._query(i), target, competitor, strict=True))

    def _key_of(self, j: int) -> list[mpz]:
        return _integers(self._table.keys[j], self._key_places)

    def _query_of(self, i: int) -> list[mpz]:
        key, pairs = self._key(i), self._table.pairs
        both = list(zip(key[:pairs], key[pairs:], *self._bias, strict=True))
        return [c * b0 - s * b1 for c, s, b0, b1 in both] + [s * b0 + c * b1 for c, s, b0, b1 in both]


def _places(numbers: Floats) -> int:
    """The least p >= 0 such that every number is an integer times 2^-p, or a little more."""
    above, below = (
        np.min(numbers, initial=np.inf, where=numbers > 0),
        np.max(numbers, initial=-np.inf, where=numbers < 0),
    )
    least = min(float(above), -float(below))
    return max(0, 53 - int(np.frexp(least)[1])) if np.isfinite(least) else 0


def _integers(numbers: Floats, places: int) -> list[mpz]:
    ratios = (float(x).as_integer_ratio() for x in numbers)
    return [mpz(top) * ((mpz(1) << places) // bottom) for top, bottom in ratios]
