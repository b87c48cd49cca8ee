"""`fpcert report`: a results file as one web page."""

from __future__ import annotations

import click

from fpcert.options import common_options
from fpcert.output import emit, write

__all__ = ["command"]


@click.command("report", epilog="Example: fpcert report results.sqlite -o report.html --where dtype=fp16")
@click.argument("file", metavar="FILE")
@click.option("--where", multiple=True, metavar="CONDITION", help="Which rows, as for `fpcert results`.")
@click.option("--title", metavar="TEXT", help="The title of the page.")
@common_options
def command(
    file: str, where: tuple[str, ...], title: str | None, as_json: bool, output_file: str | None, quiet: bool
) -> None:
    """Write a results file as one web page: a sortable table, curves and heatmaps to choose, no network needed.

    JSON: {"file", "bytes", "rows"}, with the page in the file given with -o.
    """
    from certify.sweeping.answers import results
    from certify.sweeping.report import report_page

    del quiet  # it says nothing but its result
    if as_json and output_file is None:
        raise click.UsageError("With --json the page needs a file: -o FILE.")
    with results(file) as answers, answers.snapshot():
        page = report_page(answers, where=where, title=title)
        rows = answers.count(where) if as_json else 0
    write(page, output_file)
    if as_json:
        emit({"file": output_file, "bytes": len(page.encode()), "rows": rows}, True, None)
