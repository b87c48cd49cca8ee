"""`fpcert reproduce`: a table of the paper done again, a thin layer over `certify.reproduce`."""

from __future__ import annotations

import re
from typing import Any

import click

from fpcert.options import common_options
from fpcert.output import emit
from fpcert.progress import Progress

__all__ = ["command"]

UNDECIDED = 3


def _lengths(_ctx: click.Context, _parameter: click.Parameter, value: str | None) -> tuple[int, int] | None:
    if value is None:
        return None
    match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9})", value, re.ASCII)
    if match is None:
        raise click.BadParameter(f"{value!r} is no range of lengths; give one such as 41-500.")
    return int(match[1]), int(match[2])


@click.command(
    "reproduce",
    epilog="Example: fpcert reproduce table1\n\nFewer words, one format: fpcert reproduce table2 --words 64 --lengths "
    "41-120 --dtype fp16",
)
@click.argument("table", type=click.Choice(["table1", "table2", "table3"]))
@click.option("--words", type=click.IntRange(1), metavar="N", help="table2: words of each length [default: 512].")
@click.option("--lengths", metavar="A-B", callback=_lengths, help="table2: lengths of words [default: 41-500].")
@click.option("--dtype", "formats", multiple=True, metavar="F", help="table2: a format [default: fp16, bf16 and fp32].")
@click.option("--random", type=click.IntRange(0), metavar="N", help="table3: random languages [default: 200].")
@click.option("--seed", type=int, metavar="S", help="table2, table3: chooses words and languages [default: 0].")
@common_options
def command(
    table: str,
    words: int | None,
    lengths: tuple[int, int] | None,
    formats: tuple[str, ...],
    random: int | None,
    seed: int | None,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> int:
    """Do a TABLE of the paper again and name every difference.

    table1: the classes of its languages, with footnote 4, Prop. B.2 and B.3. table2: models compiled for (aa)* and
    (ab)*, on words of lengths 41-500 and at all lengths. table3: what characterizes LTL[P] and LTL[P, MOD], column by
    column.
    """
    from certify.reproducing.compute import reproduce

    first, last = lengths or (None, None)
    names = [name for text in formats for name in text.split(",")]
    given: dict[str, Any] = {
        "words": words, "first": first, "last": last, "formats": tuple(names) or None, "random": random, "seed": seed,
    }  # fmt: skip
    allowed = {"table1": set(), "table2": {"words", "first", "last", "formats", "seed"}, "table3": {"random", "seed"}}
    options = {name: value for name, value in given.items() if value is not None}
    for name in options:
        if name not in allowed[table]:
            shown = {"first": "lengths", "last": "lengths", "formats": "dtype"}.get(name, name)
            raise click.UsageError(f"--{shown} means nothing for {table}.")
    with Progress("words", quiet=quiet) as progress:
        if table == "table2":
            seen = 0

            def report(done: int, _total: int) -> None:
                nonlocal seen
                progress.advance(done - seen)
                seen = done

            options["progress"] = report
        result = reproduce(table, **options)
    emit(result.to_json(), as_json, output_file, text=str(result))
    return UNDECIDED if result.undecided else 0
