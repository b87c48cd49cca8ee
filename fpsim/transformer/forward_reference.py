"""The forward pass by the reference arithmetic: exact numbers, one rounding for each operation, any value set."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from gmpy2 import mpq

from fpsim import reference
from fpsim.attention.reference import attend, dot
from fpsim.operands import Array, result_array
from fpsim.precision import Precision
from fpsim.rounding.reference import Element, round_exact
from fpsim.transformer.activations import Activations, HeadStreams
from fpsim.transformer.layer_norm import norm_vector
from fpsim.transformer.model import Transformer
from fpsim.transformer.parts import Attention, FeedForward, Linear, Norm, Rotary, elements
from fpsim.transformer.rotation import block_list, rotations
from fpsim.transformer.words import Word, tokens

__all__ = ["activations", "classify"]

Rows = list[list[Element]]


def classify(model: Transformer, word: Word) -> Element:
    """The classifier's value at EOS: the word is accepted when it is above 0.

    >>> model = Transformer(("a",), np.zeros((3, 1)), (), Linear([[1.0]], [0.5]), Precision.of("fp16"))
    >>> classify(model, "a")
    mpq(1,2)
    """
    stream, _, _ = _forward(model, word)
    return _classifier(model, stream)


def activations(model: Transformer, word: Word) -> Activations:
    """Everything that the forward pass stores, as arrays."""
    stream, inputs, heads = _forward(model, word)
    return Activations(
        tuple(_array(model.precision, rows) for rows in inputs),
        tuple(
            None
            if each is None
            else HeadStreams(*(np.stack([_array(model.precision, head) for head in part]) for part in each))
            for each in heads
        ),
        _array(model.precision, stream),
        _classifier(model, stream),
    )


def _array(precision: Precision, rows: Rows) -> Array:
    return result_array(precision.values, [x for row in rows for x in row], (len(rows), len(rows[0])))


def _classifier(model: Transformer, stream: Rows) -> Element:
    last = _norm(model.precision, model.final_norm, stream[-1:])
    return _linear(model.precision, model.classifier, last)[0][0]


Streams = tuple[list[Rows], list[Rows], list[Rows], list[Rows]]


def _forward(model: Transformer, word: Word) -> tuple[Rows, list[Rows], list[Streams | None]]:
    stream, inputs, heads = _embedded(model, word), [], []
    for layer in model.layers:
        inputs.append(stream)
        before, precision = model.norm_at == "pre", model.precision
        streams: Streams | None = None
        if layer.attention is not None:
            inner = _norm(precision, layer.attention_norm, stream) if before else stream
            added, streams = _attention(model, layer.attention, inner)
            stream = _added(precision, stream, added)
            stream = stream if before else _norm(precision, layer.attention_norm, stream)
        if layer.feed_forward is not None:
            inner = _norm(precision, layer.feed_forward_norm, stream) if before else stream
            stream = _added(precision, stream, _feed_forward(precision, layer.feed_forward, inner))
            stream = stream if before else _norm(precision, layer.feed_forward_norm, stream)
        heads.append(streams)
    return stream, inputs, heads


def _embedded(model: Transformer, word: Word) -> Rows:
    rows = [elements(model.embedding[n]) for n in tokens(model, word)]
    position, precision = model.position, model.precision
    if position is None:
        return rows
    for pair, angle in enumerate(position.angles):
        at = position.first + 2 * pair
        for row, (c, s) in zip(
            rows, block_list(position.kind.rotation(angle, precision.values, pair), len(rows)), strict=True
        ):
            for place, entry in ((at, s), (at + 1, c)):
                total = reference.add(precision.linear, row[place], round_exact(precision.values, entry))
                row[place] = round_exact(precision.values, total)
    return rows


def _attention(model: Transformer, attention: Attention, x: Rows) -> tuple[Rows, Streams]:
    precision, heads = model.precision, attention.heads
    q, k, v = (
        _by_head(_linear(precision, each, x), heads) for each in (attention.query, attention.key, attention.value)
    )
    if attention.rotary is not None:
        q, k = (_rotated(precision, attention.rotary, each) for each in (q, k))
    attended = [[list(row.output) for row in attend(precision, q[h], k[h], v[h], model.mask)] for h in range(heads)]
    joined = [[x for head in attended for x in head[i]] for i in range(len(x))]
    return _linear(precision, attention.output, joined), (q, k, v, attended)


def _by_head(rows: Rows, heads: int) -> list[Rows]:
    size = len(rows[0]) // heads
    return [[row[h * size : (h + 1) * size] for row in rows] for h in range(heads)]


def _rotated(precision: Precision, rotary: Rotary, heads: list[Rows]) -> list[Rows]:
    rotate, values = precision.regime.rotate, precision.values
    made = [[list(row) for row in head] for head in heads]
    for head, angles in zip(made, rotary.angles, strict=True):
        for pair, realization in enumerate(rotations(precision, rotary.kind, angles)):
            if realization is None:
                continue
            for row, (c, s) in zip(head, block_list(realization, len(head)), strict=True):
                x0, x1 = row[2 * pair], row[2 * pair + 1]
                first = reference.sub(rotate, reference.mul(rotate, c, x0), reference.mul(rotate, s, x1))
                second = reference.add(rotate, reference.mul(rotate, s, x0), reference.mul(rotate, c, x1))
                row[2 * pair], row[2 * pair + 1] = round_exact(values, first), round_exact(values, second)
    return made


def _feed_forward(precision: Precision, network: FeedForward, x: Rows) -> Rows:
    hidden = [[_relu(y) for y in row] for row in _linear(precision, network.up, x)]
    return _linear(precision, network.down, hidden)


def _relu(y: Element) -> Element:
    return mpq(0) if y <= 0 else y


def _linear(precision: Precision, linear: Linear, x: Rows) -> Rows:
    matrix = [elements(row) for row in linear.weight]
    bias = None if linear.bias is None else elements(linear.bias)
    return [_product(precision, matrix, bias, row) for row in x]


def _product(
    precision: Precision, matrix: Sequence[list[Element]], bias: list[Element] | None, x: list[Element]
) -> list[Element]:
    stage, fused = precision.linear, precision.regime.fma
    sums = [dot(stage, precision.dot, fused, row, x) for row in matrix]
    if bias is not None:
        sums = [reference.add(stage, y, b) for y, b in zip(sums, bias, strict=True)]
    return [round_exact(precision.values, y) for y in sums]


def _added(precision: Precision, x: Rows, y: Rows) -> Rows:
    return [
        [round_exact(precision.values, reference.add(precision.linear, a, b)) for a, b in zip(one, two, strict=True)]
        for one, two in zip(x, y, strict=True)
    ]


def _norm(precision: Precision, norm: Norm | None, rows: Rows) -> Rows:
    return rows if norm is None else [norm_vector(precision, norm, row) for row in rows]
