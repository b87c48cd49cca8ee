"""Which realization a claim speaks of: one that has a name, blocks that are given, or a pipeline spelled out."""

from __future__ import annotations

import re
from typing import Any

from .angle import parse_angle
from .exact import Purse
from .given import Given
from .limits import Malformed
from .pipeline import Pipeline
from .rotation import REALIZATIONS, Rotation
from .valueset import ValueSet

__all__ = ["parse_rotation"]


def parse_rotation(thing: Any, angle: Any, what: str, values: ValueSet, purse: Purse, arrays: bool) -> Rotation:
    """The rotation by an angle, which the claim calls `what`.  arrays: whether blocks may be given."""
    if isinstance(thing, dict) and set(thing) == {"pipeline"}:
        return Pipeline(thing["pipeline"], angle, what, values, purse)
    parsed = parse_angle(angle, what, purse)
    if arrays and isinstance(thing, dict):
        if set(thing) != {"array"} or not isinstance(thing["array"], str):
            raise Malformed("realize is a name, or an object with a pipeline or the sha256 of an array")
        if not re.fullmatch(r"[0-9a-f]{64}", thing["array"]):
            raise Malformed("array is not a sha256: 64 hexadecimal digits")
        return Given(parsed, values, thing["array"], purse.account)
    if not isinstance(thing, str) or thing not in REALIZATIONS:
        raise Malformed("realize is none that is known")
    return Rotation(parsed, values, thing, purse.account)
