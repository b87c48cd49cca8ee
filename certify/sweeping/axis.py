"""One axis of a sweep: what a text such as `fp16,bf16`, `1:9:5` or `log:10:1e4:50` means, as exact values.

    a,b,c          a list
    lo:hi:n        n values at equal distances, both ends included, exact: lo + (hi - lo) i / (n - 1)
    log:lo:hi:n    n values at about equal ratios: the ends are exact, each one between is the point of the geometric
                   sequence rounded to 6 significant decimal digits, a short exact number that a file can show

Ranges are for numbers and angles; of two angles both are multiples of pi, or neither.  A value that comes twice on an
axis counts once.  An axis of whole numbers takes `lo:hi:n` only where the step is whole, and `log:` rounds to whole
numbers.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any, Literal, TypeAlias

import gmpy2
from gmpy2 import mpfr, mpq

from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import MAX_LENGTH, exact_text, parse_number

__all__ = ["MAX_VALUES", "Axis", "Kind", "Value"]

Value: TypeAlias = str | int | bool
Kind: TypeAlias = Literal["text", "number", "integer", "angle", "angles", "flag"]

MAX_VALUES = 1_000_000
MAX_DIGITS = 1000  # of a whole number, which JSON has to take
_DIGITS = 6  # of the inner points of a log range
_BITS = 256  # of the logarithm: MPFR rounds correctly, so that every machine finds the same digits
_RANGED = ("number", "integer", "angle", "angles")
_FLAGS = {"true": True, "yes": True, "1": True, "false": False, "no": False, "0": False}


@dataclass(frozen=True)
class Axis:
    """One parameter of a question that a sweep can vary.

    kind: what its values are.  "number" and "angle" are kept as exact texts; "angles" are the angles of a head of many
    pairs, a text with commas, so that here a comma does not begin another value.  default: the one value where the axis
    is not given; None: the parameter is absent.  check: of a text, its canonical form, or `InputError`.
    """

    name: str
    kind: Kind
    default: Value | None = None
    check: Callable[[str], str] | None = None

    def values(self, given: Any) -> tuple[Value, ...]:
        """The values that `given` means, a text, a number or a list of those, in that order and without repeats.

        Raises `InputError`, which names the axis, for a value that it cannot have and for an empty axis.

        >>> Axis("C", "number").values("1:2:3, 1e18"), Axis("k", "integer").values("log:1:100:3")
        (('1', '1.5', '2', '1000000000000000000'), (1, 10, 100))
        """
        found: dict[Value, None] = {}
        for item in self._items(given):
            for value in self._expand(item):
                found[value] = None
                if len(found) > MAX_VALUES:
                    raise InputError(self.name, f"more than {MAX_VALUES} values", "a shorter axis")
        if not found:
            raise InputError(self.name, "an empty axis", f"at least one value, such as {self.name} = {self._example()}")
        return tuple(found)

    def _items(self, given: Any) -> Iterator[Any]:
        listed = given if isinstance(given, list | tuple) else [given]
        for item in listed:
            if isinstance(item, str) and self.kind != "angles":
                yield from (part.strip() for part in item.split(",")) if item.strip() else ()
            elif isinstance(item, list | tuple) and self.kind == "angles":
                yield ",".join(map(str, item))
            else:
                yield item

    def _expand(self, item: Any) -> list[Value]:
        if isinstance(item, str) and not item.strip():
            raise InputError(self.name, "an empty value", f"a value such as {self._example()}, or none")
        if isinstance(item, str) and ":" in item and self.kind in _RANGED:
            return self._range(item.strip())
        return [self._one(item)]

    def _one(self, item: Any) -> Value:
        if self.kind == "flag":
            return self._flag(item)
        if self.kind == "integer":
            return self._whole(parse_number(item, self.name), item)
        if self.kind == "number":
            return self._again(exact_text(parse_number(item, self.name)))
        if self.kind == "angle":
            return self._again(str(Angle.parse(item, self.name)))
        if self.kind == "angles":
            parts = item.split(",") if isinstance(item, str) else [item]
            return ", ".join(self._again(str(Angle.parse(part, self.name))) for part in parts)
        if not isinstance(item, str):
            raise InputError(self.name, item, f"a text such as {self._example()}")
        return item if self.check is None else self.check(item)

    def _again(self, text: str) -> str:
        """The exact text of a number, which can be read again: 1e100000 is shorter than what it means."""
        if len(text) > MAX_LENGTH:
            raise InputError(self.name, text, f"a number whose exact text has at most {MAX_LENGTH} characters")
        return text

    def _flag(self, item: Any) -> bool:
        found = item if isinstance(item, bool) else _FLAGS.get(str(item).strip().lower())
        if found is None:
            raise InputError(self.name, item, "true or false")
        return found

    def _whole(self, number: mpq, item: Any) -> int:
        if number.denominator != 1:
            raise InputError(self.name, item, "a whole number")
        if abs(number) >= mpq(10) ** MAX_DIGITS:
            raise InputError(self.name, item, f"a whole number of at most {MAX_DIGITS} digits")
        return int(number)

    def _range(self, text: str) -> list[Value]:
        parts = text.split(":")
        spread = _geometric if parts[0].strip() == "log" else _arithmetic
        parts = parts[1:] if parts[0].strip() == "log" else parts
        if len(parts) != 3:
            raise InputError(self.name, text, "a value, lo:hi:n or log:lo:hi:n")
        low, high = (Angle.parse(part, self.name) for part in parts[:2])
        count = _count(parts[2], self.name, text)
        if self.kind not in ("angle", "angles") and (low.unit, high.unit) != ("one", "one"):
            raise InputError(self.name, text, "a range between numbers, not multiples of pi")
        if low.unit != high.unit and low and high:
            raise InputError(self.name, text, "a range whose ends are both multiples of pi, or neither")
        if spread is _geometric and (low.coefficient <= 0 or high.coefficient <= 0):
            raise InputError(self.name, text, "log:lo:hi:n between numbers greater than 0")
        points = spread(low.coefficient, high.coefficient, count)
        unit = low.unit if low else high.unit
        if unit == "pi":
            return [self._again(str(Angle(point, "pi" if point else "one"))) for point in points]
        if self.kind != "integer":
            return [self._again(exact_text(point)) for point in points]
        if spread is _geometric:
            points = [gmpy2.f_div(2 * point.numerator + point.denominator, 2 * point.denominator) for point in points]
        if any(point.denominator != 1 for point in points):
            raise InputError(self.name, text, "a range of whole numbers, where n - 1 divides hi - lo, such as 1:9:5")
        return [self._whole(mpq(point), text) for point in points]

    def _example(self) -> str:
        examples = {"number": "10:100:10", "integer": "1,2", "angle": "0.1,pi/7", "angles": "1,0.1", "flag": "true"}
        return examples.get(self.kind, str(self.default) if self.default is not None else "a name")


def _count(text: str, name: str, whole: str) -> int:
    stripped = text.strip()
    if not (stripped.isascii() and stripped.isdigit() and len(stripped) < 9 and 2 <= int(stripped) <= MAX_VALUES):
        raise InputError(name, whole, f"a range lo:hi:n with a whole number n between 2 and {MAX_VALUES}")
    return int(stripped)


def _arithmetic(low: mpq, high: mpq, count: int) -> list[mpq]:
    step = (high - low) / (count - 1)
    return [low + step * number for number in range(count)]


def _geometric(low: mpq, high: mpq, count: int) -> list[mpq]:
    with gmpy2.context(precision=_BITS):
        start, step = gmpy2.log10(mpfr(low)), gmpy2.log10(mpfr(high / low)) / (count - 1)
        inner = [_rounded(start + step * number) for number in range(1, count - 1)]
    return [low, *inner, high]


def _rounded(logarithm: mpfr) -> mpq:
    """10^logarithm to 6 significant decimal digits."""
    exponent = math.floor(logarithm)
    digits = int(gmpy2.rint(gmpy2.exp10(logarithm - exponent + _DIGITS - 1)))
    return mpq(digits) * mpq(10) ** (exponent - _DIGITS + 1)
