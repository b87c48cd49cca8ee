"""`fpcert round F VALUE...`: exact values, their neighbours in F and what they round to."""

from __future__ import annotations

import click

from fpcert.options import common_options
from fpcert.output import emit

__all__ = ["command"]


@click.command(
    "round",
    context_settings={"ignore_unknown_options": True},  # so that -17.3 is a value
    epilog="Example: fpcert round fp16 0.1 2049 'exp(-17.3)' 'cos(44)'",
)
@click.argument("value_set", metavar="F")
@click.argument("values", metavar="VALUE...", nargs=-1, required=True)
@common_options
def command(
    value_set: str,
    values: tuple[str, ...],
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> None:
    """Round exact values into F.

    VALUE is a decimal, p/q or hexadecimal float, inf, nan, or exp(x), sqrt(x), sin(a), cos(a) of a number x or an
    angle a such as 2pi/3. Nothing passes through binary64: 0.1 is one tenth. Under stochastic rounding the values are
    operations 0, 1, 2...
    """
    for argument in (value_set, *values):
        if argument.startswith("--"):  # no number, so an option that click was told to let pass
            raise click.NoSuchOption(argument, ctx=click.get_current_context())
    from fpsim.neighbours import rounding_facts
    from fpsim.valueset_text import value_set as parse

    chosen = parse(value_set)
    rows = [rounding_facts(chosen, value, operation=place) for place, value in enumerate(values)]
    emit(
        {"format": chosen.name, "values": [row.to_json() for row in rows]},
        as_json,
        output_file,
        text="\n\n".join(str(row) for row in rows),
    )
