"""`reproduce`: a table of the paper by its name."""

from __future__ import annotations

from typing import Any

from certify.reproducing.reproduction import Reproduction
from fpsim.errors import InputError

__all__ = ["TABLES", "reproduce"]

TABLES = ("table1", "table2", "table3")


def reproduce(table: str, **options: Any) -> Reproduction:
    """Table 1 (with footnote 4, Prop. B.2 and B.3), 2 (its construction side) or 3 of arXiv:2608.11909.

    options: those of `table2` (words, first, last, formats, seed, threads, progress) and `table3` (random, seed).
    Raises `InputError` for another name.

    >>> reproduce("table1").differences
    ()
    """
    if table == "table1":
        from certify.reproducing.classes_table import table1

        return table1(**options)
    if table == "table2":
        from certify.reproducing.constructions import table2

        return table2(**options)
    if table == "table3":
        from certify.reproducing.equivalences import table3

        return table3(**options)
    raise InputError("table", table, ", ".join(TABLES))
