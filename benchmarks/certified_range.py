"""How fast the exhaustive road is, beside the same loop in NumPy, and how long the command takes.

    python benchmarks/certified_range.py

Run by hand, on an idle machine; the figures of the README come from here.  The NumPy loop does one row of pairs at a
time in float16 or float32, rounding each operation as NumPy does: for fp32 that is the hardware's rounding, for fp16
each operation is computed in binary32 and rounded, which is the same (2p + 2 <= 24).  Both scan rows of the same heads
that do not fail.
"""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
import time

import numpy as np
from gmpy2 import mpq

from certify.certified_range.fast_rows import FastRows
from certify.certified_range.question import Question
from fpsim.angle import Angle
from fpsim.regime import Regime

ROWS = {
    "fp16": (20_000, 24_000),
    "fp32": (20_000, 24_000),
    "bf16": (20_000, 24_000),
    "fp64": (20_000, 24_000),
    "nf4": (4000, 5000),
}


def rate_of_kernel(dtype: str, start: int, stop: int) -> tuple[float, FastRows]:
    """Pairs per second of the compiled walk; a threshold of -inf keeps every row from failing."""
    from certify.certified_range.pair_scan import first_failing_row

    question = Question(Angle.parse("1"), mpq(1), 1, Regime.of(dtype))
    rows = FastRows(question)
    rows._grow(stop)
    arguments = (rows._score, rows._how, rows._q0, rows._q1, rows._c, rows._s, 1)
    first_failing_row(*arguments, 2, 3, -np.inf)
    best = np.inf
    for _ in range(3):
        begin = time.perf_counter()
        assert first_failing_row(*arguments, start, stop, -np.inf) == -1
        best = min(best, time.perf_counter() - begin)
    return _pairs(start, stop) / best, rows


def rate_of_numpy(dtype: str, rows: FastRows, start: int, stop: int) -> float:
    """Pairs per second of the same rows in NumPy."""
    kind = {"fp16": np.float16, "fp32": np.float32, "fp64": np.float64}[dtype]
    q0, q1, c, s = (array.astype(kind) for array in (rows._q0, rows._q1, rows._c, rows._s))
    begin = time.perf_counter()
    failing = 0
    for i in range(start, stop):
        scores = q0[i] * c[:i] + q1[i] * s[:i]
        failing += not np.all(scores[i - 1] - scores >= -np.inf)
    assert failing == 0
    return _pairs(start, stop) / (time.perf_counter() - begin)


def _pairs(start: int, stop: int) -> int:
    return (stop * (stop - 1) - start * (start - 1)) // 2


def seconds(*command: str, **environment: str) -> float:
    """Wall time of a command of its own process."""
    begin = time.perf_counter()
    subprocess.run(
        [sys.executable, "-m", "fpcert", *command], check=True, capture_output=True, env=os.environ | environment
    )
    return time.perf_counter() - begin


def main() -> None:
    """Print both tables."""
    print(f"{'exhaustive road':16} {'pairs/s/core':>14} {'NumPy':>14} {'ratio':>7}")
    for dtype, (start, stop) in ROWS.items():
        ours, rows = rate_of_kernel(dtype, start, stop)
        if dtype in ("fp16", "fp32", "fp64"):
            short = (start, start + (stop - start) // 20)
            theirs = rate_of_numpy(dtype, rows, *short)
            print(f"{dtype:16} {ours:14.3g} {theirs:14.3g} {ours / theirs:7.1f}")
        else:
            print(f"{dtype:16} {ours:14.3g} {'-':>14} {'-':>7}")
    headline = ("nmax", "--g", "1.0", "--C", "40", "--dtype", "fp16", "--k", "1")
    compiled = ("nmax", "--g", "0.1", "--C", "1e4", "--dtype", "fp16", "--k", "1", "--method", "exhaustive")
    with tempfile.TemporaryDirectory() as folder:
        print(f"\n{'command':44} {'first run':>10} {'then':>8}")
        for command in (("--help",), headline, compiled):
            first = seconds(*command, FPCERT_CACHE_DIR=folder)
            again = min(seconds(*command, FPCERT_CACHE_DIR=folder) for _ in range(5))
            print(f"fpcert {' '.join(command)[:37]:37} {first:8.2f} s {again:6.2f} s")


if __name__ == "__main__":
    main()
