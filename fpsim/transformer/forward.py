"""The forward pass of a transformer, compiled, over batches of words of one length.

Every stage is the one of `fpsim.transformer.forward_reference`, which also serves the value sets that no kernel does.
A word's result depends on nothing but the word: not on the batch it is in, nor on the number of threads.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np

from fpsim import arithmetic
from fpsim.attention.attend import attend_fast
from fpsim.attention.stages import Kernels, kernels_of
from fpsim.number import parse_count
from fpsim.operands import Array, result_array
from fpsim.transformer import forward_reference
from fpsim.transformer.activations import Activations, HeadStreams
from fpsim.transformer.linear import apply_linear
from fpsim.transformer.model import Transformer
from fpsim.transformer.parameters import require_values
from fpsim.transformer.parts import Attention, FeedForward, Linear, Norm
from fpsim.transformer.rotation import encodings, rotate_all
from fpsim.transformer.words import Word, letter_rows, tokens

__all__ = ["Outcome", "activations", "run"]

Tokens: TypeAlias = "np.ndarray[Any, np.dtype[np.int64]]"

_NUMBERS = 1 << 23
"""Numbers of the widest stream of a batch, which takes a few times as much memory as that."""


@dataclass(frozen=True, eq=False)
class Outcome:
    """What a model says of words: the classifier's value at EOS of each, and whether it is above 0.

    A value that is NaN is not above 0: the word is not accepted.
    """

    words: tuple[Word, ...]
    values: Array

    @property
    def accepted(self) -> Array:
        """One bool for each word."""
        return np.array([bool(value > 0) for value in self.values], dtype=np.bool_)


def run(
    model: Transformer,
    words: Sequence[Word],
    *,
    threads: int | None = None,
    progress: Callable[[float, int], None] | None = None,
) -> Outcome:
    """Run the model on every word; words may differ in length.

    threads: how many at once (all cores for None); results do not depend on it.  progress: called with (words done,
    all words); words that are being computed count by the part of their work that is done.  An interrupt ends the run
    within about a second.  Raises `InputError` for a letter outside the alphabet, for a word longer than an `array`
    realization, and for parameters that are not values of F (`fpsim.transformer.rounded` makes them so).

    >>> from fpsim.transformer import Linear, Precision
    >>> model = Transformer(("a", "b"), [[0.0], [1.0], [0.0], [0.0]], (), Linear([[1.0]]), Precision.of("fp16"))
    >>> run(model, ["", "ab"]).accepted.tolist()
    [True, True]
    """
    require_values(model)
    words = tuple(words)
    if threads is not None:
        parse_count(threads, "threads", least=1)
    rows = letter_rows(model)
    inputs = [tokens(model, word, rows) for word in words]
    kernels = kernels_of(model.precision)
    if kernels is None:
        found = []
        for n, word in enumerate(words):
            found.append(forward_reference.classify(model, word))
            if progress is not None:
                progress(n + 1, len(words))
        return Outcome(words, result_array(model.precision.values, found, (len(words),)))
    values, done = np.empty(len(words)), 0
    for batch in _batches(inputs, _width(model)):

        def report(part: float, before: int = done, size: int = len(batch)) -> None:
            if progress is not None:
                progress(before + part * size, len(words))

        values[batch] = _classify(model, kernels, np.stack([inputs[n] for n in batch]), threads, report)
        done += len(batch)
        report(1.0)
    return Outcome(words, values)


def _width(model: Transformer) -> int:
    """Numbers that a position has in the widest stream of the model."""
    widths = [model.dim]
    for layer in model.layers:
        widths += [] if layer.attention is None else [layer.attention.query.outputs, layer.attention.value.outputs]
        widths += [] if layer.feed_forward is None else [layer.feed_forward.up.outputs]
    return max(widths)


def _batches(inputs: Sequence[Tokens], width: int) -> Iterator[list[int]]:
    """Numbers of words of one length, as many as `_NUMBERS` allows at once."""
    by_length: dict[int, list[int]] = {}
    for n, word in enumerate(inputs):
        by_length.setdefault(word.size, []).append(n)
    for length, numbers in sorted(by_length.items()):
        count = max(1, _NUMBERS // (length * width))
        for start in range(0, len(numbers), count):
            yield numbers[start : start + count]


def _classify(
    model: Transformer, kernels: Kernels, words: Tokens, threads: int | None, report: Callable[[float], None]
) -> Array:
    stream, count = _embedded(model, kernels, words), len(model.layers)
    for n in range(count):

        def layer_done(part: float, n: int = n) -> None:
            report((n + part) / count)

        stream = _layer(model, kernels, n, stream, threads, None, layer_done)
    return _classifier(model, kernels, stream[:, -1:])[:, 0, 0]


def activations(model: Transformer, word: Word) -> Activations:
    """Everything that the forward pass of one word stores, by the compiled kernels where they serve the value sets.

    >>> from fpsim.transformer import Linear, Precision
    >>> model = Transformer(("a",), [[0.0], [1.0], [2.0]], (), Linear([[1.0]]), Precision.of("fp16"))
    >>> activations(model, "a").final.tolist()
    [[0.0], [2.0], [1.0]]
    """
    require_values(model)
    kernels = kernels_of(model.precision)
    if kernels is None:
        return forward_reference.activations(model, word)
    stream = _embedded(model, kernels, tokens(model, word)[None])
    inputs: list[Array] = []
    heads: list[HeadStreams | None] = []
    for n in range(len(model.layers)):
        inputs.append(stream[0].astype(np.float64))
        kept: list[HeadStreams] = []
        stream = _layer(model, kernels, n, stream, 1, kept)
        heads.append(kept[0] if kept else None)
    value = _classifier(model, kernels, stream[:, -1:])[0, 0, 0]
    return Activations(tuple(inputs), tuple(heads), stream[0].astype(np.float64), float(value))


def _embedded(model: Transformer, kernels: Kernels, words: Tokens) -> Array:
    stream = model.embedding[words]
    if model.position is not None:
        made, taken = encodings(model.precision, model.position, words.shape[1], model.dim)
        total = arithmetic.add(model.precision.linear, stream[..., taken], made[:, taken])
        stream[..., taken] = arithmetic.round(model.precision.values, total)
    return np.asarray(stream.astype(kernels.dtype))


def _layer(
    model: Transformer,
    kernels: Kernels,
    n: int,
    x: Array,
    threads: int | None,
    kept: list[HeadStreams] | None,
    done: Callable[[float], None] | None = None,
) -> Array:
    layer, before = model.layers[n], model.norm_at == "pre"
    if layer.attention is not None:
        inner = _norm(kernels, layer.attention_norm, x, threads) if before else x
        x = _added(model, kernels, x, _attention(model, kernels, layer.attention, inner, threads, kept, done))
        x = x if before else _norm(kernels, layer.attention_norm, x, threads)
    if layer.feed_forward is not None:
        inner = _norm(kernels, layer.feed_forward_norm, x, threads) if before else x
        x = _added(model, kernels, x, _feed_forward(kernels, layer.feed_forward, inner, threads))
        x = x if before else _norm(kernels, layer.feed_forward_norm, x, threads)
    return x


def _attention(
    model: Transformer,
    kernels: Kernels,
    attention: Attention,
    x: Array,
    threads: int | None,
    kept: list[HeadStreams] | None,
    done: Callable[[float], None] | None,
) -> Array:
    words, length, _ = x.shape

    def by_head(linear: Linear) -> Array:
        y = _linear(kernels, linear, x, threads)
        return y.reshape(words, length, attention.heads, -1).transpose(0, 2, 1, 3)

    q, k, v = by_head(attention.query), by_head(attention.key), by_head(attention.value)
    if attention.rotary is not None:
        precision = model.precision
        q, k = (rotate_all(precision, attention.rotary, y.astype(np.float64)) for y in (q, k))
    q, k = (np.ascontiguousarray(y, dtype=kernels.dtype) for y in (q, k))
    items = [np.ascontiguousarray(y).reshape(-1, length, y.shape[3]) for y in (q, k, v)]
    attended = attend_fast(kernels, *items, mask=model.mask, threads=threads, done=done).reshape(v.shape)
    if kept is not None:
        kept.append(HeadStreams(*(y[0].astype(np.float64) for y in (q, k, v, attended))))
    joined = attended.transpose(0, 2, 1, 3).reshape(words, length, -1)
    return _linear(kernels, attention.output, joined, threads)


def _feed_forward(kernels: Kernels, network: FeedForward, x: Array, threads: int | None) -> Array:
    hidden = apply_linear(kernels, x, network.up.weight, network.up.bias, relu=True, threads=threads)
    return _linear(kernels, network.down, hidden, threads)


def _linear(kernels: Kernels, linear: Linear, x: Array, threads: int | None) -> Array:
    return apply_linear(kernels, x, linear.weight, linear.bias, threads=threads)


def _classifier(model: Transformer, kernels: Kernels, x: Array) -> Array:
    return _linear(kernels, model.classifier, _norm(kernels, model.final_norm, x, 1), 1)


def _added(model: Transformer, kernels: Kernels, x: Array, y: Array) -> Array:
    total = arithmetic.add(model.precision.linear, x, y)
    if model.precision.linear != model.precision.values:
        total = arithmetic.round(model.precision.values, total)
    return np.asarray(total, dtype=kernels.dtype)


def _norm(kernels: Kernels, norm: Norm | None, x: Array, threads: int | None) -> Array:
    if norm is None:
        return x
    from fpsim.transformer.layer_norm import apply_norm

    return apply_norm(kernels, norm, x, threads=threads)
