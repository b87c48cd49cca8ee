"""The parameters of a scaling, read by name: each is checked, and what was read is remembered."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field

from gmpy2 import mpq

from fpsim.errors import InputError
from fpsim.number import exact_text, parse_number

__all__ = ["Parameters"]

_INFORMATIVE = ("rope_type", "type", "rope_theta")
# Exact numbers that a stack could not hold, or that would take gigabytes as powers: beyond binary64.
_LARGEST, _SMALLEST = mpq(2**1024), mpq(1, 2**1074)


@dataclass
class Parameters:
    """The entries of an object, such as a `rope_scaling`; null counts as absent.

    where: the path of keys to this object, which stands before a key in messages, after `source`, the name of the file.
    texts: whether a text may stand for a number ("0.1").  length: of the sequence; max_length:
    `max_position_embeddings`; None where they are not known.  taken: the exact text of each entry that was read, by its
    path.  elsewhere: the path of a key whose entry was put here and stands in another object.
    """

    entries: Mapping[str, object]
    where: str = ""
    texts: bool = True
    length: int | None = None
    max_length: int | None = None
    taken: dict[str, str] = field(default_factory=dict)
    source: str = ""
    elsewhere: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name, value in (("length", self.length), ("max_length", self.max_length)):
            if value is not None and (type(value) is not int or value < 1):
                raise InputError(name, value, "a whole number of at least 1")

    def __contains__(self, key: str) -> bool:
        return self.entries.get(key) is not None

    def name(self, key: str) -> str:
        """The key as a message names it."""
        return f"{self.source}{self.path(key)}"

    def path(self, key: str) -> str:
        """The key with those of the objects that it is in."""
        return self.elsewhere.get(key, f"{self.where}{key}")

    def missing(self, key: str, right: str) -> InputError:
        """The error for a key that is absent."""
        return InputError(self.name(key), "nothing: the key is missing", right)

    def number(self, key: str, default: mpq | None = None, *, above: mpq | None = mpq(0)) -> mpq:
        """The exact number at a key, greater than `above` (None: any).  Raises `InputError`, also when it is absent and
        there is no default.
        """
        right = "a finite number" if above is None else f"a number greater than {exact_text(above)}"
        if key not in self:
            if default is None:
                raise self.missing(key, right)
            return default
        number = self._parsed(key, self.entries[key], right)
        if above is not None and number <= above:
            raise InputError(self.name(key), exact_text(number), right)
        self.taken[self.path(key)] = exact_text(number)
        return number

    def _parsed(self, key: str, value: object, right: str) -> mpq:
        if isinstance(value, str) and not self.texts:
            raise InputError(self.name(key), f'the text "{value}"', right)
        if isinstance(value, bool | list | tuple | Mapping):
            raise InputError(self.name(key), json.dumps(value, default=str), right)
        number = parse_number(value, self.name(key))
        if abs(number) >= _LARGEST or 0 < abs(number) < _SMALLEST or number.denominator.bit_length() > 4096:
            raise InputError(self.name(key), value, f"{right} that binary64 can hold")
        return number

    def whole(self, key: str, default: int | None = None, *, least: int = 1) -> int:
        """The whole number at a key, at least `least`; 4096.0 is one."""
        right = f"a whole number of at least {least}"
        if key not in self:
            if default is None:
                raise self.missing(key, right)
            return default
        number = self._parsed(key, self.entries[key], right)
        if number.denominator != 1 or number < least:
            raise InputError(self.name(key), exact_text(number), right)
        self.taken[self.path(key)] = exact_text(number)
        return int(number)

    def flag(self, key: str, default: bool) -> bool:
        """The truth value at a key."""
        if key not in self:
            return default
        value = self.entries[key]
        if not isinstance(value, bool):
            raise InputError(self.name(key), value, "true or false")
        self.taken[self.path(key)] = str(value).lower()
        return value

    def numbers(self, key: str, count: int | None) -> tuple[mpq, ...]:
        """The list of numbers greater than 0 at a key, `count` of them (None: any number)."""
        right = "a list of numbers" if count is None else f"a list of {count} numbers, one for each rotated pair"
        if key not in self:
            raise self.missing(key, right)
        listed = self.entries[key]
        if not isinstance(listed, list | tuple) or (count is not None and len(listed) != count):
            what = f"{len(listed)} entries" if isinstance(listed, list | tuple) else listed
            raise InputError(self.name(key), what, right)
        numbers = []
        for place, value in enumerate(listed):
            number = self._parsed(f"{key}[{place}]", value, "a number greater than 0")
            if number <= 0:
                raise InputError(self.name(f"{key}[{place}]"), exact_text(number), "a number greater than 0")
            numbers.append(number)
        self.taken[self.path(key)] = f"{len(numbers)} numbers"
        return tuple(numbers)

    def kind(self, known: Iterable[str]) -> str:
        """The rope type, one of `known`; "default" where nothing is said of it and nothing needs one."""
        key = next((key for key in ("rope_type", "type") if key in self), None)
        if key is None:
            harmless = {*_INFORMATIVE, "partial_rotary_factor", "rotary_dim"}
            if any(self.entries[entry] is not None for entry in self.entries if entry not in harmless):
                raise self.missing("rope_type", f"one of {', '.join(known)}")
            return "default"
        kind = self.entries[key]
        if not isinstance(kind, str) or kind not in known:
            raise InputError(self.name(key), kind, f"one of {', '.join(known)}")
        self.taken[self.path(key)] = kind
        return kind

    def original_length(self, *, least: int = 1) -> int:
        """`original_max_position_embeddings`; where it is absent, `max_position_embeddings`."""
        return self.whole("original_max_position_embeddings", self.max_length, least=least)

    def most(self) -> int:
        """`max_position_embeddings`.  Raises `InputError` when it is not known."""
        if self.max_length is None:
            raise self.missing("max_position_embeddings", "given: this rope type depends on it")
        return self.max_length

    def factor_or_ratio(self) -> mpq:
        """`factor`; where it is absent, max_position_embeddings over original_max_position_embeddings."""
        if "factor" in self or self.max_length is None or "original_max_position_embeddings" not in self:
            return self.number("factor")
        return mpq(self.max_length, self.original_length())

    def unused(self) -> tuple[str, ...]:
        """The keys that are not null and that nothing was read from, sorted."""
        return tuple(
            sorted(
                str(key)
                for key in self.entries
                if key in self and key not in _INFORMATIVE and self.path(key) not in self.taken
            )
        )
