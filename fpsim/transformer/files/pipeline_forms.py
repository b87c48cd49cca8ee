"""Pipelines, schedules and scalings as JSON.

A pipeline is spelled out stage by stage, with its schedule: what a model computes does not change when the facts that
this package knows of a stack do.
"""

from __future__ import annotations

from dataclasses import fields
from typing import Any

from gmpy2 import mpq

from fpsim.errors import InputError, UnsupportedError
from fpsim.number import exact_text, parse_count, parse_number
from fpsim.pipeline import MODEL, Chain, Pipeline, Stages
from fpsim.schedule import MAX_DIM, Entry, Scaling, Schedule
from fpsim.transformer.files.angle_form import angle_text, read_angle
from fpsim.transformer.files.forms import Form, object_of, read_value_set, text_of, texts_of, value_set_form
from fpsim.valueset import ValueSet

__all__ = ["pipeline_form", "read_pipeline"]

_PLACES = ("stored", "position", "operands", "phase", "trig", "attention", "table", "rotate")
_CHAIN = ("exponent", "power", "result")
_MAX_NESTING = 4  # of scalings in scalings


def _place_form(place: ValueSet | str | None) -> Form:
    if place is None or place == MODEL:
        return place
    return value_set_form(ValueSet.parse(place) if isinstance(place, str) else place)


def _read_place(form: Form, where: str) -> ValueSet | str:
    # A name stays the text that it is in the pipelines of this package, so that what is read equals what was written.
    if isinstance(form, str):
        if form != MODEL:
            read_value_set(form, where)
        return form
    return read_value_set(form, where)


def pipeline_form(pipeline: Pipeline) -> dict[str, Form]:
    """A pipeline spelled out.  Raises `UnsupportedError` for angles that have no text."""
    stages, chain = pipeline.stages, pipeline.stages.chain
    return {
        "pipeline": pipeline.name,
        "source": pipeline.source,
        "notes": list(pipeline.notes),
        "chain": {"kind": chain.kind} | {each: _place_form(getattr(chain, each)) for each in _CHAIN},
        "linear": stages.linear,
        "stages": {each: _place_form(getattr(stages, each)) for each in _PLACES},
        "schedule": None if pipeline.schedule is None else _schedule_form(pipeline.schedule),
    }


def read_pipeline(form: Form, where: str) -> Pipeline:
    """The pipeline of a form.  Raises `InputError`."""
    keys = ("pipeline", "source", "notes", "chain", "linear", "stages", "schedule")
    entries = object_of(form, where, keys)
    chain = object_of(entries["chain"], f"{where}.chain", ("kind", *_CHAIN))
    places = object_of(entries["stages"], f"{where}.stages", _PLACES)
    sets: dict[str, Any] = {
        each: None if each == "operands" and place is None else _read_place(place, f"{where}.stages.{each}")
        for each, place in places.items()
    }
    chain_sets: dict[str, Any] = {each: _read_place(chain[each], f"{where}.chain.{each}") for each in _CHAIN}
    kind: Any = text_of(chain["kind"], f"{where}.chain.kind")
    sets["linear"] = text_of(entries["linear"], f"{where}.linear")
    stages = Stages(Chain(kind, **chain_sets), **sets)
    schedule = None if entries["schedule"] is None else _read_schedule(entries["schedule"], f"{where}.schedule")
    name, source = (text_of(entries[key], f"{where}.{key}") for key in ("pipeline", "source"))
    return Pipeline(name, stages, schedule, source, texts_of(entries["notes"], f"{where}.notes"))


def _schedule_form(schedule: Schedule) -> dict[str, Form]:
    factor = schedule.attention_factor
    if not isinstance(factor, type(mpq())):
        raise UnsupportedError("a schedule whose attention factor is irrational cannot be written to a file")
    exponents = schedule.exponents
    return {
        "angles": [angle_text(angle) for angle in schedule.angles],
        "base": None if schedule.base is None else exact_text(schedule.base),
        "dim": schedule.dim,
        "exponents": None if exponents is None else [None if e is None else exact_text(mpq(e)) for e in exponents],
        "scaling": None if schedule.scaling is None else _scaling_form(schedule.scaling),
        "attention_factor": exact_text(factor),
    }


def _read_schedule(form: Form, where: str) -> Schedule:
    entries = object_of(form, where, tuple(f.name for f in fields(Schedule)))
    listed, exponents = entries["angles"], entries["exponents"]
    if not isinstance(listed, list) or not 1 <= len(listed) <= MAX_DIM:
        raise InputError(f"{where}.angles", listed, f"a list of 1 to {MAX_DIM} angles")
    if exponents is not None and (not isinstance(exponents, list) or len(exponents) != len(listed)):
        raise InputError(f"{where}.exponents", exponents, f"null, or a list of {len(listed)}")
    base = None if entries["base"] is None else _number(entries["base"], f"{where}.base")
    if (base is not None and base <= 0) or (base is None) != (exponents is None):
        raise InputError(f"{where}.base", entries["base"], "a number above 0, together with exponents")
    return Schedule(
        tuple(read_angle(each, f"{where}.angles[{n}]") for n, each in enumerate(listed)),
        base,
        None if entries["dim"] is None else parse_count(entries["dim"], f"{where}.dim", least=2, most=MAX_DIM),
        None if exponents is None else tuple(_exponent(each, f"{where}.exponents") for each in exponents),
        None if entries["scaling"] is None else _read_scaling(entries["scaling"], f"{where}.scaling"),
        _number(entries["attention_factor"], f"{where}.attention_factor"),
    )


def _exponent(form: Form, where: str) -> mpq | None:
    """An exponent 2d/dim."""
    if form is None:
        return None
    number = _number(form, where)
    if not 0 <= number < 1 or number.denominator > MAX_DIM:
        raise InputError(where, form, f"null or a number 2d/dim of [0, 1), dim at most {MAX_DIM}")
    return number


def _scaling_form(scaling: Scaling) -> dict[str, Form]:
    parameters = [[name, _entry_form(entry)] for name, entry in scaling.parameters]
    return {"kind": scaling.kind, "parameters": parameters, "unused": list(scaling.unused)}


def _entry_form(entry: Entry) -> Form:
    if isinstance(entry, Scaling):
        return {"scaling": _scaling_form(entry)}
    if isinstance(entry, tuple):
        return [_entry_form(each) for each in entry]
    return {"number": exact_text(entry)} if isinstance(entry, type(mpq())) else entry


def _read_scaling(form: Form, where: str, nesting: int = 0) -> Scaling:
    entries = object_of(form, where, ("kind", "parameters", "unused"))
    listed = entries["parameters"]
    if not isinstance(listed, list) or not all(isinstance(each, list) and len(each) == 2 for each in listed):
        raise InputError(f"{where}.parameters", listed, "a list of pairs, name and value")
    parameters = tuple((text_of(name, where), _read_entry(entry, f"{where}.{name}", nesting)) for name, entry in listed)
    factor = dict(parameters).get("factor")
    if factor is not None and (isinstance(factor, bool) or not isinstance(factor, int | type(mpq())) or factor <= 0):
        raise InputError(f"{where}.factor", str(factor), "a number above 0")
    return Scaling(
        text_of(entries["kind"], f"{where}.kind"), parameters, texts_of(entries["unused"], f"{where}.unused")
    )


def _read_entry(form: Form, where: str, nesting: int) -> Entry:
    if isinstance(form, dict) and "number" in form:
        return _number(object_of(form, where, ("number",))["number"], where)
    if isinstance(form, dict) and nesting < _MAX_NESTING:
        return _read_scaling(object_of(form, where, ("scaling",))["scaling"], where, nesting + 1)
    if isinstance(form, list):
        read = [_read_entry(each, where, nesting) for each in form if not isinstance(each, list)]
        if len(read) == len(form) and all(isinstance(each, int | type(mpq())) for each in read):
            return tuple(read)
    elif form is None or isinstance(form, bool | int | str):
        return form
    raise InputError(where, form, "a number, a text, true, false, null, or a list of numbers")


def _number(form: Form, where: str) -> mpq:
    return parse_number(text_of(form, where), where)
