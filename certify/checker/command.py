"""The command: reads files, prints a report for each, and ends with the exit code of the worst."""

from __future__ import annotations

import argparse
import os
import stat
import sys
from collections.abc import Sequence

from .canonical import MAX_BYTES
from .modelfile import MAX_BYTES as MODEL_BYTES
from .report import MAX_WORK, Report, check_bytes, unchecked

__all__ = ["main", "read_file"]

_CODES = """Exit code: 0 all verified, 1 some refuted, 2 malformed or unreadable, 3 undecided, 4 unsupported (the worst
of several files, in this order), 70 internal error or no way to write the report, 130 interrupted, 141 no reader."""
_WORST_FIRST = (70, 1, 2, 3, 4, 0)


def main(argv: Sequence[str] | None = None) -> int:
    """Check the files that the arguments name; the exit code."""
    parser = argparse.ArgumentParser("check", description="Check certificates (docs/certificates.md).", epilog=_CODES)
    parser.add_argument("files", nargs="+", metavar="FILE", help="a certificate; - is standard input")
    parser.add_argument(
        "--max-work",
        type=int,
        default=MAX_WORK,
        metavar="N",
        help="units of one realized value or score that each file may take (default %(default)s)",
    )
    parser.add_argument(
        "--model",
        "--array",
        dest="beside",
        action="append",
        default=[],
        metavar="FILE",
        help="the file of a model, or of realized blocks, that a claim names; repeatable",
    )
    arguments = parser.parse_args(argv)
    codes = set()
    try:
        try:
            beside = [read_file(file, MODEL_BYTES) for file in arguments.beside]
        except (OSError, ValueError) as error:
            parser.error(f"a file beside the certificates cannot be read: {error}")
        for file in arguments.files:
            report = _check(file, arguments.max_work, beside)
            print(report, flush=True)  # noqa: T201 - the report; nothing where standard output is closed
            codes.add(report.exit_code)
    except KeyboardInterrupt:
        print("interrupted", file=sys.stderr)  # noqa: T201
        return 130
    except OSError as error:
        os.dup2(os.open(os.devnull, os.O_WRONLY), 1)  # else the interpreter tries to write the rest, and complains
        if isinstance(error, BrokenPipeError):
            return 141  # as for a program that is ended by SIGPIPE
        print(f"the report cannot be written: {error}", file=sys.stderr)  # noqa: T201
        return 70
    return next(code for code in _WORST_FIRST if code in codes)


def read_file(file: str, most: int = MAX_BYTES) -> bytes:
    """The first bytes of a file, as many as a certificate has at most and one more; "-" is standard input.

    Raises OSError, also for what is no regular file: a pipe without a writer would be waited for.
    """
    if file == "-":
        if sys.stdin is None:
            raise OSError("standard input is closed")
        return sys.stdin.buffer.read(most + 1)
    if not stat.S_ISREG(os.stat(file).st_mode):  # noqa: PTH116 - pathlib would double the time to start
        raise OSError("it is no regular file; a pipe is read as -, from standard input")
    with open(file, "rb") as stream:  # noqa: PTH123
        return stream.read(most + 1)


def _check(file: str, max_work: int, beside: list[bytes]) -> Report:
    try:
        data = read_file(file)
    except (OSError, ValueError) as error:
        return unchecked("malformed", f"the file cannot be read: {error}", file)
    try:
        return check_bytes(data, max_work, file, beside)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong, it is not "verified"
        return unchecked("internal-error", f"{type(error).__name__}: {error}", file)
