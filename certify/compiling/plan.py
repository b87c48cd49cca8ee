"""What a compiled model stores for a formula, and when: a truth value for each subformula, and the layers they take.

A subformula has a coordinate of its own, but for those that are another one's negation or a constant: a *literal* is an
owner, or the negation of one.  The owner `false` stands for "this is BOS", which is false at every position 1 .. N + 1.

An attention sublayer writes at the times 1, 3, 5, .., a feed-forward network at 2, 4, 6, ..; the embedding is there at
time 0, layer n has the times 2n + 1 and 2n + 2.  A subformula is computed as early as its parts allow, so independent
ones share a layer.  Conjunctions of conjunctions are computed at once, from the literals at the bottom.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal as OneOf
from typing import TypeAlias

from certify.languages.formula import FALSE, Formula, subformulas
from certify.languages.formula_text import formula_text
from fpsim.errors import UnsupportedError

__all__ = ["Encoding", "Literal", "Plan", "plan_of"]

Encoding: TypeAlias = OneOf["rope", "sipe"]
_SHORT = 40  # operators in a formula that is called by its text


@dataclass(frozen=True)
class Literal:
    """An owner of a coordinate, or its negation."""

    owner: Formula
    negated: bool = False

    def __invert__(self) -> Literal:
        return Literal(self.owner, not self.negated)


@dataclass(frozen=True)
class Plan:
    """literals: of every subformula.  time: of every owner, in the order of their coordinates.

    parts: the literals that an owner is computed from.  at_bos: what is stored at BOS, where formulas mean nothing.
    names: of every subformula; its text where that is short.
    """

    formula: Formula
    letters: tuple[str, ...]
    encoding: Encoding
    literals: Mapping[Formula, Literal]
    time: Mapping[Formula, int]
    parts: Mapping[Formula, tuple[Literal, ...]]
    at_bos: Mapping[Formula, bool]
    names: Mapping[Formula, str]

    @property
    def layers(self) -> int:
        """How many layers there are."""
        return (max(self.time.values()) + 1) // 2

    def written(self, time: int) -> list[Formula]:
        """The owners that are computed at this time."""
        return [owner for owner, each in self.time.items() if each == time]

    def is_true_at_bos(self, literal: Literal) -> bool:
        """What a literal is at BOS."""
        return self.at_bos[literal.owner] is not literal.negated


def plan_of(formula: Formula, letters: tuple[str, ...], encoding: Encoding) -> Plan:
    """The plan of a formula over these letters, which hold all of its own.

    >>> from certify.languages.formula_text import parse_formula
    >>> plan_of(parse_formula("P(a & !P true) & MOD(1,2)"), ("a",), "rope").layers
    2

    Raises `UnsupportedError` for S.
    """
    return _Planner(formula, letters, encoding).plan()


class _Planner:
    """Times and parts of the subformulas, from the bottom up."""

    def __init__(self, formula: Formula, letters: tuple[str, ...], encoding: Encoding) -> None:
        self.formula, self.letters, self.encoding = formula, letters, encoding
        self.literals: dict[Formula, Literal] = {}
        self.time: dict[Formula, int] = {FALSE: 0}
        self.parts: dict[Formula, tuple[Literal, ...]] = {FALSE: ()}
        self.at_bos: dict[Formula, bool] = {FALSE: True}

    def plan(self) -> Plan:
        """All of it."""
        for a in self.letters:
            self._own(Formula("letter", (), (a,)), 0, (), False)
        sizes: dict[Formula, int] = {}
        names: dict[Formula, str] = {}
        for n, node in enumerate(subformulas(self.formula)):
            self.literals[node] = self._literal(node)
            sizes[node] = 1 + sum(sizes[part] for part in node.parts)
            names[node] = formula_text(node) if sizes[node] <= _SHORT else f"subformula {n}, {node.operator}"
        time = dict(sorted(self.time.items(), key=lambda item: item[1]))  # a stable sort
        return Plan(self.formula, self.letters, self.encoding, self.literals, time, self.parts, self.at_bos, names)

    def _literal(self, node: Formula) -> Literal:
        operator = node.operator
        below = tuple(self.literals[part] for part in node.parts)
        if operator == "not":
            return ~below[0]
        if operator == "true" or (operator == "mod" and node.data[1] == 1):
            return Literal(FALSE, negated=True)
        if operator in ("false", "letter"):
            return Literal(node)
        if operator == "since":
            raise UnsupportedError(
                "S is not compiled: transformers of this kind have P, MOD and Y^k (LTL[P,MOD], Lemma 3.2; Cor. 4.1)"
            )
        if operator in ("and", "or"):
            below = self._flat(node, below)
            self._own(node, self._after(below, 0), below, self._bos(node, below))
        elif operator == "mod":
            first = self.encoding == "sipe" and node.data[0] == 0  # position 0 is 0 modulo m
            self._own(node, 1 if self.encoding == "rope" else 2, (), first)
        else:
            self._own(node, self._after(below, 1), below, False)
        return Literal(node)

    def _own(self, owner: Formula, time: int, parts: tuple[Literal, ...], at_bos: bool) -> None:
        self.time[owner], self.parts[owner], self.at_bos[owner] = time, parts, at_bos

    def _after(self, parts: tuple[Literal, ...], odd: int) -> int:
        """The least time after those of the parts that is odd, or even."""
        time = 1 + max(self.time[part.owner] for part in parts)
        return time if time % 2 == odd else time + 1

    def _bos(self, node: Formula, parts: tuple[Literal, ...]) -> bool:
        truths = [self.at_bos[part.owner] is not part.negated for part in parts]
        return all(truths) if node.operator == "and" else any(truths)

    def _flat(self, node: Formula, parts: tuple[Literal, ...]) -> tuple[Literal, ...]:
        """The literals of a conjunction of conjunctions, or of a disjunction of disjunctions, each once."""
        found: dict[Literal, None] = {}
        for part in parts:
            inner = part.owner.operator
            if inner in ("and", "or") and (inner == node.operator) is not part.negated:
                below = self.parts[part.owner]
                found |= dict.fromkeys(~each if part.negated else each for each in below)
            else:
                found[part] = None
        return tuple(found)
