"""What `classify` answers: the classes of a language with their proofs."""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from certify.languages.components import Components
from certify.languages.dfa import Dfa
from certify.languages.formula import Formula
from certify.languages.formula_text import formula_text, text_length
from certify.languages.groups import GroupWitness
from certify.languages.modular_order import ModularOrder
from certify.languages.monomials import Monomial, modular_monomials
from certify.languages.ordered_formula import ordered_formula
from certify.languages.witness import Witness, modular_witness, order_witness
from fpsim.errors import UnsupportedError

__all__ = ["MAX_TEXT", "Classification"]

MAX_TEXT = 20_000  # characters of a formula that is shown
_SHOWN = 200  # of them in an explanation
_SETS = 1_000  # sets of letters in the monomials that are listed


@dataclass(frozen=True)
class Classification:
    """The classes of a language; prints as an explanation.

    dfa: its minimal complete DFA.  classes: name to True, False or None, which is undecided for the reason that
    `reasons` has.  order: the proof that it is in LTL[P,MOD], with the least k.  group: words that show that it is not
    star-free. monoid: the number of elements of its syntactic monoid, where they were needed and found.
    """

    dfa: Dfa
    classes: dict[str, bool | None]
    reasons: dict[str, str]
    order: ModularOrder | None
    group: GroupWitness | None
    monoid: int | None
    components: Components = field(repr=False)

    def __hash__(self) -> int:
        return hash(self.dfa)

    @property
    def k(self) -> int | None:
        """The least k for which the k-automaton is partially ordered; None outside LTL[P,MOD]."""
        return None if self.order is None else self.order.k

    @property
    def undecided(self) -> bool:
        """Whether a class is undecided."""
        return None in self.classes.values()

    @cached_property
    def formula(self) -> Formula | None:
        """A formula of the language in LTL[P], or else in LTL[P,MOD]; None outside, or where it is too large to
        build."""
        return self._formula[0]

    @cached_property
    def _formula(self) -> tuple[Formula | None, str]:
        if self.order is None:
            return None, "the language is not in LTL[P,MOD]"
        try:
            return ordered_formula(self.dfa, self.order), ""
        except UnsupportedError as error:
            return None, str(error)

    @cached_property
    def formula_text(self) -> tuple[str | None, str]:
        """The formula as text, or None and the reason why there is none."""
        formula, reason = self._formula
        if formula is None:
            return None, reason
        try:
            length = text_length(formula)
            if length > MAX_TEXT:
                size = str(length) if length < 10**12 else "more than 10^12"
                return None, f"written out it has {size} characters, more than {MAX_TEXT}; as a graph, Python has it"
            return formula_text(formula), ""
        except UnsupportedError as error:  # a letter that cannot be written
            return None, str(error)

    @cached_property
    def monomials(self) -> tuple[Monomial, ...] | None:
        """Left-deterministic modular monomials whose union is the language; None outside LTL[P,MOD], or of too many."""
        return self._monomials[0]

    @cached_property
    def _monomials(self) -> tuple[tuple[Monomial, ...] | None, str]:
        if self.order is None:
            return None, "the language is not in LTL[P,MOD]"
        try:
            return modular_monomials(self.dfa, self.order), ""
        except UnsupportedError as error:
            return None, str(error)

    @cached_property
    def witness(self) -> Witness | None:
        """Words that show that the language is not in LTL[P,MOD]; None where it is."""
        return None if self.order is not None else modular_witness(self.dfa, self.components)

    @cached_property
    def order_witness(self) -> Witness | None:
        """Words that show that the language is not in LTL[P]; None where it is."""
        return order_witness(self.dfa, self.components)

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert classify --json`, as a dictionary."""
        formula, no_formula = self.formula_text
        monomials, no_monomials = self._monomials
        sets = sum(one.modulus * len(one.blocks) for one in monomials or ())
        if sets > _SETS:
            monomials, no_monomials = None, f"they have {sets} sets of letters, more than {_SETS}; Python lists them"
        reasons = dict(self.reasons)
        if self.order is not None:
            missing = (("formula", formula, no_formula), ("monomials", monomials, no_monomials))
            reasons |= {name: reason for name, found, reason in missing if found is None}
        return {
            "alphabet": list(self.dfa.alphabet),
            "states": len(self.dfa),
            "classes": dict(self.classes),
            "k": self.k,
            "formula": formula,
            "monomials": None if monomials is None else [one.to_json() for one in monomials],
            "witness": None if self.witness is None else self.witness.to_json(self.dfa),
            "group": None if self.group is None else self.group.to_json(self.dfa),
            "monoid": self.monoid,
            "reasons": reasons,
        }

    def __str__(self) -> str:
        inside = [name for name, member in self.classes.items() if member]
        outside = [name for name, member in self.classes.items() if member is False]
        n, letters = len(self.dfa), self.dfa.alphabet
        shown = " ".join(letters[:30]) + (" .." if len(letters) > 30 else "")
        lines = [
            f"A language over {shown}, whose minimal complete DFA has {n} state{'s' * (n > 1)}.",
            "",
            f"  in            {', '.join(inside) or 'none of these classes'}",
            f"  not in        {', '.join(outside) or 'none'}",
        ]
        for name, reason in self.reasons.items():
            lines.append(f"  undecided     {name}: {reason}")
        lines += self._positive() if self.order is not None else self._negative()
        if self.group is not None:
            lines.append(f"  not star-free {self.group.explanation(self.dfa)}")
        return "\n".join(lines)

    def _positive(self) -> list[str]:
        formula, reason = self.formula_text
        if formula is None:
            text = f"not shown: {reason}"
        else:
            text = formula if len(formula) <= _SHOWN else f"{formula[:_SHOWN]} .. ({len(formula)} characters; --json)"
        return [f"  k             {self.k} (A^k is partially ordered)", f"  formula       {text}"]

    def _negative(self) -> list[str]:
        if self.witness is None:
            return []
        words = self.witness.to_json(self.dfa)
        parts = ", ".join(f"{name} = {_word_text(words[name])}" for name in ("w", "u", "z", "v", "s"))
        return [
            f"  witness       {parts}:",
            "                w, wz and wuv lead to one state, u is as long as z, and one of ws, wus is accepted",
        ]


def _word_text(word: str | list[str]) -> str:
    text = word if isinstance(word, str) else " ".join(word)
    return (text if len(text) <= 60 else f"{text[:50]}.. ({len(word)} letters)") or "@"
