"""The question that a certified range answers, validated at the edge.

    N_max^(k)(g, C, F) = sup { L : S(i, i-k) - S(i, j) >= f_large  for all k+1 <= i <= L+1, 0 <= j < i, j != i-k }

(Eq. 10 of arXiv:2608.11909.)  If i0 is the least failing query position, N_max = i0 - 2.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from operator import index
from typing import Any, Literal, Protocol, TypeAlias

from gmpy2 import mpq, mpz

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.flarge import f_large
from fpsim.head import Head
from fpsim.number import decimal_text, parse_number
from fpsim.realization import Kind, parse_kind, realize, traits_of
from fpsim.regime import Regime
from fpsim.rounding.reference import round_exact
from fpsim.rounding.specs import spec_of
from fpsim.valueset import ValueSet

__all__ = ["AnyQuestion", "Criterion", "Question", "check_scale", "is_single_offset", "parse_offsets"]

Criterion: TypeAlias = Literal["gap", "weight"]
MAX_OFFSET = 10**60
MAX_SCALE = mpz(10) ** 5000
STEPS_BY_KERNEL, STEPS_BY_REFERENCE = 1 << 28, 20_000  # a second or two
MIN_ANGLE = mpq(1, mpz(10) ** 1000)


class AnyQuestion(Protocol):
    """What the roads that look at scores only need of a question, whether its head has one pair or many.

    `head` has the methods `key`, `query`, `query_beside`, `rotated_bias` and `score_of` of `fpsim.head.Head`; what they
    pass to each other (a block, or one for each pair) is theirs.
    """

    @property
    def offset(self) -> int:
        """k."""

    @property
    def regime(self) -> Regime:
        """The value sets of the stages."""

    @property
    def realize(self) -> str:
        """The name of the kind of realization."""

    @property
    def last_query(self) -> int | None:
        """The last position that the realization knows; None: it knows all."""

    @property
    def criterion(self) -> Criterion:
        """What a query position has to meet."""

    @property
    def threshold(self) -> mpq | None:
        """f_large."""

    @property
    def head(self) -> Any:
        """The head, with the reference realization."""


@dataclass(frozen=True)
class Question:
    """One k-offset head and the criterion that each of its query positions has to meet.

    kind: a text is parsed, and a file it names read, when the question is made.  pair: which of the pairs of an array
    the head has.
    """

    angle: Angle
    scale: mpq
    offset: int
    regime: Regime
    kind: Kind | str = "ideal"
    criterion: Criterion = "gap"
    pair: int = 0

    def __post_init__(self) -> None:
        self.regime.require_deterministic()
        if not self.angle:
            raise InputError(
                "g", str(self.angle), "an angle other than 0: an unrotated pair gives every position the same score"
            )
        check_angle(self.angle)
        if self.scale <= 0:
            raise InputError("C", self.scale, "greater than 0")
        _check_offset(self.offset)
        if self.criterion not in ("gap", "weight"):
            raise InputError("criterion", self.criterion, "gap or weight")
        object.__setattr__(self, "kind", parse_kind(self.kind))
        self._check_length()
        check_scale(self.regime.values, self.scale)

    def _check_length(self) -> None:
        """Where the realization knows some positions only, the first query, k+1, must be one of them."""
        length, offset = self.head.realization.length, self.offset
        if length is None or offset + 2 <= length:
            return
        if length < 3:
            raise InputError(self.realize, f"{length} positions", "at least 3 positions: query k+1 >= 2 is the first")
        raise InputError("k", offset, f"at most {length - 2}: {length} positions are given, and query k+1 is the first")

    @property
    def realize(self) -> str:
        """The name of the kind of realization: "ideal", "phase", "array:FILE", .."""
        return parse_kind(self.kind).name

    @property
    def last_query(self) -> int | None:
        """The last position that the realization knows; None: it knows all."""
        length = self.head.realization.length
        return None if length is None else length - 1

    @property
    def farthest_computed(self) -> int | None:
        """The last position whose block is worth its cost, where positions are reached by steps; None: any is."""
        if self.last_query is not None or traits_of(self.head.realization).random_access:
            return self.last_query
        return STEPS_BY_REFERENCE if spec_of(self.regime.values) is None else STEPS_BY_KERNEL

    @cached_property
    def threshold(self) -> mpq | None:
        """f_large of the softmax stage, or None where it does not exist."""
        return f_large(self.regime.softmax)

    @cached_property
    def head(self) -> Head:
        """The head, with the reference realization."""
        rotation = realize(self.kind, self.angle, self.regime.values, self.pair)
        return Head(self.scale, self.offset, rotation, self.regime)


def check_scale(values: ValueSet, scale: mpq) -> None:
    """C must be in the range of `values`, where the bias and the queries are stored (a saturating set takes any)."""
    if scale > MAX_SCALE:
        raise InputError("C", decimal_text(scale, 5), "at most 10^5000")
    stored = round_exact(values, scale)
    if isinstance(stored, float) and not math.isfinite(stored):
        raise InputError(
            "C",
            scale,
            f"within {values.name}, whose largest value is {decimal_text(values.max)} (this C overflows there); or ask "
            "for a wider format, or for one that saturates",
        )


def check_angle(angle: Angle) -> None:
    """The angle must be between 10^-1000 and 10^1000 in magnitude: beyond, positions have thousands of digits."""
    lo, hi = angle.enclose(32)
    if angle and not (MIN_ANGLE <= max(abs(lo), abs(hi)) <= 1 / MIN_ANGLE):
        raise InputError("g", decimal_text(lo, 5), "between 10^-1000 and 10^1000 in magnitude")


def parse_offsets(k: object) -> tuple[int, ...]:
    """The offsets that `k` means: an int, a text such as "1,2,3", or several ints; in the order given, without repeats.

    >>> parse_offsets("1,2,3"), parse_offsets(5)
    ((1, 2, 3), (5,))
    """
    if isinstance(k, str):
        parts: Iterable[object] = [_integer(part.strip()) for part in k.split(",")]
    elif is_single_offset(k) or not isinstance(k, Iterable) or isinstance(k, bytes):
        parts = [k]
    else:
        parts = list(k)
    offsets: list[int] = []
    for part in parts:
        try:
            offset = 0 if isinstance(part, bool) else index(part)  # type: ignore[arg-type]
        except TypeError:
            raise InputError("k", part, "an integer of at least 1, or several with commas") from None
        _check_offset(offset)
        if offset not in offsets:
            offsets.append(offset)
    if not offsets:
        raise InputError("k", k, "an integer of at least 1, or several with commas")
    return tuple(offsets)


def is_single_offset(k: object) -> bool:
    """Whether `k` stands for one offset, not for a list: an integer of any type, or a text without a comma."""
    if isinstance(k, str):
        return "," not in k
    try:
        index(k)  # type: ignore[arg-type]
    except TypeError:
        return False
    return True


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
