"""Certificates that a language is, or is not, in LTL[P], in LTL[P,MOD] or star-free (docs/certificates.md)."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import Any

from certify.certificates.document import certificate_bytes
from certify.languages.classification import Classification
from certify.languages.dfa import Dfa
from certify.languages.formula import FALSE, Formula, subformulas
from certify.languages.formula_dfa import formula_pass
from certify.languages.witness import Witness
from fpsim.errors import InputError, UnsupportedError

__all__ = ["CERTIFIED_CLASSES", "language_certificates"]

CERTIFIED_CLASSES = ("LTL[P]", "LTL[P,MOD]", "star_free")
MAX_BYTES, MAX_ITEMS = 1_048_576, 65_536  # of a certificate, and of a list in it
_FORMULA_NODES, _FORMULA_WORK = 2_000, 1_000_000  # nodes, and nodes times states, of a formula that is worth its check
_PLAIN = re.compile(r"[!#-\[\]-~]+")


def language_certificates(result: Classification, classes: Iterable[str] = ("LTL[P,MOD]",)) -> list[bytes]:
    """The claim about each of the classes, of "LTL[P]", "LTL[P,MOD]" and "star_free".

    >>> from certify.languages.compute import classify
    >>> [b'"member":true' in data for data in language_certificates(classify("(ab)*"), CERTIFIED_CLASSES)]
    [False, True, True]

    Raises `InputError` for another class and `UnsupportedError` where the class is undecided, or the DFA or a word is
    longer than a certificate may be.
    """
    return [_certificate(result, name) for name in classes]


def _certificate(result: Classification, name: str) -> bytes:
    if name not in CERTIFIED_CLASSES:
        raise InputError("certificate class", name, " or ".join(CERTIFIED_CLASSES))
    member = result.classes[name]
    if member is None:
        raise UnsupportedError(f"{name} is undecided ({result.reasons.get(name)}): there is no claim to certify")
    dfa = result.dfa
    if len(dfa) > MAX_ITEMS:
        raise UnsupportedError(f"a certificate holds at most {MAX_ITEMS} states, and this DFA has {len(dfa)}")
    claim = {"kind": "language", "class": name, "dfa": dfa_form(dfa), "member": member}
    data = certificate_bytes(claim, _hints(result, name, member))
    if len(data) > MAX_BYTES:
        raise UnsupportedError(f"the certificate would have {len(data)} bytes, more than {MAX_BYTES}")
    return data


def dfa_form(dfa: Dfa) -> dict[str, Any]:
    """A DFA spelled out; letters are printable ASCII, other characters stand as U+0000."""
    letters = ["".join(_character(c) for c in letter) for letter in dfa.alphabet]
    if len(set(letters)) < len(letters):
        raise UnsupportedError("two letters have the same form in a certificate")
    return {
        "alphabet": letters,
        "initial": dfa.initial,
        "accepting": sorted(dfa.accepting),
        "delta": [list(row) for row in dfa.delta],
    }


def _character(c: str) -> str:
    return c if _PLAIN.fullmatch(c) else f"U+{ord(c):04X}"


def _hints(result: Classification, name: str, member: bool) -> dict[str, Any]:
    if name == "star_free":
        if member:
            return {}
        if result.group is None:
            raise UnsupportedError("no word is known whose powers show that the language is not star-free")
        group = result.group
        return {"w": _word(group.w), "x": _word(group.x), "s": _word(group.s), "n": group.n}
    if member:
        return _order(result)
    witness = result.witness if name == "LTL[P,MOD]" else result.order_witness
    assert isinstance(witness, Witness)  # the language is not in the class
    words = {"w": witness.w, "u": witness.u, "v": witness.v, "s": witness.s}
    if witness.z is not None:
        words["z"] = witness.z
    return {letter: _word(word) for letter, word in words.items()}


def _word(word: tuple[int, ...]) -> list[int]:
    if len(word) > MAX_ITEMS:
        raise UnsupportedError(f"a certificate holds words of at most {MAX_ITEMS} letters, this one has {len(word)}")
    return list(word)


def _order(result: Classification) -> dict[str, Any]:
    order = result.order
    assert order is not None  # the language is in the class
    return {
        "formula": formula_form(result.formula, result.dfa),
        "k": order.k,
        "moduli": list(order.modulus),
        "phases": list(order.phase),
        "ranks": list(order.rank),
    }


def formula_form(formula: Formula | None, dfa: Dfa) -> list[list[Any]] | None:
    """The nodes of a formula that `ordered_formula` makes, parts before wholes; None for one that takes long to
    check."""
    if formula is None:
        return None
    nodes = subformulas(formula)
    try:
        if len(nodes) <= _FORMULA_NODES:
            formula_pass(formula, dfa.alphabet, _FORMULA_WORK // len(nodes))  # as many states as the checker will meet
            place = {node: i for i, node in enumerate(nodes)}
            return [_node(node, place, dfa) for node in nodes] if formula is not FALSE else [["true"], ["not", 0]]
    except UnsupportedError:
        pass
    return None


def _node(node: Formula, place: dict[Formula, int], dfa: Dfa) -> list[Any]:
    parts = [place[part] for part in node.parts]
    if node.operator == "letter":
        return ["letter", dfa.alphabet.index(node.data[0])]
    if node.operator == "mod":
        return ["mod", *node.data]
    return [node.operator, *parts]
