"""`fpcert modulus`: the moduli that a head decides, a thin layer over `certify.modulus`."""

from __future__ import annotations

import click

from fpcert.options import certificate_option, common_options
from fpcert.output import emit, note_files
from fpcert.progress import Progress

__all__ = ["command"]


@click.command(
    "modulus",
    epilog="Example: fpcert modulus --dtype bf16\n\nWith proofs: fpcert modulus --dtype e4m3 --certificate mod.json, "
    "then fpcert check mod-*.json",
)
@click.option("--dtype", default="fp16", show_default=True, metavar="F", help="The value set of every stage.")
@click.option(
    "--max", "most", type=click.IntRange(2, 1000), default=64, show_default=True, metavar="M", help="The last modulus."
)
@click.option(
    "--order", default="sequential", show_default=True, metavar="ORDER",
    help="Sums over positions: sequential, reverse, pairwise, blocked:N, wide:F.",
)  # fmt: skip
@certificate_option
@common_options
def command(
    dtype: str,
    most: int,
    order: str,
    certificate: str | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> None:
    """Find the moduli m for which a head decides MOD(r,m) exactly, for every residue r and at all lengths.

    Two heads are looked at: that of one rotary pair (Lemma 3.2), with the best scale in F, and the sum of all harmonics
    of 2 pi/m. Each residue of a position is computed. --certificate writes one claim for each modulus of the first.
    """
    from certify.compiling.moduli import modulus

    with Progress("moduli", total=most - 1, quiet=quiet) as progress:
        result = modulus(dtype=dtype, max=most, order=order, progress=lambda _done: progress.advance(1))
    emit(result.to_json(), as_json, output_file, text=str(result))
    if certificate is not None:
        from certify.certificates.document import save_certificates
        from certify.certificates.moduli import modulus_certificates

        documents = modulus_certificates(result)
        if documents:
            note_files(save_certificates(documents, certificate), quiet=quiet)
        elif not quiet:
            click.echo("No certificate: one rotary pair decides no modulus there.", err=True)
