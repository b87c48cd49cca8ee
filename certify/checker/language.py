"""Claims that the language of a DFA is, or is not, in LTL[P], LTL[P,MOD] or the star-free languages.

In LTL[P,MOD]: ranks and phases of the states, such that every edge raises the rank, or keeps it and adds 1 to the phase
modulo the rank's modulus, and no two states have both in common.  Then the k-automaton, k the lcm of the moduli, is
partially ordered.  In LTL[P]: the same with moduli 1, a partial order of the DFA itself.

Not in LTL[P,MOD]: words w, u, z, v, s; with q the state after w, z leads from q to q, u to a state p, v from p to q, u
and z are equally long and not empty, and s is accepted from one of p, q.  Then for every k and every DFA of the
language, (z^(k-1) u) and (v (uv)^(k-1) z) lead there and back between states that s tells apart, both with a multiple
of k letters.  Not in LTL[P]: w, u, v, s alone.  Not star-free: words w, x, s and n with q = q x^n, s accepted from one
of q, qx.

Hints that do not show the claim prove nothing: it is then decided here, to say that it is refuted if it is false.
"""

from __future__ import annotations

from math import lcm
from typing import Any

from .automaton import parse_automaton, word_of
from .exact import integer
from .formula import Formula, parse_formula
from .limits import Account, Malformed, Refuted, Undecided, Unsupported
from .maps import is_aperiodic

__all__ = ["Language"]

_NAMES = {"LTL[P]": "in LTL[P]", "LTL[P,MOD]": "in LTL[P,MOD]", "star_free": "star-free"}
_POSITIVE = {"formula", "k", "moduli", "phases", "ranks"}
_WORDS = {"LTL[P]": ("w", "u", "v", "s"), "LTL[P,MOD]": ("w", "u", "z", "v", "s"), "star_free": ("w", "x", "s")}


class _NotShownError(Exception):
    """The hints do not show the claim."""


class Language:
    """The claim `language`."""

    def __init__(self, claim: dict[str, Any], hints: dict[str, Any], account: Account) -> None:
        self.account, self.kind = account, claim["class"]
        if not isinstance(self.kind, str):
            raise Malformed("class is not a text")
        if self.kind not in _NAMES:
            raise Unsupported(f"the class {self.kind[:40]} is not checked here, only {', '.join(_NAMES)}")
        if not isinstance(claim["member"], bool):
            raise Malformed("member is not true or false")
        self.member = claim["member"]
        self.dfa = parse_automaton(claim["dfa"])
        self.given: dict[str, list[int]] = {}
        self.formula: Formula | None = None
        if not self.member:
            self._parse_words(hints)
        elif self.kind != "star_free":
            self._parse_order(hints)
        else:
            _fields(hints, set())

    def _parse_words(self, hints: dict[str, Any]) -> None:
        names = _WORDS[self.kind]
        _fields(hints, {*names, "n"} if self.kind == "star_free" else set(names))
        self.given = {name: word_of(hints[name], f"hints.{name}", self.dfa) for name in names}
        self.n = integer(hints["n"], "hints.n", 2) if self.kind == "star_free" else 1

    def _parse_order(self, hints: dict[str, Any]) -> None:
        _fields(hints, _POSITIVE)
        n = len(self.dfa.delta)
        for name in ("moduli", "phases", "ranks"):
            things = hints[name]
            if not isinstance(things, list) or any(type(x) is not int or x < (name == "moduli") for x in things):
                raise Malformed(f"hints.{name} is not a list of numbers")
        self.ranks, self.phases, self.moduli = hints["ranks"], hints["phases"], hints["moduli"]
        if len(self.ranks) != n or len(self.phases) != n or len(self.moduli) > n:
            raise Malformed("hints: there is one rank and one phase for each state, and no more moduli than states")
        if any(m > n for m in self.moduli):
            raise Malformed("hints.moduli: a modulus is above the number of states")
        if any(r >= len(self.moduli) or f >= self.moduli[r] for r, f in zip(self.ranks, self.phases, strict=True)):
            raise Malformed("hints: a rank has no modulus, or a phase is not below its modulus")
        self.k = integer(hints["k"], "hints.k", 1)
        if hints["formula"] is not None:
            self.formula = parse_formula(hints["formula"], len(self.dfa.alphabet), modular=self.kind != "LTL[P]")

    def words(self) -> list[str]:
        """The claim, for a reader."""
        dfa = self.dfa
        verb = "is" if self.member else "is not"
        n, accepting = len(dfa.delta), sorted(dfa.accepting)
        letters = " ".join(dfa.alphabet[:30]) + (" .." if len(dfa.alphabet) > 30 else "")
        lines = [f"the language of this DFA {verb} {_NAMES[self.kind]}", f"letters: {letters}"]
        if n * len(dfa.alphabet) > 100:
            return [*lines, f"{n} states, of which {len(accepting)} accept; the initial one is {dfa.initial}"]
        lines.append(f"initial state {dfa.initial}, accepting {' '.join(map(str, accepting)) or 'none'}")
        return [*lines, *(f"state {q}: {' '.join(map(str, row))}" for q, row in enumerate(dfa.delta))]

    def check(self) -> None:
        """Show the claim."""
        if self.member and self.kind == "star_free":
            aperiodic, count = is_aperiodic(self.dfa.minimal(self.account), self.account)
            if not aperiodic:
                raise Refuted("an element x of the syntactic monoid has x^n != x^(n+1) for all n")
            self.account.shown(f"each of the {count} elements x of the syntactic monoid has x^n = x^(n+1)", count)
            return
        try:
            if self.member:
                self._check_order()
            elif self.kind == "star_free":
                self._check_group()
            else:
                self._check_words()
        except _NotShownError as reason:
            if self._decide() is not self.member:
                raise Refuted(f"{reason}, and the claim is false: decided from the minimal DFA") from None
            raise Undecided(f"the hints do not show it: {reason}") from None

    def _decide(self) -> bool:
        minimal = self.dfa.minimal(self.account)
        if self.kind == "star_free":
            return is_aperiodic(minimal, self.account)[0]
        return minimal.is_ordered(self.kind == "LTL[P,MOD]", self.account)

    def _check_order(self) -> None:
        dfa, ranks, phases, moduli = self.dfa, self.ranks, self.phases, self.moduli
        n, letters = len(dfa.delta), len(dfa.alphabet)
        self.account.spend(n * (1 + letters // 8))
        if self.kind == "LTL[P]" and any(m != 1 for m in moduli):
            raise _NotShownError("a modulus is not 1")
        if len(set(zip(ranks, phases, strict=True))) < n:
            raise _NotShownError("two states have the same rank and phase")
        self.account.shown("no two states have the same rank and phase")
        for q, row in enumerate(dfa.delta):
            rank, after_phase = ranks[q], (phases[q] + 1) % moduli[ranks[q]]
            for p in row:
                if ranks[p] < rank or (ranks[p] == rank and phases[p] != after_phase):
                    raise _NotShownError(
                        f"the edge from state {q} to {p} neither raises the rank nor adds 1 to the phase"
                    )
        self.account.shown("every edge raises the rank, or keeps it and adds 1 to the phase", n * letters)
        if lcm(*(moduli[rank] for rank in set(ranks))) != self.k:
            raise Undecided("the claim is shown, but k is not the lcm of the moduli")
        k = str(self.k) if self.k < 10**40 else f"{str(self.k)[:20]}.."
        self.account.shown(f"the k-automaton is partially ordered for k = {k}, the lcm of the moduli")
        if self.formula is not None:
            if not self.formula.agrees(dfa, self.account):
                raise Undecided("the claim is shown, but the formula is not that of the language")
            self.account.shown(f"the formula of {len(self.formula.nodes)} nodes has the language of the DFA")

    def _check_words(self) -> None:
        dfa, words = self.dfa, self.given
        self.account.spend(sum(map(len, words.values())) // 8)
        q = dfa.after(dfa.initial, words["w"])
        p = dfa.after(q, words["u"])
        if self.kind == "LTL[P,MOD]":
            if not words["u"] or len(words["u"]) != len(words["z"]):
                raise _NotShownError("u is empty, or not as long as z")
            if dfa.after(q, words["z"]) != q:
                raise _NotShownError("w and wz lead to different states")
            self.account.shown(f"u and z have {len(words['u'])} letters; w and wz lead to state {q}", 2)
        if dfa.after(p, words["v"]) != q:
            raise _NotShownError("w and wuv lead to different states")
        self.account.shown(f"wu leads to state {p}, and wuv to state {q} again")
        self._check_ending(q, p, "wu")

    def _check_group(self) -> None:
        dfa, words = self.dfa, self.given
        if self.n > len(dfa.delta):
            raise _NotShownError("n is above the number of states")
        self.account.foresee(self.n * (1 + len(words["x"]) // 8), "walking x^n")
        q = state = dfa.after(dfa.initial, words["w"])
        for _ in range(self.n):
            state = dfa.after(state, words["x"])
        self.account.spend(self.n * (1 + len(words["x"]) // 8))
        if state != q:
            raise _NotShownError(f"w and w x^{self.n} lead to different states")
        self.account.shown(f"w and w x^{self.n} lead to state {q}, x = {dfa.text(words['x'])}")
        self._check_ending(q, dfa.after(q, words["x"]), "wx")

    def _check_ending(self, q: int, p: int, longer: str) -> None:
        dfa, s = self.dfa, self.given["s"]
        if (dfa.after(q, s) in dfa.accepting) is (dfa.after(p, s) in dfa.accepting):
            raise _NotShownError(f"of ws and {longer}s both are accepted, or none")
        self.account.shown(f"of ws and {longer}s one is accepted, w = {dfa.text(self.given['w'])}, s = {dfa.text(s)}")


def _fields(hints: dict[str, Any], names: set[str]) -> None:
    if set(hints) != names:
        raise Malformed(f"hints has the fields {', '.join(sorted(names)) or 'none'}, and no others")
