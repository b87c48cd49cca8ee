"""Models in files.

    MODEL.safetensors   the codes of the parameters in F, and the description of the model (`description.py`),
                        a JSON text, as metadata with the key `fpcert-model`
    MODEL.json          the description, with the parameters as numbers: to be read, compared and written by hand

Both have everything: codes mean nothing without the value set that they are codes of, so the two are never apart.
Writing the same model gives the same bytes.  In a .json file a number is exact ("1/3" and "0x1p-24" too, as texts) and
need not be a value of F; codes always are.
"""

from __future__ import annotations

import json
import math
from pathlib import Path

import numpy as np
from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.json_file import read_json
from fpsim.number import exact_text, parse_number
from fpsim.operands import Array, as_array, as_binary64, as_element, elements_of
from fpsim.plain_file import without_repeats
from fpsim.transformer.files.description import Stored, build, describe, stored_arrays
from fpsim.transformer.files.forms import Form
from fpsim.transformer.files.safetensors_file import RawTensor, read_safetensors, write_bytes, write_safetensors
from fpsim.transformer.files.stored_codes import code_type, code_words, from_codes, to_codes
from fpsim.transformer.model import Transformer
from fpsim.transformer.representable import representable
from fpsim.valueset import ValueSet

__all__ = ["load_model", "number_forms", "save_model"]

KEY = "fpcert-model"
MAX_NUMBERS, MAX_OBJECTS = 1 << 27, 1 << 22
"""How many numbers a model may have: as binary64, and as objects where F needs those."""
MAX_JSON = 64 << 20


def save_model(model: Transformer, path: str | Path) -> None:
    """Write a model to a file: JSON where the name ends in .json, else safetensors.

    Raises `InputError` where a parameter is no value of F (`fpsim.transformer.rounded` makes it one) or has no code, as
    NaN in fixed point; `UnsupportedError` for a realization or an angle that has no text; `FpcertError` when the file
    cannot be written.
    """
    form, arrays = describe(model)
    if _is_json(path):
        del form["arrays"]
        write_bytes(path, _json_text(form, {name: number_forms(array) for name, (_, array) in arrays.items()}).encode())
        return
    codes = {}
    for name, (values, array) in arrays.items():
        try:
            codes[name] = to_codes(values, array)
        except InputError as error:
            raise InputError(name, f"a number ({error})", f"an array of values of {values.name}") from error
    write_safetensors(path, codes, KEY, json.dumps(form, sort_keys=True, separators=(",", ":")))


def load_model(path: str | Path, *, strict: bool = False) -> Transformer:
    """The model of a file that `save_model` wrote, or that was written by hand as JSON.

    Numbers of a .json file that are no values of F are rounded, with a `RoundedWarning`, or refused with `strict`.
    Raises `InputError` for any other file: pickles are never loaded, and no size is believed before it is checked.
    """
    name = f"model {str(path)!r}"
    form, arrays = _read_json(path, name) if _is_json(path) else _read_safetensors(path, name)
    return representable(build(form, arrays, name), strict=strict)


def _is_json(path: str | Path) -> bool:
    return str(path).lower().endswith(".json")


def _read_safetensors(path: str | Path, name: str) -> tuple[Form, dict[str, Array]]:
    metadata, tensors = read_safetensors(path, name)
    if KEY not in metadata:
        right = f"one with the metadata {KEY!r} (from_state_dict reads the weights of other programs)"
        raise InputError(name, "a safetensors file without the description of a model", right)
    try:
        form = json.loads(metadata[KEY], object_pairs_hook=without_repeats)
    except (ValueError, RecursionError) as error:
        raise InputError(name, f"a description that is no JSON ({error})", "one that save_model wrote") from error
    stored = stored_arrays(form, name)
    for each in tensors:
        if each not in stored:
            raise InputError(name, f"the tensor {each!r}", "absent: the description does not list it")
    for each in stored:
        if each not in tensors:
            raise InputError(name, f"no tensor {each!r}", "every tensor that the description lists")
    _check_size([about.shape for about in stored.values()], MAX_NUMBERS, name)
    _check_size([each.shape for each in stored.values() if each.values.carrier != "float64"], MAX_OBJECTS, name)
    return form, {each: _decoded(about, tensors[each], f"{name}, {each}") for each, about in stored.items()}


def _check_size(shapes: list[tuple[int, ...]], most: int, name: str) -> None:
    total = sum(math.prod(shape) for shape in shapes)
    if total > most:
        raise InputError(name, f"{total} numbers", f"a model of at most {most}")


def _decoded(about: Stored, tensor: RawTensor, what: str) -> Array:
    found, words, wanted = tensor.array(what), code_words(about.values), code_type(about.values)
    shape = (*about.shape, words) if words else about.shape
    if found.shape != shape:
        raise InputError(what, f"shape {list(found.shape)}", f"{list(shape)}, as the description says")
    if found.dtype != wanted or tensor.dtype[0] != "U":
        raise InputError(what, f"type {tensor.dtype}", f"{wanted.name}: the codes of {about.values.name}")
    try:
        return from_codes(about.values, found)
    except InputError as error:
        raise InputError(what, f"a code ({error})", f"the code of a value of {about.values.name}") from error


# -- JSON --------------------------------------------------------------------------------------------------------------


def _json_text(form: Form, numbers: dict[str, Form]) -> str:
    """One line for each entry and for each array."""
    lines = [f"{json.dumps(key)}: {json.dumps(entry, sort_keys=True)}" for key, entry in sorted(form.items())]
    arrays = [f"{json.dumps(name)}: {json.dumps(entry, allow_nan=False)}" for name, entry in numbers.items()]
    return ",\n".join(["{\n" + lines[0], *lines[1:], '"numbers": {\n  ' + ",\n  ".join(arrays) + "\n}"]) + "\n}\n"


def number_forms(array: Array) -> Form:
    """An array as nested lists of JSON numbers and exact texts.

    >>> number_forms(np.array([[0.5, 0.1]]))
    [[0.5, '0.1000000000000000055511151231257827021181583404541015625']]
    """
    if array.ndim > 1:
        return [number_forms(row) for row in array]
    return [_number_form(as_element(x)) for x in array]


def _number_form(x: mpq | float) -> Form:
    """A JSON number where its shortest decimal is the number itself, else an exact text."""
    if isinstance(x, float):
        return "-0" if x == 0 else str(x)
    if x.denominator == 1 and abs(x) < 1 << 53:
        return int(x)
    near = as_binary64(x)
    return near if near is not None and parse_number(repr(near)) == x else exact_text(x)


def _read_json(path: str | Path, name: str) -> tuple[Form, dict[str, Array]]:
    form = read_json(path, name, MAX_JSON)
    if not isinstance(form, dict) or not isinstance(form.get("numbers"), dict):
        raise InputError(name, "JSON of another shape", "an object with `numbers`, an object of arrays by name")
    arrays = {each: _array(numbers, f"{name}, {each}") for each, numbers in form.pop("numbers").items()}
    form["arrays"] = {each: list(array.shape) for each, array in arrays.items()}
    stored = stored_arrays(form, name)
    return form, {each: _carried(stored[each].values, array) for each, array in arrays.items()}


def _array(numbers: Form, what: str) -> Array:
    if not isinstance(numbers, list):
        raise InputError(what, numbers, "a list of numbers, or of rows of numbers")
    return as_array(numbers, what)


def _carried(values: ValueSet, array: Array) -> Array:
    """The same numbers in binary64 where that carries F and holds them, else as objects."""
    if values.carrier != "float64":
        return elements_of(array)
    near = [as_binary64(x) for x in elements_of(array).flat]
    return array if None in near else np.array(near, np.float64).reshape(array.shape)
