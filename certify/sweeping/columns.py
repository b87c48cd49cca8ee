"""The columns of a results file: the parameters of every question, what was found, and where it comes from.

Numbers are exact: a whole number that SQLite's 64 bits hold is stored as that, any other as its exact text.  Beside
each stands the nearest binary64 in a second column, by which it is compared and sorted.
"""

from __future__ import annotations

import math
from dataclasses import dataclass
from functools import cached_property, cmp_to_key, lru_cache
from typing import Any, Literal

from gmpy2 import mpq

from certify.sweeping.questions import QUESTIONS
from fpsim.angle import Angle
from fpsim.errors import InputError
from fpsim.number import exact_text, json_number, parse_number

__all__ = ["COLUMNS", "Column", "find_column", "nearest", "order", "storable"]

_BITS = (128, 512, 2048, 1 << 14)  # of enclosures of irrational angles, until they tell what is asked
_MOST_BITS = 1 << 22  # of the powers of rationals that are compared: some milliseconds


@dataclass(frozen=True)
class Column:
    """A column: its name, and the kind of its values: "text", "integer", "number" (rational), "angle", "flag", "hash"
    (hexadecimal digits, stored as bytes), or "seconds", the one kind of numbers that are not exact.
    """

    name: str
    kind: Literal["text", "integer", "number", "angle", "flag", "hash", "seconds"]

    @cached_property
    def exact(self) -> bool:
        """Whether a second column has the nearest binary64."""
        return self.kind in ("integer", "number", "angle")

    @property
    def near(self) -> str:
        """The name of the column with the nearest binary64, by which this one is compared and sorted."""
        return f"{self.name}_near" if self.exact else self.name

    def stored(self, value: Any) -> tuple[Any, ...]:
        """What the file holds for a value other than None: one entry, or two where the kind is exact."""
        if self.exact:
            return _stored_angle(value) if self.kind == "angle" else _stored_number(value)
        if self.kind == "hash":
            return (bytes.fromhex(value),)
        if self.kind == "text":
            return (storable(value),)
        return (int(value) if self.kind == "flag" else value,)

    def key(self, word: tuple[Any, float | None]) -> Any:
        """What an entry with its nearest binary64 is sorted by, exactly."""
        return (word[1], _EXACT(word[0])) if self.exact else word[0]

    def shown(self, stored: Any, *, exact: bool = False) -> Any:
        """The value of the entry, as JSON has it: a number that binary64 does not hold exactly is its exact text.

        exact: no number is a float; those that are not whole are their exact texts.
        """
        if stored is None or self.kind in ("text", "angle", "seconds"):
            return stored
        if self.kind == "flag":
            return bool(stored)
        if self.kind == "hash":
            return stored.hex()
        if exact:
            return stored
        if isinstance(stored, int):
            return stored if abs(stored) <= 2**53 else str(stored)
        number = json_number(parse_number(stored))
        return number if isinstance(number, float) and not number.is_integer() else str(stored)


@lru_cache(maxsize=1 << 16, typed=True)  # the values of a grid come again and again
def _stored_angle(value: Any) -> tuple[Any, ...]:
    angle = Angle.parse(value)
    return str(angle), nearest(angle)


@lru_cache(maxsize=1 << 16, typed=True)
def _stored_number(value: Any) -> tuple[Any, ...]:
    number = parse_number(value)
    if number.denominator == 1 and -(2**63) <= number < 2**63:
        return int(number), nearest(number)
    return exact_text(number), nearest(number)


_OF_AXES = {
    "text": "text",
    "angles": "text",
    "flag": "flag",
    "integer": "integer",
    "number": "number",
    "angle": "angle",
}


def _parameters() -> tuple[Column, ...]:
    found: dict[str, Column] = {}
    for question in QUESTIONS.values():
        for axis in question.axes:
            column = Column(axis.name, _OF_AXES[axis.kind])  # type: ignore[arg-type]
            assert found.setdefault(axis.name, column) == column  # the same name is the same kind in every question
    return tuple(found.values())


COLUMNS: tuple[Column, ...] = (
    Column("question", "text"),
    *_parameters(),
    Column("status", "text"),
    Column("verdict", "text"),
    Column("n_max", "integer"),
    Column("lower", "integer"),
    Column("upper", "integer"),
    Column("ideal", "integer"),
    Column("usable", "flag"),
    Column("period", "integer"),
    Column("components", "integer"),
    Column("first_collision", "integer"),  # the least position whose block of some component was there before
    Column("leaves_F_at", "integer"),  # the least position at which some component is no number
    Column("single_pair", "text"),
    Column("harmonic", "text"),
    Column("reason", "text"),
    Column("seconds", "seconds"),
    Column("finished", "text"),
    Column("producer", "text"),
    Column("id", "hash"),
)


def storable(text: str) -> str:
    r"""The text as SQLite can hold it: names of files may have bytes that are no UTF-8, which are escaped.

    >>> storable("grid:a\udcff.txt")
    'grid:a\\udcff.txt'
    """
    return text.encode("utf-8", "backslashreplace").decode()


def find_column(name: str) -> Column:
    """The column of that name.  Raises `InputError`, which names them all."""
    for column in COLUMNS:
        if column.name == name:
            return column
    raise InputError("column", name, f"one of {', '.join(column.name for column in COLUMNS)}")


def nearest(value: mpq | Angle) -> float:
    """The binary64 nearest to the value, an infinity beyond its range.

    Rounding to nearest is monotone: where two of these differ, the values differ in the same direction.

    >>> nearest(mpq(1, 10)), nearest(mpq(10) ** 400)
    (0.1, inf)
    """
    if not isinstance(value, Angle):
        return _rounded(value)
    for bits in _BITS:
        lo, hi = (_rounded(end) for end in value.enclose(bits))
        if lo == hi:  # and so is what is between the ends
            break
    return lo


def _rounded(value: mpq) -> float:
    try:
        return float(value)
    except OverflowError:
        return math.inf if value > 0 else -math.inf


def order(a: Any, b: Any) -> int:
    """-1, 0 or 1 as the exact value of the entry `a` is less than, equal to or greater than that of `b`.

    >>> order("1/3", "0.3333333333333333333"), order("pi", "2*pi"), order(7, "7")
    (1, -1, 0)
    >>> order("10000^(-1/32)", "100^(-1/16)")
    0
    """
    left, right = _angle(a), _angle(b)
    if left.unit == right.unit == "one":
        return int(left.coefficient > right.coefficient) - int(left.coefficient < right.coefficient)
    if left == right:
        return 0
    for bits in _BITS:
        (lo, hi), (other_lo, other_hi) = left.enclose(bits), right.enclose(bits)
        if hi < other_lo:
            return -1
        if other_hi < lo:
            return 1
        if (lo, other_lo) == (hi, other_hi):
            return 0
        if bits == _BITS[0] and (found := _order_of_roots(left, right)) is not None:
            return found
    return 0  # of a rational and a multiple of pi that agree in 16,000 bits


def _order_of_roots(left: Angle, right: Angle) -> int | None:
    """The order of two rationals or powers of rationals, of the same sign; None for others, or where it takes long.

    With the root L of both and their quotient t > 0, which has a rational n-th power for some n <= L: t < 1 just when
    t^n < 1.
    """
    if not {left.unit, right.unit} <= {"one", "power"}:
        return None
    root = math.lcm(int(left.power.denominator), int(right.power.denominator))
    # The power is 0 of a rational, which is its coefficient alone; a base of 0 does not matter then.
    terms = [(left.coefficient / right.coefficient, root), (left.base, int(left.power * root))]
    terms += [(right.base, -int(right.power * root))]
    common = math.gcd(*(exponent for _, exponent in terms))
    terms = [(base, exponent // common) for base, exponent in terms if exponent]
    sizes = (abs(n) * max(base.numerator.bit_length(), base.denominator.bit_length()) for base, n in terms)
    if sum(sizes) > _MOST_BITS:
        return None
    quotient = math.prod((base**exponent for base, exponent in terms), start=mpq(1))
    larger = int(quotient > 1) - int(quotient < 1)
    return larger if left.coefficient > 0 else -larger


@lru_cache(maxsize=1 << 16)  # sorting compares each entry with many others
def _angle(entry: Any) -> Angle:
    return Angle.parse(entry)


_EXACT = cmp_to_key(order)  # looked at where two nearest binary64 numbers are the same
