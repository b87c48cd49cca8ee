"""`fpcert classify`: which logics describe a regular language, a thin layer over `certify.classify`."""

from __future__ import annotations

import click

from fpcert.options import certificate_option, common_options
from fpcert.output import emit, note_files
from fpcert.plotting import check_file
from fpcert.progress import Progress

__all__ = ["command"]

UNDECIDED = 3
CERTIFIED = ("LTL[P]", "LTL[P,MOD]", "star_free")


@click.command(
    "classify",
    epilog="Example: fpcert classify '(ab)*'\n\nA formula: fpcert classify --ltl 'P(a & !P true)' --alphabet ab\n\n"
    "A DFA: fpcert classify --dfa language.json --certificate proof.json --certificate-class star_free",
)
@click.argument("regex", required=False, metavar="[REGEX]")
@click.option(
    "--dfa", metavar="FILE",
    help='A DFA in JSON: {"alphabet": [...], "states": n, "initial": q, "accepting": [...], "delta": [[...]]}.',
)  # fmt: skip
@click.option(
    "--ltl", metavar="FORMULA", help="A formula of letters, true, false, MOD(r,m), !, P, Y, Y^k, &, |, -> and S."
)
@click.option("--alphabet", metavar="LETTERS", help="The letters, such as ab (default: those that occur).")
@click.option(
    "--max-monoid",
    type=click.IntRange(1, 1_000_000),
    default=1_000_000,
    show_default=True,
    metavar="N",
    help="How many elements of the syntactic monoid are looked at.",
)
@certificate_option
@click.option(
    "--certificate-class",
    "certified",
    type=click.Choice(CERTIFIED),
    multiple=True,
    help="What the certificate is about, repeatable (default: LTL[P,MOD]).",
)
@click.option(
    "--plot",
    metavar="FILE",
    callback=check_file,
    help="Draw the DFA, its k-automaton and the order of the states: FILE.png, FILE.svg or FILE.pdf.",
)
@common_options
def command(
    regex: str | None,
    dfa: str | None,
    ltl: str | None,
    alphabet: str | None,
    max_monoid: int,
    certificate: str | None,
    certified: tuple[str, ...],
    plot: str | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Decide which logics and classes a regular language is in: LTL[P], LTL[P,MOD], star-free and others, with proofs.

    REGEX has letters, . (any letter), [abc], [^c], @ (the empty word), parentheses; postfix * + ?; prefix !
    (complement); & (intersection) and |. Formulas look at the past and are evaluated after the last letter. Exit code 3
    means that a class was not decided within the limits: `reasons` says why.
    """
    from certify.languages.compute import classify

    if certified and certificate is None:
        raise click.UsageError("--certificate-class says what a certificate is about: give --certificate FILE too.")
    with Progress("elements", quiet=quiet) as progress:
        seen = 0

        def report(done: int) -> None:
            nonlocal seen
            progress.advance(done - seen)
            seen = done

        result = classify(regex, dfa=dfa, ltl=ltl, alphabet=alphabet, max_monoid=max_monoid, progress=report)
    shown = result.to_json()
    if plot is not None:
        from certify.plots.figure_file import save_figure
        from certify.plots.language_data import language_diagram
        from certify.plots.language_figure import language_figure

        diagram = language_diagram(result)
        save_figure(language_figure(diagram), plot)
        shown["diagram"] = diagram.to_json()
    emit(shown, as_json, output_file, text=str(result))
    if certificate is not None:
        from certify.certificates.document import save_certificates
        from certify.certificates.languages import language_certificates

        documents = language_certificates(result, certified or ("LTL[P,MOD]",))
        note_files(save_certificates(documents, certificate), quiet=quiet)
    return UNDECIDED if result.undecided else 0
