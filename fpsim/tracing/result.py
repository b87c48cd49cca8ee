"""What `trace` gives: the rows of one head, realized and exact, and the places where rounding mattered."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.rounding.reference import Element
from fpsim.tracing.event import Event, approximate_json
from fpsim.tracing.exact import BITS

__all__ = ["Row", "Trace"]


@dataclass(frozen=True, eq=False)
class Row:
    """One query position of a head.  keys: it sees the positions 0 .. keys - 1.

    Realized: scores, exponentials, weights (one for each key), denominator (0 for no keys), output (one number for each
    coordinate of a value); as elements of their value sets, NaN and infinities as floats.  target: the first key with
    the greatest score; None for no keys and where a score is NaN.  ties: how many keys have that score.

    Without rounding, from the same queries, keys and values: exact_scores (rationals), exact_weights,
    exact_denominator, exact_output (mpfr numbers of `Trace.bits` bits, correct to nearly all of them), exact_target.
    All None, or empty, where there is no key or a number that goes in is infinite or NaN.
    """

    query: int
    keys: int
    target: int | None
    ties: int
    scores: tuple[Element, ...]
    exponentials: tuple[Element, ...]
    denominator: Element
    weights: tuple[Element, ...]
    output: tuple[Element, ...]
    exact_target: int | None
    exact_scores: tuple[mpq, ...]
    exact_denominator: mpfr | None
    exact_weights: tuple[mpfr, ...]
    exact_output: tuple[mpfr, ...]

    @property
    def greatest(self) -> Element | None:
        """The greatest score; NaN where a score is; None for no keys."""
        if not self.scores:
            return None
        return float("nan") if self.target is None else self.scores[self.target]

    @property
    def weight_sum(self) -> Element:
        """The exact sum of the realized weights, which need not be 1."""
        odd = [w for w in self.weights if isinstance(w, float) and w - w != 0]
        return float(sum(odd)) if odd else sum((mpq(w) for w in self.weights), mpq(0))

    @property
    def worst(self) -> tuple[int, mpfr] | None:
        """The key whose realized weight is farthest from the exact one, and the difference, realized minus exact."""
        if not self.exact_weights or any(w - w != 0 for w in self.weights):
            return None
        with gmpy2.context(precision=BITS):
            errors = [mpfr(mpq(w)) - x for w, x in zip(self.weights, self.exact_weights, strict=True)]
        key = max(range(len(errors)), key=lambda j: abs(errors[j]))
        return key, errors[key]

    def to_json(self) -> dict[str, Any]:
        """The fields, `max_score`, `max_score_exact`, `weight_sum` and `worst` ({`key`, `error`} or null)."""
        exact_most = None if self.exact_target is None else self.exact_scores[self.exact_target]
        worst = self.worst
        return {
            "query": self.query,
            "keys": self.keys,
            "target": self.target,
            "target_exact": self.exact_target,
            "ties": self.ties,
            "max_score": _json(self.greatest),
            "max_score_exact": _json(exact_most),
            "denominator": _json(self.denominator),
            "denominator_exact": _json(self.exact_denominator),
            "scores": [_json(x) for x in self.scores],
            "scores_exact": [_json(x) for x in self.exact_scores],
            "exponentials": [_json(x) for x in self.exponentials],
            "weights": [_json(x) for x in self.weights],
            "weights_exact": [_json(x) for x in self.exact_weights],
            "weight_sum": _json(self.weight_sum),
            "output": [_json(x) for x in self.output],
            "output_exact": [_json(x) for x in self.exact_output],
            "worst": None if worst is None else {"key": worst[0], "error": _json(worst[1])},
        }


@dataclass(frozen=True, eq=False)
class Trace:
    """One head on one word.

    word: as printed.  symbols: BOS, the letters, EOS.  precision: its text.  layer, head: counted from 0.  layers,
    heads: how many there are.  bits: of the exact weights.  events: by row, in the order in which a head computes.
    str() is a table of the rows and a list of the events.
    """

    word: str
    symbols: tuple[str, ...]
    precision: str
    mask: str
    layer: int
    head: int
    layers: int
    heads: int
    rows: tuple[Row, ...]
    events: tuple[Event, ...]
    bits: int = BITS

    def of_kind(self, kind: str, stage: str | None = None) -> tuple[Event, ...]:
        """The events of a kind, and of a stage where it is given."""
        return tuple(e for e in self.events if e.kind == kind and stage in (None, e.stage))

    def to_json(self) -> dict[str, Any]:
        """{"word", "symbols", "length", "precision", "mask", "layer", "head", "layers", "heads", "bits", "rows",
        "events"}.  Exact weights, denominators and outputs are the binary64 numbers nearest to them.
        """
        return {
            "word": self.word,
            "symbols": list(self.symbols),
            "length": len(self.symbols),
            "precision": self.precision,
            "mask": self.mask,
            "layer": self.layer,
            "head": self.head,
            "layers": self.layers,
            "heads": self.heads,
            "bits": self.bits,
            "rows": [row.to_json() for row in self.rows],
            "events": [event.to_json() for event in self.events],
        }

    def __str__(self) -> str:
        from fpsim.tracing.explanation import explain

        return explain(self)


def _json(x: Element | mpfr | None) -> int | float | str | None:
    return None if x is None else approximate_json(x)
