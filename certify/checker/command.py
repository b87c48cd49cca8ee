"""The command: reads files, prints a report for each, and ends with the exit code of the worst."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence

from .canonical import MAX_BYTES
from .report import MAX_WORK, Report, check_bytes, unchecked

__all__ = ["main"]

_CODES = """Exit code: 0 all verified, 1 some refuted, 2 malformed or unreadable, 3 undecided, 4 unsupported (the worst
of several files, in this order), 70 internal error, 130 interrupted."""
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
    arguments = parser.parse_args(argv)
    codes = set()
    try:
        for file in arguments.files:
            report = _check(file, arguments.max_work)
            sys.stdout.write(f"{report}\n")
            sys.stdout.flush()
            codes.add(report.exit_code)
    except KeyboardInterrupt:
        sys.stderr.write("interrupted\n")
        return 130
    return next(code for code in _WORST_FIRST if code in codes)


def _check(file: str, max_work: int) -> Report:
    try:
        if file == "-":
            data = sys.stdin.buffer.read(MAX_BYTES + 1)
        else:
            with open(file, "rb") as stream:  # noqa: PTH123 - pathlib would double the time to start
                data = stream.read(MAX_BYTES + 1)
    except (OSError, ValueError) as error:
        return unchecked("malformed", f"the file cannot be read: {error}", file)
    try:
        return check_bytes(data, max_work, file)
    except Exception as error:  # noqa: BLE001 - whatever goes wrong, it is not "verified"
        return unchecked("internal-error", f"{type(error).__name__}: {error}", file)
