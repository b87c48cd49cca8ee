"""The human output of `fpcert period`: the answer, a row for each component, and the proofs."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import groupby

from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import position_text

__all__ = ["explain", "explain_predicates"]

_LONGEST_THETA = 24
_HEADINGS = ("pair", "theta", "verdict", "period", "pre-period", "eventual", "leaves F at", "first collision", "proof")


def explain(result: PeriodResult) -> str:
    """Several lines of text that explain the verdicts."""
    facts = [f"  {label:<10}{text}" for label, text in _facts(result)]
    lines = [_headline(result), "", *facts, *([""] if facts else [])]
    lines += [*_table(result.components), "", *_proofs(result.components)]
    return "\n".join(lines)


def explain_predicates(result: PeriodResult) -> str:
    """One line for each modular predicate (Prop. 2.1)."""
    lines = [str(predicate) for predicate in result.predicates]
    missing = [c for c in result.components if c.verdict.verdict != "periodic"]
    if missing:
        lines.append(f"(no predicates for {_numbers(missing)}: not known to be periodic)")
    return "\n".join(lines)


def _headline(result: PeriodResult) -> str:
    name = f"{result.schedule}, {result.realize} in {result.dtype}"
    if result.component_periodic:
        period = result.period or 1
        digits = f" (a number of {_digits(period)} digits)" if period >= 10**24 else ""
        return f"Component-periodic with period {position_text(period)}{digits}: {name}."
    parts = [(c.verdict.verdict, c) for c in result.components]
    broken = [component for verdict, component in parts if verdict == "non-periodic"]
    if broken:
        whole = "" if len(result.components) == 1 else f" ({len(broken)} of {len(result.components)} components)"
        return f"Not component-periodic{whole}: {name}."
    if result.undecided:
        open_ones = sum(verdict == "undecided" for verdict, _ in parts)
        why = "interrupted" if result.interrupted else "within the limits given"
        return f"Undecided {why} ({open_ones} of {len(parts)} components): {name}."
    return f"A window decides nothing about all positions: {name}."


def _digits(number: int) -> int:
    """How many decimal digits a positive number has."""
    digits = (number.bit_length() * 30103) // 100000
    return digits + 1 if number >= 10**digits else digits


def _facts(result: PeriodResult) -> list[tuple[str, str]]:
    facts = []
    if result.pipeline is not None:
        stages = ", ".join(f"{stage} {name}" for stage, name in result.pipeline["stages"].items() if name)
        facts.append(("stages", stages))
    return facts + [("note", note) for note in result.notes]


def _table(components: tuple[Component, ...]) -> list[str]:
    rows = [_HEADINGS, *map(_row, components)]
    used = [place for place in range(len(_HEADINGS)) if any(row[place] not in ("", "-") for row in rows[1:])]
    widths = {place: max(len(row[place]) for row in rows) for place in used}
    return ["  " + "  ".join(f"{row[place]:<{widths[place]}}" for place in used).rstrip() for row in rows]


def _row(component: Component) -> tuple[str, ...]:
    verdict, pair = component.verdict, component.collision.pair
    theta = "-" if component.theta is None else component.rotation.angle.brief(_LONGEST_THETA)
    layer = "" if component.layer is None else f" {component.layer}"
    return (
        f"{component.number}{layer}",
        theta,
        verdict.verdict,
        _number(verdict.period),
        _number(verdict.preperiod),
        _number(verdict.eventual_period),
        _number(verdict.leaves_F_at),
        "-" if pair is None else f"{position_text(pair[0])}, {position_text(pair[1])}",
        verdict.proof or "-",
    )


def _number(value: int | None) -> str:
    return "-" if value is None else position_text(value)


def _proofs(components: tuple[Component, ...]) -> list[str]:
    """The sentences, those of neighbours that say the same in one line; of a kind of proof at most three."""
    lines: list[str] = []
    told: dict[str, int] = {}
    for because, group in groupby(components, key=lambda component: component.verdict.because):
        members = list(group)
        kind = members[0].verdict.proof or "undecided"
        told[kind] = told.get(kind, 0) + 1
        if told[kind] <= 3:
            lines.append(f"  {_numbers(members)}: {because}.")
    lines += [f"  ... and {count - 3} more by {kind}" for kind, count in told.items() if count > 3]
    reasons = {component.collision.reason: component for component in components if component.collision.reason}
    alone = len(components) == 1
    return lines + [f"  first collision: {reason}." for reason in reasons if alone]


def _numbers(components: Iterable[Component]) -> str:
    numbers = [component.number for component in components]
    if len(numbers) == 1:
        return f"pair {numbers[0]}"
    consecutive = numbers == list(range(numbers[0], numbers[-1] + 1))
    return f"pairs {numbers[0]} to {numbers[-1]}" if consecutive else f"pairs {', '.join(map(str, numbers))}"
