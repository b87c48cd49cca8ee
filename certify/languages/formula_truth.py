"""The truth of a formula at a position, straight from the definition: the reference."""

from __future__ import annotations

from collections.abc import Sequence

from certify.languages.formula import Formula, subformulas

__all__ = ["accepts", "holds"]


def accepts(formula: Formula, word: Sequence[str]) -> bool:
    """Whether the word is in the formula's language: whether it holds at N + 1.

    >>> from certify.languages.formula_text import parse_formula
    >>> [accepts(parse_formula("Y a & MOD(0,2)"), word) for word in ("", "a", "ba", "aba")]
    [False, True, False, True]
    """
    return holds(formula, word, len(word) + 1)


def holds(formula: Formula, word: Sequence[str], i: int) -> bool:
    """Whether the formula is true at position i, 1 <= i <= N + 1.  Quadratic in i for each node."""
    truth: dict[Formula, list[bool]] = {}  # at the positions 1, .., i
    for node in subformulas(formula):
        truth[node] = [_at(node, word, j, [truth[part] for part in node.parts]) for j in range(1, i + 1)]
    return truth[formula][i - 1]


def _at(node: Formula, word: Sequence[str], i: int, parts: list[list[bool]]) -> bool:
    below = [part[i - 1] for part in parts]
    if node.operator == "letter":
        return bool(i <= len(word) and word[i - 1] == node.data[0])
    if node.operator == "mod":
        return bool(i % node.data[1] == node.data[0])
    if node.operator == "not":
        return not below[0]
    if node.operator == "and":
        return all(below)
    if node.operator == "or":
        return any(below)
    if node.operator == "past":
        return any(parts[0][: i - 1])
    if node.operator == "yesterday":
        k = node.data[0]
        return bool(i > k and parts[0][i - k - 1])
    if node.operator == "since":
        left, right = parts
        return any(right[j - 1] and all(left[j : i - 1]) for j in range(1, i))
    return node.operator == "true"
