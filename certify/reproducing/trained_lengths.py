"""Tables 4 and 5 of arXiv:2608.11909 as data: to which length its trained transformers were perfect."""

from __future__ import annotations

import csv
from dataclasses import dataclass
from importlib.resources import files

from fpsim.errors import InputError

__all__ = ["TrainedLengths", "paper_table"]


@dataclass(frozen=True)
class TrainedLengths:
    """One row: 5 seeds and 3 learning rates of one language, encoding and base (App. E of the paper).

    language: as printed.  encoding: "NoPE", "RoPE_NP" (every pair rotated) or "SiPE_NP".  base: of the conventional
    schedule, as a text that `nmax` takes; None for NoPE.  accuracy: over the test lengths 41 .. 500.  N_star: the
    longest perfect length, the largest N with accuracy 100% at every tested length through N.  Of both the largest, the
    mean and the standard deviation over the 15 runs, as printed.  A run that errs at length 41 counts as 0: values are
    0, or 41 to 500.
    """

    table: int
    language: str
    encoding: str
    base: str | None
    accuracy_max: float
    accuracy_mean: float
    accuracy_std: float
    N_star_max: float
    N_star_mean: float
    N_star_std: float


def paper_table(number: int) -> tuple[TrainedLengths, ...]:
    """The rows of Table 4 or Table 5, in the order in which they are printed.  `InputError` for another number.

    >>> first = paper_table(5)[1]
    >>> first.language, first.encoding, first.base, first.N_star_mean
    ('Σ*a', 'RoPE_NP', '1e-12', 95.0)
    """
    if number not in (4, 5):
        raise InputError("table", number, "4 or 5; the others are done again by certify.reproduce")
    text = files("certify.reproducing").joinpath("tables_4_and_5.csv").read_text("utf-8")
    rows = csv.DictReader(line for line in text.splitlines() if not line.startswith("#"))
    return tuple(_row(row) for row in rows if row["table"] == str(number))


def _row(row: dict[str, str]) -> TrainedLengths:
    table, language, encoding, base, *numbers = row.values()
    return TrainedLengths(int(table), language, encoding, base or None, *map(float, numbers))
