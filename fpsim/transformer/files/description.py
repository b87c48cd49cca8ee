"""A model as a JSON object and named arrays: everything but the arrays is in the object, its *description*.

The arrays are the parameters, by their names, and the tables of realizations that are given: `tables.0.cos`.
The description lists every array with its shape, so that one that was lost is missed: a bias or a norm that is not
there would otherwise only make another model.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.formats import FORMATS
from fpsim.number import parse_count
from fpsim.operands import Array
from fpsim.realization.array_file import ArrayKind
from fpsim.transformer.files.angle_form import angle_text, read_angle
from fpsim.transformer.files.assembly import AttentionParts, assemble
from fpsim.transformer.files.forms import Form, object_of, precision_form, read_precision, text_of, texts_of
from fpsim.transformer.files.kind_forms import Tables, kind_form, read_kind, table_of
from fpsim.transformer.model import Transformer
from fpsim.transformer.parameters import parameters
from fpsim.transformer.parts import Layer, Rotary, Sinusoidal
from fpsim.valueset import ValueSet

__all__ = ["VERSION", "Stored", "build", "describe", "stored_arrays"]

VERSION = 1
MAX_LAYERS = 10_000
_KEYS = ("version", "alphabet", "precision", "mask", "norm_at", "position", "layers", "tables", "arrays")
_MAX_RANK = 2


@dataclass(frozen=True)
class Stored:
    """An array of a model: its shape, and the value set that its numbers are values of."""

    values: ValueSet
    shape: tuple[int, ...]


def describe(model: Transformer) -> tuple[dict[str, Form], dict[str, tuple[ValueSet, Array]]]:
    """The description, and every array by its name with the value set of its numbers.

    Raises `UnsupportedError` for an angle or a realization that has no form.
    """
    tables = Tables()
    position = None
    if model.position is not None:
        position = {
            "angles": [angle_text(angle) for angle in model.position.angles],
            "kind": kind_form(model.position.kind, tables),
            "first": model.position.first,
        }
    layers = [_layer_form(layer, tables) for layer in model.layers]
    arrays = {name: (model.precision.values, array) for name, array in parameters(model).items()}
    for n, table in enumerate(tables.kinds):
        dtype = ValueSet.parse(table.dtype_name)
        arrays |= {f"tables.{n}.cos": (dtype, table.c), f"tables.{n}.sin": (dtype, table.s)}
    form = {
        "version": VERSION,
        "alphabet": list(model.alphabet),
        "precision": precision_form(model.precision),
        "mask": model.mask,
        "norm_at": model.norm_at,
        "position": position,
        "layers": layers,
        "tables": [{"name": table.name, "dtype": table.dtype_name} for table in tables.kinds],
        "arrays": {name: list(array.shape) for name, (_, array) in arrays.items()},
    }
    return form, arrays


def _layer_form(layer: Layer, tables: Tables) -> dict[str, Form]:
    attention = layer.attention
    if attention is None:
        return {"attention": None}
    rotary = None
    if attention.rotary is not None:
        angles = [[angle_text(angle) for angle in head] for head in attention.rotary.angles]
        rotary = {"angles": angles, "kind": kind_form(attention.rotary.kind, tables)}
    return {"attention": {"heads": attention.heads, "rotary": rotary}}


def stored_arrays(form: Form, where: str) -> dict[str, Stored]:
    """What the arrays of a description should be, before any of them is looked at.  Raises `InputError`."""
    entries = _checked(form, where)
    values = read_precision(entries["precision"], f"{where}.precision").values
    sets: dict[str, ValueSet] = {}
    for n, (_, dtype) in enumerate(_listed_tables(entries["tables"], f"{where}.tables")):
        sets |= dict.fromkeys((f"tables.{n}.cos", f"tables.{n}.sin"), ValueSet.parse(dtype))
    listed = entries["arrays"]
    if not isinstance(listed, dict):
        raise InputError(f"{where}.arrays", listed, "an object, name to shape")
    for name, shape in listed.items():
        if not isinstance(shape, list) or not 1 <= len(shape) <= _MAX_RANK:
            raise InputError(f"{where}.arrays.{name}", shape, "a list of one or two sizes")
        for size in shape:
            parse_count(size, f"{where}.arrays.{name}", most=1 << 32)
    for name in sets:
        if name not in listed:
            raise InputError(f"{where}.arrays", f"no {name!r}", "every array of `tables`")
    return {name: Stored(sets.get(name, values), tuple(shape)) for name, shape in listed.items()}


def _checked(form: Form, where: str) -> Mapping[str, Form]:
    if isinstance(form, dict) and "version" in form and (type(form["version"]), form["version"]) != (int, VERSION):
        raise InputError(f"{where}.version", form["version"], f"{VERSION}, the one that this version of fpcert reads")
    return object_of(form, where, _KEYS)


def build(form: Form, arrays: Mapping[str, Array], where: str) -> Transformer:
    """The model of a description and its arrays.

    Raises `InputError` for a form that is wrong, and for an array that is missing, has no place or another shape than
    its neighbours ask for.
    """
    entries = _checked(form, where)
    left = dict(arrays)
    tables = _tables(entries["tables"], left, where)
    layers = entries["layers"]
    if isinstance(layers, list) and len(layers) > MAX_LAYERS:
        raise InputError(f"{where}.layers", f"{len(layers)} layers", f"at most {MAX_LAYERS}")
    if not isinstance(layers, list):
        raise InputError(f"{where}.layers", layers, "a list of objects, one for each layer")
    attentions = [_attention_parts(each, f"{where}.layers[{n}]", tables) for n, each in enumerate(layers)]
    return assemble(
        left,
        attentions,
        where,
        alphabet=texts_of(entries["alphabet"], f"{where}.alphabet"),
        precision=read_precision(entries["precision"], f"{where}.precision"),
        position=_position(entries["position"], f"{where}.position", tables),
        norm_at=entries["norm_at"],
        mask=entries["mask"],
    )


def _listed_tables(form: Form, where: str) -> list[tuple[str, str]]:
    """(name, data type) of each table."""
    if not isinstance(form, list):
        raise InputError(where, form, "a list of objects")
    found = []
    for n, each in enumerate(form):
        entries = object_of(each, f"{where}[{n}]", ("name", "dtype"))
        name, dtype = (text_of(entries[key], f"{where}[{n}].{key}") for key in ("name", "dtype"))
        if dtype not in FORMATS or ValueSet.parse(dtype).carrier != "float64":
            raise InputError(f"{where}[{n}].dtype", dtype, "a format that binary64 holds, such as fp16")
        found.append((name, dtype))
    return found


def _tables(form: Form, left: dict[str, Array], where: str) -> list[ArrayKind]:
    made = []
    for n, (name, dtype) in enumerate(_listed_tables(form, f"{where}.tables")):
        key = f"tables.{n}"
        if f"{key}.cos" not in left or f"{key}.sin" not in left:
            raise InputError(where, f"no {key}.cos and {key}.sin", "every array of `tables`")
        made.append(table_of(name, dtype, left.pop(f"{key}.cos"), left.pop(f"{key}.sin"), f"{where}, {key}"))
    return made


def _attention_parts(form: Form, where: str, tables: list[ArrayKind]) -> AttentionParts | None:
    attention = object_of(form, where, ("attention",))["attention"]
    if attention is None:
        return None
    where = f"{where}.attention"
    entries = object_of(attention, where, ("heads", "rotary"))
    heads = parse_count(entries["heads"], f"{where}.heads", most=1 << 20)
    if entries["rotary"] is None:
        return heads, None
    rotary = object_of(entries["rotary"], f"{where}.rotary", ("angles", "kind"))
    listed = rotary["angles"]
    if not isinstance(listed, list) or len(listed) != heads:
        raise InputError(f"{where}.rotary.angles", listed, f"{heads} lists, one for each head")
    angles = tuple(_angles(head, f"{where}.rotary.angles[{n}]") for n, head in enumerate(listed))
    return heads, Rotary(angles, read_kind(rotary["kind"], f"{where}.rotary.kind", tables))


def _angles(form: Form, where: str) -> tuple[Angle, ...]:
    known: dict[str, Angle] = {}
    for n, each in enumerate(texts_of(form, where)):
        if each not in known:  # a power takes a while, and the heads of a model share their angles
            known[each] = read_angle(each, f"{where}[{n}]")
    return tuple(known[each] for each in form)


def _position(form: Form, where: str, tables: list[ArrayKind]) -> Sinusoidal | None:
    if form is None:
        return None
    entries = object_of(form, where, ("angles", "kind", "first"))
    first = parse_count(entries["first"], f"{where}.first", least=0)
    return Sinusoidal(_angles(entries["angles"], f"{where}.angles"), read_kind(entries["kind"], where, tables), first)
