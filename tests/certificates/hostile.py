"""Files that are made to exhaust a reader or a checker: too long to keep, so they are made when they are wanted.

Each comes with the verdicts that are right for it.  None is true by its hints, and none may take long or much memory.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Iterator
from typing import Any

__all__ = ["hostile_files"]

MAX_BYTES = 1_048_576
MALFORMED, UNDECIDED, NOT_VERIFIED = ("malformed",), ("undecided",), ("refuted", "malformed", "undecided")
ANY = ("verified", *NOT_VERIFIED)  # true, but not easily shown
FP16: dict[str, Any] = {
    "emin": -14,
    "ftz": False,
    "kind": "float",
    "largest": 65504,
    "overflow": "inf",
    "precision": 11,
    "rounding": "even",
}
VAST = FP16 | {"emin": -1_000_000, "largest": "1" + "f" * 59 + "p999763", "precision": 237}
LONG_PRIME = 2**607 - 1


def hostile_files() -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
    """(name, bytes, verdicts that are right)."""
    yield from _raw()
    for name, claim, hints, verdicts in _claims():
        yield name, certificate(claim, hints), verdicts


def certificate(claim: Any, hints: Any) -> bytes:
    """The canonical bytes; integers of any length."""
    document = {"claim": claim, "fpcert": 1, "hints": hints, "producer": {"name": "", "version": ""}, "semantics": 1}
    limit = sys.get_int_max_str_digits()
    sys.set_int_max_str_digits(0)
    try:
        return (json.dumps(document, sort_keys=True, separators=(",", ":")) + "\n").encode("ascii")
    finally:
        sys.set_int_max_str_digits(limit)


def _raw() -> Iterator[tuple[str, bytes, tuple[str, ...]]]:
    yield "zeros", b"\0" * MAX_BYTES, MALFORMED
    yield "20 MB of blanks", b" " * 20_000_000, MALFORMED
    yield "one byte too many", b'"' + b"a" * (MAX_BYTES - 1) + b'"', MALFORMED
    yield "a string of a megabyte", b'{"a":"' + b"a" * (MAX_BYTES - 9) + b'"}\n', MALFORMED
    yield "a string without an end", b'"' + b"a" * 1_000_000, MALFORMED
    yield "a megabyte of opening brackets", b"[" * MAX_BYTES, MALFORMED
    yield "a megabyte of objects in objects", b'{"":' * 250_000, MALFORMED
    yield "a megabyte of closing brackets", b"]" * MAX_BYTES, MALFORMED
    yield "a megabyte of quotes", b'"' * MAX_BYTES, MALFORMED
    yield "a megabyte of commas", b"[" + b"," * 1_000_000 + b"]", MALFORMED
    yield "half a million zeros in a list", b"[0" + b",0" * 500_000 + b"]", MALFORMED
    yield "a hundred thousand empty lists", b"[" + b"[]," * 100_000 + b"[]]", MALFORMED
    yield "many lists of many numbers", b"[" + b",".join([b"[" + b"0," * 60_000 + b"0]"] * 8) + b"]", MALFORMED
    yield "an integer of a million digits", b'{"fpcert":' + b"1" * 1_000_000 + b"}", MALFORMED
    yield "many integers of 20000 digits", b"[" + b",".join([b"9" * 20_000] * 50) + b"]\n", MALFORMED
    yield "an exponent of a million digits", b'{"fpcert":1e' + b"1" * 1_000_000 + b"}", MALFORMED
    yield "a fraction of a million digits", b'{"fpcert":0.' + b"1" * 1_000_000 + b"}", MALFORMED
    yield "60000 different keys", b"{" + b",".join(b'"%d":0' % n for n in range(60_000)) + b"}\n", MALFORMED
    yield "60000 equal keys", b"{" + b",".join([b'"a":0'] * 60_000) + b"}\n", MALFORMED
    yield "a megabyte of minus signs", b"-" * MAX_BYTES, MALFORMED
    yield "a megabyte of backslashes", b'"' + b"\\" * 1_000_000 + b'"', MALFORMED


def _languages() -> Iterator[tuple[str, Any, Any, tuple[str, ...]]]:
    n = 50_000
    chain = [[min(q + 1, n - 1)] for q in range(n)]
    ring = [[(q + 1) % n] for q in range(n)]
    no_words: dict[str, Any] = {"w": [], "u": [], "z": [], "v": [], "s": []}
    order: dict[str, Any] = {"formula": None, "k": 1, "moduli": [1] * n, "phases": [0] * n, "ranks": list(range(n))}
    yield "a chain of 50000 states, denied", language(chain, [n - 1], "LTL[P,MOD]", False), no_words, NOT_VERIFIED
    yield "a chain of 50000 states", language(chain, [n - 1], "LTL[P,MOD]", True), order, ("verified",)
    yield "a ring of 50000 states said to be a chain", language(ring, [0], "LTL[P]", True), order, NOT_VERIFIED
    cycle = order | {"k": n, "moduli": [n], "phases": list(range(n)), "ranks": [0] * n}
    yield "a ring of 50000 states", language(ring, [0], "LTL[P,MOD]", True), cycle, ("verified",)
    great = {"k": 10**19_999}
    yield "k of 20000 digits", language(chain, [n - 1], "LTL[P,MOD]", True), order | great, NOT_VERIFIED
    yield "a modulus of 20000 digits", language([[0]], [0], "LTL[P,MOD]", True), one_state(10**19_999), MALFORMED
    primes = [p for p in range(2, 300) if all(p % d for d in range(2, p))]
    clocks = [["mod", 0, p] for p in primes]
    every = [*clocks, ["and", *range(len(primes))]]
    yield "a formula of 62 clocks", language([[0]], [0], "LTL[P,MOD]", True), one_state(1, every), UNDECIDED
    memory = [["true"], *(["past", i] for i in range(60_000))]
    yield "a formula that remembers 60000 times", language([[0]], [0], "LTL[P]", True), one_state(1, memory), ANY
    letters = [["letter", a] for a in range(26)]
    subsets = [*letters, *(["past", a] for a in range(26)), ["not", 26], ["and", *range(26, 53)]]  # never true
    never = language([[0] * 26], [], "LTL[P]", True)
    yield "a formula with 2^26 states", never, one_state(1, subsets), UNDECIDED
    n = 250
    swap, turn = [1, 0, *range(2, n)], [*range(1, n), 0]
    maps = [list(row) for row in zip(swap, turn, [0, 0, *range(2, n)], strict=True)]
    yield "n^n maps of 250 states", language(maps, [0], "star_free", True), {}, NOT_VERIFIED
    up = [[q + (q == i) for q in range(60)] for i in range(59)]
    down = [[q - (q == i) for q in range(60)] for i in range(1, 60)]
    monotone = [list(row) for row in zip(*up, *down, strict=True)]
    yield "all maps of 60 states that keep the order", language(monotone, [0], "star_free", True), {}, UNDECIDED
    long = {"w": [0] * 60_000, "x": [0] * 60_000, "s": [0] * 60_000, "n": 2}
    yield "words of 60000 letters", language([[1], [0]], [0], "star_free", False), long, ANY
    turns = long | {"w": [], "s": [], "n": 30_000}
    yield (
        "60000 letters 30000 times",
        language(chain[:30_000] + ring[30_000:-1] + [[0]], [0], "star_free", False),
        turns,
        NOT_VERIFIED,
    )


def language(delta: Any, accepting: Any, kind: str, member: bool) -> dict[str, Any]:
    """A claim about a language over letters a0, a1, .."""
    alphabet = [f"a{n}" for n in range(len(delta[0]))]
    dfa = {"accepting": accepting, "alphabet": alphabet, "delta": delta, "initial": 0}
    return {"class": kind, "dfa": dfa, "kind": "language", "member": member}


def one_state(modulus: int, formula: Any = None) -> dict[str, Any]:
    """Hints for one state."""
    return {"formula": formula, "k": modulus, "moduli": [modulus], "phases": [0], "ranks": [0]}


def _claims() -> Iterator[tuple[str, Any, Any, tuple[str, ...]]]:
    yield from _languages()
    yield "a value of 20000 hexadecimal digits", flarge(FP16, "f" * 20_000 + "p-20000"), {}, NOT_VERIFIED
    yield "a value with the exponent -1000000", flarge(FP16, "1p-1000000"), {}, NOT_VERIFIED
    yield "a value with the exponent 1000000", flarge(FP16, "1p1000000"), {}, NOT_VERIFIED
    yield "a value with an exponent of 10000 digits", flarge(FP16, "1p" + "9" * 10_000), {}, MALFORMED
    yield "a ratio of 20000 digits", flarge(FP16, "1" * 20_000 + "/" + "2" * 19_999 + "3"), {}, NOT_VERIFIED
    yield "a ratio of 30000 digits", flarge(FP16, "1" * 30_000 + "/3"), {}, MALFORMED
    yield "a text of 65536 digits", flarge(FP16, "1" * 65_536), {}, MALFORMED
    yield "f_large of 2^2000000 values", flarge(VAST, 1), {}, NOT_VERIFIED
    yield "no f_large of 2^2000000 values", flarge(VAST, None), {}, NOT_VERIFIED
    yield "f_large of a fixed-point set of a million bits", flarge(fixed("1p-500000", "1p500000"), 1), {}, NOT_VERIFIED
    yield "f_large of a grid of 65536 values", flarge(grid(range(65_536)), 20), {}, NOT_VERIFIED
    yield "a grid of 65537 values", flarge(grid(range(65_537)), 20), {}, MALFORMED
    yield "a grid of 65536 thirds", flarge(grid([0, *(f"{3 * n + 1}/3" for n in range(65_535))]), 20), {}, NOT_VERIFIED
    tiny = [f"1p-{999_999 - n}" for n in range(60_000)]
    yield "a grid of 60000 numbers of a million bits", flarge(grid([0, *tiny]), 1), {}, NOT_VERIFIED
    long = [f"{'1' * 19_000}{n}/{'3' * 19_000}1" for n in range(10, 34)]
    yield "a grid of ratios of 19000 digits", flarge(grid([0, *long]), 1), {}, NOT_VERIFIED
    great = 10**19_999
    for realize in ("ideal", "phase", "counter", "recurrence"):
        yield f"N_max of 20000 digits, {realize}", *nmax(FP16, great, realize=realize), NOT_VERIFIED
        yield f"k of 20000 digits, {realize}", *nmax(FP16, great, k=great, realize=realize), NOT_VERIFIED
        yield f"N_max = 10^7, {realize}", *nmax(FP16, 10**7, realize=realize), NOT_VERIFIED
        yield f"weight, N_max = 10^7, {realize}", *nmax(FP16, 10**7, realize=realize, criterion="weight"), NOT_VERIFIED
    yield "C of a million bits", *nmax(FP16, 5, C="1p1000000"), NOT_VERIFIED
    yield "C of 20000 digits", *nmax(FP16, 5, C="1" * 20_000 + "/" + "3" * 19_999 + "1"), NOT_VERIFIED
    yield "every stage with 2^2000000 values", *nmax(VAST, 5, C="1p999000"), NOT_VERIFIED
    yield "a wide sum in 2^2000000 values", *nmax(FP16, 5, order={"wide": VAST}, criterion="weight"), ANY
    yield "blocks of 20000 digits", *nmax(FP16, 9, order={"blocked": great}, criterion="weight"), NOT_VERIFIED
    long = "1" + "0" * 19_999
    for text in (f"1/{long}", long, f"{long}*pi", f"1/{'9' * 19_999}*pi", f"2^({10**999}/{10**998 + 1})"):
        short = f"{text[:12]}.. of {len(text)} characters"
        yield f"N_max at the angle {short}", *nmax(FP16, 10**6, g=text), NOT_VERIFIED
        yield f"period at the angle {short}", *period(FP16, text, "ideal", leaves=None), ANY
        yield f"phases at the angle {short}", *period(FP16, text, "phase", leaves=5), NOT_VERIFIED
    yield "a root of degree 10^998", *period(FP16, f"{10**998}^(1/{10**998 + 3})", "ideal", leaves=7), NOT_VERIFIED
    yield "a power 10^900", *period(FP16, f"2^({10**900 + 1}/2)", "ideal", leaves=7), NOT_VERIFIED
    yield "a small power", *period(FP16, f"2^(-{10**900 + 1}/2)", "ideal", leaves=7), NOT_VERIFIED
    yield "a table of 10^6 + 3", *period(FP16, f"2/{10**6 + 3}*pi", "table", cycle=(0, 5)), NOT_VERIFIED
    yield "a table of 2^607 - 1", *period(FP16, f"2/{LONG_PRIME}*pi", "table", cycle=(0, LONG_PRIME)), ("verified",)
    yield "a recurrence of 10^30 steps", *period(FP16, "1", "recurrence", cycle=(10**30, 7)), UNDECIDED
    yield "a recurrence of 20000 digits", *period(FP16, "1", "recurrence", leaves=great), UNDECIDED
    yield (
        "a phase that stays from far out on",
        *period(VAST | {"overflow": "saturate"}, "1", "phase", cycle=(9, 1)),
        NOT_VERIFIED,
    )
    yield "a phase that leaves far out", *period(VAST, "1", "phase", leaves=great), NOT_VERIFIED
    yield "a counter that stays far out", *period(VAST, "1", "counter", cycle=(2**237, 1)), ANY
    up = FP16 | {"rounding": "up", "emin": -1000, "largest": f"{2**11 - 1:x}p9000"}
    yield "a counter that climbs 2^10 binades", *period(up, "1", "counter", leaves=3), NOT_VERIFIED
    yield from _pipelines()
    claim, hints = period(FP16, "1", "ideal", leaves=None)
    yield "65536 positions", claim, hints | {"positions": list(range(65_536))}, ("verified",)
    yield "50 positions of 20000 digits", claim, hints | {"positions": [great + n for n in range(50)]}, ANY


def _pipelines() -> Iterator[tuple[str, Any, Any, tuple[str, ...]]]:
    up = FP16 | {"rounding": "up", "emin": -16_000, "precision": 240, "largest": "1p16000"}
    kept = VAST | {"overflow": "saturate"}
    odd = [f"{2**60_000 + 2 * n + 1:x}p{n}" for n in range(1, 5)]
    hard = [["exact", f"1p-{14_000 + n}"] for n in range(30)]
    yield "numbers hard to round, e^x", *pipeline([up], [*hard, *(["exp", 1, n] for n in range(30))]), NOT_VERIFIED
    hard = [["exact", f"1p-{3_000 + n}"] for n in range(30)]
    power = [["exact", 3], *hard, *(["pow", 1, 0, n] for n in range(1, 31))]
    yield "numbers hard to round, 3^x", *pipeline([up], power), NOT_VERIFIED
    roots = [["exact", f"{2**4000 + 2 * n + 1:x}p-4001"] for n in range(30)]
    roots += [["exact", "1p-1"], *(["pow", 1, n, 30] for n in range(30))]
    yield "roots of long numbers", *pipeline([up], roots), NOT_VERIFIED
    long = [["exact", 3], ["exact", "6770/7"], *[["pow", 1, 0, 1]] * 62]
    yield "powers of a length that is just computed", *pipeline([up], long), NOT_VERIFIED
    long = [["exact", 3], ["exact", "12001/3"], *[["pow", 1, 0, 1]] * 62]
    yield "powers of 20000 bits", *pipeline([VAST], long), NOT_VERIFIED
    for angle in ("2^(12001/3)", f"{10**999 + 1}^(10/3)", "2^(-12001/3)"):
        for name in ("angle", "inverse"):
            claim, hints = pipeline([VAST], [[name, 1]] * 64)
            yield f"64 times an {name} of {angle[:9]}..", claim | {"theta": angle}, hints, NOT_VERIFIED
    great = [*(["exact", 690_000 + n] for n in range(30)), *(["exp", 1, n] for n in range(30))]
    yield "numbers of a million bits", *pipeline([VAST], great), NOT_VERIFIED
    third = [["exact", "1/3"]]
    yield "5000 steps", *pipeline([kept], third, [["mul", 1, 0]] * 4_999, cycle=(5, 1)), NOT_VERIFIED
    far = pipeline([kept], third, [["mul", 1, 0]] * 4_999, cycle=(10**5_000, 1))
    yield "5000 steps of numbers of a million bits", *far, NOT_VERIFIED
    steps = [["mul", 1, 0], ["div", 1, 1], ["mul", 1, 2], ["div", 1, 3]] * 1_249
    long = pipeline([VAST], [["exact", x] for x in odd], steps)
    yield "5000 steps with long numbers", *long, NOT_VERIFIED
    claim, hints = nmax(FP16, 5, realize=long[0]["realize"], g=None)
    yield "an angle that 5000 long numbers make", claim, hints, UNDECIDED
    yield "16 sets of 2^2000000 values", *pipeline([VAST] * 16, third), NOT_VERIFIED
    grids = [grid(range(4_000)) for _ in range(16)]
    yield "16 grids", *pipeline(grids, third, [["mul", n, 0] for n in range(1, 17)], cycle=(9, 1)), NOT_VERIFIED


def pipeline(
    sets: list[Any], numbers: list[Any], steps: Any = (), **options: Any
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A claim about a pipeline, whose position is rounded into the first of the sets."""
    shown: dict[str, Any] = {"numbers": numbers, "phase": [["round", 1], *steps], "sets": sets, "table": [["round", 0]]}
    claim, hints = period(FP16, "1", "", **options)
    return claim | {"realize": {"pipeline": shown}, "theta": None}, hints


def grid(values: Any) -> dict[str, Any]:
    """A grid."""
    return {"kind": "grid", "overflow": "inf", "rounding": "even", "values": list(values)}


def fixed(step: str, largest: str) -> dict[str, Any]:
    """A fixed-point set."""
    return {"kind": "fixed", "largest": largest, "overflow": "inf", "rounding": "even", "step": step}


def flarge(values: Any, value: Any) -> dict[str, Any]:
    """A claim of f_large."""
    return {"F": values, "kind": "flarge", "value": value}


def nmax(values: Any, value: int, **options: Any) -> tuple[dict[str, Any], dict[str, Any]]:
    """A claim of N_max with hints."""
    regime = {"fma": False, "order": options.pop("order", "sequential"), "values": values}
    regime |= dict.fromkeys(("rotate", "score", "softmax"), "values")
    claim = {"C": 40, "criterion": "gap", "g": "1", "k": 1, "kind": "nmax", "realize": "ideal", "regime": regime}
    return claim | {"value": value} | options, {"E": None, "fails": [value + 2, 0], "road": "returns"}


def period(
    values: Any, theta: str, realize: str, *, cycle: tuple[int, int] | None = None, leaves: int | None = None
) -> tuple[dict[str, Any], dict[str, Any]]:
    """A claim of periodicity with hints."""
    mu, length = cycle or (None, None)
    claim = {"F": values, "eventual": length, "kind": "period", "leaves": leaves, "period": None, "preperiod": mu}
    claim |= {"realize": realize, "theta": theta, "verdict": "non-periodic"}
    if mu == 0:
        claim |= {"period": length, "verdict": "periodic"}
    return claim, {"because": "state-cycle", "positions": [1, 2]}
