"""Past temporal formulas as immutable nodes: equal parts are one object, so that a formula is a graph without cycles.

A formula is true or false at a position i of a word w_1 .. w_N, 1 <= i <= N + 1; the word is accepted when it is true
at N + 1, where no letter stands (the paper's section A.1).  The node is one of

| operator | arguments | true at i |
|---|---|---|
| `true`, `false` | | always, never |
| `letter` | a | w_i = a |
| `mod` | r, m | i = r modulo m (BOS is position 0) |
| `not`, `and`, `or` | parts | |
| `past` (P) | part | the part is true at some j < i |
| `yesterday` (Y^k) | part, k | i > k and the part is true at i - k |
| `since` (S) | left, right | right is true at some j < i, and left at every position between j and i |
"""

from __future__ import annotations

from typing import Any, Self
from weakref import WeakValueDictionary

from fpsim.errors import InputError

__all__ = [
    "FALSE",
    "TRUE",
    "Formula",
    "both",
    "either",
    "letter",
    "mod",
    "negation",
    "past",
    "since",
    "subformulas",
    "yesterday",
]

MAX_NUMBER = 10**18
_KNOWN: WeakValueDictionary[tuple[Any, ...], Any] = WeakValueDictionary()


class Formula:
    """A node; make it with the functions of this module.  Equal formulas are the same object.

    operator: as in the table above.  parts: the formulas below.  data: (a,), (r, m), (k,) or ().
    """

    __slots__ = ("__weakref__", "data", "operator", "parts")
    operator: str
    parts: tuple[Formula, ...]
    data: tuple[Any, ...]

    def __new__(cls, operator: str, parts: tuple[Formula, ...] = (), data: tuple[Any, ...] = ()) -> Self:
        """The one node with this content."""
        key = (operator, parts, data)
        found = _KNOWN.get(key)
        if found is None:
            found = super().__new__(cls)
            for name, value in zip(("operator", "parts", "data"), key, strict=True):
                object.__setattr__(found, name, value)
            _KNOWN[key] = found
        made: Self = found
        return made

    def __setattr__(self, name: str, value: object) -> None:
        raise AttributeError("a formula does not change")

    def __reduce__(self) -> tuple[Any, ...]:
        return Formula, (self.operator, self.parts, self.data)

    def __copy__(self) -> Formula:
        return self

    def __deepcopy__(self, _memo: object) -> Formula:
        return self

    def __str__(self) -> str:
        from certify.languages.formula_text import formula_text

        return formula_text(self)

    def __repr__(self) -> str:
        from certify.languages.formula_text import text_length

        return f"Formula({self})" if text_length(self) <= 1000 else f"<formula of {len(subformulas(self))} nodes>"


TRUE, FALSE = Formula("true"), Formula("false")


def letter(a: str) -> Formula:
    """True where the letter a stands."""
    return Formula("letter", (), (a,))


def mod(r: int, m: int) -> Formula:
    """True at the positions i = r modulo m.  Raises `InputError` unless 0 <= r < m.

    >>> str(mod(1, 3))
    'MOD(1,3)'
    """
    if not 1 <= m < MAX_NUMBER:
        raise InputError("MOD(r,m)", f"m = {m}", "with a modulus m of at least 1 (and below 10^18)")
    if not 0 <= r < m:
        raise InputError("MOD(r,m)", f"MOD({r},{m})", "with a residue r from 0 to m - 1")
    return Formula("mod", (), (r, m))


def past(part: Formula) -> Formula:
    """P: the part was true at an earlier position."""
    return Formula("past", (part,))


def yesterday(part: Formula, k: int = 1) -> Formula:
    """Y^k: the part was true k positions ago.  Raises `InputError` unless k >= 1."""
    if not 1 <= k < MAX_NUMBER:
        raise InputError("Y^k", f"Y^{k}", "with k of at least 1 (and below 10^18)")
    if part.operator == "yesterday":
        return yesterday(part.parts[0], k + part.data[0])
    return Formula("yesterday", (part,), (k,))


def since(left: Formula, right: Formula) -> Formula:
    """S: right was true at an earlier position, and left at every one after that."""
    return Formula("since", (left, right))


def negation(part: Formula) -> Formula:
    """Not; without double negations, and of a constant the other.

    >>> negation(negation(letter("a"))) is letter("a")
    True
    """
    if part.operator == "not":
        return part.parts[0]
    if part.operator in ("true", "false"):
        return FALSE if part is TRUE else TRUE
    return Formula("not", (part,))


def both(*parts: Formula) -> Formula:
    """And, without repeated parts and constants."""
    return _joined("and", parts, neutral=TRUE, absorbing=FALSE)


def either(*parts: Formula) -> Formula:
    """Or, without repeated parts and constants."""
    return _joined("or", parts, neutral=FALSE, absorbing=TRUE)


def _joined(operator: str, parts: tuple[Formula, ...], neutral: Formula, absorbing: Formula) -> Formula:
    if absorbing in parts:
        return absorbing
    kept = tuple(dict.fromkeys(part for part in parts if part is not neutral))
    if not kept:
        return neutral
    return kept[0] if len(kept) == 1 else Formula(operator, kept)


def subformulas(formula: Formula) -> list[Formula]:
    """Every node once, parts before wholes; the formula itself is the last.

    >>> len(subformulas(both(past(letter("a")), negation(past(letter("a"))))))
    4
    """
    found: dict[Formula, None] = {}
    todo = [(formula, False)]
    while todo:
        node, ready = todo.pop()
        if node in found:
            continue
        if ready:
            found[node] = None
        else:
            todo.append((node, True))
            todo += [(part, False) for part in reversed(node.parts)]
    return list(found)
