"""`fpcert env`: everything about an installation on which a result could depend."""

from __future__ import annotations

import os
import platform
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

import click

from fpcert.options import common_options
from fpcert.output import emit

__all__ = ["DISTRIBUTIONS", "command", "environment"]

DISTRIBUTIONS = (
    "fpcert", "numpy", "numba", "llvmlite", "gmpy2", "mpmath", "click", "rich", "joblib", "automata-lib", "lark",
    "safetensors",
)  # fmt: skip


def environment() -> dict[str, str | int | None]:
    """Versions and machine; None stands for what cannot be found out."""
    found: dict[str, str | int | None] = {"python": platform.python_version()}
    found["implementation"] = platform.python_implementation()
    for name in DISTRIBUTIONS:
        found[name] = _version(name)
    found["mpfr"] = _mpfr_version()
    found["platform"] = platform.platform()
    found["cpu"] = _cpu()
    found["llvm_cpu"] = _llvm_cpu()
    found["cores"] = _cores()
    return found


def _version(distribution: str) -> str | None:
    try:
        return version(distribution)
    except PackageNotFoundError:
        return None


def _mpfr_version() -> str | None:
    try:
        import gmpy2
    except ImportError:
        return None
    return str(gmpy2.mpfr_version())


def _cpu() -> str | None:
    """The name that the processor gives itself, where the system tells it."""
    try:
        for line in Path("/proc/cpuinfo").read_text(encoding="utf-8").splitlines():
            if line.startswith("model name"):
                return line.partition(":")[2].strip()
    except OSError:
        pass
    return platform.processor() or None


def _llvm_cpu() -> str | None:
    """The processor for which the kernels are compiled."""
    try:
        from llvmlite import binding
    except (ImportError, OSError):
        return None
    return str(binding.get_host_cpu_name())


def _cores() -> int | None:
    """How many cores this process may use, which can be fewer than the machine has."""
    if hasattr(os, "sched_getaffinity"):
        return len(os.sched_getaffinity(0))
    return os.cpu_count()


@click.command(epilog="Example: fpcert env --json")
@common_options
def command(as_json: bool, output_file: str | None, quiet: bool) -> None:
    """Print the versions and the machine, for a bug report."""
    del quiet  # it says nothing but its result
    emit(environment(), as_json, output_file)
