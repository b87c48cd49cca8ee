"""What `verify` answers."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from certify.languages.dfa import Dfa, Word
from certify.verifying.extraction import Extraction

__all__ = ["Verification"]


@dataclass(frozen=True)
class Verification:
    """Whether a model recognizes a language, as far as it was looked at; prints as an explanation.

    dfa: of the language.  length: up to which the question was asked.  exhaustive_to: the greatest length up to which
    every word was run; -1: not even the empty one.  words: how many were run.  longest: of them.  extraction: the
    automaton of the model, or why there is none; None where it was not asked for.  counterexample: a shortest word that
    was found on which they differ.  accepted: whether the model accepts it.  precision: in which the model computes,
    with the order of its sums.  interrupted: whether Ctrl-C ended the work.
    """

    dfa: Dfa
    length: int
    exhaustive_to: int
    words: int
    longest: int
    extraction: Extraction | None
    counterexample: Word | None
    accepted: bool | None
    precision: str
    interrupted: bool = False

    @property
    def agree(self) -> bool:
        """Whether no counterexample was found."""
        return self.counterexample is None

    @property
    def all_lengths(self) -> bool | None:
        """Whether model and language agree on every word of every length; None: undecided.

        True: the model's automaton is that of the language.  False: there is a counterexample.
        """
        if not self.agree:
            return False
        if self.extraction is None or self.extraction.dfa is None:
            return None
        return self.extraction.dfa == self.dfa

    @property
    def undecided(self) -> bool:
        """Whether it is open if they agree on all words up to `length`."""
        return self.agree and not self.all_lengths and self.exhaustive_to < self.length

    @property
    def reason(self) -> str:
        """Why all lengths are undecided; empty where they are not."""
        if self.all_lengths is not None:
            return ""
        if self.extraction is None:
            return "interrupted" if self.interrupted else "not asked for"
        return self.extraction.reason

    def to_json(self) -> dict[str, Any]:
        """The JSON object of `fpcert verify --json`, as a dictionary."""
        found = self.extraction
        automaton = None
        if found is not None and found.dfa is not None:
            automaton = {
                "states": len(found.dfa), "layers": list(found.states), "preperiod": found.preperiod,
                "period": found.period,
            }  # fmt: skip
        return {
            "agree": self.agree,
            "length": self.length,
            "exhaustive_to": self.exhaustive_to,
            "words": self.words,
            "longest": self.longest,
            "all_lengths": self.all_lengths,
            "reason": self.reason,
            "counterexample": None if self.counterexample is None else self.dfa.letters(self.counterexample),
            "accepted": self.accepted,
            "states": len(self.dfa),
            "automaton": automaton,
            "precision": self.precision,
            "interrupted": self.interrupted,
        }

    def __str__(self) -> str:
        lines = [self._verdict(), ""]
        words = "no word" if self.exhaustive_to < 0 else f"every word of up to {_letters(self.exhaustive_to)}"
        lines.append(f"  exhaustive    {words} was run")
        lines.append(f"  words         {self.words} in all, the longest of {_letters(self.longest)}")
        lines.append(f"  all lengths   {self._lengths()}")
        lines.append(f"  language      minimal DFA of {len(self.dfa)} state{'s' * (len(self.dfa) > 1)}")
        lines.append(f"  precision     {self.precision}")
        if self.interrupted:
            lines.append("  interrupted   the work was ended before its time")
        return "\n".join(lines)

    def _verdict(self) -> str:
        if self.counterexample is not None:
            word = self.dfa.letters(self.counterexample)
            text = word if isinstance(word, str) else " ".join(word)
            short = text if len(text) <= 80 else f"{text[:70]}.. "
            says = "accepts it and the language does not have it" if self.accepted else "rejects a word of the language"
            return f"Counterexample of {_letters(len(word))}: {short or '@, the empty word'}\nThe model {says}."
        if self.all_lengths:
            return "The model recognizes the language, at all lengths."
        if self.undecided:
            return (
                f"No counterexample was found; whether the model agrees on all words of up to {self.length} letters is "
                "undecided."
            )
        return f"The model agrees with the language on all words of up to {self.length} letters."

    def _lengths(self) -> str:
        if self.all_lengths is None:
            return f"undecided: {self.reason}"
        found = self.extraction
        if found is None or found.dfa is None:
            return "no: there is a counterexample"
        states = " -> ".join(map(str, found.states))
        what = "that of the language" if self.all_lengths else "another one than that of the language"
        count = f"{len(found.dfa)} state{'s' * (len(found.dfa) > 1)}"
        return f"the model's own automaton has {count} ({states} by layer) and is {what}"


def _letters(count: int) -> str:
    return f"{count} letter{'s' * (count != 1)}"
