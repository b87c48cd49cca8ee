"""A certificate as plain Python: what docs/certificates.md says it means, read without the checker.

Whether the bytes are canonical and have no field too many is for the checker to say; here a field that is missing,
given twice or of another form is an `InputError`, and so nothing is taken to be what it is not.
"""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import Any, TypeAlias

from gmpy2 import mpq

from certify.second_opinions.forms import (
    Angle,
    Order,
    angle_of,
    field_of,
    natural_of,
    number_of,
    object_of,
    one_of,
    order_of,
    values_of,
)
from certify.second_opinions.opinion import long_integers
from certify.second_opinions.values import Values
from fpsim.errors import InputError, UnsupportedError

__all__ = ["MAX_BYTES", "Claim", "Flarge", "Period", "Range", "read_claim"]

MAX_BYTES = 1 << 20


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
        with long_integers():
            document = json.loads(
                data.decode("ascii"), parse_float=_no_float, parse_constant=_no_float, object_pairs_hook=_no_duplicates
            )
    except (ValueError, RecursionError) as error:
        raise InputError(
            "certificate", data[:40].decode("ascii", "replace").strip(), "one JSON object in ASCII"
        ) from error
    whole = object_of(document, "certificate")
    for field in ("fpcert", "semantics"):
        if whole.get(field) != 1:
            raise InputError(field, whole.get(field), "1, the version that is known here")
    claim = object_of(whole.get("claim"), "claim")
    kind = claim.get("kind")
    if kind == "flarge":
        value = field_of(claim, "value")
        return Flarge(values_of(field_of(claim, "F")), None if value is None else number_of(value, "value"))
    if kind in ("nmax", "nmax-range"):
        return _range(claim, object_of(whole.get("hints"), "hints"), exact=kind == "nmax")
    if kind == "period":
        return _period(claim)
    raise UnsupportedError(f"claims of the kind {kind!r} are not known to second opinions")


def _range(claim: dict[str, Any], hints: dict[str, Any], *, exact: bool) -> Range:
    realize = _realize(claim)
    regime = object_of(field_of(claim, "regime"), "regime")
    values = values_of(field_of(regime, "values"))

    def stage(name: str) -> Values:
        given = field_of(regime, name)
        return values if given == "values" else values_of(given)

    ends = [natural_of(field_of(claim, "value"), "value")] * 2 if exact else [
        None if (end := field_of(claim, side)) is None else natural_of(end, side) for side in ("lower", "upper")
    ]  # fmt: skip
    pair = hints.get("fails")
    if pair is not None and not (isinstance(pair, list) and len(pair) == 2):
        raise InputError("fails", pair, "a pair of positions, or null")
    offset = natural_of(field_of(claim, "k"), "k")
    scale = number_of(field_of(claim, "C"), "C")
    if offset < 1 or scale <= 0:
        raise InputError("k and C", f"{offset} and {scale}", "greater than 0")
    return Range(
        angle=angle_of(field_of(claim, "g")),
        scale=scale,
        offset=offset,
        values=values,
        rotate=stage("rotate"),
        score=stage("score"),
        softmax=stage("softmax"),
        fma=one_of(field_of(regime, "fma"), "fma", (True, False)),
        order=order_of(field_of(regime, "order")),
        realize=realize,
        criterion=one_of(field_of(claim, "criterion"), "criterion", ("gap", "weight")),
        exact=exact,
        lower=ends[0],
        upper=ends[1],
        fails=None if pair is None else (natural_of(pair[0], "fails"), natural_of(pair[1], "fails")),
    )


def _period(claim: dict[str, Any]) -> Period:
    realize = _realize(claim)
    counts = {
        name: None if (value := field_of(claim, name)) is None else natural_of(value, name)
        for name in ("period", "preperiod", "eventual", "leaves")
    }
    return Period(
        angle=angle_of(field_of(claim, "theta")),
        values=values_of(field_of(claim, "F")),
        realize=realize,
        verdict=one_of(field_of(claim, "verdict"), "verdict", ("periodic", "non-periodic")),
        **counts,
    )


def _realize(claim: dict[str, Any]) -> str:
    name = field_of(claim, "realize")
    if isinstance(name, dict):  # then the angle may be null
        name = " ".join(name)
    if name not in ("ideal", "table", "phase", "counter", "recurrence"):
        raise UnsupportedError(f"the realization {name!r} is not known to second opinions")
    return str(name)


def _no_float(text: str) -> Any:
    raise ValueError(f"{text}: a certificate holds no floating-point numbers")


def _no_duplicates(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) < len(pairs):
        raise ValueError("a field is given twice")
    return fields
