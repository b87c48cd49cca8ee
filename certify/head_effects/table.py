"""The realized table of a head with a rotary pair for each realization: keys, bias, and which positions look alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from fpsim.blocks import Floats, Integers, blocks
from fpsim.errors import InputError, UnsupportedError
from fpsim.realization import Realization
from fpsim.rounding.reference import round_exact
from fpsim.valueset import ValueSet

__all__ = ["MAX_ENTRIES", "HeadTable", "head_table"]

MAX_ENTRIES = 1 << 24  # positions times pairs: 131072 positions of a head of dimension 256; the keys take 256 MB
_BINARY64 = ValueSet.parse("fp64")
_AT_ONCE = (
    1 << 13
)  # positions of all pairs that are computed in one go; with fewer the calls cost more than the numbers
_ROWS_AT_ONCE = 1 << 9  # rows that are mixed in one go: they stay in a cache


@dataclass(frozen=True)
class HeadTable:
    """What the scores of a k-offset head of uniform content are made of.

    keys: row j is (c_j of every pair, s_j of every pair), for the positions before `leaves_F_at`, of n pairs: an array
    of that many rows and 2n columns of finite numbers, no -0.  bias: b_d = (round(cos k g_d), round(-sin k g_d)) in
    binary64 with g_d the angle that the realization stores ("semantics 1", §4), two arrays of n numbers; None when the
    bias is not finite.  offset: k.  length: the positions that were asked for.  leaves_F_at: the first of them whose
    block has an infinity or a NaN.
    """

    keys: Floats
    bias: tuple[Floats, Floats] | None
    offset: int
    length: int
    leaves_F_at: int | None

    @property
    def pairs(self) -> int:
        """n, the number of rotary pairs."""
        return int(self.keys.shape[1]) // 2

    def kinds(self) -> Integers:
        """A number for each row of `keys`, from 0 on, the same for rows that are equal and for no others.

        Rows are told apart by 64 mixed bits of each; the rows that have these in common are then compared.
        """
        _, first, numbers = np.unique(_mixed(self.keys), return_index=True, return_inverse=True)
        numbers = numbers.reshape(-1).astype(np.int64)
        alike = first[numbers]
        others = np.flatnonzero(alike != np.arange(alike.size))
        for start in range(0, others.size, _AT_ONCE):
            rows = others[start : start + _AT_ONCE]
            if not np.array_equal(self.keys[rows], self.keys[alike[rows]]):
                return _sorted_kinds(self.keys)
        return numbers


def _mixed(keys: Floats) -> Any:
    """64 bits of each row."""
    factors = np.random.default_rng(1).integers(1 << 63, size=keys.shape[1], dtype=np.uint64) * 2 + 1
    mixed = np.empty(keys.shape[0], np.uint64)
    for start in range(0, keys.shape[0], _ROWS_AT_ONCE):
        bits = np.ascontiguousarray(keys[start : start + _ROWS_AT_ONCE]).view(np.uint64)
        bits = (bits ^ (bits >> np.uint64(32))) * factors
        bits ^= bits >> np.uint64(29)
        mixed[start : start + _ROWS_AT_ONCE] = bits.sum(axis=1)
    return mixed


def _sorted_kinds(keys: Floats) -> Integers:
    """`HeadTable.kinds` by sorting the rows: the reference, which takes as much memory as the keys."""
    rows = np.ascontiguousarray(keys).view(np.dtype((np.void, keys.itemsize * keys.shape[1])))
    return np.unique(rows.ravel(), return_inverse=True)[1].reshape(-1).astype(np.int64)


def head_table(rotations: Sequence[Realization], length: Any, offset: Any) -> HeadTable:
    """The table of positions 0 .. length-1.  Raises `InputError`, and `UnsupportedError` for what it cannot hold.

    >>> from fpsim.realization import realize
    >>> from fpsim.angle import Angle
    >>> table = head_table([realize("phase", Angle.parse("1"), ValueSet.parse("bf16"))], 300, 1)
    >>> table.keys.shape, int(table.kinds().max()) + 1  # 0 .. 256, then the even ones
    ((300, 2), 279)
    """
    if not rotations:
        raise InputError("rotations", "nothing", "at least one realization")
    for name, value in (("length", length), ("offset", offset)):
        if isinstance(value, bool) or not isinstance(value, int) or value < 1:
            raise InputError(name, value, "an integer of at least 1")
    known = min((rotation.length for rotation in rotations if rotation.length is not None), default=length)
    if length > known:
        raise InputError("length", length, f"at most {known}, the positions that the array has")
    if length * len(rotations) > MAX_ENTRIES:
        pairs = f"{len(rotations)} pair{'' if len(rotations) == 1 else 's'}"
        most = MAX_ENTRIES // len(rotations)
        raise UnsupportedError(
            f"{length} positions of {pairs}: more than {MAX_ENTRIES} blocks (at most {most} positions)"
        )
    for values in {rotation.values.name: rotation.values for rotation in rotations}.values():
        if values.carrier != "float64" or values.rounding == "stochastic":
            why = (
                "its rounding is stochastic" if values.rounding == "stochastic" else "binary64 does not hold its values"
            )
            raise UnsupportedError(f"the effects of a realization in {values.name} on a head: {why}")
    keys, leaves = _keys(rotations, length)
    bias = _bias(rotations, offset)
    return HeadTable(keys, bias, offset, length, leaves)


def _keys(rotations: Sequence[Realization], length: int) -> tuple[Floats, int | None]:
    """The rows before the first that is not finite, and that one's number."""
    pairs = len(rotations)
    keys = np.empty((length, 2 * pairs))
    columns = np.empty((2 * pairs, min(_AT_ONCE, length)))
    for start in range(0, length, _AT_ONCE):
        stop = min(start + _AT_ONCE, length)
        for d, rotation in enumerate(rotations):
            columns[d, : stop - start], columns[pairs + d, : stop - start] = blocks(rotation, start, stop)
        found = columns[:, : stop - start]
        np.add(found.T, 0.0, out=keys[start:stop])  # -0 + 0 = 0: the two zeros are one number
        finite = np.isfinite(found).all(axis=0)
        if not finite.all():
            leaves = start + int(finite.argmin())
            return keys[:leaves], leaves
    return keys, None


def _bias(rotations: Sequence[Realization], offset: int) -> tuple[Floats, Floats] | None:
    first, second = np.empty(len(rotations)), np.empty(len(rotations))
    for d, rotation in enumerate(rotations):
        turn = rotation.bias_rotation(offset)
        if turn is None:
            return None
        first[d], second[d] = (float(round_exact(_BINARY64, real)) for real in turn)
    second = -second + 0.0
    return (first, second) if np.isfinite(first).all() and np.isfinite(second).all() else None
