"""The effects of a realized schedule on a head, in lines for people."""

from __future__ import annotations

from typing import TYPE_CHECKING

from gmpy2 import mpq

from certify.head_effects.errors import Extreme
from certify.head_effects.exact import Gap
from fpsim.number import decimal_text, exact_text, readable
from fpsim.rounding.reference import Element

if TYPE_CHECKING:
    from certify.head_effects.effects import HeadEffects

__all__ = ["ACCURACY", "explain_effects", "short_text"]

ACCURACY = 1e-15  # of the errors of angles and cosines


def explain_effects(effects: HeadEffects) -> str:
    """Several lines of text."""
    pairs = "1 pair" if effects.pairs == 1 else f"{effects.pairs} pairs"
    stack = f"{', '.join(effects.realize)} in {', '.join(effects.dtype)}"
    lines = [f"Head that looks {effects.offset} back: {pairs}, {stack}, {effects.length} positions", ""]
    return "\n".join(lines + [f"  {label:<20}{text}" for label, text in _facts(effects)])


def _facts(effects: HeadEffects) -> list[tuple[str, str]]:
    k = effects.offset
    mask = "j <= i" if effects.own else "j < i"
    facts = [("first failing query", _first(effects, effects.first_failure))]
    if effects.threshold is not None:
        facts.append(("below the threshold", _below(effects, effects.threshold, effects.first_below)))
    else:
        facts.append(("below the threshold", "not asked: the value set has no f_large"))
    if effects.least is not None:
        within = "" if not effects.least_within else f" (less by at most {effects.least_within:.1g})"
        seen = "" if effects.complete else f", of the queries before {effects.queries}"
        facts.append(
            (
                "least gap",
                f"{_gap(effects.least)}{within}, at i = {effects.least.i} against j = {effects.least.j}{seen}",
            )
        )
    facts.append(("competitors", f"{mask}, other than j = i - {k}; exact scores of the realized table, C = 1"))
    found = effects.length if effects.leaves_F_at is None else effects.leaves_F_at
    first = "" if effects.first_equal is None else f", the first {effects.first_equal} and {effects.first_equal + 1}"
    facts += [
        ("equal neighbours", f"{effects.equal_neighbours} of {max(0, found - 1)}{first}"),
        ("distinct blocks", f"{effects.distinct} of {found}"),
    ]
    if effects.leaves_F_at is not None:
        facts.append(("leaves F", f"at position {effects.leaves_F_at}: infinite or NaN there"))
    stored = effects.stored
    if stored is not None and (stored.subnormal or stored.zero):
        facts.append(("stored angles", f"of {effects.pairs}, {stored.subnormal} are subnormal and {stored.zero} are 0"))
    errors = effects.errors
    if errors.phase is not None:
        facts.append(("phase error", _extreme(errors.phase, " rad")))
        at = "stays below pi" if errors.reaches_pi is None else "at position {} (pair {})".format(*errors.reaches_pi)
        facts.append(("  reaches pi", at))
    if errors.angle is not None:
        facts.append(("angle error", _extreme(errors.angle, " rad")))
    for name, extreme in (("cos error", errors.cos), ("sin error", errors.sin)):
        if extreme is not None:
            facts.append((name, _extreme(extreme, "")))
    return facts


def _first(effects: HeadEffects, failure: Gap | None) -> str:
    if failure is None:
        return "none" if effects.complete else f"none before {effects.queries}"
    if failure.j is None:
        return f"i = {failure.i}: its scores are not finite"
    return f"i = {failure.i} against j = {failure.j}: {'a tie' if failure.gap == 0 else f'the gap is {_gap(failure)}'}"


def _below(effects: HeadEffects, threshold: mpq, failure: Gap | None) -> str:
    """The first query whose scaled gap is below the threshold."""
    needed, C = short_text(threshold), short_text(effects.scale)
    if failure is None or failure.j is None or isinstance(failure.gap, float):
        return f"{_first(effects, failure)}: C times the gap is to be at least {needed}, C = {C}"
    scaled = short_text(effects.scale * failure.gap)
    return f"i = {failure.i} against j = {failure.j}: C times the gap is {scaled}, and {needed} is needed; C = {C}"


def _gap(gap: Gap) -> str:
    return readable(gap.gap) if isinstance(gap.gap, float) else decimal_text(gap.gap, 6)


def short_text(x: Element) -> str:
    """A number in a few digits; a power of two far beyond them as 2^n."""
    if isinstance(x, float):
        return readable(x)
    if x.denominator == 1 and x > 10**9 and x.numerator & (x.numerator - 1) == 0:
        return f"2^{int(x.numerator.bit_length()) - 1}"
    text = exact_text(x)
    return text if len(text) <= 10 else decimal_text(x, 6)


def _extreme(extreme: Extreme, unit: str) -> str:
    if extreme.size < ACCURACY:
        return f"below {ACCURACY:.0e}{unit}"
    return f"at most {extreme.size:.4g}{unit}, at position {extreme.position} (pair {extreme.pair})"
