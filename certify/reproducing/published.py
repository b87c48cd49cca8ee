"""What the paper prints about languages: Table 1, footnote 4, Prop. B.2 and B.3, App. E.1 of arXiv:2608.11909."""

from __future__ import annotations

from dataclasses import dataclass

__all__ = ["STATEMENTS", "Statement"]


@dataclass(frozen=True)
class Statement:
    """A language, as an expression over an alphabet, and the classes that it is said to be in or not.

    name: as printed.  source: where.  printed: in words.  classes: the keys of `classify` that say the same.
    """

    name: str
    regex: str
    alphabet: str
    source: str
    printed: str
    classes: dict[str, bool]
    note: str = ""


_SYMBOL = "LTL[Y] is the class of definite languages: a formula with k operators Y sees the last k letters only"

STATEMENTS = (
    Statement(
        "(aa)*", "(..)*", "ab", "Table 1", "LTL[P, MOD]; not star-free",
        {"LTL[P,MOD]": True, "star_free": False},
        'defined as "even length", over more than one letter: not (aa)* as an expression, which is the next row',
    ),
    Statement(
        "(aa)*", "(aa)*", "ab", "Table 1", "LTL[P, MOD]; not star-free", {"LTL[P,MOD]": True, "star_free": False}
    ),
    Statement(
        "(ab)*", "(ab)*", "ab", "Table 1", "LTL[P, MOD]; not LTL[P]", {"LTL[P,MOD]": True, "LTL[P]": False}
    ),
    Statement("(ab)*", "(ab)*", "ab", "E.1", "star-free", {"star_free": True}),
    Statement("aΣ*", "a.*", "ab", "Table 1", "LTL[P]", {"LTL[P]": True}),
    Statement(
        "Σ*a", ".*a", "ab", "Table 1", "LTL[Y]; not LTL[P]", {"definite": True, "LTL[P]": False}, _SYMBOL
    ),
    Statement(
        "Σ*abΣ*", ".*ab.*", "abc", "Table 1", "LTL[P, Y]; locally testable",
        {"LTL[P,Y]": True, "locally_testable": True},
    ),
    Statement(
        "Σ*abΣ*", ".*ab.*", "ab", "Table 1", "LTL[P, Y]; locally testable",
        {"LTL[P,Y]": True, "locally_testable": True},
    ),
    Statement(
        "Σ*abΣ*", ".*ab.*", "ab", "footnote 4", "LTL[P], so LTL[P, MOD]", {"LTL[P]": True, "LTL[P,MOD]": True}
    ),
    Statement("Σ*abΣ*", ".*ab.*", "abc", "Prop. B.2", "not LTL[P, MOD]", {"LTL[P,MOD]": False}),
    Statement("PARITY", "(0*10*1)*0*", "01", "Prop. B.3", "not LTL[P, MOD]", {"LTL[P,MOD]": False}),
)  # fmt: skip
"""Each language of Table 1 over the alphabets that it speaks of, and the statements beside it."""
