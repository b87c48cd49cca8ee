"""The question about a head on several rotary pairs, and how its pairs are given.

The angles are listed, or those of the conventional schedule base^(-2(d-1)/dim), d = 1 .. dim/2.  The scales are the
weights of the pairs: one value stands for each of them, so that four pairs of scale 10 score 40 at the target.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from gmpy2 import mpq

from certify.certified_range.question import Criterion, Question, check_scale, parse_scale
from fpsim.angle import Angle, conventional_angle
from fpsim.errors import InputError
from fpsim.flarge import f_large
from fpsim.head import Head
from fpsim.many_pairs import ManyPairsHead
from fpsim.realization import Kind, parse_kind, realize
from fpsim.regime import Regime

__all__ = ["ManyQuestion", "parse_angles", "parse_dim", "parse_scales"]

MAX_PAIRS = 4096


@dataclass(frozen=True)
class ManyQuestion:
    """One k-offset head on several pairs, and the criterion that each of its query positions has to meet.

    angles, scales: theta_d and C_d > 0 of each pair.  An angle of 0 is an unrotated pair; not all are.

    >>> question = ManyQuestion((Angle.parse("1"), Angle.parse("0.1")), (mpq(40), mpq(40)), 1, Regime.of("fp16"))
    >>> float(question.head.score(7, 6))
    80.0
    """

    angles: tuple[Angle, ...]
    scales: tuple[mpq, ...]
    offset: int
    regime: Regime
    kind: Kind | str = "ideal"
    criterion: Criterion = "gap"

    def __post_init__(self) -> None:
        object.__setattr__(self, "kind", parse_kind(self.kind))
        if len(self.angles) != len(self.scales):
            raise InputError("C", f"{len(self.scales)} values", f"one value or {len(self.angles)}, one for each pair")
        if not any(self.angles):
            raise InputError(
                "theta",
                ", ".join(map(str, self.angles)),
                "at least one angle other than 0: unrotated pairs give every position the same score",
            )
        for scale in self.scales:
            if scale <= 0:
                raise InputError("C", scale, "greater than 0 for every pair (a pair that does not count is left out)")
            check_scale(self.regime.values, scale)
        _ = self.rotated  # each of them checks what all share

    @cached_property
    def rotated(self) -> tuple[Question, ...]:
        """The rotated pairs, each as the question about it alone."""
        shared = self.offset, self.regime, self.kind, self.criterion
        pairs = zip(self.angles, self.scales, strict=True)
        return tuple(Question(angle, scale, *shared, pair) for pair, (angle, scale) in enumerate(pairs) if angle)

    @property
    def turning(self) -> tuple[tuple[Angle, mpq], ...]:
        """(theta_d, C_d) of the rotated pairs: those whose terms depend on the position."""
        return tuple((angle, scale) for angle, scale in zip(self.angles, self.scales, strict=True) if angle)

    @property
    def realize(self) -> str:
        """The name of the kind of realization."""
        return parse_kind(self.kind).name

    @property
    def last_query(self) -> int | None:
        """The last position that every realization knows; None: they know all."""
        known = [length for pair in self.head.pairs if (length := pair.realization.length) is not None]
        return min(known) - 1 if known else None

    @cached_property
    def threshold(self) -> mpq | None:
        """f_large of the softmax stage, or None where it does not exist."""
        return f_large(self.regime.softmax)

    @cached_property
    def head(self) -> ManyPairsHead:
        """The head, with the reference realization."""
        return ManyPairsHead(
            tuple(
                Head(scale, self.offset, realize(self.kind, angle, self.regime.values, pair), self.regime)
                for pair, (angle, scale) in enumerate(zip(self.angles, self.scales, strict=True))
            )
        )


def parse_angles(theta: object = None, base: object = None, dim: object = None) -> tuple[Angle, ...]:
    """The angles of a list (texts may hold several, with commas) or of the conventional schedule.

    >>> [str(angle) for angle in parse_angles(base=10000, dim=4)], [str(angle) for angle in parse_angles("1, pi/7")]
    (['1', '0.01'], ['1', '1/7*pi'])
    """
    if theta is not None:
        angles = tuple(Angle.parse(part, "theta") for part in _parts(theta))
    elif base is None or dim is None:
        missing = "dim" if dim is None else "base"
        raise InputError(missing, "nothing", "given: a conventional schedule has a base and a dim (--base B --dim D)")
    else:
        angles = tuple(conventional_angle(base, d, parse_dim(dim)) for d in range(1, parse_dim(dim) // 2 + 1))
    if not 1 <= len(angles) <= MAX_PAIRS:
        raise InputError("theta", f"{len(angles)} angles", f"between 1 and {MAX_PAIRS} angles")
    return angles


def parse_dim(dim: object) -> int:
    """The rotary dimension: an even number, an int or its text."""
    right = f"an even integer between 2 and {2 * MAX_PAIRS}"
    if isinstance(dim, str) and dim.strip().isascii() and dim.strip().isdigit() and len(dim) < 20:
        dim = int(dim)
    if isinstance(dim, bool) or not isinstance(dim, int) or dim % 2 or not 2 <= dim <= 2 * MAX_PAIRS:
        raise InputError("dim", dim, right)
    return dim


def parse_scales(C: object, pairs: int) -> tuple[mpq, ...]:
    """The scale of each pair: as many values as pairs, or one, which each pair has.

    >>> parse_scales("40", 2), parse_scales([1, "1/2"], 2)
    ((mpq(40,1), mpq(40,1)), (mpq(1,1), mpq(1,2)))
    """
    scales = tuple(parse_scale(part) for part in _parts(C))
    if len(scales) not in (1, pairs):
        raise InputError("C", f"{len(scales)} values", f"one value, or {pairs} values: one for each pair")
    return scales * pairs if len(scales) == 1 else scales


def _parts(value: Any) -> list[Any]:
    """A text split at its commas, or the entries of a sequence, each split likewise; a single number alone."""
    if isinstance(value, str):
        return value.split(",")
    if isinstance(value, Iterable):
        return [part for entry in value for part in (entry.split(",") if isinstance(entry, str) else [entry])]
    return [value]
