"""Random claims about small value sets, in the form of docs/certificates.md: their truth is for others to say.

Value sets are of every kind, mode and policy, with few bits, so that ties, overflow, flushing and repeated blocks are
common.  The numbers claimed come from small ranges: many claims are true and many nearly so.
"""

from __future__ import annotations

from fractions import Fraction
from random import Random
from typing import Any

__all__ = ["random_claim", "random_pipeline_claim", "with_hints"]

MODES = ("even", "even", "away", "zero", "up", "down", "odd")
POLICIES = ("inf", "saturate", "nan")
ANGLES = ("1", "2", "1/2", "-1", "3/10", "22/7", "1/100", "100", "pi", "1/2*pi", "-1/6*pi")
ROOTS = ("10000^(-1/64)", "3*2^(1/2)", "-1/2*3^(1/3)", "10^(-1/3)")


def number_form(x: Fraction) -> int | str:
    """A number in its one form."""
    n, d = x.numerator, x.denominator
    if d == 1 and abs(n) < 1 << 128:
        return n
    if d & (d - 1):
        return f"{n}/{d}"
    low = (n & -n).bit_length() - 1
    sign, exponent = "-" if n < 0 else "", low - (d.bit_length() - 1)
    return f"{sign}{abs(n) >> low:x}p{exponent}"


def random_values(rng: Random) -> dict[str, Any]:
    """A value set."""
    shared: dict[str, Any] = {"overflow": rng.choice(POLICIES), "rounding": rng.choice(MODES)}
    kind = rng.choice(("float", "float", "float", "fixed", "grid"))
    if kind == "grid":
        count = rng.randint(1, 9)
        below, above = rng.choice(((1, 1), (1, 1), (0, 1), (1, 2), (2, 1)))
        listed = {Fraction(rng.randint(-12 * below, 12 * above), rng.choice((1, 2, 3, 4, 8, 10))) for _ in range(count)}
        return shared | {"kind": kind, "values": [number_form(x) for x in sorted(listed | {Fraction(0)})]}
    if kind == "fixed":
        step = Fraction(2) ** rng.randint(-6, 2)
        return shared | {"kind": kind, "step": number_form(step), "largest": number_form(step * rng.randint(0, 200))}
    p, emin, binades = rng.randint(1, 12), rng.randint(-16, 2), rng.randint(0, 22)
    m = rng.choice(((1 << p) - 1, (1 << p) - 1, rng.randint(1 << (p - 1), (1 << p) - 1)))
    largest = m * Fraction(2) ** (emin + binades - p + 1)
    ftz = rng.random() < 0.2
    return shared | {"kind": kind, "precision": p, "emin": emin, "largest": number_form(largest), "ftz": ftz}


def random_angle(rng: Random, realize: str) -> str:
    """An angle: for a table, a multiple of pi."""
    if realize == "table" or rng.random() < 0.2:
        factor = Fraction(rng.randint(-60, 60), rng.randint(1, 40))
        return {0: "0", 1: "pi", -1: "-pi"}.get(factor, f"{factor}*pi")
    if rng.random() < 0.2:
        return str(Fraction(rng.randint(-300, 300), rng.randint(1, 100)))
    return rng.choice(ANGLES + ROOTS)


def random_regime(rng: Random) -> dict[str, Any]:
    """A regime; half of them have one value set."""
    values = random_values(rng)
    regime: dict[str, Any] = {"values": values, "fma": rng.random() < 0.3}
    for stage in ("rotate", "score", "softmax"):
        other = random_values(rng)
        regime[stage] = other if rng.random() < 0.25 and other != values else "values"
    orders: tuple[Any, ...] = ("sequential", "sequential", "reverse", "pairwise", {"blocked": rng.randint(1, 4)})
    regime["order"] = rng.choice((*orders, {"wide": random_values(rng)}))
    return regime


def random_claim(rng: Random) -> dict[str, Any]:
    """A claim of any kind, well formed but for what an angle or a lower end can be."""
    kind = rng.choice(("flarge", "nmax", "nmax", "nmax-range", "period", "period"))
    realize = rng.choice(("ideal", "ideal", "phase", "counter", "recurrence", "table"))
    if kind == "flarge":
        values = random_values(rng)
        value = None if rng.random() < 0.3 else number_form(Fraction(rng.randint(1, 80), 2 ** rng.randint(0, 5)))
        return {"kind": kind, "F": values, "value": value}
    if kind == "period":
        return {
            "kind": kind,
            "F": random_values(rng),
            "realize": realize,
            "theta": random_angle(rng, realize),
        } | _cycle(rng)
    k = rng.choice((1, 1, 1, 2, 3, 7))
    scale = Fraction(rng.choice((1, 2, 7, 40, 255, 1000, 60000)), rng.choice((1, 1, 3, 4)))
    claim = {
        "kind": kind,
        "C": number_form(scale),
        "criterion": rng.choice(("gap", "weight")),
        "g": random_angle(rng, realize),
    }
    claim |= {"k": k, "realize": realize, "regime": random_regime(rng)}
    value = k - 1 + rng.choice((0, 0, 0, 1, 2, 3, 5, 8))
    if kind == "nmax":
        return claim | {"value": value}
    lower, upper = value, value + rng.randint(0, 4)
    return claim | rng.choice(
        ({"lower": lower, "upper": upper}, {"lower": lower, "upper": None}, {"lower": None, "upper": upper})
    )


def random_pipeline(rng: Random) -> tuple[str | None, dict[str, Any]]:
    """(the angle or null, a pipeline): numbers by any operations, steps by any numbers, in a few value sets."""
    sets = [random_values(rng) for _ in range(rng.randint(0, 3))]
    count = len(sets) + 1

    def at() -> int:
        return rng.randrange(count)

    angle: str | None = None
    numbers: list[list[Any]] = []
    if rng.random() < 0.5:
        angle = rng.choice(ANGLES + ROOTS + ("1/2",))
        numbers.append([rng.choice(("angle", "angle", "angle" if angle.startswith("-") else "inverse")), at()])
    exact = (1, 2, 3, 10, 10000, "1p-1", "1/3", "-1p-6", "5p-3", 0, 40)
    numbers += [["exact", rng.choice(exact)] for _ in range(rng.randint(1, 5))]
    for _ in range(rng.randint(0, 5)):
        name = rng.choice(("round", "mul", "div", "pow", "pow", "exp", "log"))
        operands = [rng.randrange(len(numbers)) for _ in range(2 if name in ("mul", "div", "pow") else 1)]
        numbers.append([name, at(), *operands])

    def steps(most: int) -> list[list[Any]]:
        made: list[list[Any]] = [["round", at()]]
        for _ in range(rng.randint(0, most)):
            name = rng.choice(("round", "mul", "mul", "mul", "div"))
            n = rng.choice((rng.randrange(len(numbers)), len(numbers) - 1))
            made.append(
                [name, at()] if name == "round" else [name, at(), n] if rng.random() < 0.8 else [name, at(), n, at()]
            )
        return made

    return angle, {"numbers": numbers, "phase": steps(4), "sets": sets, "table": steps(2)}


def random_pipeline_claim(rng: Random) -> dict[str, Any]:
    """A claim about a pipeline."""
    angle, pipeline = random_pipeline(rng)
    if rng.random() < 0.6:
        pipeline["table"].append(["round", 0])
        claim = {"kind": "period", "F": random_values(rng), "realize": {"pipeline": pipeline}, "theta": angle}
        return claim | _cycle(rng)
    scale = Fraction(rng.choice((1, 2, 7, 40, 255, 1000)), rng.choice((1, 1, 3, 4)))
    k = rng.choice((1, 1, 2))
    claim = {"kind": "nmax", "C": number_form(scale), "criterion": rng.choice(("gap", "weight")), "g": angle, "k": k}
    claim |= {"realize": {"pipeline": pipeline}, "regime": random_regime(rng)}
    return claim | {"value": k - 1 + rng.choice((0, 0, 0, 1, 2, 3, 5, 8))}


def _cycle(rng: Random) -> dict[str, Any]:
    nothing = {"verdict": "non-periodic", "period": None, "preperiod": None, "eventual": None, "leaves": None}
    way = rng.randint(0, 3)
    if way == 0:
        m = rng.choice((1, 1, 2, 3, 4, 6, 9, 12))
        return nothing | {"verdict": "periodic", "period": m, "preperiod": 0, "eventual": m}
    if way == 1:
        return nothing | {
            "preperiod": rng.choice((1, 1, 2, 3, 4, 8, 16, 32)),
            "eventual": rng.choice((1, 1, 1, 2, 3, 4)),
        }
    return nothing | ({"leaves": rng.choice((0, 0, 0, 1, 2, 3, 4, 8))} if way == 2 else {})


def with_hints(claim: dict[str, Any], rng: Random) -> dict[str, Any]:
    """A certificate of the claim, with hints that may be of use or not."""
    hints: dict[str, Any] = {}
    if claim["kind"] == "period":
        because = rng.choice(("finite-table", "irrational-angle", "eventually-constant", "state-cycle", "left-F"))
        hints = {"because": because, "positions": sorted(rng.sample(range(9), rng.randint(0, 2)))}
    elif claim["kind"] != "flarge":
        upper = claim["value"] if claim["kind"] == "nmax" else claim["upper"]
        fails = None if upper is None else [upper + 2, rng.randint(0, upper + 1)]
        hints = {
            "fails": fails,
            "road": rng.choice(("pairs", "returns", "buckets")),
            "E": rng.choice((None, 0, "1p-1")),
        }
    producer = {"name": "random", "version": "1"}
    return {"claim": claim, "fpcert": 1, "hints": hints, "producer": producer, "semantics": 1}
