"""`fpcert run`: what a model says of words, a thin layer over `fpsim.run_model`."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import click

from fpcert.options import common_options, precision_options
from fpcert.output import emit
from fpcert.progress import Progress
from fpcert.rounding_note import rounding_noted

if TYPE_CHECKING:
    from fpsim.transformer.model import Transformer

__all__ = ["command"]

MAX_BYTES = 1 << 28


@click.command(
    "run",
    epilog="Example: fpcert run model.safetensors aab abb ''\n\nWords from a file, one on each line: fpcert run "
    "model.safetensors --words words.txt --json\n\nThe same weights in another format: fpcert run model.safetensors "
    "aab --dtype bf16 --score-dtype fp32",
)
@click.argument("model")
@click.argument("words", metavar="WORD...", nargs=-1)
@click.option("--words", "file", metavar="FILE", help="More words, one on each line.")
@precision_options
@click.option("--strict", is_flag=True, help="Refuse weights that are no values of F; default: round them and say so.")
@click.option("--describe", is_flag=True, help="Show what the model is, and run nothing.")
@common_options
def command(
    model: str,
    words: tuple[str, ...],
    file: str | None,
    strict: bool,
    describe: bool,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
    **precision: Any,
) -> None:
    """Run MODEL on words, every operation rounded: is a word accepted, and the classifier's value at EOS.

    A word is its letters, one after another; where the alphabet has a letter of several characters, the letters are
    separated by spaces. The empty word is '', or an empty line. A WORD of - stands for the lines of standard input;
    words that begin with - come after --. MODEL is a file that fpcert wrote (.safetensors, or .json).
    """
    from fpsim.transformer.files.model_file import load_model
    from fpsim.transformer.running import run_model

    with rounding_noted(quiet=quiet):
        loaded = load_model(model, strict=strict)
        if describe:
            shown = _description(loaded)
            return emit(shown, as_json, output_file, text="\n".join(f"{key}: {_text(shown[key])}" for key in _SHOWN))
        if not words and file is None:
            raise click.UsageError("There are no words: give some, --words FILE, or - for standard input.")
        texts = list(_texts(words, file))
        with Progress("words", total=len(texts), quiet=quiet) as progress:
            seen = 0.0

            def report(done: float, _total: int) -> None:
                nonlocal seen
                progress.advance(done - seen)
                seen = done

            letters = [_letters(loaded, text) for text in texts]
            result = run_model(loaded, letters, strict=strict, progress=report, **precision)
    return emit(result.to_json(), as_json, output_file, text=str(result))


def _texts(words: tuple[str, ...], file: str | None) -> Iterator[str]:
    """The words as they were written."""
    if words.count("-") > 1:
        raise click.UsageError("- stands for all of standard input, once.")
    for word in words:
        if word == "-":
            yield from _lines(_standard_input(), "standard input")
        else:
            yield word
    if file is not None:
        from fpsim.plain_file import read_plain_file

        yield from _lines(read_plain_file(file, "words", MAX_BYTES, "a readable text file, a word on each line"), file)


def _standard_input() -> bytes:
    if sys.stdin is None:  # closed by whoever started this process
        raise click.UsageError("There is no standard input to read words from.")
    try:
        return sys.stdin.buffer.read(MAX_BYTES + 1)
    except OSError as error:
        raise click.UsageError(f"Standard input cannot be read: {error.strerror or error}.") from error


def _lines(data: bytes, name: str) -> list[str]:
    """The lines; what follows the last end of a line is a line when it is not empty."""
    from fpsim.errors import InputError

    if len(data) > MAX_BYTES:
        raise InputError(name, "more", f"at most {MAX_BYTES} bytes")
    try:
        lines = data.decode("utf-8-sig").split("\n")
    except UnicodeDecodeError as error:
        raise InputError(name, "bytes that are not UTF-8 text", "words, one on each line") from error
    return [line.removesuffix("\r") for line in (lines if lines[-1] else lines[:-1])]


def _letters(model: Transformer, text: str) -> str | list[str]:
    return text if all(len(letter) == 1 for letter in model.alphabet) else text.split()


def _text(entry: Any) -> str:
    return ", ".join("none" if each is None else str(each) for each in (entry if isinstance(entry, list) else [entry]))


_SHOWN = ("alphabet", "dim", "layers", "heads", "parameters", "precision", "realizations", "mask", "norm_at")


def _description(model: Transformer) -> dict[str, Any]:
    """The description of the model file, with what a person wants to know first."""
    from fpsim.transformer.files.description import describe
    from fpsim.transformer.parameters import parameters

    attentions = [layer.attention for layer in model.layers]
    rotaries = [None if each is None or each.rotary is None else each.rotary.kind.name for each in attentions]
    form, _ = describe(model)
    return {
        "alphabet": list(model.alphabet),
        "dim": model.dim,
        "layers": len(model.layers),
        "heads": [0 if each is None else each.heads for each in attentions],
        "parameters": sum(array.size for array in parameters(model).values()),
        "precision": str(model.precision),
        "realizations": rotaries + ([] if model.position is None else [model.position.kind.name]),
        "mask": model.mask,
        "norm_at": model.norm_at,
        "description": form,
    }
