"""The classes of languages, and which of them contain which."""

from __future__ import annotations

__all__ = ["CLASSES", "Known"]

CLASSES = (
    "LTL[P]",
    "LTL[P,MOD]",
    "LTL[P,Y]",
    "LTL[P,Y,MOD]",
    "star_free",
    "FO[<,MOD]",
    "FO2[<]",
    "FO2[<,MOD]",
    "piecewise_testable",
    "locally_testable",
    "definite",
    "reverse_definite",
    "generalized_definite",
)

# Each class is contained in those beside it: as fragments of a logic, or by their identities.
_WITHIN = {
    "piecewise_testable": ("LTL[P]",),
    "reverse_definite": ("LTL[P]", "generalized_definite"),
    "definite": ("generalized_definite",),
    "generalized_definite": ("locally_testable",),
    "locally_testable": ("LTL[P,Y]",),
    "LTL[P]": ("LTL[P,MOD]", "LTL[P,Y]", "FO2[<]"),
    "LTL[P,MOD]": ("LTL[P,Y,MOD]", "FO2[<,MOD]"),
    "LTL[P,Y]": ("LTL[P,Y,MOD]", "star_free"),
    "LTL[P,Y,MOD]": ("FO[<,MOD]",),
    "FO2[<]": ("FO2[<,MOD]", "star_free"),
    "FO2[<,MOD]": ("FO[<,MOD]",),
    "star_free": ("FO[<,MOD]",),
}


class Known:
    """What is known of a language: each class True, False or absent; what follows is added at once.

    >>> known = Known()
    >>> known.add("LTL[P]", True)
    >>> known.of("star_free"), known.of("definite")
    (True, None)
    """

    def __init__(self) -> None:
        self._found: dict[str, bool] = {}

    def add(self, name: str, member: bool) -> None:
        """Add one verdict, and what follows from it."""
        known = self._found.get(name)
        if known is not None:
            assert known is member, f"{name} is both {known} and {member}"
            return
        self._found[name] = member
        if member:
            for wider in _WITHIN.get(name, ()):
                self.add(wider, True)
        else:
            for narrower, wider_ones in _WITHIN.items():
                if name in wider_ones:
                    self.add(narrower, False)

    def of(self, name: str) -> bool | None:
        """The verdict; None where it is not known."""
        return self._found.get(name)

    def lacks(self, *names: str) -> bool:
        """Whether one of these is not known."""
        return any(name not in self._found for name in names)
