"""Formulas as text, and back; the text of a formula parses to the same object.

Tightest first: letters, `true`, `false`, `MOD(r,m)` and parentheses; `!`, `P`, `Y`, `Y^k`; `&` and `S`; `|`; `->`.  `S`
is not mixed with `&` or another `S` without parentheses.  A letter that is a sign or a name here, or has several
characters, stands in quotes: 'P', '->'.
"""

from __future__ import annotations

import re
from functools import cache
from typing import TYPE_CHECKING, Any, NoReturn

from certify.languages.formula import FALSE, TRUE, Formula, letter, mod, past, since, subformulas, yesterday
from fpsim.errors import InputError, UnsupportedError

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["MAX_LENGTH", "formula_text", "parse_formula", "text_length"]

MAX_LENGTH = 100_000
_WHAT = "formula"
_PLAIN = re.compile(r"[^\s()!&|>^,'\"\-PYSFGXU]")  # a letter without quotes
_GRAMMAR = r"""
start: implication
?implication: disjunction
    | disjunction "->" implication -> implies
?disjunction: conjunction
    | conjunction ("|" conjunction)+ -> disjunction
?conjunction: unary
    | unary ("&" unary)+ -> conjunction
    | unary "S" unary -> since
?unary: atom
    | "!" unary -> negation
    | "P" unary -> past
    | "Y" unary -> yesterday
    | "Y" "^" NUMBER unary -> yesterday
?atom: "true" -> true
    | "false" -> false
    | "MOD" "(" NUMBER "," NUMBER ")" -> mod
    | LETTER -> letter
    | QUOTED -> letter
    | "(" implication ")"
NUMBER: /[0-9]{1,30}/
QUOTED: /'[^'\n]+'|"[^"\n]+"/
LETTER: /[^\s()!&|>^,'"\-PYSFGXU]/
%ignore /\s+/
"""


def parse_formula(text: str) -> Formula:
    """The formula of a text.

    >>> str(parse_formula("P(a&!P true)"))
    'P(a & !P true)'

    Raises `InputError`, with the column, for what is no formula of this syntax.
    """
    from lark import UnexpectedInput

    if type(text) is not str or not text.strip():
        raise InputError(_WHAT, text, "a formula such as P(a & !P true)")
    if len(text) > MAX_LENGTH:
        raise InputError(_WHAT, f"{len(text)} characters", f"at most {MAX_LENGTH}")
    try:
        return _parser().parse(text)  # type: ignore[return-value]
    except UnexpectedInput as error:
        _refuse(text, error)


@cache
def _parser() -> Lark:
    from lark import Lark, Transformer

    class Builder(Transformer):  # type: ignore[type-arg]
        """Nodes are built while the text is read: nothing here recurses, however deep it is nested."""

        def start(self, parts: list[Any]) -> Any:
            return parts[0]

        def true(self, _parts: list[Any]) -> Any:
            return TRUE

        def false(self, _parts: list[Any]) -> Any:
            return FALSE

        def letter(self, parts: list[Any]) -> Any:
            text = str(parts[0])
            return letter(text if len(text) == 1 else text[1:-1])

        def mod(self, parts: list[Any]) -> Any:
            return mod(int(parts[0]), int(parts[1]))

        def negation(self, parts: list[Any]) -> Any:
            return Formula("not", (parts[0],))

        def past(self, parts: list[Any]) -> Any:
            return past(parts[0])

        def yesterday(self, parts: list[Any]) -> Any:
            return yesterday(parts[-1], int(parts[0]) if len(parts) == 2 else 1)

        def conjunction(self, parts: list[Any]) -> Any:
            return Formula("and", tuple(parts))

        def disjunction(self, parts: list[Any]) -> Any:
            return Formula("or", tuple(parts))

        def implies(self, parts: list[Any]) -> Any:
            return Formula("or", (Formula("not", (parts[0],)), parts[1]))

        def since(self, parts: list[Any]) -> Any:
            return since(parts[0], parts[1])

    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=False, transformer=Builder())


def _refuse(text: str, error: Any) -> NoReturn:
    place: int = getattr(error, "pos_in_stream", None) or 0
    ended = (
        getattr(error, "pos_in_stream", None) is None
        or place < 0
        or getattr(getattr(error, "token", None), "type", "") == "$END"
    )
    found = "" if ended else text[place : place + 1]
    before = text if ended else text[:place]
    where = f"{text} (column {place + 1}: {found!r})" if found else f"{text} (it ends)"
    if found and found in "FGXU":
        right = (
            f"about the past: {found} looks at the future, and these formulas have P, Y and S, and are evaluated after "
            f"the last letter (as a letter: '{found}')"
        )
    elif found == "S":
        right = "with parentheses where S meets & or another S, and a formula on both sides of S"
    elif re.search(r"MOD\s*\([^)]*$", before):
        right = "MOD(r,m) with numbers 0 <= r < m"
    elif found == "" and text.count("(") > text.count(")"):
        right = "balanced: a ( is not closed"
    elif found == ")":
        right = "balanced, with a formula before each )"
    else:
        right = "a formula such as P(a & !P true) | Y^2 b | MOD(1,2); between two formulas stands &, |, -> or S"
    raise InputError(_WHAT, where, right) from None


_RANK = {"or": 1, "and": 2, "since": 2, "not": 3, "past": 3, "yesterday": 3}  # others: 4


def formula_text(formula: Formula) -> str:
    """The text; its length can grow exponentially with the number of nodes (`text_length` tells it beforehand).

    >>> formula_text(since(TRUE, Formula("or", (letter("a"), letter("P")))))
    "true S (a | 'P')"
    """
    if text_length(formula) > 10_000_000:
        raise UnsupportedError(f"the formula has {text_length(formula)} characters: it is kept as a graph, not as text")
    texts: dict[Formula, str] = {}
    for node in subformulas(formula):
        texts[node] = _text(node, [_wrap(part, node, texts[part]) for part in node.parts])
    return texts[formula]


def text_length(formula: Formula) -> int:
    """The number of characters of the text, found without writing it."""
    lengths: dict[Formula, int] = {}
    for node in subformulas(formula):
        parts = [lengths[part] + len(_wrap(part, node, "")) for part in node.parts]
        lengths[node] = len(_text(node, [""] * len(parts))) + sum(parts)
    return lengths[formula]


def _wrap(part: Formula, whole: Formula, text: str) -> str:
    rank, outer = _RANK.get(part.operator, 4), _RANK[whole.operator]
    if rank < outer or (rank == outer and outer < 3):
        return f"({text})"
    if whole.operator in ("past", "yesterday"):
        return f" {text}"
    return text


def _text(node: Formula, parts: list[str]) -> str:
    """The text of a node from those of its parts, which have their parentheses."""
    if node.operator == "letter":
        return _letter_text(node.data[0])
    if node.operator == "mod":
        return f"MOD({node.data[0]},{node.data[1]})"
    if node.operator == "not":
        return f"!{parts[0]}"
    if node.operator == "past":
        return f"P{parts[0]}"
    if node.operator == "yesterday":
        k = node.data[0]
        return f"Y{parts[0]}" if k == 1 else f"Y^{k}{parts[0]}"
    if node.parts:
        return {"and": " & ", "or": " | ", "since": " S "}[node.operator].join(parts)
    return node.operator


def _letter_text(a: str) -> str:
    if _PLAIN.fullmatch(a):
        return a
    quote = "'" if "'" not in a else '"'
    if quote in a or len(a) == 0:
        raise UnsupportedError(f"the letter {a!r} has both kinds of quotes, and cannot be written in a formula")
    return f"{quote}{a}{quote}"
