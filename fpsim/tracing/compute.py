"""`trace`: one head of a transformer on one word, beside the same head without rounding."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Integral

import numpy as np

from fpsim.attention.rows import Rows, attention_rows
from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_count
from fpsim.operands import Array, as_element
from fpsim.rounding.reference import Element
from fpsim.tracing.exact import ExactRow, exact_rows
from fpsim.tracing.lost import head_events
from fpsim.tracing.result import Row, Trace
from fpsim.transformer.activations import HeadStreams
from fpsim.transformer.forward import activations
from fpsim.transformer.model import Transformer
from fpsim.transformer.words import Word, tokens, word_text

__all__ = ["MOST", "trace"]

MOST = 1 << 21
"""Products of numbers that one trace looks at: (query, key) pairs times coordinates of a key and of a value together.
It keeps a trace at some seconds, and its memory at some hundred megabytes."""


def trace(model: Transformer, word: Word, layer: int, head: int, *, rows: Sequence[int] | None = None) -> Trace:
    """What a head attends to at every query position of BOS `word` EOS, or at those of `rows`, realized and exact, and
    every place where rounding mattered (`fpsim.tracing.event.Event`).

    The exact counterpart starts from the same realized queries, keys and values, so that the difference is the rounding
    of this head alone; its weights have `fpsim.tracing.exact.BITS` bits.  Raises `InputError` for a layer, a head or a
    row that there is not, and for letters outside the alphabet; `UnsupportedError` for more work than `MOST` (then
    `rows` chooses some positions).

    >>> from fpsim.transformer import Attention, Layer, Linear, Precision
    >>> zero, one = Linear([[0.0]]), Linear([[1.0]])  # equal scores: the mean of the values before
    >>> mean = Attention(query=zero, key=zero, value=one, output=one)
    >>> letters = [[0.0], [0.0], [1.0]]  # BOS, EOS, a
    >>> model = Transformer(("a",), letters, (Layer(mean),), one, Precision.of("e5m2"))
    >>> found = trace(model, "a" * 12, 0, 0)
    >>> [str(row.denominator) for row in found.rows]
    ['0', '1', '2', '3', '4', '5', '6', '7', '8', '8', '8', '8', '8', '8']
    >>> found.of_kind("stagnation", "denominator")[0].text
    'key 8: 8 + 1 stays 8'
    """
    _check_place(model, layer, head)
    found = tokens(model, word)
    wanted = list(range(found.size)) if rows is None else [_row_number(i, found.size) for i in rows]
    attention = model.layers[layer].attention
    assert attention is not None  # _check_place has seen to it
    own = 1 if model.mask == "causal" else 0
    size, width = attention.query.outputs // attention.heads, attention.value.outputs // attention.heads
    _check_work(wanted, own, size + width, found.size)
    streams = activations(model, word).heads[layer]
    assert streams is not None
    q, k, v = _of_head(streams, head)
    realized = attention_rows(model.precision, q, k, v, rows=wanted, mask=model.mask)
    exact = exact_rows(q, k, v, wanted, own)
    names = ("BOS", *(model.alphabet[n - 2] for n in found[1:-1].tolist()), "EOS")
    made = tuple(_row(realized, n, i + own, exact[n]) for n, i in enumerate(wanted))
    events = head_events(model.precision, q, k, v, realized, made, own)
    return Trace(
        word_text(word), names, str(model.precision), model.mask, int(layer), int(head),
        len(model.layers), attention.heads, made, events,
    )  # fmt: skip


def _check_place(model: Transformer, layer: int, head: int) -> None:
    layers = len(model.layers)
    if not layers:
        raise InputError("layer", layer, "absent: this model has no layers")
    _check_number(layer, layers, "layer", "this model")
    attention = model.layers[layer].attention
    if attention is None:
        others = [str(n) for n, each in enumerate(model.layers) if each.attention is not None]
        raise InputError("layer", layer, f"one with attention: {', '.join(others) or 'this model has none'}")
    _check_number(head, attention.heads, "head", f"layer {layer}")


def _check_number(x: object, number: int, thing: str, owner: str) -> None:
    if isinstance(x, bool) or not isinstance(x, Integral) or not 0 <= int(x) < number:
        raise InputError(thing, x, f"between 0 and {number - 1}: {owner} has {_count(number, thing)}")


def _count(number: int, thing: str) -> str:
    return f"{number} {thing}{'' if number == 1 else 's'}"


def _row_number(i: int, length: int) -> int:
    return parse_count(i, f"row (the word has {length} positions, BOS and EOS among them)", least=0, most=length - 1)


def _check_work(wanted: Sequence[int], own: int, width: int, length: int) -> None:
    pairs = sum(i + own for i in wanted)
    if pairs * width > MOST:
        raise UnsupportedError(
            f"a trace of {_count(len(wanted), 'row')} of a word of {length} positions looks at {pairs:,} pairs of a "
            f"query and a key, {width} products each; at most {MOST:,} products are traced at once: choose fewer rows"
        )


def _of_head(streams: HeadStreams, head: int) -> tuple[Array, Array, Array]:
    return streams.queries[head], streams.keys[head], streams.values[head]


def _elements(x: Array) -> tuple[Element, ...]:
    return tuple(as_element(each) for each in x)


def _row(realized: Rows, n: int, keys: int, exact: ExactRow | None) -> Row:
    scores = _elements(realized.scores[n, :keys])
    usable = bool(scores) and not any(s != s for s in scores)
    most = max(scores) if usable else None
    return Row(
        query=realized.rows[n],
        keys=keys,
        target=scores.index(most) if most is not None else None,
        ties=scores.count(most) if most is not None else 0,
        scores=scores,
        exponentials=_elements(realized.exponentials[n, :keys]),
        denominator=as_element(np.asarray(realized.denominators)[n]),
        weights=_elements(realized.weights[n, :keys]),
        output=_elements(realized.outputs[n]),
        exact_target=None if exact is None else exact.greatest,
        exact_scores=() if exact is None else tuple(exact.score(j) for j in range(keys)),
        exact_denominator=None if exact is None else exact.total,
        exact_weights=() if exact is None else exact.weights,
        exact_output=() if exact is None else exact.output,
    )
