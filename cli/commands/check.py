"""`fpcert check FILE...`: verify certificates with the checker that shares no code with what writes them."""

from __future__ import annotations

import click

from fpcert.options import common_options
from fpcert.output import emit, write

__all__ = ["command"]


@click.command(
    "check",
    epilog="""\b
Example: fpcert check certificate.json
Exit codes: 0 all verified, 1 some refuted, 2 malformed or unreadable, 3 undecided,
4 unsupported; of several files the worst in this order decides.""",
)
@click.argument("files", nargs=-1, required=True, metavar="FILE...")
@click.option(
    "--max-work",
    type=click.IntRange(min=1),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="Units of one realized value or score that each file may take.",
)
@click.option(
    "--with",
    "opinions",
    multiple=True,
    type=click.Choice(["flint", "smt"]),
    help="Ask another program as well: Arb (flint) or bitwuzla (smt). Repeatable.",
)
@click.option(
    "--model",
    "--array",
    "beside",
    multiple=True,
    metavar="FILE",
    help="The file of a model, or of realized blocks, that a claim names by its sha256. Repeatable.",
)
@common_options
def command(
    files: tuple[str, ...],
    max_work: int,
    opinions: tuple[str, ...],
    beside: tuple[str, ...],
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Check the claims of certificate files: `nmax`, `period`, `format`, `classify`, `modulus` and `verify` write them
    with --certificate.

    FILE may be `-`, standard input. What checks is certify/checker, a folder that needs nothing but Python and
    also runs alone; the claim is printed in words, with what was shown and the verdict.
    """
    from certify.certificates.checking import check, worst_exit_code

    checked = []
    for file in files:
        one = check(file, max_work=max_work, opinions=opinions, beside=beside)
        checked.append(one)
        if not as_json and output_file is None:  # as they come
            write(str(one))
    code = worst_exit_code(checked)
    if as_json or output_file is not None:
        found = {"files": [one.to_json() for one in checked], "exit_code": code}
        emit(found, as_json, output_file, text="\n".join(map(str, checked)))
    return code
