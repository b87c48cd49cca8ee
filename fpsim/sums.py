"""Orders of summation: a rounded sum depends on them, so they are part of every claim ("semantics 1", §6).

- sequential: ((x0 + x1) + x2) + ...
- reverse: the same from the last term to the first.
- pairwise: neighbours are added, then neighbours of those sums, until one is left; an odd one out waits for the next
  round.
- blocked:N: blocks of N terms, each summed sequentially; then the block sums, sequentially (as flash attention does).
- wide:F: sequentially in the value set F, then rounded once into the set of the sum (a wide accumulator).

Every sum starts from its first term: nothing is added to a zero.  An empty sum is 0.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Literal

from gmpy2 import mpq

from fpsim import reference
from fpsim.errors import InputError
from fpsim.rounding.reference import Element, round_exact
from fpsim.valueset import ValueSet
from fpsim.valueset_text import parse_value_set

__all__ = ["Order", "ordered_sum", "parse_order"]


@dataclass(frozen=True)
class Order:
    """An order of summation: its kind, the block length of "blocked", the accumulator of "wide".

    >>> str(parse_order("blocked:64"))
    'blocked:64'
    """

    kind: Literal["sequential", "reverse", "pairwise", "blocked", "wide"]
    block: int = 0
    accumulator: ValueSet | None = None

    def __str__(self) -> str:
        if self.kind == "blocked":
            return f"blocked:{self.block}"
        return f"wide:{self.accumulator}" if self.kind == "wide" else self.kind


def parse_order(text: Order | str) -> Order:
    """The order that `text` names: sequential, reverse, pairwise, blocked:N or wide:F.  Raises `InputError`."""
    if isinstance(text, Order):
        return text
    if not isinstance(text, str):
        raise InputError("order", text, "a text such as sequential or blocked:64")
    if text in ("sequential", "reverse", "pairwise"):
        return Order(text)  # type: ignore[arg-type]
    match = re.fullmatch(r"blocked:([0-9]{1,9})", text, re.ASCII)
    if match and int(match[1]) >= 1:
        return Order("blocked", block=int(match[1]))
    if text.startswith("wide:"):
        return Order("wide", accumulator=parse_value_set(text.removeprefix("wide:")))
    raise InputError("order", text, "sequential, reverse, pairwise, blocked:N with N >= 1, or wide:F")


def ordered_sum(values: ValueSet, terms: Sequence[Element], order: Order) -> Element:
    """The sum of `terms` in this order, rounded into `values` after every addition: the reference.

    >>> ordered_sum(parse_value_set("fp16"), [mpq(2048), mpq(1), mpq(1)], parse_order("reverse"))
    mpq(2050,1)
    """
    if not terms:
        return mpq(0)
    if order.kind == "sequential":
        return _fold(values, terms)
    if order.kind == "reverse":
        return _fold(values, terms[::-1])
    if order.kind == "blocked":
        return _fold(values, [_fold(values, terms[i : i + order.block]) for i in range(0, len(terms), order.block)])
    if order.kind == "wide":
        assert order.accumulator is not None  # parse_order gives every "wide" one
        return round_exact(values, _fold(order.accumulator, [round_exact(order.accumulator, x) for x in terms]))
    while len(terms) > 1:
        pairs = [reference.add(values, terms[i], terms[i + 1]) for i in range(0, len(terms) - 1, 2)]
        terms = pairs + list(terms[len(terms) - len(terms) % 2 :])
    return terms[0]


def _fold(values: ValueSet, terms: Sequence[Element]) -> Element:
    total = terms[0]
    add: Callable[[ValueSet, Element, Element], Element] = reference.add
    for term in terms[1:]:
        total = add(values, total, term)
    return total
