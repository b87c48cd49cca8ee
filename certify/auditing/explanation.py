"""The human output of `fpcert audit`: the answer, a row for each component, the heads, and the advice."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from gmpy2 import mpq

from certify.auditing.advice import Advice, Attempt
from certify.auditing.components import AngleError, AuditedComponent, Range
from certify.auditing.head import LayerHead
from certify.auditing.result import Audit
from certify.head_effects.exact import Gap
from certify.head_effects.explanation import ACCURACY, short_text
from certify.periodicity.verdict import position_text

__all__ = ["advice_lines", "component_facts", "explain", "headline"]

_LONGEST_THETA = 20
_NONE = ("undefined", "unsupported")
_COLUMNS = (
    "wavelength in positions; turns: at least once within the length; first collision: the first two positions with "
    "equal blocks; errors of the angle, in radians"
)
_HEADINGS = (
    "pair", "theta", "wavelength", "turns", "verdict", "period", "from", "first collision", "error at end",
    "greatest error", "N_max",
)  # fmt: skip


def explain(result: Audit) -> str:
    """Several paragraphs of text."""
    parts = [headline(result), _facts(result), _table(result)]
    parts += [_head(head) for head in result.heads]
    parts.append("\n".join(["What to change", *(f"  {line}" for line in advice_lines(result))]))
    if result.notes:
        parts.append("\n".join(["Notes", *(f"  {note}" for note in result.notes)]))
    return "\n\n".join(parts)


def headline(result: Audit) -> str:
    """The answer in a sentence."""
    what = f"{result.model} in {result.dtype} by {result.pipeline.get('name')}, {result.length} positions"
    if result.holds:
        return f"The previous-token head holds to the end: {what}."
    if result.breaks_at is not None:
        return f"The previous-token head breaks at position {result.breaks_at}: {what}."
    why = "interrupted" if result.interrupted else "within the limits"
    return f"Whether the previous-token head holds is undecided ({why}): {what}."


def _facts(result: Audit) -> str:
    facts = [("source", result.source)]
    for layer, text in result.schedules.items():
        facts.append(("schedule", text if layer is None else f"{layer}: {text}"))
    stages = result.pipeline.get("stages") or {}
    facts.append(("stages", ", ".join(f"{stage} {name}" for stage, name in stages.items() if name)))
    facts += component_facts(result)
    return "\n".join(f"  {label:<10}{text}" for label, text in facts)


def component_facts(result: Audit) -> list[tuple[str, str]]:
    """What the columns of the components mean, as pairs of a label and a text."""
    facts = []
    if result.scale is not None:
        facts.append(("N_max", f"of the pair alone, k = 1, C = {short_text(result.scale)}, searched up to the length"))
    reasons = {one.range.reason for one in result.components if one.range is not None and one.range.status in _NONE}
    facts += [("", f"none: {reason}") for reason in sorted(filter(None, reasons))]
    return [*facts, ("columns", _COLUMNS)]


def _table(result: Audit) -> str:
    rows = [_HEADINGS, *(_row(one, result.length) for one in result.components)]
    used = [place for place in range(len(_HEADINGS)) if any(row[place] != "-" for row in rows[1:])]
    widths = {place: max(len(row[place]) for row in rows) for place in used}
    return "\n".join("  " + "  ".join(f"{row[place]:<{widths[place]}}" for place in used).rstrip() for row in rows)


def _row(one: AuditedComponent, length: int) -> tuple[str, ...]:
    period, verdict, pair = one.period, one.period.verdict, one.period.collision.pair
    last, greatest = _errors(one.error)
    return (
        f"{period.number}" + ("" if period.layer is None else f" {period.layer}"),
        _theta(one),
        "-" if one.wavelength is None else f"{one.wavelength:.6g}",
        "yes" if one.used else "no",
        verdict.verdict,
        "-" if verdict.eventual_period is None else position_text(verdict.eventual_period),
        "-" if verdict.preperiod is None else position_text(verdict.preperiod),
        "-" if pair is None else f"{pair[0]}, {pair[1]}",
        last,
        greatest,
        _range(one.range, length),
    )


def _theta(one: AuditedComponent) -> str:
    """The angle as it is written, or where that is long as a decimal."""
    text = str(one.angle)
    if len(text) <= _LONGEST_THETA:
        return text
    lo, hi = one.angle.enclose(64)
    return f"{float((lo + hi) / 2):.9g}"


def _errors(error: AngleError | None) -> tuple[str, str]:
    if error is None:
        return "?", "?"
    most = error.greatest
    return (
        "-" if error.last is None else _small(error.last),
        "-" if most is None else f"{_small(most.size)} at {most.position}",
    )


def _small(size: float) -> str:
    return f"{size:.3g}" if size >= ACCURACY else "0"


def _range(found: Range | None, length: int) -> str:
    if found is None:
        return "?"
    if found.n_max is None:
        return found.status
    return f"{found.n_max}" if found.status == "exact" else f">= {min(found.n_max, length)}"


def _head(head: LayerHead) -> str:
    where = "" if head.layer is None else f"{head.layer}: "
    lines = [f"{where}head that looks one position back, {head.pairs} pairs", ""]
    lines.append(f"  {'breaks at':<18}{_break(head)}")
    if head.threshold is not None:
        lines.append(f"  {'below f_large':<18}{_below(head, head.threshold)}")
    if head.least is not None:
        of = "" if head.looked_at >= min(head.length, head.tabled) else f", of the queries before {head.looked_at}"
        within = f" (less by at most {head.least_within:.1g})" if head.least_within else ""
        against = f"at i = {head.least.i} against j = {head.least.j}"
        lines.append(f"  {'least gap':<18}{_gap(head.least)}{within}, {against}{of}")
    first = "" if head.first_equal is None else f", the first {head.first_equal} and {head.first_equal + 1}"
    of_all = f"{head.equal_neighbours} of {max(head.tabled - 1, 0)}{first}"
    lines.append(f"  {'equal neighbours':<18}{of_all}; {head.distinct} different blocks")
    if head.leaves_F_at is not None:
        lines.append(f"  {'leaves F':<18}at position {head.leaves_F_at}: infinite or NaN there")
    if head.stored is not None and (head.stored.subnormal or head.stored.zero):
        stored = f"{head.stored.subnormal} subnormal, {head.stored.zero} are 0, of {head.pairs}"
        lines.append(f"  {'inverse freq.':<18}{stored}")
    lines.append(f"  {'scores':<18}exact sums over the realized table, C = 1, j <= i; N_max has the application too")
    return "\n".join(lines)


def _break(head: LayerHead) -> str:
    failure = head.first_failure
    if failure is None:
        return f"none in {head.length} positions" if head.holds else f"none before {head.covered}: {head.reason}"
    if failure.j is None:
        return f"i = {failure.i}: its scores are not finite"
    tie = "a tie" if failure.gap == 0 else f"the gap is {_gap(failure)}"
    return f"i = {failure.i} against j = {failure.j}: {tie}"


def _below(head: LayerHead, threshold: mpq) -> str:
    needed, C = short_text(threshold), short_text(head.scale)
    asked = f"C times the gap is to be at least {needed}, C = {C}: then exp gives 0"
    failure = head.first_below
    if failure is None:
        return f"none before {head.covered}: {asked}"
    against = "" if failure.j is None else f" against j = {failure.j}"
    return f"i = {failure.i}{against}: {asked}"


def advice_lines(result: Audit) -> list[str]:
    """The advice in sentences; every number in them was computed."""
    advice = result.advice
    if advice is None:
        return ["not looked at: interrupted"]
    lines = _about_head(result, advice) + _about_angles(result, advice)
    if any("not emulated" in note or "are not" in note for note in result.notes):
        lines.append("This is about the stages as they are emulated; the notes say what is not.")
    return lines if advice.complete else [*lines, "interrupted: not everything was tried"]


def _about_head(result: Audit, advice: Advice) -> list[str]:
    if advice.needed is None:
        return ["Whether a head breaks within the length is not decided, so that no change was tried."]
    if not advice.needed:
        gaps = [head.least.gap for head in result.heads if head.least is not None]
        least = f", with a least gap of {_near(min(gaps))}" if gaps else ""
        return [f"For this head nothing needs to change: it holds at all {result.length} positions{least}."]
    lines = [f"Now: breaks at {result.breaks_at}."]
    if not advice.coarse:
        lines.append("Every stage of the table is in fp32 or finer already: none is left to change.")
    singles = [one for one in advice.attempts if len(one.stages) == 1]
    tried = [*singles, *(one for one in advice.attempts if len(one.stages) > 1 and one in advice.enough)]
    lines += [f"With {_kept(one.stages)} in fp32: {_fate(one)}." for one in tried]
    if advice.enough:
        kept, size = _kept(advice.enough[0].stages), len(advice.enough[0].stages)
        open_ones = [one for one in advice.attempts if one.undecided and len(one.stages) < size]
        does = f"of {len(open_ones)} smaller sets that is not decided" if open_ones else "no smaller set of stages does"
        fewer = f"; {does}, of {len(advice.attempts)} tried" if size > 1 else ""
        lines.append(f"Keep {kept} in fp32: the head then {_fate(advice.enough[0])}{fewer}.")
    elif advice.best is not None:
        lines.append(_not_enough(result, advice, advice.best))
    if advice.exact is not None:
        lines.append(f"With the exact angles, cos and sin in binary64: {_fate(advice.exact)}.")
    return lines


def _not_enough(result: Audit, advice: Advice, best: Attempt) -> str:
    """What is to be said where no set of stages is known to be enough."""
    known = "known to be " if not advice.complete or any(one.undecided for one in advice.attempts) else ""
    if result.breaks_at is not None and best.reach <= result.breaks_at:
        return f"No set of stages in fp32 is {known}enough, and none that was tried gets farther."
    return f"No set of stages in fp32 is {known}enough; {_kept(best.stages)} gets farthest: {_fate(best)}."


def _fate(attempt: Attempt) -> str:
    if attempt.holds:
        least = attempt.least
        return f"holds at all {attempt.length} positions" + ("" if least is None else f", least gap {_near(least)}")
    breaks = [found.at for found in attempt.breaks.values() if found.at is not None]
    return f"breaks at {min(breaks)}" if breaks else f"holds up to {attempt.reach}, beyond which it is not decided"


def _about_angles(result: Audit, advice: Advice) -> list[str]:
    """The greatest angle error now, with each stage in fp32 that at least halves it, and with all of them."""
    if not advice.errors:
        return []
    (_, now), *others = advice.errors
    before = f"The greatest angle error is {_small(now.size)} rad (pair {now.pair}, position {now.position})"
    told = [
        f"with {'every stage' if len(stages) > 1 else _kept(stages)} in fp32 {_small(one.size)}"
        for stages, one in others
        if len(stages) > 1 or len(others) == 1 or 2 * one.size <= now.size
    ]
    return [f"{'; '.join([before, ', '.join(told)]) if told else before}."]


def _kept(stages: Sequence[str]) -> str:
    return _listed([f"the {stage}" for stage in stages])


def _listed(words: Iterable[str]) -> str:
    *most, last = words
    return f"{', '.join(most)} and {last}" if most else last


def _gap(gap: Gap) -> str:
    return _near(mpq(gap.gap))


def _near(x: mpq) -> str:
    return f"{float(x):.6g}"
