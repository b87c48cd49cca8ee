"""`fpcert format F`: a value set's size, range, spacing, overflow, f_large and stagnation point."""

from __future__ import annotations

import click

from fpcert.options import certificate_option, common_options
from fpcert.output import emit

__all__ = ["command"]


@click.command(
    "format", epilog="Example: fpcert format fp16    Others: e4m3:saturate, e5m10, fixed:8.4, nf4, grid:FILE"
)
@click.argument("value_set", metavar="F")
@certificate_option
@common_options
def command(value_set: str, certificate: str | None, as_json: bool, output_file: str | None, quiet: bool) -> None:
    """Describe the value set F: size, range, spacing, overflow, f_large, and where a sum of ones stops growing.

    F is a format (fp64, fp32, tf32, bf16, fp16, e5m2, e4m3, e3m2, e2m3, e2m1, e4m3fnuz, e5m2fnuz, fp128, eXmY),
    fixed:B.F, nf4 or grid:FILE, with options after colons: even, away, zero, up, down, odd, stochastic=SEED; inf,
    saturate, nan; ftz.
    """
    from fpsim.facts import format_facts

    facts = format_facts(value_set)
    emit(facts.to_json(), as_json, output_file, text=str(facts))
    if certificate is not None:
        from certify.certificates.document import save_certificates
        from certify.certificates.ranges import flarge_certificate

        save_certificates([flarge_certificate(value_set)], certificate)
