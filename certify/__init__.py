"""What can be claimed of a machine's arithmetic.

The names below are loaded on first use: importing this package imports nothing else, so that the parts of it that need
only the standard library start alone.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Public name -> the module that defines it; no public name is the name of a module of this package.
_HOME = {
    "Answers": "certify.sweeping.answers",
    "Audit": "certify.auditing.result",
    "CertifiedRange": "certify.certified_range.result",
    "CertifiedRanges": "certify.certified_range.result",
    "Checked": "certify.certificates.checking",
    "Classification": "certify.languages.classification",
    "Compiled": "certify.compiling.compiled",
    "Design": "certify.designing.outcome",
    "Extraction": "certify.verifying.extraction",
    "HeadEffects": "certify.head_effects.effects",
    "HeadFindings": "certify.head_effects.findings",
    "Moduli": "certify.compiling.moduli",
    "PeriodResult": "certify.periodicity.result",
    "Reproduction": "certify.reproducing.reproduction",
    "Sweep": "certify.sweeping.compute",
    "TrainedLengths": "certify.reproducing.trained_lengths",
    "Verification": "certify.verifying.verification",
    "alternating": "certify.counterexamples",
    "audit": "certify.auditing.compute",
    "check": "certify.certificates.checking",
    "classify": "certify.languages.compute",
    "compile_formula": "certify.compiling.compute",
    "component_figure": "certify.plots.component_map",
    "component_map": "certify.plots.component_map",
    "design": "certify.designing.compute",
    "erasing_clock": "certify.counterexamples",
    "extract": "certify.verifying.extraction",
    "flarge_certificate": "certify.certificates.ranges",
    "flip_flop": "certify.counterexamples",
    "gap_curve": "certify.plots.gap_data",
    "gap_figure": "certify.plots.gap_figure",
    "language_certificates": "certify.certificates.languages",
    "language_diagram": "certify.plots.language_data",
    "language_figure": "certify.plots.language_figure",
    "modulus": "certify.compiling.moduli",
    "modulus_certificates": "certify.certificates.moduli",
    "nmax": "certify.certified_range.compute",
    "paper_table": "certify.reproducing.trained_lengths",
    "period": "certify.periodicity.compute",
    "period_certificates": "certify.certificates.periods",
    "period_curve": "certify.plots.period_data",
    "period_figure": "certify.plots.period_figure",
    "range_certificates": "certify.certificates.ranges",
    "reproduce": "certify.reproducing.compute",
    "report_page": "certify.sweeping.report",
    "results": "certify.sweeping.answers",
    "save_certificates": "certify.certificates.document",
    "save_figure": "certify.plots.figure_file",
    "scale_curve": "certify.plots.scale_data",
    "scale_figure": "certify.plots.scale_figure",
    "schedule_effects": "certify.head_effects.schedules",
    "simulation_certificates": "certify.certificates.simulations",
    "stagnation_figure": "certify.plots.stagnation_figure",
    "sweep": "certify.sweeping.compute",
    "sweep_curves": "certify.plots.sweep_figure",
    "sweep_grid": "certify.plots.sweep_data",
    "sweep_heatmap": "certify.plots.sweep_figure",
    "uniform_head": "certify.counterexamples",
    "uniform_weights": "certify.plots.stagnation_data",
    "verify": "certify.verifying.compute",
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
