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

_TRIED = 1 << 10


def period_certificates(result: PeriodResult) -> list[bytes]:
    """The claim about each component of a result.

    >>> from certify.periodicity.compute import period
    >>> [b'"period":84' in data for data in period_certificates(period(theta="2pi*1/84", dtype="fp16"))]
    [True]

    Raises `UnsupportedError` where a component is not decided, or not as exactly as a claim has to say it, and for a
    realization or an angle that certificates do not know.
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
    inexact = verdict.leaves_F_at is None if verdict.proof == "left-F" else _half_known(verdict)
    if inexact:
        raise UnsupportedError(
            f"component {component.number} is {verdict.verdict}, but from which position on is not known exactly, and "
            f"a certificate has to say it ({verdict.because})"
        )
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


def _half_known(verdict: Verdict) -> bool:
    """Whether of mu and lambda one is known and the other not."""
    return (verdict.preperiod is None) is not (verdict.eventual_period is None)


def _positions(rotation: Realization, verdict: Verdict) -> list[int]:
    """The positions that the proof names, in the order that the form fixes."""
    mu, period = verdict.preperiod or 0, verdict.eventual_period or 0
    if verdict.proof == "eventually-constant":
        return [mu, mu - 1] if mu else []
    if verdict.proof == "state-cycle":
        return [mu, mu + period]
    if verdict.proof == "finite-table":
        primes = prime_divisors(period)
        if primes is None:
            raise UnsupportedError(
                "the prime factors of the period are not known, and a certificate names one for each"
            )
        return [_differing(rotation, verdict, period, prime) for prime in primes]
    return list(verdict.witness)  # "left-F": the position; "irrational-angle": two


def _differing(rotation: Realization, verdict: Verdict, period: int, prime: int) -> int:
    """An i at which R_{i + shift} differs from R_i, shift = period/prime.

    The first few positions nearly always hold one.  If not, take the positions of the witness, where an entry is
    greatest and where it is least.  The shift turns by a part of the circle of 1/prime, so that t shifts turn by about
    a half; for one of the two the block is another there, by the theorem of `certify.periodicity.table`, and bisection
    over the shifts finds two neighbours that differ.
    """
    shift = period // prime
    for i in range(min(period, _TRIED)):
        if rotation.block(i) != rotation.block(i + shift):
            return i
    turns = rotation.angle.turns
    assert turns is not None  # the angle of a table
    half_way = (prime // 2) * pow(int(turns.numerator), -1, prime) % prime
    for start in verdict.witness:
        block = rotation.block(start)
        if rotation.block(start + half_way * shift) == block:
            continue
        low, high = 0, half_way  # the block after `low` shifts is the one at the start, the one after `high` is not
        while high - low > 1:
            middle = (low + high) // 2
            low, high = (middle, high) if rotation.block(start + middle * shift) == block else (low, middle)
        return (start + low * shift) % period
    raise ArithmeticError(f"the period {period} is not the least one: {shift} is one too; please report this")
