"""The human output of `fpcert nmax`: the answer, and what it rests on, in the order in which a reader asks."""

from __future__ import annotations

from certify.certified_range.result import CertifiedRange
from fpsim.number import readable

__all__ = ["explain"]


def explain(result: CertifiedRange) -> str:
    """Several lines of text that explain a certified range."""
    lines = [_headline(result), ""]
    lines += [f"  {label:<20}{text}" for label, text in _facts(result)]
    return "\n".join(lines)


_LONGEST = 120


def _headline(result: CertifiedRange) -> str:
    name = f"N_max^({result.k})(g={_short_list(result.g)}, C={_short_list(result.C)}, {result.dtype})"
    if result.status == "exact":
        if result.usable:
            return f"{name} = {result.n_max}"
        return f"{name} = {result.n_max}, vacuous: below k = {result.k} nothing is claimed, so the head is not usable"
    if result.status == "undefined":
        return f"{name} is undefined: {result.reason}"
    if result.status == "between":
        return f"{result.lower} <= {name} <= {result.upper}"
    return f"{name} >= {result.lower} ({'interrupted' if result.interrupted else 'the search ended at its limit'})"


def _short_list(values: str | tuple[str, ...]) -> str:
    """A text; a list in brackets, shortened from the middle when it is long; its only value when all are the same."""
    if isinstance(values, str):
        return values if len(values) <= _LONGEST else f"{values[: _LONGEST - 20]}... ({len(values)} characters)"
    if len(set(values)) == 1:
        return f"{values[0]} (each of {len(values)})" if len(values) > 1 else f"[{values[0]}]"
    shown = values if len(values) <= 6 else (*values[:3], "...", *values[-2:])
    return f"[{', '.join(shown)}]"


def _facts(result: CertifiedRange) -> list[tuple[str, str]]:
    facts = [("value set", _regime(result))]
    if result.f_large is not None:
        facts.append(("f_large", f"{readable(result.f_large)}: the least gap whose exponential rounds to 0"))
    facts.append(
        (
            "usable",
            "yes: k <= L <= N_max holds for L up to " + str(result.lower)
            if result.usable
            else "no: there is no N_max"
            if result.status == "undefined"
            else f"no: what is certified is below k = {result.k}",
        )
    )
    witness = result.witness
    if witness is not None:
        facts.append(
            ("first failing pair", f"query i = {witness.i} against j = {witness.j} (target j = {witness.i - result.k})")
        )
        facts.append(("  target score", readable(witness.target_score)))
        facts.append(("  competitor", readable(witness.competitor_score)))
        facts.append(
            (
                "  gap",
                f"{readable(witness.gap)} where {readable(result.f_large)} is needed"
                if result.criterion == "gap" and result.f_large is not None
                else readable(witness.gap),
            )
        )
        if witness.target_weight is not None and witness.competitor_weight is not None:
            facts.append(
                (
                    "  weights",
                    f"{readable(witness.target_weight)} (target), {readable(witness.competitor_weight)} (competitor)",
                )
            )
    if result.reason and result.status != "undefined":
        facts.append(("reason", result.reason))
    if result.status != "undefined":
        facts.append(("exact arithmetic", _ideal(result)))
    if result.records:
        shown = ", ".join(f"{record.n} (gap {readable(record.gap)})" for record in result.records[-6:])
        facts.append(("near-returns", ("..., " if len(result.records) > 6 else "") + shown))
    if result.pigeonhole:
        collision = result.pigeonhole
        facts.append(
            (
                "pigeonhole",
                f"the keys of {collision.j} and {collision.j_again} are equal, so N_max <= {collision.bound}",
            )
        )
    facts.append(("obtained", _method(result)))
    if result.cross_check:
        check = result.cross_check
        kind = "a random sample of the values used" if check.sampled else "every value used"
        facts.append(
            (
                "cross-check",
                f"{check.values - check.disagreements} of {check.values} agree with {check.library} ({kind})"
                + (f"; first difference: {check.first}" if check.first else ""),
            )
        )
    facts += [("note", note) for note in result.notes]
    return facts


def _regime(result: CertifiedRange) -> str:
    stages = {stage: name for stage, name in result.stages.items() if name != result.dtype}
    changed = "".join(f", {stage} in {name}" for stage, name in stages.items())
    fused = ", fused multiply-add in the score" if result.fma else ""
    order = f", sums {result.order}" if result.order != "sequential" else ""
    return f"{result.dtype}{changed or ' in every stage'}{fused}{order}, rotation realized as {result.realize}"


def _ideal(result: CertifiedRange) -> str:
    if result.ideal_upper is None:
        return "would never fail" if result.ideal_lower is None else f"would reach at least {result.ideal_lower}"
    if result.ideal_lower == result.ideal_upper:
        return f"would give {result.ideal_upper}"
    return f"would give between {result.ideal_lower} and {result.ideal_upper}"


def _method(result: CertifiedRange) -> str:
    total = f" of {result.pairs_total:,}" if result.pairs_total is not None else ""
    return f"{result.method}: {result.pairs_checked:,} pairs checked{total}, criterion {result.criterion}"
