"""Table 1 of arXiv:2608.11909, with footnote 4 and Prop. B.2, B.3: each printed class beside what `classify` finds."""

from __future__ import annotations

from certify.languages.compute import classify
from certify.reproducing.published import STATEMENTS
from certify.reproducing.reproduction import Reproduction, Row

__all__ = ["table1"]


def table1() -> Reproduction:
    """The languages of the paper and their classes.

    >>> found = table1()
    >>> len(found.rows), len(found.differences)
    (11, 0)
    """
    rows = []
    for each in STATEMENTS:
        found = classify(each.regex, alphabet=each.alphabet)
        cells = {
            "language": each.name,
            "as": each.regex,
            "over": each.alphabet,
            "source": each.source,
            "states": len(found.dfa),
            "LTL[P]": found.classes["LTL[P]"],
            "LTL[P,MOD]": found.classes["LTL[P,MOD]"],
            "k": found.k,
            "LTL[P,Y]": found.classes["LTL[P,Y]"],
            "star-free": found.classes["star_free"],
            "LTL[Y]": found.classes["definite"],
            "loc. testable": found.classes["locally_testable"],
        }
        said = [found.classes[name] for name in each.classes]
        agrees = None if None in said else said == list(each.classes.values())
        rows.append(Row(cells, each.printed, agrees, each.note))
    notes = (
        "k is the least one for which the k-automaton of the minimal DFA is partially ordered (Thm 3.3 iii).",
        "Each answer comes with its proof: `fpcert classify EXPRESSION --alphabet LETTERS --certificate FILE`.",
    )
    return Reproduction("table1", "Table 1, footnote 4, Prop. B.2 and B.3", tuple(rows), notes)
