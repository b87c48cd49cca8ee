"""An audit as one web page: the answer, the components as a sortable table and a picture, the heads, and the advice."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from certify.auditing.advice import Advice
from certify.auditing.components import AuditedComponent
from certify.auditing.explanation import advice_lines, component_facts, headline
from certify.auditing.head import LayerHead
from certify.auditing.result import Audit
from certify.head_effects.exact import Gap
from certify.pages.page import web_page
from certify.pages.parts import Chart, Heading, Paragraph, Part, Rows
from certify.pages.series import Series

__all__ = ["audit_page"]


def audit_page(result: Audit) -> str:
    """The page.  Raises `UnsupportedError` without bokeh."""
    parts: list[Part] = [Paragraph(headline(result)), Paragraph(f"Source: {result.source}.")]
    parts += [
        Paragraph(f"Schedule: {text}." if layer is None else f"Schedule of {layer}: {text}.")
        for layer, text in result.schedules.items()
    ]
    stages = result.pipeline.get("stages") or {}
    listed = ", ".join(f"{stage} {name}" for stage, name in stages.items() if name)
    parts.append(Paragraph(f"Pipeline {result.pipeline.get('name')}: {listed}."))
    parts += [Heading("What to change"), *map(Paragraph, advice_lines(result))]
    if result.advice is not None and result.advice.attempts:
        parts.append(_attempts(result.advice))
    if result.heads:
        parts += [Heading("Heads that look one position back"), _heads(result.heads)]
    told = [f"{label} {text}".strip() for label, text in component_facts(result)]
    parts += [
        Heading("Components"),
        *(Paragraph(f"{text[0].upper()}{text[1:]}.") for text in told),
        _components(result),
    ]
    if result.notes:
        parts += [Heading("Notes"), *map(Paragraph, result.notes)]
    return web_page(f"Audit of {result.model} in {result.dtype}", parts)


def _columns(names: Sequence[str], rows: Sequence[Sequence[Any]]) -> list[Series]:
    return [Series.of(name, column) for name, column in zip(names, zip(*rows, strict=True), strict=True)]


def _components(result: Audit) -> Rows:
    names = (
        "pair", "layer", "theta", "wavelength", "turns", "verdict", "period", "from", "collision", "first collision",
        "error at end", "greatest error", "at position", "N_max", "status",
    )  # fmt: skip
    layers = len(result.schedules) > 1
    columns = _columns(names, [_component(one) for one in result.components])
    kept = [column for column in columns if any(value is not None for value in column.values)]
    y = next((column.name for column in kept if column.name == "greatest error" and column.numeric), "wavelength")
    charted = any(column.name == y and column.numeric for column in kept)
    return Rows(kept, Chart("pair", y, "layer" if layers else None, log_y=True) if charted else None)


def _component(one: AuditedComponent) -> tuple[Any, ...]:
    period, verdict = one.period, one.period.verdict
    pair, error, found = period.collision.pair, one.error, one.range
    most = None if error is None else error.greatest
    return (
        period.number, period.layer, period.theta, one.wavelength, "yes" if one.used else "no", verdict.verdict,
        verdict.eventual_period, verdict.preperiod, None if pair is None else f"{pair[0]}, {pair[1]}",
        None if pair is None else pair[1], None if error is None else error.last, None if most is None else most.size,
        None if most is None else most.position, None if found is None else found.n_max,
        None if found is None else found.status,
    )  # fmt: skip


def _heads(heads: Sequence[LayerHead]) -> Rows:
    names = (
        "layer", "pairs", "holds", "breaks at i", "against j", "gap", "below f_large at", "least gap", "at i",
        "equal neighbours", "different blocks", "looked at",
    )  # fmt: skip
    rows = [
        (
            head.layer or "all", head.pairs, {True: "yes", False: "no", None: "undecided"}[head.holds],
            *_gap(head.first_failure), None if head.first_below is None else head.first_below.i,
            _gap(head.least)[2], _gap(head.least)[0], head.equal_neighbours, head.distinct,
            head.looked_at,
        )
        for head in heads
    ]  # fmt: skip
    return Rows(_columns(names, rows))


def _gap(gap: Gap | None) -> tuple[Any, ...]:
    return (None, None, None) if gap is None else (gap.i, gap.j, float(gap.gap))


def _attempts(advice: Advice) -> Rows:
    rows = [
        (", ".join(one.stages), layer or "all", found.at, found.covered, _gap(found.least)[2])
        for one in advice.attempts
        for layer, found in one.breaks.items()
    ]
    return Rows(_columns(("in fp32", "layer", "breaks at", "holds before", "least gap"), rows))
