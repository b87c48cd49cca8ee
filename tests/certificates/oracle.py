"""What the producer's code says about any claim: true, false, not known, or no claim at all.

The claim is read here from the words of docs/certificates.md, without the checker's reader, and decided by
`fpsim` and `certify`: by the reference arithmetic row by row where the numbers are small.  The checker shares no code
with any of it.
"""

from __future__ import annotations

import importlib.util
import json
import math
import re
import sys
from fractions import Fraction
from pathlib import Path
from types import ModuleType
from typing import Any

from gmpy2 import mpq

from certify.certified_range.compute import nmax_of
from certify.certified_range.error_bound import ErrorBounds, error_bounds
from certify.certified_range.exhaustive import ReferenceRows
from certify.certified_range.question import Question
from certify.languages.compute import classify
from certify.languages.dfa import Dfa
from certify.periodicity.component import decide
from certify.periodicity.recurrences.state_cycle import default_max_steps
from fpsim import reference
from fpsim.angle import Angle, power_angle
from fpsim.errors import FpcertError
from fpsim.flarge import f_large
from fpsim.real import Irrational
from fpsim.realization import REALIZATIONS, realize
from fpsim.regime import Regime
from fpsim.rounding.reference import Element, is_nan, round_exact
from fpsim.rounding.specs import spec_of
from fpsim.softmax import softmax
from fpsim.sums import Order, ordered_sum
from fpsim.turning import cos_of, sin_of
from fpsim.valueset import ValueSet

__all__ = ["MALFORMED", "UNKNOWN", "corrected", "truth"]

UNKNOWN, MALFORMED = "unknown", "malformed"
_ROWS = 60  # query positions that are walked by the reference
_NEAR_RETURNS, _LENGTH, _LENGTH_BY_REFERENCE = 20_000, 8_000, 600  # that are looked at, by kernels or not
_EXPONENT = 1_000_000  # beyond, numbers take too long here
_MODULUS = 130  # the greatest that is looked at, residue by residue
_STEPS, _STATES = 2_000_000, 2_000  # of a recurrence, searched and looked at one by one
_ENUMS = {
    "overflow": ("inf", "saturate", "nan"),
    "rounding": ("even", "away", "zero", "up", "down", "odd"),
    "criterion": ("gap", "weight"),
    "realize": tuple(REALIZATIONS),
    "verdict": ("periodic", "non-periodic"),
}


def _neighbour(name: str) -> ModuleType:
    """A module of this folder, which is no package and not on the path."""
    spec = importlib.util.spec_from_file_location(f"{__name__}_{name}", Path(__file__).with_name(f"{name}.py"))
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module  # dataclasses look for it there
    spec.loader.exec_module(module)
    return module


programs = _neighbour("programs")


class NoClaimError(Exception):
    """What is said is no claim of docs/certificates.md."""


class TooMuchError(Exception):
    """A claim that takes too long to decide here."""


class AnyQuestion(Question):
    """A question whose scale and angle may be anything: a claim about a head that overflows is a claim too."""

    def __post_init__(self) -> None:
        self.regime.require_deterministic()


def truth(claim: Any) -> bool | str:
    """True, False, `UNKNOWN` or `MALFORMED`, for the object that stands under `claim`."""
    try:
        return _decide(claim)
    except (NoClaimError, KeyError, TypeError, ValueError):
        return MALFORMED
    except (TooMuchError, FpcertError, OverflowError):
        return UNKNOWN


def corrected(claim: Any) -> Any:
    """The claim with the numbers that are right in place of its own; None where they are not known.

    An N_max that is not found within the first positions is one that is not known.
    """
    try:
        if claim["kind"] == "flarge":
            value = f_large(_values(claim["F"]))
            return claim | {"value": None if value is None else _form(value)}
        if claim["kind"] == "language":
            return claim | {"member": _member(claim)}
        if claim["kind"] == "modulus":
            return None
        if claim["kind"] == "period":
            found = _cycle(claim)
            return None if found is None else claim | found
        low, high = _n_max(_question(claim), claim["k"] + _ROWS - 4)
    except (TooMuchError, FpcertError, OverflowError):
        return None
    if low is None or low != high:
        return None
    names = ("value",) if claim["kind"] == "nmax" else ("lower", "upper")
    return claim | {name: low for name in names if claim[name] is not None}


def _decide(claim: Any) -> bool | str:
    kind = _one(claim["kind"], ("flarge", "language", "modulus", "nmax", "nmax-range", "period"))
    if kind == "flarge":
        value = None if claim["value"] is None else _number(claim["value"])
        return bool(f_large(_values(claim["F"])) == value)
    if kind == "language":
        said = _bool(claim["member"])
        return said is _member(claim)
    if kind == "modulus":
        return _decides(claim)
    if kind == "period":
        return _periodic(claim)
    return _range(claim)


# -- claims --------------------------------------------------------------------------------------------------------


def _member(claim: Any) -> bool:
    """Whether the language of the claim's DFA is in its class."""
    kind, fields = _one(claim["class"], ("LTL[P]", "LTL[P,MOD]", "star_free")), claim["dfa"]
    alphabet, delta, accepting = tuple(fields["alphabet"]), fields["delta"], fields["accepting"]
    if accepting != sorted(set(accepting)) or not all(re.fullmatch(r"[!#-\[\]-~]{1,100}", a) for a in alphabet):
        raise NoClaimError
    try:
        dfa = Dfa(alphabet, _integer(fields["initial"], 0), frozenset(accepting), tuple(map(tuple, delta)))
    except FpcertError:
        raise NoClaimError from None
    member = classify(dfa=dfa).classes[kind]
    if member is None:
        raise TooMuchError
    return member


def _decides(claim: Any) -> bool:
    """Whether the head of Lemma 3.2 decides m: by the reference arithmetic, with one other position and with many."""
    m, scale, regime = _integer(claim["m"], 2), _number(claim["C"]), _regime(claim["regime"])
    if scale <= 0 or json.dumps(claim["F"], sort_keys=True) != json.dumps(claim["regime"]["values"], sort_keys=True):
        raise NoClaimError
    _values(claim["F"])
    if m > _MODULUS:
        raise TooMuchError
    values, rotate, score = regime.values, regime.rotate, regime.score
    angle = Angle(mpq(2, m), "pi")
    cosine = cos_of(angle)
    half = cosine.shifted(mpq(1)).scaled(scale / 2) if isinstance(cosine, Irrational) else (1 + cosine) * scale / 2
    key, base = round_exact(values, scale), round_exact(values, half)
    other = reference.mul(score, round_exact(values, mpq(1)), base)
    if not _is_number(key) or not _is_number(other):
        return False
    for r in range(m):
        a, b = round_exact(values, cos_of(angle, r)), round_exact(values, sin_of(angle.times(-1), r))
        for i in range(m):
            c, s = (round_exact(values, function(angle, i)) for function in (cos_of, sin_of))
            first = reference.sub(rotate, reference.mul(rotate, c, a), reference.mul(rotate, s, b))
            second = reference.add(rotate, reference.mul(rotate, s, a), reference.mul(rotate, c, b))
            products = [reference.mul(score, round_exact(values, first), key)]
            products.append(reference.mul(score, round_exact(values, second), mpq(0)))
            bos = reference.add(score, *products)
            if not _is_number(bos) or (bos > other) is not (i == r) or bos == other:
                return False
            found = softmax(regime, [bos, other])
            if found.exponentials[i == r] != 0 or found.weights[0] != (1 if i == r else 0):
                return False
    return not _becomes_nan(regime)


def _becomes_nan(regime: Regime) -> bool:
    """Whether a sum of enough exponentials 1 is NaN; 2^13 are enough where it is at rest then."""
    sets = [regime.softmax] + ([regime.order.accumulator] if regime.order.accumulator is not None else [])
    if all(each.overflow != "nan" for each in sets):
        return False
    one = round_exact(regime.softmax, mpq(1))
    half, total = (ordered_sum(regime.softmax, [one] * n, regime.order) for n in (4096, 8192))
    if not is_nan(total) and total != half and any(each.max > 4096 for each in sets):
        raise TooMuchError
    return is_nan(total)


def _is_number(x: Element) -> bool:
    return isinstance(x, mpq) or x == 0


def _range(claim: Any) -> bool | str:
    exact = claim["kind"] == "nmax"
    ends = [
        None if claim[end] is None and not exact else _integer(claim[end], 0)
        for end in (("value", "value") if exact else ("lower", "upper"))
    ]
    lower, upper = ends
    if ends == [None, None]:
        raise NoClaimError
    low, high = _n_max(_question(claim), max(end for end in ends if end is not None))
    if low is None:
        return False  # F has no f_large: no range is defined
    if lower is not None and high is not None and high < lower:
        return False
    if upper is not None and low > upper:
        return False
    known = (lower is None or low >= lower) and (upper is None or (high is not None and high <= upper))
    return True if known else UNKNOWN


def _question(claim: Any) -> Question:
    scale = _number(claim["C"])
    if scale <= 0:
        raise NoClaimError
    criterion, k, regime = (
        _one(claim["criterion"], _ENUMS["criterion"]),
        _integer(claim["k"], 1),
        _regime(claim["regime"]),
    )
    if isinstance(claim["realize"], dict):
        program = _program(claim["realize"], claim["g"], regime.values)
        return AnyQuestion(program.angle, scale, k, regime, program, criterion)
    kind = _one(claim["realize"], _ENUMS["realize"])
    return AnyQuestion(_angle(claim["g"]), scale, k, regime, kind, criterion)


def _program(realize: Any, angle: Any, values: ValueSet) -> Any:
    """The pipeline that a claim spells out."""
    if set(realize) != {"pipeline"}:
        raise NoClaimError
    return programs.Program.read(realize["pipeline"], angle, values, _values, _number, _angle)


def _n_max(question: Question, asked: int) -> tuple[int | None, int | None]:
    """Bounds on N_max that tell whether it is `asked`; (None, None): it is not defined."""
    if question.criterion == "gap" and question.threshold is None:
        return None, None
    k = question.offset
    if k <= _ROWS:
        program = isinstance(question.kind, programs.Program)
        rows = programs.ProgramRows(question) if program else ReferenceRows(question)
        for i in range(k + 1, min(asked + 3, k + _ROWS)):
            if rows.failure(i) is not None:
                return i - 2, i - 2
        if asked + 3 <= k + _ROWS or asked < k - 1:
            return max(asked + 1, k - 1), None
    if question.threshold is None or isinstance(question.kind, programs.Program):
        raise TooMuchError
    asked_of = Question(question.angle, question.scale, k, question.regime, question.kind, question.criterion)
    found = nmax_of(asked_of, method="bracket")
    if found.status != "exact" and found.lower <= asked and (found.upper is None or asked <= found.upper):
        if not _is_short(asked_of, asked):
            raise TooMuchError
        found = nmax_of(asked_of, method="pruned", max_length=max(asked, k) + 1)
    return found.lower, found.lower if found.status == "exact" else found.upper


def _is_short(question: Question, asked: int) -> bool:
    """Whether a scan to that length takes seconds: by near-returns, of which about so many are looked at, or by rows."""
    if question.realize in ("ideal", "table"):
        bounds = error_bounds(question, question.offset + 1)
        if isinstance(bounds, ErrorBounds) and question.threshold is not None:
            share = math.sqrt(2 * (question.threshold + 2 * bounds.score) / question.scale) / math.pi
            return asked * share <= _NEAR_RETURNS
    regime = question.regime
    compiled = all(spec_of(values) is not None for values in (regime.values, regime.rotate, regime.score))
    return asked <= (_LENGTH if compiled else _LENGTH_BY_REFERENCE)


def _periodic(claim: Any) -> bool | str:
    said = {
        name: _integer_or_none(claim[name], least)
        for name, least in (("period", 1), ("preperiod", 0), ("eventual", 1), ("leaves", 0))
    }
    verdict = _one(claim["verdict"], _ENUMS["verdict"])
    found = _cycle(claim)
    if found is not None:
        return said | {"verdict": verdict} == found
    return False if claim["realize"] == "recurrence" and _contradicted(claim) else UNKNOWN


def _contradicted(claim: Any) -> bool:
    """Whether a few states say that a recurrence is not what is claimed, though what it is is not known."""
    mu, length, leaves = claim["preperiod"], claim["eventual"], claim["leaves"]
    if mu is None and leaves is None:
        return True  # finitely many states: they repeat, or one is NaN
    if mu is None or mu + length > _STATES:
        return False
    rotation = realize("recurrence", _angle(claim["theta"]), _values(claim["F"]))
    return rotation.block(mu) != rotation.block(mu + length)


def _cycle(claim: Any) -> dict[str, Any] | None:
    """What is so of the blocks, in the fields of a claim."""
    if isinstance(claim["realize"], dict):
        program = _program(claim["realize"], claim["theta"], _values(claim["F"]))
        if program.table[-1][1] != 0:
            raise NoClaimError
        return dict(program.cycle())
    rotation = realize(_one(claim["realize"], _ENUMS["realize"]), _angle(claim["theta"]), _values(claim["F"]))
    found = decide(rotation, max_steps=min(_STEPS, default_max_steps(rotation.values)))
    if found.verdict == "undecided" or (found.proof == "left-F" and found.leaves_F_at is None):
        return None
    if found.preperiod is None and found.eventual_period is not None:
        return None
    return {
        "verdict": found.verdict,
        "period": found.period,
        "preperiod": found.preperiod,
        "eventual": found.eventual_period,
        "leaves": found.leaves_F_at,
    }


# -- what a claim is made of ---------------------------------------------------------------------------------------


def _one(value: Any, known: tuple[str, ...]) -> Any:
    if not isinstance(value, str) or value not in known:
        raise NoClaimError
    return value


def _integer(value: Any, least: int) -> int:
    if type(value) is not int or value < least:
        raise NoClaimError
    return value


def _integer_or_none(value: Any, least: int) -> int | None:
    return None if value is None else _integer(value, least)


def _bool(value: Any) -> bool:
    if not isinstance(value, bool):
        raise NoClaimError
    return value


def _number(value: Any) -> mpq:
    if type(value) is int:
        return mpq(value)
    if not isinstance(value, str):
        raise NoClaimError
    binary = re.fullmatch(r"(-?[0-9a-f]+)p(-?[0-9]+)", value, re.ASCII)
    if binary:
        exponent = int(binary[2])
        if abs(exponent) > _EXPONENT:
            raise TooMuchError
        return mpq(int(binary[1], 16)) * mpq(2) ** exponent
    return _rational(value)


def _form(value: mpq) -> int | str:
    """The one form of a number."""
    n, d = int(value.numerator), int(value.denominator)
    if d == 1 and abs(n) < 1 << 128:
        return n
    if d & (d - 1):
        return f"{n}/{d}"
    low = (n & -n).bit_length() - 1
    return f"{'-' if n < 0 else ''}{abs(n) >> low:x}p{low - d.bit_length() + 1}"


def _rational(text: str) -> mpq:
    if not re.fullmatch(r"-?[0-9]+(/[0-9]+)?", text, re.ASCII):
        raise NoClaimError
    if int(text.partition("/")[2] or 1) == 0:
        raise NoClaimError
    return mpq(Fraction(text))


def _angle(text: Any) -> Angle:
    if not isinstance(text, str):
        raise NoClaimError
    factor, _, unit = text.rpartition("*")
    sign = 1
    if not factor and unit.startswith("-") and not re.fullmatch(r"-[0-9/]+", unit, re.ASCII):
        sign, unit = -1, unit[1:]
    coefficient = _rational(factor) if factor else mpq(sign)
    if unit == "pi":
        return Angle(coefficient, "pi") if coefficient else Angle(mpq(0))
    root = re.fullmatch(r"([0-9/]+)\^\((-?[0-9/]+)\)", unit, re.ASCII)
    if root:
        base, power = _rational(root[1]), _rational(root[2])
        if base <= 0:
            raise NoClaimError
        if power.denominator > _EXPONENT or abs(power.numerator) > _EXPONENT:
            raise TooMuchError
        return power_angle(base, power).times(coefficient)
    return Angle(coefficient * _rational(unit))


def _values(fields: Any) -> ValueSet:
    kind = _one(fields["kind"], ("float", "fixed", "grid"))
    shared = {name: _one(fields[name], _ENUMS[name]) for name in ("overflow", "rounding")}
    if kind == "grid":
        grid = tuple(_number(value) for value in fields["values"])
        if 0 not in grid or any(a >= b for a, b in zip(grid, grid[1:])):
            raise NoClaimError
        zero = grid.index(mpq(0))
        return ValueSet("grid", "grid", last=len(grid) - 1 - zero, first=-zero, grid=grid, layout="index", **shared)
    largest = _number(fields["largest"])
    if kind == "fixed":
        step = _number(fields["step"])
        if step <= 0 or largest < 0 or (largest / step).denominator != 1:
            raise NoClaimError
        last = int(largest / step)
        precision = max(last.bit_length(), 1)
        emin = _log2(step) + precision - 1
        _check_size(precision)
        return ValueSet("fixed", "fixed", precision, emin, last, -last, **shared)
    precision, emin, ftz = _integer(fields["precision"], 1), _integer(fields["emin"], -1_000_000), _bool(fields["ftz"])
    _check_size(precision)
    if abs(emin) > _EXPONENT:
        raise TooMuchError
    last = _index(largest, precision, emin)
    made = ValueSet("float", "float", precision, emin, last, -last, ftz=ftz, signed_zero=True, layout="none", **shared)
    if ftz and 0 < last < made.least_index:
        raise NoClaimError
    return made


def _check_size(precision: int) -> None:
    if precision > 240:
        raise NoClaimError


def _log2(step: mpq) -> int:
    n, d = int(step.numerator), int(step.denominator)
    if n & (n - 1) or d & (d - 1):
        raise NoClaimError
    return n.bit_length() - d.bit_length()


def _index(largest: mpq, precision: int, emin: int) -> int:
    """The index of the greatest value of a float set: largest = m 2^(e-p+1), m < 2^p, e >= emin as small as can be."""
    if largest < 0:
        raise NoClaimError
    e = emin
    if largest:
        e = max(int(largest.numerator.bit_length() - largest.denominator.bit_length()), emin)
        e -= e > emin and largest < mpq(2) ** e
    m = largest / mpq(2) ** (e - precision + 1)
    if m.denominator != 1:
        raise NoClaimError
    return int(m) + ((e - emin) << (precision - 1))


def _regime(fields: Any) -> Regime:
    values = _values(fields["values"])
    stages = {
        name: values if fields[name] == "values" else _values(fields[name]) for name in ("rotate", "score", "softmax")
    }
    return Regime(values, output=values, fma=_bool(fields["fma"]), order=_order(fields["order"]), **stages)


def _order(value: Any) -> Order:
    if isinstance(value, str):
        return Order(_one(value, ("sequential", "reverse", "pairwise")))
    if len(value) != 1:
        raise NoClaimError
    if "wide" in value:
        return Order("wide", accumulator=_values(value["wide"]))
    return Order("blocked", block=_integer(value["blocked"], 1))
