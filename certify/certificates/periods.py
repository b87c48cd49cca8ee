"""Certificates of periodicity, one for each component (docs/certificates.md)."""

from __future__ import annotations

from typing import Any

from certify.certificates.document import certificate_bytes
from certify.certificates.forms import angle_form, value_set_form
from certify.certificates.pipelines import pipeline_form
from certify.periodicity.result import Component, PeriodResult
from certify.periodicity.verdict import Verdict
from fpsim.errors import UnsupportedError
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.realization import REALIZATIONS, Realization

__all__ = ["period_certificates", "uncertified"]


def period_certificates(result: PeriodResult) -> list[bytes]:
    """The claim about each component of a result that is decided; `uncertified` says why others have none.

    >>> from certify.periodicity.compute import period
    >>> [b'"period":84' in data for data in period_certificates(period(theta="2pi*1/84", dtype="fp16"))]
    [True]

    Raises `UnsupportedError` where no component has a certificate, with the reason of the first.
    """
    made = [_certificate_or_reason(component) for component in result.components]
    certificates = [each for each in made if isinstance(each, bytes)]
    if not certificates:
        raise UnsupportedError(str(made[0]))
    return certificates


def uncertified(result: PeriodResult) -> dict[int, str]:
    """Component to reason, for those without a certificate.

    They are not decided, or not as exactly as a claim has to say it, or their realization or angle is none that
    certificates know.
    """
    made = {component.number: _certificate_or_reason(component) for component in result.components}
    return {number: each for number, each in made.items() if isinstance(each, str)}


def _certificate_or_reason(component: Component) -> bytes | str:
    try:
        return _certificate(component)
    except UnsupportedError as error:
        return str(error)


def _certificate(component: Component) -> bytes:
    rotation, verdict = component.rotation, component.verdict
    if verdict.verdict not in ("periodic", "non-periodic"):
        raise UnsupportedError(f"component {component.number} is {verdict.verdict}: there is no claim to certify")
    inexact = verdict.leaves_F_at is None if verdict.proof == "left-F" else _half_known(verdict)
    if inexact:
        raise UnsupportedError(
            f"component {component.number} is {verdict.verdict}, but from which position on is not known exactly, and "
            f"a certificate has to say it ({verdict.because})"
        )
    theta, realize = _realization(rotation)
    claim: dict[str, Any] = {
        "kind": "period",
        "theta": theta,
        "F": value_set_form(rotation.values),
        "realize": realize,
        "verdict": verdict.verdict,
        "period": verdict.period,
        "preperiod": verdict.preperiod,
        "eventual": verdict.eventual_period,
        "leaves": verdict.leaves_F_at,
    }
    return certificate_bytes(claim, {"because": verdict.proof, "positions": _positions(verdict)})


def _realization(rotation: Realization) -> tuple[str | None, Any]:
    """The fields `theta` and `realize`.  (A pipeline of one's own may have any name, also that of a realization.)"""
    if isinstance(rotation, PipelineRotation):
        return pipeline_form(rotation, rotation.values)
    if rotation.name not in REALIZATIONS:
        raise UnsupportedError(
            f"certificates of periodicity know the realizations {', '.join(REALIZATIONS)} and pipelines, not "
            f"{rotation.name}"
        )
    return angle_form(rotation.angle), rotation.name


def _half_known(verdict: Verdict) -> bool:
    """Whether of mu and lambda one is known and the other not."""
    return (verdict.preperiod is None) is not (verdict.eventual_period is None)


def _positions(verdict: Verdict) -> list[int]:
    """The positions that the proof names, in the order that the form fixes."""
    mu, period = verdict.preperiod or 0, verdict.eventual_period or 0
    if verdict.proof == "eventually-constant":
        return [mu, mu - 1] if mu else []
    if verdict.proof == "state-cycle":
        return [mu, mu + period]
    return list(verdict.witness)  # "left-F": the position; "irrational-angle" and "finite-table": two, or one
