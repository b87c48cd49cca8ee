"""P-RoPE: a realized rotation whose position is taken modulo a window W (arXiv:2605.27980).

R_i is the inner realization's R_{i mod W}, so that every component repeats after W positions by construction, whatever
its angle is.  What is stored, and so what a head's bias is made of, is the inner realization's.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.real import Real
from fpsim.realization.block import Block, Realization
from fpsim.realization.kinds import Kind, parse_kind
from fpsim.valueset import ValueSet

if TYPE_CHECKING:
    from fpsim.blocks import Floats

__all__ = ["Windowed", "WindowedKind", "windowed"]


def _check(window: int) -> None:
    if type(window) is not int or window < 1:
        raise InputError("window", window, "a whole number of at least 1")


@dataclass(frozen=True)
class Windowed:
    """The blocks of `inner` at the positions modulo `window`.

    >>> from fpsim.realization.phase import Phase
    >>> inner = Phase(Angle.parse("1"), ValueSet.parse("bf16"))
    >>> Windowed(inner, 8).block(21) == inner.block(5)
    True
    """

    inner: Realization
    window: int

    def __post_init__(self) -> None:
        _check(self.window)

    @property
    def angle(self) -> Angle:
        """The inner realization's."""
        return self.inner.angle

    @property
    def values(self) -> ValueSet:
        """The inner realization's."""
        return self.inner.values

    @property
    def name(self) -> str:
        """The inner realization's name and the window: `phase mod 4096`."""
        return f"{self.inner.name} mod {self.window}"

    @property
    def length(self) -> int | None:
        """None where the inner realization knows the whole window; else as many positions as it knows."""
        known = self.inner.length
        return None if known is None or known >= self.window else known

    def fast_blocks(self, start: int, stop: int) -> tuple[Floats, Floats]:
        """(c, s) of the positions start .. stop-1 (`fpsim.blocks`): those of the window, read again and again."""
        import numpy as np

        from fpsim.blocks import blocks

        window, low = self.window, start % self.window
        high = low + stop - start
        if high <= window:
            return blocks(self.inner, low, high)
        if stop - start < window:  # over one end of the window: its last blocks, then its first
            ends = blocks(self.inner, low, window), blocks(self.inner, 0, high - window)
            c, s = (np.concatenate(entries) for entries in zip(*ends, strict=True))
            return c, s
        places = np.arange(start, stop) % window
        c, s = blocks(self.inner, 0, window)
        return c[places], s[places]

    def block(self, position: int) -> Block:
        """(c_i, s_i).  Raises IndexError beyond `length`."""
        if self.length is not None and position >= self.length:
            raise IndexError(f"position {position} of {self.length} that are known")
        return self.inner.block(position % self.window)

    def bias_angle(self) -> Angle | None:
        """The inner realization's."""
        return self.inner.bias_angle()

    def bias_rotation(self, offset: int) -> tuple[Real, Real] | None:
        """The inner realization's."""
        return self.inner.bias_rotation(offset)


@dataclass(frozen=True)
class WindowedKind:
    """A kind of realization, with the positions modulo `window`."""

    inner: Kind
    window: int

    def __post_init__(self) -> None:
        _check(self.window)

    @property
    def name(self) -> str:
        """The inner kind's name and the window: `phase mod 4096`."""
        return f"{self.inner.name} mod {self.window}"

    def rotation(self, angle: Angle, values: ValueSet, pair: int = 0) -> Realization:
        """The inner kind's rotation, windowed."""
        return Windowed(self.inner.rotation(angle, values, pair), self.window)


def windowed(kind: Kind | str, window: int) -> WindowedKind:
    """The kind with the positions modulo `window` >= 1.  Raises `InputError`.

    >>> windowed("phase", 4096).name
    'phase mod 4096'
    """
    return WindowedKind(parse_kind(kind), window)
