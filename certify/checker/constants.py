"""The numbers of a pipeline: what a machine computes once, before any position, one rounded operation after another.

    ["exact", r]      the rational r itself          ["angle", F]      the angle of the claim, rounded into F
    ["round", F, i]   number i, rounded              ["inverse", F]    1 over that angle, which is above 0, rounded
    ["mul", F, i, j]  i times j    ["div", F, i, j]  i over j          ["pow", F, i, j]   i to the power j
    ["exp", F, i]     e to the power i               ["log", F, i]     the natural logarithm of i

F is the place of a value set; i and j are the places of numbers that stand before this one.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

from .angle import Angle
from .arithmetic import div, exp_of, mul, round_real
from .exact import Purse, number, show
from .limits import MAX_BITS, Account, Malformed, Undecided
from .power import log_of, power_of
from .rotation import rounded_angle
from .valueset import Element, ValueSet

__all__ = ["Constant", "computed", "parse_constants", "place"]

MAX_NUMBERS = 64
_OPERANDS = {"angle": 0, "inverse": 0, "round": 1, "exp": 1, "log": 1, "mul": 2, "div": 2, "pow": 2}
_SIGNS = {"mul": "*", "div": "/", "pow": "^"}


@dataclass(frozen=True)
class Constant:
    """One number: its operation, the value set (its place and itself), the places of the operands; or r."""

    operation: str
    place: int = 0
    values: ValueSet | None = None
    operands: tuple[int, ...] = ()
    exact: Fraction | None = None

    def __str__(self) -> str:
        if self.exact is not None:
            return show(self.exact)
        names = [f"n{i}" for i in self.operands]
        if self.operation in _SIGNS:
            text = f" {_SIGNS[self.operation]} ".join(names)
        elif names:
            text = names[0] if self.operation == "round" else f"{self.operation} {names[0]}"
        else:
            text = "the angle" if self.operation == "angle" else "1 over the angle"
        return f"{text} in F{self.place}"


def place(thing: Any, count: int, what: str) -> int:
    """A place from 0 to count - 1."""
    if type(thing) is not int or not 0 <= thing < count:
        raise Malformed(f"{what} is not the place of one of {count}")
    return thing


def parse_constants(thing: Any, sets: list[ValueSet], purse: Purse) -> list[Constant]:
    """The numbers that a list describes."""
    if not isinstance(thing, list) or len(thing) > MAX_NUMBERS:
        raise Malformed(f"the numbers of a pipeline are a list of at most {MAX_NUMBERS}")
    found: list[Constant] = []
    for n, each in enumerate(thing):
        what = f"number {n} of the pipeline"
        if not isinstance(each, list) or not each or not isinstance(each[0], str):
            raise Malformed(f"{what} is not a list that begins with a name")
        name, *parts = each
        if name == "exact" and len(parts) == 1:
            found.append(Constant(name, exact=number(parts[0], what, purse)))
            continue
        if name not in _OPERANDS or len(parts) != 1 + _OPERANDS[name]:
            raise Malformed(f"{what} is no operation that is known, with its operands")
        at = place(parts[0], len(sets), f"the value set of {what}")
        operands = tuple(place(part, n, f"an operand of {what}") for part in parts[1:])
        found.append(Constant(name, at, sets[at], operands))
    return found


def computed(constants: list[Constant], angle: Angle, account: Account) -> list[Element]:
    """The numbers themselves."""
    found: list[Element] = []
    for each in constants:
        account.spend()
        if each.exact is not None or each.values is None:
            found.append(Fraction(each.exact or 0))
        else:
            found.append(_operation(each.operation, each.values, [found[i] for i in each.operands], angle, account))
    return found


def _operation(name: str, values: ValueSet, x: list[Element], angle: Angle, account: Account) -> Element:
    if name == "angle":
        return rounded_angle(values, angle, account)
    if name == "inverse":
        return _inverse(values, angle, account)
    if name == "round":
        return values.convert(x[0])
    if name == "exp":
        return exp_of(values, x[0], account)
    if name == "log":
        return log_of(values, x[0], account)
    if name == "pow":
        return power_of(values, x[0], x[1], account)
    return (mul if name == "mul" else div)(values, x[0], x[1])


def _inverse(values: ValueSet, angle: Angle, account: Account) -> Element:
    """round(1/theta) for theta > 0."""
    if angle.rational is not None:
        return values.convert(1 / angle.rational)

    def enclose(bits: int) -> tuple[int, int, int]:
        wide = bits
        low, high = angle.enclose(wide)
        while low <= 0:
            wide *= 2
            if wide > MAX_BITS:
                raise Undecided(f"1 over an angle below 2^-{MAX_BITS // 2}")
            low, high = angle.enclose(wide)
        return (1 << wide + bits) // high, -(-(1 << wide + bits) // low), 1 << bits

    return round_real(values, enclose, account)
