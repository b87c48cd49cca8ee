"""`fpcert sweep`: one question at every point of a grid, a thin layer over `certify.sweep`."""

from __future__ import annotations

from typing import Any

import click

from fpcert.job_progress import JobProgress
from fpcert.options import debug_option
from fpcert.output import emit

__all__ = ["command"]

INTERRUPTED = 130

_AXES = (
    ("--dtype", "dtype", "F,...", "Value sets: fp16,bf16,e5m10 (default: fp16)."),
    ("--g", "g", "ANGLES", "nmax: angles, 1.0,pi/7 or 0.1:1:10."),
    ("--base", "base", "NUMBERS", "With --dim: bases of the conventional schedule."),
    ("--dim", "dim", "D,...", "With --base: rotary dimensions."),
    ("--config", "config", "MODEL,...", "period: models, by name or config.json, each in every --dtype."),
    ("--length", "length", "L,...", "period: with --config: lengths, for the rope types that depend on it."),
    ("--C", "C", "NUMBERS", "nmax: scales, 40,100 or 10:100:10 or log:10:1e4:50."),
    ("--k", "k", "K,...", "nmax: offsets, each a job of its own (default: 1)."),
    ("--realize", "realize", "KIND,...", "ideal, phase, table, recurrence, counter, array:FILE (default: ideal)."),
    ("--pipeline", "pipeline", "NAME,...", "In place of --realize: real stacks, by name."),
    ("--rotate-dtype", "rotate_dtype", "F,...", "nmax: value sets of the rotation's products and sums."),
    ("--score-dtype", "score_dtype", "F,...", "nmax: value sets of the scores."),
    ("--softmax-dtype", "softmax_dtype", "F,...", "nmax: value sets of the softmax."),
    ("--criterion", "criterion", "NAME,...", "nmax: gap, weight (default: gap)."),
    ("--fma", "fma", "FLAGS", "nmax: true, false (default: false)."),
    ("--order", "order", "ORDER,...", "nmax, modulus: orders of sums (default: sequential)."),
    ("--method", "method", "ROAD,...", "nmax: auto, exhaustive, pruned, bracket (default: auto)."),
    ("--max-length", "max_length", "N,...", "nmax: where a scan ends."),
    ("--max-steps", "max_steps", "N,...", "period: how far the search of a recurrence goes."),
    ("--positions", "positions", "N,...", "period: how many are searched for the first collision."),
    ("--window", "window", "W,...", "period: P-RoPE, positions modulo W."),
    ("--resonance", "resonance", "FLAGS", "period: Resonance RoPE, true, false (default: false)."),
    ("--max", "max", "M,...", "modulus: the greatest that is tried (default: 64)."),
)


def _axis_options(function: Any) -> Any:
    for option, name, metavar, text in reversed(_AXES):
        function = click.option(option, name, metavar=metavar, help=text)(function)
    return function


@click.command(
    "sweep",
    epilog="Example: fpcert sweep nmax --dtype fp16,bf16 --g 1.0,0.1 --C log:10:1e4:50 --k 1,2 -o results.sqlite\n\n"
    "Models: fpcert sweep period --config llama-2-7b,qwen3-8b --dtype bf16 --pipeline all-bf16 -o models.sqlite\n\n"
    "A plan: fpcert sweep --plan plan.toml -o results.sqlite --time-limit 10\n\nOn a cluster: fpcert sweep --plan "
    "plan.toml -o results.sqlite --scheduler tcp://host:8786\n\nThen: fpcert results results.sqlite --where "
    "'n_max>=30'",
)
@click.argument("question", required=False, metavar="[nmax|period|modulus]")
@click.option("--plan", metavar="FILE", help="The question and its axes in a file: .toml, .yaml or .yml.")
@_axis_options
@click.option(
    "--theta", multiple=True, metavar="ANGLE[,ANGLE...]",
    help="The angles of a head of many pairs; each --theta is one value of the axis. lo:hi:n: heads of one pair.",
)  # fmt: skip
@click.option("--jobs", type=int, metavar="N", help="Worker processes (default: one for each core).")
@click.option("--scheduler", metavar="ADDR", help="Run on a dask cluster: tcp://host:port.")
@click.option("--time-limit", metavar="SECONDS", help="For each job; one that takes longer is a row with that reason.")
@click.option(
    "--retry", metavar="STATUS[,STATUS...]",
    help="Do the jobs of these statuses again: undecided, unsupported, error, timeout.",
)  # fmt: skip
@click.option("--dry-run", is_flag=True, help="Say what would be done, and do nothing.")
@click.option("--json", "as_json", is_flag=True, help="The summary as one JSON object instead of text.")
@click.option("-o", "file", metavar="FILE", help="The results file (SQLite), which is made or gone on with.")
@click.option("--quiet", is_flag=True, help="No progress and no notes.")
@debug_option
def command(
    question: str | None,
    plan: str | None,
    theta: tuple[str, ...],
    jobs: int | None,
    scheduler: str | None,
    time_limit: str | None,
    retry: str | None,
    dry_run: bool,
    as_json: bool,
    file: str | None,
    quiet: bool,
    **axes: str | None,
) -> int:
    """Ask nmax, period or modulus at every point of a grid, on all cores, and keep the answers in one file.

    An axis is a list a,b,c, a range lo:hi:n of n values with both ends, or log:lo:hi:n at equal ratios. Results reach
    the file as they come: the same command goes on where a killed one stopped, and no job is done twice. A job that
    cannot be answered is a row with its reason.
    """
    from certify.sweeping.compute import plan_of, sweep_plan
    from certify.sweeping.plan_file import read_time_limit

    if question is None and plan is None:
        raise click.UsageError("Give a question (nmax, period or modulus) and its axes, or --plan FILE.")
    chosen, limit = plan_of(question, plan, {**axes, "theta": list(theta) or None})
    limit = limit if time_limit is None else read_time_limit(time_limit)
    if dry_run:
        shown = chosen.to_json()
        text = f"{chosen}\nNothing was done: this was a dry run."
        emit(shown, as_json, None, text=text)
        return 0
    if file is None:
        raise click.UsageError("Give the results file: -o FILE.")
    with JobProgress("jobs", total=chosen.size, quiet=quiet) as progress:
        seen = 0

        def report(done: int, _total: int) -> None:
            nonlocal seen
            progress.advance(done - seen)
            seen = done

        result = sweep_plan(
            chosen, file, jobs=jobs, scheduler=scheduler, time_limit=limit,
            retry=[part.strip() for part in retry.split(",")] if retry else (), progress=report,
        )  # fmt: skip
    emit(result.to_json(), as_json, None, text=str(result))
    return INTERRUPTED if result.interrupted else 0
