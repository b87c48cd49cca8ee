"""`fpcert period`: whether a realized schedule repeats, a thin layer over `certify.period`."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import click

from fpcert.options import certificate_option, common_options
from fpcert.output import emit, note, note_files
from fpcert.plotting import check_file
from fpcert.progress import Progress
from fpsim.errors import InputError

if TYPE_CHECKING:
    from certify.periodicity.result import PeriodResult

__all__ = ["command"]

UNDECIDED = 3


@click.command(
    "period",
    epilog="Example: fpcert period --theta 2pi*3/7 --dtype fp16 --predicates\n\nA model, and its heads: fpcert "
    "period --config llama-3.1-8b --dtype bf16 --pipeline transformers --effects 4096\n\nA state machine: fpcert "
    "period --theta 1 --dtype fp16 --realize recurrence --json",
)
@click.option(
    "--theta",
    multiple=True,
    metavar="ANGLE[,ANGLE...]",
    help="Exact angles in radians: 1.0, 2/3, 2pi*3/7, 10000^(-2/64).",
)
@click.option("--base", metavar="NUMBER", help="With --dim: the conventional schedule base^(-2d/dim), d = 0..dim/2-1.")
@click.option("--dim", type=int, metavar="D", help="With --base: the rotary dimension, twice the number of pairs.")
@click.option(
    "--config",
    metavar="MODEL",
    help="A model's name (a wrong one lists them) or its config.json (Hugging Face): its schedule, scaled.",
)
@click.option("--array", metavar="FILE", help="Realized blocks in a .npy, .npz or .csv file: only a window is known.")
@click.option("--dtype", metavar="F", help="The value set; default: that of the config or array, else fp16.")
@click.option(
    "--realize", metavar="KIND", help="ideal (default), phase, table, recurrence, counter: how blocks are computed."
)
@click.option("--pipeline", metavar="NAME", help="In place of --realize: the stages of a real stack, by name.")
@click.option("--max-steps", type=int, metavar="N", help="How far the search of a recurrence goes.")
@click.option("--positions", type=int, metavar="N", help="How many positions are searched for the first collision.")
@click.option("--window", type=int, metavar="W", help="P-RoPE: positions are taken modulo W.")
@click.option("--resonance", is_flag=True, help="Resonance RoPE: wavelengths are rounded to whole numbers.")
@click.option("--length", type=int, metavar="L", help="With --config: the length that dynamic and longrope depend on.")
@click.option("--predicates", is_flag=True, help="List the modular predicates that define each value (Prop. 2.1).")
@click.option(
    "--effects",
    type=click.IntRange(min=3),
    metavar="N",
    help="Also what N positions do to a head: where it breaks, equal neighbours, the greatest errors.",
)
@click.option("--k", type=click.IntRange(min=1), metavar="K", help="With --effects: how far the head looks back (1).")
@click.option("--C", "scale", metavar="NUMBER", help="With --effects: the scale of every pair, exact.")
@certificate_option
@click.option(
    "--plot",
    metavar="FILE",
    callback=check_file,
    help="Draw where components repeat, and their errors: FILE.png, FILE.svg or FILE.pdf.",
)
@common_options
def command(
    theta: tuple[str, ...],
    base: str | None,
    dim: int | None,
    config: str | None,
    array: str | None,
    dtype: str | None,
    realize: str | None,
    pipeline: str | None,
    max_steps: int | None,
    positions: int | None,
    window: int | None,
    resonance: bool,
    length: int | None,
    predicates: bool,
    effects: int | None,
    k: int | None,
    scale: str | None,
    certificate: str | None,
    plot: str | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Decide whether a realized schedule is component-periodic, for all positions (Def. 2.1).

    Each component gets a verdict with its proof: a period, or why there is none, the position where rounding makes it
    constant or NaN, and the first two positions with the same block. Exit code 3 means that a component was not decided
    within the limits (or before Ctrl-C) on which the answer hangs.
    """
    from certify.periodicity.compute import period

    if effects is None and (k is not None or scale is not None):
        raise click.UsageError("--k and --C are about a head: give --effects N too.")
    if realize is not None and pipeline is not None:
        raise click.UsageError("--pipeline is a realization of its own: leave --realize out.")
    with Progress("deciding components", quiet=quiet) as progress:
        result = period(
            theta=theta or None, base=base, dim=dim, config=config, array=array, dtype=dtype,
            realize="ideal" if realize is None else realize, pipeline=pipeline, max_steps=max_steps,
            positions=positions, window=window,
            resonance=resonance, length=length, progress=_steps(progress),
        )  # fmt: skip
    answer = _Answer(result.to_json(), [str(result)])
    wrong_option = False
    try:
        if predicates:
            answer.add_predicates(result)
        if effects is not None:
            with Progress("queries", quiet=quiet) as progress:
                answer.add_effects(result, effects, scale, k or 1, _steps(progress))
        if plot is not None:
            answer.shown["period_curve"] = _draw(result, plot)
    except InputError:
        wrong_option = True
        raise
    finally:  # the verdicts stand, whatever becomes of the rest of the answer
        if not wrong_option:
            emit(answer.shown, as_json, output_file, text="\n\n".join(answer.texts))
    if certificate is not None:
        from certify.certificates.document import save_certificates
        from certify.certificates.periods import period_certificates, uncertified

        files = save_certificates(period_certificates(result), certificate)
        for number, reason in uncertified(result).items():
            note(f"component {number} has no certificate: {reason}", quiet=quiet)
        note_files(files, quiet=quiet)
    return UNDECIDED if result.undecided else 0


@dataclass
class _Answer:
    """The JSON object, and the paragraphs of the text, as far as they are known."""

    shown: dict[str, Any]
    texts: list[str]

    def add_predicates(self, result: PeriodResult) -> None:
        """The modular predicates."""
        from certify.periodicity.explanation import explain_predicates

        self.shown = result.to_json(predicates=True)
        self.texts.append(explain_predicates(result))

    def add_effects(
        self, result: PeriodResult, length: int, scale: str | None, k: int, progress: Callable[[int, int], None]
    ) -> None:
        """The effects on the head of each kind of layer."""
        from certify.head_effects.schedules import schedule_effects

        found = schedule_effects(result, length=length, C=scale, k=k, progress=progress)
        self.shown["effects"] = [{"layer": layer, **of.to_json()} for layer, of in found.items()]
        self.texts += [f"{'' if layer is None else f'{layer}: '}{of}" for layer, of in found.items()]


def _steps(progress: Progress) -> Callable[[int, int], None]:
    """A report (done, total) as steps of a bar."""
    seen = 0

    def report(done: int, _total: int) -> None:
        nonlocal seen
        progress.advance(done - seen if done > seen else done)
        seen = done

    return report


def _draw(result: PeriodResult, plot: str) -> dict[str, Any]:
    """Draw the components; the data behind the picture, as a further key of the JSON object."""
    from certify.plots.figure_file import save_figure
    from certify.plots.period_data import period_curve
    from certify.plots.period_figure import period_figure

    curve = period_curve(result)
    save_figure(period_figure(curve), plot)
    data: dict[str, Any] = curve.to_json()
    return data
