"""Value sets from text: `fp16`, `e4m3:saturate`, `fp16:ftz:up`, `e5m10`, `fixed:8.4`, `grid:FILE`.

A text is a base and suffixes in any order, at most one of each kind: a rounding mode (`even`, `away`, `zero`, `up`,
`down`, `odd`, `stochastic=SEED`), an overflow policy (`inf`, `saturate`, `nan`) and `ftz`.
"""

from __future__ import annotations

import difflib
import re
from dataclasses import replace
from functools import lru_cache
from typing import Any

from fpsim.errors import InputError
from fpsim.formats import FORMATS, SHIPPED_GRIDS, Format
from fpsim.valueset import MAX_PRECISION, Layout, Overflow, ValueSet

__all__ = ["MAX_EXPONENT_BITS", "fixed_point", "float_format", "parse_value_set", "value_set"]

MAX_EXPONENT_BITS = 20
_MODES = ("even", "away", "zero", "up", "down", "odd")
_POLICIES = ("inf", "saturate", "nan")
_SUFFIX = re.compile(rf"(?:{'|'.join(_MODES + _POLICIES)}|ftz|stochastic=.*)", re.ASCII)
_EXMY = re.compile(r"e([0-9]{1,4})m([0-9]{1,4})", re.ASCII)
_FIXED = re.compile(r"fixed:([0-9]{1,4})\.([0-9]{1,5})", re.ASCII)


def value_set(what: str | ValueSet) -> ValueSet:
    """`what` itself when it is a `ValueSet`, else the one that its text names.

    >>> value_set("fixed:8.4").max
    mpq(127,16)
    """
    if isinstance(what, ValueSet):
        return what
    if not isinstance(what, str):
        raise InputError("value set", what, "a ValueSet or a text such as fp16")
    return parse_value_set(what)


def float_format(
    precision: int,
    emin: int,
    emax: int,
    *,
    name: str = "",
    top: int = 0,
    layout: Layout = "none",
    overflow: Overflow = "inf",
) -> ValueSet:
    """A binary floating-point set: p = `precision` bits, exponents emin..emax, the greatest binade short of `top`
    values.

    >>> float_format(11, -14, 15).max
    mpq(65504,1)
    """
    if emax < emin:
        raise InputError("emax", emax, f"at least emin = {emin}")
    last = ((emax - emin + 2) << (precision - 1)) - 1 - top
    return ValueSet(
        name or f"float(p={precision},emin={emin},emax={emax})",
        "float",
        precision,
        emin,
        last,
        -last,
        overflow=overflow,
        signed_zero=layout != "fnuz",
        layout=layout,
    )


def fixed_point(bits: int, fraction: int, *, name: str = "") -> ValueSet:
    """`fixed:B.F`: the multiples of 2^-F of magnitude at most (2^(B-1) - 1) * 2^-F.

    >>> fixed_point(8, 3).max
    mpq(127,8)
    """
    for what, number in (("B", bits), ("F", fraction)):
        if isinstance(number, bool) or not isinstance(number, int):
            raise InputError("fixed:B.F", f"{what} = {number!r}", "an integer")
    if not 2 <= bits <= MAX_PRECISION + 1:
        raise InputError("fixed:B.F", f"B = {bits}", f"between 2 and {MAX_PRECISION + 1} bits (sign included)")
    last = (1 << (bits - 1)) - 1
    return ValueSet(
        name or f"fixed:{bits}.{fraction}",
        "fixed",
        bits - 1,
        bits - 2 - fraction,
        last,
        -last,
        overflow="saturate",
        layout="two",
    )


@lru_cache(maxsize=256)
def _parse_named(base: str) -> ValueSet | None:
    if base in FORMATS:
        return _from_format(base, FORMATS[base])
    match = _EXMY.fullmatch(base)
    if match:
        exponent_bits, fraction_bits = int(match[1]), int(match[2])
        if not 2 <= exponent_bits <= MAX_EXPONENT_BITS or not 1 <= fraction_bits < MAX_PRECISION:
            raise InputError(
                "value set",
                base,
                f"eXmY with 2 <= X <= {MAX_EXPONENT_BITS} exponent bits and 1 <= Y <= "
                f"{MAX_PRECISION - 1} fraction bits",
            )
        bias = (1 << (exponent_bits - 1)) - 1
        return _from_format(base, Format(fraction_bits + 1, 1 - bias, bias, "ieee", "inf"))
    match = _FIXED.fullmatch(base)
    if match:
        return fixed_point(int(match[1]), int(match[2]), name=base)
    return None


def _from_format(name: str, facts: Format) -> ValueSet:
    return float_format(
        facts.precision, facts.emin, facts.emax, name=name, top=facts.top, layout=facts.layout, overflow=facts.overflow
    )


def parse_value_set(text: str) -> ValueSet:
    """The value set that `text` names; `ValueSet.parse` is the public door.  Raises `InputError`."""
    parts = text.strip().split(":")
    suffixes: list[str] = []
    while len(parts) > 1 and _SUFFIX.fullmatch(parts[-1]):
        suffixes.insert(0, parts.pop())
    base = ":".join(parts)
    found = _parse_base(base, text)
    return replace(found, name=text.strip(), **_options(suffixes, found, text)) if suffixes else found


def _parse_base(base: str, text: str) -> ValueSet:
    if base.startswith("grid:") or base in SHIPPED_GRIDS:
        from fpsim.grid_file import read_grid, read_shipped_grid

        return read_shipped_grid(base) if base in SHIPPED_GRIDS else read_grid(base[len("grid:") :])
    found = _parse_named(base)
    if found is not None:
        return found
    known = [*FORMATS, *SHIPPED_GRIDS]
    head, _, tail = base.partition(":")
    if tail and (head in known or _EXMY.fullmatch(head)):
        raise InputError(
            "value set",
            text,
            f"followed by options among {', '.join(_MODES)}, stochastic=SEED, "
            f"{', '.join(_POLICIES)}, ftz; not {tail!r}",
        )
    near = difflib.get_close_matches(base.lower(), known, n=2, cutoff=0.5)
    hint = f" (did you mean {' or '.join(near)}?)" if near else ""
    raise InputError(
        "value set",
        text,
        f"one of {', '.join(known)}, eXmY, fixed:B.F or grid:FILE, with options such as :saturate, :up, :ftz{hint}",
    )


def _options(suffixes: list[str], found: ValueSet, text: str) -> dict[str, Any]:
    chosen: dict[str, Any] = {}
    for suffix in suffixes:
        if suffix.startswith("stochastic="):
            seed = suffix.partition("=")[2]
            if not re.fullmatch(r"[0-9]{1,19}", seed, re.ASCII) or int(seed) >= 1 << 63:
                raise InputError(
                    "stochastic", seed or "an empty seed", "stochastic=SEED with an integer 0 <= SEED < 2^63"
                )
            new: dict[str, Any] = {"rounding": "stochastic", "seed": int(seed)}
        elif suffix in _MODES:
            new = {"rounding": suffix}
        elif suffix in _POLICIES:
            new = {"overflow": suffix}
            if suffix == "inf" and found.overflow != "inf" and found.layout != "index":
                raise InputError("overflow", text, f"saturate or nan: {found.name} has no infinity")
        else:
            new = {"ftz": True}
        if chosen.keys() & new.keys():
            raise InputError("value set", text, "with at most one rounding mode, one overflow policy and one ftz")
        chosen |= new
    return chosen
