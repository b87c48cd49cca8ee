"""Rotating queries and keys by realized blocks, and sinusoidal encodings ("semantics 1", §3 and §4).

A pair (x0, x1) at position i becomes ((c x0) - (s x1), (s x0) + (c x1)), each operation rounded into `rotate`, the
results then into the set of values.  A pair of angle 0 is left as it is, whatever the value sets.
"""

from __future__ import annotations

from typing import Any, TypeAlias

import numpy as np

from fpsim import arithmetic
from fpsim.angle import Angle
from fpsim.blocks import Floats, blocks
from fpsim.errors import InputError
from fpsim.precision import Precision
from fpsim.realization import Block, Kind, Realization
from fpsim.transformer.parts import Rotary, Sinusoidal

__all__ = ["encodings", "realized_blocks", "rotate_all", "rotations"]

Array: TypeAlias = "np.ndarray[Any, np.dtype[Any]]"


def rotations(precision: Precision, kind: Kind, angles: tuple[Angle, ...]) -> list[Realization | None]:
    """The realized rotation of each pair; None for an unrotated one."""
    values = precision.values
    return [kind.rotation(angle, values, pair) if angle else None for pair, angle in enumerate(angles)]


def _check_length(realization: Realization, length: int) -> None:
    if realization.length is not None and realization.length < length:
        raise InputError("word", f"{length} positions", f"at most {realization.length}, those of {realization.name}")


def realized_blocks(realization: Realization, length: int) -> tuple[Floats, Floats]:
    """(c, s) of the positions 0 .. length-1.  Raises `InputError` where the realization does not reach that far."""
    _check_length(realization, length)
    return blocks(realization, 0, length)


def block_list(realization: Realization, length: int) -> list[Block]:
    """The same as exact elements."""
    _check_length(realization, length)
    return [realization.block(i) for i in range(length)]


def rotate_all(precision: Precision, rotary: Rotary, x: Array) -> Array:
    """x of shape (words, heads, length, size), rotated at every position; binary64."""
    rotate, values = precision.regime.rotate, precision.values
    length, made = x.shape[2], x.copy()
    for head, angles in enumerate(rotary.angles):
        for pair, realization in enumerate(rotations(precision, rotary.kind, angles)):
            if realization is None:
                continue
            c, s = realized_blocks(realization, length)
            x0, x1 = x[:, head, :, 2 * pair], x[:, head, :, 2 * pair + 1]
            first = arithmetic.sub(rotate, arithmetic.mul(rotate, c, x0), arithmetic.mul(rotate, s, x1))
            second = arithmetic.add(rotate, arithmetic.mul(rotate, s, x0), arithmetic.mul(rotate, c, x1))
            made[:, head, :, 2 * pair] = first if rotate == values else arithmetic.round(values, first)
            made[:, head, :, 2 * pair + 1] = second if rotate == values else arithmetic.round(values, second)
    return made


def encodings(precision: Precision, position: Sinusoidal, length: int, dim: int) -> tuple[Array, Array]:
    """(encodings of shape (length, dim), which coordinates have one); values of F, 0 elsewhere."""
    made, taken = np.zeros((length, dim)), np.zeros(dim, dtype=bool)
    for pair, angle in enumerate(position.angles):
        realization = position.kind.rotation(angle, precision.values, pair)
        c, s = realized_blocks(realization, length)
        at = position.first + 2 * pair
        made[:, at] = arithmetic.round(precision.values, s)
        made[:, at + 1] = arithmetic.round(precision.values, c)
        taken[at : at + 2] = True
    return made, taken
