"""One head with equal scores: the rounded mean of a number for each letter."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.operands import as_array
from fpsim.transformer import Attention, Layer, Linear, Precision, Transformer
from fpsim.valueset import ValueSet

__all__ = ["uniform_head"]


def uniform_head(
    dtype: ValueSet | Precision | str, letters: Mapping[str, Any], *, bos: Any = 0, threshold: Any = 0
) -> Transformer:
    """A model of one coordinate and one layer without a feed-forward network: the value of a letter is its number, that
    of BOS is `bos`, all scores are 0, and a word is accepted when what EOS attends to is above `threshold`.

    Every number must be a value of F.  With all scores 0 every exponential is 1, the denominator at EOS is the rounded
    sum of n + 1 ones for a word of n letters, and all weights are its rounded inverse.

    >>> from fpsim.transformer.forward import run
    >>> run(uniform_head("fp16", {"a": 1, "b": -1}), ["a", "ab", "bab", "aab"]).accepted.tolist()
    [True, False, False, True]
    """
    if not letters:
        raise InputError("letters", "none", "at least one letter and its number")
    zero, one = Linear(np.zeros((1, 1))), Linear(np.ones((1, 1)))
    mean = Attention(query=zero, key=zero, value=one, output=one)
    precision = dtype if isinstance(dtype, Precision) else Precision.of(dtype)
    rows = as_array([[bos], [0], *([number] for number in letters.values())])
    least = parse_number(threshold, "threshold")
    bias = None if least == 0 else as_array([-least])
    return Transformer(tuple(letters), rows, (Layer(mean),), Linear(np.ones((1, 1)), bias), precision)
