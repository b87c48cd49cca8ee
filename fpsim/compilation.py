"""Compiled kernels: `numba.njit` with a disk cache that cannot go stale.

Numba keys a cached function by its own source file only, so a change in a callee that lives in another file leaves the
caller's cached machine code as it was.  Here every kernel is cached in a folder named by a hash of *all* the sources of
this package and of the kernel's own: any change of any file gives a new, empty folder.

The folder is `$FPCERT_CACHE_DIR`, else `$XDG_CACHE_HOME/fpcert`, else `~/.cache/fpcert`; where none can be written, a
temporary folder of this process is used and the kernels are compiled anew in each process.
"""

from __future__ import annotations

import hashlib
import os
import sys
import tempfile
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any, TypeVar

import numba
from numba.core import config as numba_config
from numba.core import event

from fpsim.compile_events import tell

__all__ = ["cache_folder", "kernel", "source_hash"]

_PACKAGES = ("fpsim", "certify")  # those with kernels, which inline kernels of fpsim

Function = TypeVar("Function", bound=Callable[..., Any])


class _Compilations(event.Listener):  # type: ignore[misc]
    """Passes on what numba says of compilations; it says nothing where machine code comes from the cache."""

    def on_start(self, event: Any) -> None:
        del event
        tell(True)

    def on_end(self, event: Any) -> None:
        del event
        tell(False)


event.register("numba:compile", _Compilations())


@cache
def source_hash(package: str = "fpsim") -> str:
    """Hash of every Python source file of `fpsim` and of `package`, with numba's version: names the cache folder.

    >>> len(source_hash())
    16
    """
    digest = hashlib.sha256(numba.__version__.encode())
    for name in sorted({"fpsim", package}):
        root = Path(sys.modules[name].__file__ or "").parent
        for path in sorted(root.rglob("*.py")):
            digest.update(f"{name}/{path.relative_to(root)}".encode() + b"\0")
            digest.update(path.read_bytes() + b"\0")
    return digest.hexdigest()[:16]


@cache
def cache_folder(package: str = "fpsim") -> Path:
    """The folder of the machine code of this package's kernels; it exists and is writable when this returns."""
    named = os.environ.get("FPCERT_CACHE_DIR")
    base = Path(named) if named else Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "fpcert"
    folder = base / source_hash(package)
    try:
        folder.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=folder):
            return folder
    except OSError:
        return Path(tempfile.mkdtemp(prefix="fpcert-kernels-"))


def kernel(**options: Any) -> Callable[[Function], Function]:
    """`numba.njit(cache=True, **options)` with the cache in `cache_folder()`.

    `error_model="numpy"` (a division by zero gives inf or NaN, as IEEE 754 says) and `nogil=True` are the defaults.
    `fastmath` is refused: it licenses the compiler to change results.
    """
    if options.get("fastmath"):
        raise ValueError("fastmath changes results; a kernel is compiled without it")
    settings = {"cache": True, "error_model": "numpy", "nogil": True} | options

    def compile_lazily(function: Function) -> Function:
        before = numba_config.CACHE_DIR
        package = function.__module__.partition(".")[0]
        numba_config.CACHE_DIR = str(cache_folder(package if package in _PACKAGES else "fpsim"))  # read once, now
        try:
            return numba.njit(**settings)(function)  # type: ignore[no-any-return]
        finally:
            numba_config.CACHE_DIR = before

    return compile_lazily
