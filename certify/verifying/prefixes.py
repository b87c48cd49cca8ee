"""What a model says of every prefix of a word, in one pass.

With strict future masking the stream at a position hangs on the letters up to it alone, and the stream of EOS after n
letters on those n letters: EOS is nobody's key.  So two streams are computed side by side, of the letters and of an EOS
that stands at each position, and both look at the keys and values of the letters.  A word of n letters costs twice what
it costs to run it once, and answers for n + 1 words.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from certify.verifying.pointwise import Pointwise
from certify.verifying.positions import Positions
from fpsim.attention.attend import attend_fast
from fpsim.attention.stages import kernels_of
from fpsim.errors import UnsupportedError
from fpsim.transformer.model import Transformer
from fpsim.transformer.parameters import require_values
from fpsim.transformer.words import BOS, EOS

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["accepted_prefixes"]

_POSITIONS = 1 << 16  # of a batch


def accepted_prefixes(model: Transformer, words: NDArray[np.int64], threads: int | None = None) -> NDArray[np.bool_]:
    """words: letter numbers, (words, length).  The answer has the shape (words, length + 1): entry n is about the first
    n letters.

    Raises `UnsupportedError` for a model that also attends to its own position, and for value sets without compiled
    arithmetic; `InputError` for parameters that are not values of F.

    >>> from certify.counterexamples import flip_flop
    >>> accepted_prefixes(flip_flop().model, np.array([[0, 1, 2, 0]])).tolist()
    [[False, True, False, False, True]]
    """
    require_values(model)
    if model.mask != "strict":
        raise UnsupportedError("prefixes are read in one pass with strict masking only: here EOS attends to itself")
    if kernels_of(model.precision) is None:
        raise UnsupportedError(f"{model.precision} has no compiled arithmetic")
    count, length = words.shape
    maps = Pointwise.of(model, Positions.first(model, length + 2), threads)
    step = max(1, _POSITIONS // (length + 2))
    parts = [_accepted(maps, words[start : start + step]) for start in range(0, count, step)]
    return np.concatenate(parts) if parts else np.zeros((0, length + 1), dtype=np.bool_)


def _accepted(maps: Pointwise, words: NDArray[np.int64]) -> NDArray[np.bool_]:
    model, (count, length) = maps.model, words.shape
    size = length + 2  # the positions of BOS, the letters and the last EOS; an EOS at 0 and a letter after the last
    tokens = np.concatenate([np.full((count, 1), BOS), words + 2, np.full((count, 1), EOS)], axis=1)
    table = np.stack([[maps.embedded(token, at) for at in range(size)] for token in range(len(model.embedding))])
    places = np.arange(size)
    both = np.stack([table[tokens, places], np.broadcast_to(table[EOS], (count, *table[EOS].shape))])
    at = np.broadcast_to(places, both.shape[:3]).reshape(-1)
    for n, layer in enumerate(model.layers):
        attended = None
        if layer.attention is not None:
            made = maps.projected(n, both.reshape(-1, model.dim), at)
            q, k, v = (
                x.reshape(2, count, size, layer.attention.heads, -1).transpose(0, 1, 3, 2, 4)
                for x in (made.queries, made.keys, made.values)
            )
            items = [
                np.ascontiguousarray(x, dtype=maps.kernels.dtype).reshape(-1, size, x.shape[-1])
                for x in (q, np.broadcast_to(k[0], k.shape), np.broadcast_to(v[0], v.shape))
            ]
            found = attend_fast(maps.kernels, *items, mask="strict", threads=maps.threads).astype(np.float64)
            attended = found.reshape(v.shape).transpose(0, 1, 3, 2, 4).reshape(2 * count * size, -1)
        both = maps.layer(n, both.reshape(-1, model.dim), attended).reshape(both.shape)
    return maps.classified(both[1, :, 1:].reshape(-1, model.dim)).reshape(count, length + 1)
