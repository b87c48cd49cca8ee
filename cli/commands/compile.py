"""`fpcert compile`: a transformer for a formula, a thin layer over `certify.compile_formula`."""

from __future__ import annotations

from typing import Literal

import click

from fpcert.options import debug_option
from fpcert.output import emit

__all__ = ["command"]


@click.command(
    "compile",
    epilog="Example: fpcert compile 'P(a & !P true) & MOD(1,2)' --dtype fp16 --alphabet ab -o model.safetensors\n\n"
    "Up to a length: fpcert compile 'Y(a & Y b)' --dtype fp16 --length 100 -o model.safetensors\n\n"
    "Then: fpcert run model.safetensors ab aab",
)
@click.argument("formula")
@click.option("--dtype", default="fp16", show_default=True, metavar="F", help="The value set of every stage.")
@click.option("--alphabet", metavar="LETTERS", help="The letters, such as ab (default: those that occur).")
@click.option(
    "--encoding", type=click.Choice(["rope", "sipe"]), default="rope", show_default=True,
    help="rope: rotary heads (Lemma 3.2; Cor. 4.1 for Y^k). sipe: sinusoidal encodings (Thm 3.2).",
)  # fmt: skip
@click.option(
    "--length", type=click.IntRange(1, 10**9), metavar="L",
    help="How long words may be (default: all; with Y^k up to 32, or as far as a head is found).",
)  # fmt: skip
@click.option(
    "--order", default="sequential", show_default=True, metavar="ORDER",
    help="Sums over positions: sequential, reverse, pairwise, blocked:N, wide:F.",
)  # fmt: skip
@click.option(
    "--dot", default="sequential", show_default=True, metavar="ORDER", help="Sums over coordinates, likewise."
)
@click.option("--norms/--no-norms", default=True, show_default=True, help="A layer norm after each part of a layer.")
@click.option(
    "-o", "model_file", metavar="FILE", type=click.Path(dir_okay=False),
    help="Write the model: safetensors, or JSON where the name ends in .json.",
)  # fmt: skip
@click.option("--json", "as_json", is_flag=True, help="One JSON object instead of text.")
@click.option("--quiet", is_flag=True, help="No progress and no notes.")
@debug_option
def command(
    formula: str,
    dtype: str,
    alphabet: str | None,
    encoding: Literal["rope", "sipe"],
    length: int | None,
    order: str,
    dot: str,
    norms: bool,
    model_file: str | None,
    as_json: bool,
    quiet: bool,
) -> None:
    """Make a transformer that accepts the words for which FORMULA is true after the last letter, exactly in F.

    Shown are its layers, its heads, and for each part the bound that makes it exact, computed with the numbers of F:
    the model decides every word up to the certified length as the formula does. Exit code 4 means that F cannot carry
    the formula, or that no head for the length was found: the message names the part and the bound.
    """
    del quiet  # there is neither progress nor a note
    from certify.compiling.compute import compile_formula

    result = compile_formula(
        formula, dtype=dtype, alphabet=alphabet, encoding=encoding, length=length, order=order, dot=dot, norms=norms
    )
    if model_file is not None:
        from fpsim.transformer.files.model_file import save_model

        save_model(result.model, model_file)
    emit(result.to_json() | {"model": model_file}, as_json, None, text=str(result))
