"""The question that a certified range answers, validated at the edge.

    N_max^(k)(g, C, F) = sup { L : S(i, i-k) - S(i, j) >= f_large  for all k+1 <= i <= L+1, 0 <= j < i, j != i-k }

(Eq. 10 of arXiv:2608.11909.)  If i0 is the least failing query position, N_max = i0 - 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Literal, TypeAlias

from gmpy2 import mpq

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.flarge import f_large
from fpsim.head import Head
from fpsim.number import decimal_text, parse_number
from fpsim.realization import REALIZATIONS, realize
from fpsim.regime import Regime
from fpsim.rounding.reference import round_exact

__all__ = ["Criterion", "Question", "parse_offsets"]

Criterion: TypeAlias = Literal["gap", "weight"]
MAX_OFFSET = 10**60


@dataclass(frozen=True)
class Question:
    """One k-offset head and the criterion that each of its query positions has to meet."""

    angle: Angle
    scale: mpq
    offset: int
    regime: Regime
    realize: str = "ideal"
    criterion: Criterion = "gap"

    def __post_init__(self) -> None:
        self.regime.require_deterministic()
        if not self.angle:
            raise InputError(
                "g", str(self.angle), "an angle other than 0: an unrotated pair gives every position the same score"
            )
        if self.scale <= 0:
            raise InputError("C", self.scale, "greater than 0")
        _check_offset(self.offset)
        if self.criterion not in ("gap", "weight"):
            raise InputError("criterion", self.criterion, "gap or weight")
        if self.realize not in REALIZATIONS:
            raise InputError("realize", self.realize, " or ".join(REALIZATIONS))
        self._check_scale()

    def _check_scale(self) -> None:
        """C must be in the range of `values`, where the bias and the queries are stored (a saturating set takes
        any).
        """
        values = self.regime.values
        stored = round_exact(values, self.scale)
        if isinstance(stored, float) and not math.isfinite(stored):
            raise InputError(
                "C",
                self.scale,
                f"within {values.name}, whose largest value is {decimal_text(values.max)} (this C "
                "overflows there); or ask for a wider format, or for one that saturates",
            )

    @cached_property
    def threshold(self) -> mpq | None:
        """f_large of the softmax stage, or None where it does not exist."""
        return f_large(self.regime.softmax)

    @cached_property
    def head(self) -> Head:
        """The head, with the reference realization."""
        return Head(self.scale, self.offset, realize(self.realize, self.angle, self.regime.values), self.regime)


def parse_offsets(k: object) -> tuple[int, ...]:
    """The offsets that `k` means: an int, a text such as "1,2,3", or several ints; in the order given, without repeats.

    >>> parse_offsets("1,2,3"), parse_offsets(5)
    ((1, 2, 3), (5,))
    """
    if isinstance(k, str):
        parts: Iterable[object] = [_integer(part.strip()) for part in k.split(",")]
    elif isinstance(k, Iterable):
        parts = list(k)
    else:
        parts = [k]
    offsets: list[int] = []
    for part in parts:
        if isinstance(part, bool) or not isinstance(part, int):
            raise InputError("k", part, "an integer of at least 1, or several with commas")
        _check_offset(part)
        if part not in offsets:
            offsets.append(part)
    if not offsets:
        raise InputError("k", k, "an integer of at least 1, or several with commas")
    return tuple(offsets)


def _integer(text: str) -> int:
    if not (text.isascii() and text.lstrip("+-").isdigit() and len(text) <= 100):
        raise InputError("k", text, "an integer of at least 1, or several with commas")
    return int(text)


def _check_offset(offset: int) -> None:
    if not 1 <= offset <= MAX_OFFSET:
        raise InputError("k", offset, "an integer of at least 1 (and at most 10^60)")


def parse_scale(scale: object) -> mpq:
    """The exact scale C > 0."""
    exact = parse_number(scale, "C")
    if exact <= 0:
        raise InputError("C", scale, "a number greater than 0")
    return exact
