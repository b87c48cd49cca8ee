"""Models from the weights of other programs: a mapping from names to arrays, or a .safetensors file of one.

Arrays are NumPy's, with the types of ml_dtypes too, or torch tensors; torch is not needed for the others.  Every number
is taken exactly.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, TypeAlias

import numpy as np

from fpsim import arithmetic
from fpsim.errors import InputError
from fpsim.operands import Array, as_array, as_element
from fpsim.precision import Precision
from fpsim.transformer.files.assembly import AttentionParts, assemble
from fpsim.transformer.files.safetensors_file import read_safetensors
from fpsim.transformer.layouts import LAYOUTS, layer_count, parameter_names, scaled_down
from fpsim.transformer.model import Mask, Transformer
from fpsim.transformer.parts import Rotary, Sinusoidal
from fpsim.transformer.representable import representable
from fpsim.valueset import ValueSet

__all__ = ["Pairs", "from_state_dict"]

Pairs: TypeAlias = Literal["adjacent", "halves"]
"""Which coordinates of a head turn together: 2d and 2d + 1 (this model), or d and d + size/2 (GPT-NeoX, Llama)."""


def from_state_dict(
    state: Mapping[str, Any] | str | Path,
    *,
    alphabet: Sequence[str],
    precision: Precision | ValueSet | str,
    layout: str = "fpcert",
    heads: int | Sequence[int] = 1,
    rotary: Rotary | Sequence[Rotary | None] | None = None,
    pairs: Pairs = "adjacent",
    position: Sinusoidal | None = None,
    norm_at: Literal["pre", "post"] = "post",
    mask: Mask | None = None,
    epsilon: Any = "1e-5",
    strict: bool = False,
) -> Transformer:
    """The model with these weights; what a state dict does not say is said by the arguments.

    state: names to arrays, or the name of a .safetensors file; names as `fpsim.transformer.layouts` has them.  The rows
    of the embedding are those of BOS, EOS and the letters in order.  heads, rotary: of every layer, or a list with one
    for each.  pairs: "halves" says that coordinates d and d + size/2 of a head turn together; the rows of query and key
    are brought into the order of this model, which changes the order in which a score is summed.  mask: "strict" for
    None, and "causal" with the layout torch-encoder.  epsilon: of the norms without one of their own, torch's
    eps, rounded once into F.

    Numbers that are no values of F are rounded with a `RoundedWarning`, or refused with `strict`.  Raises `InputError`
    for a name that the layout has not or that is missing, for arrays of other shapes, and for what is no array of real
    numbers.

    >>> state = {"embedding.weight": np.eye(3, 2), "classifier.weight": np.float16([[1, -1]])}
    >>> from_state_dict(state, alphabet="a", precision="fp16").dim
    2
    """
    if layout not in LAYOUTS:
        raise InputError("layout", layout, f"one of {', '.join(LAYOUTS)}")
    if pairs not in ("adjacent", "halves"):
        raise InputError("pairs", pairs, "adjacent or halves")
    if not isinstance(alphabet, str | list | tuple):
        raise InputError("alphabet", alphabet, "a text or a list of letters")
    chosen = precision if isinstance(precision, Precision) else Precision.of(precision)
    arrays = parameter_names(_arrays(state), layout)
    count = layer_count(arrays)
    attentions = _attentions(arrays, count, heads, rotary)
    stored = np.atleast_1d(arithmetic.round(chosen.values, [as_element(epsilon, "epsilon")]))
    for name in [name for name in arrays if name.endswith("norm.gain")]:
        arrays.setdefault(f"{name.removesuffix('.gain')}.epsilon", stored)
    for n, attention in enumerate(attentions):
        if attention is not None:
            _change_query_and_key(arrays, f"layers.{n}.attention", attention[0], layout, pairs, chosen.values, strict)
    usual: Mask = "causal" if layout == "torch-encoder" else "strict"
    model = assemble(
        arrays, attentions, "state", alphabet=tuple(alphabet), precision=chosen, position=position, norm_at=norm_at,
        mask=usual if mask is None else mask,
    )  # fmt: skip
    return representable(model, strict=strict)


def _arrays(state: Mapping[str, Any] | str | Path) -> dict[str, Array]:
    if isinstance(state, str | Path):
        _, tensors = read_safetensors(state, f"state {str(state)!r}")
        return {name: as_array(tensor.numbers(name), name) for name, tensor in tensors.items()}
    if not isinstance(state, Mapping):
        raise InputError("state", state, "a mapping from names to arrays, or the name of a .safetensors file")
    for name in state:
        if not isinstance(name, str):
            raise InputError("state", f"the key {name!r}", "a name")
    return {name: as_array(_plain(array, name), name) for name, array in state.items()}


def _plain(array: Any, name: str) -> Any:
    """A torch tensor as a NumPy array; anything else as it is."""
    if type(array).__module__.partition(".")[0] != "torch":
        return array
    try:
        tensor = array.detach().cpu()
        # NumPy has no bfloat16 and no floats of 8 bits; binary64 has every number that they have.
        return (tensor.double() if tensor.is_floating_point() else tensor).numpy()
    except (AttributeError, RuntimeError, TypeError) as error:  # sparse, quantized, a module
        raise InputError(name, f"a {type(array).__name__} ({error})", "a dense tensor of real numbers") from error


def _attentions(
    arrays: Mapping[str, Array], count: int, heads: int | Sequence[int], rotary: Rotary | Sequence[Rotary | None] | None
) -> list[AttentionParts | None]:
    """Of each layer that has an attention: the number of its heads, and its rotation."""
    listed: list[int] = _for_each_layer("heads", heads, int, count)
    turned: list[Rotary | None] = _for_each_layer("rotary", rotary, Rotary | None, count)
    has = [any(name.startswith(f"layers.{n}.attention.") for name in arrays) for n in range(count)]
    return [(listed[n], turned[n]) if has[n] else None for n in range(count)]


def _for_each_layer(what: str, given: Any, kind: Any, count: int) -> list[Any]:
    """One thing for all layers, or a list with one for each."""
    found = [given] * count if isinstance(given, kind) else given
    if not isinstance(found, list | tuple) or not all(isinstance(each, kind) for each in found):
        raise InputError(what, given, f"one for all layers, or a list with one for each of {count}")
    if len(found) != count:
        raise InputError(what, f"a list of {len(found)}", f"one for each of {count} layers")
    return list(found)


def _change_query_and_key(
    arrays: dict[str, Array], name: str, heads: int, layout: str, pairs: Pairs, values: ValueSet, strict: bool
) -> None:
    for each in ("query", "key"):
        for kind in ("weight", "bias"):
            array = arrays.get(f"{name}.{each}.{kind}")
            if array is None or not array.ndim or heads < 1 or array.shape[0] % heads:
                continue  # missing parts and wrong shapes are refused, by name, where the model is put together
            size = array.shape[0] // heads
            if layout == "torch-encoder" and each == "query":
                array = scaled_down(values, array, size, f"{name}.{each}.{kind}", strict=strict)
            if pairs == "halves":
                if size % 2:
                    raise InputError(f"{name}.{each}.{kind}", f"heads of {size} coordinates", "of an even number")
                halves = array.reshape(heads, 2, size // 2, *array.shape[1:])
                array = np.moveaxis(halves, 1, 2).reshape(array.shape)
            arrays[f"{name}.{each}.{kind}"] = array
