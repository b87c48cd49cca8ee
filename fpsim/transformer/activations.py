"""What the forward pass of one word stores on its way."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from fpsim.operands import Array
from fpsim.rounding.reference import Element

__all__ = ["Activations", "HeadStreams"]


@dataclass(frozen=True, eq=False)
class HeadStreams:
    """Of one layer, by head: queries and keys after the rotation, values, and what each position attended to.

    Shapes (heads, length, size) and (heads, length, size of a value).
    """

    queries: Array
    keys: Array
    values: Array
    attended: Array


@dataclass(frozen=True, eq=False)
class Activations:
    """inputs: of each layer, (length, dim).  heads: of each layer that has attention, else None.

    final: after the last layer, before the last norm.  value: the classifier's at EOS; the word is accepted when it is
    above 0.
    """

    inputs: tuple[Array, ...]
    heads: tuple[HeadStreams | None, ...]
    final: Array
    value: float | Element | Any
