"""A transformer of a model file: its parts, by the names of its arrays (docs/certificates.md)."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .angle import parse_angle
from .exact import Purse, integer
from .limits import Account, Malformed, Unsupported
from .modelfile import ModelFile, value_set_of
from .rotation import REALIZATIONS, Rotation
from .softmax import Order
from .valueset import Element, ValueSet

__all__ = ["Attention", "Layer", "Linear", "Norm", "Transformer", "read_transformer"]

Pairs = list["Rotation | None"]

_MODEL = ("version", "alphabet", "precision", "mask", "norm_at", "position", "layers", "tables", "arrays")
_STAGES = ("values", "rotate", "score", "softmax", "output", "linear")


@dataclass(frozen=True, eq=False)
class Linear:
    """x -> W x + b."""

    rows: list[list[Element]]
    bias: list[Element] | None


@dataclass(frozen=True, eq=False)
class Norm:
    """(x - mean) / sqrt(var + epsilon) gain + bias."""

    gain: list[Element]
    bias: list[Element] | None
    epsilon: Element


@dataclass(frozen=True, eq=False)
class Attention:
    """Heads; rotations: of each head the pairs, None for an unrotated one (None: no rotation at all)."""

    heads: int
    query: Linear
    key: Linear
    value: Linear
    output: Linear
    rotations: list[Pairs] | None


@dataclass(frozen=True, eq=False)
class Layer:
    """Parts that are None do nothing."""

    attention: Attention | None
    attention_norm: Norm | None
    up: Linear | None
    down: Linear | None
    feed_forward_norm: Norm | None


@dataclass(frozen=True, eq=False)
class Transformer:
    """sets: the value set of each stage.  order: of sums over positions; dot: over coordinates."""

    alphabet: list[str]
    sets: dict[str, ValueSet]
    fma: bool
    order: Order
    dot: Order
    strict: bool
    norm_first: bool
    embedding: list[list[Element]]
    encodings: tuple[int, list[Rotation]] | None
    layers: list[Layer]
    final_norm: Norm | None
    classifier: Linear


def read_transformer(data: bytes, account: Account) -> Transformer:
    """The model of a file; what is not understood is `Unsupported`."""
    file = ModelFile(data)
    try:
        return _Reader(file, account).read()
    except (KeyError, TypeError, ValueError, AttributeError, Malformed) as error:
        raise Unsupported(f"the description of the model has another form ({type(error).__name__}: {error})") from None


class _Reader:
    def __init__(self, file: ModelFile, account: Account) -> None:
        self.form, self.account = _known(file.description, *_MODEL), account
        if type(self.form["version"]) is not int or self.form["version"] != 1 or self.form["tables"]:
            raise Unsupported("the model is of another version, or has tables of given rotations")
        self.precision = _known(self.form["precision"], *_STAGES, "fma", "order", "dot")
        if not isinstance(self.precision["fma"], bool):
            raise Unsupported("fma is not true or false")
        self.values, bits = value_set_of(self.precision["values"], account)
        self.arrays = file.arrays(self.values, bits)
        shapes = {name: shape for name, (shape, _) in self.arrays.items()}
        if shapes != self.form["arrays"]:
            raise Unsupported("the arrays of the model are not those that it describes")

    def read(self) -> Transformer:
        form, precision = self.form, self.precision
        sets = {"values": self.values}
        for stage in _STAGES[1:]:
            named = precision[stage]
            sets[stage] = self.values if named == "values" else value_set_of(named, self.account)[0]
        if form["mask"] not in ("strict", "causal") or form["norm_at"] not in ("pre", "post"):
            raise Unsupported("the mask or the place of the norms is none that is known")
        encodings = None
        if form["position"] is not None:
            place = _known(form["position"], "angles", "kind", "first")
            encodings = (
                integer(place["first"], "first", 0),
                [self._rotation(angle, place["kind"]) for angle in place["angles"]],
            )
        layers = [self._layer(n, _known(each, "attention")["attention"]) for n, each in enumerate(form["layers"])]
        made = Transformer(
            alphabet=[str(letter) for letter in form["alphabet"]],
            sets=sets,
            fma=precision["fma"],
            order=self._order(precision["order"]),
            dot=self._order(precision["dot"]),
            strict=form["mask"] == "strict",
            norm_first=form["norm_at"] == "pre",
            embedding=self._matrix("embedding"),
            encodings=encodings,
            layers=layers,
            final_norm=self._norm("final_norm"),
            classifier=self._linear("classifier"),
        )
        if len(made.embedding) != len(made.alphabet) + 2 or self.arrays:
            raise Unsupported("the model has arrays without a place, or another number of letters")
        return made

    def _order(self, thing: Any) -> Order:
        if self.precision["fma"] and thing not in ("sequential", "reverse") and not isinstance(thing, dict):
            raise Unsupported(f"fma in sums of the order {str(thing)[:20]}, which are no single chain")
        if isinstance(thing, dict):
            return Order("wide", 1, value_set_of(_known(thing, "wide")["wide"], self.account)[0])
        kind, _, block = thing.partition(":")
        if kind not in ("sequential", "reverse", "pairwise", "blocked"):
            raise Unsupported(f"sums in the order {kind[:20]}")
        return Order(kind, integer(int(block), "a block", 1)) if kind == "blocked" else Order(kind)

    def _rotation(self, angle: str, kind: Any) -> Rotation:
        if kind not in REALIZATIONS:
            raise Unsupported("a rotation that is realized by tables, pipelines or windows")
        self.account.spend()
        return Rotation(parse_angle(angle, "an angle", Purse(self.account)), self.values, kind, self.account)

    def _layer(self, n: int, thing: Any) -> Layer:
        name, attention = f"layers.{n}", None
        if thing is not None:
            _known(thing, "heads", "rotary")
            parts = {each: self._linear(f"{name}.attention.{each}") for each in ("query", "key", "value", "output")}
            rotations: list[Pairs] | None = None
            if thing["rotary"] is not None:
                rotary = _known(thing["rotary"], "angles", "kind")
                made = [[self._rotation(x, rotary["kind"]) for x in head] for head in rotary["angles"]]
                rotations = [[each if each.angle else None for each in head] for head in made]
            heads = integer(thing["heads"], "heads", 1)
            if any(len(parts[each].rows) % heads or not parts[each].rows for each in ("query", "key", "value")):
                raise Unsupported("the rows of queries, keys and values are no multiples of the heads")
            attention = Attention(**parts, heads=heads, rotations=rotations)
        up = down = None
        if f"{name}.feed_forward.up.weight" in self.arrays:
            up, down = (self._linear(f"{name}.feed_forward.{each}") for each in ("up", "down"))
        norms = [self._norm(f"{name}.{each}_norm") for each in ("attention", "feed_forward")]
        return Layer(attention, norms[0], up, down, norms[1])

    def _vector(self, name: str) -> list[Element] | None:
        return self.arrays.pop(name)[1] if name in self.arrays else None

    def _matrix(self, name: str) -> list[list[Element]]:
        (_, columns), numbers = self.arrays.pop(name)
        return [numbers[at : at + columns] for at in range(0, len(numbers), columns)]

    def _linear(self, name: str) -> Linear:
        return Linear(self._matrix(f"{name}.weight"), self._vector(f"{name}.bias"))

    def _norm(self, name: str) -> Norm | None:
        gain = self._vector(f"{name}.gain")
        if gain is None:
            return None
        epsilon = self._vector(f"{name}.epsilon")
        return Norm(gain, self._vector(f"{name}.bias"), epsilon[0] if epsilon else Fraction(0))


def _known(thing: Any, *names: str) -> dict[str, Any]:
    """An object that has these fields and no others: one that is not known could change what the model is."""
    if not isinstance(thing, dict) or set(thing) != set(names):
        raise Unsupported(f"a part of the description has other fields than {', '.join(names)}")
    return thing
