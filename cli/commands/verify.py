"""`fpcert verify`: a model beside the language of a formula or a DFA, a thin layer over `certify.verify`."""

from __future__ import annotations

from collections.abc import Callable

import click

from fpcert.options import certificate_option, common_options
from fpcert.output import emit, note_files
from fpcert.progress import Progress
from fpcert.rounding_note import rounding_noted

__all__ = ["command"]

COUNTEREXAMPLE, UNDECIDED = 1, 3


@click.command(
    "verify",
    epilog="Example: fpcert verify model.safetensors 'P(a & !P true) & MOD(1,2)' --length 12\n\nA DFA, and long words: "
    "fpcert verify model.safetensors --dfa language.json --length 10 --random 200 --seed 1",
)
@click.argument("model")
@click.argument("formula", required=False, metavar="[FORMULA]")
@click.option("--dfa", metavar="FILE", help="A DFA in JSON in place of FORMULA, as for `fpcert classify`.")
@click.option("--length", type=click.IntRange(0), required=True, metavar="n", help="Run every word of up to n letters.")
@click.option(
    "--random", type=click.IntRange(0), default=0, show_default=True, metavar="N",
    help="Then N longer words: random ones, and those on which sums stagnate or the language is close to failing.",
)  # fmt: skip
@click.option("--seed", type=int, default=0, show_default=True, metavar="S", help="Chooses the random words.")
@click.option(
    "--longest", type=click.IntRange(1), metavar="L", help="Letters of the longest of these words [default: 10000]."
)
@click.option(
    "--all-lengths/--no-all-lengths", default=True, show_default=True,
    help="Extract the model's own automaton, which decides all lengths.",
)  # fmt: skip
@click.option(
    "--max-words", type=click.IntRange(0), default=200_000, show_default=True, metavar="N",
    help="How many words of up to n letters are run at most.",
)  # fmt: skip
@click.option(
    "--max-states", type=click.IntRange(1), default=100_000, show_default=True, metavar="N",
    help="How many states the automaton may have on its way.",
)  # fmt: skip
@certificate_option
@common_options
def command(
    model: str,
    formula: str | None,
    dfa: str | None,
    length: int,
    random: int,
    seed: int,
    longest: int | None,
    all_lengths: bool,
    max_words: int,
    max_states: int,
    certificate: str | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Check that MODEL accepts the words of a language and no others.

    The language is that of FORMULA, past temporal logic evaluated at EOS, or of a DFA. Every word of up to n letters is
    run, shortest first; and where heads select hard or the format has 8 bits, the model's own automaton is extracted
    and compared, which is a proof for all lengths. Exit code 1: a counterexample was found. Exit code 3: none was
    found, but not every word of up to n letters was run.
    """
    from certify.verifying.compute import verify

    if (formula is None) == (dfa is None):
        raise click.UsageError("Give the language once: as a FORMULA, or as --dfa FILE.")
    with rounding_noted(quiet=quiet), _Stages(quiet) as report:
        result = verify(
            model, formula, dfa=dfa, length=length, random=random, seed=seed, longest=longest,
            all_lengths=all_lengths, max_words=max_words, max_states=max_states, progress=report,
        )  # fmt: skip
    emit(result.to_json(), as_json, output_file, text=str(result))
    if not result.agree:
        return COUNTEREXAMPLE
    if certificate is not None:
        from certify.certificates.document import save_certificates
        from certify.certificates.simulations import simulation_certificates

        note_files(save_certificates(simulation_certificates(result, model), certificate), quiet=quiet)
    return UNDECIDED if result.undecided or result.interrupted else 0


class _Stages:
    """A bar for what is done now: words, then states, then words again."""

    def __init__(self, quiet: bool) -> None:
        self._quiet = quiet
        self._what, self._seen = "", 0
        self._bar: Progress | None = None

    def __enter__(self) -> Callable[[str, int], None]:
        return self._report

    def _report(self, what: str, done: int) -> None:
        if what != self._what:
            self._close()
            self._what, self._seen = what, 0
            self._bar = Progress(what, quiet=self._quiet).__enter__()
        assert self._bar is not None
        self._bar.advance(done - self._seen)
        self._seen = done

    def _close(self) -> None:
        if self._bar is not None:
            self._bar.__exit__(None, None, None)

    def __exit__(self, *_: object) -> None:
        self._close()
