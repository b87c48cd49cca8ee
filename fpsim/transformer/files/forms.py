"""Value sets, orders of sums and precisions as JSON, so that they read back exactly as they were.

A set that its name gives again is written as that name ("fp16:ftz").  Any other is spelled out, a grid value by value:
the file that listed it need not be there where the model is read.  A form that is read may come from anywhere: whatever
is wrong with it raises `InputError`, and no form makes another file be opened.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any, cast, get_args

from fpsim.errors import InputError
from fpsim.grid_file import grid
from fpsim.number import exact_text, parse_count
from fpsim.precision import Precision
from fpsim.regime import Regime
from fpsim.sums import Order, parse_order
from fpsim.valueset import MAX_PRECISION, Layout, Overflow, Rounding, ValueSet
from fpsim.valueset_text import MAX_EXPONENT_BITS, parse_value_set

__all__ = [
    "Form",
    "object_of",
    "precision_form",
    "read_precision",
    "read_value_set",
    "text_of",
    "texts_of",
    "value_set_form",
]

Form = Any
"""What `json` writes and reads."""

_STAGES = ("rotate", "score", "softmax", "output", "linear")
_NUMBERS = ("precision", "emin", "last")
_MAX_EMIN = 1 << MAX_EXPONENT_BITS


def object_of(form: Form, where: str, required: tuple[str, ...], optional: tuple[str, ...] = ()) -> Mapping[str, Form]:
    """The form itself, an object with these keys and no others.  Raises `InputError`."""
    if not isinstance(form, dict):
        raise InputError(where, form, f"an object with the keys {', '.join(required)}")
    for key in required:
        if key not in form:
            raise InputError(where, f"an object without {key!r}", f"one with the keys {', '.join(required)}")
    for key in form:
        if key not in required and key not in optional:
            raise InputError(where, f"the key {key!r}", f"absent: the keys are {', '.join(required + optional)}")
    return form


def value_set_form(values: ValueSet) -> Form:
    """A value set as its name, or spelled out.

    >>> value_set_form(ValueSet.parse("fp16:ftz")), value_set_form(grid([0, "1/3"], name="mine"))["values"]
    ('fp16:ftz', ['0', '1/3'])
    """
    if values.kind != "grid" and not values.name.strip().startswith("grid:"):
        try:
            if parse_value_set(values.name) == values:
                return values.name.strip()
        except InputError:  # a name of the user's own
            pass
    form: dict[str, Form] = {
        "kind": values.kind,
        "name": values.name,
        "overflow": values.overflow,
        "rounding": values.rounding,
        "seed": values.seed,
    }
    if values.kind == "grid":
        return form | {"values": [exact_text(value) for value in values.grid]}
    form |= {name: hex(getattr(values, name)) for name in _NUMBERS}  # `last` may have more bits than a JSON number
    return form | {"ftz": values.ftz, "signed_zero": values.signed_zero, "layout": values.layout}


def read_value_set(form: Form, where: str) -> ValueSet:
    """The value set of a form.  Raises `InputError`."""
    if isinstance(form, str):
        if form.strip().startswith("grid:"):
            raise InputError(where, form, "spelled out: a model file reads no other file")
        return parse_value_set(form)
    kind = form.get("kind") if isinstance(form, dict) else None
    shared = ("kind", "name", "overflow", "rounding", "seed")
    if kind == "grid":
        entries = object_of(form, where, (*shared, "values"))
    elif kind in ("float", "fixed"):
        entries = object_of(form, where, (*shared, *_NUMBERS, "ftz", "signed_zero", "layout"))
    else:
        raise InputError(where, form, "the name of a value set, or an object whose kind is float, fixed or grid")
    name = text_of(entries["name"], f"{where}.name")
    mode: dict[str, Any] = {
        "overflow": _one_of(entries["overflow"], Overflow, f"{where}.overflow"),
        "rounding": _one_of(entries["rounding"], Rounding, f"{where}.rounding"),
        "seed": None if entries["seed"] is None else parse_count(entries["seed"], f"{where}.seed", least=0),
    }
    if kind == "grid":
        found = grid(entries["values"], overflow=mode["overflow"], name=name)
        return ValueSet(
            name, "grid", first=found.first, last=found.last, grid=found.grid, layout="index", **mode
        )  # fmt: skip
    return _read_formula(entries, where, name, mode)


def _read_formula(entries: Mapping[str, Form], where: str, name: str, mode: dict[str, Any]) -> ValueSet:
    """A float or fixed-point set, whose values are a formula of a few numbers."""
    precision, emin, last = (_integer(entries[each], f"{where}.{each}") for each in _NUMBERS)
    layout = _one_of(entries["layout"], Layout, f"{where}.layout")
    flags = {each: entries[each] for each in ("ftz", "signed_zero")}
    for each, flag in flags.items():
        if not isinstance(flag, bool):
            raise InputError(f"{where}.{each}", flag, "true or false")
    if not 1 <= precision <= MAX_PRECISION or abs(emin) > _MAX_EMIN:
        stated = f"precision {precision}, emin {emin}"
        raise InputError(where, stated, f"1 .. {MAX_PRECISION} bits and |emin| of at most {_MAX_EMIN}")
    fixed = entries["kind"] == "fixed"
    most = (1 << precision) - 1 if fixed else (_MAX_EMIN << precision) - 1
    if not 1 <= last <= most or (fixed and last != most):
        raise InputError(f"{where}.last", hex(last), f"{'' if fixed else 'between 0x1 and '}{most:#x}")
    infinite = mode["overflow"] == "inf"
    if layout == "index" or (layout == "two") != fixed or (infinite and layout not in ("ieee", "none")):
        raise InputError(f"{where}.layout", layout, f"one of a {entries['kind']} set, overflow {mode['overflow']}")
    if layout == "ieee" and (precision < 2 or not infinite):
        raise InputError(f"{where}.layout", layout, "that of a set with infinities and at least 2 bits")
    kind = cast("Any", entries["kind"])
    return ValueSet(name, kind, precision, emin, last, -last, layout=layout, **flags, **mode)


def _integer(form: Form, where: str) -> int:
    text = text_of(form, where)
    if not re.fullmatch(r"-?0x[0-9a-f]{1,80}", text, re.ASCII):
        raise InputError(where, text, "a hexadecimal integer such as -0xe")
    return int(text, 16)


def text_of(form: Form, where: str) -> str:
    """The form itself, a text.  Raises `InputError`."""
    if not isinstance(form, str):
        raise InputError(where, form, "a text")
    return form


def texts_of(form: Form, where: str) -> tuple[str, ...]:
    """A list of texts.  Raises `InputError`."""
    if not isinstance(form, list):
        raise InputError(where, form, "a list of texts")
    return tuple(text_of(each, f"{where}[{n}]") for n, each in enumerate(form))


def _one_of(form: Form, among: Any, where: str) -> Any:
    if form not in get_args(among):
        raise InputError(where, form, f"one of {', '.join(get_args(among))}")
    return form


def order_form(order: Order) -> Form:
    """An order as its text, or {"wide": F}."""
    return str(order) if order.accumulator is None else {"wide": value_set_form(order.accumulator)}


def read_order(form: Form, where: str) -> Order:
    """The order of a form.  Raises `InputError`."""
    if isinstance(form, dict):
        return Order("wide", accumulator=read_value_set(object_of(form, where, ("wide",))["wide"], f"{where}.wide"))
    if isinstance(form, str) and form.startswith("wide:"):
        raise InputError(where, form, 'an object such as {"wide": "fp32"}')
    return parse_order(form)


def precision_form(precision: Precision) -> dict[str, Form]:
    """The value set of each stage, one that is `values` too written as that word; `fma` and the two orders.

    >>> precision_form(Precision.of("bf16", score="fp32"))["score"]
    'fp32'
    """
    sets, values = precision.stages, precision.values
    stages = {stage: "values" if sets[stage] == values else value_set_form(sets[stage]) for stage in _STAGES}
    orders = {"order": order_form(precision.regime.order), "dot": order_form(precision.dot)}
    return {"values": value_set_form(values), "fma": precision.regime.fma} | orders | stages


def read_precision(form: Form, where: str) -> Precision:
    """The precision of a form.  Raises `InputError`, and `UnsupportedError` as `Precision` does."""
    entries = object_of(form, where, ("values", "fma", "order", "dot", *_STAGES))
    values = read_value_set(entries["values"], f"{where}.values")

    def pick(stage: str) -> ValueSet:
        return values if entries[stage] == "values" else read_value_set(entries[stage], f"{where}.{stage}")

    if not isinstance(entries["fma"], bool):
        raise InputError(f"{where}.fma", entries["fma"], "true or false")
    heads = {stage: pick(stage) for stage in _STAGES if stage != "linear"}
    regime = Regime(values, **heads, fma=entries["fma"], order=read_order(entries["order"], f"{where}.order"))
    return Precision(regime, pick("linear"), read_order(entries["dot"], f"{where}.dot"))
