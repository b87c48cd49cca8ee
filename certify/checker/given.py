"""Realized blocks that are given: a file beside the certificate, which the claim names by its sha256.

The file is {"blocks": [c_0, s_0, c_1, s_1, ..], "fpcert-blocks": 1} in canonical bytes; every number is a value of F.
Nothing is known of positions beyond it, and no claim is shown that needs one.
"""

from __future__ import annotations

from .angle import Angle
from .canonical import read
from .exact import Purse, number
from .limits import Account, Malformed, Unsupported
from .rotation import Block, Rotation
from .valueset import ValueSet

__all__ = ["Given"]


class Given(Rotation):
    """The blocks of a file; sha256 names it, and it is read when the first block is asked for."""

    def __init__(self, angle: Angle, values: ValueSet, sha256: str, account: Account) -> None:
        super().__init__(angle, values, f"given by the file with sha256 {sha256}", account)
        self.sha256 = sha256
        self._blocks: list[Block] | None = None

    def _block(self, i: int) -> Block:
        """(c_i, s_i)."""
        if self._blocks is None:
            self._blocks = self._read()
        if i >= len(self._blocks):
            raise Unsupported(f"position {i} of blocks that are given up to position {len(self._blocks) - 1}")
        self.account.spend()
        return self._blocks[i]

    def _read(self) -> list[Block]:
        data = self.account.beside.get(self.sha256)
        if data is None:
            raise Unsupported("the blocks are not at hand: give the file with this sha256 by --array FILE")
        thing = read(data)
        listed = thing.get("blocks")
        version = thing.get("fpcert-blocks")
        if (
            set(thing) != {"blocks", "fpcert-blocks"}
            or type(version) is not int
            or version != 1
            or not isinstance(listed, list)
        ):
            raise Malformed("the file of the blocks has the fields blocks, a list, and fpcert-blocks, which is 1")
        purse = Purse(self.account)
        numbers = [number(x, f"blocks[{n}]", purse) for n, x in enumerate(listed)]
        outside = next((n for n, x in enumerate(numbers) if x not in self.values), None)
        if outside is not None or len(numbers) % 2 or not numbers:
            what = "they are no pairs" if outside is None else f"number {outside} is no value of F"
            raise Malformed(f"the blocks are not values of F, two for each position: {what}")
        self.account.store(len(numbers) // 2)
        return list(zip(numbers[::2], numbers[1::2], strict=True))
