"""`design`: an angle and a scale whose certified range reaches a wanted length (Cor. 4.1 ii, iii made constructive).

Corollary 4.1 of arXiv:2608.11909: exact hard selection at the offsets k_1, ..., k_r works up to every length L with
max k <= L <= min N_max^(k), and some finite format does for every L.  Here such a head, or such a format, is found.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Criterion, Question, parse_offsets
from certify.designing.families import Family, parse_family
from certify.designing.length_limit import LengthLimit, length_limit
from certify.designing.outcome import Design, Outcome, TriedFormat
from certify.designing.search import Head, HeadSearch
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import exact_text
from fpsim.realization import Kind, parse_kind
from fpsim.regime import Regime
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["design"]

MAX_LENGTH = 10**40
TRIES, TRIES_IN_FAMILY = 200, 60


def design(
    *,
    dtype: ValueSet | str = "fp16",
    length: int,
    k: Any = 1,
    criterion: Criterion = "gap",
    realize: Kind | str = "ideal",
    tries: int | None = None,
    progress: Callable[[int], None] | None = None,
) -> Design:
    """A head (g, C) in `dtype` whose certified range reaches `length` for every offset k, or the best that was met.

    dtype: the value set of every stage, or a family with open parts, such as "eXmY", "e5mY" or "fixed:B.F": then the
    smallest format that does is looked for.  length: at least 1 and at least every k.  k: as for `nmax`.  realize: as
    for `nmax`, but for arrays, which leave no angle to choose.  tries: how many candidates are judged for each length
    or format (default: 200, in a family 60).  progress: called with the number of candidates judged so far.

    The range of what is returned is certified; that nothing was found proves nothing, unless `limit` says so.  Ctrl-C
    ends the search with the best so far.  Raises `InputError`.

    >>> found = design(dtype="e4m3", length=15, k="1,2,3")
    >>> found.found, found.g, found.C, found.n_max
    (True, '2pi*1/16', '128', 15)
    >>> design(dtype="eXmY", length=9).dtype
    'e3m2'
    """
    offsets = parse_offsets(k)
    _check(length, offsets, tries)
    family = parse_family(dtype)
    common: dict[str, Any] = {"criterion": criterion, "realize": _made_from_an_angle(realize)}
    if family is not None:
        return _smallest(family, length, offsets, tries or TRIES_IN_FAMILY, common, progress)
    values = value_set(dtype)
    limit = length_limit(values, min(offsets), **common)
    search = _search(values, offsets, tries or TRIES, common, progress)
    bound = length if limit is None else min(length, limit.bound)
    interrupted = False
    try:
        if bound >= max(offsets) and not search.reach(bound):  # below that no head is usable
            search.climb(bound)
    except KeyboardInterrupt:
        interrupted = True
    outcome: Outcome = "interrupted" if interrupted else "not found"
    if limit is not None and limit.bound < length:
        outcome = "impossible"
    if search.best is not None and search.best.reached >= length:
        outcome = "found"
    return _answer(search, outcome, limit, length, offsets, common, interrupted)


def _made_from_an_angle(realize: Kind | str) -> Kind:
    kind = parse_kind(realize)
    if kind.name.partition(":")[0] == "array":
        raise InputError("realize", kind.name, "made from an angle: what is given leaves no angle to choose")
    return kind


def _check(length: object, offsets: tuple[int, ...], tries: object) -> None:
    if isinstance(length, bool) or not isinstance(length, int) or not 1 <= length <= MAX_LENGTH:
        raise InputError("length", length, "an integer between 1 and 10^40")
    if length < max(offsets):
        raise InputError(
            "length", length, f"at least the greatest offset, k = {max(offsets)} (Cor. 4.1: k <= L <= N_max)"
        )
    if tries is not None and (isinstance(tries, bool) or not isinstance(tries, int) or not 1 <= tries <= 10**6):
        raise InputError("tries", tries, "an integer between 1 and 10^6")


def _search(
    values: ValueSet,
    offsets: tuple[int, ...],
    tries: int,
    common: dict[str, Any],
    progress: Callable[[int], None] | None,
    before: int = 0,
) -> HeadSearch:
    # Asked once, so that a wrong criterion or realization is an error of its own, whatever the candidates are.
    angle = Angle.parse("2pi/5")  # which every kind takes
    Question(angle, values.max, offsets[0], Regime.of(values), common["realize"], common["criterion"])
    report = (lambda done: progress(before + done)) if progress else None
    return HeadSearch(values, offsets, tries=tries, report=report, **common)


def _answer(
    search: HeadSearch,
    outcome: Outcome,
    limit: LengthLimit | None,
    length: int,
    offsets: tuple[int, ...],
    common: dict[str, Any],
    interrupted: bool = False,
    **of_family: Any,
) -> Design:
    best = search.best
    tried = of_family.pop("tried", search.tried)
    return Design(
        outcome=outcome,
        g=best.g if best else None,
        C=exact_text(best.scale) if best else None,
        dtype=search.values.name,
        n_max=None if best is None else best.reached if interrupted else _certified(search, best),
        limit=limit,
        length=length,
        k=offsets,
        tried=tried,
        criterion=common["criterion"],
        realize=common["realize"].name,
        **of_family,
    )


def _certified(search: HeadSearch, head: Head) -> int:
    """What `nmax` answers for the head: at least what the search knows."""
    method = "auto" if search.scans(head.reached) else "bracket"
    results = [nmax_of(search.question(head.g, head.scale, offset), method=method) for offset in search.offsets]
    return min(result.lower for result in results)


def _smallest(
    family: Family,
    length: int,
    offsets: tuple[int, ...],
    tries: int,
    common: dict[str, Any],
    progress: Callable[[int], None] | None,
) -> Design:
    """The smallest member of the family that is found to reach the length."""
    smaller: list[TriedFormat] = []
    furthest: HeadSearch | None = None
    tried = 0

    def answer(search: HeadSearch, outcome: Outcome) -> Design:
        limit = length_limit(search.values, min(offsets), **common)
        return _answer(
            search, outcome, limit, length, offsets, common, outcome == "interrupted",
            tried=tried, family=family.name, search_limits=family.limits, smaller=tuple(smaller),
        )  # fmt: skip

    for name in family.members():
        values = value_set(name)
        search = _search(values, offsets, tries, common, progress, tried)
        limit = length_limit(values, min(offsets), **common)
        if limit is not None and limit.bound < length:
            smaller.append(TriedFormat(name, limit.bound, None))
            continue
        try:
            reached = search.reach(length)
        except KeyboardInterrupt:
            tried += search.tried
            return answer(_further(furthest, search), "interrupted")
        tried += search.tried
        if reached:
            return answer(search, "found")
        smaller.append(TriedFormat(name, None, search.best.reached if search.best else None))
        furthest = _further(furthest, search)
    if furthest is not None:
        return answer(furthest, "not found")
    return Design(
        outcome="impossible", g=None, C=None, dtype=None, n_max=None, limit=None, length=length, k=offsets, tried=0,
        family=family.name, search_limits=family.limits, smaller=tuple(smaller), criterion=common["criterion"],
        realize=common["realize"].name,
    )  # fmt: skip


def _further(one: HeadSearch | None, other: HeadSearch) -> HeadSearch:
    """The search that got further; the earlier one, in the smaller format, if both got as far."""
    if one is None or one.best is None:
        return other
    return other if other.best is not None and other.best.reached > one.best.reached else one
