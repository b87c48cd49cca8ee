"""What can be claimed of a machine's arithmetic.

The names below are loaded on first use: importing this package imports nothing else, so that the parts of it that need
only the standard library start alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Public name -> the module that defines it; no public name is the name of a module of this package.
_HOME = {
    "CertifiedRange": "certify.certified_range.result",
    "CertifiedRanges": "certify.certified_range.result",
    "Checked": "certify.certificates.checking",
    "Classification": "certify.languages.classification",
    "Design": "certify.designing.outcome",
    "HeadEffects": "certify.head_effects.effects",
    "PeriodResult": "certify.periodicity.result",
    "alternating": "certify.counterexamples",
    "check": "certify.certificates.checking",
    "classify": "certify.languages.compute",
    "design": "certify.designing.compute",
    "erasing_clock": "certify.counterexamples",
    "flarge_certificate": "certify.certificates.ranges",
    "flip_flop": "certify.counterexamples",
    "gap_curve": "certify.plots.gap_data",
    "gap_figure": "certify.plots.gap_figure",
    "language_certificates": "certify.certificates.languages",
    "nmax": "certify.certified_range.compute",
    "period": "certify.periodicity.compute",
    "period_certificates": "certify.certificates.periods",
    "period_curve": "certify.plots.period_data",
    "period_figure": "certify.plots.period_figure",
    "range_certificates": "certify.certificates.ranges",
    "save_certificates": "certify.certificates.document",
    "save_figure": "certify.plots.figure_file",
    "scale_curve": "certify.plots.scale_data",
    "scale_figure": "certify.plots.scale_figure",
    "schedule_effects": "certify.head_effects.schedules",
    "stagnation_figure": "certify.plots.stagnation_figure",
    "uniform_head": "certify.counterexamples",
    "uniform_weights": "certify.plots.stagnation_data",
    "weights_figure": "certify.plots.weights_figure",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'certify' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
