"""The F-transformer: a model in which every operation is rounded into F (§2.2 of arXiv:2608.11909)."""

from fpsim.precision import Precision
from fpsim.transformer.model import Mask, Transformer
from fpsim.transformer.parameters import outside, parameters, rounded, with_parameters
from fpsim.transformer.parts import Attention, FeedForward, Layer, Linear, Norm, Rotary, Sinusoidal
from fpsim.transformer.words import tokens

__all__ = [
    "Attention",
    "FeedForward",
    "Layer",
    "Linear",
    "Mask",
    "Norm",
    "Precision",
    "Rotary",
    "Sinusoidal",
    "Transformer",
    "outside",
    "parameters",
    "rounded",
    "tokens",
    "with_parameters",
]
