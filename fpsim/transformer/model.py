"""The F-transformer as plain data (§2.2, Eq. 2-4 of arXiv:2608.11909): arrays, exact angles and value sets.

An input is BOS w EOS, BOS at position 0.  x = embedding + sinusoidal encoding (where there is one), then for each layer

    "post"   x = norm(x + attention(x)),   x = norm(x + feed_forward(x))         norms that are None do nothing
    "pre"    x = x + attention(norm(x)),   x = x + feed_forward(norm(x))

and the word is accepted when the classifier's value at EOS is above 0.  A head's query is R_i (Q x_i + b_q), its key
R_j (K x_j + b_k), with R the realized rotation of each pair of coordinates (2d, 2d + 1).  The parts are in
`fpsim.transformer.parts`.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, TypeAlias

from fpsim.errors import InputError
from fpsim.operands import Array
from fpsim.precision import Precision
from fpsim.transformer.parts import Layer, Linear, Norm, Sinusoidal, parameter, require

__all__ = ["Mask", "Transformer"]

Mask: TypeAlias = Literal["strict", "causal"]
"""strict: position i attends to j < i (the paper); causal: to j <= i."""


@dataclass(frozen=True, eq=False)
class Transformer:
    """A classifier of words over `alphabet`.

    alphabet: a text, or a list of letters.  embedding: shape (2 + letters, dim): the rows of BOS, EOS and then the
    letters in order.  layers: a list.  precision: a `Precision`, or the name of a value set for every stage.
    classifier: from dim to one number.  norm_at: where the norms stand.  final_norm: of what the classifier reads (with
    "pre").

    Raises `InputError` where shapes do not fit.  Numbers outside `precision.values` are not looked for here
    (`fpsim.transformer.parameters`).
    """

    alphabet: tuple[str, ...]
    embedding: Array
    layers: tuple[Layer, ...]
    classifier: Linear
    precision: Precision
    position: Sinusoidal | None = None
    final_norm: Norm | None = None
    norm_at: Literal["pre", "post"] = "post"
    mask: Mask = "strict"

    def __post_init__(self) -> None:
        object.__setattr__(self, "embedding", parameter(self.embedding, "embedding", 2))
        for name in ("alphabet", "layers"):
            if not isinstance(getattr(self, name), tuple | list | str):
                raise InputError(name, f"a {type(getattr(self, name)).__name__}", "a list")
            object.__setattr__(self, name, tuple(getattr(self, name)))
        if isinstance(self.precision, str):
            object.__setattr__(self, "precision", Precision.of(self.precision))
        require("precision", self.precision, Precision)
        require("classifier", self.classifier, Linear)
        require("position", self.position, Sinusoidal, optional=True)
        require("final_norm", self.final_norm, Norm, optional=True)
        for n, layer in enumerate(self.layers):
            require(f"layers[{n}]", layer, Layer)
        letters = self.alphabet
        texts = all(isinstance(letter, str) and letter for letter in letters)  # type: ignore[redundant-expr]
        if not letters or not texts or len(set(letters)) != len(letters):
            raise InputError("alphabet", list(letters), "different letters, at least one, none empty")
        if self.embedding.shape[0] != len(letters) + 2:
            rows = f"{self.embedding.shape[0]} rows"
            raise InputError("embedding", rows, f"{len(letters) + 2}: BOS, EOS and {len(letters)} letters")
        if self.norm_at not in ("pre", "post"):
            raise InputError("norm_at", self.norm_at, "pre or post")
        if self.mask not in ("strict", "causal"):
            raise InputError("mask", self.mask, "strict or causal")
        if self.classifier.outputs != 1:
            raise InputError("classifier", f"{self.classifier.outputs} rows", "1")
        for what, size in self._sizes():
            if size != self.dim:
                raise InputError(what, f"{size} coordinates", f"{self.dim}, as the embedding has")
        if self.position is not None and not 0 <= self.position.first <= self.dim - 2 * len(self.position.angles):
            taken = f"coordinates {self.position.first} .. {self.position.first + 2 * len(self.position.angles) - 1}"
            raise InputError("position", taken, f"some of the {self.dim} of the embedding")

    def _sizes(self) -> list[tuple[str, int]]:
        sizes = [("classifier", self.classifier.inputs)]
        sizes += [("final_norm", self.final_norm.gain.size)] if self.final_norm is not None else []
        for n, layer in enumerate(self.layers):
            for name, norm in (
                ("attention_norm", layer.attention_norm),
                ("feed_forward_norm", layer.feed_forward_norm),
            ):
                sizes += [(f"layers.{n}.{name}", norm.gain.size)] if norm is not None else []
            sizes += [(f"layers.{n}.attention", layer.attention.query.inputs)] if layer.attention is not None else []
            sizes += [(f"layers.{n}.feed_forward", layer.feed_forward.up.inputs)] if layer.feed_forward else []
        return sizes

    @property
    def dim(self) -> int:
        """Coordinates of the model."""
        return int(self.embedding.shape[1])
