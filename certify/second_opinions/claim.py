"""A certificate as plain Python: what docs/certificates.md says it means, read without the checker.

Whether the bytes are canonical and have no field too many is for the checker to say; here a field that is missing,
given twice or of another form is an `InputError`, and so nothing is taken to be what it is not.
"""

from __future__ import annotations

import json
import re
from dataclasses import dataclass, replace
from itertools import pairwise
from typing import Any, Literal, TypeAlias

from gmpy2 import mpq

from certify.second_opinions.values import Values, power_of_two
from fpsim.errors import InputError, UnsupportedError

__all__ = ["MAX_BYTES", "Angle", "Claim", "Flarge", "Order", "Period", "Range", "read_claim"]

MAX_BYTES = 1 << 20
_DIGITS = 4000  # what Python converts without a change of its limits
_EXPONENT = 40_000
_ROUNDINGS = ("even", "away", "zero", "up", "down", "odd")
_RATIONAL = r"-?[0-9]+(?:/[0-9]+)?"
_POSITIVE = r"[0-9]+(?:/[0-9]+)?"
_ANGLE = re.compile(rf"(?:({_POSITIVE})\*)?(?:pi|({_POSITIVE})\^\(({_RATIONAL})\))|({_POSITIVE})")


@dataclass(frozen=True)
class Angle:
    """coefficient * u in radians: u is 1 ("one"), pi ("pi") or base^power ("power", irrational)."""

    coefficient: mpq
    unit: Literal["one", "pi", "power"] = "one"
    base: mpq = mpq(1)
    power: mpq = mpq(1)

    @property
    def turns(self) -> mpq | None:
        """The angle over 2 pi where that is rational, else None.  A non-zero algebraic angle is an irrational multiple
        of pi (Lindemann 1882).
        """
        if self.unit == "pi" or not self.coefficient:
            return self.coefficient / 2
        return None


@dataclass(frozen=True)
class Order:
    """The order of the sums of a softmax: its kind, the block of "blocked", the value set of "wide"."""

    kind: str
    block: int = 0
    accumulator: Values | None = None


@dataclass(frozen=True)
class Flarge:
    """f_large(F) = value, or None: there is none."""

    values: Values
    value: mpq | None


@dataclass(frozen=True)
class Range:
    """lower <= N_max <= upper, both the same number for a claim `nmax`; None: no claim on that side."""

    angle: Angle
    scale: mpq
    offset: int
    values: Values
    rotate: Values
    score: Values
    softmax: Values
    fma: bool
    order: Order
    realize: str
    criterion: str
    exact: bool
    lower: int | None
    upper: int | None
    fails: tuple[int, int] | None


@dataclass(frozen=True)
class Period:
    """What is claimed about the blocks R_0, R_1, ..: the fields of docs/certificates.md."""

    angle: Angle
    values: Values
    realize: str
    verdict: str
    period: int | None
    preperiod: int | None
    eventual: int | None
    leaves: int | None


Claim: TypeAlias = "Flarge | Range | Period"


def read_claim(data: bytes) -> Claim:
    """The claim of a certificate's bytes.

    Raises `InputError` for what is no certificate and `UnsupportedError` for a kind of claim that is not known here or
    for numbers too long for a second opinion.

    >>> read_claim(b'{"claim":{"F":{"kind":"fixed","step":"1p-3","largest":"7fp-3","overflow":"saturate",'
    ...            b'"rounding":"even"},"kind":"flarge","value":"17p-3"},"fpcert":1,"hints":{},"semantics":1}').value
    mpq(23,8)
    """
    if len(data) > MAX_BYTES:
        raise InputError("certificate", f"{len(data)} bytes", f"at most {MAX_BYTES} bytes long")
    try:
        document = json.loads(
            data.decode("ascii"), parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_no_duplicates
        )
    except (ValueError, RecursionError) as error:
        raise InputError(
            "certificate", data[:40].decode("ascii", "replace").strip(), "one JSON object in ASCII"
        ) from error
    whole = _object(document, "certificate")
    for field in ("fpcert", "semantics"):
        if whole.get(field) != 1:
            raise InputError(field, whole.get(field), "1, the version that is known here")
    claim = _object(whole.get("claim"), "claim")
    kind = claim.get("kind")
    if kind == "flarge":
        value = _field(claim, "value")
        return Flarge(_values(_field(claim, "F")), None if value is None else _number(value, "value"))
    if kind in ("nmax", "nmax-range"):
        return _range(claim, _object(whole.get("hints"), "hints"), exact=kind == "nmax")
    if kind == "period":
        return _period(claim)
    raise UnsupportedError(f"claims of the kind {kind!r} are not known to second opinions")


def _range(claim: dict[str, Any], hints: dict[str, Any], *, exact: bool) -> Range:
    regime = _object(_field(claim, "regime"), "regime")
    values = _values(_field(regime, "values"))

    def stage(name: str) -> Values:
        given = _field(regime, name)
        return values if given == "values" else _values(given)

    ends = [_natural(_field(claim, "value"), "value")] * 2 if exact else [
        None if (end := _field(claim, side)) is None else _natural(end, side) for side in ("lower", "upper")
    ]  # fmt: skip
    pair = hints.get("fails")
    if pair is not None and not (isinstance(pair, list) and len(pair) == 2):
        raise InputError("fails", pair, "a pair of positions, or null")
    offset = _natural(_field(claim, "k"), "k")
    scale = _number(_field(claim, "C"), "C")
    if offset < 1 or scale <= 0:
        raise InputError("k and C", f"{offset} and {scale}", "greater than 0")
    return Range(
        angle=_angle(_field(claim, "g")),
        scale=scale,
        offset=offset,
        values=values,
        rotate=stage("rotate"),
        score=stage("score"),
        softmax=stage("softmax"),
        fma=_one_of(_field(regime, "fma"), "fma", (True, False)),
        order=_order(_field(regime, "order")),
        realize=_realize(claim),
        criterion=_one_of(_field(claim, "criterion"), "criterion", ("gap", "weight")),
        exact=exact,
        lower=ends[0],
        upper=ends[1],
        fails=None if pair is None else (_natural(pair[0], "fails"), _natural(pair[1], "fails")),
    )


def _period(claim: dict[str, Any]) -> Period:
    counts = {
        name: None if (value := _field(claim, name)) is None else _natural(value, name)
        for name in ("period", "preperiod", "eventual", "leaves")
    }
    return Period(
        angle=_angle(_field(claim, "theta")),
        values=_values(_field(claim, "F")),
        realize=_realize(claim),
        verdict=_one_of(_field(claim, "verdict"), "verdict", ("periodic", "non-periodic")),
        **counts,
    )


def _no_float(text: str) -> Any:
    raise ValueError(f"{text}: a certificate holds no floating-point numbers")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields


def _object(value: object, what: str) -> dict[str, Any]:
    if not isinstance(value, dict):
        raise InputError(what, value, "an object")
    return value


def _field(fields: dict[str, Any], name: str) -> Any:
    if name not in fields:
        raise InputError(name, "nothing", "a field of the claim")
    return fields[name]


def _one_of(value: Any, what: str, known: tuple[Any, ...]) -> Any:
    if not any(value is each or (isinstance(value, str) and value == each) for each in known):
        raise InputError(what, value, "one of " + ", ".join(map(str, known)))
    return value


def _natural(value: object, what: str) -> int:
    if not isinstance(value, int) or isinstance(value, bool) or value < 0:
        raise InputError(what, value, "an integer of at least 0")
    return value


def _realize(claim: dict[str, Any]) -> str:
    name = _field(claim, "realize")
    if name not in ("ideal", "table", "phase", "counter", "recurrence"):
        raise UnsupportedError(f"the realization {name!r} is not known to second opinions")
    return str(name)


def _number(value: object, what: str) -> mpq:
    """An exact number: an integer, a dyadic m p e with hexadecimal m, or p/q."""
    if isinstance(value, int) and not isinstance(value, bool):
        return mpq(value)
    if not isinstance(value, str):
        raise InputError(what, value, "an integer, or a text such as 22bp-5 or 1/3")
    if len(value) > _DIGITS:
        raise UnsupportedError(f"{what} has {len(value)} characters; second opinions take up to {_DIGITS}")
    if match := re.fullmatch(r"(-?[0-9a-f]+)p(-?[0-9]{1,8})", value):
        if abs(int(match[2])) > _EXPONENT:
            raise UnsupportedError(f"{what} has the exponent {match[2]}; second opinions take up to {_EXPONENT}")
        return int(match[1], 16) * power_of_two(int(match[2]))
    if match := re.fullmatch(_RATIONAL, value):
        return _rational(value, what)
    raise InputError(what, value, "an integer, or a text such as 22bp-5 or 1/3")


def _rational(text: str, what: str) -> mpq:
    numerator, _, denominator = text.partition("/")
    if denominator and not int(denominator):
        raise InputError(what, text, "without a denominator of 0")
    return mpq(int(numerator), int(denominator or "1"))


def _angle(value: object) -> Angle:
    """An angle: r, r*pi or r*b^(s)."""
    if isinstance(value, str) and len(value) > _DIGITS:
        raise UnsupportedError(f"the angle has {len(value)} characters; second opinions take up to {_DIGITS}")
    match = _ANGLE.fullmatch(value.removeprefix("-") if isinstance(value, str) else "")
    if not isinstance(value, str) or match is None:
        raise InputError("angle", value, "a text such as 1/10, 2/7*pi or 10000^(-1/64)")
    factor, base, power, rational = match.groups()
    if rational is not None:
        angle = Angle(_rational(rational, "angle"))
    elif base is None:
        angle = Angle(_rational(factor or "1", "angle"), "pi")
    else:
        angle = Angle(_rational(factor or "1", "angle"), "power", _rational(base, "angle"), _rational(power, "angle"))
        if angle.base <= 0:
            raise InputError("angle", value, "a root of a number above 0")
    if value.startswith("-"):
        angle = replace(angle, coefficient=-angle.coefficient)
    if not angle.coefficient:
        raise UnsupportedError("the angle is 0: such a pair is not rotated")
    return angle


def _values(value: object) -> Values:
    fields = _object(value, "value set")
    kind = _one_of(_field(fields, "kind"), "kind", ("float", "fixed", "grid"))
    rounding = _one_of(_field(fields, "rounding"), "rounding", _ROUNDINGS)
    overflow = _one_of(_field(fields, "overflow"), "overflow", ("inf", "saturate", "nan"))
    if kind == "grid":
        listed = _field(fields, "values")
        if not isinstance(listed, list):
            raise InputError("values", listed, "a list of numbers")
        grid = tuple(_number(each, "values") for each in listed)
        if 0 not in grid or any(a >= b for a, b in pairwise(grid)):
            raise InputError("values", f"a list of {len(grid)} numbers", "rising, with 0 among them")
        return Values(kind, rounding, overflow, grid=grid)
    largest = _number(_field(fields, "largest"), "largest")
    if kind == "fixed":
        made = Values(kind, rounding, overflow, step=_number(_field(fields, "step"), "step"), largest=largest)
        if made.step <= 0:
            raise InputError("step", made.step, "greater than 0")
    else:
        precision, emin = _field(fields, "precision"), _field(fields, "emin")
        if not isinstance(emin, int) or abs(emin) > _EXPONENT:
            raise UnsupportedError(f"emin is {emin!r}; second opinions take up to {_EXPONENT} in magnitude")
        if not 1 <= _natural(precision, "precision") <= 240:
            raise InputError("precision", precision, "from 1 to 240")
        ftz = _one_of(_field(fields, "ftz"), "ftz", (True, False))
        step = power_of_two(emin - precision + 1)
        made = Values(
            kind, rounding, overflow, precision=precision, emin=emin, step=step, largest=largest, ftz=ftz
        )  # fmt: skip
    if largest < 0 or (largest and not made.contains(largest)):
        raise InputError("largest", largest, "one of the values")
    return made


def _order(value: object) -> Order:
    if isinstance(value, str):
        return Order(_one_of(value, "order", ("sequential", "reverse", "pairwise")))
    fields = _object(value, "order")
    if "wide" in fields:
        return Order("wide", accumulator=_values(fields["wide"]))
    block = _natural(_field(fields, "blocked"), "blocked")
    if block < 1:
        raise InputError("blocked", block, "at least 1")
    return Order("blocked", block)
