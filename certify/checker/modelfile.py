"""A model as its file has it: a .safetensors file with the codes of the parameters, and the description as metadata.

    8 bytes: the length of the header, least significant first; the header, a JSON object; the bytes of the arrays
    header: name to {"data_offsets": [begin, end], "dtype", "shape"}, and "__metadata__": {"fpcert-model": a JSON text}

An array holds unsigned integers, the codes of values of F.  The code of the value with index k (k >= 0 on either side
of 0, as `ValueSet.magnitude` counts) is k, with the highest bit set for the negative one; where there are infinities
their code follows that of the largest value.  Only the formats of `FORMATS` are read: their names stand for a value
set, followed by modes such as ":ftz".
"""

from __future__ import annotations

import json
from fractions import Fraction
from typing import Any

from .kinds import MODES, OVERFLOWS, FloatSet
from .limits import Account, Malformed, Unsupported
from .valueset import INF, ZERO, Element, ValueSet

__all__ = ["Arrays", "ModelFile", "value_set_of"]

FORMATS = {  # p, emin, largest, overflow, bits of a code
    "fp16": (11, -14, Fraction(65504), "inf", 16),
    "bf16": (8, -126, (2 - Fraction(1, 128)) * 2**127, "inf", 16),
    "fp32": (24, -126, (2 - Fraction(1, 1 << 23)) * 2**127, "inf", 32),
    "tf32": (11, -126, (2 - Fraction(1, 1024)) * 2**127, "inf", 19),
    "fp64": (53, -1022, (2 - Fraction(1, 1 << 52)) * 2**1023, "inf", 64),
    "e4m3": (4, -6, Fraction(448), "nan", 8),
    "e5m2": (3, -14, Fraction(57344), "inf", 8),
    "e3m2": (3, -2, Fraction(28), "saturate", 6),
    "e2m3": (4, 0, Fraction(15, 2), "saturate", 6),
    "e2m1": (2, 0, Fraction(6), "saturate", 4),
}
MAX_BYTES, MAX_HEADER, MAX_NUMBERS = 1 << 24, 1 << 20, 200_000
_TYPES = {"U8": 1, "U16": 2, "U32": 4, "U64": 8}

Arrays = dict[str, tuple[list[int], list[Element]]]


def value_set_of(thing: Any, account: Account) -> tuple[ValueSet, int]:
    """(the value set that a name such as "fp16:ftz" stands for, the bits of its codes)."""
    name, *modes = thing.split(":") if isinstance(thing, str) else [""]
    if name not in FORMATS:
        raise Unsupported(f"the model computes in {str(thing)[:40]}, and this checker reads {', '.join(FORMATS)}")
    p, emin, largest, overflow, bits = FORMATS[name]
    rounding, ftz = "even", False
    for mode in modes:
        if mode in MODES:
            rounding = mode
        elif mode in OVERFLOWS:
            overflow = mode
        elif mode == "ftz":
            ftz = True
        else:
            raise Unsupported(f"the value set {thing[:40]} has a mode that this checker does not know")
    values = FloatSet(p, emin, largest, ftz, overflow, rounding)
    values.account = account
    return values, bits


class ModelFile:
    """The description, a JSON object, and the arrays as codes."""

    def __init__(self, data: bytes) -> None:
        if len(data) > MAX_BYTES:
            raise Unsupported(f"the model file has more than {MAX_BYTES} bytes")
        size = int.from_bytes(data[:8], "little")
        if len(data) < 10 or size > len(data) - 8:
            raise Unsupported("the model file is no safetensors file, the only kind that this checker reads")
        if size > MAX_HEADER:
            raise Unsupported(f"the header of the model file has more than {MAX_HEADER} bytes")
        self._header = _json(data[8 : 8 + size], "the header of the model file")
        self._data = data[8 + size :]
        metadata = self._header.pop("__metadata__", {})
        text = metadata.get("fpcert-model") if isinstance(metadata, dict) else None
        if not isinstance(text, str):
            raise Unsupported("the model file has no description of a model")
        self.description = _json(text.encode(), "the description of the model")

    def arrays(self, values: ValueSet, bits: int) -> Arrays:
        """Name to (shape, elements), all of this value set."""
        found: Arrays = {}
        total = 0
        for name, about in self._header.items():
            if not isinstance(about, dict) or set(about) != {"data_offsets", "dtype", "shape"}:
                raise Unsupported(f"the array {name[:40]} of the model file has another form")
            shape, offsets, width = about["shape"], about["data_offsets"], _TYPES.get(str(about["dtype"]), 0)
            numbers = [*shape, *offsets] if isinstance(shape, list) and isinstance(offsets, list) else [-1]
            if any(type(n) is not int or n < 0 for n in numbers) or len(offsets) != 2 or not 1 <= len(shape) <= 2:
                raise Unsupported(f"the array {name[:40]} of the model file has no shape and offsets")
            count = shape[0] * (shape[1] if len(shape) == 2 else 1)
            total += count
            begin, end = offsets
            if not width or end > len(self._data) or end - begin != count * width or total > MAX_NUMBERS:
                raise Unsupported(
                    f"the array {name[:40]} of the model file does not fit, or there are too many numbers"
                )
            codes = (self._data[at : at + width] for at in range(begin, end, width))
            found[name] = (shape, [_element(values, bits, int.from_bytes(code, "little"), name) for code in codes])
        return found


def _element(values: ValueSet, bits: int, code: int, name: str) -> Element:
    sign = 1 << (bits - 1)
    k, negative = code & (sign - 1), bool(code & sign)
    if code >= 2 * sign:
        raise Unsupported(f"a code of {name[:40]} has too many bits")
    if k == 0:
        return ZERO
    if values.overflow == "inf" and k == values.top[0] + 1:
        return -INF if negative else INF
    if not values.first <= k <= values.top[0]:
        raise Unsupported(f"a code of {name[:40]} is no number")
    return -values.magnitude(k, True) if negative else values.magnitude(k, False)


def _json(data: bytes, what: str) -> dict[str, Any]:
    def unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        found = dict(pairs)
        if len(found) < len(pairs):
            raise Malformed("a key twice")
        return found

    try:
        thing = json.loads(data.decode("utf-8"), object_pairs_hook=unique)
    except (ValueError, RecursionError, Malformed) as error:
        raise Unsupported(f"{what} is no JSON ({error})") from None
    if not isinstance(thing, dict):
        raise Unsupported(f"{what} is no object")
    return thing
