"""A table done again: what was found beside what is printed, and where they differ."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

__all__ = ["PAPER", "Reproduction", "Row"]

PAPER = "arXiv:2608.11909"


@dataclass(frozen=True)
class Row:
    """One line: its cells by column; what is printed, in words; whether that is what was found (None: not decided)."""

    cells: dict[str, Any]
    printed: str
    agrees: bool | None
    note: str = ""


@dataclass(frozen=True)
class Reproduction:
    """title: which table.  rows: its lines.  notes: what should be known when reading it."""

    table: str
    title: str
    rows: tuple[Row, ...]
    notes: tuple[str, ...] = ()
    interrupted: bool = False

    @property
    def differences(self) -> tuple[Row, ...]:
        """The lines that do not agree with the paper."""
        return tuple(row for row in self.rows if row.agrees is False)

    @property
    def undecided(self) -> bool:
        """Whether a line is not decided."""
        return self.interrupted or any(row.agrees is None for row in self.rows)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert reproduce --json`, as a dictionary."""
        rows = [
            {
                **{name.replace(" ", "_").replace("*", "_star"): cell for name, cell in row.cells.items()},
                "printed": row.printed,
                "agrees": row.agrees,
                "note": row.note or None,
            }
            for row in self.rows
        ]
        return {
            "table": self.table,
            "title": self.title,
            "source": PAPER,
            "rows": rows,
            "differences": len(self.differences),
            "notes": list(self.notes),
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        columns = list(dict.fromkeys(name for row in self.rows for name in row.cells))
        head = [*columns, "printed", ""]
        body = [[*(_text(row.cells.get(name)) for name in columns), row.printed, _verdict(row)] for row in self.rows]
        widths = [max(len(line[n]) for line in [head, *body]) for n in range(len(head))]
        lines = [f"{self.title} ({PAPER})", ""]
        padded = ([f"{cell:{width}}" for cell, width in zip(line, widths, strict=True)] for line in [head, *body])
        lines += ["  ".join(line).rstrip() for line in padded]
        lines += ["", *(f"{row.cells[columns[0]]}: {row.note}" for row in self.rows if row.note)]
        lines += list(self.notes)
        if self.interrupted:
            lines.append("The work was ended before its time: the last rows are missing.")
        return "\n".join(lines)


def _text(cell: Any) -> str:
    if cell is None:
        return "-"
    if isinstance(cell, bool):
        return "yes" if cell else "no"
    return str(cell)


def _verdict(row: Row) -> str:
    return {True: "agrees", False: "DIFFERS", None: "undecided"}[row.agrees]
