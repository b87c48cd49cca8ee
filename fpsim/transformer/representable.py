"""Whether the parameters of a model are values of F, and what is done where they are not."""

from __future__ import annotations

import warnings

import numpy as np

from fpsim import arithmetic
from fpsim.errors import InputError
from fpsim.number import decimal_text
from fpsim.operands import as_element
from fpsim.transformer.model import Transformer
from fpsim.transformer.parameters import outside, parameters, rounded

__all__ = ["RoundedWarning", "representable"]


class RoundedWarning(UserWarning):
    """Parameters of a model were no values of F, and were rounded."""


def representable(model: Transformer, *, strict: bool = False) -> Transformer:
    """The same model where every parameter is a value of `precision.values`; else the model rounded, with a warning.

    With `strict` such a model is refused: `InputError` names the first parameter, the place in it and the number.  NaN
    is no value of F and no rounding makes it one: the warning names it, and it is left as it is.

    >>> from fpsim.transformer import Linear, Precision
    >>> model = Transformer(("a",), np.full((3, 1), 0.1), (), Linear([[1.0]]), Precision.of("fp16"))
    >>> representable(model, strict=True)
    Traceback (most recent call last):
    ...
    fpsim.errors.InputError: embedding[0, 0]: cannot take 0.1...; it should be a value of fp16, which rounds it to \
0.0999755859375 (3 numbers of 1 parameter are none)
    """
    counts = outside(model)
    values = model.precision.values
    if not counts:
        objects = any(array.dtype == object for array in parameters(model).values())
        return rounded(model) if objects and values.carrier == "float64" else model  # the same numbers as floats
    name = next(iter(counts))
    array = parameters(model)[name]
    stored = arithmetic.round(values, array)
    same = stored == array
    place = tuple(int(n) for n in np.argwhere(~np.asarray(same, bool))[0])
    found, nearest = (_text(each[place]) for each in (array, stored))
    where = f"{name}[{', '.join(map(str, place))}]"
    parts = f"{len(counts)} parameter{'s' if len(counts) > 1 else ''}"
    total = f"{sum(counts.values())} number{'s' if sum(counts.values()) > 1 else ''}"
    if strict:
        verb = "is" if sum(counts.values()) == 1 else "are"
        right = f"a value of {values.name}, which rounds it to {nearest} ({total} of {parts} {verb} none)"
        raise InputError(where, found, right)
    message = f"{total} of {parts} rounded into {values.name}: the first is {where} = {found}, taken as {nearest}"
    warnings.warn(message, RoundedWarning, stacklevel=2)
    return rounded(model)


def _text(x: object) -> str:
    element = as_element(x)
    return str(element) if isinstance(element, float) else decimal_text(element, 15)
