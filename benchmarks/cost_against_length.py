"""What an answer costs against the length that it certifies, for the three roads, with slopes.

    python benchmarks/cost_against_length.py

The heads have g = 1, and scales and formats with N_max from 10^1 to 10^16.  The exhaustive road is run up to 2 * 10^5
only.  The pruned road looks at no query before the first near-return that could fail, so its cost is that of what comes
after it.  Times are the best of three, in one process.
"""

from __future__ import annotations

import time
from math import log

import certify

# The length that comes out is measured, not assumed.
HEADS = [
    ("fp16", 10**3),
    ("fp32", 10**6),
    ("fp32", 10**12),
    ("fp64", 10**12),
    ("fp64", 10**15),
    ("fp64", 10**18),
    ("fp128", 10**22),
    ("fp128", 10**28),
    ("fp128", 10**32),
    ("fp128", 10**37),
]
ROADS = ("exhaustive", "pruned", "bracket")
FARTHEST_EXHAUSTIVE = 200_000


def seconds(dtype: str, scale: int, road: str, length: int) -> float:
    """Seconds of the fastest of three answers."""
    times = []
    for _ in range(3):
        begin = time.perf_counter()
        answer = certify.nmax(g=1, C=scale, dtype=dtype, method=road, max_length=length + 10)
        times.append(time.perf_counter() - begin)
        assert answer.n_max in (length, None)
    return min(times)


def main() -> None:
    """Print one line a head, and the slope of each road between its first and its last length."""
    seen: dict[str, list[tuple[int, float]]] = {road: [] for road in ROADS}
    print(f"{'dtype':6} {'C':>7} {'N_max':>26} {'exhaustive':>12} {'pruned':>12} {'bracket':>12}")
    for dtype, scale in HEADS:
        length = certify.nmax(g=1, C=scale, dtype=dtype).n_max
        cells = []
        for road, points in seen.items():
            if road == "exhaustive" and length > FARTHEST_EXHAUSTIVE:
                cells.append("-")
                continue
            points.append((length, seconds(dtype, scale, road, length)))
            cells.append(f"{points[-1][1] * 1e3:.2f} ms")
        print(f"{dtype:6} {scale:7.0e} {length:26,} " + " ".join(f"{cell:>12}" for cell in cells))
    for road, points in seen.items():
        (short, fast), (long, slow) = points[1], points[-1]
        print(f"{road:12} slope {log(slow / fast) / log(long / short):5.2f} from {short:,} to {long:,}")


if __name__ == "__main__":
    main()
