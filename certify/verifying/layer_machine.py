"""One layer on top of a machine: the machine of the model up to and with that layer.

The layer below is a machine that writes, at every position, the stream and the class of the position.  The state of the
new machine is the state of that one and, for each head and each query that occurs, the state of the query's own machine
(`certify.verifying.query_reader`).  What the layer writes at a position is a function of the stream there and of what
its query has seen, that is of the state; so the state determines everything that is written later.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np

from certify.verifying.interned import distinct_rows
from certify.verifying.limits import BeyondLimitError, Limits
from certify.verifying.mealy import Mealy
from certify.verifying.pointwise import Pointwise, Projections
from certify.verifying.query_reader import QueryReader
from fpsim.attention.rows import attention_rows

if TYPE_CHECKING:
    from numpy.typing import NDArray

__all__ = ["Streams", "add_layer"]

_State: TypeAlias = tuple[int, ...]  # of the machine below, then of each reader


@dataclass(frozen=True, eq=False)
class Streams:
    """A machine whose symbols are streams at classes of positions.

    streams: (symbols, dim).  at: (symbols,), the class of the position; 0 for all where no layer above asks for it.
    """

    machine: Mealy
    streams: NDArray[np.float64]
    at: NDArray[np.int64]

    @staticmethod
    def of(
        bos: int, start: int, after: NDArray[np.int32], writes: NDArray[np.int32],
        streams: NDArray[np.float64], at: NDArray[np.int64],
    ) -> Streams:  # fmt: skip
        """The least machine, with equal symbols joined."""
        rows, place = distinct_rows(np.column_stack([at, streams]))
        least = Mealy(int(place[bos]), start, after, place[writes].astype(np.int32)).minimal()
        used, again = np.unique(np.append(least.writes, least.bos), return_inverse=True)
        numbers = again.astype(np.int32)
        machine = Mealy(int(numbers[-1]), least.start, least.after, numbers[:-1].reshape(least.writes.shape))
        return Streams(machine, rows[used, 1:], rows[used, 0].astype(np.int64))


def add_layer(
    maps: Pointwise, n: int, below: Streams, *, last: bool, rotated: bool, limits: Limits,
    progress: Callable[[int], None] | None = None,
) -> Streams:  # fmt: skip
    """The machine with layer n.

    last: no layer above has attention, so that only what is written at EOS matters.  rotated: a layer above asks for
    the class of a position.  progress: called with the number of states so far.  Raises `BeyondLimitError`.
    """
    if maps.model.layers[n].attention is None:
        above = maps.layer(n, below.streams, None)
        machine = below.machine
        return _written(machine.bos, machine.start, machine.after, machine.writes, above, below.at, last, rotated)
    return _Layer(maps, n, below, last, rotated, limits).run(progress)


def _written(
    bos: int, start: int, after: NDArray[np.int32], writes: NDArray[np.int32],
    streams: NDArray[np.float64], at: NDArray[np.int64], last: bool, rotated: bool,
) -> Streams:  # fmt: skip
    """The least machine, without what no layer above looks at."""
    if last:
        bos, writes = int(writes[0, -1]), np.repeat(writes[:, -1:], writes.shape[1], axis=1)
    return Streams.of(bos, start, after, writes, streams, at if rotated else np.zeros_like(at))


class _Layer:
    def __init__(self, maps: Pointwise, n: int, below: Streams, last: bool, rotated: bool, limits: Limits) -> None:
        self.maps, self.n, self.below, self.last, self.rotated, self.limits = maps, n, below, last, rotated, limits
        self.causal = maps.model.mask == "causal"
        projected = maps.projected(n, below.streams, below.at)
        machine = below.machine
        asked = machine.writes[:, -1] if last else machine.writes
        # key 0 is that of BOS: symbols are numbered anew, BOS first
        read = machine.writes if self.causal else machine.writes[:, :-1]
        others = [int(x) for x in np.unique(read)]
        self.key_symbols = [machine.bos, *others]
        self.key_of = {symbol: 1 + place for place, symbol in enumerate(others)}
        queries = np.unique(np.append(asked, machine.bos) if self.causal and not last else asked)
        self.readers: list[QueryReader] = []
        self.asks: dict[int, list[int]] = {int(x): [] for x in queries}  # symbol: the reader of each head
        for head in range(projected.queries.shape[1]):
            self._add_head(projected, head, queries)

    def _add_head(self, projected: Projections, head: int, symbols: NDArray[np.int32]) -> None:
        precision, keys = self.maps.model.precision, projected.keys[self.key_symbols, head]
        values = projected.values[self.key_symbols, head]
        distinct, place = distinct_rows(projected.queries[symbols, head])
        count = len(keys)
        padded = np.concatenate([keys, np.zeros_like(distinct)])
        asked = np.concatenate([np.zeros_like(keys), distinct])
        none = np.zeros((len(padded), 1))
        rows = attention_rows(precision, asked, padded, none, rows=range(count, count + len(distinct)))
        for symbol, which in zip(symbols, place, strict=True):
            self.asks[int(symbol)].append(len(self.readers) + int(which))
        self.readers += [QueryReader(precision, scores[:count], values, self.limits) for scores in rows.scores]

    def run(self, progress: Callable[[int], None] | None) -> Streams:
        """Every state that a word reaches, by breadth-first search."""
        machine, limits = self.below.machine, self.limits
        start: _State = (machine.start, *(0 for _ in self.readers))
        order, number = [start], {start: 0}
        after: list[list[int]] = []
        writes: list[list[int]] = []
        self.pairs: dict[tuple[int, ...], int] = {}  # (symbol, output of each reader): its place
        sums = 0
        for state in order:
            row, written = [], []
            for a, below in enumerate(machine.after[state[0]]):
                symbol = int(machine.writes[state[0], a])
                read = self._read(state, symbol)
                written.append(self._pair(symbol, read if self.causal else state) if not self.last else 0)
                following = (int(below), *read[1:])
                place = number.setdefault(following, len(order))
                if place == len(order):
                    order.append(following)
                    sums += sum(reader.size(s) for reader, s in zip(self.readers, following[1:], strict=True))
                row.append(place)
            symbol = int(machine.writes[state[0], -1])
            end = self._pair(symbol, self._read(state, symbol) if self.causal else state)
            after.append(row)
            writes.append([*([end] * len(written) if self.last else written), end])
            if len(order) > limits.states or sums > limits.sums:
                what = f"{limits.states} states" if len(order) > limits.states else f"{limits.sums} running sums"
                raise BeyondLimitError(f"layer {self.n} takes more than {what} (all heads of it read at once)")
            if progress is not None and len(after) % 1000 == 0:
                progress(len(after))
        return self._finished(np.array(after, dtype=np.int32), np.array(writes, dtype=np.int32))

    def _read(self, state: _State, symbol: int) -> _State:
        """The state with the key of this symbol read; that of the machine below is left as it is."""
        key = self.key_of.get(symbol)
        if key is None:  # EOS, which is no key
            return state
        return (state[0], *(reader.step(s, key) for reader, s in zip(self.readers, state[1:], strict=True)))

    def _pair(self, symbol: int, state: _State) -> int:
        seen = tuple(self.readers[r].output(state[1 + r]) for r in self.asks[symbol])
        return self.pairs.setdefault((symbol, *seen), len(self.pairs))

    def _finished(self, after: NDArray[np.int32], writes: NDArray[np.int32]) -> Streams:
        model, below = self.maps.model, self.below
        symbols = np.array([pair[0] for pair in self.pairs], dtype=np.int64)
        attended = [
            np.concatenate([self.readers[r].outputs.vectors[out] for r, out in zip(self.asks[x], seen, strict=True)])
            for x, *seen in self.pairs
        ]
        bos = below.machine.bos
        if self.causal and not self.last:
            first = np.concatenate([self.readers[r].outputs.vectors[self.readers[r].output(0)] for r in self.asks[bos]])
        else:
            attention = model.layers[self.n].attention
            assert attention is not None
            first = np.zeros(attention.value.outputs)  # an empty context
        every = np.append(symbols, bos)
        above = self.maps.layer(self.n, below.streams[every], np.stack([*attended, first]))
        return _written(len(self.pairs), 0, after, writes, above, below.at[every], self.last, self.rotated)
