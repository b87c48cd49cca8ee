"""`fpcert nmax`: the certified range of a k-offset head, a thin layer over `certify.nmax`."""

from __future__ import annotations

from typing import Literal

import click

from fpcert.options import certificate_option, common_options
from fpcert.output import emit, note_files
from fpcert.plotting import draw_plots, plot_options
from fpcert.progress import Progress

__all__ = ["command"]

UNDECIDED = 3


@click.command(
    "nmax",
    epilog="Example: fpcert nmax --g 1.0 --C 40 --dtype fp16 --k 1\n\nAnother: fpcert nmax --g 2pi*3/7 --C 1e4 "
    "--dtype bf16 --score-dtype fp32 --k 1,2,3 --json\n\nMany pairs: fpcert nmax --base 10000 --dim 8 --C 100 "
    "--dtype fp16 --k 1\n\nA rotation dumped from a model: fpcert nmax --g 1.0 --C 40 --realize array:cos_sin.npy",
)
@click.option("--g", metavar="ANGLE", help="The angle in radians, exact: 1.0, 2/3, pi/2, 2pi*3/7, 10000^(-2/64).")
@click.option("--theta", multiple=True, metavar="ANGLE[,ANGLE...]", help="In place of --g: the angles of many pairs.")
@click.option(
    "--base", metavar="NUMBER", help="In place of --g, with --dim: the angles base^(-2(d-1)/dim), d = 1..dim/2."
)
@click.option("--dim", metavar="D", help="With --base: the rotary dimension, twice the number of pairs.")
@click.option(
    "--C", "scale", required=True, multiple=True, metavar="NUMBER[,NUMBER...]",
    help="The scale C > 0, exact: 40, 1e18, 2/3. Of many pairs: one value, which each pair has, or one for each pair.",
)  # fmt: skip
@click.option("--dtype", default="fp16", show_default=True, metavar="F", help="The value set of every stage.")
@click.option(
    "--k", multiple=True, default=["1"], show_default=True, metavar="K[,K...]", help="The offset, or several."
)
@click.option("--rotate-dtype", metavar="F", help="The value set of the rotation's products and sums.")
@click.option("--score-dtype", metavar="F", help="The value set of the scores.")
@click.option("--softmax-dtype", metavar="F", help="The value set of the softmax, whose f_large counts.")
@click.option(
    "--realize", default="ideal", show_default=True, metavar="KIND",
    help="How the rotation is realized: ideal, phase, table (g a multiple of pi), recurrence, counter, or array:FILE "
    "(cosines and sines given in FILE.npy, .npz or .csv).",
)  # fmt: skip
@click.option(
    "--pipeline", metavar="NAME",
    help="In place of --realize: how a real stack rotates, stage by stage (transformers, vllm, ggml-cpu, ...).",
)  # fmt: skip
@click.option(
    "--criterion",
    type=click.Choice(["gap", "weight"]),
    default="gap",
    show_default=True,
    help="gap: Eq. 10; weight: the realized softmax selects exactly.",
)
@click.option("--fma", is_flag=True, help="Fuse the score's second product into the sum.")
@click.option(
    "--order",
    default="sequential",
    show_default=True,
    metavar="ORDER",
    help="Softmax sums: sequential, reverse, pairwise, blocked:N, wide:F.",
)
@click.option(
    "--method", default="auto", show_default=True, metavar="ROAD", help="auto, exhaustive, pruned or bracket."
)
@click.option("--max-length", type=int, metavar="N", help="Where a scan ends (default: about a minute).")
@click.option("--cross-check", is_flag=True, help="Recompute what the answer rests on with mpmath.")
@certificate_option
@plot_options
@common_options
def command(
    g: str | None,
    theta: tuple[str, ...],
    base: str | None,
    dim: str | None,
    scale: tuple[str, ...],
    dtype: str,
    k: tuple[str, ...],
    rotate_dtype: str | None,
    score_dtype: str | None,
    softmax_dtype: str | None,
    realize: str,
    pipeline: str | None,
    criterion: Literal["gap", "weight"],
    fma: bool,
    order: str,
    method: str,
    max_length: int | None,
    cross_check: bool,
    certificate: str | None,
    plot: str | None,
    plot_scale: str | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Find N_max^(k)(g, C, F): up to which length a head is certain to select the position k steps back (Eq. 10).

    The head has one rotary pair of angle g and scale C, or many pairs, whose scores are added; every operation is
    rounded into F. The answer is exact, or says that it is not: exit code 3 means that the search ended at its limit
    (or at Ctrl-C), with the range that is certified so far.
    """
    from certify.certified_range.compute import nmax

    with Progress("query positions", quiet=quiet) as progress:
        seen = 0

        def report(done: int, _total: int) -> None:
            nonlocal seen
            progress.advance(done - seen if done > seen else done)
            seen = done

        result = nmax(
            g=g, theta=theta or None, base=base, dim=dim, C=",".join(scale), dtype=dtype, k=",".join(k),
            realize=realize, pipeline=pipeline, rotate_dtype=rotate_dtype, score_dtype=score_dtype,
            softmax_dtype=softmax_dtype, criterion=criterion, fma=fma, order=order, method=method,
            max_length=max_length,
            cross_check=cross_check, progress=report,
        )  # fmt: skip
    shown = result.to_json()
    try:
        shown |= draw_plots(result, plot, plot_scale, quiet=quiet)
    finally:  # the answer stands, whatever becomes of its picture
        emit(shown, as_json, output_file, text=str(result))
    if certificate is not None:
        from certify.certificates.document import save_certificates
        from certify.certificates.ranges import range_blocks, range_certificates

        files = save_certificates(range_certificates(result), certificate, range_blocks(result))
        note_files(files, quiet=quiet)
    return UNDECIDED if result.status in ("at_least", "between") else 0
