"""How long certificates are, and how long the checker takes for them and for hostile files.

    python benchmarks/certificates.py

Run by hand, on an idle machine; the figures of the README come from here.  Each file is checked by the checker alone
(`python -I certify/checker FILE`), in a process of its own: seconds are those of its processor time, the start of
Python included, and memory is the greatest resident size.  The hostile files are those of
tests/certificates/hostile.py.
"""

from __future__ import annotations

import os
import platform
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterable
from pathlib import Path

import certify
from certify.certificates.ranges import range_certificate
from certify.certified_range.compute import nmax_of
from certify.certified_range.question import Question, parse_scale
from fpsim.angle import Angle
from fpsim.realization import parse_kind
from fpsim.regime import Regime

CHECKER = Path(certify.__file__).parent / "checker"
CORPUS = Path(__file__).parents[1] / "tests" / "certificates"

# name, arguments of the question, most seconds
NUMBERS = (
    ("fp16, g=1, C=10^4", ("1", 10**4, "fp16"), 2),
    ("bf16, g=1, C=10^4", ("1", 10**4, "bf16"), 2),
    ("fp32, g=1/10, C=10^9", ("1/10", 10**9, "fp32"), 60),
    ("fp64, g=1, C=10^18", ("1", 10**18, "fp64"), 1),
    ("fp128, g=1, C=10^37", ("1", 10**37, "fp128"), 1),
    ("fp32 by phase, the same", ("1/10", 10**9, "fp32", "phase"), 60),
)
MOST_BYTES, HOSTILE_SECONDS, HOSTILE_MB = 4096, 2, 256


# A process of its own between this one and the checker: the memory of a process counts that of the one that made it.
LAUNCHER = """
import os, sys
process = os.spawnv(os.P_NOWAIT, sys.executable, [sys.executable, "-I", *sys.argv[1:]])
used = os.wait4(process, 0)[2]
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def checked(file: Path) -> tuple[str, float, float]:
    """(verdict, seconds of processor time, MB) of one check."""
    command = [sys.executable, "-I", "-c", LAUNCHER, CHECKER, file]
    *_, last, used = subprocess.run(command, check=True, capture_output=True, text=True).stdout.splitlines()
    seconds, kilobytes = used.split()
    return last.split()[0].partition("=")[2], float(seconds), int(kilobytes) / 1024


def best(file: Path, times: int = 3) -> tuple[str, float, float]:
    """The fastest of several checks."""
    return min((checked(file) for _ in range(times)), key=lambda found: found[1])


def certificate(g: str, scale: int, dtype: str, realize: str = "ideal") -> tuple[bytes, float]:
    """The certificate of a range, and how long it took to find and write."""
    begin = time.perf_counter()
    question = Question(Angle.parse(g), parse_scale(scale), 1, Regime.of(dtype), parse_kind(realize))
    return range_certificate(question, nmax_of(question)), time.perf_counter() - begin


def numbers(folder: Path) -> None:
    """The numbers that are promised."""
    print(f"{'certificate':24} {'bytes':>6} {'written in':>11} {'checked in':>11} {'promised':>9}  verdict")
    for name, asked, promised in NUMBERS:
        data, seconds = certificate(*asked)
        (folder / "number.json").write_bytes(data)
        verdict, taken, _ = best(folder / "number.json")
        print(f"{name:24} {len(data):6} {seconds:9.2f} s {taken:9.2f} s {promised:7} s  {verdict}")
    file = CORPUS / "good" / "period-recurrence-leaves-F-fp16-0.01.json"
    verdict, taken, _ = best(file, 1)
    print(f"{'221,445 states in fp16':24} {file.stat().st_size:6} {'':11} {taken:9.2f} s {'':9}  {verdict}")


def corpus() -> None:
    """The good files, by what they claim."""
    print(f"\n{'corpus':24} {'files':>6} {'most bytes':>11} {'seconds, all':>13} {'longest':>9}")
    for kind in ("flarge-", "nmax-", "period-"):
        files = sorted((CORPUS / "good").glob(f"{kind}*.json"))
        found = {file.stem: checked(file) for file in files}
        slowest = max(found, key=lambda name: found[name][1])
        total = sum(taken for _, taken, _ in found.values())
        size = max(file.stat().st_size for file in files)
        print(f"{kind:24} {len(files):6} {size:11} {total:13.2f} {found[slowest][1]:7.2f} s  {slowest}")
        wrong = [name for name, (verdict, _, _) in found.items() if verdict != "verified"]
        print(f"{'':24} not verified: {', '.join(wrong) or 'none'}; promised are at most {MOST_BYTES} bytes")


def hostile(folder: Path, files: Iterable[tuple[str, bytes, tuple[str, ...]]]) -> None:
    """The files that are made to exhaust a reader."""
    found = {}
    for name, data, verdicts in files:
        (folder / "hostile.json").write_bytes(data)
        found[name] = checked(folder / "hostile.json")
        if found[name][0] not in verdicts:
            print(f"{name}: {found[name][0]}, not {' or '.join(verdicts)}")
    slowest = max(found, key=lambda name: found[name][1])
    largest = max(found, key=lambda name: found[name][2])
    print(f"\n{len(found)} hostile files, promised are {HOSTILE_SECONDS} s and {HOSTILE_MB} MB each:")
    print(f"  longest  {found[slowest][1]:7.2f} s   {slowest}")
    print(f"  largest  {found[largest][2]:7.0f} MB  {largest}")


def main() -> None:
    """Print the three tables."""
    print(f"Python {platform.python_version()}, {platform.platform()}, {os.cpu_count()} cores\n")
    sys.path.insert(0, str(CORPUS))
    from hostile import hostile_files

    with tempfile.TemporaryDirectory() as folder:
        numbers(Path(folder))
        corpus()
        hostile(Path(folder), hostile_files())


if __name__ == "__main__":
    main()
