"""A pipeline with some of its stages kept in fp32."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from fpsim.pipeline import Pipeline
from fpsim.valueset import ValueSet

__all__ = ["STAGES", "coarse_stages", "in_fp32"]

# What a user would keep in fp32, in the order of computation, and the value sets that this means.  The application to
# queries and keys is none of them: the realized table does not depend on it.
STAGES = {
    "inverse frequency": ("stored",),
    "position": ("position",),
    "product": ("operands", "phase"),
    "cos and sin": ("trig", "attention"),
    "table": ("table",),
}
_CHAIN = ("exponent", "power", "result")
_FP32 = ValueSet.parse("fp32")


def coarse_stages(pipeline: Pipeline, model: ValueSet) -> tuple[str, ...]:
    """The stages with a value set that lacks values of fp32, in a model of this data type.

    >>> coarse_stages(Pipeline.named("transformers"), ValueSet.parse("bf16"))
    ('table',)
    """
    sets = pipeline.stages.at(model)
    found = []
    for stage, names in STAGES.items():
        used = [getattr(sets, name) for name in names]
        if stage == "inverse frequency":
            used += [getattr(sets, name) for name in _CHAIN]
        if any(values is not None and not _has_fp32(values) for values in used):
            found.append(stage)
    return tuple(found)


def _has_fp32(values: ValueSet) -> bool:
    """Whether it is a float format with every value of fp32."""
    return (
        values.kind == "float"
        and values.precision >= _FP32.precision
        and values.emin <= _FP32.emin
        and values.max >= _FP32.max
        and not values.ftz
    )


def in_fp32(pipeline: Pipeline, stages: Sequence[str], model: ValueSet) -> Pipeline:
    """The pipeline with the coarse value sets of these stages replaced by fp32; its schedule stays."""
    sets, chain = pipeline.stages.at(model), pipeline.stages.chain
    changed: dict[str, Any] = {}
    for stage in stages:
        for name in STAGES[stage]:
            values = getattr(sets, name)
            if values is not None and not _has_fp32(values):
                changed[name] = "fp32"
        if stage == "inverse frequency":
            coarse: dict[str, Any] = {name: "fp32" for name in _CHAIN if not _has_fp32(getattr(sets, name))}
            chain = replace(chain, **coarse)
    name = f"{pipeline.name} with {' and '.join(stages)} in fp32"
    return replace(pipeline, name=name, stages=replace(pipeline.stages, chain=chain, **changed))
