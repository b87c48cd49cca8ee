"""Certificates of periodicity, one for each component (docs/certificates.md)."""

from __future__ import annotations

from typing import Any

from certify.certificates.document import certificate_bytes
from certify.certificates.forms import angle_form, value_set_form
from certify.periodicity.least_period import prime_divisors
from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import Verdict
from fpsim.errors import UnsupportedError
from fpsim.realization import REALIZATIONS, Realization

__all__ = ["period_certificates"]


def period_certificates(result: PeriodResult) -> list[bytes]:
    """The claim about each component of a result.

    >>> from certify.periodicity.compute import period
    >>> [b'"period":84' in data for data in period_certificates(period(theta="2pi*1/84", dtype="fp16"))]
    [True]

    Raises `UnsupportedError` where a component is undecided, or of a realization that certificates do not know.
    """
    return [_certificate(component) for component in result.components]


def _certificate(component: Component) -> bytes:
    rotation, verdict = component.rotation, component.verdict
    if rotation.name not in REALIZATIONS:
        raise UnsupportedError(
            f"certificates of periodicity know the realizations {', '.join(REALIZATIONS)}, not {rotation.name}"
        )
    if verdict.verdict not in ("periodic", "non-periodic"):
        raise UnsupportedError(f"component {component.number} is {verdict.verdict}: there is no claim to certify")
    claim: dict[str, Any] = {
        "kind": "period",
        "theta": angle_form(rotation.angle),
        "F": value_set_form(rotation.values),
        "realize": rotation.name,
        "verdict": verdict.verdict,
        "period": verdict.period,
        "preperiod": verdict.preperiod,
        "eventual": verdict.eventual_period,
        "leaves": verdict.leaves_F_at,
    }
    return certificate_bytes(claim, {"because": verdict.proof, "positions": _positions(rotation, verdict)})


def _positions(rotation: Realization, verdict: Verdict) -> list[int]:
    """The positions that the proof names, in the order that the form fixes."""
    mu, period = verdict.preperiod or 0, verdict.eventual_period or 0
    if verdict.proof == "left-F":
        return [verdict.leaves_F_at or 0]
    if verdict.proof == "eventually-constant":
        return [mu, mu - 1] if mu else []
    if verdict.proof == "state-cycle":
        return [mu, mu + period]
    if verdict.proof == "finite-table":
        return [_differing(rotation, period, period // prime) for prime in prime_divisors(period)]
    return list(verdict.witness)


def _differing(rotation: Realization, period: int, shift: int) -> int:
    """The least i at which R_{i + shift} differs from R_i; there is one below the least period."""
    for i in range(period):
        if not _same(rotation.block(i), rotation.block(i + shift)):
            return i
    raise ArithmeticError(f"the period {period} is not the least one: {shift} is one too")


def _same(a: tuple[Any, ...], b: tuple[Any, ...]) -> bool:
    return all(x == y for x, y in zip(a, b, strict=True))
