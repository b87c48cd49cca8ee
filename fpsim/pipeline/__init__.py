"""Pipelines: realizations with a value set for each stage ("semantics 1", §3), and the named ones of real stacks.

stages     which stages there are, in which value set each is computed, and how
chain      the inverse frequency, one rounded operation after another; `power` has its powers and logarithms
rotation   the realized rotation of one pair (the reference), `fast` the same at many positions
pipeline   a pipeline: a kind of realization, with or without a schedule
named      the pipelines of real stacks, as data
"""

from fpsim.pipeline.named import ALIASES, PIPELINES, pipeline_names
from fpsim.pipeline.pipeline import Pipeline
from fpsim.pipeline.rotation import PipelineRotation
from fpsim.pipeline.stages import MODEL, Chain, Stages

__all__ = ["ALIASES", "MODEL", "PIPELINES", "Chain", "Pipeline", "PipelineRotation", "Stages", "pipeline_names"]
