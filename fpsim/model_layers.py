"""The rotary schedule of each kind of layer of a model: where its base and its scaling stand in a configuration.

The base is inside the scaling, or else beside it; how many dims turn, likewise; the length before a scaling is beside
it (Phi-3), or else inside.  An entry that another one replaces is noted.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field, replace
from typing import Any

from fpsim.errors import InputError, printable
from fpsim.scaling import Parameters, apply_scaling
from fpsim.schedule import Schedule

__all__ = ["LENGTHS", "Layer", "Layers", "mapping_of"]

MAX_LAYERS = 64  # kinds of layers
LENGTHS = ("max_position_embeddings", "n_positions")
_BASES = ("rope_theta", "rotary_emb_base")
_PARTS = ("partial_rotary_factor", "rotary_pct")
_SCALINGS = ("rope_parameters", "rope_scaling")
_HAVE_ORIGINAL = ("yarn", "longrope", "su", "llama3")
# Models whose base is fixed in their definition, so that no key of the configuration has it.
_FIXED_BASE = {"gptj": 10000, "codegen": 10000}


@dataclass(frozen=True)
class Layer:
    """A kind of layer: its name, the keys that may hold its base, and its scaling."""

    name: str
    bases: tuple[str, ...]
    scaling: Parameters


@dataclass
class Layers:
    """The object that the keys are read from, and what should be known of what was found."""

    keys: Parameters
    notes: list[str] = field(default_factory=list)

    def found(self) -> list[Layer]:
        """Every kind of layer that rotates."""
        keys = self.keys
        found = self._scaling()
        if found is not None and _is_nested(found):
            layers = []
            for layer, entries in found.entries.items():
                if entries is None:
                    self.notes.append(f"{printable(layer)}: no rotation")
                else:
                    layers.append(
                        Layer(
                            printable(layer), _BASES, self._inner(f"{found.where}{layer}.", mapping_of(entries, layer))
                        )
                    )
            if len(layers) > MAX_LAYERS:
                raise InputError(found.name("").rstrip("."), f"{len(layers)} kinds of layers", f"at most {MAX_LAYERS}")
            return layers
        plain = self._inner(f"{keys.where}rope_scaling.", {})
        scaling = found or plain
        if "rope_local_base_freq" in keys:
            return [
                Layer("full_attention", _BASES, scaling),
                Layer("sliding_attention", ("rope_local_base_freq",), plain),
            ]
        if "global_rope_theta" in keys:
            local = "local_rope_theta" if "local_rope_theta" in keys else "global_rope_theta"
            return [
                Layer("full_attention", ("global_rope_theta",), scaling),
                Layer("sliding_attention", (local,), scaling),
            ]
        return [Layer("rope", _BASES, scaling)]

    def _scaling(self) -> Parameters | None:
        """The rope_parameters or rope_scaling, if there are any."""
        present = [key for key in _SCALINGS if key in self.keys]
        found = [(key, mapping_of(self.keys.entries[key], self.keys.name(key))) for key in present]
        found = [(key, entries) for key, entries in found if entries]
        if not found:
            return None
        if len(found) == 2 and found[0][1] != found[1][1]:
            raise InputError(self.keys.name("rope_scaling"), "what rope_parameters contradicts", "one of the two")
        key, entries = found[0]
        return self._inner(f"{self.keys.where}{key}.", entries)

    def _inner(self, where: str, entries: Mapping[str, object]) -> Parameters:
        """A reader of an object inside, which shares what was taken."""
        keys = self.keys
        elsewhere = {key: keys.path(key) for key in LENGTHS}
        return Parameters(entries, where, keys.texts, keys.length, keys.max_length, keys.taken, keys.source, elsewhere)

    def schedule(self, layer: Layer, dim: int) -> Schedule:
        """The schedule of one kind of layer, whose rotation is defined on `dim` dims."""
        name, entries = layer.name, dict(layer.scaling.entries)
        scaling = replace(layer.scaling, entries=entries, elsewhere=dict(layer.scaling.elsewhere))
        if "rope_theta" in scaling:
            base = scaling.number("rope_theta")
            self._note_unused(name, "rope_theta", base)
        else:
            base = self._base(layer.bases)
        self._take_outer_part(name, scaling, entries)
        self._take_outer_length(name, scaling, entries)
        result = apply_scaling(Schedule.conventional(base, dim), scaling)
        if result.scaling is not None:
            self._note_scaling(name, result)
        return result

    def _base(self, bases: tuple[str, ...]) -> Any:
        key = next((key for key in bases if key in self.keys), None)
        if key is not None:
            return self.keys.number(key)
        fixed = _FIXED_BASE.get(str(self.keys.entries.get("model_type")))
        if fixed is not None:
            self.notes.append(f"the base {fixed} is part of the definition of {self.keys.entries['model_type']}")
            return fixed
        right = "the base of the schedule, such as 10000: add the key to the file (older models have it in their code)"
        raise self.keys.missing(bases[0], right)

    def _take_outer_part(self, layer: str, scaling: Parameters, entries: dict[str, object]) -> None:
        """How many dims turn, from the outer keys where the scaling itself does not say so."""
        if "partial_rotary_factor" in scaling or "rotary_dim" in scaling:
            self._note_unused(layer, "partial_rotary_factor", scaling.entries.get("partial_rotary_factor"))
            return
        key = next((key for key in ("rotary_dim", *_PARTS) if key in self.keys), None)
        if key is not None:
            inner = "rotary_dim" if key == "rotary_dim" else "partial_rotary_factor"
            entries[inner] = self.keys.entries[key]
            scaling.elsewhere[inner] = self.keys.path(key)

    def _take_outer_length(self, layer: str, scaling: Parameters, entries: dict[str, object]) -> None:
        """The original length, which Phi-3 has outside the scaling; there it wins."""
        key = "original_max_position_embeddings"
        if key in self.keys and (scaling.entries.get("rope_type") or scaling.entries.get("type")) in _HAVE_ORIGINAL:
            outer = self.keys.whole(key)
            if key in scaling and scaling.whole(key) != outer:
                self.notes.append(f"{layer}: the {key} beside the scaling, {outer}, wins over the one in it")
                scaling.taken.pop(scaling.path(key))
            entries[key] = outer
            scaling.elsewhere[key] = self.keys.path(key)

    def _note_unused(self, layer: str, key: str, inner: object) -> None:
        """Note an outer key that an inner one replaces with another value."""
        outer = self.keys.entries.get(key)
        if outer is not None and outer != inner:
            self.notes.append(f"{layer}: the {key} in the scaling wins over the one beside it")

    def _note_scaling(self, layer: str, schedule: Schedule) -> None:
        scaling = schedule.scaling
        assert scaling is not None
        if scaling.kind in ("dynamic", "longrope") and scaling.get("length") is not None:
            self.notes.append(
                f"{layer}: the schedule for a sequence of {scaling['length']} positions; it changes with the length"
            )
        if scaling.get("rotary_dim") is not None:
            self.notes.append(
                f"{layer}: {scaling['rotary_dim']} of {scaling['head_dim']} dims turn, and the schedule has those alone"
            )
        if scaling.kind == "mrope":
            self.notes.append(
                f"{layer}: in text the positions of all sections are equal, and the schedule is the plain one"
            )
        if scaling.unused:
            self.notes.append(f"{layer}: no part in the schedule: {printable(', '.join(scaling.unused))}")


def _is_nested(scaling: Parameters) -> bool:
    """Whether every entry is the object of one kind of layer.  Raises `InputError` where only some are."""
    kinds = ("rope_type", "type")  # an object there is a wrong value, not a kind of layer
    objects = [key for key, value in scaling.entries.items() if isinstance(value, Mapping) and key not in kinds]
    if not objects:
        return False
    stray = next(
        (key for key, value in scaling.entries.items() if value is not None and not isinstance(value, Mapping)), None
    )
    if stray is not None:
        raise InputError(
            scaling.name(stray), scaling.entries[stray], f"an object for one kind of layer, as {objects[0]} is"
        )
    return True


def mapping_of(value: object, what: str) -> Mapping[str, Any]:
    """The value, when it is an object; else raises `InputError`."""
    if not isinstance(value, Mapping):
        raise InputError(what, value, "a JSON object")
    return value
