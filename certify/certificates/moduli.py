"""Certificates that the head of Lemma 3.2 decides a modulus (docs/certificates.md)."""

from __future__ import annotations

from certify.certificates.document import certificate_bytes
from certify.certificates.forms import number_form, regime_form, value_set_form
from certify.compiling.moduli import Moduli

__all__ = ["modulus_certificates"]


def modulus_certificates(result: Moduli) -> list[bytes]:
    """The claim about each modulus that one rotary pair decides.

    >>> from certify.compiling.moduli import modulus
    >>> [b'"m":2' in data for data in modulus_certificates(modulus(dtype="e5m2", max=3))]
    [True, False]
    """
    regime = result.precision.regime
    common = {"kind": "modulus", "F": value_set_form(regime.values), "regime": regime_form(regime)}
    return [
        certificate_bytes({**common, "m": m, "C": number_form(head.scale)}, {}) for m, head in result.single.items()
    ]
