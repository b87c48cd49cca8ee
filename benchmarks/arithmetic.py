"""How fast the rounded arithmetic is, beside other programs, in one run on one thread.

    python benchmarks/arithmetic.py [--quick]

Run by hand, on an idle machine.  Every figure is the best of several rounds, in nanoseconds per element; the rows of a
table take turns, so that a slow moment of the machine hits all of them.  The last column is the ratio to the first row.
gfloat and ml_dtypes are left out when they are not installed.

What is compared is not always the same work: the note of a row says where a program rounds twice, or does not round
correctly.
"""

from __future__ import annotations

import argparse
import platform
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

import fpsim

Row = tuple[str, Callable[[], Any], int, str]


def best_times(rows: list[Row], rounds: int) -> list[float]:
    """Seconds of the fastest call of each row; the first call, which compiles, does not count."""
    for _, call, _, _ in rows:
        call()
    best = [float("inf")] * len(rows)
    for _ in range(rounds):
        for place, (_, call, _, _) in enumerate(rows):
            begin = time.perf_counter()
            call()
            best[place] = min(best[place], time.perf_counter() - begin)
    return best


def show(title: str, rows: list[Row], rounds: int) -> None:
    """Print a table: name, nanoseconds per element, ratio to the first row, note."""
    best = best_times(rows, rounds)
    each = [seconds / count * 1e9 for seconds, (_, _, count, _) in zip(best, rows, strict=True)]
    print(f"\n{title}")
    for (name, _, _, note), nanoseconds in zip(rows, each, strict=True):
        print(f"  {name:<44}{nanoseconds:10.2f} ns {nanoseconds / each[0]:9.2f} x  {note}")


def optional(name: str) -> Any:
    """The module, or None when it is not installed."""
    try:
        return __import__(name)
    except ImportError:
        return None


def rounding(size: int, rounds: int, dtype: Any) -> None:
    """Rounding arrays into F, beside a memory copy of the same arrays."""
    ml_dtypes, gfloat = optional("ml_dtypes"), optional("gfloat")
    x = np.random.default_rng(0).standard_normal(size).astype(dtype)
    out, wide = np.empty_like(x), np.empty(size)
    grid = fpsim.grid([k / 100 for k in range(-100, 100)])
    rows: list[Row] = [("copy (numpy.copyto)", lambda: np.copyto(out, x), size, "")]
    names = ("fp16", "bf16", "e4m3", "e5m2", "tf32", "fp32", "fixed:16.8", "fp16:up", "nf4")
    rows += [(f"fpsim.round {name}", lambda n=name: fpsim.round(n, x, out=out), size, "") for name in names]
    rows.append(("fpsim.round, 200 values", lambda: fpsim.round(grid, x, out=wide), size, "float64 result"))
    rows.append(("numpy float16 and back", lambda: x.astype(np.float16).astype(dtype), size, ""))
    if ml_dtypes:
        twice = "rounds to binary32 first" if dtype is np.float64 else ""
        for name in ("bfloat16", "float8_e4m3fn", "float8_e5m2"):
            kind = getattr(ml_dtypes, name)
            rows.append((f"ml_dtypes {name} and back", lambda k=kind: x.astype(k).astype(dtype), size, twice))
    if gfloat:
        from gfloat.formats import format_info_binary16

        part = x[: size // 20]
        call = partial(gfloat.round_ndarray, format_info_binary16, part)
        rows.append(("gfloat round_ndarray binary16", call, part.size, "a twentieth of the array"))
    show(f"Rounding {size} numbers of {np.dtype(dtype).name}", rows, rounds)


def products(rounds: int) -> None:
    """A product of two 64 x 64 matrices, each multiplication and addition rounded."""
    rng = np.random.default_rng(1)
    a, b = (fpsim.round("fp16", rng.standard_normal((64, 64))) for _ in range(2))
    narrow_a, narrow_b = a.astype(np.float16), b.astype(np.float16)
    count = 64**3

    def by_numpy() -> Any:
        total = narrow_a[:, :1] * narrow_b[:1]
        for k in range(1, 64):
            total = total + narrow_a[:, k : k + 1] * narrow_b[k : k + 1]
        return total

    assert np.array_equal(fpsim.matmul("fp16", a, b), by_numpy().astype(np.float64))
    rows: list[Row] = [("numpy float16, a loop over k", by_numpy, count, "same results")]
    for name in ("fp16", "bf16", "e4m3", "fp32", "fp16:up", "nf4"):
        x, y = fpsim.round(name, a), fpsim.round(name, b)
        rows.append((f"fpsim.matmul {name}", lambda n=name, x=x, y=y: fpsim.matmul(n, x, y), count, ""))
    rows.append(("fpsim.matmul fp16, fma", lambda: fpsim.matmul("fp16", a, b, fma=True), count, ""))
    show("A 64 x 64 x 64 matrix product, every operation rounded, per multiply-add", rows, rounds)


def functions(size: int, rounds: int) -> None:
    """Correctly rounded exp, sin and cos of arrays."""
    rng = np.random.default_rng(2)
    near = rng.uniform(-8, 8, size)
    wide = rng.uniform(-(2.0**20), 2.0**20, size)
    any_size = rng.uniform(1, 2, size) * 2.0 ** rng.integers(-20, 1000, size)
    narrow = near.astype(np.float32)
    for name in ("exp", "sin", "cos"):
        ufunc, ours = getattr(np, name), getattr(fpsim, name)
        rows: list[Row] = [
            ("numpy float64", lambda f=ufunc: f(near), size, "not correctly rounded"),
            ("numpy float32", lambda f=ufunc: f(narrow), size, "not correctly rounded"),
        ]
        for dtype in ("fp16", "bf16", "e4m3", "nf4"):
            x = fpsim.round(dtype, near)
            rows.append((f"fpsim.{name} {dtype}, values of F", lambda f=ours, d=dtype, x=x: f(d, x), size, "by table"))
        rows.append((f"fpsim.{name} fp16, any numbers", lambda f=ours: f("fp16", near), size, "|x| < 8"))
        for dtype in ("fp32", "fp64"):
            rows.append((f"fpsim.{name} {dtype}", lambda f=ours, d=dtype: f(d, near), size, "|x| < 8"))
            if name != "exp":
                rows.append((f"fpsim.{name} {dtype}", lambda f=ours, d=dtype: f(d, wide), size, "|x| <= 2^20"))
                rows.append((f"fpsim.{name} {dtype}", lambda f=ours, d=dtype: f(d, any_size), size, "|x| < 2^1000"))
        show(f"{name} of {size} numbers", rows, rounds)


def main() -> None:
    """Print all tables."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0] if __doc__ else None)
    parser.add_argument("--quick", action="store_true", help="smaller arrays and fewer rounds")
    quick = parser.parse_args().quick
    print(f"{platform.processor() or platform.machine()}, Python {platform.python_version()}, numpy {np.__version__}")
    for dtype in (np.float64, np.float32):
        rounding(10**6 if quick else 10**7, 3 if quick else 7, dtype)
    products(10 if quick else 40)
    functions(10**5 if quick else 10**6, 3 if quick else 9)


if __name__ == "__main__":
    main()
