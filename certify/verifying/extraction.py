"""The exact automaton of a model: its language at all lengths.

Layer by layer (`certify.verifying.layer_machine`), a finite machine is built that writes at every position what the
model writes there, for words of every length.

**Theorem.**  The language of the DFA is that of the model.  For after every word w the state determines, for every u,
what the model writes at the positions of u and at EOS after wu: at the embedding it is the class of the position
(`certify.verifying.positions`); at a layer it is the state below, which writes the streams and so the queries, keys and
values to come, and for each query the running maxima and sums from which its output is made (`.query_reader`).  Sums
from left to right in a finite set have finitely many values, so the states are finitely many.  Machines are made the
least ones between layers, which changes nothing of what they write.

It is found where these states are few: where heads select hard, so that most sums stay as they are, and in sets of
about 8 bits.  It is not a matter of the formula: every model of these shapes has such a DFA, sums from left to right.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

import numpy as np

from certify.languages.dfa import MAX_STATES, Dfa
from certify.verifying.layer_machine import Streams, add_layer
from certify.verifying.limits import BeyondLimitError, Limits
from certify.verifying.pointwise import Pointwise
from certify.verifying.positions import Positions
from fpsim.transformer.model import Transformer
from fpsim.transformer.parameters import require_values
from fpsim.transformer.words import BOS, EOS

__all__ = ["Extraction", "extract"]

_ORDERS = ("sequential", "wide")


@dataclass(frozen=True)
class Extraction:
    """dfa: the minimal complete DFA of the model's language, None where it was not found, and `reason` says why.

    preperiod, period: of the positions.  states: of the least machine up to each layer, embedding first.
    """

    dfa: Dfa | None
    reason: str
    preperiod: int = 0
    period: int = 1
    states: tuple[int, ...] = ()


def extract(
    model: Transformer, limits: Limits | None = None, progress: Callable[[int], None] | None = None
) -> Extraction:
    """The automaton of a model whose sums over positions run from left to right.

    Raises `InputError` for parameters that are not values of F.  progress: called with the number of states met in the
    layer that is read.

    >>> from certify.counterexamples import flip_flop
    >>> found = extract(flip_flop().model)
    >>> found.dfa.delta, found.dfa.accepting
    (((1, 0, 0), (1, 0, 1)), frozenset({1}))
    """
    require_values(model)
    limits = replace(limits or Limits())  # with nothing spent
    order = model.precision.regime.order
    if order.kind not in _ORDERS:
        return Extraction(None, f"sums run in the order {order}; an automaton is read from left to right")
    try:
        positions = Positions.of(model, limits)
        maps = Pointwise.of(model, positions)
        streams = _embedding(model, maps, positions)
        states = [len(streams.machine)]
        for n in range(len(model.layers)):
            streams = add_layer(
                maps, n, streams, last=_last(model, n), rotated=_rotated(model, n + 1), limits=limits, progress=progress
            )
            states.append(len(streams.machine))
        dfa = _dfa(model, maps, streams)
    except BeyondLimitError as error:
        return Extraction(None, str(error))
    return Extraction(dfa, "", positions.preperiod, positions.period, tuple(states))


def _last(model: Transformer, n: int) -> bool:
    return not any(layer.attention is not None for layer in model.layers[n + 1 :])


def _rotated(model: Transformer, n: int) -> bool:
    return any(layer.attention is not None and layer.attention.rotary is not None for layer in model.layers[n:])


def _embedding(model: Transformer, maps: Pointwise, positions: Positions) -> Streams:
    """The machine of the embedding: its state is the class of the next position."""
    letters = len(model.alphabet)
    tokens = [*range(2, 2 + letters), EOS]
    start = positions.of_position(1)
    reached = [start]
    while positions.after(reached[-1]) not in reached:
        reached.append(positions.after(reached[-1]))
    place = {each: n for n, each in enumerate(reached)}
    streams = [maps.embedded(token, at) for at in reached for token in tokens] + [maps.embedded(BOS, 0)]
    classes = [*np.repeat(reached, len(tokens)).tolist(), 0]
    after = [[place[positions.after(at)]] * letters for at in reached]
    writes = np.arange(len(reached) * len(tokens), dtype=np.int32).reshape(len(reached), -1)
    at = np.array(classes if _rotated(model, 0) else [0] * len(classes), dtype=np.int64)
    return Streams.of(len(streams) - 1, 0, np.array(after, dtype=np.int32), writes, np.stack(streams), at)


def _dfa(model: Transformer, maps: Pointwise, streams: Streams) -> Dfa:
    machine = streams.machine
    if len(machine) > MAX_STATES:
        raise BeyondLimitError(f"the automaton has more than {MAX_STATES} states")
    accepted = maps.classified(streams.streams)[machine.writes[:, -1]]
    least = type(machine)(0, machine.start, machine.after, accepted[:, None].astype(np.int32)).minimal()
    accepting = np.flatnonzero(least.writes[:, 0]).tolist()
    return Dfa.explore(model.alphabet, least.start, least.after.tolist(), accepting, range(len(least)))
