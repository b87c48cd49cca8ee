"""`fpcert design`: a head, or a format, for a wanted length; a thin layer over `certify.design`."""

from __future__ import annotations

from typing import Literal

import click

from fpcert.options import common_options
from fpcert.output import emit
from fpcert.progress import Progress

__all__ = ["command"]

UNDECIDED = 3


@click.command(
    "design",
    epilog="Example: fpcert design --dtype fp16 --length 100 --k 1,2,3\n\nSmallest format: fpcert design --dtype eXmY "
    "--length 30 --k 1",
)
@click.option(
    "--dtype",
    default="fp16",
    show_default=True,
    metavar="F",
    help="A value set, or a family, of which the smallest member is sought: eXmY, e5mY, eXm10, fixed:B.F, fixed:16.F.",
)
@click.option("--length", required=True, type=int, metavar="L", help="The length to reach.")
@click.option(
    "--k", multiple=True, default=["1"], show_default=True, metavar="K[,K...]", help="The offset, or several."
)
@click.option(
    "--criterion",
    type=click.Choice(["gap", "weight"]),
    default="gap",
    show_default=True,
    help="gap: Eq. 10; weight: the realized softmax selects exactly.",
)
@click.option(
    "--realize", default="ideal", show_default=True, metavar="KIND",
    help="How the rotation is realized: ideal, phase, table, recurrence or counter.",
)  # fmt: skip
@click.option(
    "--tries", type=int, metavar="N", help="Candidates for each length or format (default: 200; in a family 60)."
)
@common_options
def command(
    dtype: str,
    length: int,
    k: tuple[str, ...],
    criterion: Literal["gap", "weight"],
    realize: str,
    tries: int | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Find an angle g and a scale C whose certified range reaches a length for every offset k (Cor. 4.1).

    The head that is shown is certified: `fpcert nmax` gives the same N_max for it. Exit code 3 means that none was
    found, but none was proved impossible either (or Ctrl-C); the best that was met is shown then.
    """
    from certify.designing.compute import design

    with Progress("candidates", quiet=quiet) as progress:
        seen = 0

        def report(done: int) -> None:
            nonlocal seen
            progress.advance(done - seen)
            seen = done

        result = design(
            dtype=dtype,
            length=length,
            k=",".join(k),
            criterion=criterion,
            realize=realize,
            tries=tries,
            progress=report,
        )
    emit(result.to_json(), as_json, output_file, text=str(result))
    return 0 if result.outcome in ("found", "impossible") else UNDECIDED
