"""What compiling a formula gives."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from certify.compiling.gadget import Gadget
from certify.compiling.plan import Encoding
from certify.languages.formula import Formula
from fpsim.transformer import Transformer

__all__ = ["Compiled"]


@dataclass(frozen=True, eq=False)
class Compiled:
    """A model that simulates a formula (Def. C.2 and D.1 of arXiv:2608.11909).

    coordinates: of every subformula the one that is 1 at the positions 1 .. N + 1 where it is true and 0 where it is
    not, after the last layer.  names: of every subformula; its text where that is short.  gadgets: the parts, with the
    bounds that make each exact.  certified_length: words up to this length are decided as the formula does; None: all
    words.  limited_by: what limits it.
    """

    model: Transformer
    formula: Formula
    encoding: Encoding
    coordinates: Mapping[Formula, int]
    names: Mapping[Formula, str]
    gadgets: tuple[Gadget, ...]
    certified_length: int | None
    limited_by: str | None = None

    @property
    def heads(self) -> tuple[int, ...]:
        """Heads of each layer."""
        return tuple(0 if layer.attention is None else layer.attention.heads for layer in self.model.layers)

    @property
    def units(self) -> tuple[int, ...]:
        """Units of the feed-forward network of each layer."""
        networks = [layer.feed_forward for layer in self.model.layers]
        return tuple(0 if each is None else each.up.outputs for each in networks)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert compile --json`, as a dictionary."""
        return {
            "formula": self.names[self.formula],
            "alphabet": list(self.model.alphabet),
            "dtype": self.model.precision.values.name,
            "precision": str(self.model.precision),
            "encoding": self.encoding,
            "layers": len(self.model.layers),
            "heads": list(self.heads),
            "units": list(self.units),
            "dim": self.model.dim,
            "norms": any(layer.feed_forward_norm or layer.attention_norm for layer in self.model.layers),
            "certified_length": self.certified_length,
            "limited_by": self.limited_by,
            "coordinates": {self.names[node]: at for node, at in self.coordinates.items()},
            "gadgets": [gadget.to_json() for gadget in self.gadgets],
        }

    def __str__(self) -> str:
        model = self.model
        lengths = "all lengths" if self.certified_length is None else f"words up to length {self.certified_length}"
        because = f" ({self.limited_by})" if self.limited_by else ""
        about = f"{self.names[self.formula]}: an F-transformer in {model.precision}, encoding {self.encoding}"
        lines = [
            f"{about}, for {lengths}{because}",
            "",
            f"  layers      {len(model.layers)}",
            f"  heads       {_listed(self.heads)}",
            f"  units       {_listed(self.units)}",
            f"  dimension   {model.dim}",
            f"  coordinate  {self.coordinates[self.formula]} is 1 where the formula is true",
            f"  gadgets     {len(self.gadgets)}, each exact because",
        ]
        return "\n".join(lines + [f"    layer {gadget.layer}: {gadget}" for gadget in self.gadgets])


def _listed(numbers: tuple[int, ...]) -> str:
    return " + ".join(map(str, numbers)) or "none"
