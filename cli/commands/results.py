"""`fpcert results`: what is in a results file, a thin layer over `certify.results`."""

from __future__ import annotations

import io
from typing import TYPE_CHECKING, Any, Literal

import click

from fpcert.options import common_options
from fpcert.output import emit, note, write
from fpcert.plotting import check_file
from fpsim.errors import printable

if TYPE_CHECKING:
    from certify.sweeping.answers import Answers

__all__ = ["command"]

_WIDEST = 60  # characters of a cell of the table


@click.command(
    "results",
    epilog="Example: fpcert results results.sqlite --where dtype=fp16 --where 'n_max>=30' --sort=-n_max --limit 10\n\n"
    "What failed: fpcert results results.sqlite --where 'status!=ok' --columns g,C,status,reason --format csv",
)
@click.argument("file", metavar="FILE")
@click.option(
    "--format", "form", type=click.Choice(["table", "csv", "json", "parquet"]), default="table", show_default=True,
    help="How rows are written; parquet needs -o and the extra data.",
)  # fmt: skip
@click.option(
    "--where", multiple=True, metavar="CONDITION",
    help="COLUMN=VALUE, also != < <= > >= and ~ (contains); VALUE|VALUE: one of these; null: absent; 'VALUE': as it "
    "stands. All must hold.",
)  # fmt: skip
@click.option("--columns", metavar="NAME[,NAME...]", help="Which columns (default: those with a value).")
@click.option("--sort", metavar="[-]NAME[,...]", help="By which columns, with - the greatest first.")
@click.option("--limit", type=click.IntRange(min=0), metavar="N", help="At most so many rows.")
@click.option("--details", is_flag=True, help="With JSON: the job and the whole answer of each row too.")
@click.option("--curves", metavar="FILE", callback=check_file, help="Draw curves: FILE.png, FILE.svg or FILE.pdf.")
@click.option("--heatmap", metavar="FILE", callback=check_file, help="Draw a heatmap.")
@click.option(
    "--components", metavar="FILE", callback=check_file, help="Of periods: draw where each component repeats."
)
@click.option(
    "--plot-axes", default="C,n_max,dtype", show_default=True, metavar="X,Y,BY",
    help="Of curves and heatmap: the columns across, of the values, and of the curves or lines of cells.",
)  # fmt: skip
@common_options
def command(
    file: str,
    form: Literal["table", "csv", "json", "parquet"],
    where: tuple[str, ...],
    columns: str | None,
    sort: str | None,
    limit: int | None,
    details: bool,
    curves: str | None,
    heatmap: str | None,
    components: str | None,
    plot_axes: str,
    as_json: bool,
    output_file: str | None,
    quiet: bool,
) -> None:
    """Show the rows of a results file, filtered and sorted; also while a sweep is writing it.

    Numbers are exact: C=1/3 finds that scale and no neighbour. JSON: {"count", "results"}, count being how many rows
    meet the conditions.
    """
    from certify.sweeping.answers import results

    form = "json" if as_json else form
    if form == "parquet" and output_file is None:
        raise click.UsageError("Parquet is no text: name a file with -o FILE.")
    if details and form != "json":
        raise click.UsageError("--details are for --format json.")
    found: Any = None
    with results(file) as answers, answers.snapshot():
        if curves or heatmap:
            _draw(answers, where, plot_axes, curves, heatmap)
        if components:
            from certify.plots.component_map import component_figure, component_map
            from certify.plots.figure_file import save_figure

            save_figure(component_figure(component_map(answers, where=where)), components)
        chosen: dict[str, Any] = {"columns": columns, "sort": sort, "limit": limit}
        if form == "parquet":
            found = answers.write_parquet(str(output_file), where, **chosen)
        elif form == "csv":
            text = io.StringIO()
            answers.write_csv(text, where, **chosen)
            found = text.getvalue()
        elif form == "json":
            rows = list(answers.rows(where, details=details, **chosen))
            found = {"count": len(rows) if limit is None else answers.count(where), "results": rows}
        else:
            found = _table(answers, where, chosen)
    # A reader of our output may take its time: the file is closed, or it would keep a sweep from beginning.
    if form == "parquet":
        note(f"{found:,} rows written to {output_file}", quiet=quiet)
    elif form == "json":
        emit(found, True, output_file)
    else:
        write(found, output_file)


def _draw(answers: Answers, where: tuple[str, ...], plot_axes: str, curves: str | None, heatmap: str | None) -> None:
    from certify.plots.figure_file import save_figure
    from certify.plots.sweep_data import sweep_grid
    from certify.plots.sweep_figure import sweep_curves, sweep_heatmap

    parts = [part.strip() for part in plot_axes.split(",")]
    if len(parts) != 3:
        raise click.UsageError(
            "--plot-axes are three columns: across, the values, one curve for each, as C,n_max,dtype."
        )
    x, y, by = parts
    grid = sweep_grid(answers, x=x, y=y, by=by, where=where)
    for name, draw in ((curves, sweep_curves), (heatmap, sweep_heatmap)):
        if name is not None:
            save_figure(draw(grid), name)


def _table(answers: Answers, where: tuple[str, ...], chosen: dict[str, Any]) -> str:
    """Aligned columns.  Where none were asked for, what is the same in every row stands once, above."""
    names = [column.name for column in answers.columns(chosen["columns"])]
    rows = list(answers.rows(where, exact=True, **chosen | {"columns": names or None}))
    count = len(rows) if chosen["limit"] is None else answers.count(where)
    above = []
    if chosen["columns"] is None and len(rows) > 1:
        same = [name for name in names if all(row[name] == rows[0][name] for row in rows)]
        known = [f"{name} {_cell(rows[0][name])}" for name in same if rows[0][name] is not None]
        of = "every row" if len(rows) == count else "the rows shown"
        above = [f"in {of}: {', '.join(known)}", ""] if known else []
        names = [name for name in names if name not in (*same, *_repeated(rows))]
    cells = [names, *([_cell(row[name]) for name in names] for row in rows)]
    widths = [max(map(len, column)) for column in zip(*cells, strict=True)]
    lines = ["  ".join(f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)).rstrip() for line in cells]
    closing = f"{len(rows):,} of {count:,} rows" if len(rows) < count else f"{count:,} row{'s' * (count != 1)}"
    return "\n".join([*above, *(lines if rows else ()), *([""] if rows else ()), closing])


def _repeated(rows: list[dict[str, Any]]) -> list[str]:
    """The ends of the range, where every answer is exact."""
    ends: list[str] = [name for name in ("lower", "upper") if name in rows[0]]
    repeated = "n_max" in rows[0] and all(row["n_max"] == row[name] for row in rows for name in ends)
    return ends if repeated else []


def _cell(value: Any) -> str:
    if value is None:
        return "-"
    text = printable(str(value).lower() if isinstance(value, bool) else str(value))
    return text if len(text) <= _WIDEST else f"{text[: _WIDEST - 3]}..."
