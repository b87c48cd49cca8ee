"""N_max against the scale C, for a fixed angle: a staircase whose steps are the near-returns of the rotation.

In exact arithmetic N_max(C) = n + k - 2 from one record near-return n to the next, as C (1 - cos gn) passes f_large;
rounding moves the steps and ends the climb, where the rounding error, which grows with C, outweighs the gap.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any

from gmpy2 import mpq

from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Criterion, Question, parse_offsets, parse_scale
from certify.certified_range.result import CertifiedRange, CertifiedRanges
from certify.designing.candidates import scale_range
from certify.plots.gap_data import question_of
from fpsim.angle import Angle
from fpsim.errors import InputError, UnsupportedError
from fpsim.flarge import f_large
from fpsim.number import exact_text, json_number, parse_number
from fpsim.realization import Kind, parse_kind, traits_of
from fpsim.regime import Regime
from fpsim.valueset import ValueSet

__all__ = ["ScaleCurve", "ScalePoint", "scale_curve", "scale_curve_of", "spread_scales"]

SCALES = 120
SCAN_LENGTH = 300_000  # of one of the scales, of a realization that drifts from its phase


@dataclass(frozen=True)
class ScalePoint:
    """The certified range at one scale.  lower <= N_max <= upper, equal when it is exact (upper None: no bound);
    ideal: in exact arithmetic.
    """

    scale: mpq
    lower: int
    upper: int | None
    ideal: int | None


@dataclass(frozen=True)
class ScaleCurve:
    """The certified ranges of one head over rising scales; asked: the scale that the question was about, if any."""

    g: str
    dtype: str
    k: int
    realize: str
    criterion: str
    f_large: mpq
    points: tuple[ScalePoint, ...]
    asked: mpq | None = None

    def to_json(self) -> dict[str, Any]:
        """The fields, with `points` a list of {"C", "lower", "upper", "ideal"}."""
        return {
            "g": self.g,
            "dtype": self.dtype,
            "k": self.k,
            "realize": self.realize,
            "criterion": self.criterion,
            "f_large": json_number(self.f_large),
            "points": [
                {"C": exact_text(point.scale), "lower": point.lower, "upper": point.upper, "ideal": point.ideal}
                for point in self.points
            ],
        }


def scale_curve(
    *,
    g: Any,
    dtype: ValueSet | str = "fp16",
    k: int = 1,
    scales: Sequence[Any] | None = None,
    realize: Kind | str = "ideal",
    criterion: Criterion = "gap",
    rotate_dtype: ValueSet | str | None = None,
    score_dtype: ValueSet | str | None = None,
    softmax_dtype: ValueSet | str | None = None,
    fma: bool = False,
    progress: Callable[[int, int], None] | None = None,
) -> ScaleCurve:
    """N_max^(k)(g, C, F) for each C of `scales` (default: spread evenly by ratio over those that matter).

    The arguments are those of `nmax`; k is a single offset.  progress: called with the scales done and all of them.
    Raises `InputError`, and `UnsupportedError` for a value set without f_large.

    >>> curve = scale_curve(g=1, dtype="fp16", scales=[10, 40, 10000, 60000])
    >>> [point.lower for point in curve.points], [point.ideal for point in curve.points]
    ([0, 5, 43, 44], [0, 5, 43, 43])
    """
    regime = Regime.of(dtype, rotate=rotate_dtype, score=score_dtype, softmax=softmax_dtype, fma=fma)
    angle, kind = Angle.parse(g, "g"), parse_kind(realize)
    (offset,) = _single(k)
    threshold = f_large(regime.softmax)
    if threshold is None:
        raise UnsupportedError(f"no plot: {regime.softmax.name} has no f_large, so no gap in it selects exactly")
    chosen = spread_scales(regime.values, threshold) if scales is None else sorted({parse_scale(C) for C in scales})
    if not chosen:
        raise InputError("scales", scales, "at least one scale C > 0")
    return _curve([Question(angle, scale, offset, regime, kind, criterion) for scale in chosen], threshold, progress)


def scale_curve_of(
    result: CertifiedRange | CertifiedRanges, *, progress: Callable[[int, int], None] | None = None
) -> ScaleCurve:
    """The curve through the head of an `nmax` result, its own scale among the others; of several offsets the one with
    the least range.  Raises `UnsupportedError` as `gap_curve` does.
    """
    question = question_of(result)
    assert question.threshold is not None  # `question_of` has refused it otherwise
    chosen = sorted({*spread_scales(question.regime.values, question.threshold), question.scale})
    curve = _curve([replace(question, scale=scale) for scale in chosen], question.threshold, progress)
    return replace(curve, asked=question.scale)


def _curve(questions: Sequence[Question], threshold: mpq, progress: Callable[[int, int], None] | None) -> ScaleCurve:
    points = []
    for done, question in enumerate(questions, 1):
        result = _range(question)
        upper = result.n_max if result.status == "exact" else result.upper
        points.append(ScalePoint(question.scale, result.lower, upper, result.ideal_upper))
        if progress:
            progress(done, len(questions))
    first = questions[0]
    return ScaleCurve(
        str(first.angle), first.regime.values.name, first.offset, first.realize, first.criterion, threshold,
        tuple(points),
    )  # fmt: skip


def _range(question: Question) -> CertifiedRange:
    """The certified range; where only a scan finds it and every position counts, it ends at a moderate length."""
    if traits_of(question.head.realization).phase == "exact":
        return nmax_of(question)
    ends = nmax_of(question, method="bracket")
    if ends.status == "exact" and question.criterion == "gap":
        return ends
    return nmax_of(question, max_length=max(ends.lower + 1, SCAN_LENGTH))


def _single(k: Any) -> tuple[int, ...]:
    offsets = parse_offsets(k)
    if len(offsets) != 1:
        raise InputError("k", k, "a single offset for a plot against the scale")
    return offsets


def spread_scales(values: ValueSet, threshold: mpq, number: int = SCALES) -> list[mpq]:
    """About `number` scales of 4 digits at about equal ratios.

    From f_large/2, about where scores begin to differ by f_large at all, to a little above the binade in which one
    spacing does (`candidates.scale_range`), or to the largest value.

    >>> scales = spread_scales(ValueSet.parse("fp16"), mpq("17.34375"))
    >>> len(scales), float(scales[0]), float(scales[-1])
    (120, 8.671875, 65504.0)
    """
    high = min(4 * scale_range(values, threshold)[1], values.max)
    low = min(threshold / 2, high / 2)
    ratio = float(high / low) ** (1 / (number - 1))
    inner = (parse_number(f"{float(low) * ratio**step:.4g}") for step in range(1, number - 1))
    return sorted({low, high, *(C for C in inner if low < C < high)})
