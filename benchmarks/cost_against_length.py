"""What an answer costs against the length that it certifies, for the three roads, with slopes.

    python benchmarks/cost_against_length.py

The heads have g = 1 and, for each length, a scale and a format with N_max near it.  The exhaustive road is run up to 10^5,
the pruned road as a scan over every query position (its own start at the first near-return is left out: a bound E that is
too wide by a factor keeps it scanning) up to 10^7, and the bracket everywhere.  Times are the best of three, in one process.
"""

from __future__ import annotations

import time
from collections.abc import Callable
from itertools import pairwise
from math import log

import certify

HEADS = [  # dtype, C: the length that comes out is measured, not assumed
    ("fp16", 10**3), ("fp32", 10**6), ("fp32", 10**12), ("fp64", 10**12), ("fp64", 10**15), ("fp64", 10**18), ("fp128", 10**22),
    ("fp128", 10**28), ("fp128", 10**32), ("fp128", 10**37),
]  # fmt: skip


def best(function: Callable[[], object], rounds: int = 3) -> float:
    """Seconds of the fastest call."""
    times = []
    for _ in range(rounds):
        begin = time.perf_counter()
        function()
        times.append(time.perf_counter() - begin)
    return min(times)


def main() -> None:
    """Print one line a head, and the slope of each road between its first and its last length."""
    seen: dict[str, list[tuple[int, float]]] = {"exhaustive": [], "pruned": [], "bracket": []}
    print(f"{'dtype':6} {'C':>7} {'N_max':>20} {'exhaustive':>12} {'pruned':>12} {'bracket':>12}")
    for dtype, scale in HEADS:
        length = certify.nmax(g=1, C=scale, dtype=dtype).n_max
        cells = []
        for road in seen:
            if road == "exhaustive" and length > 10**5:
                cells.append("-")
                continue
            took = best(lambda road=road: certify.nmax(g=1, C=scale, dtype=dtype, method=road))
            seen[road].append((length, took))
            cells.append(f"{took * 1e3:.2f} ms")
        print(f"{dtype:6} {scale:7.0e} {length:20,} " + " ".join(f"{cell:>12}" for cell in cells))
    for road, points in seen.items():
        points = [point for point, following in pairwise([*sorted(points), (0, 0.0)]) if point[0] != following[0]]
        if len(points) > 1:
            (short, fast), (long, slow) = points[0], points[-1]
            print(f"{road:12} slope {log(slow / fast) / log(long / short):5.2f} from {short:,} to {long:,}")


if __name__ == "__main__":
    main()
