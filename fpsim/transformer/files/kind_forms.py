"""Kinds of realization as JSON.

The tables of an array are no JSON: a form has the number of a table, and the tables are kept beside (`Tables`).
"""

from __future__ import annotations

from dataclasses import dataclass, field

import numpy as np

from fpsim.errors import InputError, UnsupportedError
from fpsim.number import parse_count
from fpsim.operands import Array
from fpsim.pipeline import Pipeline
from fpsim.realization import REALIZATIONS, Kind, parse_kind
from fpsim.realization.array_file import ArrayKind
from fpsim.realization.kinds import Named
from fpsim.realization.windowed import WindowedKind, windowed
from fpsim.transformer.files.forms import Form, object_of
from fpsim.transformer.files.pipeline_forms import pipeline_form, read_pipeline

__all__ = ["Tables", "kind_form", "read_kind", "table_of"]

_MAX_NESTING = 4  # of windows in windows


@dataclass
class Tables:
    """The distinct arrays of a model, in the order in which they are met: the value set of the entries, cos and sin."""

    kinds: list[ArrayKind] = field(default_factory=list)

    def number(self, kind: ArrayKind) -> int:
        """The number of the array, the same for the same object."""
        for n, known in enumerate(self.kinds):
            if known is kind:
                return n
        self.kinds.append(kind)
        return len(self.kinds) - 1


def kind_form(kind: Kind, tables: Tables) -> Form:
    """A kind of realization; its arrays, where it has any, are added to `tables`.

    Raises `UnsupportedError` for a kind of the user's own.

    >>> kind_form(windowed("phase", 8), Tables())
    {'window': 8, 'of': 'phase'}
    """
    if isinstance(kind, Named):
        return kind.name
    if isinstance(kind, ArrayKind):
        return {"array": tables.number(kind)}
    if isinstance(kind, WindowedKind):
        return {"window": kind.window, "of": kind_form(kind.inner, tables)}
    if isinstance(kind, Pipeline):
        return pipeline_form(kind)
    raise UnsupportedError(f"a realization of the type {type(kind).__name__} cannot be written to a file")


def read_kind(form: Form, where: str, tables: list[ArrayKind], nesting: int = 0) -> Kind:
    """The kind of a form.  Raises `InputError`."""
    if isinstance(form, str) and form in REALIZATIONS:
        return parse_kind(form)
    if isinstance(form, dict) and "array" in form:
        n = parse_count(object_of(form, where, ("array",))["array"], f"{where}.array", least=0)
        if n >= len(tables):
            raise InputError(f"{where}.array", n, f"the number of one of the {len(tables)} tables, from 0")
        return tables[n]
    if isinstance(form, dict) and "window" in form and nesting < _MAX_NESTING:
        entries = object_of(form, where, ("window", "of"))
        window = parse_count(entries["window"], f"{where}.window")
        return windowed(read_kind(entries["of"], f"{where}.of", tables, nesting + 1), window)
    if isinstance(form, dict) and "pipeline" in form:
        return read_pipeline(form, where)
    raise InputError(where, form, f"{', '.join(REALIZATIONS)}, an array, a pipeline or a window of one of them")


def table_of(name: str, dtype: str, c: Array, s: Array, where: str) -> ArrayKind:
    """The array of these cosines and sines, values of `dtype` in binary64.  Raises `InputError`."""
    if c.ndim != 2 or c.shape != s.shape or 0 in c.shape:
        raise InputError(
            where, f"cos of shape {c.shape} and sin of shape {s.shape}", "of one shape, (positions, pairs)"
        )
    parts = [np.array(each, np.float64, order="F") for each in (c, s)]
    for what, each in zip(("cos", "sin"), parts, strict=True):
        if not np.isfinite(each).all():
            raise InputError(f"{where}.{what}", "an infinity or NaN", "an array of finite numbers")
        each.flags.writeable = False
    return ArrayKind(name, parts[0], parts[1], dtype)
