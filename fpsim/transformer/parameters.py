"""The parameters of a transformer by name, and whether they are values of F.

Names are those of the fields, with dots and numbers: `embedding`, `layers.0.attention.query.weight`,
`classifier.bias`.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import fields, replace
from typing import Any

import numpy as np

from fpsim import arithmetic
from fpsim.attention.membership import members, require_members
from fpsim.errors import InputError
from fpsim.operands import Array
from fpsim.transformer.model import Transformer
from fpsim.transformer.parts import Attention, FeedForward, Layer, Linear, Norm

__all__ = ["outside", "parameters", "require_values", "rounded", "with_parameters"]

_PARTS = (Transformer, Layer, Attention, FeedForward, Linear, Norm)  # what has arrays, or parts that have


def parameters(model: Transformer) -> dict[str, Array]:
    """Every array of the model by its name, in the order of the fields.

    >>> from fpsim.transformer import Linear, Precision
    >>> model = Transformer(("a",), np.zeros((3, 1)), (), Linear([[1.0]]), Precision.of("fp16"))
    >>> list(parameters(model))
    ['embedding', 'classifier.weight']
    """
    return dict(_walk(model, ""))


def _walk(part: Any, name: str) -> Iterator[tuple[str, Array]]:
    if isinstance(part, np.ndarray):
        yield name, part
    elif isinstance(part, tuple):
        for n, each in enumerate(part):
            yield from _walk(each, f"{name}.{n}")
    elif isinstance(part, _PARTS):
        for f in fields(part):
            yield from _walk(getattr(part, f.name), f"{name}.{f.name}" if name else f.name)


def with_parameters(model: Transformer, arrays: Mapping[str, Array]) -> Transformer:
    """The model with these arrays in place of those of the same names; raises `InputError` for an unknown name."""
    known = parameters(model)
    for name in arrays:
        if name not in known:
            raise InputError("parameter", name, f"one of {', '.join(known)}")
    made: Transformer = _rebuilt(model, "", arrays)
    return made


def _rebuilt(part: Any, name: str, arrays: Mapping[str, Array]) -> Any:
    if isinstance(part, np.ndarray):
        return arrays.get(name, part)
    if isinstance(part, tuple):
        return tuple(_rebuilt(each, f"{name}.{n}", arrays) for n, each in enumerate(part))
    if isinstance(part, _PARTS):
        inner = {f.name: _rebuilt(getattr(part, f.name), f"{name}.{f.name}" if name else f.name, arrays)
                 for f in fields(part)}  # fmt: skip
        return replace(part, **inner)
    return part


def outside(model: Transformer) -> dict[str, int]:
    """How many numbers of each parameter are not values of `precision.values`; parameters without any are left out.

    NaN is no value of any set; a model computes with it all the same.
    """
    counts = {name: _count_outside(model, array) for name, array in parameters(model).items()}
    return {name: count for name, count in counts.items() if count}


def _count_outside(model: Transformer, array: Array) -> int:
    return int(np.count_nonzero(~members(model.precision.values, array) | np.asarray(array != array)))


def require_values(model: Transformer) -> None:
    """Raise `InputError` that names the first parameter with a number that is neither a value of F nor NaN."""
    for name, array in parameters(model).items():
        require_members(model.precision.values, array, name)


def rounded(model: Transformer) -> Transformer:
    """The model with every parameter rounded once into `precision.values`."""
    values = model.precision.values
    return with_parameters(model, {name: arithmetic.round(values, x) for name, x in parameters(model).items()})
