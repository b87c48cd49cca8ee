"""The jobs and the whole answers of a results file: those of some rows together, compressed.

One answer is some hundred bytes, most of which are the same in the next: 64 together take about a fifteenth of the
room.  What a filter reads then lies close together, and that is what its time depends on where the file is not yet in
memory.
"""

from __future__ import annotations

import zlib
from collections.abc import Iterable

__all__ = ["TOGETHER", "Detail", "pack", "unpack"]

TOGETHER = 64  # rows: to find one, all are unpacked

Detail = tuple[str, str | None]


def pack(rows: Iterable[tuple[int, Detail]]) -> bytes:
    """(The number of a row, (its job, its answer or None)), both as JSON without line ends or tabs, as one piece.

    >>> unpack(pack([(7, ('{"k":1}', "[1,2]")), (9, ("{}", None))]))
    {7: ('{"k":1}', '[1,2]'), 9: ('{}', None)}
    """
    lines = (f"{number}\t{job}\t{'' if answer is None else answer}" for number, (job, answer) in rows)
    return zlib.compress("\n".join(lines).encode())


def unpack(packed: bytes) -> dict[int, Detail]:
    """What `pack` was given.  Raises `ValueError` for anything else."""
    try:
        lines = zlib.decompress(packed).decode().split("\n")
    except zlib.error as error:
        raise ValueError(str(error)) from error
    found: dict[int, Detail] = {}
    for line in lines:
        number, job, answer = line.split("\t")
        found[int(number)] = (job, answer or None)
    return found
