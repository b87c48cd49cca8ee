"""`classify`: the classes of a regular language, from an expression, a DFA or a formula."""

from __future__ import annotations

from collections.abc import Callable, Iterable
from pathlib import Path
from typing import TYPE_CHECKING

from certify.languages.classes import class_verdicts
from certify.languages.classification import Classification
from certify.languages.components import components_of
from certify.languages.dfa import Dfa
from certify.languages.dfa_file import read_dfa
from certify.languages.formula import Formula
from certify.languages.formula_dfa import dfa_of_formula
from certify.languages.formula_text import parse_formula
from certify.languages.groups import group_witness
from certify.languages.modular_order import modular_order
from certify.languages.monoid import MAX_ELEMENTS
from certify.languages.regex_dfa import dfa_of_regex
from fpsim.errors import InputError

if TYPE_CHECKING:
    from automata.fa.dfa import DFA

__all__ = ["classify", "language"]


def classify(
    regex: str | None = None,
    *,
    dfa: Dfa | DFA | str | Path | None = None,
    ltl: Formula | str | None = None,
    alphabet: str | Iterable[str] | None = None,
    max_monoid: int = MAX_ELEMENTS,
    progress: Callable[[int], None] | None = None,
) -> Classification:
    """The classes of one language, given in one of three ways.

    regex: see `certify.languages.regex`.  dfa: the name of a JSON file, a `Dfa`, or a DFA of automata-lib.  ltl: a
    formula, or its text (`certify.languages.formula_text`), evaluated after the last letter.  alphabet: the letters, as
    a text or a list; without it those that occur in the expression or the formula.  max_monoid: how many elements of
    the syntactic monoid are looked at, at most `MAX_ELEMENTS`; classes that need more are undecided.  progress: called
    with the number of elements met so far.

    Raises `InputError` for what is no language of these forms, `UnsupportedError` for one whose DFA is too large to
    build.

    >>> found = classify("(ab)*")
    >>> found.classes["LTL[P]"], found.classes["LTL[P,MOD]"], found.k, found.classes["star_free"]
    (False, True, 2, True)
    """
    if type(max_monoid) is not int or not 1 <= max_monoid <= MAX_ELEMENTS:
        raise InputError("max_monoid", max_monoid, f"an integer from 1 to {MAX_ELEMENTS}")
    minimal = language(regex, dfa=dfa, ltl=ltl, alphabet=alphabet)
    components = components_of(minimal.delta)
    found = class_verdicts(minimal, components, max_monoid, progress)
    return Classification(
        minimal,
        found.classes,
        found.reasons,
        modular_order(minimal, components),
        None if found.group_word is None else group_witness(minimal, found.group_word),
        found.monoid,
        components,
    )


def language(
    regex: str | None = None,
    *,
    dfa: Dfa | DFA | str | Path | None = None,
    ltl: Formula | str | None = None,
    alphabet: str | Iterable[str] | None = None,
) -> Dfa:
    """The minimal complete DFA of a language that is given as for `classify`.

    >>> len(language(ltl="Y a", alphabet="ab"))
    2
    """
    given = [name for name, value in (("regex", regex), ("dfa", dfa), ("ltl", ltl)) if value is not None]
    if len(given) != 1:
        raise InputError(
            "the language", " and ".join(given) or "nothing", "given once: by an expression, a DFA or a formula"
        )
    if regex is not None:
        return dfa_of_regex(regex, alphabet)
    if ltl is not None:
        return dfa_of_formula(ltl if isinstance(ltl, Formula) else parse_formula(ltl), alphabet)
    if alphabet is not None:
        raise InputError("alphabet", alphabet, "left out: a DFA has its own")
    return _given(dfa).minimal()


def _given(dfa: object) -> Dfa:
    if isinstance(dfa, Dfa):
        return dfa
    if isinstance(dfa, (str, Path)):
        return read_dfa(dfa)
    if hasattr(dfa, "input_symbols") and hasattr(dfa, "allow_partial"):
        return Dfa.of_automata_lib(dfa)  # type: ignore[arg-type]
    raise InputError("dfa", dfa, "the name of a file, a Dfa, or a DFA of automata-lib")
