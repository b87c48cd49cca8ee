"""What a model does at each position by itself: embedding, linear maps, norms, the feed-forward network."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

import numpy as np

from certify.verifying.limits import BeyondLimitError
from certify.verifying.positions import Positions
from fpsim import arithmetic
from fpsim.attention.stages import Kernels, kernels_of
from fpsim.transformer.layer_norm import apply_norm
from fpsim.transformer.linear import apply_linear
from fpsim.transformer.model import Transformer
from fpsim.transformer.parts import Attention, Layer, Linear, Norm

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Pointwise", "Projections"]


@dataclass(frozen=True, eq=False)
class Projections:
    """Of one layer, for some streams: queries and keys after the rotation, and values; (streams, heads, size)."""

    queries: NDArray[np.float64]
    keys: NDArray[np.float64]
    values: NDArray[np.float64]


@dataclass(frozen=True, eq=False)
class Pointwise:
    """The maps of a model; streams are rows of binary64 numbers, values of F.

    threads: how many at once where there are many rows (all cores for None).
    """

    model: Transformer
    positions: Positions
    kernels: Kernels
    threads: int | None = 1

    @staticmethod
    def of(model: Transformer, positions: Positions, threads: int | None = 1) -> Pointwise:
        """Raises `BeyondLimitError` for value sets that only the reference arithmetic serves."""
        kernels = kernels_of(model.precision)
        if kernels is None:
            raise BeyondLimitError(f"{model.precision} has no compiled arithmetic")
        return Pointwise(model, positions, kernels, threads)

    def embedded(self, token: int, at: int) -> NDArray[np.float64]:
        """The stream of a row of the embedding at a position of class `at`."""
        stream: NDArray[np.float64] = self.model.embedding[token].astype(np.float64)
        if self.positions.encodings is not None:
            encodings, taken = self.positions.encodings
            total = arithmetic.add(self.model.precision.linear, stream[taken], encodings[at][taken])
            stream[taken] = arithmetic.round(self.model.precision.values, total)
        return stream

    def projected(self, n: int, streams: NDArray[np.float64], at: NDArray[np.int64]) -> Projections:
        """Queries, keys and values of layer n, for streams at positions of the classes `at`."""
        layer = self.model.layers[n]
        attention = layer.attention
        assert attention is not None  # asked only of layers that have one
        inner = self._norm(layer.attention_norm, streams) if self.model.norm_at == "pre" else streams
        q, k, v = (self._by_head(attention, each, inner) for each in (attention.query, attention.key, attention.value))
        turns = self.positions.turns[n]
        if turns is not None:
            q, k = (self._turned(turns, each, at) for each in (q, k))
        return Projections(q, k, v)

    def _by_head(self, attention: Attention, linear: Linear, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return self._linear(linear, x).reshape(len(x), attention.heads, -1)

    def _turned(
        self,
        turns: tuple[tuple[tuple[NDArray[np.float64], NDArray[np.float64]] | None, ...], ...],
        x: NDArray[np.float64],
        at: NDArray[np.int64],
    ) -> NDArray[np.float64]:
        rotate, values = self.model.precision.regime.rotate, self.model.precision.values
        made = x.copy()
        for head, pairs in enumerate(turns):
            for pair, block in enumerate(pairs):
                if block is None:
                    continue
                c, s = block[0][at], block[1][at]
                x0, x1 = x[:, head, 2 * pair], x[:, head, 2 * pair + 1]
                first = arithmetic.sub(rotate, arithmetic.mul(rotate, c, x0), arithmetic.mul(rotate, s, x1))
                second = arithmetic.add(rotate, arithmetic.mul(rotate, s, x0), arithmetic.mul(rotate, c, x1))
                made[:, head, 2 * pair] = arithmetic.round(values, first)
                made[:, head, 2 * pair + 1] = arithmetic.round(values, second)
        return made

    def layer(self, n: int, streams: NDArray[np.float64], attended: NDArray[np.float64] | None) -> NDArray[np.float64]:
        """The streams after layer n; attended: of all heads, one after the other (None without attention)."""
        layer, x = self.model.layers[n], streams
        before = self.model.norm_at == "pre"
        if layer.attention is not None:
            assert attended is not None
            x = self._added(x, self._linear(layer.attention.output, attended))
            x = x if before else self._norm(layer.attention_norm, x)
        return self._fed_forward(layer, x, before)

    def _fed_forward(self, layer: Layer, x: NDArray[np.float64], before: bool) -> NDArray[np.float64]:
        if layer.feed_forward is None:
            return x
        inner = self._norm(layer.feed_forward_norm, x) if before else x
        up = layer.feed_forward.up
        hidden = apply_linear(self.kernels, inner, up.weight, up.bias, relu=True, threads=self.threads)
        x = self._added(x, self._linear(layer.feed_forward.down, hidden))
        return x if before else self._norm(layer.feed_forward_norm, x)

    def classified(self, streams: NDArray[np.float64]) -> NDArray[np.bool_]:
        """Whether the classifier's value is above 0."""
        values = self._linear(self.model.classifier, self._norm(self.model.final_norm, streams))
        accepted: NDArray[np.bool_] = values[:, 0] > 0
        return accepted

    def _linear(self, linear: Linear, x: NDArray[np.float64]) -> NDArray[np.float64]:
        return apply_linear(self.kernels, x, linear.weight, linear.bias, threads=self.threads).astype(np.float64)

    def _added(self, x: NDArray[np.float64], y: NDArray[np.float64]) -> NDArray[np.float64]:
        total = arithmetic.add(self.model.precision.linear, x, y)
        return np.asarray(arithmetic.round(self.model.precision.values, total))

    def _norm(self, norm: Norm | None, x: NDArray[np.float64]) -> NDArray[np.float64]:
        if norm is None:
            return x
        return apply_norm(self.kernels, norm, x, threads=self.threads).astype(np.float64)
