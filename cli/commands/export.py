"""`fpcert export coq FILE -o DIR`: a certificate's claim as files for another program."""

from __future__ import annotations

from typing import BinaryIO

import click

from fpcert.options import debug_option
from fpcert.output import emit

__all__ = ["command"]


@click.command(
    "export",
    epilog="Example: fpcert export coq certificate.json -o proof\n\nCoq, Flocq and Interval compile the files: on "
    "Debian 12, apt-get install coq libcoq-flocq libcoq-interval.",
)
@click.argument("target", type=click.Choice(["coq"]))
@click.argument("certificate", metavar="FILE", type=click.File("rb"))
@click.option("-o", "folder", metavar="DIR", required=True, help="The folder of the files; made when it is missing.")
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option("--quiet", is_flag=True, help="No progress and no notes.")
@debug_option
def command(target: str, certificate: BinaryIO, folder: str, as_json: bool, quiet: bool) -> None:
    """Write the claim of the certificate in FILE as files whose theorem, for Coq, is that claim over the real numbers.

    Nothing is admitted in them: of a false claim they do not compile. The claims that can be written so are certified
    ranges of at most 200 with one float format that rounds to nearest-even, without ftz, fma or saturation. FILE may be
    `-`, standard input.
    """
    from certify.certificates.checking import check
    from certify.second_opinions.claim import MAX_BYTES
    from certify.second_opinions.coq.export import COMMANDS, export_coq
    from fpsim.errors import InputError

    # A byte more than a certificate may have is enough to see that there is one.
    data = certificate.read(MAX_BYTES + 1)
    form = check(data, max_work=1).report  # its form only, which `export_coq` does not judge
    if form.verdict == "malformed":
        raise InputError("certificate", certificate.name, f"a certificate; it is {form.lines[-2]}")
    written = [str(path) for path in export_coq(data, folder)]
    lines = [f"wrote {path}" for path in written]
    if not quiet:
        lines += ["", "To check them, in that folder:", "", *(f"  {line}" for line in COMMANDS)]
    emit({"target": target, "files": written, "commands": list(COMMANDS)}, as_json, None, text="\n".join(lines))
