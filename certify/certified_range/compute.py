"""`nmax`: the certified range of a k-offset head, by the road that was asked for."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import partial
from typing import Any

from certify.certified_range.composition import compose, undefined
from certify.certified_range.exhaustive import Progress
from certify.certified_range.many.question import ManyQuestion, parse_angles, parse_dim, parse_scales
from certify.certified_range.many.roads import find_many
from certify.certified_range.question import Criterion, Question, is_single_offset, parse_offsets, parse_scale
from certify.certified_range.result import CertifiedRange, CertifiedRanges, CrossCheck
from certify.certified_range.roads import Answer, find
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import exact_text
from fpsim.realization import Kind, parse_kind
from fpsim.regime import Regime
from fpsim.sums import Order
from fpsim.valueset import ValueSet

__all__ = ["METHODS", "nmax", "nmax_of"]

METHODS = ("auto", "exhaustive", "pruned", "bracket")
MAX_LENGTH = 10**60
MAX_LENGTH_EXHAUSTIVE = 10**7


def nmax(
    *,
    C: Any,
    g: Any = None,
    theta: Any = None,
    base: Any = None,
    dim: Any = None,
    dtype: ValueSet | str = "fp16",
    k: Any = 1,
    realize: Kind | str = "ideal",
    pipeline: Any = None,
    rotate_dtype: ValueSet | str | None = None,
    score_dtype: ValueSet | str | None = None,
    softmax_dtype: ValueSet | str | None = None,
    criterion: Criterion = "gap",
    fma: bool = False,
    order: Order | str = "sequential",
    method: str = "auto",
    max_length: int | None = None,
    cross_check: bool = False,
    progress: Progress | None = None,
) -> CertifiedRange | CertifiedRanges:
    """N_max^(k)(g, C, F), Eq. 10 of arXiv:2608.11909: how far a k-offset head is certain to find its target.

    g: an exact angle in radians (text, int, Fraction; a float is its exact binary64 value).  C > 0: the scale, exact.
    A head on several rotary pairs has `theta`, its angles, or `base` and `dim`, the conventional schedule, in place of
    g; C is then the scale of each pair: one value, which every pair has, or a list with one for each.
    dtype: the value set F of every stage, but for `rotate_dtype`, `score_dtype` and `softmax_dtype`.  k: an offset of
    at least 1, or several ("1,2,3" or a list): then the answer is a `CertifiedRanges`.  realize: how the rotation is
    realized: "ideal", "phase", "table" (g a rational multiple of pi), "recurrence", "counter", "array:FILE", or a kind
    of one's own, such as `fpsim.ArrayKind.of(..)`.  Pair d of a head has column d of an array; its end ends the search.
    criterion: "gap" (Eq. 10) or "weight" (the realized softmax selects exactly).  fma: fuse the score's second product.
    order: the order of the softmax sum, which "weight" depends on.  max_length: where the search ends; the answer is
    then "at_least".  cross_check: recompute with mpmath.

    The result is exact or says that it is not (`status`).  A NaN or an infinite score is a failing pair, with its
    reason.  Raises `InputError` for arguments that cannot be taken, and `UnsupportedError` for stochastic rounding.

    >>> nmax(g="1.0", C=40, dtype="fp16", k=1).n_max
    5
    >>> nmax(theta=["1.0", "0.1"], C=400, dtype="fp16", k=1).n_max
    62
    """
    _check(method, max_length)
    offsets, kind = parse_offsets(k), _kind(realize, pipeline, base, dim)
    if rotate_dtype is None and pipeline is not None:
        rotate_dtype = kind.applied_in(dtype)
    regime = Regime.of(dtype, rotate=rotate_dtype, score=score_dtype, softmax=softmax_dtype, fma=fma, order=order)
    ask = _asked(g, theta, base, dim, C)
    results: list[CertifiedRange] = []
    for offset in offsets:
        # After Ctrl-C the offsets that are left get what costs no scan.
        stopped = any(result.interrupted for result in results)
        results.append(
            nmax_of(
                ask(offset, regime, kind, criterion),
                method="bracket" if stopped else method,
                max_length=None if stopped else max_length,
                cross_check=cross_check and not stopped,
                progress=progress,
            )
        )
    return results[0] if len(offsets) == 1 and is_single_offset(k) else CertifiedRanges(tuple(results))


def _kind(realize: Kind | str, pipeline: Any, base: Any, dim: Any) -> Any:
    """The kind of realization that was asked for: that of `realize`, or a pipeline, by name or as an object."""
    if pipeline is None:
        return parse_kind(realize)
    if realize != "ideal":
        raise InputError("realize", realize, "absent when a pipeline is given, which is a realization of its own")
    from fpsim.pipeline import Pipeline
    from fpsim.schedule import Schedule

    schedule = None if base is None or dim is None else Schedule.conventional(base, parse_dim(dim))
    if isinstance(pipeline, Pipeline):
        return pipeline if schedule is None else pipeline.for_schedule(schedule)
    return Pipeline.named(pipeline, schedule)


def _asked(g: Any, theta: Any, base: Any, dim: Any, C: Any) -> Callable[..., Question | ManyQuestion]:
    """Makes the question about the head that was given, for an offset, a regime, a realization and a criterion."""
    ways = [name for name, given in (("g", g), ("theta", theta), ("base and dim", (base, dim))) if _given(given)]
    if len(ways) != 1:
        right = "given in one way: g, or theta (several angles), or base and dim (--g, --theta, --base with --dim)"
        raise InputError("angle", " together with ".join(ways) or "nothing", right)
    if g is not None:
        return partial(Question, Angle.parse(g, "g"), parse_scale(C))
    angles = parse_angles(theta, base, dim)
    return partial(ManyQuestion, angles, parse_scales(C, len(angles)))


def _given(value: Any) -> bool:
    return any(part is not None for part in value) if isinstance(value, tuple) else value is not None


def nmax_of(
    question: Question | ManyQuestion,
    *,
    method: str = "auto",
    max_length: int | None = None,
    cross_check: bool = False,
    progress: Progress | None = None,
) -> CertifiedRange:
    """The certified range that `question` asks for, by one of the roads of `certify.certified_range.roads`."""
    _check(method, max_length)
    if isinstance(question, ManyQuestion) and len(question.angles) == 1:
        (alone,) = question.rotated
        result = nmax_of(alone, method=method, max_length=max_length, cross_check=cross_check, progress=progress)
        return replace(result, g=(str(alone.angle),), C=(exact_text(alone.scale),))
    if question.threshold is None:
        return undefined(question)
    result = compose(question, _find(question, method, max_length, progress))
    if cross_check:
        result = replace(result, cross_check=_cross_check(question, result))
    return result


def _find(question: Question | ManyQuestion, method: str, max_length: int | None, progress: Progress | None) -> Answer:
    if isinstance(question, Question):
        return find(question, method, max_length, progress)
    return find_many(question, method, max_length, progress)


def _cross_check(question: Question | ManyQuestion, result: CertifiedRange) -> CrossCheck:
    if isinstance(question, Question):
        from certify.certified_range.cross_check import cross_check_range

        return cross_check_range(question, result)
    from certify.certified_range.many.cross_check import many_cross_check

    return many_cross_check(question, result)


def _check(method: Any, max_length: Any) -> None:
    if method not in METHODS:
        raise InputError("method", method, f"one of {', '.join(METHODS)}")
    most = MAX_LENGTH_EXHAUSTIVE if method == "exhaustive" else MAX_LENGTH
    if max_length is not None and (
        isinstance(max_length, bool) or not isinstance(max_length, int) or not 1 <= max_length <= most
    ):
        raise InputError("max_length", max_length, f"an integer between 1 and 10^{len(str(most)) - 1}")
