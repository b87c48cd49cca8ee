"""What a machine computes: arithmetic, rotations and heads in any finite value set, each operation rounded once.

The names below are loaded on first use, so that importing the package is quick.
"""

from __future__ import annotations

from importlib import import_module
from typing import Any

# Public name -> the module that defines it.  No public name is the name of a module of this package: importing that
# module would then shadow the name.
_HOME = {
    "Angle": "fpsim.angle",
    "ArrayKind": "fpsim.realization.array_file",
    "Chain": "fpsim.pipeline",
    "FpcertError": "fpsim.errors",
    "Head": "fpsim.head",
    "InputError": "fpsim.errors",
    "ManyPairsHead": "fpsim.many_pairs",
    "ModelConfig": "fpsim.model_config",
    "NamedModel": "fpsim.models.named",
    "Order": "fpsim.sums",
    "Pipeline": "fpsim.pipeline",
    "Precision": "fpsim.precision",
    "Regime": "fpsim.regime",
    "RoundedWarning": "fpsim.transformer.representable",
    "Scaling": "fpsim.schedule",
    "Schedule": "fpsim.schedule",
    "Stages": "fpsim.pipeline",
    "UnsupportedError": "fpsim.errors",
    "Trace": "fpsim.tracing",
    "Transformer": "fpsim.transformer",
    "ValueSet": "fpsim.valueset",
    "add": "fpsim.arithmetic",
    "attend": "fpsim.attention.attend",
    "conventional_angle": "fpsim.angle",
    "cos": "fpsim.arithmetic",
    "decode": "fpsim.codes",
    "div": "fpsim.arithmetic",
    "dot": "fpsim.matrix_product",
    "encode": "fpsim.codes",
    "exp": "fpsim.arithmetic",
    "f_large": "fpsim.flarge",
    "fixed_point": "fpsim.valueset_text",
    "float_format": "fpsim.valueset_text",
    "fma": "fpsim.arithmetic",
    "format_facts": "fpsim.facts",
    "from_state_dict": "fpsim.transformer.interchange",
    "grid": "fpsim.grid_file",
    "load_model": "fpsim.transformer.files.model_file",
    "matmul": "fpsim.matrix_product",
    "model_names": "fpsim.models.named",
    "mul": "fpsim.arithmetic",
    "named_model": "fpsim.models.named",
    "parse_number": "fpsim.number",
    "pipeline_names": "fpsim.pipeline",
    "read_config": "fpsim.model_config",
    "read_model": "fpsim.models.named",
    "realize": "fpsim.realization",
    "round": "fpsim.arithmetic",
    "rounding_facts": "fpsim.neighbours",
    "run_model": "fpsim.transformer.running",
    "save_model": "fpsim.transformer.files.model_file",
    "scaled": "fpsim.scaling",
    "sin": "fpsim.arithmetic",
    "spec_of": "fpsim.rounding.specs",
    "sqrt": "fpsim.arithmetic",
    "sub": "fpsim.arithmetic",
    "trace": "fpsim.tracing",
    "to_torch": "fpsim.transformer.torch_module",
    "value_set": "fpsim.valueset_text",
    "windowed": "fpsim.realization.windowed",
}

__all__ = list(_HOME)


def __getattr__(name: str) -> Any:
    if name not in _HOME:
        raise AttributeError(f"module 'fpsim' has no attribute {name!r}")
    value = getattr(import_module(_HOME[name]), name)
    globals()[name] = value
    return value


def __dir__() -> list[str]:
    return sorted(_HOME)
