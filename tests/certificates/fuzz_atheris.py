"""Fuzz the checker with atheris (libFuzzer), guided by coverage; run by hand, for as long as one likes.

    pip install atheris
    python tests/certificates/fuzz_atheris.py [options of libFuzzer, such as -max_total_time=120] [FOLDER OF FINDINGS]

The corpus is where it starts.  Half of the mutations change bytes; the other half parse the certificate, change one
field, and write it in canonical form, so that what follows the reader is reached too.  Whatever is verified must
not be what the producer's code finds to be false.  libFuzzer writes an input that breaks this to a file, and stops.
"""

from __future__ import annotations

import json
import random
import sys
import tempfile
from itertools import islice
from pathlib import Path

import atheris

with atheris.instrument_imports(include=["certify.checker"]):
    from certify.checker import check_bytes

from mutations import canonical, mutants
from oracle import UNKNOWN, truth

HERE = Path(__file__).parent
WORK = 5_000
KNOWN = {canonical(json.loads(path.read_bytes())["claim"]) for path in (HERE / "good").glob("*.json")}


def test_one_input(data: bytes) -> None:
    """One input: a verdict, and no false one."""
    report = check_bytes(data, WORK)
    if report.exit_code not in {0, 1, 2, 3, 4}:
        raise RuntimeError(str(report))
    if report.verdict != "verified":
        return
    claim = json.loads(data)["claim"]
    if canonical(claim) not in KNOWN and truth(claim) not in (True, UNKNOWN):
        raise RuntimeError(f"verified, but the producer says {truth(claim)}: {report}")


def mutate(data: bytes, max_size: int, seed: int) -> bytes:
    """Another input made from this one."""
    if seed % 2 == 0:
        try:
            document = json.loads(data)
        except (ValueError, RecursionError):
            document = None
        if isinstance(document, dict):
            chosen = next(islice(mutants(document), random.Random(seed).randrange(400), None), None)
            if chosen is not None and len(chosen.data) <= max_size:
                return chosen.data
    return bytes(atheris.Mutate(data, max_size))


def main() -> None:
    """Run until an option says to stop, or something is found."""
    folders = [argument for argument in sys.argv[1:] if not argument.startswith("-")]
    with tempfile.TemporaryDirectory() as findings:
        arguments = [*sys.argv, *([] if folders else [findings]), str(HERE / "good"), str(HERE / "bad")]
        atheris.Setup(arguments, test_one_input, custom_mutator=mutate)
        atheris.Fuzz()


if __name__ == "__main__":
    main()
