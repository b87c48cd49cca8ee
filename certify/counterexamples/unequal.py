"""A head without positions that tells (ab)^K from (ab)^K a for every K, in formats as they are built.

No language of LTL[P] separates the two words for all K: its automata are partially ordered, and going round a and b
must come to rest.  Here the key of BOS scores 0 and every other key -t; the value of a is 1, that of b -1, that of BOS
0.  From left to right, with p bits of significand:

* The greatest score is 0, that of BOS, so that its exponential is 1 and every other one is e = round(exp(-t)).
* e <= 2^-p, half of the spacing of F above 1, so that the denominator 1 + e stays 1: below the middle 1 + 2^-p it is
  rounded down, and in the middle to 1, which is even.  It stays 1 for every length.
* The weight of BOS is 1, every other one is e / 1 = e, a value of F.
* The sum of weighted values is 0 after BOS, e after a, and e - e = 0 after ab: each step is exact.  So it is 0 after
  (ab)^K and e > 0 after (ab)^K a, for every K.

For other words the sum is a counter of #a - #b in units of e, as long as F holds the multiples, and then a rounded
one.  In an order in which the denominator grows with the length the weights sink, and where they reach 0 the two words
are no longer told apart: pairwise sums of e4m3 do so
from K = 475 on (tried to 639).
"""

from __future__ import annotations

from typing import Any

import numpy as np
from gmpy2 import mpq

from certify.counterexamples.counterexample import Counterexample
from fpsim import reference
from fpsim.errors import InputError
from fpsim.number import parse_number
from fpsim.operands import as_array
from fpsim.rounding.reference import round_exact
from fpsim.transformer import Attention, Layer, Linear, Precision, Transformer
from fpsim.valueset import ValueSet
from fpsim.valueset_text import value_set

__all__ = ["DISTANCES", "alternating"]

DISTANCES = {"fp16": "8", "bf16": "6", "e4m3": "3", "e5m2": "2.5", "fp32": "17"}
"""t for some formats: values of F with exp(-t) < 2^-p."""


def alternating(dtype: ValueSet | str = "fp16", t: Any = None) -> Counterexample:
    """The model for a value set, and the language {#a > #b} with the rounded counter of the sum.

    t: a value of F; by default that of `DISTANCES`.  Raises `InputError` where 1 + round(exp(-t)) does not stay 1,
    where exp(-t) is rounded to 0, or t, 1 or their negatives are not in F.

    >>> from fpsim.transformer.forward import run
    >>> run(alternating("bf16").model, ["ab" * 9, "ab" * 9 + "a"]).accepted.tolist()
    [False, True]
    """
    values = value_set(dtype)
    if t is None and values.name not in DISTANCES:
        raise InputError("t", t, f"given: there is a default only for {', '.join(DISTANCES)}")
    distance = parse_number(DISTANCES[values.name] if t is None else t, "t")
    for number in (distance, mpq(1)):
        if number not in values or -number not in values:
            raise InputError(
                "t" if number == distance else "dtype", number, f"a value of {values.name}, and its negative"
            )
    e = reference.exp(values, -distance)
    if e == 0 or reference.add(values, mpq(1), e) != 1:
        raise InputError(
            "t", distance, f"such that 0 < round(exp(-t)), and 1 + round(exp(-t)) stays 1 in {values.name}"
        )

    def language(word: str) -> bool:
        total = mpq(0)
        for letter in word:
            total = round_exact(values, mpq(total) + (e if letter == "a" else -e))
        return bool(total > 0)

    name = "the rounded counter of a minus b is above 0: it separates (ab)^K from (ab)^K a for every K"
    return Counterexample(name, "LTL[P]", _model(values, distance), language)


def _model(values: ValueSet, distance: mpq) -> Transformer:
    """Coordinates: the number of a letter, and its score."""
    embedding = as_array([[0, 0], [0, 0], [1, -distance], [-1, -distance]])  # BOS, EOS, a, b
    first, second = np.array([[1.0, 0.0]]), np.array([[0.0, 1.0]])
    query = Linear(np.zeros((1, 2)), np.ones(1))
    attention = Attention(query=query, key=Linear(second), value=Linear(first), output=Linear(first.T))
    return Transformer(("a", "b"), embedding, (Layer(attention),), Linear(first), Precision.of(values))
