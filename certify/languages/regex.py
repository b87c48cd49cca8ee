"""Regular expressions: their syntax, read with lark.

Tightest first: letters, `.` (any letter), `[abc]`, `[^c]`, `@` (the empty word), parentheses; postfix `*`, `+`, `?`;
prefix `!` (complement); concatenation; `&` (intersection); `|`.  So `!a*` is `!(a*)` and `!ab` is `(!a)b`.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cache
from typing import TYPE_CHECKING, Any

from certify.languages.letters import alphabet_of
from fpsim.errors import InputError

if TYPE_CHECKING:
    from lark import Lark

__all__ = ["MAX_DEPTH", "MAX_LENGTH", "Regex", "parse_regex"]

MAX_LENGTH, MAX_DEPTH = 20_000, 100
_WHAT = "regular expression"
_POSTFIX = {"*": "star", "+": "plus", "?": "option"}
_GRAMMAR = r"""
start: union
union: intersection ("|" intersection)*
intersection: concatenation ("&" concatenation)*
concatenation: prefixed+
?prefixed: "!" prefixed -> complement
    | postfixed
?postfixed: postfixed POSTFIX -> postfix
    | LETTER -> letter
    | "." -> any
    | "@" -> empty
    | "[" LETTER+ "]" -> one_of
    | "[^" LETTER+ "]" -> none_of
    | "(" union ")" -> group
POSTFIX: /[*+?]/
LETTER: /[^\s.\[\]^@()!*+?&|\\]/
"""


@dataclass(frozen=True)
class Regex:
    """One node of an expression.

    operator: "letters" (one letter of the set `letters`), "empty", "union", "intersection", "concatenation",
    "complement", "star", "plus" or "option".  depth: of the tree below.
    """

    operator: str
    parts: tuple[Regex, ...] = ()
    letters: frozenset[str] = frozenset()
    depth: int = 1


def parse_regex(text: str, alphabet: str | Iterable[str] | None = None) -> tuple[Regex, tuple[str, ...]]:
    """The expression and its alphabet: the one that is given, or the letters that occur, sorted.

    >>> expression, letters = parse_regex("(ab)*")
    >>> expression.operator, letters
    ('star', ('a', 'b'))

    Raises `InputError`, with the column, for what does not parse; for a letter that is not in the alphabet; for
    expressions of more than `MAX_LENGTH` characters or nested more than `MAX_DEPTH` deep.
    """
    if type(text) is not str or not text:
        raise InputError(_WHAT, text, "an expression such as (ab)*; the empty word is @")
    if len(text) > MAX_LENGTH:
        raise InputError(_WHAT, f"{len(text)} characters", f"at most {MAX_LENGTH}")
    _check_parentheses(text)
    letters = _letters(text, alphabet)
    return _Reader(letters).read(_tree(text)), letters


@cache
def _parser() -> Lark:
    from lark import Lark

    return Lark(_GRAMMAR, parser="lalr", maybe_placeholders=False)


def _tree(text: str) -> Any:
    from lark import UnexpectedInput

    try:
        return _parser().parse(text)
    except UnexpectedInput as error:
        ended = getattr(getattr(error, "token", None), "type", "") == "$END"
        column = len(text) + 1 if ended else error.column
        found = text[column - 1 : column]
        where = f"{text} (column {column}: {found!r})" if found else f"{text} (it ends)"
        raise InputError(_WHAT, where, _hint(found)) from None


def _hint(found: str) -> str:
    if found == "\\" or found.isspace():
        return "without blanks and backslashes, which are no letters: nothing is escaped here"
    if found in ("*", "+", "?"):
        return f"an expression before {found}"
    if found in ("[", "]", "^"):
        return "a set of letters such as [abc] or [^c]"
    return "an expression such as (ab)*|!(.*aa.*)&[ab]+, with something on both sides of | and &; @ is the empty word"


def _check_parentheses(text: str) -> None:
    opened: list[int] = []
    for column, character in enumerate(text, 1):
        if character == "(":
            opened.append(column)
        elif character == ")":
            if not opened:
                raise InputError(_WHAT, text, f"balanced: the ) at column {column} closes nothing")
            opened.pop()
    if opened:
        raise InputError(_WHAT, text, f"balanced: the ( at column {opened[-1]} is not closed")
    if text.rfind("[") > text.rfind("]"):
        raise InputError(_WHAT, text, f"balanced: the [ at column {text.rfind('[') + 1} is not closed")


def _letters(text: str, alphabet: str | Iterable[str] | None) -> tuple[str, ...]:
    special = set(".[]^@()!*+?&|\\")
    occurring = [(column, c) for column, c in enumerate(text, 1) if c not in special and not c.isspace()]
    if alphabet is None:
        if not occurring:
            raise InputError("alphabet", text, "given (--alphabet ab) for an expression without letters")
        _refuse_ranges(text, set())
        return tuple(sorted({c for _, c in occurring}))
    letters = alphabet_of(alphabet)
    _refuse_ranges(text, set(letters))
    for column, c in occurring:
        if c not in letters:
            raise InputError(_WHAT, f"the letter {c!r} at column {column}", f"one of the alphabet, {' '.join(letters)}")
    return letters


def _refuse_ranges(text: str, letters: set[str]) -> None:
    """[a-z] would silently be three letters, one of them `-`."""
    inside = False
    for column, character in enumerate(text, 1):
        inside = character == "[" or (inside and character != "]")
        if inside and character == "-" and "-" not in letters:
            right = "with every letter written out: there are no ranges such as [a-z]"
            raise InputError(_WHAT, f"{text} (column {column}: '-')", right)


class _Reader:
    """From lark's tree to a `Regex`, without recursion."""

    def __init__(self, alphabet: tuple[str, ...]) -> None:
        self.all = frozenset(alphabet)

    def read(self, tree: Any) -> Regex:
        """The expression; parts are read before the whole."""
        done: list[Regex] = []
        todo: list[tuple[Any, bool]] = [(tree, False)]
        while todo:
            node, ready = todo.pop()
            branches = [part for part in node.children if hasattr(part, "children")]
            if ready:
                parts = tuple(done[len(done) - len(branches) :])
                del done[len(done) - len(branches) :]
                done.append(self._node(node, parts))
            else:
                todo.append((node, True))
                todo += [(part, False) for part in reversed(branches)]
        return done[0]

    def _node(self, node: Any, parts: tuple[Regex, ...]) -> Regex:
        kind = str(node.data)
        if kind in ("letter", "one_of", "none_of"):
            named = frozenset(str(token) for token in node.children)
            return Regex("letters", letters=self.all - named if kind == "none_of" else named)
        if kind == "any":
            return Regex("letters", letters=self.all)
        if kind == "empty":
            return Regex("empty")
        if kind == "postfix":
            return _postfix(_POSTFIX[str(node.children[1])], parts[0])
        if len(parts) == 1 and kind != "complement":  # also start and group
            return parts[0]
        return _deeper(kind, parts)


def _postfix(operator: str, part: Regex) -> Regex:
    """Repeated stars and options are one: (x*)*, (x+)*, (x?)+ and the like are x*."""
    if part.operator in _POSTFIX.values():
        same = part.operator == operator
        return part if same else Regex("star", part.parts, depth=part.depth)
    return _deeper(operator, (part,))


def _deeper(operator: str, parts: tuple[Regex, ...]) -> Regex:
    depth = 1 + max(part.depth for part in parts)
    if depth > MAX_DEPTH:
        raise InputError(_WHAT, f"one nested more than {MAX_DEPTH} deep", "less deep")
    return Regex(operator, parts, depth=depth)
