"""Layouts of state dicts: which names the weights of a model have in other programs.

fpcert          the names of `fpsim.transformer.to_torch`, those of the parameters as torch calls such things:
                embedding.weight, layers.N.attention.{query,key,value,output}.{weight,bias},
                layers.N.feed_forward.{up,down}.{weight,bias}, layers.N.{attention,feed_forward}_norm.{weight,bias},
                final_norm.{weight,bias}, classifier.{weight,bias}; a norm may have an array `epsilon` of one number
torch-encoder   a torch.nn.TransformerEncoder called `encoder`, of layers with activation="relu", between an embedding
                and a classifier: encoder.layers.N.self_attn.{in_proj_weight,in_proj_bias,out_proj.weight,..},
                encoder.layers.N.{linear1,linear2,norm1,norm2}.{weight,bias}, encoder.norm.{weight,bias},
                embedding.weight, classifier.{weight,bias}

The second is the layer of this model, part for part, but that its scores are divided by sqrt(E / heads): the factor is
taken into the query's weights.  A Llama is not: it has RMS norms and gated networks, which this model has not.
"""

from __future__ import annotations

import re
import warnings
from collections.abc import Callable, Mapping

import numpy as np
from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.operands import Array, as_array, elements_of
from fpsim.real import Irrational, sqrt_of
from fpsim.rounding.reference import round_exact
from fpsim.transformer.representable import RoundedWarning
from fpsim.valueset import ValueSet

__all__ = ["LAYOUTS", "layer_count", "parameter_names", "scaled_down", "state_names"]

_NORM = re.compile(r"((?:.*\.)?[a-z_]*norm)\.(weight|bias|epsilon)")
_LAYER = re.compile(r"layers\.(0|[1-9][0-9]{0,5})\..+")
_ENCODER = {
    "linear1": "feed_forward.up",
    "linear2": "feed_forward.down",
    "norm1": "attention_norm",
    "norm2": "feed_forward_norm",
    "self_attn.out_proj": "attention.output",
}
_FOREIGN = ("gate_proj", "input_layernorm", "rotary_emb")


def state_names(names: list[str]) -> dict[str, str]:
    """The names of parameters, each with its name in the layout fpcert.

    >>> state_names(["embedding", "layers.0.attention_norm.gain"])
    {'embedding': 'embedding.weight', 'layers.0.attention_norm.gain': 'layers.0.attention_norm.weight'}
    """
    return {name: f"{name}.weight" if name == "embedding" else _weight_of_gain(name) for name in names}


def _weight_of_gain(name: str) -> str:
    return f"{name.removesuffix('.gain')}.weight" if name.endswith(".gain") else name


def parameter_names(state: Mapping[str, Array], layout: str) -> dict[str, Array]:
    """The arrays by the names of parameters.  Raises `InputError` for a name that the layout has not."""
    return LAYOUTS[layout](state)


def layer_count(names: Mapping[str, Array]) -> int:
    """How many layers have arrays.  Raises `InputError` where a number is left out."""
    numbers = {int(match[1]) for name in names if (match := _LAYER.fullmatch(name))}
    count = max(numbers, default=-1) + 1
    if len(numbers) != count:
        missing = min(set(range(count)) - numbers)
        raise InputError("state", f"layers up to {count - 1} without layer {missing}", "layers 0, 1, .. without a gap")
    return count


def _fpcert(state: Mapping[str, Array]) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for name, array in state.items():
        norm = _NORM.fullmatch(name)
        if name == "embedding.weight":
            out["embedding"] = array
        elif norm is not None:
            out[f"{norm[1]}.{'gain' if norm[2] == 'weight' else norm[2]}"] = array
        elif name.startswith(("layers.", "classifier.")):
            out[name] = array
        else:
            raise _unknown(name, "fpcert")
    return out


def _encoder(state: Mapping[str, Array]) -> dict[str, Array]:
    out: dict[str, Array] = {}
    for name, array in state.items():
        inner = name.removeprefix("encoder.")
        layer = _LAYER.fullmatch(inner)
        if name == "embedding.weight":
            out["embedding"] = array
        elif name in ("classifier.weight", "classifier.bias"):
            out[name] = array
        elif name in ("encoder.norm.weight", "encoder.norm.bias"):
            out["final_norm.gain" if name.endswith("weight") else "final_norm.bias"] = array
        elif name != inner and layer is not None:
            out |= _encoder_layer(name, f"layers.{layer[1]}", inner.split(".", 2)[2], array)
        else:
            raise _unknown(name, "torch-encoder")
    return out


def _encoder_layer(name: str, layer: str, rest: str, array: Array) -> dict[str, Array]:
    if rest in ("self_attn.in_proj_weight", "self_attn.in_proj_bias"):
        if array.shape[0] % 3:
            raise InputError(name, f"{array.shape[0]} rows", "a multiple of 3: those of query, key and value")
        kind = rest.rpartition("_")[2]
        thirds = zip(("query", "key", "value"), np.split(array, 3), strict=True)
        return {f"{layer}.attention.{each}.{kind}": third for each, third in thirds}
    module, _, kind = rest.rpartition(".")
    if module not in _ENCODER or kind not in ("weight", "bias"):
        raise _unknown(name, "torch-encoder")
    ours = "gain" if kind == "weight" and "norm" in module else kind
    return {f"{layer}.{_ENCODER[module]}.{ours}": array}


def _unknown(name: str, layout: str) -> InputError:
    right = f"absent: the layout {layout} has no such name"
    if any(part in name for part in _FOREIGN):
        right += "; this model has no RMS norms and no gated networks, as a Llama has"
    return InputError("state", f"the array {name!r}", right)


def scaled_down(values: ValueSet, array: Array, size: int, what: str, *, strict: bool = False) -> Array:
    """x / sqrt(size) of every x, exact where sqrt(size) is rational; else rounded once into F with a `RoundedWarning`,
    or refused with `strict`: `InputError`, for `what`.

    >>> scaled_down(ValueSet.parse("fp16"), np.array([1.0, -8.0]), 16, "weight").tolist()
    [mpq(1,4), mpq(-2,1)]
    """
    root = sqrt_of(mpq(1, size))
    if isinstance(root, Irrational):
        scale = f"the scale 1/sqrt({size}) of the scores"
        if strict:
            raise InputError(what, scale, "rational: irrational weights are in no F")
        message = f"{what}: {scale} is in its numbers, each rounded once into {values.name}"
        warnings.warn(message, RoundedWarning, stacklevel=2)
    exact, out = elements_of(as_array(array)), np.empty(array.shape, dtype=object)
    for place, x in enumerate(exact.flat):
        if isinstance(x, float) or not x:  # inf, NaN and zeros are not changed
            out.flat[place] = x
        else:
            out.flat[place] = round_exact(values, root.scaled(x)) if isinstance(root, Irrational) else x * root
    return out


LAYOUTS: dict[str, Callable[[Mapping[str, Array]], dict[str, Array]]] = {"fpcert": _fpcert, "torch-encoder": _encoder}
