"""A transformer and the language that it recognizes when its sums run from left to right."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace

from fpsim.sums import Order, parse_order
from fpsim.transformer import Precision, Transformer

__all__ = ["Counterexample", "in_order"]


@dataclass(frozen=True, eq=False)
class Counterexample:
    """model: with sequential sums.  language: whether a word is in its language.  name: of the language, in words.

    outside: the class that the language is not in.
    """

    name: str
    outside: str
    model: Transformer
    language: Callable[[str], bool]


def in_order(model: Transformer, order: Order | str) -> Transformer:
    """The same model with another order of the sums over positions: of the softmax and of the weighted values.

    >>> from certify.counterexamples import flip_flop
    >>> str(in_order(flip_flop().model, "reverse").precision.regime.order)
    'reverse'
    """
    regime = replace(model.precision.regime, order=parse_order(order))
    return replace(model, precision=Precision(regime, model.precision.linear, model.precision.dot))
