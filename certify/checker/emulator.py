"""A transformer run on words, letter by letter, every operation rounded ("semantics 1", section 6).

The stream at a position hangs on the letters up to it, so words are walked as a tree: a state has the keys and values
of the positions that were read, and one letter more adds one position.  Maps of a single stream are remembered: models
that were compiled from formulas store few different ones.

-0 is 0 here: the sign of a zero reaches nothing but the signs of other zeros, as a model divides only by sums of
numbers that are at least 0 and by roots.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from math import isqrt

from .arithmetic import add, div, exp_of, fma, mul, round_real, sub
from .limits import Account, Unsupported
from .softmax import Order
from .transformer import Attention, Linear, Norm, Transformer
from .valueset import INF, ZERO, Element, ValueSet, is_nan

__all__ = ["Emulator", "State"]

Stream = tuple[Element, ...]
Head = tuple[Stream, Stream]  # the key and the value of one position

_OPERATIONS = 6  # in one unit of work; an exponential is three units, once for each argument


@dataclass(frozen=True)
class State:
    """What was read: how many positions, and for each layer and head the keys and values of each."""

    position: int
    seen: tuple[tuple[tuple[Head, ...], ...], ...]


class Emulator:
    """The model as a machine; letters are places in its alphabet."""

    def __init__(self, model: Transformer, account: Account) -> None:
        self.model, self.account, self._owed = model, account, 0
        self._apply = lru_cache(maxsize=1 << 14)(self._linear_once)
        self._normed = lru_cache(maxsize=1 << 14)(self._norm_once)
        self._exp = lru_cache(maxsize=1 << 14)(self._exp_once)
        heads = [0 if layer.attention is None else layer.attention.heads for layer in model.layers]
        self.start = self._step(State(0, tuple(tuple(() for _ in range(n)) for n in heads)), 0)[0]

    def read(self, state: State, letter: int) -> State:
        """The state after one more letter."""
        return self._step(state, letter + 2)[0]

    def accepts(self, state: State) -> bool:
        """Whether the word that was read is accepted: the classifier at EOS is above 0."""
        stream = self._normed(self.model.final_norm, self._step(state, 1)[1])
        value = self._apply(self.model.classifier, stream)[0]
        return bool(value > 0)

    def _step(self, state: State, token: int) -> tuple[State, Stream]:
        model, i = self.model, state.position
        x = self._embedded(token, i)
        self.account.spend(1 + len(x) // _OPERATIONS)
        seen = []
        for layer, before in zip(model.layers, state.seen, strict=True):
            after = before
            if layer.attention is not None:
                inner = self._normed(layer.attention_norm, x) if model.norm_first else x
                y, after = self._attend(layer.attention, before, inner, i)
                x = self._plus(x, y)
                x = x if model.norm_first else self._normed(layer.attention_norm, x)
            seen.append(after)
            if layer.up is not None and layer.down is not None:
                inner = self._normed(layer.feed_forward_norm, x) if model.norm_first else x
                hidden = tuple(ZERO if y <= 0 else y for y in self._apply(layer.up, inner))
                x = self._plus(x, self._apply(layer.down, hidden))
                x = x if model.norm_first else self._normed(layer.feed_forward_norm, x)
        return State(i + 1, tuple(seen)), x

    def _embedded(self, token: int, i: int) -> Stream:
        model = self.model
        stream = list(model.embedding[token])
        if model.encodings is not None:
            first, pairs = model.encodings
            for n, pair in enumerate(pairs):
                c, s = pair.block(i)
                for place, entry in ((first + 2 * n, s), (first + 2 * n + 1, c)):
                    total = add(model.sets["linear"], stream[place], model.sets["values"].convert(entry))
                    stream[place] = self._stored(total, "linear")
        return tuple(stream)

    def _attend(
        self, attention: Attention, before: tuple[tuple[Head, ...], ...], x: Stream, i: int
    ) -> tuple[Stream, tuple[tuple[Head, ...], ...]]:
        heads = attention.heads
        q, k, v = (_split(self._apply(each, x), heads) for each in (attention.query, attention.key, attention.value))
        joined: list[Element] = []
        after = []
        for h in range(heads):
            query, key = (self._turned(attention, h, each[h], i) for each in (q, k))
            own = (*before[h], (key, v[h]))
            joined += self._mean(query, before[h] if self.model.strict else own, len(v[h]))
            after.append(own)
        return self._apply(attention.output, tuple(joined)), tuple(after)

    def _turned(self, attention: Attention, head: int, x: Stream, i: int) -> Stream:
        if attention.rotations is None:
            return x
        rotate, made = self.model.sets["rotate"], list(x)
        for n, pair in enumerate(attention.rotations[head]):
            if pair is not None:
                (c, s), a, b = pair.block(i), x[2 * n], x[2 * n + 1]
                self.account.spend()
                made[2 * n] = self._stored(sub(rotate, mul(rotate, c, a), mul(rotate, s, b)), "rotate")
                made[2 * n + 1] = self._stored(add(rotate, mul(rotate, s, a), mul(rotate, c, b)), "rotate")
        return tuple(made)

    def _mean(self, query: Stream, seen: tuple[Head, ...], size: int) -> list[Element]:
        """What a query attends to: the weights round(e / Z) times the values."""
        if not seen:
            return [ZERO] * size
        model, sets = self.model, self.model.sets
        self._pay(2 * len(seen) + _OPERATIONS)
        scores = [self._dot(sets["score"], model.dot, key, query) for key, _ in seen]
        greatest = next((x for x in scores if is_nan(x)), None)
        if greatest is None:
            greatest = max(scores)
        terms = [self._exp(sub(sets["softmax"], x, greatest)) for x in scores]
        different = set(terms)  # few, in compiled models
        self._pay(4 * len(different) + len(terms))
        total = model.order.total(sets["softmax"], {n: e for n, e in enumerate(terms) if e != 0})
        weight = {e: sets["values"].convert(div(sets["softmax"], e, total)) for e in different}
        weights = tuple(weight[e] for e in terms)
        columns = zip(*(value for _, value in seen), strict=True)
        sums = (self._dot(sets["output"], model.order, column, weights) for column in columns)
        return [self._stored(y, "output") for y in sums]

    def _exp_once(self, x: Element) -> Element:
        self.account.spend(3)
        return exp_of(self.model.sets["softmax"], x, self.account)

    def _pay(self, operations: int) -> None:
        units, self._owed = divmod(self._owed + operations, _OPERATIONS)
        self.account.spend(units)

    def _dot(self, values: ValueSet, order: Order, a: Stream, b: Stream) -> Element:
        """The sum of products.  Adding 0 changes no value, so those with a 0, most in compiled models, are left out."""
        pairs = list(zip(a, b, strict=True))
        self._pay(len(pairs) // 4)
        if not self.model.fma:
            terms = {}
            for n, (x, y) in enumerate(pairs):
                if (x and y) or isinstance(x, float) or isinstance(y, float):  # 0 times an infinity is NaN
                    self._pay(2)
                    terms[n] = mul(values, x, y)
            return order.total(values, terms)
        self._pay(2 * len(pairs))
        if order.kind == "reverse":
            pairs.reverse()
        chain = values if order.wide is None else order.wide
        total = mul(chain, *pairs[0])
        for x, y in pairs[1:]:
            total = fma(chain, x, y, total)
        return values.convert(total)

    def _stored(self, y: Element, stage: str) -> Element:
        values = self.model.sets["values"]
        return y if self.model.sets[stage] is values else values.convert(y)

    def _plus(self, x: Stream, y: Stream) -> Stream:
        linear = self.model.sets["linear"]
        self.account.spend(1 + len(x) // _OPERATIONS)
        return tuple(self._stored(add(linear, a, b), "linear") for a, b in zip(x, y, strict=True))

    def _linear_once(self, linear: Linear, x: Stream) -> Stream:
        stage = self.model.sets["linear"]
        self._pay(2 * len(linear.rows) + _OPERATIONS)
        sums = [self._dot(stage, self.model.dot, tuple(row), x) for row in linear.rows]
        if linear.bias is not None:
            sums = [add(stage, y, b) for y, b in zip(sums, linear.bias, strict=True)]
        return tuple(self._stored(y, "linear") for y in sums)

    def _norm_once(self, norm: Norm | None, x: Stream) -> Stream:
        if norm is None:
            return x
        linear, order, size = self.model.sets["linear"], self.model.dot, Fraction(len(x))
        self.account.spend(1 + 7 * len(x) // _OPERATIONS)
        total = order.total(linear, {n: linear.convert(y) for n, y in enumerate(x)})
        mean = div(linear, total, size)
        centred = [sub(linear, linear.convert(y), mean) for y in x]
        squares = order.total(linear, {n: mul(linear, c, c) for n, c in enumerate(centred)})
        deviation = self._root(add(linear, div(linear, squares, size), norm.epsilon))
        scaled = [mul(linear, div(linear, c, deviation), g) for c, g in zip(centred, norm.gain, strict=True)]
        if norm.bias is not None:
            scaled = [add(linear, y, b) for y, b in zip(scaled, norm.bias, strict=True)]
        return tuple(self._stored(y, "linear") for y in scaled)

    def _root(self, x: Element) -> Element:
        """The square root of x >= 0, rounded once: exact where it is rational, else enclosed."""
        linear = self.model.sets["linear"]
        x = linear.operand(x)
        if x < 0:
            raise Unsupported("a norm takes the root of a number below 0")
        if isinstance(x, float):
            return x if is_nan(x) else linear.convert(INF)
        n, d = x.numerator, x.denominator
        above, below = isqrt(n), isqrt(d)
        if above * above == n and below * below == d:
            return linear.round(above, below)

        def enclose(bits: int) -> tuple[int, int, int]:
            low = isqrt((n * d) << (2 * bits))  # sqrt(n/d) = sqrt(nd) / d
            return low, low + 1, d << bits

        return round_real(linear, enclose, self.account)


def _split(x: Stream, heads: int) -> list[Stream]:
    size = len(x) // heads
    return [x[h * size : (h + 1) * size] for h in range(heads)]
